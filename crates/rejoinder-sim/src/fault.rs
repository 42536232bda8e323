//! The kinds of faults, and how often each has happened.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

macro_rules! faults {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal,)+) => {
        /// A kind of fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Fault { $($(#[doc = $doc])+ $name,)+ }

        impl Fault {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its name in reports.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }
        }
    };
}

faults! {
    /// A packet was lost.
    Lost = "packet lost",
    /// A packet came twice.
    Duplicated = "packet twice",
    /// A packet came long after those sent behind it.
    Reordered = "packet late",
    /// A packet found the queue of a slow link full.
    Congested = "queue full",
    /// A packet met a cut.
    Cut = "packet cut",
    /// A pair lost one direction.
    OneWay = "one-way cut",
    /// A pair lost both directions.
    TwoWay = "two-way cut",
    /// The peers fell into groups.
    Groups = "partition",
    /// Only neighbours in a row reach each other.
    Line = "line",
    /// Only one peer reaches all others.
    Star = "star",
    /// Only neighbours in a circle reach each other.
    Ring = "ring",
    /// Two groups that one peer alone connects.
    Bridge = "bridge",
    /// Peers were cut off one by one, and came back in another order.
    Swizzle = "swizzle",
    /// A peer's process died.
    Crash = "crash",
    /// The host's process died.
    HostCrash = "host crash",
    /// A process died in the middle of a write.
    CrashInWrite = "crash in write",
    /// A write that was not synced was lost in a crash.
    LostWrite = "lost write",
    /// A write was cut short by a crash.
    TornWrite = "torn write",
    /// A sync failed.
    FailedSync = "failed sync",
    /// A disk was full for a while.
    DiskFull = "disk full",
    /// A disk took seconds for everything.
    SlowDisk = "slow disk",
    /// A read failed.
    FailedRead = "failed read",
    /// A disk stood still for half a minute, and went on.
    StalledDisk = "disk stalled",
    /// A bit on a disk flipped.
    BitFlip = "bit flip",
    /// A peer was closed in order, and opened again.
    Reopened = "reopened",
    /// A peer went offline and online again.
    Offline = "offline",
    /// A machine came into another network.
    Moved = "address changed",
    /// A packet was sent to an address that its machine had left.
    MovedAway = "packet to an old address",
    /// A clock was wrong by years from the start.
    WrongClock = "wrong clock",
    /// A clock jumped.
    ClockJump = "clock jump",
    /// A device joined in the middle of it.
    LateJoin = "late join",
    /// A member's disk was set back to an older state.
    Restored = "member restored",
    /// A member's home was copied, and both copies ran.
    Cloned = "member cloned",
    /// The host's disk was set back to an older state.
    HostRestored = "host restored",
    /// The host's home was copied, and both copies ran.
    HostCloned = "host cloned",
    /// Somebody completed a request a second time.
    SecondProposal = "second proposal",
    /// Somebody completed a request that was settled.
    LateProposal = "late proposal",
    /// A home hosts one workspace and is a member of another.
    SecondWorkspace = "second workspace",
    /// A ticket named a stranger beside the host.
    StrangersHint = "stranger's hint",
    /// A ticket named several members.
    SeveralHints = "several hints",
    /// A device asked again while it waited to be let in.
    AskedTwice = "asked to join twice",
    /// A device asked more often than there are places at the door.
    AskedOften = "asked to join often",
    /// A person let a device in, after a while.
    Approved = "let in by a person",
    /// A person did not let a device in.
    NotApproved = "not let in by a person",
    /// A host did not let a device in.
    JoinRefused = "join refused",
    /// A request had to be answered before it could be accepted.
    Required = "required question",
    /// A request came with answers.
    Seeded = "seeded request",
    /// A request asked for a page to be opened, and nothing else.
    UrlOnly = "request without questions",
    /// A question was asked again as one of another kind.
    OtherKind = "question of another kind",
    /// A text came to its limit, or above it where several typed.
    LongText = "text at its limit",
    /// A request had hundreds of changes.
    LongHistory = "long history",
    /// More requests were settled than stay in memory.
    ManySettled = "many settled requests",
    /// A settled request was looked at again.
    OldRead = "old request read",
}

impl Fault {
    /// Whether the default worlds have it. A restored or cloned *host* needs the host's recovery,
    /// which is not built.
    pub fn by_default(self) -> bool {
        !matches!(self, Self::HostRestored | Self::HostCloned)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How often each fault has happened in a world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fired(Arc<Mutex<BTreeMap<Fault, u64>>>);

impl Fired {
    pub(crate) fn count(&self, fault: Fault) {
        self.add(fault, 1);
    }

    pub(crate) fn add(&self, fault: Fault, times: u64) {
        if times > 0 {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(fault).or_default() +=
                times;
        }
    }

    pub(crate) fn counts(&self) -> BTreeMap<Fault, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
