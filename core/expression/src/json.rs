//! Shortcuts to evaluate an expression over a JSON map of roots.

use crate::ast::Ast;
use crate::base::Segment;
use crate::error::Error;
use crate::evaluate::{Limits, Scope};
use crate::memory::Memory;
use crate::parser::{Syntax, parse};
use crate::program::{Names, Program};
use serde_json::Value as Json;
use std::sync::Arc;

/// Evaluates an expression over a JSON map, whose keys are the roots. Returns `None` if the result is missing.
///
/// # Errors
/// The first syntax or compile error of the text, or the error of the evaluation.
///
/// # Example
/// ```
/// use serde_json::json;
/// use stepgraph_expression::evaluate_json;
/// let scope = json!({"last": {"tags": ["hot", "green"], "count": 3}});
/// assert_eq!(evaluate_json("last.tags.filter(t, t != 'hot')", &scope), Ok(Some(json!(["green"]))));
/// assert_eq!(evaluate_json("last.count > size(last.tags)", &scope), Ok(Some(json!(true))));
/// assert_eq!(evaluate_json("last.colour", &scope), Ok(None));
/// ```
pub fn evaluate_json(text: &str, scope: &Json) -> Result<Option<Json>, Error> {
    let roots: Vec<&str> =
        scope.as_object().map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default();
    let parsed = parse(text, Syntax { roots: &roots, ..Syntax::default() });
    if let Some(error) = parsed.errors.into_iter().next() {
        return Err(error);
    }
    evaluate_ast(&parsed.ast, scope)
}

/// Evaluates a parsed expression over a JSON map.
pub(crate) fn evaluate_ast(ast: &Ast, scope: &Json) -> Result<Option<Json>, Error> {
    let roots: Vec<&str> =
        scope.as_object().map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default();
    let program = Program::compile(ast, &mut Roots::new(&roots)).map_err(first)?;
    let values = JsonScope::new(scope);
    let memory = Memory::new();
    program.evaluate(&values, &memory, Limits::default())?.to_json()
}

fn first(errors: Vec<Error>) -> Error {
    let none =
        || Error::new(crate::error::SYNTAX, crate::base::Span::default(), "the expression can't be compiled");
    errors.into_iter().next().unwrap_or_else(none)
}

/// Resolves roots by their position in a list. Numbers paths and texts in the order of their use.
#[derive(Debug)]
pub struct Roots<'a> {
    names: &'a [&'a str],
    next: u32,
}

impl<'a> Roots<'a> {
    /// Creates roots with these names.
    pub fn new(names: &'a [&'a str]) -> Self {
        Self { names, next: 0 }
    }
}

impl Names for Roots<'_> {
    fn root(&mut self, name: &str, _: &[Segment]) -> Option<(u32, usize)> {
        let position = self.names.iter().position(|known| *known == name)?;
        Some((u32::try_from(position).ok()?, 0))
    }

    fn path(&mut self, _: &[Segment]) -> u32 {
        self.next += 1;
        self.next
    }

    fn text(&mut self, _: &str) -> u32 {
        self.next += 1;
        self.next
    }
}

/// The values of a JSON map, in its order.
#[derive(Debug)]
pub struct JsonScope {
    values: Vec<Arc<Json>>,
}

impl JsonScope {
    /// Creates a scope from a JSON map. Other JSON gives an empty scope.
    pub fn new(scope: &Json) -> Self {
        let values = scope.as_object().map(|map| map.values().cloned().map(Arc::new).collect());
        Self { values: values.unwrap_or_default() }
    }
}

impl Scope<Arc<Json>> for JsonScope {
    fn root(&self, root: u32) -> Option<&Arc<Json>> {
        self.values.get(root as usize)
    }

    fn space(&self) -> &() {
        &()
    }
}
