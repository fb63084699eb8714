//! Evaluates functions of lists.
//!
//! Invariant: values are sorted by keys of one kind, whose order is total.

use super::operator::{arithmetic, position, to_double};
use super::{Evaluator, fault};
use crate::error::{Error, OUT_OF_RANGE, TYPE};
use crate::function::Function;
use crate::time::Timestamp;
use crate::value::{Fallible, Val};
use std::cmp::Ordering;
use stepgraph_text::sort::sort_indexes;

pub(crate) const SLICE_HELP: &str = "write `list.slice(0, math.least(3, size(list)))` for the first three";

/// Deeper lists can't be compared either.
const MAX_DEPTH: usize = 200;

#[derive(Debug, Clone, Copy)]
enum SortKey<'a> {
    Int(i64),
    Double(f64),
    Text(&'a str),
    Bool(bool),
    Timestamp(Timestamp),
    Duration(i64),
}

impl SortKey<'_> {
    /// Keys of different kinds have no order. A list never mixes them.
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) | (Self::Duration(a), Self::Duration(b)) => a.cmp(b),
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Timestamp(a), Self::Timestamp(b)) => a.cmp(b),
            _ => Ordering::Equal,
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl<'a> Evaluator<'a> {
    pub(super) fn list_function(&mut self, function: Function, values: &[Val<'a>]) -> Fallible<Val<'a>> {
        let list = values.first().unwrap_or(&Val::Missing);
        if !matches!(list, Val::List(_) | Val::RemoteList(_)) {
            return Err(Self::type_fault(function, list));
        }
        match (function, values) {
            (Function::Sum, _) => self.sum(list),
            (Function::Flatten, [_, depth]) => {
                let depth = position(depth, "the depth of `flatten`")?;
                let mut items = Vec::new();
                self.flatten(list, depth, &mut items)?;
                Ok(self.new_list(items))
            }
            (Function::Flatten, _) => {
                let mut items = Vec::new();
                self.flatten(list, 1, &mut items)?;
                Ok(self.new_list(items))
            }
            (Function::Slice, [_, from, to]) => self.slice(list, from, to),
            _ => {
                let mut items = Vec::new();
                self.flatten(list, 0, &mut items)?;
                match function {
                    Function::Reverse => items.reverse(),
                    Function::Distinct => items = self.distinct(items)?,
                    _ => {
                        let keys = items.clone();
                        items = self.sorted(Function::Sort, &items, &keys)?;
                    }
                }
                Ok(self.new_list(items))
            }
        }
    }

    fn sum(&mut self, list: &Val<'a>) -> Fallible<Val<'a>> {
        let mut sum = None;
        self.visit_elements(list, &mut |evaluator, item| {
            let item = evaluator.variable_value(item);
            evaluator.charge_steps(1)?;
            if !matches!(item, Val::Int(_) | Val::Double(_) | Val::Duration(_)) {
                return Err(Self::type_fault(Function::Sum, &item));
            }
            sum = Some(match sum {
                Some(known) => arithmetic(Function::Add, &known, &item)?,
                None => item,
            });
            Ok(true)
        })?;
        Ok(sum.unwrap_or(Val::Int(0)))
    }

    /// Adds the elements, and those of lists in it.
    fn flatten(&mut self, list: &Val<'a>, depth: usize, items: &mut Vec<Val<'a>>) -> Fallible<()> {
        self.visit_elements(list, &mut |evaluator, item| {
            let item = evaluator.variable_value(item);
            if depth > 0 && matches!(item, Val::List(_) | Val::RemoteList(_)) {
                evaluator.charge_steps(1)?;
                evaluator.flatten(&item, depth.min(MAX_DEPTH) - 1, items)?;
            } else {
                evaluator.charge_bytes(size_of::<Val<'_>>())?;
                items.push(item);
            }
            Ok(true)
        })
    }

    fn slice(&mut self, list: &Val<'a>, from: &Val<'a>, to: &Val<'a>) -> Fallible<Val<'a>> {
        let (from, to) = (position(from, "a position in a list")?, position(to, "a position in a list")?);
        let count = match list {
            Val::List(items) => items.len(),
            Val::RemoteList(id) => self.context.host.count(*id),
            _ => 0,
        };
        if from > to || to > count {
            let message = if from > to {
                "`slice` ends before it starts".to_owned()
            } else {
                format!("`slice` asks for position {to} of a list with {count} elements")
            };
            let error = Error::new(OUT_OF_RANGE, super::UNPLACED, &message);
            return Err(Box::new(error.help(SLICE_HELP)));
        }
        let (mut items, mut at) = (Vec::new(), 0);
        self.visit_elements(list, &mut |evaluator, item| {
            if at >= from && at < to {
                evaluator.charge_bytes(size_of::<Val<'_>>())?;
                items.push(evaluator.variable_value(item));
            }
            at += 1;
            Ok(at < to)
        })?;
        self.charge_steps(at)?;
        Ok(self.new_list(items))
    }

    /// Keeps the first of equal elements.
    fn distinct(&mut self, items: Vec<Val<'a>>) -> Fallible<Vec<Val<'a>>> {
        if let Ok(keys) = self.sort_keys(Function::Distinct, &items) {
            let order = self.order_of(&keys)?;
            let mut is_first = vec![true; items.len()];
            for pair in order.windows(2) {
                let [before, after] = pair else { continue };
                let same = keys.get(*before).zip(keys.get(*after)).is_some_and(|(a, b)| a.compare(b).is_eq());
                if let (true, Some(first)) = (same, is_first.get_mut(*after)) {
                    *first = false;
                }
            }
            return Ok(items
                .into_iter()
                .zip(is_first)
                .filter_map(|(item, first)| first.then_some(item))
                .collect());
        }
        let mut kept: Vec<Val<'a>> = Vec::new();
        'items: for item in items {
            for known in &kept {
                self.charge_steps(1)?;
                if self.equal(known, &item)? {
                    continue 'items;
                }
            }
            kept.push(item);
        }
        Ok(kept)
    }

    /// The items in the order of their keys. Equal ones keep their order.
    pub(super) fn sorted(
        &mut self,
        function: Function,
        items: &[Val<'a>],
        keys: &[Val<'a>],
    ) -> Fallible<Vec<Val<'a>>> {
        let keys = self.sort_keys(function, keys)?;
        let order = self.order_of(&keys)?;
        Ok(order.into_iter().filter_map(|at| items.get(at).copied()).collect())
    }

    fn order_of(&mut self, keys: &[SortKey<'a>]) -> Fallible<Vec<usize>> {
        let texts = keys.iter().map(|key| if let SortKey::Text(text) = key { text.len() / 64 } else { 0 });
        let rounds = keys.len().checked_ilog2().unwrap_or(0) as usize + 1;
        let work = texts.fold(keys.len(), usize::saturating_add);
        self.charge_steps(work.saturating_mul(rounds))?;
        let mut order: Vec<usize> = (0..keys.len()).collect();
        sort_indexes(&mut order, &mut |a, b| match (keys.get(a), keys.get(b)) {
            (Some(a), Some(b)) => a.compare(b),
            _ => Ordering::Equal,
        });
        Ok(order)
    }

    /// Fails unless all have one kind that has an order.
    fn sort_keys(&mut self, function: Function, values: &[Val<'a>]) -> Fallible<Vec<SortKey<'a>>> {
        // Whole numbers and others have a total order only as doubles.
        let has_doubles = values.iter().any(|value| matches!(value, Val::Double(_)));
        let mut keys: Vec<SortKey<'a>> = Vec::with_capacity(values.len());
        for value in values {
            let key = match value {
                // Large whole numbers are equal only as they are.
                Val::Int(number)
                    if has_doubles && function == Function::Distinct && number.unsigned_abs() >= 1 << 53 =>
                {
                    return Err(Self::type_fault(function, value));
                }
                Val::Int(number) if has_doubles => SortKey::Double(to_double(*number)),
                Val::Int(number) => SortKey::Int(*number),
                Val::Double(number) => SortKey::Double(*number),
                Val::Text(text) => SortKey::Text(self.read(*text)?),
                Val::Bool(truth) => SortKey::Bool(*truth),
                Val::Timestamp(time) => SortKey::Timestamp(*time),
                Val::Duration(nanos) => SortKey::Duration(*nanos),
                other => return Err(Self::type_fault(function, other)),
            };
            if keys.first().is_some_and(|first| !first.is_like(&key)) {
                let first = values.first().map_or("", Val::describe);
                let message =
                    format!("`{}` does not compare {first} and {}", function.name(), value.describe());
                let mut error = fault(TYPE, &message);
                error.help = Some("sort values of one type".to_owned());
                return Err(error);
            }
            keys.push(key);
        }
        Ok(keys)
    }
}
