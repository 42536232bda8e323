//! Times on the command line: spans like `15m`, and points like `2026-12-31T18:00:00Z`.

use std::time::Duration;

use rejoinder::Timestamp;

/// A time at which something ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// A span from the start of the command.
    In(Duration),
    /// A point in time, in milliseconds since 1970.
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

/// The point in time in milliseconds since 1970.
fn point(text: &str) -> Option<u64> {
    u64::try_from(Timestamp::from_rfc3339(text)?.as_millis()).ok()
}

/// Parses digits alone; `parse` would accept a sign.
fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
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
            // A leap second is not a point in time on these machines' clocks.
            "2016-12-31T23:59:60Z",
            "2026-12-31T18:00:00.Z",
            "2026-12-31T18:00:00+1:30",
            "2026-12-31T18:00:00+24:00",
        ] {
            assert!(until(text).is_err(), "{text}");
        }
    }
}
