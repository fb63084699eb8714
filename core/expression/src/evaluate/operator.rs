//! Evaluates arithmetic, order, membership and indexing.

use super::quick::holds;
use super::{EvalContext, Evaluator, fault};
use crate::base::{Segment, View, list_index};
use crate::error::{DIVIDE_BY_ZERO, Error, INVALID_VALUE, OUT_OF_RANGE, OVERFLOW, TYPE};
use crate::function::{Form, Function};
use crate::parser::usage;
use crate::value::{Fallible, Text, Val};
use crate::value_source::ValueId;
use std::cmp::Ordering;

pub(super) fn unary<'a>(function: Function, operand: &Val<'a>) -> Fallible<Val<'a>> {
    match (function, operand) {
        (Function::Not, Val::Missing) => Ok(Val::Bool(true)),
        (Function::Not, Val::Bool(truth)) => Ok(Val::Bool(!truth)),
        (_, Val::Missing) => Ok(Val::Missing),
        (Function::Negate, Val::Int(number)) => number.checked_neg().map(Val::Int).ok_or_else(overflow),
        (Function::Negate, Val::Double(number)) => Ok(Val::Double(-number)),
        (function, other) => Err(Evaluator::type_fault(function, other)),
    }
}

/// For operands of which one is a timestamp or a duration.
pub(crate) fn time_help(function: Function) -> String {
    match function {
        Function::Less | Function::LessEqual | Function::Greater | Function::GreaterEqual => {
            "compare two timestamps or two durations, as in `timestamp(x) < timestamp(y)` or \
             `timestamp(x) - timestamp(y) > duration(\"5s\")`"
                .to_owned()
        }
        Function::In => help(function),
        function if function.form() == Form::Operator => {
            "add and subtract times, as in `timestamp(x) + duration(\"1h\")`; write `duration(\"0s\") - x` for \
             the negative of a duration"
                .to_owned()
        }
        function => help(function),
    }
}

/// How to use an operator or a function.
pub fn help(function: Function) -> String {
    match function {
        Function::Not => "compare the value, as in `x != 0` or `!has(x)`".to_owned(),
        Function::Add => {
            "add numbers, texts, lists or times; write `string(x)` to make text of a number".to_owned()
        }
        Function::Less | Function::LessEqual | Function::Greater | Function::GreaterEqual => {
            "compare two numbers or two texts; write `double(x)` to read a number from text".to_owned()
        }
        Function::In => {
            "write `x in list` or `key in map`; for a part of a text, write `text.contains(part)`".to_owned()
        }
        Function::Modulo => {
            "divide whole numbers; write `int(x)` to read one from text or to cut off a fraction".to_owned()
        }
        function if function.form() == Form::Operator => {
            "calculate with numbers; write `double(x)` to read a number from text".to_owned()
        }
        function => usage(function),
    }
}

pub(super) fn overflow() -> Box<Error> {
    let error = Error::new(OVERFLOW, super::UNPLACED, "the result is outside the range of numbers");
    Box::new(error.help("calculate with smaller numbers, or with a point, as in `2.0 * x`"))
}

pub(super) fn finite<'a>(number: f64) -> Fallible<Val<'a>> {
    if number.is_finite() { Ok(Val::Double(number)) } else { Err(overflow()) }
}

#[expect(clippy::cast_precision_loss, reason = "a mixed operation is one of doubles")]
pub(super) fn to_double(number: i64) -> f64 {
    number as f64
}

/// As doubles, like CEL.
pub(super) fn compare_mixed(int: i64, double: f64) -> Ordering {
    to_double(int).partial_cmp(&double).unwrap_or(Ordering::Equal)
}

impl<'a> Evaluator<'a> {
    pub(super) fn binary(
        &mut self,
        function: Function,
        left: &Val<'a>,
        right: &Val<'a>,
    ) -> Fallible<Val<'a>> {
        let missing = left.is_missing() || right.is_missing();
        match function {
            Function::Equal => Ok(Val::Bool(!missing && self.equal(left, right)?)),
            Function::NotEqual => Ok(Val::Bool(!missing && !self.equal(left, right)?)),
            Function::In => Ok(Val::Bool(!missing && self.contains_element(right, left, Function::In)?)),
            Function::Less | Function::LessEqual | Function::Greater | Function::GreaterEqual => {
                Ok(Val::Bool(!missing && self.ordered(function, left, right)?))
            }
            _ if missing => Ok(Val::Missing),
            Function::Add => self.add(left, right),
            function => arithmetic(function, left, right),
        }
    }

    fn ordered(&mut self, function: Function, left: &Val<'a>, right: &Val<'a>) -> Fallible<bool> {
        let order = self.order(left, right)?.ok_or_else(|| type_error(function, left, right))?;
        Ok(holds(function, order))
    }

    /// `None` if they have no order.
    pub(super) fn order(&mut self, left: &Val<'a>, right: &Val<'a>) -> Fallible<Option<Ordering>> {
        Ok(match (left, right) {
            (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
            (Val::Double(a), Val::Double(b)) => a.partial_cmp(b),
            (Val::Int(a), Val::Double(b)) => Some(compare_mixed(*a, *b)),
            (Val::Double(a), Val::Int(b)) => Some(compare_mixed(*b, *a).reverse()),
            (Val::Text(a), Val::Text(b)) => {
                let (a, b) = (self.read(*a)?, self.read(*b)?);
                Some(a.cmp(b))
            }
            (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
            (Val::Timestamp(a), Val::Timestamp(b)) => Some(a.cmp(b)),
            (Val::Duration(a), Val::Duration(b)) => Some(a.cmp(b)),
            _ => None,
        })
    }

    fn add(&mut self, left: &Val<'a>, right: &Val<'a>) -> Fallible<Val<'a>> {
        match (left, right) {
            (Val::Text(a), Val::Text(b)) => {
                let (a, b) = (self.read(*a)?, self.read(*b)?);
                self.charge_bytes(a.len() + b.len())?;
                Ok(self.new_text([a, b].concat()))
            }
            (Val::List(_) | Val::RemoteList(_), Val::List(_) | Val::RemoteList(_)) => {
                let mut items = Vec::new();
                for list in [left, right] {
                    self.visit_elements(list, &mut |evaluator, item| {
                        evaluator.charge_bytes(size_of::<Val<'_>>())?;
                        items.push(evaluator.variable_value(item));
                        Ok(true)
                    })?;
                }
                Ok(self.new_list(items))
            }
            _ => arithmetic(Function::Add, left, right),
        }
    }

    pub(super) fn index(&mut self, operand: &Val<'a>, index: &Val<'a>) -> Fallible<Val<'a>> {
        match (operand, index) {
            (Val::Missing, _) | (_, Val::Missing) => Ok(Val::Missing),
            (Val::Map(entries), _) => Ok(self.value_of(entries, index)?.unwrap_or(Val::Missing)),
            (Val::List(_) | Val::RemoteList(_), Val::Text(key)) => {
                let element =
                    list_index(self.read(*key)?).map(|index| self.step(operand, &Segment::Index(index)));
                Ok(element.unwrap_or(Val::Missing))
            }
            (Val::List(_) | Val::RemoteList(_), index) => {
                let index = position(index, "a position in a list")?;
                Ok(self.step(operand, &Segment::Index(index)))
            }
            (Val::RemoteMap(id), Val::Text(key)) => {
                let key = self.read(*key)?;
                Ok(self
                    .context
                    .host
                    .entry(*id, key)
                    .map_or(Val::Missing, |id| Val::of(self.context.host, id, &super::EMPTY)))
            }
            _ => Ok(Val::Missing),
        }
    }

    pub(super) fn step(&self, value: &Val<'a>, segment: &Segment) -> Val<'a> {
        let at = |key: &str| list_index(key);
        match (value, segment) {
            (Val::RemoteList(id), Segment::Index(index)) => self.remote_element(*id, *index),
            (Val::RemoteList(id), Segment::Key(key)) => {
                at(key).map_or(Val::Missing, |index| self.remote_element(*id, index))
            }
            (Val::RemoteMap(id), Segment::Key(key)) => self
                .context
                .host
                .entry(*id, key)
                .map_or(Val::Missing, |id| Val::of(self.context.host, id, &super::EMPTY)),
            (Val::List(items), Segment::Index(index)) => items.get(*index).copied().unwrap_or(Val::Missing),
            (Val::List(items), Segment::Key(key)) => {
                at(key).and_then(|index| items.get(index).copied()).unwrap_or(Val::Missing)
            }
            (Val::Map(entries), segment) => {
                let EvalContext { program, host, arena } = self.context;
                let same = |key: &Val<'a>| match (key, segment) {
                    (Val::Text(text), Segment::Key(key)) => text.read(program, host, arena) == key,
                    (Val::Int(number), Segment::Index(index)) => usize::try_from(*number) == Ok(*index),
                    _ => false,
                };
                let mut entries = entries.chunks_exact(2).filter_map(|entry| entry.first().zip(entry.last()));
                entries.find(|(key, _)| same(key)).map_or(Val::Missing, |(_, value)| *value)
            }
            _ => Val::Missing,
        }
    }

    fn remote_element(&self, id: ValueId, index: usize) -> Val<'a> {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        self.element_at(id, index, &super::EMPTY).0
    }

    pub(super) fn check_key(&mut self, key: &Val<'a>, entries: &[Val<'a>]) -> Fallible<()> {
        let fits = matches!(key, Val::Text(_) | Val::Int(_) | Val::Bool(_));
        if !fits {
            let found = if matches!(key, Val::Double(_)) { "a fraction" } else { key.describe() };
            let mut error =
                fault(TYPE, &format!("a key is text, a whole number or a truth value, not {found}"));
            error.help = Some("write `string(x)` for the key".to_owned());
            return Err(error);
        }
        if self.value_of(entries, key)?.is_some() {
            return Err(fault(INVALID_VALUE, "a map has the same key twice"));
        }
        Ok(())
    }
}

/// Beyond every list for a number that is too large to be exact.
pub(super) fn position(value: &Val<'_>, what: &str) -> Fallible<usize> {
    let huge = match value {
        Val::Double(number) if number.abs() > EXACT => Some(if *number > 0.0 { i64::MAX } else { i64::MIN }),
        _ => None,
    };
    let number = whole(value).or(huge).ok_or_else(|| {
        let found = if matches!(value, Val::Double(_)) { "a fraction" } else { value.describe() };
        fault(TYPE, &format!("{what} is a whole number, not {found}"))
    })?;
    if number < 0 {
        let error = Error::new(OUT_OF_RANGE, super::UNPLACED, &format!("{what} is not negative"));
        let help = "count from the beginning, as in `list[size(list) - 1]` for the last element";
        return Err(Box::new(error.help(help)));
    }
    // WebAssembly counts with 32 bits.
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}

/// Accepts doubles without a fraction.
pub(super) fn whole(value: &Val<'_>) -> Option<i64> {
    match value {
        Val::Int(number) => Some(*number),
        Val::Double(number) => whole_double(*number),
        _ => None,
    }
}

/// Only where doubles represent every integer.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(super) fn whole_double(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// Up to here a double represents every integer.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn arithmetic<'a>(function: Function, left: &Val<'a>, right: &Val<'a>) -> Fallible<Val<'a>> {
    match (left, right) {
        (Val::Int(a), Val::Int(b)) => integer_operation(function, *a, *b),
        (Val::Double(a), Val::Double(b)) => double_operation(function, *a, *b),
        (Val::Int(a), Val::Double(b)) => double_operation(function, to_double(*a), *b),
        (Val::Double(a), Val::Int(b)) => double_operation(function, *a, to_double(*b)),
        _ => time_operation(function, left, right),
    }
}

fn integer_operation<'a>(function: Function, a: i64, b: i64) -> Fallible<Val<'a>> {
    if b == 0 && matches!(function, Function::Divide | Function::Modulo) {
        return Err(division_by_zero());
    }
    let result = match function {
        Function::Add => a.checked_add(b),
        Function::Subtract => a.checked_sub(b),
        Function::Multiply => a.checked_mul(b),
        Function::Divide => a.checked_div(b),
        // `i64::MIN % -1` overflows, but its remainder is 0.
        _ => Some(a.checked_rem(b).unwrap_or(0)),
    };
    result.map(Val::Int).ok_or_else(overflow)
}

fn double_operation<'a>(function: Function, a: f64, b: f64) -> Fallible<Val<'a>> {
    if b == 0.0 && matches!(function, Function::Divide | Function::Modulo) {
        return Err(division_by_zero());
    }
    match function {
        Function::Add => finite(a + b),
        Function::Subtract => finite(a - b),
        Function::Multiply => finite(a * b),
        Function::Divide => finite(a / b),
        _ => match (whole_double(a), whole_double(b)) {
            (Some(a), Some(b)) => Ok(Val::Double(to_double(a % b))),
            _ => Err(fault(TYPE, "`%` accepts whole numbers of up to 15 digits")),
        },
    }
}

fn division_by_zero() -> Box<Error> {
    let error = Error::new(DIVIDE_BY_ZERO, super::UNPLACED, "a number is divided by zero");
    Box::new(error.help("test the divisor first, as in `n != 0 ? x / n : 0`"))
}

fn time_operation<'a>(function: Function, left: &Val<'a>, right: &Val<'a>) -> Fallible<Val<'a>> {
    let result = match (function, left, right) {
        (Function::Add, Val::Timestamp(time), Val::Duration(by))
        | (Function::Add, Val::Duration(by), Val::Timestamp(time)) => time.plus(*by).map(Val::Timestamp),
        (Function::Add, Val::Duration(a), Val::Duration(b)) => a.checked_add(*b).map(Val::Duration),
        (Function::Subtract, Val::Timestamp(time), Val::Duration(by)) => {
            by.checked_neg().and_then(|by| time.plus(by)).map(Val::Timestamp)
        }
        (Function::Subtract, Val::Timestamp(a), Val::Timestamp(b)) => a.since(*b).map(Val::Duration),
        (Function::Subtract, Val::Duration(a), Val::Duration(b)) => a.checked_sub(*b).map(Val::Duration),
        _ => return Err(type_error(function, left, right)),
    };
    result.ok_or_else(|| fault(OVERFLOW, "the result is outside the range of timestamps and durations"))
}

fn type_error(function: Function, left: &Val<'_>, right: &Val<'_>) -> Box<Error> {
    let name = function.name();
    let message = format!("`{name}` does not accept {} and {}", left.describe(), right.describe());
    let is_time = [left, right].into_iter().any(Val::is_time);
    let help = if is_time { time_help(function) } else { help(function) };
    Box::new(Error::new(TYPE, super::UNPLACED, &message).help(&help))
}

/// The error of an ordering between a value and a number, as expressions have it. In a reversed comparison the
/// number comes first.
#[cold]
#[inline(never)]
pub fn order_error(operator: Function, value: View<'_>, is_reversed: bool) -> Error {
    let value = match value {
        View::Missing => Val::Missing,
        View::Null => Val::Null,
        View::Bool(truth) => Val::Bool(truth),
        View::Number(number) => Val::Double(number),
        View::Text(_) => Val::Text(Text::Inline("")),
        View::List => Val::List(&[]),
        View::Map => Val::Map(&[]),
    };
    let number = Val::Double(0.0);
    let (left, right) = if is_reversed { (&number, &value) } else { (&value, &number) };
    *type_error(operator, left, right)
}
