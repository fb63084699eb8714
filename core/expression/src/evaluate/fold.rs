//! Evaluates macros over lists and keys.

use super::{EMPTY, Evaluator, Variable};
use crate::error::Error;
use crate::function::Function;
use crate::program::OpId;
use crate::value::{Fallible, Val};

/// Returns whether to continue.
type Visit<'v, 'a> = dyn FnMut(&mut Evaluator<'a>, Variable<'a>) -> Fallible<bool> + 'v;

struct Progress<'a> {
    failed: Option<Box<Error>>,
    count: usize,
    items: Vec<Val<'a>>,
    /// Of `sortBy`.
    keys: Vec<Val<'a>>,
    missing: bool,
}

impl Progress<'_> {
    /// A later element may decide `all` and `exists`.
    fn failed_element(&mut self, function: Function, error: Box<Error>) -> Fallible<bool> {
        if !matches!(function, Function::All | Function::Exists) {
            return Err(error);
        }
        Evaluator::keep_first_error(&mut self.failed, error)?;
        Ok(true)
    }
}

impl<'a> Evaluator<'a> {
    pub(super) fn fold(
        &mut self,
        function: Function,
        range: OpId,
        filter: Option<OpId>,
        body: OpId,
    ) -> Fallible<Val<'a>> {
        let range_op = range;
        let range = self.eval(range)?;
        if range.is_missing() {
            return Ok(Val::Missing);
        }
        if !matches!(range, Val::List(_) | Val::RemoteList(_) | Val::Map(_) | Val::RemoteMap(_)) {
            return Err(Self::type_fault(function, &range));
        }
        let mut progress =
            Progress { failed: None, count: 0, items: Vec::new(), keys: Vec::new(), missing: false };
        let mut at = 0;
        self.visit_elements(&range, &mut |evaluator, element| {
            evaluator.variables.push(element);
            let depth = evaluator.variables.len();
            let goes_on = evaluator.element(function, filter, body, &mut progress);
            // An error can leave inner variables on the stack.
            evaluator.variables.truncate(depth);
            let goes_on = goes_on.or_else(|error| {
                let error = evaluator.at_element(error, (range_op, &range), at);
                progress.failed_element(function, error)
            });
            evaluator.variables.pop();
            at += 1;
            goes_on
        })?;
        let Progress { failed, count, items, keys, missing } = progress;
        Ok(match function {
            // A decisive element ended the loop, so `count` is at most 1.
            Function::All | Function::Exists => {
                let decided = count > 0;
                match failed.filter(|_| !decided) {
                    Some(error) => return Err(error),
                    None => Val::Bool(decided == (function == Function::Exists)),
                }
            }
            Function::ExistsOne => Val::Bool(count == 1),
            _ if missing => Val::Missing,
            Function::SortBy => {
                let sorted = self.sorted(function, &items, &keys)?;
                self.new_list(sorted)
            }
            _ => self.new_list(items),
        })
    }

    fn element(
        &mut self,
        function: Function,
        filter: Option<OpId>,
        body: OpId,
        progress: &mut Progress<'a>,
    ) -> Fallible<bool> {
        match function {
            Function::All | Function::Exists => {
                let decides = self.condition(body)? == (function == Function::Exists);
                progress.count += usize::from(decides);
                return Ok(!decides);
            }
            Function::ExistsOne => progress.count += usize::from(self.condition(body)?),
            Function::Filter => {
                if self.condition(body)? {
                    self.collect_element(progress)?;
                }
            }
            Function::SortBy => {
                let key = self.eval(body)?;
                self.charge_bytes(size_of::<Val<'_>>())?;
                progress.missing |= key.is_missing();
                progress.keys.push(key);
                self.collect_element(progress)?;
            }
            _ => {
                let wanted = filter.map_or(Ok(true), |filter| self.condition(filter))?;
                if wanted {
                    let item = self.eval(body)?;
                    self.collect(item, progress)?;
                }
            }
        }
        Ok(true)
    }

    fn collect_element(&mut self, progress: &mut Progress<'a>) -> Fallible<()> {
        let element = self.variables.last().copied();
        let element = element.map_or(Val::Missing, |element| self.variable_value(element));
        self.collect(element, progress)
    }

    fn collect(&mut self, item: Val<'a>, progress: &mut Progress<'a>) -> Fallible<()> {
        self.charge_bytes(size_of::<Val<'_>>())?;
        progress.missing |= item.is_missing();
        progress.items.push(item);
        Ok(())
    }

    pub(super) fn variable_value(&self, variable: Variable<'a>) -> Val<'a> {
        match variable {
            Variable::RemoteElement(list, index) => self.element_at(list, index, &EMPTY).0,
            Variable::Remote(id) => Val::of(self.context.host, id, &EMPTY),
            Variable::Val(value) => value,
        }
    }

    pub(super) fn visit_elements(&mut self, range: &Val<'a>, visit: &mut Visit<'_, 'a>) -> Fallible<()> {
        match range {
            Val::RemoteList(id) => {
                for index in 0..u32::try_from(self.context.host.count(*id)).unwrap_or(u32::MAX) {
                    if !visit(self, Variable::RemoteElement(*id, index))? {
                        break;
                    }
                }
            }
            Val::RemoteMap(id) => {
                // All keys are read, so their number counts.
                self.charge_steps(self.context.host.count(*id))?;
                // Plans that differ only in key order have one hash, so they must do the same.
                let mut keys = self.context.host.keys(*id);
                keys.sort_unstable();
                for key in keys {
                    self.charge_bytes(key.len())?;
                    let key = self.new_text(key);
                    if !visit(self, Variable::Val(key))? {
                        break;
                    }
                }
            }
            Val::List(items) => {
                for item in *items {
                    if !visit(self, Variable::Val(*item))? {
                        break;
                    }
                }
            }
            Val::Map(entries) => {
                let mut keys = Vec::with_capacity(entries.len() / 2);
                for key in entries.iter().step_by(2) {
                    let text = if let Val::Text(text) = key { Some(self.read(*text)?) } else { None };
                    keys.push((text.is_none(), text, *key));
                }
                keys.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
                for (.., key) in keys {
                    if !visit(self, Variable::Val(key))? {
                        break;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}
