//! The oracle's text functions, on lists of characters.

use super::Naive::{self, Bool, Int, List, Map, Text};
use super::{F, Result, fault, position, whole};

pub(super) fn size(value: &Naive) -> Result {
    Ok(Int(match value {
        Text(text) => text.chars().count(),
        List(items) => items.len(),
        Map(entries) => entries.len(),
        _ => return fault("type"),
    } as i64))
}

pub(super) fn join(list: &Naive, separator: &Naive) -> Result {
    let List(items) = list else { return fault("type") };
    let Text(separator) = separator else { return fault("type") };
    let mut parts = Vec::new();
    for item in items {
        match item {
            Text(text) => parts.push(text.clone()),
            _ => return fault("type"),
        }
    }
    Ok(Text(parts.join(separator)))
}

pub(super) fn text(function: F, values: &[Naive]) -> Result {
    // Types are checked before values.
    let texts = match function {
        F::Replace => 3,
        F::Substring | F::CharAt => 1,
        _ => 2,
    };
    let fits = |(at, value): (usize, &Naive)| {
        if at < texts { matches!(value, Text(_)) } else { whole(value).is_some() }
    };
    if !values.iter().enumerate().all(fits) {
        return fault("type");
    }
    let Text(whole_text) = &values[0] else { return fault("type") };
    let chars: Vec<char> = whole_text.chars().collect();
    let argument = |at: usize| match values.get(at) {
        Some(Text(text)) => Ok(text.chars().collect::<Vec<char>>()),
        _ => fault("type"),
    };
    let place = |value: &Naive| {
        let at = position(value)?;
        if at > chars.len() { fault("out-of-range") } else { Ok(at) }
    };
    let made = |chars: &[char]| Text(chars.iter().collect());
    let found = |at: usize, part: &[char]| chars[at..].starts_with(part);
    Ok(match function {
        F::Contains => {
            let part = argument(1)?;
            Bool((0..=chars.len()).any(|at| found(at, &part)))
        }
        F::StartsWith => Bool(chars.starts_with(&argument(1)?)),
        F::EndsWith => Bool(chars.ends_with(&argument(1)?)),
        F::LowerAscii => Text(whole_text.chars().map(|c| c.to_ascii_lowercase()).collect()),
        F::Trim => Text(whole_text.trim().to_owned()),
        F::CharAt => {
            let at = place(&values[1])?;
            made(&chars[at..(at + 1).min(chars.len())])
        }
        F::Substring => {
            let start = place(&values[1])?;
            let end = values.get(2).map_or(Ok(chars.len()), place)?;
            if end < start {
                return fault("out-of-range");
            }
            made(&chars[start..end])
        }
        F::IndexOf | F::LastIndexOf => {
            let part = argument(1)?;
            let from = values.get(2).map(place).transpose()?;
            let at = if function == F::IndexOf {
                (from.unwrap_or(0)..=chars.len()).find(|at| found(*at, &part))
            } else {
                (0..=from.unwrap_or(chars.len())).rev().find(|at| found(*at, &part))
            };
            Int(at.map_or(-1, |at| at as i64))
        }
        F::Split => {
            let separator: String = argument(1)?.iter().collect();
            let limit = limit(values.get(2))?;
            List(split(whole_text, &separator, limit).into_iter().map(Text).collect())
        }
        _ => {
            let (old, new) =
                (argument(1)?.iter().collect::<String>(), argument(2)?.iter().collect::<String>());
            Text(whole_text.replacen(&old, &new, limit(values.get(3))?))
        }
    })
}

fn limit(value: Option<&Naive>) -> Result<usize> {
    match value {
        None => Ok(usize::MAX),
        Some(value) => match whole(value) {
            Some(limit) => Ok(usize::try_from(limit).unwrap_or(usize::MAX)),
            None => fault("type"),
        },
    }
}

/// Like Go's `strings.SplitN`, which CEL's extension refers to.
fn split(text: &str, separator: &str, limit: usize) -> Vec<String> {
    if limit == 0 {
        return Vec::new();
    }
    if separator.is_empty() {
        let chars: Vec<String> = text.chars().map(String::from).collect();
        if chars.len() <= limit {
            return chars;
        }
        let (first, rest) = chars.split_at(limit - 1);
        return first.iter().cloned().chain([rest.concat()]).collect();
    }
    text.splitn(limit, separator).map(str::to_owned).collect()
}
