//! The command `rejoinder`.

use std::process::ExitCode;

fn main() -> ExitCode {
    rejoinder_cli::run(std::env::args_os())
}
