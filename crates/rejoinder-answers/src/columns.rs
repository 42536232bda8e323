//! The columns of a change, read with a bound: a run is counted before it is expanded, so a few
//! bytes that stand for millions of rows cost nothing.
//!
//! The canonical spelling is checked later: a change that Automerge encodes to other bytes is
//! refused.

use crate::{admission_error::AdmissionError, op::Scalar};

/// Bytes that are read from the front.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    what: &'static str,
}

impl<'a> Input<'a> {
    /// `what` is named when they can't be read.
    pub(crate) fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { bytes, what }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn malformed(&self) -> AdmissionError {
        AdmissionError::Malformed(self.what)
    }

    pub(crate) fn take(&mut self, count: u64) -> Result<&'a [u8], AdmissionError> {
        let count = usize::try_from(count).map_err(|_| self.malformed())?;
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(self.malformed())?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, AdmissionError> {
        Ok(self.take(1)?[0])
    }

    /// An unsigned LEB128 number in its shortest spelling.
    pub(crate) fn unsigned(&mut self) -> Result<u64, AdmissionError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return Err(self.malformed());
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return if shift > 0 && byte == 0 { Err(self.not_shortest()) } else { Ok(number) };
            }
        }
        Err(self.malformed())
    }

    /// A signed LEB128 number in its shortest spelling.
    pub(crate) fn signed(&mut self) -> Result<i64, AdmissionError> {
        let mut number = 0i64;
        let mut before = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && !matches!(byte, 0 | 0x7f) {
                return Err(self.malformed());
            }
            number |= i64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let negative = byte & 0x40 != 0;
                let repeats_sign =
                    (byte == 0 && before & 0x40 == 0) || (byte == 0x7f && before & 0x40 != 0);
                if shift > 0 && repeats_sign {
                    return Err(self.not_shortest());
                }
                if negative && shift < 57 {
                    number |= -1 << (shift + 7);
                }
                return Ok(number);
            }
            before = byte;
        }
        Err(self.malformed())
    }

    fn text(&mut self) -> Result<&'a str, AdmissionError> {
        let length = self.unsigned()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| self.malformed())
    }

    fn not_shortest(&self) -> AdmissionError {
        AdmissionError::NotCanonical(self.what)
    }
}

/// The number of rows that a column may have, and the name that an error gives them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    pub(crate) what: &'static str,
    pub(crate) rows: usize,
}

impl Bound {
    fn check(&self, have: usize, more: u64) -> Result<usize, AdmissionError> {
        usize::try_from(more)
            .ok()
            .filter(|more| *more <= self.rows.saturating_sub(have))
            .ok_or(AdmissionError::TooMany { what: self.what, limit: self.rows })
    }
}

/// A run-length encoded column.
fn runs<'a, T: Clone>(
    mut input: Input<'a>,
    bound: Bound,
    mut read: impl FnMut(&mut Input<'a>) -> Result<T, AdmissionError>,
) -> Result<Vec<Option<T>>, AdmissionError> {
    let mut rows = Vec::new();
    while !input.is_empty() {
        match input.signed()? {
            0 => {
                let count = bound.check(rows.len(), input.unsigned()?)?;
                rows.resize(rows.len() + count, None);
            }
            literal @ ..0 => {
                for _ in 0..bound.check(rows.len(), literal.unsigned_abs())? {
                    rows.push(Some(read(&mut input)?));
                }
            }
            run => {
                let count = bound.check(rows.len(), run.unsigned_abs())?;
                let value = read(&mut input)?;
                rows.resize(rows.len() + count, Some(value));
            }
        }
    }
    Ok(rows)
}

pub(crate) fn numbers(input: Input<'_>, bound: Bound) -> Result<Vec<Option<u64>>, AdmissionError> {
    runs(input, bound, Input::unsigned)
}

pub(crate) fn texts<'a>(
    input: Input<'a>,
    bound: Bound,
) -> Result<Vec<Option<&'a str>>, AdmissionError> {
    runs(input, bound, Input::text)
}

/// A column of differences; a null leaves the sum as it is.
pub(crate) fn deltas(input: Input<'_>, bound: Bound) -> Result<Vec<Option<u64>>, AdmissionError> {
    let mut sum = 0i64;
    runs(input, bound, Input::signed)?
        .into_iter()
        .map(|difference| match difference {
            None => Ok(None),
            Some(difference) => {
                sum = sum.checked_add(difference).ok_or(input.malformed())?;
                u64::try_from(sum).map(Some).map_err(|_| input.malformed())
            }
        })
        .collect()
}

/// A column of truth values: how often no, how often yes, how often no …
pub(crate) fn booleans(mut input: Input<'_>, bound: Bound) -> Result<Vec<bool>, AdmissionError> {
    let mut rows = Vec::new();
    let mut value = false;
    while !input.is_empty() {
        let count = bound.check(rows.len(), input.unsigned()?)?;
        rows.resize(rows.len() + count, value);
        value = !value;
    }
    Ok(rows)
}

/// The values of all rows: their types and lengths, and the bytes, which must be used up.
pub(crate) fn values<'a>(
    meta: Input<'_>,
    mut raw: Input<'a>,
    bound: Bound,
) -> Result<Vec<Scalar<'a>>, AdmissionError> {
    let mut rows = Vec::new();
    for meta in runs(meta, bound, Input::unsigned)? {
        let meta = meta.ok_or(raw.malformed())?;
        let bytes = raw.take(meta >> 4)?;
        rows.push(scalar(meta & 15, bytes, &raw)?);
    }
    if raw.is_empty() { Ok(rows) } else { Err(raw.malformed()) }
}

fn scalar<'a>(kind: u64, bytes: &'a [u8], raw: &Input<'a>) -> Result<Scalar<'a>, AdmissionError> {
    let mut input = Input { bytes, what: raw.what };
    let value = match kind {
        0 => Scalar::Null,
        1 => Scalar::Bool(false),
        2 => Scalar::Bool(true),
        3 => Scalar::Uint(input.unsigned()?),
        4 => Scalar::Int(input.signed()?),
        5 => {
            let bytes = input.take(8)?.try_into().map_err(|_| raw.malformed())?;
            Scalar::F64(f64::from_le_bytes(bytes))
        }
        6 => {
            let bytes = input.take(bytes.len() as u64)?;
            Scalar::Str(std::str::from_utf8(bytes).map_err(|_| raw.malformed())?)
        }
        _ => return Ok(Scalar::Other),
    };
    if input.is_empty() { Ok(value) } else { Err(raw.malformed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Bound = Bound { what: "rows", rows: 5 };

    fn input(bytes: &[u8]) -> Input<'_> {
        Input::new("test", bytes)
    }

    #[test]
    fn unsigned() {
        for (bytes, number) in [
            (&[0][..], Some(0)),
            (&[0x7f], Some(127)),
            (&[0x80, 1], Some(128)),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], Some(u64::MAX)),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], None),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], None),
            (&[0x80, 0], None),
            (&[0x80], None),
            (&[], None),
        ] {
            assert_eq!(input(bytes).unsigned().ok(), number, "{bytes:x?}");
        }
    }

    #[test]
    fn signed() {
        for (bytes, number) in [
            (&[0][..], Some(0)),
            (&[0x3f], Some(63)),
            (&[0x40], Some(-64)),
            (&[0x7f], Some(-1)),
            (&[0xc0, 0], Some(64)),
            (&[0xbf, 0x7f], Some(-65)),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0], Some(i64::MAX)),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f], Some(i64::MIN)),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], None),
            (&[0x80, 0], None),
            (&[0xff, 0x7f], None),
            (&[], None),
        ] {
            assert_eq!(input(bytes).signed().ok(), number, "{bytes:x?}");
        }
    }

    #[test]
    fn every_signed_number_reads_back() {
        for number in (-300..300).chain([i64::MIN, i64::MAX, 1 << 55, -(1 << 56), 1 << 62]) {
            let mut bytes = Vec::new();
            let mut left = number;
            loop {
                let byte = (left & 0x7f) as u8;
                left >>= 7;
                if (left == 0 && byte & 0x40 == 0) || (left == -1 && byte & 0x40 != 0) {
                    bytes.push(byte);
                    break;
                }
                bytes.push(byte | 0x80);
            }
            assert_eq!(input(&bytes).signed(), Ok(number), "{bytes:x?}");
        }
    }

    #[test]
    fn a_run_is_counted_before_it_is_expanded() {
        assert_eq!(numbers(input(&[5, 9]), BOUND).unwrap().len(), 5);
        for bytes in [
            &[6, 9][..],
            &[0, 6],
            &[0x7a, 1, 2, 3, 4, 5, 6],
            &[3, 1, 3, 2],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 1],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f],
        ] {
            assert!(matches!(
                numbers(input(bytes), BOUND),
                Err(AdmissionError::TooMany { limit: 5, .. })
            ));
        }
        assert!(booleans(input(&[2, 3]), BOUND).is_ok());
        assert!(booleans(input(&[2, 4]), BOUND).is_err());
    }

    #[test]
    fn differences_neither_overflow_nor_go_below_zero() {
        assert_eq!(deltas(input(&[2, 3]), BOUND), Ok(vec![Some(3), Some(6)]));
        assert!(deltas(input(&[1, 0x7f]), BOUND).is_err());
        let most = [2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0];
        assert!(deltas(input(&most), BOUND).is_err());
    }
}
