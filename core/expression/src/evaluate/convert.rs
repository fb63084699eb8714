//! Converts between kinds.

use super::operator::{to_double, whole};
use super::{Evaluator, fault};
use crate::base::{number_text, parse_float, shorten_name};
use crate::error::{Error, INVALID_VALUE, OVERFLOW};
use crate::function::Function;
use crate::time::{DurationError, Timestamp, duration_text, parse_duration};
use crate::value::{Fallible, Val};

impl<'a> Evaluator<'a> {
    pub(super) fn convert(&mut self, function: Function, value: &Val<'a>) -> Fallible<Val<'a>> {
        match (function, value) {
            (Function::String, Val::Text(_))
            | (Function::Int, Val::Int(_))
            | (Function::Double, Val::Double(_))
            | (Function::Bool, Val::Bool(_)) => Ok(*value),
            (Function::String, value) => {
                let text = scalar_text(value).ok_or_else(|| no_text_error(value))?;
                self.charge_bytes(text.len())?;
                Ok(self.new_text(text))
            }
            (Function::Int, Val::Double(number)) => truncated(*number),
            (Function::Int, Val::Timestamp(time)) => Ok(Val::Int(time.seconds)),
            (Function::Double, Val::Int(number)) => Ok(Val::Double(to_double(*number))),
            (_, Val::Text(text)) => {
                let text = self.read(*text)?;
                // The exact value of many digits takes long.
                self.charge_steps(text.len())?;
                from_text(function, text)
            }
            (function, other) => Err(Self::type_fault(function, other)),
        }
    }

    pub(super) fn convert_time(&mut self, function: Function, value: &Val<'a>) -> Fallible<Val<'a>> {
        match (function, value) {
            (Function::Timestamp, Val::Timestamp(_)) | (Function::Duration, Val::Duration(_)) => Ok(*value),
            (Function::Timestamp, Val::Text(text)) => {
                let text = self.read(*text)?;
                let found = Timestamp::parse(text).map(Val::Timestamp);
                found.ok_or_else(|| {
                    let is_date = Timestamp::parse(&format!("{text}T00:00:00Z")).is_some();
                    unreadable(text, "a timestamp", if is_date { DATE_HELP } else { TIMESTAMP_HELP })
                })
            }
            (Function::Timestamp, Val::Int(_) | Val::Double(_)) => {
                let found = whole(value).and_then(Timestamp::from_seconds).map(Val::Timestamp);
                found.ok_or_else(|| {
                    let message = "the number is no whole number of seconds in the years 1 to 9999";
                    out_of_range(message, "pass seconds since 1970, as in `timestamp(1800000000)`")
                })
            }
            (Function::Duration, Val::Text(text)) => {
                let text = self.read(*text)?;
                match parse_duration(text) {
                    Ok(nanos) => Ok(Val::Duration(nanos)),
                    Err(DurationError::Unreadable) => {
                        Err(unreadable(text, "a duration", "write it as in `1h30m` or `2.5s`"))
                    }
                    Err(DurationError::TooLong) => {
                        let short = shorten_name(text);
                        let message = format!("\"{short}\" is longer than the 292 years of a duration");
                        Err(out_of_range(&message, "write a shorter duration"))
                    }
                }
            }
            (function, other) => Err(Self::type_fault(function, other)),
        }
    }
}

/// `None` for lists, maps, texts and `null`.
pub(super) fn scalar_text(value: &Val<'_>) -> Option<String> {
    Some(match value {
        Val::Bool(truth) => truth.to_string(),
        Val::Int(number) => number.to_string(),
        Val::Double(number) => number_text(*number),
        Val::Timestamp(time) => time.text(),
        Val::Duration(nanos) => duration_text(*nanos),
        Val::Type(name) => (*name).to_owned(),
        _ => return None,
    })
}

pub(crate) const TEXT_HELP: &str =
    "write `x ?? \"\"` for a value that may be null, or `list.join(\", \")` for a list";

const TIMESTAMP_HELP: &str = "write it as in `2026-11-25T18:00:00Z`";
/// A date has no time zone, and none is guessed.
const DATE_HELP: &str = "add a time and a time zone to the date, as in `timestamp(x + \"T00:00:00Z\")`";

fn no_text_error(value: &Val<'_>) -> Box<Error> {
    let mut error = Evaluator::type_fault(Function::String, value);
    error.help = Some(TEXT_HELP.to_owned());
    error
}

fn truncated<'a>(number: f64) -> Fallible<Val<'a>> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if number <= -LIMIT || number >= LIMIT {
        return Err(too_large());
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    let whole = number as i64;
    Ok(Val::Int(whole))
}

fn from_text<'a>(function: Function, text: &str) -> Fallible<Val<'a>> {
    let found = match function {
        Function::Int if is_whole(text) => return text.parse().map(Val::Int).map_err(|_| too_large()),
        Function::Int => None,
        Function::Double => match parse_float(text) {
            Some(number) if !number.is_finite() && text.ends_with(|c: char| c.is_ascii_digit()) => {
                return Err(out_of_range(
                    "the number is outside the range of numbers",
                    "pass a smaller number",
                ));
            }
            found => found.filter(|number| number.is_finite()).map(Val::Double),
        },
        _ => match text {
            "true" | "True" | "TRUE" | "t" | "1" => Some(Val::Bool(true)),
            "false" | "False" | "FALSE" | "f" | "0" => Some(Val::Bool(false)),
            _ => None,
        },
    };
    found.ok_or_else(|| match function {
        Function::Int => unreadable(text, "a whole number", "write `double(x)` for numbers with a point"),
        Function::Double => unreadable(text, "a number", "pass a text such as `12.5`"),
        _ => unreadable(text, "a truth value", "pass `true` or `false`, or compare the text"),
    })
}

fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn too_large() -> Box<Error> {
    out_of_range("the number is outside the range of integers", "write `double(x)` for larger numbers")
}

fn out_of_range(message: &str, help: &str) -> Box<Error> {
    let mut error = fault(OVERFLOW, message);
    error.help = Some(help.to_owned());
    error
}

fn unreadable(text: &str, what: &str, help: &str) -> Box<Error> {
    let mut error = fault(INVALID_VALUE, &format!("\"{}\" is not {what}", shorten_name(text)));
    error.help = Some(help.to_owned());
    error
}
