//! Times, and how they are shown beside each other.

use std::time::Duration;

/// The times of one thing.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    fn at(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let place = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
        sorted.get(place).copied().unwrap_or_default()
    }

    pub(crate) fn p50(&self) -> Duration {
        self.at(0.50)
    }

    pub(crate) fn p99(&self) -> Duration {
        self.at(0.99)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A line of a table.
pub(crate) struct Line<'a> {
    pub(crate) what: &'a str,
    pub(crate) times: &'a Samples,
    /// What it is compared with, and what the goal is for p50 and p99.
    pub(crate) beside: Option<(&'a Samples, &'a str)>,
}

#[expect(clippy::print_stdout, reason = "it is what a benchmark is for")]
pub(crate) fn show(title: &str, lines: &[Line<'_>]) {
    println!("\n{title}");
    println!("{:<52} {:>6} {:>10} {:>10} {:>7} {:>7}  goal", "", "n", "p50", "p99", "p50", "p99");
    for Line { what, times, beside } in lines {
        let (p50, p99) = (times.p50(), times.p99());
        let (ratio50, ratio99, goal) = match beside {
            Some((other, goal)) => (ratio(p50, other.p50()), ratio(p99, other.p99()), *goal),
            None => (String::new(), String::new(), ""),
        };
        let n = times.len();
        println!(
            "{what:<52} {n:>6} {:>10} {:>10} {ratio50:>7} {ratio99:>7}  {goal}",
            micros(p50),
            micros(p99)
        );
    }
}

#[expect(clippy::print_stdout, reason = "it is what a benchmark is for")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

pub(crate) fn ratio(this: Duration, other: Duration) -> String {
    format!("{:.2}x", this.as_secs_f64() / other.as_secs_f64().max(f64::MIN_POSITIVE))
}

fn micros(time: Duration) -> String {
    format!("{:.0} us", time.as_secs_f64() * 1e6)
}
