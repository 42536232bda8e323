//! What an edit costs on its way to another's screen, and what two homes that were apart cost to
//! come together, each beside the least that has to be done. `docs/benchmarks.md` says how to run
//! it and how to read it. Nothing is asserted about times: machines differ, ratios less so.

mod catch_up;
mod counting;
mod edit;
mod engine;
mod homes;
mod least;
mod pipe;
mod samples;
mod stages;
mod work;

/// What went wrong is shown and ends the run.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Outcome<()> {
    // Cargo passes `--bench`; what is no flag names what to measure.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|one| name.contains(one));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    if wants("stages") {
        stages::measure()?;
    }
    if wants("edit") {
        runtime.block_on(edit::measure())?;
    }
    if wants("catch-up") {
        runtime.block_on(catch_up::measure())?;
    }
    Ok(())
}
