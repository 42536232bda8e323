//! The host's side of a workspace: proposals and acts become records, one at a time, each on the
//! disk before anybody hears of it.

mod act;
mod door;
mod needs;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rejoinder_finalizer::{Checked, Finalizer, HostAction, Record, Verdict};
use rejoinder_identity::{OpeningId, PeerId, ProposalId};
use rejoinder_sync::Item;

use super::{follow::Happened, then::Then};
use crate::{
    command::HostAct,
    core::{After, Core, Stored},
    input::{AskId, CommandId},
    output::Reply,
    proposals::Content,
    refused::Refused,
    rows,
    store::{Batch, Table},
    workspace::JoinAnswer,
    workspace::Workspace,
};

/// The host's queue, and the record that it is writing.
#[derive(Debug)]
pub(crate) struct Hosting {
    finalizer: Finalizer,
    queue: VecDeque<Work>,
    writing: Option<Writing>,
    /// Requests whose outcomes this program waits for.
    pub(crate) taken_up: BTreeSet<OpeningId>,
    /// Devices at the door that wait for the record which answers them.
    asks: BTreeMap<ProposalId, Vec<AskId>>,
    /// Devices that a person was asked about.
    door: BTreeSet<PeerId>,
}

#[derive(Debug)]
enum Work {
    /// The title of a workspace that was just made.
    Title(CommandId, String),
    /// A proposal, or a join of an invite that lets anyone in who holds it.
    Proposal(ProposalId),
    /// A person's decision on a device at the door.
    Approved(CommandId, PeerId, bool),
    Act(CommandId, HostAct),
}

/// A record that is on its way to the disk. Nobody has heard of it.
#[derive(Debug)]
struct Writing {
    record: Checked<Record>,
    then: Then,
}

impl Work {
    /// The command that waits for it.
    fn command(&self) -> Option<CommandId> {
        match self {
            Self::Title(id, _) | Self::Approved(id, ..) | Self::Act(id, _) => Some(*id),
            Self::Proposal(_) => None,
        }
    }
}

impl Hosting {
    pub(super) fn queue_proposal(&mut self, id: ProposalId) {
        self.queue.push_back(Work::Proposal(id));
    }
}

impl Workspace {
    /// Founds the workspace: its first epoch, and its title.
    pub(crate) fn found(&mut self, core: &mut Core, id: CommandId, title: String) {
        match self.start_epoch(core, Then::Nothing) {
            Ok(hosting) => hosting.queue.push_back(Work::Title(id, title)),
            Err(refused) => core.reply(id, Err(refused)),
        }
    }

    /// Begins an epoch: this device is the host from its first record on.
    pub(super) fn host(&mut self, core: &mut Core, id: CommandId) -> Result<(), Refused> {
        if self.hosting.is_some() {
            core.reply(id, Ok(Reply::Workspace(self.id)));
            return Ok(());
        }
        core.may_write()?;
        let then = Then::Reply(id, Reply::Workspace(self.id));
        let waiting = self.proposals.in_order();
        self.start_epoch(core, then)?.queue.extend(waiting.into_iter().map(Work::Proposal));
        Ok(())
    }

    fn start_epoch(&mut self, core: &mut Core, then: Then) -> Result<&mut Hosting, Refused> {
        let root = self.access.root().ok_or(Refused::NoRootKey)?;
        let (finalizer, record) = Finalizer::start_epoch(
            self.chain.log(),
            root,
            core.key.clone(),
            &core.name,
            core.incarnation,
            core.now,
        )
        .map_err(Refused::Host)?;
        self.hosting = Some(Hosting {
            finalizer,
            queue: VecDeque::new(),
            writing: None,
            taken_up: BTreeSet::new(),
            asks: BTreeMap::new(),
            door: BTreeSet::new(),
        });
        self.write_record(core, record, None, then);
        Ok(self.hosting.as_mut().expect("it was just set"))
    }

    /// An act of the host's program. While the disk refuses writes, one that needs a record is
    /// refused; the one that met the failure waits for the disk, as its record is on the way there.
    pub(super) fn host_act(
        &mut self,
        core: &mut Core,
        id: CommandId,
        act: HostAct,
    ) -> Result<(), Refused> {
        let hosting = self.hosting.as_mut().ok_or(Refused::NotHost)?;
        match act {
            // It writes nothing, so it waits for no record either.
            HostAct::TakeUp(opening) => {
                self.take_up(core, id, opening);
                return Ok(());
            }
            HostAct::StartTurn { .. }
            | HostAct::Say { .. }
            | HostAct::Ask { .. }
            | HostAct::CompleteTurn(_)
            | HostAct::CancelTurn(_)
            | HostAct::Expire(_)
            | HostAct::FailTurn { .. }
            | HostAct::ResumeTurn(_)
            | HostAct::Truncate(_)
            | HostAct::Publish { .. }
            | HostAct::Invite { .. }
            | HostAct::Approve { .. } => {
                let may = core.may_write();
                let may = may.or_else(|refused| {
                    let waits = rejoinder_identity::mutant!("mutant-acts-wait-for-a-failing-disk");
                    if waits { Ok(()) } else { Err(refused) }
                });
                may?;
            }
        }
        hosting.queue.push_back(Work::Act(id, act));
        Ok(())
    }

    /// Takes the next piece of work when nothing is being written; says whether it did something.
    pub(super) fn pump_host(&mut self, core: &mut Core) -> bool {
        if self.hosting.as_ref().is_none_or(|hosting| hosting.writing.is_some()) {
            return false;
        }
        match self.next_work(core) {
            None => return false,
            Some(Work::Title(id, title)) => {
                let act = HostAction::SetTitle { title };
                let then = Then::Reply(id, Reply::Workspace(self.id));
                self.act(core, id, act, then);
            }
            Some(Work::Proposal(id)) => self.answer_proposal(core, id, None),
            Some(Work::Approved(command, device, yes)) => {
                match self.proposals.joins_of(&device).last() {
                    Some(id) => self.answer_proposal(core, *id, Some((command, yes))),
                    // It came in otherwise, or its invite has ended meanwhile.
                    None => core.reply(command, Err(Refused::NobodyWaits(device))),
                }
            }
            Some(Work::Act(id, act)) => self.do_act(core, id, act),
        }
        true
    }

    /// `person` is who said yes or no to a join, and waits for the record of it.
    fn answer_proposal(
        &mut self,
        core: &mut Core,
        id: ProposalId,
        person: Option<(CommandId, bool)>,
    ) {
        let (command, approved) = (person.map(|(id, _)| id), person.map(|(_, yes)| yes));
        let (Some(hosting), Some(content)) = (&self.hosting, self.proposals.get(&id)) else {
            return;
        };
        let (finalizer, now) = (&hosting.finalizer, core.now);
        let verdict = match content {
            Content::Proposal(proposal) => {
                let taken_up = |opening: &OpeningId| hosting.taken_up.contains(opening);
                finalizer.decide(self.chain.log(), now, proposal, &self.settling(), &taken_up)
            }
            Content::Join(join) => finalizer.admit(self.chain.log(), now, join, approved),
        };
        match verdict {
            Verdict::Record(record) => {
                let then = command.map_or(Then::Nothing, |id| Then::Reply(id, Reply::Saved));
                return self.write_record(core, record, Some(id), then);
            }
            // Those who hold it drop it with the record that answers it.
            Verdict::Answered(_) => {}
            // It is asked again when the author is a member: by the host's next start at the
            // latest.
            Verdict::Stranger(author) => tracing::info!(author = %author.short(), "a stranger"),
            Verdict::NeedsApproval => self.ask_a_person(core, id),
            Verdict::NotHost => self.stop_hosting(core),
        }
        if let Some(command) = command {
            let hosts = self.hosting.is_some();
            core.reply(command, if hosts { Ok(Reply::Saved) } else { Err(Refused::NotHost) });
        }
    }

    /// Another epoch has begun elsewhere. Whoever waits for this host hears that it is none.
    pub(super) fn stop_hosting(&mut self, core: &mut Core) {
        let Some(Hosting { queue, writing, asks, .. }) = self.hosting.take() else { return };
        let queued = queue.iter().filter_map(Work::command);
        let writing = writing.and_then(|writing| writing.then.command());
        for command in writing.into_iter().chain(queued) {
            core.reply(command, Err(Refused::NotHost));
        }
        for ask in asks.into_values().flatten() {
            core.answer_join(ask, JoinAnswer::Waiting.to_bytes());
        }
    }

    /// A record goes to the disk; nobody hears of it before it is there.
    fn write_record(
        &mut self,
        core: &mut Core,
        record: Checked<Record>,
        answers: Option<ProposalId>,
        then: Then,
    ) {
        let mut batch = Batch::default();
        let key = rows::record_key(&self.id, record.value().seq);
        batch.put(Table::Records, key, record.bytes().to_vec());
        if let Some(proposal) = answers {
            batch.delete(Table::Proposals, rows::proposal_key(&self.id, &proposal));
        }
        self.outcomes.begin(&self.id, self.chain.state(), &mut batch);
        if let Then::Raised { opening, .. } = &then {
            self.outcomes.raised(&self.id, *opening, &mut batch);
        }
        let hosting = self.hosting.as_mut().expect("only a host writes records");
        hosting.writing = Some(Writing { record, then });
        core.store(batch, After::In(self.id, Stored::HostRecord));
        if rejoinder_identity::mutant!("mutant-record-before-the-disk") {
            self.host_record_stored(core);
        }
    }

    /// The record that was being written is on the disk: it holds from now on, for everybody.
    pub(super) fn host_record_stored(&mut self, core: &mut Core) {
        let writing = self.hosting.as_mut().and_then(|hosting| hosting.writing.take());
        let Some(Writing { record, then }) = writing else { return };
        // Its rows are on the disk already.
        let grown = match self.append_record(core, record, None) {
            Ok(grown) => grown,
            Err(error) => {
                tracing::error!(%error, "the log was cut by a newer epoch while a record was written");
                if let Some(command) = then.command() {
                    core.reply(command, Err(Refused::NotHost));
                }
                return self.stop_hosting(core);
            }
        };
        self.sync.stored(core.now, Item::Record { length: grown.length });
        self.follow_record(grown.appended, Some(Happened::HostRecorded(then)));
    }

    /// All that follows from a record of this host was followed: the command that waits for it gets
    /// its reply.
    pub(super) fn host_recorded(&mut self, core: &mut Core, then: Then) {
        match then {
            Then::Nothing => {}
            Then::Reply(command, reply) => core.reply(command, Ok(reply)),
            Then::Raised { command, opening, answers } => {
                if let Some(hosting) = &mut self.hosting {
                    hosting.taken_up.insert(opening);
                }
                let reply = Reply::Asked(opening);
                if answers.is_empty() {
                    return core.reply(command, Ok(reply));
                }
                self.write_answers(core, &opening, answers);
                // After them: the disk takes one write after the other.
                core.store(Batch::default(), After::Reply(command, reply));
            }
        }
    }
}
