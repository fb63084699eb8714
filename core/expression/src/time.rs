//! Parses and formats timestamps and durations. Reads no clock.
//!
//! Invariants: timestamps are within the years 1 to 9999, durations within 64 bits of nanoseconds, as in CEL.
//!
//! Source: RFC 3339; Hinnant, "chrono-Compatible Low-Level Date Algorithms".

use std::fmt::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timestamp {
    /// Since 1970.
    pub(crate) seconds: i64,
    pub(crate) nanos: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// Starts at 1.
    pub(crate) month: i64,
    /// Starts at 1.
    pub(crate) day: i64,
    /// Starts at 0.
    pub(crate) day_of_year: i64,
    /// 0 is Sunday.
    pub(crate) weekday: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
}

const NANOS: i64 = 1_000_000_000;
/// The years 1 to 9999.
const RANGE: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

impl Timestamp {
    pub(crate) fn from_seconds(seconds: i64) -> Option<Self> {
        RANGE.contains(&seconds).then_some(Self { seconds, nanos: 0 })
    }

    /// Such as `2026-11-25T18:00:00.5Z` or `…+02:00`. A leap second is none of the counted seconds.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let part = |from: usize, to: usize| digits(text.get(from..to)?);
        let is = |at: usize, expect: &[u8]| bytes.get(at).is_some_and(|byte| expect.contains(byte));
        let marks = is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":");
        let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
        let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
        let fits = (1..=12).contains(&month) && hour < 24 && minute < 60 && second < 60;
        if !marks || !fits || day < 1 || day > days_in_month(year, month) {
            return None;
        }
        let (nanos, zone) = fraction(text.get(19..)?)?;
        // Only functions such as `getHours` take an offset without a sign.
        if zone.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let time = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
        let seconds = time - offset(zone)?;
        RANGE.contains(&seconds).then_some(Self { seconds, nanos })
    }

    /// RFC 3339, in UTC.
    pub(crate) fn text(self) -> String {
        let Civil { year, month, day, hour, minute, second, .. } = self.civil(0);
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        push_fraction(&mut text, self.nanos);
        text.push('Z');
        text
    }

    /// `offset` is in seconds east of UTC.
    pub(crate) fn civil(self, offset: i64) -> Civil {
        let local = self.seconds + offset;
        let (days, time) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        let day_of_year = days - days_from_civil(year, 1, 1);
        let weekday = (days + 4).rem_euclid(7);
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        Civil { year, month, day, day_of_year, weekday, hour, minute, second }
    }

    pub(crate) fn plus(self, duration: i64) -> Option<Self> {
        let nanos = i64::from(self.nanos) + duration.rem_euclid(NANOS);
        let seconds = self.seconds + duration.div_euclid(NANOS) + nanos / NANOS;
        let nanos = u32::try_from(nanos % NANOS).ok()?;
        RANGE.contains(&seconds).then_some(Self { seconds, nanos })
    }

    /// In nanoseconds.
    pub(crate) fn since(self, other: Self) -> Option<i64> {
        let seconds = self.seconds - other.seconds;
        seconds.checked_mul(NANOS)?.checked_add(i64::from(self.nanos) - i64::from(other.nanos))
    }
}

/// RFC 3339 to milliseconds since 1970.
///
/// # Example
/// ```
/// assert_eq!(stepgraph_expression::timestamp_ms("1970-01-01T00:00:01.5Z"), Some(1500.0));
/// ```
pub fn timestamp_ms(text: &str) -> Option<f64> {
    let Timestamp { seconds, nanos } = Timestamp::parse(text)?;
    #[expect(clippy::cast_precision_loss, reason = "the seconds of all years fit a float")]
    let seconds = seconds as f64;
    Some(seconds * 1000.0 + f64::from(nanos) / 1_000_000.0)
}

/// A text such as `1h30m` in milliseconds.
///
/// # Example
/// ```
/// assert_eq!(stepgraph_expression::duration_ms("1.5s"), Some(1500.0));
/// ```
#[inline(never)]
pub fn duration_ms(text: &str) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "less than a microsecond")]
    let nanos = parse_duration(text).ok()? as f64;
    Some(nanos / 1_000_000.0)
}

/// Only digits.
fn digits(text: &str) -> Option<i64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Parses `.5Z` to nanoseconds and the rest.
fn fraction(text: &str) -> Option<(u32, &str)> {
    let Some(after) = text.strip_prefix('.') else { return Some((0, text)) };
    let length = after.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, zone) = after.split_at_checked(length)?;
    let nanos = format!("{digits:0<9}");
    let nanos = nanos.get(..9)?.parse().ok()?;
    (length > 0).then_some((nanos, zone))
}

/// Parses `Z`, `UTC`, `+02:00` or `02:00` to seconds east of UTC. Place names need tables that change.
pub(crate) fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z" | "UTC") {
        return Some(0);
    }
    let unsigned = zone.strip_prefix(['+', '-']).unwrap_or(zone);
    let (hours, minutes) = unsigned.split_once(':')?;
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    if hours > 23 || minutes > 59 || unsigned.len() != 5 {
        return None;
    }
    let seconds = hours * 3600 + minutes * 60;
    Some(if zone.starts_with('-') { -seconds } else { seconds })
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Since 1970. Years start in March here, so a leap day is the last day.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

fn push_fraction(text: &mut String, nanos: u32) {
    if nanos > 0 {
        let digits = format!("{nanos:09}");
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
}

/// Why a text is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DurationError {
    Unreadable,
    TooLong,
}

/// Parses `1h30m`, `-2.5s` or `100ms` to nanoseconds.
pub(crate) fn parse_duration(text: &str) -> Result<i64, DurationError> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "0" {
        return Ok(0);
    }
    let (mut rest, mut total) = (unsigned, Some(0_i64));
    while !rest.is_empty() || unsigned.is_empty() {
        let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (digits, after) = rest.split_at_checked(number).ok_or(DurationError::Unreadable)?;
        let length = after.len() - after.trim_start_matches(char::is_alphabetic).len();
        let (unit, after) = after.split_at_checked(length).ok_or(DurationError::Unreadable)?;
        let unit = nanos_of(unit).ok_or(DurationError::Unreadable)?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return Err(DurationError::Unreadable);
        }
        total =
            total.zip(duration_part(whole, fraction, unit)).and_then(|(total, part)| total.checked_add(part));
        rest = after;
    }
    let nanos = total.ok_or(DurationError::TooLong)?;
    Ok(if text.starts_with('-') { -nanos } else { nanos })
}

/// In nanoseconds. `None` if too long.
fn duration_part(whole: &str, fraction: &str, unit: i64) -> Option<i64> {
    let mut total = if whole.is_empty() { 0 } else { digits(whole)?.checked_mul(unit)? };
    let mut unit = unit;
    // Ignores digits below a nanosecond.
    for digit in fraction.bytes().take(18) {
        total = total.checked_add(unit / 10 * i64::from(digit - b'0'))?;
        unit /= 10;
    }
    Some(total)
}

fn nanos_of(unit: &str) -> Option<i64> {
    Some(match unit {
        "h" => 3600 * NANOS,
        "m" => 60 * NANOS,
        "s" => NANOS,
        "ms" => 1_000_000,
        "us" | "µs" | "μs" => 1000,
        "ns" => 1,
        _ => return None,
    })
}

/// In seconds, such as `5400s` or `-2.5s`.
pub(crate) fn duration_text(nanos: i64) -> String {
    let size = nanos.unsigned_abs();
    let mut text = if nanos < 0 { "-".to_owned() } else { String::new() };
    // Never fails.
    let _ = write!(text, "{}", size / NANOS.unsigned_abs());
    push_fraction(&mut text, u32::try_from(size % NANOS.unsigned_abs()).unwrap_or(0));
    text.push('s');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_and_written() {
        for (text, expect) in [
            ("2026-11-25T18:00:00Z", "2026-11-25T18:00:00Z"),
            ("2026-11-25T18:00:00.50+02:00", "2026-11-25T16:00:00.5Z"),
            ("1969-12-31t23:59:59.999999999-00:00", "1969-12-31T23:59:59.999999999Z"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            ("2023-02-29T00:00:00Z", "-"),
            ("0001-01-01T00:00:00+01:00", "-"),
            ("2026-11-25", "-"),
            ("2026-11-25T18:00:00", "-"),
            ("2026-11-25T24:00:00Z", "-"),
            ("2026-13-25T18:00:00Z", "-"),
            ("2026-11-25T18:00:00.Z", "-"),
            ("+026-11-25T18:00:00Z", "-"),
        ] {
            let got = Timestamp::parse(text).map_or("-".to_owned(), Timestamp::text);
            assert_eq!(got, expect, "{text}");
        }
    }

    #[test]
    fn days_count_through_all_years() {
        let mut expect = -719_162;
        for year in 1..=9999 {
            for month in 1..=12 {
                assert_eq!(days_from_civil(year, month, 1), expect);
                assert_eq!(civil_from_days(expect), (year, month, 1));
                expect += days_in_month(year, month);
            }
        }
    }

    #[test]
    fn durations_are_read_and_written() {
        for (text, expect) in [
            ("1h30m", "5400s"),
            ("-2.5s", "-2.5s"),
            ("100ms", "0.1s"),
            ("1.5h", "5400s"),
            ("3us4ns", "0.000003004s"),
            ("0", "0s"),
            (".5s", "0.5s"),
            ("", "-"),
            ("-", "-"),
            ("5", "-"),
            ("s", "-"),
            ("1d", "-"),
            ("1..5s", "-"),
            ("10000000000s", "too long"),
            ("99999999999999999999s", "too long"),
            ("9000000000s9000000000s", "too long"),
            ("10000000000s1d", "-"),
        ] {
            let got = parse_duration(text);
            let got = match got {
                Ok(nanos) => duration_text(nanos),
                Err(DurationError::TooLong) => "too long".to_owned(),
                Err(DurationError::Unreadable) => "-".to_owned(),
            };
            assert_eq!(got, expect, "{text}");
        }
    }
}
