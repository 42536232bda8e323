//! Names of members on the screen. A name is chosen by its owner and proves nothing, so where two
//! look alike each is shown with the start of its peer id, which does.

use std::collections::BTreeMap;

use crate::{limits, plain};

/// The members' names, by peer id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    me: Option<String>,
    names: BTreeMap<String, String>,
}

/// The number of characters of a peer id shown beside a name.
const SHORT: usize = 8;

impl Names {
    /// Makes an empty list; `me` is this device's peer id.
    pub(crate) fn new(me: Option<String>) -> Self {
        Self { me, names: BTreeMap::new() }
    }

    /// Sets the name of a member that has joined or was renamed.
    pub(crate) fn set(&mut self, peer: &str, name: &str) {
        self.names.insert(peer.to_owned(), name.to_owned());
    }

    /// Returns the name to show for `peer`.
    pub(crate) fn show(&self, peer: &str) -> String {
        let short: String = plain::line(peer).chars().take(SHORT).collect();
        let Some(name) = self.names.get(peer) else { return short };
        let look = look(name);
        let shown = plain::truncate(&plain::name(name), limits::NAME_COLUMNS);
        let alone = shown == plain::name(name)
            && self.names.iter().all(|(other, name)| other == peer || self::look(name) != look);
        // A shortened name could be the beginning of another's.
        if alone && !look.is_empty() { shown } else { format!("{shown} ({short})") }
    }

    /// Returns the name for `peer` in a sentence about what it did: "you", if it is this device.
    pub(crate) fn show_or_you(&self, peer: &str) -> String {
        if self.is_me(peer) { "you".to_owned() } else { self.show(peer) }
    }

    /// Returns the names of several peers, as one phrase.
    pub(crate) fn list(&self, peers: &[impl ToString]) -> String {
        let shown: Vec<String> =
            peers.iter().map(|peer| self.show_or_you(&peer.to_string())).collect();
        match shown.as_slice() {
            [] => "nobody".to_owned(),
            [one] => one.clone(),
            [most @ .., last] => format!("{} and {last}", most.join(", ")),
        }
    }

    /// True if `peer` is this device.
    pub(crate) fn is_me(&self, peer: &str) -> bool {
        self.me.as_deref() == Some(peer)
    }
}

/// Reduces a name to its looks: case, spaces and letters that other alphabets share with Latin
/// don't tell names apart.
fn look(name: &str) -> String {
    plain::name(name)
        .chars()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
        .map(latin_twin)
        .collect()
}

/// Returns the Latin letter that `c` can be mistaken for. The list is not complete: it has the
/// letters from which whole names can be made.
fn latin_twin(c: char) -> char {
    match c {
        'а' | 'α' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'һ' | 'н' | 'η' => 'h',
        'і' | 'ι' | 'l' | '1' | 'ı' | 'ӏ' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' | 'μ' => 'm',
        'п' => 'n',
        'о' | 'ο' | '0' => 'o',
        'р' | 'ρ' => 'p',
        'ѕ' | '5' => 's',
        'т' | 'τ' => 't',
        'υ' => 'u',
        'ν' => 'v',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'ζ' => 'z',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::new(Some("me234567xyz".to_owned()));
        names.set("me234567xyz", "Ana");
        names.set("ben34567xyz", "Ben");
        names
    }

    #[test]
    fn a_name_alone_is_enough() {
        assert_eq!(names().show("ben34567xyz"), "Ben");
        assert_eq!(names().show_or_you("me234567xyz"), "you");
        assert_eq!(names().show("unknownpeerid"), "unknownp");
    }

    #[test]
    fn names_that_look_alike_show_who_they_are() {
        for twin in ["Ben", "ben ", "BEN", "B\u{200b}en", "Вen", "Bеn"] {
            let mut names = names();
            names.set("evil4567xyz", twin);
            assert_eq!(names.show("ben34567xyz"), "Ben (ben34567)", "{twin:?}");
            assert!(names.show("evil4567xyz").ends_with("(evil4567)"), "{twin:?}");
            assert_eq!(names.show("me234567xyz"), "Ana");
        }
    }

    #[test]
    fn a_name_of_nothing_shows_who_it_is() {
        let mut names = names();
        names.set("void4567xyz", "\u{202e}");
        assert_eq!(names.show("void4567xyz"), "\"\" (void4567)");
    }

    #[test]
    fn lists() {
        let list = |peers: &[&str]| {
            names().list(&peers.iter().map(|peer| (*peer).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(list(&[]), "nobody");
        assert_eq!(list(&["ben34567xyz"]), "Ben");
        assert_eq!(list(&["ben34567xyz", "me234567xyz", "zzzzzzzzz"]), "Ben, you and zzzzzzzz");
    }
}
