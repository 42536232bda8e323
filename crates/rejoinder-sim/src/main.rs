//! `rejoinder-sim`: runs the worlds of many seeds, or one of them again.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command's output")]

mod args;
#[cfg(rejoinder_mutants)]
mod hunt;
mod survey;

use std::process::ExitCode;

use self::{args::Args, survey::Survey};

fn main() -> ExitCode {
    if std::env::args().skip(1).any(|word| word == "--help" || word == "-h") {
        println!("{}", args::USAGE);
        return ExitCode::SUCCESS;
    }
    let args = match Args::read(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(why) => {
            eprintln!("{why}\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    #[cfg(rejoinder_mutants)]
    if !args.hunt.is_empty() {
        return hunt::run(&args);
    }
    let survey = Survey::run(&args);
    println!("{survey}");
    if survey.holds(&args) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
