//! What happens to the terminal and the process in front of it, told by signals.

use std::io;

/// Something else is so now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The process goes on after it was stopped: by Ctrl-Z, or by anybody's signal.
    Continued,
    /// The window may have another size.
    Resized,
}

/// The signals that tell of it.
#[derive(Debug)]
pub(super) struct Changes {
    #[cfg(unix)]
    continued: tokio::signal::unix::Signal,
    #[cfg(unix)]
    resized: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Changes {
    /// From here on no change is missed: the size is to be read afterwards.
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let continued = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
        Ok(Self { continued: signal(continued)?, resized: signal(SignalKind::window_change())? })
    }

    /// The next one. Cancel-safe.
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
    /// There is nothing to listen to: nothing stops a process here, and keys tell the size.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Never.
    pub(super) async fn next(&mut self) -> Change {
        std::future::pending().await
    }
}
