//! The host's next piece of work: the documents that it decides on must be in memory.

use rejoinder_finalizer::{Complete, ProposalKind};
use rejoinder_identity::OpeningId;

use super::Work;
use crate::{
    command::HostAct, core::Core, proposals::Content, refused::Refused, workspace::Workspace,
};

/// The state of the documents that a piece of work needs.
enum Documents {
    Here,
    /// They are being read.
    Coming,
    /// One can't be read, and why.
    Unreadable(String),
}

impl Workspace {
    /// The next piece of work, out of the queue. One that needs a document which can't be read does
    /// not keep what comes after it waiting: a proposal stays where it is until the document can be
    /// read, and an act is refused, as its program is here and can do something about the disk.
    pub(super) fn next_work(&mut self, core: &mut Core) -> Option<Work> {
        let mut place = 0;
        loop {
            let work = self.hosting.as_ref()?.queue.get(place)?;
            let act = match work {
                Work::Act(id, _) => Some(*id),
                Work::Title(..) | Work::Proposal(_) | Work::Approved(..) => None,
            };
            let needed = self.needed(work);
            let documents = self.documents(core, &needed);
            let queue = &mut self.hosting.as_mut()?.queue;
            match documents {
                Documents::Here => return queue.remove(place),
                Documents::Coming => return None,
                Documents::Unreadable(why) => match act {
                    None => place += 1,
                    Some(id) => {
                        queue.remove(place);
                        core.reply(id, Err(Refused::Unreadable(why)));
                    }
                },
            }
        }
    }

    /// The requests whose answers a piece of work embeds or looks at.
    fn needed(&self, work: &Work) -> Vec<OpeningId> {
        let all = || self.chain.state().open_requests().iter().map(|one| one.opening()).collect();
        match work {
            Work::Title(..) | Work::Approved(..) => Vec::new(),
            Work::Proposal(id) => match self.proposals.get(id) {
                None | Some(Content::Join(_)) => Vec::new(),
                Some(Content::Proposal(proposal)) => match &proposal.value().kind {
                    ProposalKind::Complete(Complete { opening, .. }) => {
                        self.open_request(opening).map(|one| one.opening()).into_iter().collect()
                    }
                    // The end of a turn settles every request that is open.
                    ProposalKind::CancelTurn { .. } | ProposalKind::Truncate { .. } => all(),
                    ProposalKind::StartTurn(_)
                    | ProposalKind::ResumeTurn { .. }
                    | ProposalKind::Action { .. }
                    | ProposalKind::Unknown { .. } => Vec::new(),
                },
            },
            Work::Act(_, act) => match act {
                HostAct::Ask { request, .. } => {
                    let open = self.chain.state().open_requests();
                    let same = open.iter().filter(|one| one.id().0 == request.id);
                    same.map(|one| one.opening()).collect()
                }
                HostAct::CompleteTurn(_)
                | HostAct::CancelTurn(_)
                | HostAct::Expire(_)
                | HostAct::FailTurn { .. }
                | HostAct::Truncate(_) => all(),
                HostAct::StartTurn { .. }
                | HostAct::Say { .. }
                | HostAct::TakeUp(_)
                | HostAct::ResumeTurn(_)
                | HostAct::Publish { .. }
                | HostAct::Invite { .. }
                | HostAct::Approve { .. } => Vec::new(),
            },
        }
    }

    /// Asks for each that is not here, except those that the disk just failed to read.
    fn documents(&mut self, core: &mut Core, needed: &[OpeningId]) -> Documents {
        let mut coming = false;
        let mut unreadable = None;
        for opening in needed {
            let Ok(document) = self.request(opening).map(|request| request.document()) else {
                continue;
            };
            match core.reads.failing(&document) {
                Some(why) if self.warm(&document).is_none() => unreadable = Some(why.to_owned()),
                Some(_) | None => coming |= !self.warm_up(core, *opening),
            }
        }
        match unreadable {
            Some(why) => Documents::Unreadable(why),
            None if coming => Documents::Coming,
            None => Documents::Here,
        }
    }
}
