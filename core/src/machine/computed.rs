//! Evaluates expressions, and converts errors to failures with the same code.

use super::lookup::ScopeView;
use super::program::{CompiledAtom, CompiledComputed};
use crate::diagnostic::{Code, shorten_name};
use crate::expression::condition::Final;
use crate::expression::evaluate::{Limits, Outcome, order_error};
use crate::expression::{Error, ExpressionArena, Function};
use crate::failure::Failure;
use crate::value::{Value, View};

impl<V: Value> ScopeView<'_, V> {
    #[inline(never)]
    pub(super) fn holds(&self, computed: &CompiledComputed) -> Result<bool, Failure> {
        self.evaluate(computed, |outcome, _| to_boolean(outcome))
    }

    /// `None` if missing.
    #[inline(never)]
    pub(super) fn computed_value(&self, computed: &CompiledComputed) -> Result<Option<V>, Failure> {
        self.evaluate(computed, |outcome, host| {
            outcome.to_value(self.run.space(), host).map_err(|error| failure(&error))
        })
    }

    /// For placeholders within text. `None` if missing.
    #[inline(never)]
    pub(super) fn computed_text(&self, computed: &CompiledComputed) -> Result<Option<String>, Failure> {
        self.evaluate(computed, |outcome, _| outcome.to_text().map_err(|error| failure(&error)))
    }

    /// The path that makes a result missing.
    #[inline(never)]
    pub(super) fn computed_missing_path(&self, computed: &CompiledComputed) -> Option<String> {
        let roots = |root: u32| self.find(*self.program.expression_roots.get(root as usize)?);
        computed.program.missing_path(&computed.text, &V::source(self.run.space(), &roots))
    }

    fn evaluate<T>(
        &self,
        computed: &CompiledComputed,
        convert: impl Fn(&Outcome<'_>, &V::Source<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let roots = |root: u32| self.find(*self.program.expression_roots.get(root as usize)?);
        let host = V::source(self.run.space(), &roots);
        let arena = ExpressionArena::new();
        let (own, shared) = (Limits::default(), self.limits.get());
        let limits = Limits { steps: own.steps.min(shared.steps), bytes: own.bytes.min(shared.bytes) };
        let outcome = computed.program.evaluate(&host, &arena, limits);
        // After an error, no other expression follows.
        if let Ok(outcome) = &outcome {
            let left = outcome.remaining();
            self.limits.set(Limits {
                steps: shared.steps - (limits.steps - left.steps),
                bytes: shared.bytes - (limits.bytes - left.bytes),
            });
        }
        let located = |mut error: Error| {
            computed.program.name_element(&computed.text, &mut error);
            failure(&error)
        };
        let result = outcome.map_err(located).and_then(|outcome| convert(&outcome, &host));
        result.map_err(|mut failure| {
            failure.message = format!("`{}`: {}", shorten_name(&computed.text), failure.message);
            failure
        })
    }
}

impl Final for Box<Failure> {
    fn is_final(&self) -> bool {
        self.code == Code::ExpressionTooCostly.slug()
    }
}

fn to_boolean(outcome: &Outcome<'_>) -> Result<bool, Failure> {
    let not_boolean = || {
        Failure::new(
            Code::ExpressionType.slug(),
            format!(
                "the condition is {}, not true or false; compare the value, as in `x != 0` or `has(x)`",
                outcome.describe()
            ),
        )
    };
    outcome.truth().ok_or_else(not_boolean)
}

fn failure(error: &Error) -> Failure {
    let message = match &error.help {
        Some(help) => format!("{}; {help}", error.message),
        None => error.message.clone(),
    };
    Failure::new(error.code.slug(), message)
}

/// The failure of a comparison such as `last.n < 7`, for a value that is no number.
#[cold]
#[inline(never)]
pub(super) fn unordered(operator: Function, atom: &CompiledAtom, view: View<'_>) -> Box<Failure> {
    let operator = if atom.is_reversed { operator.mirrored() } else { operator };
    let mut failure = failure(&order_error(operator, view, atom.is_reversed));
    failure.message = format!("`{}`: {}", shorten_name(&atom.reference), failure.message);
    Box::new(failure)
}
