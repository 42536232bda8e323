//! Known faults of this kind of engine, brought back on purpose, to see that the simulator finds
//! them. Only in a build with `--cfg rejoinder_mutants`; a normal build contains none of this.
//!
//! A fault is chosen for the thread, before anything runs on it: a simulated world has its own.

use std::cell::Cell;

thread_local! {
    static CHOSEN: Cell<&'static str> = const { Cell::new("") };
}

/// Every fault that can be brought back.
pub const ALL: &[&str] = &[
    "mutant-actor-kept-across-restarts",
    "mutant-acknowledged-before-the-disk",
    "mutant-not-forwarded",
    "mutant-mark-that-changes-nothing",
    "mutant-record-before-the-disk",
    "mutant-failed-write-forgotten",
    "mutant-second-completion-wins",
    "mutant-late-drafts-leak-in",
    "mutant-turn-end-settles-nothing",
    "mutant-proposal-answered-twice",
    "mutant-never-compares",
    "mutant-cut-link-not-retried",
    "mutant-failed-dial-not-retried",
    "mutant-proposals-forgotten-at-restart",
    "mutant-late-edits-dropped",
    "mutant-conflicts-hidden",
    "mutant-decided-by-the-wrong-author",
    "mutant-failing-disk-given-up",
    "mutant-version-not-stored",
    "mutant-proposal-not-carried",
    "mutant-revision-loses-its-structure",
    "mutant-seq-reused-after-a-failed-write",
    "mutant-state-outlives-its-link",
    "mutant-damage-not-corrected",
    "mutant-shown-from-an-old-look",
    "mutant-in-sync-and-not-told",
    "mutant-carried-and-not-told",
    "mutant-too-late-and-not-said",
    "mutant-outcome-told-to-nobody",
    "mutant-handed-over-when-decided",
    "mutant-older-joins-stay",
    "mutant-set-back-address-not-outdone",
    "mutant-join-ended-by-anybody",
    "mutant-acts-wait-for-a-failing-disk",
    "mutant-failed-read-not-answered",
    "mutant-all-checked-again-for-each-change",
];

/// Brings a fault back on this thread; the empty name is none.
pub fn choose(name: &'static str) {
    CHOSEN.set(name);
}

/// Whether this fault was brought back.
pub fn is(name: &str) -> bool {
    CHOSEN.get() == name
}
