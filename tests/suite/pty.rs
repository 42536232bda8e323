//! A pseudo-terminal with a shell in it, and the person in front of it.

use std::{
    fs,
    io::{Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::process::{Place, command};

const PATIENCE: Duration = Duration::from_secs(90);

/// The time that a steady typist takes for a key.
const KEY: Duration = Duration::from_millis(90);

pub(crate) struct Terminal {
    screen: vt100::Parser,
    bytes: Receiver<Vec<u8>>,
    /// Everything that was written to the terminal.
    written: Vec<u8>,
    keys: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    /// True while its window is being closed.
    closing: Arc<AtomicBool>,
    child: Box<dyn Child + Send + Sync>,
}

impl Terminal {
    /// Runs `line` in a shell in a terminal of 24 lines.
    pub(crate) fn run(place: &Place, line: &str) -> Self {
        Self::run_sized(place, line, 24, 80)
    }

    pub(crate) fn run_sized(place: &Place, line: &str, rows: u16, columns: u16) -> Self {
        let pair = native_pty_system().openpty(size(rows, columns)).unwrap();
        let mut shell = CommandBuilder::new("sh");
        shell.args(["-c", line]);
        shell.cwd(place.path(""));
        shell.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(shell).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let closing = Arc::new(AtomicBool::new(false));
        let closes = closing.clone();
        let (to, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if closes.load(Ordering::SeqCst) || to.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = vt100::Parser::new(rows, columns, 0);
        let written = Vec::new();
        Self { screen, bytes, written, keys, master: pair.master, closing, child }
    }

    pub(crate) fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.written.extend(bytes);
    }

    pub(crate) fn written(&self) -> &[u8] {
        &self.written
    }

    /// Reads until the screen matches.
    pub(crate) fn until(&mut self, what: &str, so: impl Fn(&str) -> bool) {
        self.until_screen(what, |screen| so(&screen.contents()));
    }

    /// Works like [`until`](Self::until), and waits until all of it is drawn: the cursor comes
    /// last.
    pub(crate) fn until_drawn(&mut self, what: &str, so: impl Fn(&str) -> bool) {
        self.until_screen(what, |screen| !screen.hide_cursor() && so(&screen.contents()));
    }

    fn until_screen(&mut self, what: &str, so: impl Fn(&vt100::Screen) -> bool) {
        while !so(self.screen()) {
            match self.bytes.recv_timeout(PATIENCE) {
                Ok(bytes) => self.take(&bytes),
                Err(error) => panic!("no {what} ({error}):\n{}", self.contents()),
            }
        }
    }

    pub(crate) fn until_shows(&mut self, part: &str) {
        self.until(part, |screen| screen.contains(part));
    }

    /// Reads what has been written.
    pub(crate) fn look(&mut self) {
        while let Ok(bytes) = self.bytes.try_recv() {
            self.take(&bytes);
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Presses one key after another, as a steady typist does.
    pub(crate) fn type_steadily(&mut self, keys: &str) {
        for key in keys.chars() {
            self.press(key.encode_utf8(&mut [0; 4]));
            thread::park_timeout(KEY);
            self.look();
        }
    }

    /// Gives the window a new size.
    pub(crate) fn resize(&mut self, rows: u16, columns: u16) {
        self.look();
        self.screen.screen_mut().set_size(rows, columns);
        self.master.resize(size(rows, columns)).unwrap();
    }

    /// Closes the window: the terminal is gone for all processes in it. Waits for the shell's end.
    pub(crate) fn close(self) -> u32 {
        let Self { bytes, mut keys, master, closing, mut child, .. } = self;
        closing.store(true, Ordering::SeqCst);
        // The reader lets go of the terminal when the next thing is drawn.
        keys.write_all(b".").unwrap();
        while bytes.recv_timeout(PATIENCE).is_ok() {}
        drop((keys, master));
        child.wait().unwrap().exit_code()
    }

    /// Reads to the end, and returns the exit code.
    pub(crate) fn end(&mut self) -> u32 {
        while let Ok(bytes) = self.bytes.recv_timeout(PATIENCE) {
            self.take(&bytes);
        }
        self.child.wait().unwrap().exit_code()
    }
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// Returns the command with which Ana joins, which leaves its process id in the file `pid`.
pub(crate) fn join_line(ticket: &str, after: &str) -> String {
    let command = command();
    let command = command.display();
    format!(
        "stty -a > before; sh -c 'echo $$ > pid; exec \"$0\" \"$@\"' '{command}' \
         join {ticket} --home ana --name Ana --listen 127.0.0.1:0; \
         code=$?; stty -a > after; {after} exit $code"
    )
}

/// Sends a signal to the command that [`join_line`] runs.
pub(crate) fn signal(place: &Place, signal: &str) {
    let pid = fs::read_to_string(place.path("pid")).unwrap();
    let killed = std::process::Command::new("kill").args([signal, pid.trim()]).status().unwrap();
    assert!(killed.success());
}

pub(crate) fn same_before_and_after(place: &Place, terminal: &Terminal) {
    let read = |name| fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(read("before"), read("after"), "the terminal is as it was");
    assert!(!terminal.screen().hide_cursor(), "the cursor is there again");
    assert!(!terminal.screen().alternate_screen());
}
