//! The command line.

mod time;

use std::{ffi::OsString, net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, error::ErrorKind};

pub(crate) use time::Until;

use crate::{limits, outcome::Exit};

/// Ask people a structured question from a script or an agent; several answer it together, on
/// several machines, online or not; their answers merge, and it is decided once.
#[derive(Debug, Clone, PartialEq, Parser)]
#[command(name = "rejoinder", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
    /// The options that every command takes.
    #[command(flatten)]
    pub common: Common,
}

const EXAMPLES: &str = "\
Examples:
  rejoinder demo                          watch the whole thing happen, on this machine alone
  rejoinder ask form.json                 ask; prints a ticket for the others, waits for the answers
  rejoinder join @ticket                  answer, on another machine
  rejoinder show                          what this home holds

Exit codes: 0 done or accepted, 3 declined, 4 cancelled, 5 ended without a response, 1 failed,
2 a command line, form or ticket that can't be read; 130, 143, 129 ended by a signal.";

/// The options that every command takes.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Common {
    /// The directory with this device's key and workspaces [default: the platform's data directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Print every line on stdout as a JSON object with a key `event`
    #[arg(long, global = true)]
    pub json: bool,
    /// Say more on stderr; twice for even more. RUST_LOG, if set, takes precedence
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// A command and its arguments.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub(crate) enum Command {
    /// Watch the main job happen on this machine: an agent asks, two people answer, cut off from
    /// each other; then the links heal and one of them accepts
    Demo,
    /// Ask the question in a form file, wait, and print how it ended
    Ask(Ask),
    /// Answer what is asked in a workspace
    Join(Join),
    /// Print what this home holds: workspaces, members, requests, answers, conflicts
    Show,
    /// Withdraw a request of this home: its turn is cancelled, and everybody sees that
    Withdraw(Withdraw),
    /// Print this device's peer id
    Id,
}

/// The arguments of `ask`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = ASK_EXAMPLES)]
pub(crate) struct Ask {
    /// An AHP ChatInputRequest or the parameters of an MCP elicitation, as JSON; - is stdin
    #[arg(value_name = "FORM.json")]
    pub form: PathBuf,
    /// The request's id. Asking again with an id that is open takes that request up
    /// [default: the form's own id; for MCP parameters one made from the file's content]
    #[arg(long)]
    pub id: Option<String>,
    /// The workspace to ask in, by its name or the start of its id; a new name makes a new
    /// workspace [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub workspace: Option<String>,
    /// Write the ticket to this file (mode 0600, once the socket listens) and not to stderr
    #[arg(long, value_name = "FILE")]
    pub ticket_file: Option<PathBuf>,
    /// Start afresh where this home has lost its key or its store; without this, that is an error
    #[arg(long)]
    pub new: bool,
    /// Ask on the terminal before a device that comes with the ticket becomes a member
    #[arg(long)]
    pub approve: bool,
    /// The number of devices the ticket may let in
    #[arg(long, value_name = "N", default_value_t = limits::ASK_SEATS,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub seats: u16,
    /// Let the ticket expire after this time: 90s, 15m, 24h, 7d
    #[arg(long = "for", value_name = "TIME", default_value = "24h", value_parser = time::duration)]
    pub good_for: Duration,
    /// End without an answer at this time, visibly to all: 2026-12-31T18:00:00Z, or a span like 30m
    #[arg(long, value_name = "TIME", value_parser = time::until)]
    pub until: Option<Until>,
    /// The options for links.
    #[command(flatten)]
    pub network: Network,
}

const ASK_EXAMPLES: &str = "\
Prints one line of JSON on stdout when the request has ended:
  {\"request\":\"r1\",\"response\":\"accept\",\"answers\":{…},\"decidedBy\":\"<peer>\"}
Interrupted (Ctrl-C), the request stays open: the same command takes it up again, and
`rejoinder withdraw` ends it.

Examples:
  rejoinder ask form.json --ticket-file ticket
  rejoinder ask form.json --until 2h --seats 2
  echo '{\"id\":\"r1\",\"message\":\"Deploy now?\"}' | rejoinder ask -";

/// The arguments of `join`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = JOIN_EXAMPLES)]
pub(crate) struct Join {
    /// The ticket that `ask` printed; a device that is already a member needs none. @FILE reads it
    /// from a file, - from the first line of stdin: arguments can be listed by everybody on this
    /// machine
    #[arg(value_name = "TICKET")]
    pub ticket: Option<String>,
    /// A name for you; others see it beside your device [default: your login name]
    #[arg(long)]
    pub name: Option<String>,
    /// The workspace, by its name or the start of its id, if this home has several and there is no
    /// ticket
    #[arg(long, value_name = "NAME", conflicts_with = "ticket")]
    pub workspace: Option<String>,
    /// Start afresh where this home has lost its key or its store; without this, that is an error
    #[arg(long)]
    pub new: bool,
    /// End after the first decision
    #[arg(long)]
    pub once: bool,
    /// Exit with 1 if anything was refused
    #[arg(long)]
    pub strict: bool,
    /// The options for links.
    #[command(flatten)]
    pub network: Network,
}

const JOIN_EXAMPLES: &str = "\
On a terminal the form is shown question by question. Otherwise stdin has one command a line:
  draft Q VALUE     submit Q [VALUE]     skip Q     clear Q     take Q PEER
  accept     decline     cancel     show     use ID     quit     offline     online
  wait open|synced|decided [SECONDS]
Q is a question's id: a word, or a JSON string. Each line is answered by one line, `ok …` or
`refused …`.

Examples:
  rejoinder join @ticket --name Ana
  printf 'submit env prod\\naccept\\nwait decided\\n' | rejoinder join @ticket";

/// The arguments of `withdraw`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Withdraw {
    /// The request to withdraw, if several are open
    pub id: Option<String>,
    /// End the other open requests of its turn too, without asking
    #[arg(long)]
    pub all: bool,
}

/// The address to listen on, and the peers to link with.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Network {
    /// The address to listen on; port 0 is any [default: all addresses, at the port this home had
    /// before]. With 127.0.0.1:0 only this machine can reach it
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// Link with this peer alone; may be repeated
    #[arg(long, value_name = "PEER")]
    pub only: Vec<String>,
}

/// The reason why no command runs: the text to print, and the code to exit with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The text to print.
    pub text: String,
    /// [`Exit::Done`] for `--help` and `--version`, whose text is for stdout.
    pub exit: Exit,
}

impl Stop {
    /// Prints the text to stdout or stderr, and returns the exit code.
    pub(crate) fn print(self) -> Exit {
        use std::io::Write;
        if self.exit != Exit::Done {
            let _nobody_reads = write!(std::io::stderr(), "{}", self.text);
            return self.exit;
        }
        let mut out = std::io::stdout().lock();
        match write!(out, "{}", self.text).and_then(|()| out.flush()) {
            Ok(()) => self.exit,
            Err(why) => {
                let _nobody_reads =
                    writeln!(std::io::stderr(), "rejoinder: cannot write to stdout: {why}");
                Exit::Failed
            }
        }
    }
}

impl Arguments {
    /// Reads a command line, the program's name first.
    pub(crate) fn read(line: impl IntoIterator<Item = OsString>) -> Result<Self, Stop> {
        Self::try_parse_from(line).map_err(|error| {
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let exit = if asked { Exit::Done } else { Exit::Unreadable };
            Stop { text: error.render().to_string(), exit }
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn read(line: &str) -> Result<Arguments, Stop> {
        let words = std::iter::once("rejoinder").chain(line.split_whitespace());
        Arguments::read(words.map(OsString::from))
    }

    fn check_stop(line: &str, exit: Exit, expected: &str) {
        let stop = read(line).unwrap_err();
        assert_eq!(stop.exit, exit, "{line}\n{}", stop.text);
        assert!(stop.text.contains(expected), "{line}\n{}", stop.text);
    }

    #[test]
    fn the_definitions_are_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn ask() {
        let Command::Ask(ask) = read("ask form.json --home /h --json").unwrap().command else {
            panic!("ask")
        };
        assert_eq!((ask.seats, ask.good_for), (8, Duration::from_secs(86_400)));
        let line = "--home /h ask - --id x --workspace w --ticket-file t --approve --seats 2 \
                    --for 15m --until 30m --listen 127.0.0.1:0 --only a --only b -vv";
        let arguments = read(line).unwrap();
        assert_eq!(arguments.common.home, Some("/h".into()));
        assert_eq!(arguments.common.verbose, 2);
        let Command::Ask(ask) = arguments.command else { panic!("ask") };
        assert_eq!((ask.form, ask.seats), ("-".into(), 2));
        assert_eq!(ask.until, Some(Until::In(Duration::from_secs(1800))));
        assert_eq!(ask.network.only, ["a", "b"]);
    }

    #[test]
    fn join() {
        let Command::Join(join) = read("join").unwrap().command else { panic!("join") };
        assert_eq!((join.ticket, join.once, join.strict), (None, false, false));
        let line = "join rejoin1x --name Ana --once --strict --only p";
        let Command::Join(join) = read(line).unwrap().command else { panic!("join") };
        assert_eq!(join.ticket.as_deref(), Some("rejoin1x"));
        assert_eq!((join.name.as_deref(), join.once, join.strict), (Some("Ana"), true, true));
    }

    #[test]
    fn the_others() {
        assert_eq!(read("demo").unwrap().command, Command::Demo);
        assert_eq!(read("show --json").unwrap().command, Command::Show);
        assert_eq!(read("id").unwrap().command, Command::Id);
        let withdraw = Command::Withdraw(Withdraw { id: Some("r1".to_owned()), all: false });
        assert_eq!(read("withdraw r1").unwrap().command, withdraw);
    }

    #[test]
    fn what_cannot_be_read() {
        check_stop("", Exit::Unreadable, "Usage");
        check_stop("aks", Exit::Unreadable, "'aks'");
        check_stop("ask", Exit::Unreadable, "FORM.json");
        check_stop("ask f --seats 0", Exit::Unreadable, "0");
        check_stop("ask f --for never", Exit::Unreadable, "a number and s, m, h or d");
        check_stop("ask f --until tomorrow", Exit::Unreadable, "2026-12-31T18:00:00Z");
        check_stop("ask f --listen here", Exit::Unreadable, "here");
        check_stop("show --nothing", Exit::Unreadable, "--nothing");
    }

    #[test]
    fn help_is_for_newcomers() {
        check_stop("--help", Exit::Done, "Ask people a structured question");
        check_stop("--version", Exit::Done, "rejoinder 0.");
        check_stop("ask --help", Exit::Done, "--ticket-file ticket");
        check_stop("join --help", Exit::Done, "wait open|synced|decided [SECONDS]");
        for command in Arguments::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{}", argument.get_id());
            }
        }
    }
}
