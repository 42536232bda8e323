//! Raw mode of the terminal while the form has it, and its restoration.

use std::{
    io::{self, Write},
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use crossterm::{
    cursor::Show,
    event::{DisableBracketedPaste, EnableBracketedPaste},
    execute, queue,
    style::ResetColor,
    terminal::{disable_raw_mode, enable_raw_mode},
};

use crate::log;

/// Keeps the terminal for the form until this is dropped, or the process panics.
#[derive(Debug)]
pub(super) struct Raw(());

/// True if the terminal is to be restored.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

impl Raw {
    pub(super) fn enter() -> io::Result<Self> {
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        take()?;
        Ok(Self(()))
    }

    /// Takes the terminal again, whatever a shell did to it while the process was stopped.
    pub(super) fn again(&self) -> io::Result<()> {
        give_back();
        take()
    }

    /// Restores the terminal and stops the whole process group, as the terminal's own key would.
    /// Returns when the shell continues it, or at once if there is no shell to do so.
    #[cfg(unix)]
    pub(super) fn stop(&self) -> io::Result<()> {
        use rustix::process::{Signal, kill_current_process_group};
        give_back();
        kill_current_process_group(Signal::TSTP)?;
        take()
    }

    /// Does not stop: there is no job control here.
    #[cfg(not(unix))]
    pub(super) fn stop(&self) -> io::Result<()> {
        self.again()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        give_back();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    log::hold();
    execute!(io::stderr(), EnableBracketedPaste)
}

fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stderr();
    // The terminal may be gone; then nobody is left to be told.
    let _gone = queue!(out, DisableBracketedPaste, Show);
    if log::colours_wanted() {
        let _gone = queue!(out, ResetColor);
    }
    let _gone = out.flush();
    let _gone = disable_raw_mode();
    log::release();
}
