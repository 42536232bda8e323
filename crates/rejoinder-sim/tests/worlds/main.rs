//! Stories and swarms in simulated worlds.

#![expect(clippy::print_stdout, reason = "a failing run is found again by its seed")]
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod copies;
mod disks;
mod hosts;
#[cfg(not(rejoinder_mutants))]
mod normal;
mod rot;
mod same_seed;
mod sleep;
mod swarm;
mod topologies;
