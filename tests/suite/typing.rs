//! Text that a person types on a terminal is kept, whatever ends it meanwhile: another's accept,
//! the end of the terminal, a signal.

use serde_json::Value;

use crate::{
    process::{Place, Process},
    pty::{Terminal, join_line, signal},
};

const FORM: &str = r#"{ "id": "r1", "message": "Anything?",
  "questions": [{ "kind": "text", "id": "notes", "message": "Notes?" }] }"#;

/// The text to type. Each part of it occurs once, so that a gap in the middle is noticed.
const WORDS: &str = "one two three four five six seven eight nine ten eleven twelve thirteen \
    fourteen fifteen sixteen seventeen eighteen nineteen twenty";

/// The character typed after [`WORDS`]; no word has it.
const END: char = '#';

fn asked(place: &Place) -> (Process, Process, Terminal) {
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ben = place.join("ben", &ticket, &[]);
    ben.ok("wait open");
    // The shell stays to report how the command ended, even when its terminal is gone, and no key
    // ends the input.
    let line = format!("trap : HUP; stty eof undef; {}", join_line(&ticket, "echo $code > code;"));
    let mut terminal = Terminal::run(place, &line);
    terminal.until_shows("Notes?");
    terminal.until_shows("no answer yet");
    (ask, ben, terminal)
}

/// Returns the longest typed text that a home holds.
fn kept(place: &Place) -> String {
    let shown = place.run("ana", &["show"]).out;
    let quoted = shown.iter().filter_map(|line| line.split_once('“')?.1.split_once('”'));
    let longest = quoted.map(|(text, _)| text).max_by_key(|text| text.len());
    longest.unwrap_or_else(|| panic!("nothing is kept: {shown:#?}")).to_owned()
}

/// Returns what is in the field on the screen.
fn in_field(terminal: &Terminal) -> Option<String> {
    let contents = terminal.contents();
    let rows: Vec<&str> = contents.lines().collect();
    let first = rows.iter().position(|row| row.starts_with("> "))?;
    let further = rows[first + 1..].iter().take_while(|row| row.starts_with("  "));
    let text: String = [rows[first]].iter().chain(further).map(|row| &row[2..]).collect();
    Some(text)
}

#[test]
fn what_is_typed_while_another_accepts_is_kept_and_it_is_said_where() {
    let place = Place::new();
    let (ask, mut ben, mut terminal) = asked(&place);
    let before = WORDS.chars().take(40).collect::<String>();
    terminal.type_steadily(&before);
    ben.send("accept");
    let mut seen = String::new();
    for key in WORDS.chars().skip(40) {
        seen = in_field(&terminal).unwrap_or(seen);
        terminal.type_steadily(key.encode_utf8(&mut [0; 4]));
    }
    assert_eq!(ask.wait().code(), 0);
    terminal.until_shows("accepted by ben");
    terminal.until_shows("what you wrote at Notes? came too late for that; it is kept");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0, "{}", terminal.contents());
    let kept = kept(&place);
    println!("of {} keys {} were typed before the end was known", WORDS.len(), kept.len());
    assert!(WORDS.starts_with(&kept), "{kept:?}");
    assert!(kept.starts_with(&before), "{kept:?}");
    assert!(kept.len() >= seen.trim_end().len(), "{kept:?}, but the field said {seen:?}");
}

#[test]
fn the_window_is_closed_over_what_is_typed() {
    let place = Place::new();
    let (_ask, _ben, mut terminal) = asked(&place);
    terminal.press(WORDS);
    terminal.press(&END.to_string());
    terminal.until_shows(&END.to_string());
    assert_eq!(terminal.close(), 129);
    let kept = kept(&place);
    // The key that closes the form may be among what is kept.
    assert_eq!(kept.trim_end_matches('.'), format!("{WORDS}{END}"));
}

#[test]
fn a_hang_up_and_a_request_to_terminate_lose_no_key() {
    for (name, code) in [("-HUP", 129), ("-TERM", 143)] {
        let place = Place::new();
        let (_ask, _ben, mut terminal) = asked(&place);
        terminal.press(WORDS);
        terminal.press(&END.to_string());
        terminal.until_shows(&END.to_string());
        signal(&place, name);
        assert_eq!(terminal.end(), code, "{}", terminal.contents());
        assert_eq!(kept(&place), format!("{WORDS}{END}"), "{name}");
    }
}

/// A draft is due a second after the first key that is in none, even without a pause.
#[test]
fn of_steady_typing_a_kill_takes_the_last_keys_alone() {
    let place = Place::new();
    let (_ask, mut ben, mut terminal) = asked(&place);
    let mut typed = String::new();
    let mut drafts = 0;
    // There is no pause: this waits until others see a draft all the same.
    while typed.len() < 40 || drafts < 2 {
        assert!(typed.len() < 400, "no draft while one types: {}", terminal.contents());
        let key = WORDS.as_bytes()[typed.len() % WORDS.len()] as char;
        terminal.type_steadily(&key.to_string());
        typed.push(key);
        drafts = ben.so_far("answer").iter().filter(|event| event["state"] == "draft").count();
    }
    signal(&place, "-KILL");
    terminal.end();
    let kept = kept(&place);
    println!("of {} keys {} are kept", typed.len(), kept.len());
    assert!(typed.starts_with(&kept), "{kept:?}");
    // Twelve keys are typed in a second; the rest is for a busy machine.
    assert!(typed.len() - kept.len() <= 36, "{} of {} keys", kept.len(), typed.len());
    let seen_by_ben = ben.so_far("answer");
    let last = seen_by_ben.iter().rev().find_map(|event: &Value| event["value"]["value"].as_str());
    assert!(last.is_some_and(|last| kept.starts_with(last)), "what others saw is kept here");
}
