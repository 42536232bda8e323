//! A workspace with a host and three members, in the middle of a turn, and faked documents.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputResponseKind::{self, Accept};
use rejoinder_finalizer::{
    Appended, Body, Checked, Complete, Completing, DisplacedAnswer, Finalizer, HostAction,
    InviteIssued, Join, Log, LogChange, Proposal, ProposalKind, Raise, Record, Refusal, Request,
    Seen, Settle, Settled, SettledAnswer, StartTurn, Verdict,
};
use rejoinder_identity::{
    ActorId, ChangeHash, Incarnation, Nonce, OpeningId, PeerId, QuestionId, Role, SecretKey,
    Timestamp, Tip, TurnId, VersionVector, WorkspaceId, covers,
};

pub const REQUEST: &str = r#"{"id":"r1","message":"Deploy?","questions":[{"kind":"text","id":"env","message":"Where?","required":true},{"kind":"text","id":"notes","message":"Notes?"}],"x":7}"#;

pub fn key(name: &str) -> SecretKey {
    let mut seed = [0; 32];
    seed[..name.len()].copy_from_slice(name.as_bytes());
    SecretKey::from_seed(seed)
}

pub fn text(state: &str, value: &str) -> String {
    format!(r#"{{"state":"{state}","value":{{"kind":"text","value":"{value}"}}}}"#)
}

/// Documents that know one answer a question, and who gave it in which change.
#[derive(Debug, Clone, Default)]
pub struct Documents {
    documents: BTreeMap<OpeningId, Document>,
    /// Questions that an accept needs, of any request.
    pub required: Vec<QuestionId>,
    /// Questions whose answers are never valid.
    pub invalid: Vec<QuestionId>,
}

#[derive(Debug, Clone, Default)]
pub struct Document {
    answers: BTreeMap<QuestionId, (String, PeerId, ActorId, u64)>,
    pub version_vector: VersionVector,
}

impl Documents {
    pub fn answer(&mut self, opening: OpeningId, question: &str, answer: String, by: PeerId) {
        let document = self.documents.entry(opening).or_default();
        let actor = ActorId(by.0[..16].try_into().unwrap());
        let seq = document.version_vector.get(&actor).map_or(1, |tip| tip.seq + 1);
        document.version_vector.insert(actor, Tip { seq, hash: ChangeHash([9; 32]) });
        document.answers.insert(question.into(), (answer, by, actor, seq));
    }

    /// That many actors wrote something that nothing shows.
    pub fn answer_as(&mut self, opening: OpeningId, actors: u64) {
        let document = self.documents.entry(opening).or_default();
        for number in 0..actors {
            let mut actor = ActorId([0; 16]);
            actor.0[..8].copy_from_slice(&number.to_le_bytes());
            document.version_vector.insert(actor, Tip { seq: 1, hash: ChangeHash([9; 32]) });
        }
    }

    pub fn version_vector(&self, opening: &OpeningId) -> VersionVector {
        self.documents
            .get(opening)
            .map(|document| document.version_vector.clone())
            .unwrap_or_default()
    }
}

impl Settle for Documents {
    fn completion(&self, opening: &OpeningId, completion: &Completing<'_>) -> Settled {
        let mut settled = self.end(opening);
        let held = self.documents.get(opening).cloned().unwrap_or_default();
        for (question, answer) in completion.attached {
            if let Some((merged, author, actor, seq)) = held.answers.get(question)
                && merged != answer
                && !covers(completion.seen, actor, *seq)
            {
                settled.displaced.push(DisplacedAnswer {
                    question: question.clone(),
                    author: *author,
                    actor: *actor,
                    seq: *seq,
                });
            }
            let own = SettledAnswer { answer: answer.clone(), authors: vec![completion.proposer] };
            settled.answers.insert(question.clone(), own);
        }
        if completion.response == Accept {
            let submitted = |question: &&QuestionId| {
                !settled.answers.get(*question).is_some_and(|one| one.answer.contains("submitted"))
            };
            settled.missing = self.required.iter().filter(submitted).cloned().collect();
            settled.invalid = self.invalid.clone();
        }
        settled
    }

    fn end(&self, opening: &OpeningId) -> Settled {
        let document = self.documents.get(opening).cloned().unwrap_or_default();
        let answers = document.answers.into_iter().map(|(question, (answer, author, ..))| {
            (question, SettledAnswer { answer, authors: vec![author] })
        });
        Settled {
            answers: answers.collect(),
            version_vector: document.version_vector,
            ..Settled::default()
        }
    }
}

pub struct World {
    pub log: Log,
    pub finalizer: Finalizer,
    pub documents: Documents,
    pub now: Timestamp,
    pub taken_up: bool,
    nonce: u8,
}

impl World {
    /// The host "host" alone.
    pub fn empty() -> Self {
        let mut log = Log::new(WorkspaceId::of_root(&key("root").public()));
        let now = Timestamp::from_millis(1_796_083_200_000);
        let (finalizer, first) = start(&log, 1, now);
        log.append(first).unwrap();
        let documents = Documents { required: vec!["env".into()], ..Documents::default() };
        Self { log, finalizer, documents, now, taken_up: true, nonce: 0 }
    }

    /// With the members ana and ben (collaborators), cy (answerer) and obi (observer).
    pub fn with_members() -> Self {
        let mut world = Self::empty();
        for (name, role) in [
            ("ana", Role::Collaborator),
            ("ben", Role::Collaborator),
            ("cy", Role::Answerer),
            ("obi", Role::Observer),
        ] {
            let invite = key(&format!("invite of {name}"));
            world.invite(&invite, 1, role);
            let join = world.join(name, &invite);
            world.admit(&join);
        }
        world
    }

    /// In turn t1 (after t0, which is complete), with the request r1 open.
    pub fn asked() -> (Self, OpeningId) {
        let mut world = Self::with_members();
        world.start("t0");
        world.act(HostAction::CompleteTurn).unwrap();
        world.start("t1");
        let opening = world.raise(REQUEST, false);
        (world, opening)
    }

    pub fn append(&mut self, record: Checked<Record>) -> Appended {
        // What peers get are bytes: nothing that is not in them may count.
        let read = self.log.check(record.bytes()).unwrap();
        assert_eq!(read, record);
        self.log.append(read).unwrap()
    }

    pub fn act(&mut self, action: HostAction) -> Result<Appended, Refusal> {
        self.now = self.now.after(std::time::Duration::from_millis(1_500));
        let record = self.finalizer.act(&self.log, self.now, action, &self.documents)?;
        Ok(self.append(record))
    }

    pub fn start(&mut self, turn: &str) -> Appended {
        self.act(HostAction::StartTurn(start_turn(turn))).unwrap()
    }

    pub fn fail(&mut self, resumable: bool) -> Result<Appended, Refusal> {
        self.act(HostAction::FailTurn {
            error_type: "network".into(),
            message: "gone".into(),
            resumable,
        })
    }

    pub fn raise(&mut self, request: &str, strict: bool) -> OpeningId {
        let appended = self.try_raise(request, strict).unwrap();
        match appended.changes[..] {
            [LogChange::RequestRaised { opening, .. }] => opening,
            _ => panic!("{appended:?}"),
        }
    }

    pub fn try_raise(&mut self, request: &str, strict: bool) -> Result<Appended, Refusal> {
        let skeleton = |place: rejoinder_finalizer::Skeleton| {
            Ok::<_, std::convert::Infallible>(format!("skeleton {}", place.revision).into_bytes())
        };
        let raise = Raise { request, strict };
        let raised = self.finalizer.raise(&self.log, self.now, &raise, skeleton);
        match raised {
            Ok(record) => Ok(self.append(record)),
            Err(rejoinder_finalizer::RaiseError::Refused(refusal)) => Err(refusal),
            Err(rejoinder_finalizer::RaiseError::Skeleton(never)) => match never {},
        }
    }

    pub fn invite(&mut self, invite: &SecretKey, seats: u16, role: Role) {
        let issued = InviteIssued {
            invite: invite.public(),
            seats,
            expires: self.now.after(std::time::Duration::from_secs(3_600)),
            role,
            approve: false,
        };
        self.act(HostAction::IssueInvite(issued)).unwrap();
    }

    fn nonce(&mut self) -> Nonce {
        self.nonce += 1;
        Nonce([self.nonce; 16])
    }

    pub fn join(&mut self, name: &str, invite: &SecretKey) -> Checked<Join> {
        let nonce = self.nonce();
        let join = Checked::<Join>::sign(&key(name), invite, self.log.workspace(), name, nonce);
        Checked::<Join>::read(join.unwrap().bytes(), &self.log.workspace()).unwrap()
    }

    pub fn admit(&mut self, join: &Checked<Join>) -> Outcome {
        let verdict = self.finalizer.admit(&self.log, self.now, join, None);
        self.take(verdict)
    }

    pub fn proposal(&mut self, by: &str, kind: ProposalKind) -> Checked<Proposal> {
        let version_vector = match &kind {
            ProposalKind::Complete(complete) => self.documents.version_vector(&complete.opening),
            _ => VersionVector::new(),
        };
        let proposal = Proposal {
            workspace: self.log.workspace(),
            author: key(by).public(),
            nonce: self.nonce(),
            seen: Seen { log: self.log.position().head, version_vector },
            kind,
        };
        let signed = Checked::<Proposal>::sign(&key(by), proposal).unwrap();
        Checked::<Proposal>::read(signed.bytes(), &self.log.workspace()).unwrap()
    }

    pub fn decide(&mut self, proposal: &Checked<Proposal>) -> Outcome {
        self.now = self.now.after(std::time::Duration::from_millis(1_500));
        let taken_up = self.taken_up;
        let verdict =
            self.finalizer.decide(&self.log, self.now, proposal, &self.documents, &|_| taken_up);
        self.take(verdict)
    }

    fn take(&mut self, verdict: Verdict) -> Outcome {
        match verdict {
            Verdict::Record(record) => {
                let refused = match &record.value().body {
                    Body::Refused(refused) => Some(refused.reason.clone()),
                    _ => None,
                };
                self.append(record);
                refused.map_or(Outcome::Granted, Outcome::Refused)
            }
            Verdict::Answered(_) => Outcome::Answered,
            Verdict::Stranger(peer) => Outcome::Stranger(peer),
            Verdict::NeedsApproval => Outcome::NeedsApproval,
            Verdict::NotHost => Outcome::NotHost,
        }
    }

    pub fn propose(&mut self, by: &str, kind: ProposalKind) -> Outcome {
        let proposal = self.proposal(by, kind);
        self.decide(&proposal)
    }

    pub fn complete(
        &mut self,
        by: &str,
        opening: OpeningId,
        response: ChatInputResponseKind,
    ) -> Outcome {
        self.propose(by, completion(opening, response, &[]))
    }

    pub fn request(&self, opening: &OpeningId) -> &Request {
        self.log.state().request(opening).unwrap()
    }

    /// The log read again from its bytes alone.
    pub fn refolded(&self) -> Log {
        let mut again = Log::new(self.log.workspace());
        for seq in 0..self.log.position().length {
            let record = again.check(self.log.bytes(seq).unwrap()).unwrap();
            again.append(record).unwrap();
        }
        again
    }

    /// Chat and session.
    pub fn statuses(&self) -> (u32, u32) {
        (self.log.state().chat().status, self.log.state().session().status)
    }
}

pub fn start(log: &Log, incarnation: u8, now: Timestamp) -> (Finalizer, Checked<Record>) {
    let incarnation = Incarnation([incarnation; 16]);
    Finalizer::start_epoch(log, &key("root"), key("host"), "Host", incarnation, now).unwrap()
}

pub fn start_turn(turn: &str) -> StartTurn {
    StartTurn {
        turn: turn.into(),
        message: r#"{"text":"Deploy 1.4","origin":{"kind":"user"}}"#.into(),
        queued: None,
    }
}

pub fn completion(
    opening: OpeningId,
    response: ChatInputResponseKind,
    answers: &[(&str, String)],
) -> ProposalKind {
    let answers = answers.iter().map(|(id, answer)| ((*id).into(), answer.clone())).collect();
    ProposalKind::Complete(Complete { opening, revision: 1, response, answers })
}

pub fn turn(id: &str) -> TurnId {
    id.into()
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Granted,
    Refused(Refusal),
    Answered,
    Stranger(PeerId),
    NeedsApproval,
    NotHost,
}

impl Outcome {
    /// The refusal's code, or "granted".
    pub fn code(&self) -> &str {
        match self {
            Self::Granted => "granted",
            Self::Refused(refusal) => refusal.code(),
            Self::Answered => "answered",
            Self::Stranger(_) => "stranger",
            Self::NeedsApproval => "needs-approval",
            Self::NotHost => "not-host",
        }
    }
}
