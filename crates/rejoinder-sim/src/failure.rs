//! A failed run: its seed, the reason, the end of its trace.

use std::fmt;

/// A failed run.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The seed of its world.
    pub seed: u64,
    /// The promise that was broken, or the panic.
    pub why: String,
    /// The last lines of the trace.
    pub trace: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {}", self.seed, self.why)?;
        writeln!(f, "  seconds  peer     link     request  what")?;
        for line in &self.trace {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
