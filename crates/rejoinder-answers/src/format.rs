//! The four formats that AHP names for text. They refuse texts that are certainly wrong, and leave
//! the rest to the program that uses the answer.

use rejoinder_identity::{Date, DateTime};

use crate::form::TextFormat;

pub(crate) fn holds(format: TextFormat, text: &str) -> bool {
    match format {
        TextFormat::Email => is_email(text),
        TextFormat::Uri => is_uri(text),
        TextFormat::Date => Date::read(text).is_some(),
        TextFormat::DateTime => DateTime::read(text).is_some(),
    }
}

/// Something before the last `@`, a host name or an address in brackets behind it; lengths as in
/// RFC 5321. Letters of any alphabet.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let quoted = local.len() >= 2 && local.starts_with('"') && local.ends_with('"');
    let dots = !local.starts_with('.') && !local.ends_with('.') && !local.contains("..");
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"()<>[]:;,\\\"@".contains(c);
    let local_holds = quoted || (dots && local.chars().all(plain));
    !local.is_empty() && local.len() <= 64 && local_holds && is_domain(domain)
}

fn is_domain(domain: &str) -> bool {
    if let Some(address) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return !address.is_empty() && address.chars().all(|c| c.is_ascii_graphic());
    }
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    domain.len() <= 253 && domain.split('.').all(label)
}

/// RFC 3986: a scheme, a colon, and then only characters that a URI may hold, `%` with two digits.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let scheme_holds = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    let escaped = |rest: &str| {
        rest.split('%').skip(1).all(|part| {
            part.len() >= 2 && part.bytes().take(2).all(|byte| byte.is_ascii_hexdigit())
        })
    };
    scheme_holds && !rest.is_empty() && rest.chars().all(allowed) && escaped(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: TextFormat, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(holds(format, text), "{format:?} should hold: {text:?}");
        }
        for text in bad {
            assert!(!holds(format, text), "{format:?} should not hold: {text:?}");
        }
    }

    #[test]
    fn email() {
        check(
            TextFormat::Email,
            &["a@b", "ana.b+c@example.org", "\"a b\"@x.y", "ünïcode@exämple.org", "a@[127.0.0.1]"],
            &[
                "", "a", "@b", "a@", "a b@c", "a@b c", "a@-b", "a@b..c", ".a@b", "a..b@c", "a@b\n",
                " a@b",
            ],
        );
    }

    #[test]
    fn uri() {
        check(
            TextFormat::Uri,
            &["https://example.org/a?b#c", "mailto:a@b", "urn:x:y", "a+b-c.d:%41"],
            &[
                "",
                "example.org",
                "://x",
                "1a:b",
                "http:",
                "http://a b",
                "http://ü",
                "a:%4",
                "a:%zz",
                "a:b\n",
            ],
        );
    }

    #[test]
    fn date() {
        check(
            TextFormat::Date,
            &["2026-12-01", "2024-02-29", "2000-02-29", "0000-01-31", "0000-02-29", "9999-12-31"],
            &[
                "",
                "2026-12-1",
                "2026-13-01",
                "2026-00-01",
                "2026-01-00",
                "2025-02-29",
                "1900-02-29",
                "2026-04-31",
                "2026/12/01",
                "20261201",
                "２026-12-01",
                " 2026-12-01",
                "+026-12-01",
                "-001-12-01",
                "10000-01-01",
                "2100-02-29",
                "2026-12-01Z",
            ],
        );
    }

    #[test]
    fn date_time() {
        check(
            TextFormat::DateTime,
            &[
                "2026-12-01T00:00:00Z",
                "2026-12-01t23:59:60.123z",
                "2026-12-01 10:00:00+05:30",
                // A leap second, in any minute.
                "2016-12-31T23:59:60Z",
                "2017-01-01T05:29:60+05:30",
                "2026-06-15T12:34:60Z",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999999999999999999999999Z",
                "9999-12-31T23:59:59-23:59",
                "0000-01-01T00:00:00+23:59",
                "2026-12-01T00:00:00-00:00",
            ],
            &[
                "",
                "2026-12-01",
                "2026-12-01T24:00:00Z",
                "2026-12-01T00:60:00Z",
                "2026-12-01T00:00:61Z",
                "2026-12-01T00:00:00",
                "2026-12-01T00:00Z",
                "2026-12-01T00:00:00.Z",
                "2026-12-01T00:00:00,5Z",
                "2026-12-01T00:00:00+5:30",
                "2026-12-01T00:00:00+05:60",
                "2026-12-01T00:00:00+24:00",
                "2026-12-01T00:00:00+0530",
                "2026-12-01T00:00:00+05",
                "2026-12-01T00:00:00ZZ",
                "2026-12-01T00:00:00 Z",
                "2026-12-01T00:00:00[UTC]",
                "2026-12-01T00:00:00é",
                "2026-12-0é00:00:00Z",
                "2026-12-01T00:00:0é",
                "2026-12-01T00:00:00+0é:0",
                "2026-12-01_00:00:00Z",
                "2026-02-30T00:00:00Z",
                "10000-01-01T00:00:00Z",
                "20261201T000000Z",
            ],
        );
    }
}
