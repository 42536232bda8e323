//! That the process goes on after it was stopped: by Ctrl-Z, or by anybody's signal.

use std::io;

/// The signals that tell of it.
#[derive(Debug)]
pub(super) struct Continued {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Continued {
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let number = rustix::process::Signal::CONT.as_raw();
        Ok(Self { signal: signal(SignalKind::from_raw(number))? })
    }

    /// The next time. Cancel-safe.
    pub(super) async fn next(&mut self) {
        if self.signal.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
impl Continued {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Never: nothing stops a process here.
    pub(super) async fn next(&mut self) {
        std::future::pending::<()>().await;
    }
}
