//! The faults that a world makes happen, one after another.

use std::fmt;

use super::named;

/// A fault that a world makes happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Peers don't reach each other for a while.
    Partition(Partition),
    /// A fault of one machine.
    Machine(MachineFault),
    /// A member's home was copied, and both copies ran.
    Cloned,
}

impl Fault {
    /// Returns all faults.
    pub fn all() -> impl Iterator<Item = Self> {
        let partitions = Partition::ALL.iter().copied().map(Self::Partition);
        let of_machines = MachineFault::ALL.iter().copied().map(Self::Machine);
        partitions.chain(of_machines).chain([Self::Cloned])
    }

    /// Returns the fault's name in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Partition(partition) => partition.word(),
            Self::Machine(fault) => fault.word(),
            Self::Cloned => "member cloned",
        }
    }
}

impl From<MachineFault> for Fault {
    fn from(fault: MachineFault) -> Self {
        Self::Machine(fault)
    }
}

/// Prints the innermost name alone: no two kinds share one, and traces show sets of them.
impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Partition(partition) => fmt::Debug::fmt(partition, f),
            Self::Machine(fault) => fmt::Debug::fmt(fault, f),
            Self::Cloned => f.write_str("Cloned"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

named! {
    /// A way in which peers don't reach each other.
    Partition {
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
        /// Two groups were connected by one peer alone.
        Bridge = "bridge",
        /// Peers were cut off one by one, and came back in another order.
        Swizzle = "swizzle",
    }
}

named! {
    /// A fault of one machine: its process, its disk, its clock or its address.
    MachineFault {
        /// A peer's process died.
        Crash = "crash",
        /// The host's process died.
        HostCrash = "host crash",
        /// A process died in the middle of a write.
        CrashInWrite = "crash in write",
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
        /// A machine moved to another network.
        Moved = "address changed",
        /// A clock jumped.
        ClockJump = "clock jump",
        /// A member's disk was set back to an older state.
        Restored = "member restored",
    }
}
