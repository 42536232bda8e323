use super::*;

fn check(pattern: &str, matching: &[&str], others: &[&str]) {
    let read = Pattern::read(pattern).unwrap();
    for text in matching {
        assert!(read.matches(text), "{pattern} on {text:?}");
    }
    for text in others {
        assert!(!read.matches(text), "{pattern} on {text:?}");
    }
}

fn check_unreadable(pattern: &str, why: &str) {
    let error = Pattern::read(pattern).unwrap_err();
    assert!(error.to_string().contains(why), "{pattern}: {error}");
}

/// As the schema library that most MCP servers are written with says them.
#[test]
fn what_servers_send() {
    check(
        r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$",
        &["a@b.cc", "ana.b+c@mail.example.org", "o'neil@x-y.example"],
        &["", "a", ".a@b.cc", "a..b@b.cc", "a.@b.cc", "a@b", "a@-b.cc", "a@b.cc\n", "ä@b.cc"],
    );
    check(
        r"^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000)$",
        &["0190a3f2-7c1e-7abc-8def-0123456789ab", "00000000-0000-0000-0000-000000000000"],
        &["0190a3f2-7c1e-0abc-8def-0123456789ab", "x"],
    );
    check(
        r"^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|(?:02)-(?:0[1-9]|1\d|2[0-8])))$",
        &["2024-02-29", "2026-12-03"],
        &["2023-02-29", "2026-13-01", "٢٠٢٦-12-03"],
    );
    check(
        r"^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$",
        &["a", "a-b.example.org."],
        &["-a", "a-.b", &"a.".repeat(128)],
    );
    check(r"^(?=.*[A-Z])(?=.*\d).{8,}$", &["Passw0rd"], &["passw0rd", "Passw0r"]);
    check(r"^((?!-)[A-Za-z0-9-]{1,63}(?<!-)\.)+[A-Za-z]{2,6}$", &["a-b.org"], &["a-.org"]);
    check(
        r"^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$",
        &["", "YQ=="],
        &["YQ="],
    );
    check(r"^(\p{Extended_Pictographic}|\p{Emoji_Component})+$", &["🦀"], &["a"]);
    check(r"^[\p{L}\p{M}' -]+$", &["José-Ana", "Ли"], &["a1"]);
    check(r"^\+[1-9]\d{6,14}$", &["+491234567"], &["+0123456789"]);
}

/// Where the two syntaxes differ, ECMA's meaning counts.
#[test]
fn what_would_mean_something_else() {
    check("a|b", &["xbx"], &["c"]);
    check(r"^\d\w\s$", &["1_\u{feff}", "1a\u{b}"], &["٣a ", "1é ", "1a\u{85}"]);
    check(r"^\D\W\S$", &["٣é\u{85}"], &["1é\u{85}"]);
    check("^.$", &["🦀", "\u{85}"], &["\r", "\u{2028}", "", "ab"]);
    check("^a$", &["a"], &["a\n", "b\na"]);
    check(r"^[a&&b]$", &["&", "a"], &["c"]);
    check(r"^[[:alpha:]]$", &["a]", ":]"], &["b"]);
    check(r"^[+--x]$", &["+", ",", "-", "x"], &["a", "."]);
    check(r"^[~~x]$", &["~"], &["y"]);
    check(r"^[^]$", &["\n"], &[""]);
    check(r"^[\b]$", &["\u{8}"], &["b"]);
    check(r"^[\w-]+$", &["a-b"], &["a b"]);
    check(r"^a{,3}$", &["a{,3}"], &["aa"]);
    check(r"^a{2,3}?$", &["aa", "aaa"], &["a", "aaaa"]);
    check(r"^\bé\B$", &[], &["é"]);
    check(r"\bto\b", &["go to it", "éto"], &["tool", "into"]);
    check(r"^\x41\u0042\u{1F980}\uD83E\uDD80\cA\0\/\-$", &["AB🦀🦀\u{1}\0/-"], &[]);
    check(r"^(?<year>\d{4})$", &["2026"], &[]);
    check("^# a$", &["# a"], &[]);
    check(r"^\$\{x\}$", &["${x}"], &[]);
    check("", &["", "x"], &[]);
}

#[test]
fn what_is_not_read() {
    check_unreadable("(", "a group is not closed");
    check_unreadable("a)", "no group is open");
    check_unreadable("[a", "a set is not closed");
    check_unreadable("[]", "nothing is in this set");
    check_unreadable("[b-a]", "in the wrong order");
    check_unreadable(r"[a-\d]", "a range ends in a set");
    check_unreadable("*a", "nothing to repeat");
    check_unreadable("a**", "nothing to repeat");
    check_unreadable("(?=a)*", "nothing to repeat");
    check_unreadable("a{3,2}", "in the wrong order");
    check_unreadable("a{1001}", "it repeats too often");
    check_unreadable("a{99999999999}", "it repeats too often");
    check_unreadable(r"(a)\1", "references");
    check_unreadable("(?i:a)", "this kind of group");
    check_unreadable("(?>a)", "this kind of group");
    check_unreadable(r"\z", "this escape");
    check_unreadable("a\\", "at the end");
    check_unreadable(r"\p{Nonsense}", "this property");
    check_unreadable(r"\pL", "this property");
    check_unreadable(r"\uD83E", "half of a character");
    check_unreadable(&"(".repeat(100), "too many groups");
    check_unreadable(&"a".repeat(4097), "longer than 4096 bytes");
    check_unreadable("(((a{1000}){1000}){1000})", "repeats too much");
}

/// It would go back 2^39 times.
#[test]
fn a_search_that_goes_back_too_often_ends() {
    let evil = Pattern::read(r"^(?:(?=a)a+)+b$").unwrap();
    assert!(evil.matches("aab"));
    assert!(!evil.matches(&"a".repeat(40)));
    assert!(matches!(
        evil.regex.is_match(&"a".repeat(40)),
        Err(fancy_regex::Error::RuntimeError(_))
    ));
}

#[test]
fn a_long_text_is_searched_without_going_back_or_not_at_all() {
    let long = "a".repeat(32 * 1024);
    check("^a+$", &[&long], &[&format!("{long}b")]);
    check("^(?=a)a+$", &[&"a".repeat(4096)], &[&"a".repeat(4097)]);
    check(r"\ba", &["a"], &[&long]);
}
