//! Points in time, as a machine is told them from outside.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::date::{Date, DateTime};

/// Milliseconds since 1970-01-01T00:00:00Z.
///
/// The machines never read a clock: they are told the time with each input, and it never runs
/// backwards within one run. Between devices it may differ by years; nothing is decided by it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Timestamp(i64);

impl Timestamp {
    /// That many milliseconds after 1970-01-01T00:00:00Z.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The time this much later, or the largest there is.
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The time since `earlier`; zero if this is not after it.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Reads an RFC 3339 time in any zone, to the second. `None` if it is not one, and for a leap
    /// second, which no clock here shows.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        Some(Self(DateTime::read(text)?.seconds()? * 1000))
    }

    /// RFC 3339 in UTC with milliseconds, as AHP spells times. Years outside 0 to 9999 are
    /// shown as the nearest that RFC 3339 has.
    pub fn to_rfc3339(self) -> String {
        const FIRST: i64 = -62_167_219_200_000;
        const LAST: i64 = 253_402_300_799_999;
        let millis = self.0.clamp(FIRST, LAST);
        let (days, in_day) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
        let date = Date::after_1970(days);
        let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
        let (second, milli) = (in_day / 1_000 % 60, in_day % 1_000);
        format!("{date}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_000, "1970-01-01T00:00:01.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_796_083_200_123, "2026-12-01T00:00:00.123Z"),
            (i64::MAX, "9999-12-31T23:59:59.999Z"),
            (i64::MIN, "0000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(Timestamp::from_millis(millis).to_rfc3339(), text);
        }
    }

    #[test]
    fn points_in_time() {
        let millis = |text| Timestamp::from_rfc3339(text).map(Timestamp::as_millis);
        assert_eq!(millis("1970-01-01T05:30:00+05:30"), Some(0));
        assert_eq!(millis("1969-12-31T23:59:59.9Z"), Some(-1000));
        assert_eq!(millis("0000-01-01T00:00:00Z"), Some(-62_167_219_200_000));
        assert_eq!(millis("9999-12-31 23:59:59z"), Some(253_402_300_799_000));
        assert!(DateTime::read("2016-12-31T23:59:60Z").is_some());
        assert_eq!(millis("2016-12-31T23:59:60Z"), None);
        assert_eq!(millis("2026-01-01T24:00:00Z"), None);
        assert_eq!(millis("2026-01-01T00:00:00+24:00"), None);
    }

    #[test]
    fn never_overflows() {
        let end = Timestamp::from_millis(i64::MAX);
        assert_eq!(end.after(Duration::from_secs(1)), end);
        assert_eq!(Timestamp::from_millis(i64::MIN).since(end), Duration::ZERO);
        assert_eq!(Timestamp::from_millis(5).since(Timestamp::from_millis(3)).as_millis(), 2);
    }
}
