//! Exact decimals, independent of notation and storage.
//!
//! `1.0` equals `1`, and `0.0075` is a multiple of `0.0001`, unlike as binary fractions.
//!
//! Source: JSON Schema 2020-12 Validation, section 6.2; Core, sections 4.2.2 and 4.2.3.

use serde_json::Number;
use std::cmp::Ordering;

/// `digits` times 10 to the power of `exponent`. The last digit is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
}

fn decimal(number: &Number) -> Decimal {
    let text = number.to_string();
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let mut decimal = Decimal { negative: false, digits: 0, exponent: power.parse().unwrap_or(0) };
    let mut fraction = false;
    for byte in mantissa.bytes() {
        match byte {
            b'-' => decimal.negative = true,
            b'.' => fraction = true,
            _ => {
                decimal.digits = decimal.digits.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                decimal.exponent -= i32::from(fraction);
            }
        }
    }
    if decimal.digits == 0 {
        return Decimal { negative: false, digits: 0, exponent: 0 };
    }
    while decimal.digits.is_multiple_of(10) {
        decimal.digits /= 10;
        decimal.exponent += 1;
    }
    decimal
}

pub(super) fn is_whole(number: &Number) -> bool {
    decimal(number).exponent >= 0
}

pub(super) fn compare(a: &Number, b: &Number) -> Ordering {
    let (a, b) = (decimal(a), decimal(b));
    let sign = |d: &Decimal| if d.digits == 0 { 0 } else { 1 - 2 * i32::from(d.negative) };
    let by_size = sign(&a).cmp(&sign(&b));
    let sizes = if a.negative { by_value(b, a) } else { by_value(a, b) };
    by_size.then(if sign(&a) == 0 { Ordering::Equal } else { sizes })
}

/// Ignores signs. Both must be nonzero.
fn by_value(a: Decimal, b: Decimal) -> Ordering {
    let length = |d: Decimal| i32::try_from(d.digits.to_string().len()).unwrap_or(0) + d.exponent;
    let longer = length(a).cmp(&length(b));
    longer.then_with(|| a.digits.to_string().cmp(&b.digits.to_string()))
}

/// `unit` must be above 0.
pub(super) fn is_multiple(number: &Number, unit: &Number) -> bool {
    let (number, unit) = (decimal(number), decimal(unit));
    if number.digits == 0 {
        return true;
    }
    // Digits without a trailing 0 can't compensate a smaller exponent.
    if unit.digits == 0 || number.exponent < unit.exponent {
        return false;
    }
    let modulus = unit.digits;
    // Adds remainders, since ten times one might overflow.
    let sum = |a: u64, b: u64| if a >= modulus - b { a - (modulus - b) } else { a + b };
    let mut rest = number.digits % modulus;
    for _ in unit.exponent..number.exponent {
        let twice = sum(rest, rest);
        let four = sum(twice, twice);
        rest = sum(sum(four, rest), sum(four, rest));
        if rest == 0 {
            return true;
        }
    }
    rest == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn multiples() {
        for (a, unit, holds) in [
            ("10", "2", true),
            ("7", "2", false),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("4.5", "1.5", true),
            ("-4.5", "1.5", true),
            ("0.3", "0.1", true),
            ("1e308", "0.123456789", false),
            ("12391239123", "1e-8", true),
            ("0", "0.7", true),
            ("18446744073709551615", "5", true),
            ("18446744073709551614", "18446744073709551615", false),
            ("1.5e300", "18446744073709551615", false),
            ("1e-7", "1e-8", true),
            ("1e-8", "1e-7", false),
        ] {
            assert_eq!(is_multiple(&number(a), &number(unit)), holds, "{a} of {unit}");
        }
    }

    #[test]
    fn order() {
        let ascending = [
            "-1e300",
            "-18446744073709551615.0",
            "-9007199254740993",
            "-9007199254740992",
            "-10",
            "-9.5",
            "-0.1",
            "0",
            "1e-300",
            "0.1",
            "0.11",
            "0.9",
            "1",
            "9",
            "9007199254740992.0",
            "9007199254740993",
            "18446744073709551615",
            "1e300",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(compare(&number(a), &number(b)), i.cmp(&j), "{a} and {b}");
            }
        }
        for (a, b) in [("1", "1.0"), ("0", "-0.0"), ("100", "1e2"), ("0.5", "5e-1")] {
            assert_eq!(compare(&number(a), &number(b)), Ordering::Equal, "{a} and {b}");
        }
    }

    #[test]
    fn whole_numbers() {
        for (text, whole) in [("1", true), ("1.0", true), ("1e300", true), ("1.5", false), ("-0.0", true)] {
            assert_eq!(is_whole(&number(text)), whole, "{text}");
        }
    }
}
