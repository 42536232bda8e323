//! What a record changed, for those who follow the log.

use rejoinder_identity::{OpeningId, PeerId, ProposalId, RecordId, Role, TurnId};

use crate::{
    refusal::Refusal,
    request::{How, Request, Status},
    state::State,
};

/// What [`Log::append`](crate::Log::append) did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The record.
    pub record: RecordId,
    /// Its place in the log.
    pub seq: u64,
    /// What it changed, in order.
    pub changes: Vec<LogChange>,
}

/// One thing that is so from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogChange {
    /// A newer epoch cut the log: what was beyond its head never was. Comes first.
    Voided(Voided),
    /// A host started.
    EpochStarted {
        /// Which epoch.
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
        /// What it may do.
        role: Role,
    },
    /// A turn started.
    TurnStarted {
        /// Which.
        turn: TurnId,
    },
    /// A turn that had failed goes on.
    TurnResumed {
        /// Which.
        turn: TurnId,
    },
    /// The active turn ended; when truncated, others may be gone with it.
    TurnEnded {
        /// Which, if one was active.
        turn: Option<TurnId>,
        /// How.
        how: How,
    },
    /// The chat or the session changed otherwise.
    Published,
    /// A request was opened, or has another text.
    RequestRaised {
        /// Which.
        opening: OpeningId,
        /// The revision that holds, from 1.
        revision: u32,
    },
    /// A request was decided.
    RequestDecided {
        /// Which.
        opening: OpeningId,
    },
    /// A request ended without a response.
    RequestEnded {
        /// Which.
        opening: OpeningId,
        /// How its turn ended.
        how: How,
    },
    /// A request waits for its turn to be resumed.
    RequestSuspended {
        /// Which.
        opening: OpeningId,
    },
    /// A suspended request is open again, with all that was written meanwhile.
    RequestReopened {
        /// Which.
        opening: OpeningId,
    },
    /// A proposal or a join was answered: whoever holds it may drop it.
    Answered {
        /// Which.
        proposal: ProposalId,
        /// With no, and why; or it was granted.
        refused: Option<Refusal>,
    },
    /// A record that this release can't read. It is kept and forwarded.
    Skipped {
        /// Its kind.
        kind: u16,
    },
}

/// What a newer epoch made void.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Voided {
    /// The first place whose record is void. The bytes of those from here on are to be deleted.
    pub from_seq: u64,
    /// How many records are void.
    pub records: u64,
    /// Requests that never were: their opening is void.
    pub openings: Vec<OpeningId>,
    /// Requests that stay, but are not decided or ended any more.
    pub reopened: Vec<OpeningId>,
    /// Requests that stay, with fewer revisions: their documents are to be built again.
    pub revised: Vec<OpeningId>,
    /// Proposals and joins that are not answered any more: they wait again.
    pub unanswered: Vec<ProposalId>,
}

impl Voided {
    /// What a cut at `from_seq` took away.
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
