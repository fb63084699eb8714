//! Decimal text to the nearest 64-bit float, as `str::parse`, whose table adds 12 kB gzipped to each module.
//!
//! Invariant: The time is limited: the parser ignores the value of digits after [`MAX_DIGITS`] and of
//! exponents outside the range.
//!
//! Source: IEEE 754. The longest halfway case of 64-bit floats shows that 768 digits are enough.

/// Further digits matter only if one is not zero.
const MAX_DIGITS: usize = 770;

/// Powers of ten that are exact.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Up to here, floats represent every integer.
const MAX_EXACT: u64 = 1 << 53;

/// The nearest float, infinite outside the range.
///
/// # Example
/// ```
/// use stepgraph_text::parse_float::parse;
/// assert_eq!(parse("-12.5e-3"), Some(-0.0125));
/// assert_eq!(parse("1e999"), Some(f64::INFINITY));
/// assert_eq!(parse("inf"), None);
/// ```
pub fn parse(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.saturating_sub(i64::try_from(fraction.len()).ok()?);
    let value = nearest(digits(), exponent);
    Some(if text.starts_with('-') { -value } else { value })
}

/// Clamps to ±2^40, beyond all floats.
fn parse_exponent(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.is_empty() {
        return None;
    }
    let size = unsigned.bytes().try_fold(0_i64, |size, byte| {
        byte.is_ascii_digit().then(|| (size * 10 + i64::from(byte - b'0')).min(1 << 40))
    })?;
    Some(if text.starts_with('-') { -size } else { size })
}

fn nearest(digits: impl Iterator<Item = u8> + Clone, exponent: i64) -> f64 {
    let significant = digits.skip_while(|digit| *digit == b'0');
    let count = significant.clone().count();
    let small = significant.clone().take(19).fold(0, |sum: u64, digit| sum * 10 + u64::from(digit - b'0'));
    if small == 0 {
        return 0.0;
    }
    let scale = EXACT.get(usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX));
    if let Some(scale) = scale
        && count <= 19
        && small <= MAX_EXACT
    {
        // Both are exact, so only this rounds.
        #[allow(clippy::cast_precision_loss, reason = "floats hold every whole number up to this one")]
        let small = small as f64;
        return if exponent < 0 { small / scale } else { small * scale };
    }
    let magnitude = exponent.saturating_add(i64::try_from(count).unwrap_or(i64::MAX));
    match magnitude {
        310.. => f64::INFINITY,
        ..-330 => 0.0,
        _ => by_long_division(significant, count, exponent),
    }
}

fn by_long_division(significant: impl Iterator<Item = u8> + Clone, count: usize, exponent: i64) -> f64 {
    let mut large = Large::default();
    for digit in significant.clone().take(MAX_DIGITS) {
        large.times_plus(10, u32::from(digit - b'0'));
    }
    let dropped = count.saturating_sub(MAX_DIGITS);
    let mut inexact = significant.skip(MAX_DIGITS).any(|digit| digit != b'0');
    let exponent = exponent.saturating_add(i64::try_from(dropped).unwrap_or(i64::MAX));
    // Ten is five times two. The twos only shift.
    let mut shift = -i32::try_from(exponent).unwrap_or(0);
    let mut fives = exponent.unsigned_abs();
    if exponent < 0 {
        // The quotient needs more bits than a float. One five takes less than 2.4 bits.
        let words = usize::try_from(fives * 3 / 40 + 3).unwrap_or(0);
        large.words.splice(0..0, std::iter::repeat_n(0, words));
        shift += i32::try_from(words * 32).unwrap_or(0);
    }
    while fives > 0 {
        let step = fives.min(13);
        let power = (0..step).fold(1, |power, _| power * 5);
        if exponent < 0 {
            inexact |= large.divide(power) != 0;
        } else {
            large.times_plus(power, 0);
        }
        fives -= step;
    }
    large.round(inexact, shift)
}

/// Lowest 32 bits first, without leading zeros.
#[derive(Default)]
struct Large {
    words: Vec<u32>,
}

impl Large {
    fn times_plus(&mut self, factor: u32, add: u32) {
        let mut carry = u64::from(add);
        for word in &mut self.words {
            carry += u64::from(*word) * u64::from(factor);
            *word = low_bits(carry);
            carry >>= 32;
        }
        if carry > 0 {
            self.words.push(low_bits(carry));
        }
    }

    fn divide(&mut self, by: u32) -> u64 {
        let mut rest = 0;
        for word in self.words.iter_mut().rev() {
            rest = rest << 32 | u64::from(*word);
            *word = low_bits(rest / u64::from(by));
            rest %= u64::from(by);
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
        rest
    }

    /// Divides by 2^`shift`. `inexact` marks a slightly larger true value.
    fn round(&self, inexact: bool, shift: i32) -> f64 {
        let bits = self.words.last().map_or(0, |top| self.words.len() * 32 - top.leading_zeros() as usize);
        let bits = i32::try_from(bits).unwrap_or(i32::MAX);
        // The last bit's exponent.
        let last = (bits - shift - 53).max(-1074);
        let drop = last + shift;
        let bit = |at: i32| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            self.words.get(at / 32).is_some_and(|word| word >> (at % 32) & 1 == 1)
        };
        let mut kept = (drop.max(0)..bits).rev().fold(0_u64, |kept, at| kept << 1 | u64::from(bit(at)));
        if drop < 0 {
            kept <<= drop.unsigned_abs();
        }
        let below = inexact || (0..drop - 1).any(bit);
        if drop > 0 && bit(drop - 1) && (below || kept & 1 == 1) {
            kept += 1;
        }
        // A carry yields the next power of two, or infinity.
        let biased = u64::try_from(last + 1074).unwrap_or(0);
        if biased >= 2046 {
            return f64::INFINITY;
        }
        f64::from_bits((biased << 52) + kept)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the lower half is what is asked for")]
fn low_bits(wide: u64) -> u32 {
    wide as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str) {
        let (got, expect) = (parse(text), text.parse::<f64>().ok());
        assert_eq!(got.map(f64::to_bits), expect.map(f64::to_bits), "{text}: {got:?}, not {expect:?}");
    }

    #[test]
    fn agrees_with_the_standard_library_at_the_edges() {
        for text in [
            "",
            ".",
            "-",
            "+",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1..2",
            "1.2.3",
            "1_0",
            " 1",
            "0x10",
            "0",
            "-0",
            "0e9",
            "0.0",
            "5",
            "+5",
            "1.",
            ".5",
            "-.5",
            "1e22",
            "1e23",
            "9007199254740993",
            "9007199254740992e1",
            "9007199254740993.00000000000000000001",
            "18446744073709551615",
            "18446744073709551616",
            "0.1",
            "1e-5",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e308",
            "1e309",
            "1e-400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "8.98846567431158e307",
            "123456789012345678901234567890e-10",
            "0.000000000000000000000000000000001e300",
        ] {
            check(text);
        }
        // Halfway, and slightly more.
        let half = format!("{:.0}", 2f64.powi(1000) * 1.5);
        for tail in ["", "5", ".5", ".0000001"] {
            check(&format!("{half}{tail}"));
            check(&format!("9007199254740993.{}{tail}", "0".repeat(800)).replace("..", "."));
            check(&format!("1{}{tail}", "0".repeat(300)));
            check(&format!("0.{}1{}", "0".repeat(310), tail.trim_start_matches('.')));
        }
        check(&format!("9007199254740993.{}1", "0".repeat(900)));
        check(&format!("1{}e-{}", "0".repeat(2000), 2000));
        check(&format!("0.{}1e{}", "0".repeat(2000), 2001));
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(bits: u64, digits in "[0-9]{1,30}", at in 0_usize..30, power in -345_i32..330) {
            let float = f64::from_bits(bits);
            if float.is_finite() {
                check(&format!("{float:e}"));
                check(&format!("{float}"));
                // The exact halfway point.
                check(&format!("{:.800}", float / 2.0));
            }
            let (whole, fraction) = digits.split_at(at.min(digits.len()));
            check(&format!("{whole}.{fraction}e{power}"));
        }
    }
}
