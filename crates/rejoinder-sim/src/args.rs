//! The command line.

use std::time::Duration;

pub(crate) const USAGE: &str = "\
usage: rejoinder-sim --seed N             one world, with its whole trace
       rejoinder-sim --runs N [--first N] [--minutes M]
                                          the worlds of N seeds, from the first on (default: 1)";

/// The worlds to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) first: u64,
    pub(crate) runs: u64,
    /// True to run one world, with its trace.
    pub(crate) one: bool,
    /// The time after which no more worlds begin.
    pub(crate) limit: Option<Duration>,
    /// The known faults to bring back, instead of a normal run: for each, a seed that shows it is
    /// looked for.
    #[cfg(rejoinder_mutants)]
    pub(crate) hunt: Vec<&'static str>,
}

impl Args {
    pub(crate) fn read(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut args = Self {
            first: 1,
            runs: 0,
            one: false,
            limit: None,
            #[cfg(rejoinder_mutants)]
            hunt: Vec::new(),
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut number = || -> Result<u64, String> {
                let value = words.next().ok_or_else(|| format!("{word} needs a number"))?;
                value.parse().map_err(|_| format!("{word} {value}: that is no number"))
            };
            match word.as_str() {
                "--seed" => (args.first, args.runs, args.one) = (number()?, 1, true),
                "--runs" => args.runs = number()?,
                "--first" => args.first = number()?,
                "--minutes" => args.limit = Some(Duration::from_secs(number()? * 60)),
                #[cfg(rejoinder_mutants)]
                "--mutants" => args.hunt = rejoinder_identity::mutant::ALL.to_vec(),
                #[cfg(rejoinder_mutants)]
                "--mutant" => {
                    let name = words.next().unwrap_or_default();
                    let known =
                        rejoinder_identity::mutant::ALL.iter().find(|known| **known == name);
                    args.hunt
                        .push(known.ok_or_else(|| format!("no known fault is called {name:?}"))?);
                }
                other => return Err(format!("what is {other}?")),
            }
        }
        if args.runs == 0 {
            return Err("nothing to run".to_owned());
        }
        Ok(args)
    }
}

#[cfg(all(test, not(rejoinder_mutants)))]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<Args, &str>) {
        let read = Args::read(line.split_whitespace().map(str::to_owned));
        assert_eq!(read, expected.map_err(str::to_owned), "{line}");
    }

    #[test]
    fn a_line_is_what_is_run() {
        check("--seed 7", Ok(Args { first: 7, runs: 1, one: true, limit: None }));
        let limit = Some(Duration::from_secs(120));
        check("--runs 9 --minutes 2", Ok(Args { first: 1, runs: 9, one: false, limit }));
        check("--runs x", Err("--runs x: that is no number"));
        check("--runs", Err("--runs needs a number"));
        check("--what", Err("what is --what?"));
        check("", Err("nothing to run"));
    }
}
