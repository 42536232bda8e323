//! The mishaps that are only seen: nothing makes one happen at a chosen moment.

use super::named;

named! {
    /// A mishap of the network, of a disk or of a clock, as the world's profile has them.
    Mishap {
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
        /// A packet was sent to an address that its machine had left.
        MovedAway = "packet to an old address",
        /// A write that was not synced was lost in a crash.
        LostWrite = "lost write",
        /// A write was cut short by a crash.
        TornWrite = "torn write",
        /// A clock was wrong by years from the start.
        WrongClock = "wrong clock",
    }
}
