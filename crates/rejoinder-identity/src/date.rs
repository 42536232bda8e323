//! The one calendar here: dates, and points in time, as RFC 3339 spells them.

use std::fmt;

const DAY: i64 = 86_400;

/// A day of the Gregorian calendar, in the years 0 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u32,
    month: u32,
    day: u32,
}

/// A time of a day in a zone, to the second.
///
/// A leap second is taken in any minute: which minutes had one is not known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime {
    date: Date,
    hour: u32,
    minute: u32,
    second: u32,
    offset_minutes: i64,
}

impl Date {
    /// The day, or `None` if the calendar has no such day.
    fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        let in_calendar = year <= 9999 && (1..=days_of(year, month)).contains(&day);
        in_calendar.then_some(Self { year, month, day })
    }

    /// Reads RFC 3339's full-date, such as `2026-12-31`.
    pub fn read(text: &str) -> Option<Self> {
        let [a, b, c, d, b'-', e, f, b'-', g, h] = text.as_bytes() else { return None };
        Self::new(digits(&[*a, *b, *c, *d])?, digits(&[*e, *f])?, digits(&[*g, *h])?)
    }

    /// Days after 1970-01-01.
    fn days(self) -> i64 {
        // Years are counted from March, so that the leap day is the last of its year.
        let (month, years) = match i64::from(self.month) {
            month @ ..=2 => (month + 9, i64::from(self.year) - 1),
            month => (month - 3, i64::from(self.year)),
        };
        let leap_days = years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400);
        // 719,468 days lie between 0000-03-01 and 1970-01-01.
        years * 365 + leap_days + (153 * month + 2) / 5 + i64::from(self.day) - 1 - 719_468
    }

    /// The day that many days after 1970-01-01; the nearest that RFC 3339 has, if it has none.
    pub(crate) fn after_1970(days: i64) -> Self {
        let first = Self { year: 0, month: 1, day: 1 };
        let last = Self { year: 9999, month: 12, day: 31 };
        let days = days.clamp(first.days(), last.days()) + 719_468;
        // Eras of 400 years, which all have the same number of days.
        let era = days.div_euclid(146_097);
        let in_era = days.rem_euclid(146_097);
        let year_of_era = (in_era - in_era / 1_460 + in_era / 36_524 - in_era / 146_096) / 365;
        let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * in_year + 2) / 153;
        let day = in_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let small = |number| u32::try_from(number).expect("the days are in the years 0 to 9999");
        Self { year: small(year), month: small(month), day: small(day) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl DateTime {
    /// Reads RFC 3339's date-time, such as `2026-12-31T18:00:00+01:00`. The zone must be there; a
    /// fraction of a second is allowed and left out.
    pub fn read(text: &str) -> Option<Self> {
        let (date, separator, clock) = (text.get(..10)?, text.get(10..11)?, text.get(11..19)?);
        let zone = match text.get(19..)?.strip_prefix('.') {
            Some(fraction) => {
                let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
                (zone.len() < fraction.len()).then_some(zone)?
            }
            None => text.get(19..)?,
        };
        let [a, b, b':', c, d, b':', e, f] = clock.as_bytes() else { return None };
        let at_most = |limit| move |number: &u32| *number <= limit;
        matches!(separator, "T" | "t" | " ").then_some(Self {
            date: Date::read(date)?,
            hour: digits(&[*a, *b]).filter(at_most(23))?,
            minute: digits(&[*c, *d]).filter(at_most(59))?,
            second: digits(&[*e, *f]).filter(at_most(60))?,
            offset_minutes: offset(zone)?,
        })
    }

    /// Seconds after 1970-01-01T00:00:00Z. `None` for a leap second: they do not count any.
    pub(crate) fn seconds(self) -> Option<i64> {
        let of_day = i64::from(self.hour * 3600 + self.minute * 60 + self.second);
        let seconds = self.date.days() * DAY + of_day - self.offset_minutes * 60;
        (self.second < 60).then_some(seconds)
    }
}

/// Minutes east of Greenwich.
fn offset(text: &str) -> Option<i64> {
    match text.as_bytes() {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), a, b, b':', c, d] => {
            let hours = digits(&[*a, *b]).filter(|hours| *hours <= 23)?;
            let minutes = digits(&[*c, *d]).filter(|minutes| *minutes <= 59)?;
            let minutes = i64::from(hours * 60 + minutes);
            Some(if *sign == b'-' { -minutes } else { minutes })
        }
        _ => None,
    }
}

/// Digits alone: `parse` would take a sign.
fn digits(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
    })
}

/// 0 if there is no such month.
fn days_of(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_is_counted_once() {
        let mut days = Date::after_1970(i64::MIN).days();
        assert_eq!(days, -719_528);
        for year in 0..=9999 {
            for month in 1..=12 {
                for day in 1..=days_of(year, month) {
                    let date = Date::new(year, month, day).unwrap();
                    assert_eq!((date.days(), Date::after_1970(days)), (days, date));
                    days += 1;
                }
            }
        }
        assert_eq!(Date::after_1970(i64::MAX).days() + 1, days);
    }

    #[test]
    fn printed_as_it_is_read() {
        for text in ["0000-02-29", "1970-01-01", "9999-12-31"] {
            assert_eq!(Date::read(text).unwrap().to_string(), text);
        }
        for (year, month, day) in [(2025, 2, 29), (1900, 2, 29), (2026, 0, 1), (10_000, 1, 1)] {
            assert_eq!(Date::new(year, month, day), None);
        }
    }
}
