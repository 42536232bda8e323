//! Commands of somebody at this device to a workspace.

use rejoinder_finalizer::{ProposalKind, Status};
use rejoinder_identity::OpeningId;

use super::{Workspace, edit::Done, propose::new_turn};
use crate::{
    command::Command,
    core::{After, Core},
    input::CommandId,
    output::Reply,
    refused::Refused,
    store::Batch,
};

impl Workspace {
    /// Does what somebody at this device wants here.
    pub(crate) fn command(&mut self, core: &mut Core, id: CommandId, command: Command) {
        let done = match command {
            Command::Host(_) => self.host(core, id).map(|()| Done::Yes),
            Command::HostAct(_, act) => self.host_act(core, id, act).map(|()| Done::Yes),
            Command::Edit { opening, edit, .. } => self.edit(core, id, opening, edit),
            Command::EditOn { opening, edit, seen, .. } => {
                self.edit_on(core, id, opening, edit, seen)
            }
            Command::Take { opening, question, from, .. } => {
                self.take(core, id, opening, question, from)
            }
            Command::Complete { opening, response, answers, .. } => {
                self.complete(core, id, opening, response, answers)
            }
            Command::Read { workspace, opening } => self.read(core, id, workspace, opening),
            Command::HandedOver { opening, .. } => {
                self.handed_over(core, id, &opening).map(|()| Done::Yes)
            }
            Command::ProposeTurn(_, text) => {
                let kind = ProposalKind::StartTurn(new_turn(core, &text));
                self.propose(core, id, kind).map(|()| Done::Yes)
            }
            Command::Propose(_, kind) => self.propose(core, id, kind).map(|()| Done::Yes),
            Command::CreateWorkspace { .. }
            | Command::Join(_)
            | Command::Name(_)
            | Command::Addresses(_) => unreachable!("these are about no workspace's content"),
        };
        match done {
            Ok(Done::Yes) => {}
            Ok(Done::Later(command, document)) => self.later(core, id, command, document),
            Err(refused) => core.reply(id, Err(refused)),
        }
    }

    /// Notes that the program has what became of a request, which must be over.
    fn handed_over(
        &mut self,
        core: &mut Core,
        id: CommandId,
        opening: &OpeningId,
    ) -> Result<(), Refused> {
        match self.request(opening).map(|request| request.status()) {
            Ok(Status::Open | Status::Suspended(_)) => return Err(Refused::NotOver),
            // One that was removed is over too.
            Ok(Status::Decided(_) | Status::Ended(_)) | Err(_) => {}
        }
        core.may_write()?;
        let mut batch = Batch::default();
        self.outcomes.told(&self.id, opening, &mut batch);
        core.store(batch, After::Reply(id, Reply::Saved));
        Ok(())
    }
}
