//! The engine's log on stderr: `-v`, `-vv`, `RUST_LOG`. While the form is on the terminal, lines
//! wait for the form, which prints them above itself.

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

use crate::{limits, plain};

/// The lines that wait for the form; `None` while there is no form.
static FORM: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Starts logging.
pub(crate) fn start(verbose: u8) {
    let by_flags = match verbose {
        0 => "error,rejoinder=warn",
        1 => "warn,rejoinder=info",
        2 => "info,rejoinder=debug",
        _ => "debug,rejoinder=trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(by_flags));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Its colours could not be told from those that others write into a message.
        .with_ansi(false)
        .with_writer(ToStderr)
        .finish();
    tracing::subscriber::set_global_default(subscriber)
        .expect("the process starts to log once, here");
}

/// True unless `NO_COLOR` turns colours off.
pub(crate) fn colours_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Holds back lines for [`take`] from here on.
pub(crate) fn hold() {
    *form() = Some(Vec::new());
}

/// Takes the lines that wait for the form.
pub(crate) fn take() -> Vec<String> {
    form().as_mut().map(std::mem::take).unwrap_or_default()
}

/// Sends lines to stderr again, first those that wait.
pub(crate) fn release() {
    for line in form().take().unwrap_or_default() {
        let _nobody_reads = writeln!(io::stderr(), "{line}");
    }
}

fn form() -> std::sync::MutexGuard<'static, Option<Vec<String>>> {
    FORM.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Clone, Copy)]
struct ToStderr;

impl Write for ToStderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = plain::leaving(&String::from_utf8_lossy(line));
        match &mut *form() {
            Some(lines) => {
                if lines.len() < limits::NOTICES {
                    lines.push(text.trim_end().to_owned());
                }
            }
            None => io::stderr().write_all(text.as_bytes())?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for ToStderr {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}
