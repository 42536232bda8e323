//! Keys, pastes and sizes, read by a thread: a read from a terminal can't be cancelled.

use crossterm::event::{self, Event};
use tokio::sync::mpsc;

use crate::{limits, prompt::Input};

/// Returns the terminal's input, until the terminal is gone.
pub(super) fn inputs() -> mpsc::Receiver<Input> {
    let (sender, inputs) = mpsc::channel(limits::LINES_AHEAD);
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            let input = match event {
                Event::Key(key) => Input::Key(key),
                Event::Paste(text) => Input::Paste(text),
                // Where there is a signal for this, it is caught from the start, before this thread
                // has begun.
                Event::Resize(..) if cfg!(unix) => continue,
                Event::Resize(columns, rows) => Input::Size { columns, rows },
                Event::FocusGained | Event::FocusLost | Event::Mouse(_) => continue,
            };
            if sender.blocking_send(input).is_err() {
                break;
            }
        }
    });
    inputs
}
