//! Text that several people type into: where two texts differ, what two people made of one text,
//! and where a cursor goes.
//!
//! It works on characters (code points), and knows no document.

/// Differences that are looked for at most. A guess: far more than anybody types in a second, and
/// still a fraction of a second for texts of the greatest length. Beyond it one stretch is
/// replaced.
const DIFFERENCES: usize = 512;

/// One stretch of a text, replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    /// The character of the old text that it stands before.
    pub(crate) at: usize,
    pub(crate) delete: usize,
    pub(crate) insert: String,
}

/// The fewest characters that go and come so that `new` is made of `old`: from the front to the
/// back, each at its place in `old`.
pub(crate) fn splices(old: &str, new: &str) -> Vec<Splice> {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let whole = || vec![Splice { at: 0, delete: old.len(), insert: new.iter().collect() }];
    let simple = old.is_empty() || new.is_empty();
    let mut splices = if simple { whole() } else { shortest(old, new).unwrap_or_else(whole) };
    splices.iter_mut().for_each(|splice| splice.at += start);
    splices
}

/// Merges the edits of two people who did not see each other: keeps everything that either typed,
/// and nothing of `base` that either took away.
pub(crate) fn merged(base: &str, mine: &str, theirs: &str) -> String {
    let (ours, others) = (splices(base, mine), splices(base, theirs));
    let comes = |splices: &[Splice], at: usize| -> String {
        splices.iter().filter(|splice| splice.at == at).map(|splice| &*splice.insert).collect()
    };
    let goes = |splices: &[Splice], at: usize| {
        splices.iter().any(|splice| (splice.at..splice.at + splice.delete).contains(&at))
    };
    let mut text = String::new();
    let length = base.chars().count();
    for (at, character) in base.chars().map(Some).chain([None]).enumerate().take(length + 1) {
        text.push_str(&comes(&others, at));
        text.push_str(&comes(&ours, at));
        text.extend(character.filter(|_| !goes(&ours, at) && !goes(&others, at)));
    }
    text
}

/// Where a cursor that stood before character `cursor` of `old` stands in `new`, which others made
/// of it: behind the same character as before.
pub fn cursor_after(old: &str, new: &str, cursor: usize) -> usize {
    if old.is_empty() {
        return new.chars().count();
    }
    let mut place = cursor;
    for splice in splices(old, new).iter().rev().filter(|splice| splice.at < cursor) {
        let gone = splice.delete.min(cursor - splice.at);
        place = place - gone + splice.insert.chars().count();
    }
    place
}

/// Myers' shortest edit script; `None` if it takes too long to find.
fn shortest(old: &[char], new: &[char]) -> Option<Vec<Splice>> {
    let (width, height) = (signed(old.len()), signed(new.len()));
    let most = signed((old.len() + new.len()).min(DIFFERENCES));
    // How far along `old` each diagonal was followed; a copy of it before each step.
    let mut reach = Diagonals { middle: most + 1, far: vec![0; index(2 * most + 3)] };
    let mut before = Vec::new();
    for step in 0..=most {
        before.push(reach.around(step + 1));
        for diagonal in (-step..=step).step_by(2) {
            let mut x = reach.enter(step, diagonal).1;
            while x < width && x - diagonal < height && old[index(x)] == new[index(x - diagonal)] {
                x += 1;
            }
            reach.set(diagonal, x);
            if diagonal == width - height && x == width {
                return Some(backwards(&before, new, width, height));
            }
        }
    }
    None
}

fn backwards(before: &[Diagonals], new: &[char], width: isize, height: isize) -> Vec<Splice> {
    let (mut x, mut y) = (width, height);
    let mut moves = Vec::new();
    for (step, reach) in before.iter().enumerate().skip(1).rev() {
        let (comes, _) = reach.enter(signed(step), x - y);
        let diagonal = if comes { x - y + 1 } else { x - y - 1 };
        x = reach.get(diagonal);
        y = x - diagonal;
        moves.push((index(x), comes.then(|| new[index(y)])));
    }
    let mut splices: Vec<Splice> = Vec::new();
    for (at, comes) in moves.into_iter().rev() {
        let goes_on = splices.last_mut().filter(|last| last.at + last.delete == at);
        match (goes_on, comes) {
            (Some(last), Some(character)) => last.insert.push(character),
            (Some(last), None) => last.delete += 1,
            (None, Some(character)) => {
                splices.push(Splice { at, delete: 0, insert: character.to_string() });
            }
            (None, None) => splices.push(Splice { at, delete: 1, insert: String::new() }),
        }
    }
    splices
}

/// The farthest place in the old text on each diagonal (place in the old less place in the new).
struct Diagonals {
    middle: isize,
    far: Vec<isize>,
}

impl Diagonals {
    fn get(&self, diagonal: isize) -> isize {
        self.far[index(diagonal + self.middle)]
    }

    fn set(&mut self, diagonal: isize, x: isize) {
        let at = index(diagonal + self.middle);
        self.far[at] = x;
    }

    /// The step onto a diagonal: whether a character comes (else one goes), and where it leads.
    fn enter(&self, step: isize, diagonal: isize) -> (bool, isize) {
        let comes = diagonal == -step
            || diagonal != step && self.get(diagonal - 1) < self.get(diagonal + 1);
        (comes, if comes { self.get(diagonal + 1) } else { self.get(diagonal - 1) + 1 })
    }

    fn around(&self, most: isize) -> Self {
        let far = self.far[index(self.middle - most)..=index(self.middle + most)].to_vec();
        Self { middle: most, far }
    }
}

fn signed(length: usize) -> isize {
    isize::try_from(length).expect("a text is shorter than that")
}

fn index(place: isize) -> usize {
    usize::try_from(place).expect("a diagonal that was reached lies in the texts")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn made(old: &str, splices: &[Splice]) -> String {
        let mut text: Vec<char> = old.chars().collect();
        for Splice { at, delete, insert } in splices.iter().rev() {
            text.splice(*at..at + delete, insert.chars());
        }
        text.into_iter().collect()
    }

    #[test]
    fn the_fewest_characters() {
        for (old, new, expected) in [
            ("", "", vec![]),
            ("abc", "abc", vec![]),
            ("", "ab", vec![(0, 0, "ab")]),
            ("ab", "", vec![(0, 2, "")]),
            ("abc", "axc", vec![(1, 1, "x")]),
            ("aa", "aaa", vec![(2, 0, "a")]),
            ("aaa", "aa", vec![(2, 1, "")]),
            ("a😀c", "a😁c", vec![(1, 1, "😁")]),
            ("e\u{301}", "e", vec![(1, 1, "")]),
            ("0123456789", "01A234567B89", vec![(2, 0, "A"), (8, 0, "B")]),
        ] {
            let expected: Vec<Splice> = expected
                .into_iter()
                .map(|(at, delete, insert)| Splice { at, delete, insert: insert.to_owned() })
                .collect();
            assert_eq!(splices(old, new), expected, "{old:?} to {new:?}");
        }
    }

    #[test]
    fn texts_with_nothing_in_common_are_one_stretch() {
        let (old, new) = ("a".repeat(30_000), "b".repeat(30_000));
        assert_eq!(splices(&old, &new), [Splice { at: 0, delete: 30_000, insert: new }]);
    }

    #[test]
    fn both_texts_are_there() {
        for (base, mine, theirs, expected) in [
            ("", "abc", "xyz", "xyzabc"),
            ("one", "one two", "zero one", "zero one two"),
            ("one two", "one", "one two three", "one three"),
            ("abcdef", "abXef", "abcdYef", "abXYef"),
            ("same", "mine", "same", "mine"),
            ("0123456789", "01A234567B89", "01234C5678D9", "01A234C567B8D9"),
        ] {
            assert_eq!(merged(base, mine, theirs), expected, "{base:?} {mine:?} {theirs:?}");
        }
    }

    #[test]
    fn the_cursor_stays_behind_its_character() {
        for (old, new, cursor, expected) in [
            ("hello, world", "oh hello, world", 6, 9),
            ("0A9", "x0yAz9w", 2, 4),
            ("", "theirs", 0, 6),
            ("abcdef", "af", 3, 1),
        ] {
            assert_eq!(cursor_after(old, new, cursor), expected, "{old:?} to {new:?}");
        }
    }

    proptest! {
        #[test]
        fn the_splices_make_the_new_text(old in "[a-c]{0,30}", new in "[a-c]{0,30}", cursor in 0usize..31) {
            prop_assert_eq!(made(&old, &splices(&old, &new)), new.clone());
            let cursor = cursor.min(old.chars().count());
            prop_assert!(cursor_after(&old, &new, cursor) <= new.chars().count());
        }

        #[test]
        fn nothing_is_doubled_and_nothing_lost(
            length in 0usize..20,
            mine in prop::collection::vec((0usize..21, any::<bool>()), 0..8),
            theirs in prop::collection::vec((0usize..21, any::<bool>()), 0..8),
        ) {
            let base: String = ('a'..='z').take(length).collect();
            // Each place gets a character of its own, or loses the one that is there.
            let with = |places: &[(usize, bool)], first: u32| {
                let mut text: Vec<String> = base.chars().map(String::from).chain([String::new()]).collect();
                for (index, (place, goes)) in places.iter().enumerate() {
                    let place = *place % text.len();
                    if *goes {
                        text[place].retain(|character| !character.is_ascii_lowercase());
                    } else {
                        let new = char::from_u32(first + u32::try_from(index).unwrap()).unwrap();
                        text[place].insert(0, new);
                    }
                }
                text.concat()
            };
            let (mine, theirs) = (with(&mine, 'A'.into()), with(&theirs, '0'.into()));
            let both = merged(&base, &mine, &theirs);
            for character in base.chars().chain(mine.chars()).chain(theirs.chars()) {
                let kept = !base.contains(character) || mine.contains(character) && theirs.contains(character);
                prop_assert_eq!(both.matches(character).count(), usize::from(kept), "{} in {}", character, both);
            }
        }
    }
}
