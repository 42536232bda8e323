//! The built command as a process: its input, its output, its end.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// The longest time to wait for something before the test says that it never happens. Nothing waits
/// this long when all is well.
const PATIENCE: Duration = Duration::from_secs(90);

/// Returns the path of the command, as `cargo test --workspace` has built it.
pub(crate) fn command() -> PathBuf {
    let test = env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let command = folder.join(format!("rejoinder{}", env::consts::EXE_SUFFIX));
    assert!(command.exists(), "{} is not built: cargo test --workspace", command.display());
    command
}

/// A folder for the homes, tickets and forms of one test.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, home: &str, arguments: &[&str]) -> Ended {
        let mut process = self.start(home, arguments);
        drop(process.stdin.take());
        process.end()
    }

    /// Works like [`join`](Self::join), for a process that is told of a full disk and not ended by
    /// it.
    #[cfg(target_os = "linux")]
    pub(crate) fn join_with_a_limit(&self, home: &str, ticket: &str) -> Process {
        let mut shell = Command::new("sh");
        shell.current_dir(self.folder.path()).env("RUST_LOG", "off").env("NO_COLOR", "1");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(command());
        shell.args(["join", ticket, "--json", "--name", home, "--listen", "127.0.0.1:0"]);
        shell.arg("--home").arg(self.path(home));
        Process::start(format!("{home}: with a limit"), shell, Stdio::piped())
    }

    pub(crate) fn start(&self, home: &str, arguments: &[&str]) -> Process {
        self.start_logging(home, arguments, "off")
    }

    /// Starts the command with a log on stderr, as `RUST_LOG` says.
    pub(crate) fn start_logging(&self, home: &str, arguments: &[&str], log: &str) -> Process {
        self.spawn(Stdio::piped(), home, arguments, log)
    }

    /// Starts the command with a stdout that is not a pipe to this test.
    pub(crate) fn start_writing_to(
        &self,
        stdout: Stdio,
        home: &str,
        arguments: &[&str],
    ) -> Process {
        self.spawn(stdout, home, arguments, "off")
    }

    fn spawn(&self, stdout: Stdio, home: &str, arguments: &[&str], log: &str) -> Process {
        let mut command = Command::new(command());
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .arg("--home")
            .arg(self.path(home))
            .env("RUST_LOG", log)
            // The asker has no option for a name; this is its name.
            .env("USER", home)
            .env("NO_COLOR", "1");
        Process::start(format!("{home}: {}", arguments.join(" ")), command, stdout)
    }

    /// Starts an agent that asks, and waits until it can be joined.
    pub(crate) fn ask(&self, home: &str, more: &[&str]) -> (Process, String) {
        self.ask_writing_to(Stdio::piped(), home, more)
    }

    /// Works like [`ask`](Self::ask), with a stdout that is not a pipe to this test.
    pub(crate) fn ask_writing_to(
        &self,
        stdout: Stdio,
        home: &str,
        more: &[&str],
    ) -> (Process, String) {
        let file = self.path(&format!("{home}.ticket"));
        let _absent = fs::remove_file(&file);
        let ticket_file = file.to_str().unwrap().to_owned();
        let mut arguments =
            vec!["ask", "form.json", "--listen", "127.0.0.1:0", "--ticket-file", &ticket_file];
        arguments.extend(more);
        let mut process = self.start_writing_to(stdout, home, &arguments);
        let until = Instant::now() + PATIENCE;
        loop {
            if let Ok(ticket) = fs::read_to_string(&file) {
                return (process, ticket.trim().to_owned());
            }
            let over = process.try_end().or((Instant::now() > until).then_some("no ticket".into()));
            assert!(over.is_none(), "{over:?}: {}", process.err_so_far());
            // The file's appearance is the event; there is no other way to hear of it.
            thread::park_timeout(Duration::from_millis(20));
        }
    }

    pub(crate) fn join(&self, home: &str, ticket: &str, more: &[&str]) -> Process {
        let mut arguments =
            vec!["join", ticket, "--json", "--name", home, "--listen", "127.0.0.1:0"];
        arguments.extend(more);
        self.start(home, &arguments)
    }
}

/// A running process. It is killed when dropped.
pub(crate) struct Process {
    what: String,
    child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    out: Receiver<String>,
    err: Receiver<String>,
    out_seen: Vec<String>,
    err_seen: Vec<String>,
    lines: u64,
}

/// The end of a process.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) out: Vec<String>,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// Returns the one line of a result.
    pub(crate) fn result(&self) -> Value {
        let line = self.out.last().unwrap_or_else(|| panic!("no result: {self:?}"));
        serde_json::from_str(line).unwrap()
    }
}

impl Process {
    fn start(what: String, mut command: Command, stdout: Stdio) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let out = child.stdout.take().map_or_else(|| channel().1, lines);
        let err = lines(child.stderr.take().unwrap());
        let (out_seen, err_seen) = (Vec::new(), Vec::new());
        Self { what, child, stdin, out, err, out_seen, err_seen, lines: 0 }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a command and waits for its reply.
    pub(crate) fn say(&mut self, line: &str) -> Value {
        self.send(line);
        self.lines += 1;
        let number = self.lines;
        self.until(|event| event["event"] == "reply" && event["line"] == number)
    }

    /// Sends a command that must succeed.
    pub(crate) fn ok(&mut self, line: &str) -> Value {
        let reply = self.say(line);
        if reply["ok"] != true {
            panic!("{}: {line}: {reply}\n{}", self.what.clone(), self.err_so_far());
        }
        reply
    }

    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        writeln!(stdin, "{line}").unwrap();
        stdin.flush().unwrap();
    }

    /// Waits for the first matching event, among those that have come and those to come.
    pub(crate) fn until(&mut self, so: impl Fn(&Value) -> bool) -> Value {
        let mut at = 0;
        loop {
            while let Some(line) = self.out_seen.get(at) {
                at += 1;
                if let Ok(event) = serde_json::from_str::<Value>(line)
                    && so(&event)
                {
                    return event;
                }
            }
            self.next_line();
        }
    }

    /// Waits for a line on stderr.
    pub(crate) fn until_err(&mut self, part: &str) -> String {
        loop {
            if let Some(line) = self.err_seen.iter().find(|line| line.contains(part)) {
                return line.clone();
            }
            match self.err.recv_timeout(PATIENCE) {
                Ok(line) => self.err_seen.push(line),
                Err(error) => panic!("{}: no {part:?} ({error}): {:?}", self.what, self.err_seen),
            }
        }
    }

    pub(crate) fn events(&self, name: &str) -> Vec<Value> {
        let parsed = self.out_seen.iter().filter_map(|line| serde_json::from_str(line).ok());
        parsed.filter(|event: &Value| event["event"] == name).collect()
    }

    /// Works like [`events`](Self::events), and includes those that have come since the last look.
    pub(crate) fn so_far(&mut self, name: &str) -> Vec<Value> {
        self.out_seen.extend(self.out.try_iter());
        self.events(name)
    }

    fn next_line(&mut self) {
        match self.out.recv_timeout(PATIENCE) {
            Ok(line) => self.out_seen.push(line),
            Err(error) => {
                let why = match error {
                    RecvTimeoutError::Timeout => "nothing more comes",
                    RecvTimeoutError::Disconnected => "it has ended",
                };
                let err = self.err_so_far();
                panic!("{}: {why}: {:#?}\n{err}", self.what, self.out_seen);
            }
        }
    }

    pub(crate) fn err_so_far(&mut self) -> String {
        self.err_seen.extend(self.err.try_iter());
        self.err_seen.join("\n")
    }

    pub(crate) fn try_end(&mut self) -> Option<String> {
        self.child.try_wait().unwrap().map(|status| status.to_string())
    }

    /// Kills the process with SIGKILL, and waits for its end.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes stdin and waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        drop(self.stdin.take());
        self.wait()
    }

    /// Waits for its end, with stdin open.
    pub(crate) fn wait(mut self) -> Ended {
        let until = Instant::now() + PATIENCE;
        // Both streams end with the process.
        for (from, to) in [(&self.out, &mut self.out_seen), (&self.err, &mut self.err_seen)] {
            loop {
                match from.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    Ok(line) => to.push(line),
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        panic!("{} does not end: {to:#?}", self.what)
                    }
                }
            }
        }
        let status = self.child.wait().unwrap();
        let out = std::mem::take(&mut self.out_seen);
        Ended { status, out, err: self.err_seen.join("\n") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn lines(from: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (to, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            let Ok(line) = line else { return };
            if to.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
