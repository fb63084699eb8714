//! Evaluates calls.

use super::operator::{finite, overflow};
use super::{Evaluator, fault};
use crate::base::{Span, shorten_name};
use crate::error::{Error, INVALID_VALUE, TYPE};
use crate::function::Function;
use crate::program::Args;
use crate::time::{Timestamp, offset};
use crate::value::{Fallible, Val};

impl<'a> Evaluator<'a> {
    /// A missing argument makes the result missing.
    pub(super) fn call(&mut self, function: Function, args: Args) -> Fallible<Val<'a>> {
        if matches!(function, Function::Least | Function::Greatest) {
            return self.extreme(function, args);
        }
        let mut given = [Val::Missing, Val::Missing, Val::Missing, Val::Missing];
        let mut missing = false;
        for (slot, arg) in given.iter_mut().zip(self.context.program.args(args)) {
            *slot = self.eval(*arg)?;
            missing |= slot.is_missing();
        }
        if missing {
            return Ok(Val::Missing);
        }
        let values = given.get(..args.count as usize).unwrap_or(&given);
        let [first, second, ..] = &given;
        match function {
            Function::Size => self.size(first),
            Function::Join => self.join(first, second),
            Function::Contains | Function::StartsWith | Function::EndsWith => {
                self.test_text(function, values)
            }
            Function::Matches
            | Function::LowerAscii
            | Function::UpperAscii
            | Function::Trim
            | Function::Split
            | Function::Replace
            | Function::Substring
            | Function::IndexOf
            | Function::LastIndexOf
            | Function::CharAt => self.text_function(function, values),
            Function::Sum
            | Function::Sort
            | Function::Reverse
            | Function::Distinct
            | Function::Flatten
            | Function::Slice => self.list_function(function, values),
            Function::Dyn => Ok(*first),
            Function::TypeOf => Ok(Val::Type(first.type_name())),
            Function::Abs | Function::Round | Function::Ceil | Function::Floor => {
                round_number(function, first)
            }
            Function::String | Function::Int | Function::Double | Function::Bool => {
                self.convert(function, first)
            }
            Function::Timestamp | Function::Duration => self.convert_time(function, first),
            function => self.part_of_time(function, first, second),
        }
    }

    fn size(&mut self, value: &Val<'a>) -> Fallible<Val<'a>> {
        Ok(Val::count(match value {
            Val::Text(text) => self.read(*text)?.chars().count(),
            Val::List(items) => items.len(),
            Val::Map(entries) => entries.len() / 2,
            Val::RemoteList(id) => self.context.host.count(*id),
            Val::RemoteMap(id) => {
                // The host counts keys one by one.
                let count = self.context.host.count(*id);
                self.charge_steps(count)?;
                count
            }
            other => return Err(Self::type_fault(Function::Size, other)),
        }))
    }

    /// Evaluates `math.least` and `math.greatest`.
    fn extreme(&mut self, function: Function, args: Args) -> Fallible<Val<'a>> {
        let mut best = None;
        if let [only] = self.context.program.args(args) {
            let only = self.eval(*only)?;
            if matches!(only, Val::List(_) | Val::RemoteList(_)) {
                self.visit_elements(&only, &mut |evaluator, item| {
                    let item = evaluator.variable_value(item);
                    evaluator.charge_steps(1)?;
                    evaluator.better(function, &mut best, item)?;
                    Ok(true)
                })?;
                return best.ok_or_else(|| {
                    let mut error = fault(INVALID_VALUE, &format!("`{}` of an empty list", function.name()));
                    error.help = Some("test `size(list) > 0` first".to_owned());
                    error
                });
            }
            self.better(function, &mut best, only)?;
            return Ok(best.unwrap_or(Val::Missing));
        }
        for arg in self.context.program.args(args) {
            let value = self.eval(*arg)?;
            if value.is_missing() {
                return Ok(Val::Missing);
            }
            self.better(function, &mut best, value)?;
        }
        Ok(best.unwrap_or(Val::Missing))
    }

    fn better(&mut self, function: Function, best: &mut Option<Val<'a>>, value: Val<'a>) -> Fallible<()> {
        if !matches!(value, Val::Int(_) | Val::Double(_) | Val::Missing) {
            return Err(Self::type_fault(function, &value));
        }
        let wins = match best {
            None => true,
            Some(known) => self
                .order(&value, known)?
                .is_some_and(|order| if function == Function::Least { order.is_lt() } else { order.is_gt() }),
        };
        if wins {
            *best = Some(value);
        }
        Ok(())
    }

    /// Evaluates `getFullYear` and the like.
    fn part_of_time(&mut self, function: Function, value: &Val<'a>, zone: &Val<'a>) -> Fallible<Val<'a>> {
        match value {
            Val::Timestamp(time) => {
                let offset = self.zone(function, zone)?;
                Ok(Val::Int(part_of_timestamp(function, *time, offset)))
            }
            Val::Duration(_) if !zone.is_missing() => {
                let message = format!("`{}` of a duration accepts no offset", function.name());
                Err(Box::new(Error::new(TYPE, super::UNPLACED, &message).help("remove the argument")))
            }
            Val::Duration(nanos) => match function {
                Function::Hours => Ok(Val::Int(nanos / 3_600_000_000_000)),
                Function::Minutes => Ok(Val::Int(nanos / 60_000_000_000)),
                Function::Seconds => Ok(Val::Int(nanos / 1_000_000_000)),
                Function::Milliseconds => Ok(Val::Int(nanos % 1_000_000_000 / 1_000_000)),
                _ => Err(Self::type_fault(function, value)),
            },
            other => Err(Self::type_fault(function, other)),
        }
    }

    fn zone(&mut self, function: Function, zone: &Val<'a>) -> Fallible<i64> {
        let text = match zone {
            Val::Missing => return Ok(0),
            Val::Text(text) => self.read(*text)?,
            other => return Err(Self::type_fault(function, other)),
        };
        offset(text).ok_or_else(|| Box::new(invalid_zone(text, super::UNPLACED)))
    }
}

/// For a text that is not the offset of a time zone.
pub(crate) fn invalid_zone(text: &str, span: Span) -> Error {
    let error = Error::new(INVALID_VALUE, span, &format!("`{}` is no offset from UTC", shorten_name(text)));
    error.help("write `+02:00` or `UTC`; names of time zones are not supported")
}

fn part_of_timestamp(function: Function, time: Timestamp, offset: i64) -> i64 {
    let civil = time.civil(offset);
    match function {
        Function::FullYear => civil.year,
        Function::Month => civil.month - 1,
        Function::Date => civil.day,
        Function::DayOfMonth => civil.day - 1,
        Function::DayOfWeek => civil.weekday,
        Function::DayOfYear => civil.day_of_year,
        Function::Hours => civil.hour,
        Function::Minutes => civil.minute,
        Function::Seconds => civil.second,
        _ => i64::from(time.nanos / 1_000_000),
    }
}

fn round_number<'a>(function: Function, value: &Val<'a>) -> Fallible<Val<'a>> {
    match (function, value) {
        (Function::Abs, Val::Int(number)) => number.checked_abs().map(Val::Int).ok_or_else(overflow),
        (_, Val::Int(number)) => Ok(Val::Int(*number)),
        (Function::Abs, Val::Double(number)) => finite(number.abs()),
        (Function::Round, Val::Double(number)) => finite(number.round()),
        (Function::Ceil, Val::Double(number)) => finite(number.ceil()),
        (_, Val::Double(number)) => finite(number.floor()),
        (function, other) => {
            let message = format!("`{}` rounds numbers, not {}", function.name(), other.describe());
            Err(fault(TYPE, &message))
        }
    }
}
