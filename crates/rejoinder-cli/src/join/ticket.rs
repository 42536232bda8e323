//! The places that a ticket can be read from. All users of a machine can list the arguments of its
//! processes, and a ticket lets its holder in; so it may also come from a file or from stdin.

use std::{fs::File, io::Read};

use rejoinder::Ticket;

use crate::{failure::Failure, limits, plain, stdin};

/// Reads a ticket: the argument itself, `@FILE`, or `-` for the first line of stdin.
pub(super) fn read(given: &str) -> Result<Ticket, Failure> {
    let text = match given.strip_prefix('@') {
        Some(file) => of_file(file)?,
        None if given == "-" => of_stdin()?,
        None => given.to_owned(),
    };
    text.trim().parse().map_err(|error| Failure::unreadable("ticket", error))
}

fn of_file(name: &str) -> Result<String, Failure> {
    let mut text = String::new();
    // A ticket is one line. Of a file that is anything else, just enough is read to see that.
    let read = File::open(name)
        .and_then(|file| file.take(limits::STDIN_LINE as u64).read_to_string(&mut text));
    let named = |why| Failure::unreadable("ticket", format!("{}: {why}", plain::line(name)));
    read.map_err(|error| named(error.to_string()))?;
    if text.trim().is_empty() {
        Err(named("the file holds no ticket".to_owned()))
    } else {
        Ok(text)
    }
}

fn of_stdin() -> Result<String, Failure> {
    let unreadable = |why: String| Failure::unreadable("ticket", format!("stdin: {why}"));
    let line = stdin::first_line().map_err(|error| unreadable(error.to_string()))?;
    let line = line.ok_or_else(|| unreadable("it ended before a ticket came".to_owned()))?;
    String::from_utf8(line).map_err(|_| unreadable("the first line is not text".to_owned()))
}
