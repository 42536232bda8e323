//! Changes to the terminal and to the process in it, reported by signals.

use std::io;

/// A change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The process continues after a stop, by Ctrl-Z or by a signal from anybody.
    Continued,
    /// The window may have a new size.
    Resized,
}

/// The signals that report changes.
#[derive(Debug)]
pub(super) struct Changes {
    #[cfg(unix)]
    continued: tokio::signal::unix::Signal,
    #[cfg(unix)]
    resized: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Changes {
    /// Starts listening. Read the size afterwards: from here on, no change of it is missed.
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let continued = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
        Ok(Self { continued: signal(continued)?, resized: signal(SignalKind::window_change())? })
    }

    /// Waits for the next change. Cancel-safe.
    pub(super) async fn next(&mut self) -> Change {
        tokio::select! {
            biased;
            Some(()) = self.continued.recv() => Change::Continued,
            Some(()) = self.resized.recv() => Change::Resized,
            else => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
impl Changes {
    /// Does nothing: no signal stops a process here, and the keyboard reports the size.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Never returns.
    pub(super) async fn next(&mut self) -> Change {
        std::future::pending().await
    }
}
