//! `join` on a terminal: through a pseudo-terminal, read as a person would see it.

use std::{
    fs,
    io::{Read, Write},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

use crate::{
    main_job::FORM,
    process::{Place, command},
};

const PATIENCE: Duration = Duration::from_secs(90);

struct Terminal {
    screen: vt100::Parser,
    bytes: Receiver<Vec<u8>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
}

impl Terminal {
    /// Runs `line` in a shell in a terminal of 24 lines.
    fn run(place: &Place, line: &str) -> Self {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut shell = CommandBuilder::new("sh");
        shell.args(["-c", line]);
        shell.cwd(place.path(""));
        shell.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(shell).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (to, bytes) = channel();
        thread::spawn(move || {
            // The terminal stays open as long as it is read.
            let _master = pair.master;
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if to.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { screen: vt100::Parser::new(24, 80, 0), bytes, keys, child }
    }

    fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until the screen is so.
    fn until(&mut self, what: &str, so: impl Fn(&str) -> bool) {
        while !so(&self.contents()) {
            match self.bytes.recv_timeout(PATIENCE) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(error) => panic!("no {what} ({error}):\n{}", self.contents()),
            }
        }
    }

    fn until_shows(&mut self, part: &str) {
        self.until(part, |screen| screen.contains(part));
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Reads to the end and returns the exit code.
    fn end(&mut self) -> u32 {
        while let Ok(bytes) = self.bytes.recv_timeout(PATIENCE) {
            self.screen.process(&bytes);
        }
        self.child.wait().unwrap().exit_code()
    }
}

fn join_line(ticket: &str, after: &str) -> String {
    let command = command();
    let command = command.display();
    format!(
        "stty -a > before; '{command}' join {ticket} --home ana --name Ana --listen 127.0.0.1:0; \
         code=$?; stty -a > after; {after} exit $code"
    )
}

fn same_before_and_after(place: &Place, terminal: &Terminal) {
    let read = |name| fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(read("before"), read("after"), "the terminal is as it was");
    assert!(!terminal.screen.screen().hide_cursor(), "the cursor is there again");
    assert!(!terminal.screen.screen().alternate_screen());
}

#[test]
fn a_form_others_drafts_and_ctrl_c() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (_ask, ticket) = place.ask("host", &[]);
    let mut terminal = Terminal::run(&place, &join_line(&ticket, ""));
    terminal.until_shows("Where to?");
    terminal.until_shows("Production");

    let mut ben = place.join("ben", &ticket, &[]);
    ben.ok("draft notes typed by another");
    terminal.press("\t\t");
    terminal.until_shows("Notes?");
    terminal.until_shows("typed by another");
    terminal.until_shows("ben");

    terminal.press("\x03");
    assert_eq!(terminal.end(), 130, "{}", terminal.contents());
    same_before_and_after(&place, &terminal);
}

#[test]
fn what_is_typed_reaches_others_and_the_answer_is_submitted_by_the_decision() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ben = place.join("ben", &ticket, &[]);
    ben.ok("wait open");
    let mut terminal =
        Terminal::run(&place, &join_line(&ticket, "").replace("--name", "--once --name"));
    terminal.until_shows("Where to?");
    // The first choice, given; then, past the checks, a text that is only typed.
    terminal.press("1\r");
    ben.until(|event| event["question"] == "env" && event["state"] == "submitted");
    terminal.press("\thello");
    ben.until(|event| event["question"] == "notes" && event.to_string().contains("hello"));
    terminal.press("\r");
    ben.until(|event| event["question"] == "notes" && event["state"] == "submitted");
    assert!(!terminal.contents().to_lowercase().contains("submitted"), "{}", terminal.contents());
    terminal.press("\x1ba");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    assert_eq!(ended.result()["answers"]["notes"]["value"]["value"], "hello");
    assert_eq!(terminal.end(), 0, "{}", terminal.contents());
    same_before_and_after(&place, &terminal);
}

#[test]
fn the_end_of_the_terminal_and_a_request_to_terminate_restore_it() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (_ask, ticket) = place.ask("host", &[]);
    let line = join_line(&ticket, "");
    // The shell tells its child's number, so that it can be signalled.
    let line =
        line.replace("--listen 127.0.0.1:0;", "--listen 127.0.0.1:0 & echo $! > pid; wait $!;");
    // A shell without job control gives a child in the background no keyboard: keep it.
    let line = line.replace("127.0.0.1:0 &", "127.0.0.1:0 < /dev/tty &");
    let mut terminal = Terminal::run(&place, &line);
    terminal.until_shows("Where to?");
    let pid = fs::read_to_string(place.path("pid")).unwrap();
    let killed = std::process::Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(terminal.end(), 143, "{}", terminal.contents());
    same_before_and_after(&place, &terminal);
}
