//! Evaluates the expressions of conditions and templates.
//!
//! Decides the failure of an evaluation: its code is that of the expression's error.

use super::lookup::ScopeView;
use super::program::{CompiledComputed, Program};
use crate::diagnostic::shorten_name;
use crate::expression::Error;
use crate::expression::evaluate::{Limits, Outcome, Scope};
use crate::failure::Failure;
use crate::value::Value;

/// The values of an expression's roots.
#[derive(Debug)]
struct Roots<'a, V: Value> {
    view: &'a ScopeView<'a, V>,
    program: &'a Program<V>,
}

impl<V: Value> Scope<V> for Roots<'_, V> {
    fn root(&self, root: u32) -> Option<&V> {
        self.view.find(*self.program.expression_roots.get(root as usize)?)
    }

    fn space(&self) -> &V::Arena {
        self.view.run.space()
    }
}

impl<V: Value> ScopeView<'_, V> {
    /// Whether an expression holds as a condition.
    #[inline(never)]
    pub(super) fn holds(&self, computed: &CompiledComputed) -> Result<bool, Failure> {
        self.evaluate(computed, |outcome| {
            let not_boolean = || {
                let message = format!("the condition is {}, not true or false", outcome.describe());
                Failure::new("expression/type", message)
            };
            outcome.truth().ok_or_else(not_boolean)
        })
    }

    /// Evaluates an expression, and converts the result while the memory of the evaluation is alive.
    pub(super) fn evaluate<T>(
        &self,
        computed: &CompiledComputed,
        convert: impl Fn(&Outcome<'_, V>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let roots = Roots { view: self, program: self.program };
        let mut result = None;
        V::evaluate(&computed.program, &roots, Limits::default(), &mut |outcome| {
            result = Some(outcome.map_err(|error| failure(&error)).and_then(|outcome| convert(&outcome)));
        });
        let result = result.unwrap_or_else(|| Err(Failure::new("expression/type", "there is no result")));
        result.map_err(|mut failure| {
            failure.message = format!("`{}`: {}", shorten_name(&computed.text), failure.message);
            failure
        })
    }
}

/// Converts an error of an evaluation. The message quotes the part that failed.
pub(super) fn failure(error: &Error) -> Failure {
    let message = match &error.help {
        Some(help) => format!("{}; {help}", error.message),
        None => error.message.clone(),
    };
    Failure::new(error.code.slug(), message)
}
