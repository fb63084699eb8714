//! Parses `PT1M30S`, or a map of units, to milliseconds.

use stepgraph_core::source::{Spanned, ValueKind};

const UNITS: [(&str, f64); 5] = [
    ("days", 86_400_000.0),
    ("hours", 3_600_000.0),
    ("minutes", 60_000.0),
    ("seconds", 1_000.0),
    ("milliseconds", 1.0),
];

pub(super) fn parse_duration(value: &Spanned) -> Option<f64> {
    match &value.kind {
        ValueKind::Text(text) => parse_iso(text),
        ValueKind::Map(entries) => {
            let mut total = 0.0;
            for entry in entries {
                let (_, unit) = UNITS.iter().find(|(name, _)| *name == entry.key)?;
                let ValueKind::Number(number) = &entry.value.kind else { return None };
                total += number.as_f64()? * unit;
            }
            Some(total)
        }
        _ => None,
    }
}

/// Refuses months and years, which vary in length.
fn parse_iso(text: &str) -> Option<f64> {
    let (days, time) = match text.strip_prefix('P')?.split_once('T') {
        Some((days, time)) => (days, time),
        None => (text.strip_prefix('P')?, ""),
    };
    if days.is_empty() && time.is_empty() {
        return None;
    }
    let days = parse_amounts(days, &[('W', 604_800_000.0), ('D', 86_400_000.0)])?;
    Some(days + parse_amounts(time, &[('H', 3_600_000.0), ('M', 60_000.0), ('S', 1_000.0)])?)
}

fn parse_amounts(text: &str, units: &[(char, f64)]) -> Option<f64> {
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number = stepgraph_core::source::json_number(rest.get(..end)?)?.as_f64()?;
        let unit = rest.get(end..)?.chars().next()?;
        total += number * units.iter().find(|(name, _)| *name == unit)?.1;
        rest = rest.get(end + 1..)?;
    }
    Some(total)
}

pub(super) fn ms_json(ms: f64) -> serde_json::Value {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts of floats stop at the bounds"
    )]
    let whole = ms.max(1.0) as u64;
    serde_json::Value::from(whole)
}

#[cfg(test)]
mod tests {
    use super::parse_iso;

    #[test]
    fn durations() {
        for (text, expect) in [
            ("PT5S", Some(5_000.0)),
            ("PT0.5S", Some(500.0)),
            ("P1DT2H3M4S", Some(93_784_000.0)),
            ("P2W", Some(1_209_600_000.0)),
            ("P1M", None),
            ("PT", None),
            ("P", None),
            ("5s", None),
            ("${ .x }", None),
        ] {
            assert_eq!(parse_iso(text), expect, "{text}");
        }
    }
}
