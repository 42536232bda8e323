//! A survey of many worlds, on all cores, and its results.

use std::{
    collections::BTreeMap,
    fmt,
    process::Command,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rejoinder_sim::{Failure, Happening, World, swarm_in};

use crate::args::Args;

/// The number of worlds from which on each kind of fault must have happened.
const ENOUGH: u64 = 200;

/// The results.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    first: u64,
    worlds: u64,
    simulated: Duration,
    slowest_heal: (Duration, u64),
    packets: u64,
    peers: usize,
    faults: BTreeMap<Happening, u64>,
    done: BTreeMap<&'static str, u64>,
    failures: Vec<Failure>,
    took: Duration,
}

impl Survey {
    pub(crate) fn run(args: &Args) -> Self {
        let start = Instant::now();
        let survey = Mutex::new(Self { first: args.first, ..Self::default() });
        let next = AtomicU64::new(args.first);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    while args.limit.is_none_or(|limit| start.elapsed() < limit) {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= args.first + args.runs {
                            return;
                        }
                        one(seed, args, &survey);
                    }
                });
            }
        });
        let mut survey = survey.into_inner().unwrap_or_else(PoisonError::into_inner);
        survey.took = start.elapsed();
        survey
    }

    /// True if every promise held and every kind of fault occurred.
    pub(crate) fn holds(&self, args: &Args) -> bool {
        let missing = self.missing();
        for fault in &missing {
            eprintln!("no world had this fault: {fault}");
        }
        self.failures.is_empty() && (args.runs < ENOUGH || missing.is_empty())
    }

    fn missing(&self) -> Vec<Happening> {
        if self.worlds < ENOUGH {
            return Vec::new();
        }
        Happening::all().filter(|kind| !self.faults.contains_key(kind)).collect()
    }
}

fn one(seed: u64, args: &Args, survey: &Mutex<Survey>) {
    let world = World::new(seed);
    let lived = swarm_in(&world);
    if args.one {
        for line in world.trace() {
            println!("{line}");
        }
        println!("trace hash {:016x}", world.trace_hash());
    }
    let mut survey = survey.lock().unwrap_or_else(PoisonError::into_inner);
    survey.worlds += 1;
    match lived {
        Ok(report) => {
            survey.simulated += report.simulated;
            survey.packets += report.packets;
            survey.peers += report.peers;
            survey.slowest_heal = survey.slowest_heal.max((report.healed_in, seed));
            for (fault, times) in report.faults {
                *survey.faults.entry(fault).or_default() += times;
            }
            for (what, times) in report.done {
                *survey.done.entry(what).or_default() += times;
            }
        }
        Err(failure) => {
            println!("{}: {failure}", revision());
            survey.failures.push(failure);
        }
    }
}

/// Returns the revision of the code under test.
fn revision() -> String {
    let asked = Command::new("git").args(["describe", "--always", "--dirty"]).output();
    let said = asked.ok().filter(|output| output.status.success());
    let said = said.and_then(|output| String::from_utf8(output.stdout).ok());
    said.map_or_else(|| "revision unknown".to_owned(), |text| format!("revision {}", text.trim()))
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hours, took) = (self.simulated.as_secs_f64() / 3600.0, self.took.as_secs_f64());
        writeln!(
            f,
            "seeds {} to {}: {} failed",
            self.first,
            self.first + self.worlds.max(1) - 1,
            self.failures.len()
        )?;
        writeln!(
            f,
            "{hours:.2} simulated hours in {took:.0} s: {:.0} simulated seconds a second",
            self.simulated.as_secs_f64() / took.max(0.001)
        )?;
        writeln!(
            f,
            "{} peers, {} packets; the slowest heal took {:.0} s (seed {})",
            self.peers,
            self.packets,
            self.slowest_heal.0.as_secs_f64(),
            self.slowest_heal.1
        )?;
        writeln!(f, "\nfaults:")?;
        for (fault, times) in &self.faults {
            writeln!(f, "{times:>10}  {fault}")?;
        }
        writeln!(f, "\ndone:")?;
        for (what, times) in &self.done {
            writeln!(f, "{times:>10}  {what}")?;
        }
        for failure in &self.failures {
            writeln!(f, "\nFAILED seed {}: {}", failure.seed, failure.why)?;
        }
        Ok(())
    }
}
