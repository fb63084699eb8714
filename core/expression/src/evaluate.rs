//! Evaluates a program: the meaning of each operation.
//!
//! A value computed from a missing value is missing too. It satisfies no comparison and makes a condition
//! false.
//!
//! Invariants:
//! 1. Evaluation ends within its [`Limits`] and never panics.
//! 2. Recursion follows the tree, whose height is limited.
//! 3. The evaluator reads a scalar of the host on use. It never copies lists and maps.
//! 4. Numbers are finite.

mod call;
mod convert;
mod equality;
mod explain;
mod fold;
mod list;
mod operator;
mod outcome;
mod quick;
mod text;

pub(crate) use call::invalid_zone;
pub(crate) use convert::TEXT_HELP;
pub(crate) use list::SLICE_HELP;
pub(crate) use operator::{EXACT, time_help};
pub use operator::{help, order_error};
pub use outcome::Outcome;
pub(crate) use quick::holds;
pub(crate) use text::JOIN_HELP;

use crate::arena::ExpressionArena;
use crate::base::{Code, Path, Span, TextView, View};
use crate::error::{Error, TOO_COSTLY, TYPE};
use crate::function::Function;
use crate::program::{Args, Constant, Op, OpId, Program};
use crate::value::{Fallible, Text, Val};
use crate::value_source::{ValueId, ValueSource};

/// Evaluation limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Operations, elements and blocks of text.
    pub steps: usize,
    /// Bytes of new texts, lists and maps.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 1_000_000, bytes: 10_000_000 }
    }
}

impl Program {
    /// Evaluates the program.
    ///
    /// # Errors
    /// A type error, or one of the other run-time codes in [`crate::error`].
    pub fn evaluate<'a>(
        &'a self,
        host: &'a dyn ValueSource,
        arena: &'a ExpressionArena<'a>,
        limits: Limits,
    ) -> Result<Outcome<'a>, Error> {
        let context = EvalContext { program: self, host, arena };
        let mut evaluator = Evaluator { context, variables: Vec::new(), limits };
        match evaluator.eval(self.root) {
            Ok(value) => Ok(Outcome { value, context, limits, remaining: evaluator.limits }),
            Err(error) => Err(*error),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct EvalContext<'a> {
    program: &'a Program,
    host: &'a dyn ValueSource,
    arena: &'a ExpressionArena<'a>,
}

/// A macro's variable. The evaluator reads it only on use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Variable<'a> {
    /// It gets an id only if the body uses more than its scalars.
    RemoteElement(ValueId, u32),
    Remote(ValueId),
    Val(Val<'a>),
}

pub(crate) struct Evaluator<'a> {
    context: EvalContext<'a>,
    variables: Vec<Variable<'a>>,
    limits: Limits,
}

static EMPTY: Path = Path { number: 0, segments: Vec::new() };

/// The innermost operation around the error adds its position.
#[inline(never)]
pub(crate) fn fault(code: Code, message: &str) -> Box<Error> {
    Box::new(Error::new(code, UNPLACED, message))
}

const UNPLACED: Span = Span { start: usize::MAX, end: usize::MAX };

impl<'a> Evaluator<'a> {
    pub(crate) fn charge_steps(&mut self, steps: usize) -> Fallible<()> {
        match self.limits.steps.checked_sub(steps) {
            Some(left) => {
                self.limits.steps = left;
                Ok(())
            }
            None => {
                self.limits.steps = 0;
                let error = Error::new(TOO_COSTLY, UNPLACED, "the evaluation takes too many steps");
                Err(Box::new(error.help("evaluate less data, or split the work over several nodes")))
            }
        }
    }

    pub(crate) fn charge_bytes(&mut self, bytes: usize) -> Fallible<()> {
        match self.limits.bytes.checked_sub(bytes) {
            Some(left) => {
                self.limits.bytes = left;
                Ok(())
            }
            None => {
                let error =
                    Error::new(TOO_COSTLY, UNPLACED, "the evaluation makes too much text or too long lists");
                Err(Box::new(error.help("make shorter texts and lists")))
            }
        }
    }

    fn path(&self, path: u32) -> &'a Path {
        self.context.program.paths.get(path as usize).unwrap_or(&EMPTY)
    }

    pub(crate) fn eval(&mut self, id: OpId) -> Fallible<Val<'a>> {
        // Most operands need no stack frame of an operation.
        if let Some(left) = self.limits.steps.checked_sub(1)
            && let Some(op) = self.context.program.ops.get(id as usize)
        {
            self.limits.steps = left;
            match *op {
                Op::Constant(constant) => return Ok(self.constant(constant)),
                Op::Path { root, path } => return Ok(self.reference(root, path)),
                Op::Variable { index, path } => return Ok(self.variable(index, path)),
                Op::Binary(function, left, right) => {
                    if let Some(truth) = self.quick(function, left, right) {
                        return Ok(Val::Bool(truth));
                    }
                }
                _ => {}
            }
        }
        self.operation(id).map_err(|error| self.located(error, id))
    }

    #[cold]
    fn located(&self, mut error: Box<Error>, id: OpId) -> Box<Error> {
        if error.span == UNPLACED {
            error.span = self.context.program.span(id);
        }
        error
    }

    fn operation(&mut self, id: OpId) -> Fallible<Val<'a>> {
        // Constants and paths arrive here only without steps.
        self.charge_steps(usize::from(self.limits.steps == 0))?;
        let Some(op) = self.context.program.ops.get(id as usize) else { return Ok(Val::Missing) };
        match *op {
            Op::Constant(_) | Op::Path { .. } | Op::Variable { .. } => Ok(Val::Missing),
            Op::Select { operand, path } => {
                let operand = self.eval(operand)?;
                Ok(self.select(operand, self.path(path)))
            }
            Op::Index { operand, index } => {
                let operand = self.eval(operand)?;
                let index = self.eval(index)?;
                self.index(&operand, &index)
            }
            Op::Has(operand) => Ok(Val::Bool(!self.eval(operand)?.is_missing())),
            Op::And(args) => self.short_circuit(args, false),
            Op::Or(args) => self.short_circuit(args, true),
            Op::Coalesce(args) => self.coalesce(args),
            Op::Conditional { condition, then, other } => {
                let holds = self.condition(condition)?;
                self.eval(if holds { then } else { other })
            }
            Op::Unary(function, operand) => {
                let operand = self.eval(operand)?;
                operator::unary(function, &operand)
            }
            Op::Binary(function, left, right) => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                self.binary(function, &left, &right)
            }
            Op::Call(function, args) => self.call(function, args),
            Op::Matches { text, pattern } => {
                let text = self.eval(text)?;
                self.matches_literal(&text, pattern)
            }
            Op::List(args) => self.list(args),
            Op::Map(args) => self.map(args),
            Op::Fold { function, range, filter, body } => self.fold(function, range, filter, body),
        }
    }

    fn constant(&self, constant: u32) -> Val<'a> {
        match self.context.program.constants.get(constant as usize) {
            Some(Constant::Bool(truth)) => Val::Bool(*truth),
            Some(Constant::Int(number)) => Val::Int(*number),
            Some(Constant::Double(number)) => Val::Double(*number),
            Some(Constant::Text(text, number)) => Val::Text(Text::Literal(text, *number)),
            Some(Constant::Type(name)) => Val::Type(name),
            Some(Constant::Null) | None => Val::Null,
        }
    }

    fn reference(&self, root: u32, path: u32) -> Val<'a> {
        match self.context.host.root(root) {
            Some(id) => Val::of(self.context.host, id, self.path(path)),
            None => Val::Missing,
        }
    }

    fn variable(&mut self, index: u32, path: u32) -> Val<'a> {
        let path = self.path(path);
        match self.variables.get(index as usize).copied() {
            Some(Variable::RemoteElement(list, at)) => {
                let (value, id) = self.element_at(list, at, path);
                if let (Some(id), Some(variable)) = (id, self.variables.get_mut(index as usize)) {
                    *variable = Variable::Remote(id);
                }
                value
            }
            Some(Variable::Remote(id)) => Val::of(self.context.host, id, path),
            Some(Variable::Val(value)) if path.segments.is_empty() => value,
            Some(Variable::Val(value)) => self.select(value, path),
            None => Val::Missing,
        }
    }

    /// Also returns the element's id if the value needs one.
    fn element_at(&self, list: ValueId, index: u32, path: &'a Path) -> (Val<'a>, Option<ValueId>) {
        let value = match self.context.host.element_view(list, index, path) {
            View::Missing => Val::Missing,
            View::Null => Val::Null,
            View::Bool(truth) => Val::Bool(truth),
            View::Number(number) => Val::Double(number),
            View::Text(TextView::Inline(text)) => Val::Text(Text::Inline(text)),
            View::Text(_) | View::List | View::Map => {
                let id = self.context.host.element(list, index);
                return (id.map_or(Val::Missing, |id| Val::of(self.context.host, id, path)), id);
            }
        };
        (value, None)
    }

    /// A missing value is false.
    fn condition(&mut self, id: OpId) -> Fallible<bool> {
        match self.eval(id)? {
            Val::Bool(truth) => Ok(truth),
            Val::Missing => Ok(false),
            other => {
                let message = format!("a condition is true or false, not {}", other.describe());
                let error = Error::new(TYPE, self.context.program.span(id), &message);
                Err(Box::new(error.help(match other {
                    Val::Null => "write a default, as in `(x ?? false)`",
                    _ => "compare the value, as in `x != 0` or `has(x)`",
                })))
            }
        }
    }

    /// A decisive operand of `&&` or `||` wins over errors.
    fn short_circuit(&mut self, args: Args, decisive: bool) -> Fallible<Val<'a>> {
        let mut failed = None;
        for arg in self.context.program.args(args) {
            match self.condition(*arg) {
                Ok(truth) if truth == decisive => return Ok(Val::Bool(decisive)),
                Ok(_) => {}
                Err(error) => Self::keep_first_error(&mut failed, error)?,
            }
        }
        failed.map_or(Ok(Val::Bool(!decisive)), Err)
    }

    /// The search for a decisive operand goes on, unless a limit is exceeded.
    fn keep_first_error(failed: &mut Option<Box<Error>>, error: Box<Error>) -> Fallible<()> {
        if error.code == TOO_COSTLY {
            return Err(error);
        }
        failed.get_or_insert(error);
        Ok(())
    }

    fn coalesce(&mut self, args: Args) -> Fallible<Val<'a>> {
        let mut last = Val::Missing;
        for arg in self.context.program.args(args) {
            last = self.eval(*arg)?;
            if !matches!(last, Val::Missing | Val::Null) {
                break;
            }
        }
        Ok(last)
    }

    fn list(&mut self, args: Args) -> Fallible<Val<'a>> {
        let mut items = Vec::new();
        for arg in self.context.program.args(args) {
            let item = self.eval(*arg)?;
            self.charge_bytes(size_of::<Val<'_>>())?;
            if item.is_missing() {
                return Ok(Val::Missing);
            }
            items.push(item);
        }
        Ok(self.new_list(items))
    }

    fn map(&mut self, args: Args) -> Fallible<Val<'a>> {
        let mut entries = Vec::new();
        for entry in self.context.program.args(args).chunks_exact(2) {
            let [key, value] = entry else { continue };
            let mut key = self.eval(*key)?;
            // Numbers of the data are doubles.
            if matches!(key, Val::Double(_)) {
                key = operator::whole(&key).map_or(key, Val::Int);
            }
            let value = self.eval(*value)?;
            self.charge_bytes(2 * size_of::<Val<'_>>())?;
            if key.is_missing() || value.is_missing() {
                return Ok(Val::Missing);
            }
            self.check_key(&key, &entries)?;
            entries.extend([key, value]);
        }
        Ok(Val::Map(self.context.arena.list(entries)))
    }

    pub(crate) fn new_text(&self, text: impl Into<String>) -> Val<'a> {
        Val::Text(Text::Inline(self.context.arena.text(text.into())))
    }

    pub(crate) fn new_list(&self, items: Vec<Val<'a>>) -> Val<'a> {
        Val::List(self.context.arena.list(items))
    }

    fn select(&self, value: Val<'a>, path: &'a Path) -> Val<'a> {
        if let Val::RemoteList(id) | Val::RemoteMap(id) = value {
            return Val::of(self.context.host, id, path);
        }
        let mut value = value;
        for segment in &path.segments {
            value = self.step(&value, segment);
        }
        value
    }

    pub(crate) fn type_fault(function: Function, value: &Val<'a>) -> Box<Error> {
        let (name, kind) = (function.name(), value.describe());
        let error = Error::new(TYPE, UNPLACED, &format!("`{name}` does not accept {kind}"));
        let help = if value.is_time() { time_help(function) } else { help(function) };
        Box::new(error.help(&help))
    }
}
