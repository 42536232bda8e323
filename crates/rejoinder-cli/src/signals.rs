//! The signals that end the command: Ctrl-C, a request to terminate, the end of the terminal.

#[cfg(unix)]
use std::io;

use rejoinder::Home;

use crate::{failure::Failure, outcome::Exit};

/// The signals that end the command.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Catches the signals from here on for [`next`](Self::next): they no longer end the process.
    pub(crate) fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(deaf)?,
            terminate: signal(SignalKind::terminate()).map_err(deaf)?,
            hang_up: signal(SignalKind::hangup()).map_err(deaf)?,
        })
    }

    /// Waits for the next signal, and returns the exit code for it. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Exit {
        tokio::select! {
            biased;
            Some(()) = self.interrupt.recv() => Exit::Interrupted,
            Some(()) = self.terminate.recv() => Exit::Terminated,
            Some(()) = self.hang_up.recv() => Exit::HungUp,
            else => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Catches Ctrl-C from here on for [`next`](Self::next): it no longer ends the process.
    pub fn listen() -> Result<Self, Failure> {
        Ok(Self {})
    }

    /// Waits for the next Ctrl-C. Cancel-safe.
    pub async fn next(&mut self) -> Exit {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Signals {
    /// Closes a home, which hands over what others lack. A second signal ends that.
    pub(crate) async fn close(&mut self, home: Home) {
        tokio::select! {
            biased;
            () = home.close() => {}
            exit = self.next() => tracing::info!(?exit, "the home is closed without goodbyes"),
        }
    }
}

#[cfg(unix)]
fn deaf(error: io::Error) -> Failure {
    Failure::new("signals", format!("cannot listen to signals: {error}"))
}
