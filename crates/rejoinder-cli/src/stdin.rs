//! Lines of stdin, read by a thread: a read from a terminal or a pipe can't be cancelled.

use std::io::{self, BufRead, Read};

use tokio::sync::mpsc;

use crate::limits;

/// Reads stdin to its end, line by line. A line that is too long is cut to just over the limit,
/// which shows that it is too long.
pub(crate) fn lines() -> mpsc::Receiver<Vec<u8>> {
    let (sender, lines) = mpsc::channel(limits::LINES_AHEAD);
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        while let Ok(Some(line)) = line(&mut stdin) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Reads the first line alone, and leaves the rest to [`lines`].
pub(crate) fn first_line() -> io::Result<Option<Vec<u8>>> {
    line(&mut io::stdin().lock())
}

fn line(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let limit = limits::STDIN_LINE as u64 + 1;
    let mut line = Vec::new();
    if from.take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == limit {
        skip_line(from)?;
    }
    Ok(Some(line))
}

fn skip_line(from: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = from.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (skipped, done) = end.map_or((buffer.len(), buffer.is_empty()), |end| (end + 1, true));
        from.consume(skipped);
        if done {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_they_come() {
        let long = "x".repeat(3 * limits::STDIN_LINE);
        let text = format!("one\n{long}\n\nlast");
        let mut from = io::Cursor::new(text);
        let mut next = || line(&mut from).unwrap();
        assert_eq!(next().unwrap(), b"one\n");
        assert_eq!(next().unwrap().len(), limits::STDIN_LINE + 1);
        assert_eq!(next().unwrap(), b"\n");
        assert_eq!(next().unwrap(), b"last");
        assert_eq!(next(), None);
    }
}
