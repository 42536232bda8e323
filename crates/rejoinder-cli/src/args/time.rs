//! Times on the command line: spans like `15m`, and points like `2026-12-31T18:00:00Z`.

use std::time::Duration;

/// When something ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// So long from the start.
    In(Duration),
    /// At this point, in milliseconds since 1970.
    At(u64),
}

pub(super) fn until(text: &str) -> Result<Until, String> {
    duration(text).map(Until::In).or_else(|_| {
        point(text).map(Until::At).ok_or_else(|| {
            "expected a time such as 2026-12-31T18:00:00Z, or a time from now such as 30m"
                .to_owned()
        })
    })
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let read = || {
        let (unit_at, unit) = text.char_indices().next_back()?;
        let unit = match unit {
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            _ => return None,
        };
        let count = digits(&text[..unit_at])?;
        // A century: longer is a slip, and would overflow somewhere below.
        count.checked_mul(unit).filter(|seconds| (1..=100 * 366 * 86_400).contains(seconds))
    };
    read()
        .map(Duration::from_secs)
        .ok_or_else(|| "expected a number and s, m, h or d, such as 90s, 15m, 24h, 7d".to_owned())
}

/// An RFC 3339 time, in milliseconds since 1970. Seconds and the zone must be there.
fn point(text: &str) -> Option<u64> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let (time, offset_minutes) = zone(time)?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let length = days_in(year, month)?;
    if !(1..=length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    digits(fraction)?;
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    let milliseconds = (seconds - offset_minutes * 60).checked_mul(1000)?;
    u64::try_from(milliseconds).ok()
}

fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let at = time.rfind(['+', '-'])?;
    let [hours, minutes] = numbers(&time[at + 1..], ':', [2, 2])?;
    let minutes = hours * 60 + minutes;
    Some((&time[..at], if time[at..].starts_with('-') { -minutes } else { minutes }))
}

fn numbers<const N: usize>(text: &str, by: char, lengths: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(by);
    let mut numbers = [0; N];
    for (number, length) in numbers.iter_mut().zip(lengths) {
        let part = parts.next().filter(|part| part.len() == length)?;
        *number = i64::try_from(digits(part)?).ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Digits alone: `parse` would take a sign.
fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> Option<i64> {
    match month {
        2 => Some(if is_leap(year) { 29 } else { 28 }),
        4 | 6 | 9 | 11 => Some(30),
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        _ => None,
    }
}

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let before = year - 1;
    let days_before_year = before * 365 + before / 4 - before / 100 + before / 400;
    let days_in_year: i64 = (1..month).filter_map(|month| days_in(year, month)).sum();
    // 719,162 days lie between year 1 and 1970.
    days_before_year - 719_162 + days_in_year + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let check = |text, seconds| assert_eq!(duration(text), Ok(Duration::from_secs(seconds)));
        check("90s", 90);
        check("15m", 900);
        check("24h", 86_400);
        check("7d", 604_800);
        for text in [
            "",
            "s",
            "15",
            "1.5h",
            "-1h",
            "+1h",
            "0s",
            "15 m",
            "99999999999999999999d",
            "36601d",
            "1é",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn points() {
        let check = |text, seconds: u64| assert_eq!(until(text), Ok(Until::At(seconds * 1000)));
        check("1970-01-01T00:00:00Z", 0);
        check("2026-12-31T18:00:00Z", 1_798_740_000);
        check("2026-12-31T19:30:00+01:30", 1_798_740_000);
        check("2026-12-31 13:00:00.250-05:00", 1_798_740_000);
        check("2000-02-29T23:59:59z", 951_868_799);
        check("2024-03-01T00:00:00Z", 1_709_251_200);
        check("1970-01-01T05:30:00+05:30", 0);
        check("2026-12-31T18:00:00.999999999Z", 1_798_740_000);
        check("9999-12-31T23:59:59Z", 253_402_300_799);
        check("9999-12-31T23:59:59-23:59", 253_402_387_139);
        for text in [
            "",
            "tomorrow",
            "2026-12-31",
            "2026-12-31T18:00",
            "2026-12-31T18:00:00",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-1-1T00:00:00Z",
            "+026-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "1970-01-01T00:00:00+00:01",
            "0000-01-01T00:00:00Z",
            "10000-01-01T00:00:00Z",
            // A leap second is no point in time that the clocks of these machines have.
            "2016-12-31T23:59:60Z",
            "2026-12-31T18:00:00.Z",
            "2026-12-31T18:00:00+1:30",
        ] {
            assert!(until(text).is_err(), "{text}");
        }
    }
}
