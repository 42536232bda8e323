//! Acts of the host's program, as records.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputAnswer;
use rejoinder_answers::{Document, EditRefused, Form, Writer};
use rejoinder_finalizer::{HostAction, InviteIssued, Raise, RaiseError, Refusal, refusal::BadCall};
use rejoinder_identity::{
    Incarnation, OpeningId, PeerId, QuestionId, RecordId, Role, SecretKey, Ticket, Timestamp,
    TurnId,
};
use serde_json::json;

use crate::{
    command::HostAct, core::Core, input::CommandId, output::Reply, refused::Refused,
    workspace::Workspace, workspace::as_edit, workspace::new_turn, workspace::then::Then,
};

impl Workspace {
    pub(super) fn do_act(&mut self, core: &mut Core, id: CommandId, act: HostAct) {
        let action = match act {
            HostAct::Ask { request, rules, strict } => {
                let form = Form::read(&request).keeping(rules);
                return self.ask(core, id, &form, strict);
            }
            HostAct::TakeUp(opening) => return self.take_up(core, id, opening),
            HostAct::Approve { device, yes } => return self.approve(core, id, device, yes),
            HostAct::Invite { seats, expires, role, approve } => {
                return self.invite(core, id, seats, expires, role, approve);
            }
            HostAct::StartTurn { text } => return self.start_turn(core, id, &text),
            HostAct::Say { text } => markdown(core, &text),
            HostAct::CompleteTurn(turn) => self.on_turn(&turn, HostAction::CompleteTurn),
            HostAct::CancelTurn(turn) => self.on_turn(&turn, HostAction::CancelTurn),
            HostAct::Expire(opening) => Ok(HostAction::Expire { opening }),
            HostAct::FailTurn { turn, error_type, message, resumable } => {
                self.on_turn(&turn, HostAction::FailTurn { error_type, message, resumable })
            }
            HostAct::ResumeTurn(turn) => Ok(HostAction::ResumeTurn { turn }),
            HostAct::Truncate(turn) => Ok(HostAction::Truncate { turn }),
            HostAct::Publish { channel, action } => Ok(HostAction::Publish { channel, action }),
        };
        match action {
            Ok(action) => self.act(core, id, action, Then::Reply(id, Reply::Saved)),
            Err(refusal) => core.reply(id, Err(Refused::Host(refusal))),
        }
    }

    /// A program's act about a turn is about that turn, not about one that came after.
    fn on_turn(&self, turn: &TurnId, action: HostAction) -> Result<HostAction, Refusal> {
        match self.chain.state().active_turn() {
            Some(active) if active == *turn => Ok(action),
            Some(active) => Err(Refusal::Caller(BadCall::OtherTurn { active })),
            None => Err(Refusal::Caller(BadCall::NoActiveTurn)),
        }
    }

    pub(super) fn act(&mut self, core: &mut Core, id: CommandId, action: HostAction, then: Then) {
        let Some(hosting) = &self.hosting else { return };
        match hosting.finalizer.act(self.chain.log(), core.now, action, &self.settling()) {
            Ok(record) => self.write_record(core, record, None, then),
            Err(refusal) => core.reply(id, Err(Refused::Host(refusal))),
        }
    }

    fn start_turn(&mut self, core: &mut Core, id: CommandId, text: &str) {
        let start = new_turn(core, text);
        let turn = start.turn.clone();
        self.act(core, id, HostAction::StartTurn(start), Then::Reply(id, Reply::Turn(turn)));
    }

    fn invite(
        &mut self,
        core: &mut Core,
        id: CommandId,
        seats: u16,
        expires: Timestamp,
        role: Role,
        approve: bool,
    ) {
        let invite = SecretKey::from_seed(core.draw());
        let issued = InviteIssued { invite: invite.public(), seats, expires, role, approve };
        let workspace = self.id;
        let ticket = Ticket { workspace, invite, seats, expires, role, hints: Vec::new() };
        let then = Then::Reply(id, Reply::Invited(Box::new(ticket)));
        self.act(core, id, HostAction::IssueInvite(issued), then);
    }

    fn ask(&mut self, core: &mut Core, command: CommandId, form: &Form, strict: bool) {
        if let Err(problem) = form.check() {
            return core.reply(command, Err(Refused::Form(problem)));
        }
        let given: BTreeMap<QuestionId, ChatInputAnswer> = form
            .request()
            .answers
            .iter()
            .flatten()
            .map(|(question, answer)| (QuestionId(question.clone()), answer.clone()))
            .collect();
        let json = form.json();
        let Some(hosting) = &self.hosting else { return };
        let (mut raised_before, host, writer) = (None, core.me, core.writer());
        let raised = hosting.finalizer.raise(
            self.chain.log(),
            core.now,
            &Raise { request: &json, strict },
            |skeleton| {
                raised_before = skeleton.opening;
                match skeleton.opening {
                    None => Document::new(skeleton.document)
                        .skeleton(form, &given)
                        .map_err(Refused::Skeleton),
                    Some(opening) => {
                        let document = self.settling().document(&opening).document();
                        let skeleton =
                            document.skeleton(form, &BTreeMap::new()).map_err(Refused::Skeleton)?;
                        let revised = Revised { form, skeleton: &skeleton, host };
                        revised.takes(document, writer, &given).map_err(Refused::Edit)?;
                        Ok(skeleton)
                    }
                }
            },
        );
        match raised {
            Ok(record) => {
                let (opening, answers) = match raised_before {
                    None => (RecordId::from(record.id()).as_opening(), Vec::new()),
                    Some(opening) => (opening, given.into_iter().collect()),
                };
                let then = Then::Raised { command, opening, answers };
                self.write_record(core, record, None, then);
            }
            Err(RaiseError::Refused(refusal)) => {
                core.reply(command, Err(Refused::Host(refusal)));
            }
            Err(RaiseError::Skeleton(refused)) => core.reply(command, Err(refused)),
        }
    }

    pub(super) fn take_up(&mut self, core: &mut Core, id: CommandId, opening: OpeningId) {
        let known = self.chain.state().request(&opening).is_some();
        let Some(hosting) = &mut self.hosting else { return };
        if known {
            hosting.taken_up.insert(opening);
        }
        core.reply(id, if known { Ok(Reply::Saved) } else { Err(Refused::NoRequest) });
    }
}

/// A request as it is raised again.
struct Revised<'a> {
    form: &'a Form,
    skeleton: &'a [u8],
    host: PeerId,
}

impl Revised<'_> {
    /// Checks that its document would take these answers: they are written when the record is on
    /// the disk, and what is refused then was asked for in vain.
    fn takes(
        &self,
        document: &Document,
        mut writer: Writer,
        given: &BTreeMap<QuestionId, ChatInputAnswer>,
    ) -> Result<(), EditRefused> {
        if given.is_empty() {
            return Ok(());
        }
        let mut document = document.clone();
        document
            .admit_skeleton(self.skeleton, self.host)
            .expect("this document has just written it");
        for (question, answer) in given {
            let edit = as_edit(question.clone(), answer.clone());
            let mut written = document.edit(self.form, &writer, &edit);
            if let Err(EditRefused::TooManyChanges(_)) = written {
                // It is written as another incarnation, which has made none.
                writer.incarnation = Incarnation(Default::default());
                written = document.edit(self.form, &writer, &edit);
            }
            written?;
        }
        Ok(())
    }
}

/// A piece of text for the active turn.
fn markdown(core: &mut Core, text: &str) -> Result<HostAction, Refusal> {
    let id = format!("part-{}", core.nonce());
    let part = json!({ "kind": "markdown", "id": id, "content": text }).to_string();
    Ok(HostAction::AddPart { part })
}
