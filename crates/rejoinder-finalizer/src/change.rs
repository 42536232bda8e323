//! The changes that a record makes, for those who follow the log.

use rejoinder_identity::{OpeningId, PeerId, ProposalId, RecordId, Role, TurnId};

use crate::{
    refusal::Refusal,
    request::{Request, Status, TurnEnd},
    state::State,
};

/// The effect of [`Log::append`](crate::Log::append).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The record.
    pub record: RecordId,
    /// Its place in the log.
    pub seq: u64,
    /// Its changes, in order.
    pub changes: Vec<LogChange>,
}

/// One change of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogChange {
    /// A newer epoch cut the log: everything beyond its head is undone. Comes first.
    Voided(Voided),
    /// A host started.
    EpochStarted {
        /// The epoch.
        epoch: u64,
        /// The device.
        host: PeerId,
    },
    /// A ticket may be used.
    InviteIssued {
        /// Its public key.
        invite: PeerId,
    },
    /// A device is a member, or a member has another name.
    MemberAdded {
        /// The device.
        device: PeerId,
        /// Its name.
        name: String,
        /// Its role.
        role: Role,
    },
    /// A turn started.
    TurnStarted {
        /// Its id.
        turn: TurnId,
    },
    /// A turn that had failed goes on.
    TurnResumed {
        /// Its id.
        turn: TurnId,
    },
    /// The active turn ended; when truncated, others may be gone with it.
    TurnEnded {
        /// The turn, if one was active.
        turn: Option<TurnId>,
        /// The way it ended.
        how: TurnEnd,
    },
    /// The chat or the session changed otherwise.
    Published,
    /// A request was opened, or has another text.
    RequestRaised {
        /// Its id.
        opening: OpeningId,
        /// The revision that holds, from 1.
        revision: u32,
    },
    /// A request was decided.
    RequestDecided {
        /// Its id.
        opening: OpeningId,
    },
    /// A request ended without a response.
    RequestEnded {
        /// Its id.
        opening: OpeningId,
        /// The way its turn ended.
        how: TurnEnd,
    },
    /// A request waits for its turn to be resumed.
    RequestSuspended {
        /// Its id.
        opening: OpeningId,
    },
    /// A suspended request is open again, with everything written meanwhile.
    RequestReopened {
        /// Its id.
        opening: OpeningId,
    },
    /// A proposal or a join was answered: peers may drop it.
    Answered {
        /// Its id.
        proposal: ProposalId,
        /// The refusal; `None` if it was granted.
        refused: Option<Refusal>,
    },
    /// A record that this release can't read. It is kept and forwarded.
    Skipped {
        /// Its kind.
        kind: u16,
    },
}

/// The things that a newer epoch made void.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Voided {
    /// The first place whose record is void. The bytes of all records from here on must be deleted.
    pub from_seq: u64,
    /// The number of void records.
    pub records: u64,
    /// Requests that are gone: their opening is void.
    pub openings: Vec<OpeningId>,
    /// Requests that stay, but are not decided or ended any more.
    pub reopened: Vec<OpeningId>,
    /// Requests that stay, with fewer revisions: their documents must be built again.
    pub revised: Vec<OpeningId>,
    /// Proposals and joins that are not answered any more: they wait again.
    pub unanswered: Vec<ProposalId>,
}

impl Voided {
    /// Compares the states before and after a cut at `from_seq`.
    pub(crate) fn between(from_seq: u64, records: u64, before: &State, after: &State) -> Self {
        let mut voided = Voided { from_seq, records, ..Voided::default() };
        for request in before.requests() {
            let opening = request.opening();
            match after.request(&opening) {
                None => voided.openings.push(opening),
                Some(kept) => {
                    if is_over(request) && !is_over(kept) {
                        voided.reopened.push(opening);
                    }
                    if kept.revision() < request.revision() {
                        voided.revised.push(opening);
                    }
                }
            }
        }
        let unanswered = before.answered.keys().filter(|id| !after.answered.contains_key(*id));
        voided.unanswered = unanswered.copied().collect();
        voided
    }
}

fn is_over(request: &Request) -> bool {
    match request.status() {
        Status::Open | Status::Suspended(_) => false,
        Status::Decided(_) | Status::Ended(_) => true,
    }
}
