//! A fixed set of swarms, and some that nobody has run before.

use rejoinder_sim::{World, swarm, swarm_in};

/// The seeds that are always run, in two halves for two cores.
const FIXED: [std::ops::Range<u64>; 2] = [1..15, 15..29];
/// The seeds that found something, in the engine or in its checks: late drafts reported as
/// another's, a third copy that dialled forever, a proposal that outlived its forgotten workspace,
/// an edit on its way to a slow disk while that was copied, a home that was opened while it closed,
/// a host that had moved since its ticket was made, a row about edits that were lost with their
/// record, one run that counted as two copies after a failed write, and envelopes behind a lost one
/// that were tried again at every change that came.
const FOUND: [u64; 9] = [15, 36, 207, 246, 298, 411, 904, 955, 958];
/// The number of random seeds.
const RANDOM: u64 = 8;

fn hold(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        println!("seed {seed}");
        swarm(seed).unwrap_or_else(|failure| panic!("{failure}"));
    }
}

#[test]
fn half_of_the_fixed_seeds_holds() {
    let [half, _] = FIXED;
    hold(half);
}

#[test]
fn the_other_half_holds() {
    let [_, half] = FIXED;
    hold(half);
}

#[test]
fn the_seeds_that_found_something_hold() {
    hold(FOUND.into_iter());
}

#[test]
fn random_seeds_hold() {
    let mut first = [0; 4];
    getrandom::fill(&mut first).unwrap();
    let first = u64::from(u32::from_le_bytes(first));
    hold(first..first + RANDOM);
}

#[test]
fn a_swarm_is_the_same_again() {
    let lived = |seed| {
        let world = World::new(seed);
        swarm_in(&world).unwrap_or_else(|failure| panic!("{failure}"));
        world
    };
    let (one, other) = (lived(3), lived(3));
    for (first, second) in one.trace().iter().zip(&other.trace()) {
        assert_eq!(first, second);
    }
    assert_eq!(one.trace_hash(), other.trace_hash(), "the packets differ");
}
