//! Commands on their way to the workspace that they are about.

use std::net::SocketAddr;

use rejoinder_identity::{SecretKey, Ticket, WorkspaceId};

use crate::{
    card::{self, Card},
    command::Command,
    core::After,
    input::CommandId,
    output::Reply,
    refused::Refused,
    replica::Replica,
};

impl Replica {
    pub(crate) fn command(&mut self, id: CommandId, command: Command) {
        match command {
            Command::CreateWorkspace { title } => self.create_workspace(id, title),
            Command::Join(ticket) => self.join(id, &ticket),
            Command::Name(name) => self.rename(id, name),
            Command::Addresses(addresses) => self.readdress(id, addresses),
            Command::Host(workspace)
            | Command::HostAct(workspace, _)
            | Command::Edit { workspace, .. }
            | Command::EditOn { workspace, .. }
            | Command::Take { workspace, .. }
            | Command::Complete { workspace, .. }
            | Command::Read { workspace, .. }
            | Command::HandedOver { workspace, .. }
            | Command::ProposeTurn(workspace, _)
            | Command::Propose(workspace, _) => {
                let done =
                    self.with(workspace, |workspace, core| workspace.command(core, id, command));
                if done.is_none() {
                    self.core().reply(id, Err(Refused::NoWorkspace));
                }
            }
        }
    }

    fn create_workspace(&mut self, id: CommandId, title: String) {
        if let Err(refused) = self.core().may_write() {
            return self.core().reply(id, Err(refused));
        }
        let root = SecretKey::from_seed(self.core().draw());
        let workspace = WorkspaceId::of_root(&root.public());
        self.add_workspace(workspace).made_with(root);
        self.with(workspace, |workspace, core| {
            workspace.save_row(core, After::Nothing);
            workspace.found(core, id, title);
        });
    }

    fn join(&mut self, id: CommandId, ticket: &Ticket) {
        let workspace = ticket.workspace;
        let new = !self.has(&workspace);
        if new && let Err(refused) = self.core().may_write() {
            return self.core().reply(id, Err(refused));
        }
        self.add_workspace(workspace);
        self.with(workspace, |workspace, core| {
            if let Err(refused) = workspace.ask_to_join(core, id, ticket) {
                core.reply(id, Err(refused));
            }
        });
    }

    fn rename(&mut self, id: CommandId, name: String) {
        if name.len() > rejoinder_finalizer::limits::NAME || name.is_empty() {
            let why = format!("it must have 1 to {} bytes", rejoinder_finalizer::limits::NAME);
            return self.core().reply(id, Err(Refused::Name(why)));
        }
        if let Err(refused) = self.core().may_write() {
            return self.core().reply(id, Err(refused));
        }
        self.core().name = name;
        self.core().save_device(After::Reply(id, Reply::Saved));
    }

    fn readdress(&mut self, id: CommandId, addresses: Vec<SocketAddr>) {
        let addresses = card::for_a_card(addresses);
        let core = self.core();
        let lost = std::mem::take(&mut core.card_counter_lost);
        if core.advertises(&addresses) && !lost {
            return core.reply(id, Ok(Reply::Saved));
        }
        if lost {
            // Nobody moves once a millisecond, so what others have is less than this.
            let now = u64::try_from(core.now.as_millis()).unwrap_or(0);
            core.card_counter = core.card_counter.max(now);
        }
        core.sign_card(addresses, Some(id));
    }

    /// This device's new card is on the disk: those who are linked hear of it.
    pub(crate) fn card_stored(&mut self, card: Card, command: Option<CommandId>) {
        let bytes = card.bytes().clone();
        let core = self.core();
        core.cards.take(card, |_| true);
        core.card_came(core.me);
        if let Some(command) = command {
            core.reply(command, Ok(Reply::Saved));
        }
        for workspace in self.workspaces() {
            self.with(workspace, |workspace, core| {
                workspace.push_card(core, &bytes);
            });
        }
    }
}
