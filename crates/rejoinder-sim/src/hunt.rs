//! The search for known faults: each is brought back alone, up to the first seed that shows it.

use std::{
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use rejoinder_sim::{Failure, World, swarm_in};

use crate::args::Args;

/// The real time for a world. A world that a fault keeps busy without end counts as found too.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of characters of a failure that are shown.
const SHOWN: usize = 100;

pub(crate) fn run(args: &Args) -> ExitCode {
    let next = AtomicUsize::new(0);
    let missed = Mutex::new(Vec::new());
    let cores = thread::available_parallelism().map_or(1, usize::from);
    println!("| fault | seed | what the simulator said |\n|---|---|---|");
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(name) = args.hunt.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match find(name, args) {
                        Some(failure) => println!("{}", row(name, &failure)),
                        None => {
                            missed.lock().unwrap_or_else(PoisonError::into_inner).push(*name);
                        }
                    }
                }
            });
        }
    });
    let missed = missed.into_inner().unwrap_or_else(PoisonError::into_inner);
    for name in &missed {
        println!("| {name} | not found in {} seeds | |", args.runs);
    }
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn find(name: &'static str, args: &Args) -> Option<Failure> {
    let seeds = args.first..args.first + args.runs;
    let lived = |seed| swarm_in(&World::new(seed).patience(PATIENCE).with_mutant(name)).err();
    seeds.into_iter().find_map(lived)
}

fn row(name: &str, failure: &Failure) -> String {
    let why: String =
        failure.why.chars().take(SHOWN).map(|c| if c == '|' { '/' } else { c }).collect();
    format!("| {name} | {} | {why} |", failure.seed)
}
