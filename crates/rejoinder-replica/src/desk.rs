//! A host's log for the tests of the owners, which need no replica and no world.

use std::collections::BTreeMap;

use rejoinder_answers::{Document, Form};
use rejoinder_finalizer::{
    Checked, Completing, Finalizer, HostAction, InviteIssued, Join, Log, Proposal, ProposalKind,
    Raise, Seen, Settle, Settled, StartTurn, Verdict,
};
use rejoinder_identity::{
    Incarnation, Nonce, OpeningId, RecordId, Role, SecretKey, Timestamp, TurnId, VersionVector,
    WorkspaceId,
};
use serde_json::json;

use crate::proposals::Content;

/// A host, its log and what it signs.
pub(crate) struct Desk {
    pub(crate) log: Log,
    finalizer: Finalizer,
    pub(crate) key: SecretKey,
}

/// No request is open here, so nothing is settled.
struct Nothing;

impl Settle for Nothing {
    fn completion(&self, _: &OpeningId, _: &Completing<'_>) -> Settled {
        unreachable!("no request is open")
    }

    fn end(&self, _: &OpeningId) -> Settled {
        unreachable!("no request is open")
    }
}

pub(crate) fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed([seed; 32])
}

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_000);

impl Desk {
    pub(crate) fn new() -> Self {
        let (root, key) = (key(1), key(2));
        let mut log = Log::new(WorkspaceId::of_root(&root.public()));
        let run = Incarnation([7; 16]);
        let (finalizer, record) =
            Finalizer::start_epoch(&log, &root, key.clone(), "host", run, NOW).unwrap();
        log.append(record).unwrap();
        Self { log, finalizer, key }
    }

    pub(crate) fn invite(&mut self, seats: u16) -> SecretKey {
        let invite = key(3);
        let expires = Timestamp::from_millis(2_000);
        let issued = InviteIssued {
            invite: invite.public(),
            seats,
            expires,
            role: Role::Answerer,
            approve: false,
        };
        let action = HostAction::IssueInvite(issued);
        let record = self.finalizer.act(&self.log, NOW, action, &Nothing).unwrap();
        self.log.append(record).unwrap();
        invite
    }

    pub(crate) fn proposal(&self, nonce: u128) -> Content {
        let proposal = Proposal {
            workspace: self.log.workspace(),
            author: self.key.public(),
            nonce: Nonce(nonce.to_be_bytes()),
            seen: Seen { log: self.log.position().head, version_vector: VersionVector::new() },
            kind: ProposalKind::CancelTurn { turn: TurnId("turn".into()) },
        };
        Content::Proposal(Box::new(Checked::<Proposal>::sign(&self.key, proposal).unwrap()))
    }

    pub(crate) fn join(&self, device: &SecretKey, invite: &SecretKey, nonce: u128) -> Content {
        let nonce = Nonce(nonce.to_be_bytes());
        let workspace = self.log.workspace();
        Content::Join(Box::new(
            Checked::<Join>::sign(device, invite, workspace, "Ana", nonce).unwrap(),
        ))
    }

    /// Answers a proposal with a record.
    pub(crate) fn decide(&mut self, content: &Content) {
        let verdict = match content {
            Content::Proposal(proposal) => {
                self.finalizer.decide(&self.log, NOW, proposal, &Nothing, &|_| false)
            }
            Content::Join(join) => self.finalizer.admit(&self.log, NOW, join, None),
        };
        let Verdict::Record(record) = verdict else { panic!("no record") };
        self.log.append(record).unwrap();
    }

    /// Raises a request of one text question in a turn of its own, or raises it again.
    pub(crate) fn raise(&mut self, id: &str) -> OpeningId {
        if self.log.state().active_turn().is_none() {
            let message = json!({ "text": "go", "origin": { "kind": "user" } }).to_string();
            let start = StartTurn { turn: TurnId(format!("turn-{id}")), message, queued: None };
            let action = HostAction::StartTurn(start);
            let record = self.finalizer.act(&self.log, NOW, action, &Nothing).unwrap();
            self.log.append(record).unwrap();
        }
        let question = json!({ "kind": "text", "id": "notes", "message": "Notes?" });
        let request = json!({ "id": id, "message": "Deploy?", "questions": [question] });
        let form = Form::read(&serde_json::from_value(request).unwrap());
        let record = self.finalizer.raise(
            &self.log,
            NOW,
            &Raise { request: &form.json(), strict: false },
            |new| Document::new(new.document).skeleton(&form, &BTreeMap::new()),
        );
        let record = record.unwrap();
        let opening = RecordId::from(record.id()).as_opening();
        self.log.append(record).unwrap();
        opening
    }
}
