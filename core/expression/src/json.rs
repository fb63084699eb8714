//! Evaluates over a JSON map of roots.

use crate::arena::ExpressionArena;
use crate::ast::Ast;
use crate::base::Segment;
use crate::check::{Domain, Purpose, check, constant_comparison, limited};
use crate::error::{Error, in_order};
use crate::evaluate::Limits;
use crate::parser::{Syntax, parse};
use crate::program::{Names, Program};
use crate::types::{Type, Types};
use crate::value_source::JsonSource;
use serde_json::Value as Json;

/// The map's keys are the roots. Returns `None` if the result is missing.
///
/// # Errors
/// The first syntax or compile error of the text, or the error of the evaluation.
///
/// # Example
/// ```
/// use serde_json::json;
/// use stepgraph_expression::evaluate;
/// let scope = json!({"last": {"tags": ["hot", "green"], "count": 3}});
/// assert_eq!(evaluate("last.tags.filter(t, t != 'hot')", &scope), Ok(Some(json!(["green"]))));
/// assert_eq!(evaluate("last.count > size(last.tags)", &scope), Ok(Some(json!(true))));
/// assert_eq!(evaluate("last.colour", &scope), Ok(None));
/// ```
pub fn evaluate(text: &str, scope: &Json) -> Result<Option<Json>, Error> {
    let roots: Vec<&str> =
        scope.as_object().map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default();
    let parsed = parse(text, Syntax { roots: known(&roots), ..Syntax::default() });
    if let Some(error) = parsed.errors.into_iter().next() {
        return Err(error);
    }
    evaluate_ast(&parsed.ast, scope)
}

pub(crate) fn evaluate_ast(ast: &Ast, scope: &Json) -> Result<Option<Json>, Error> {
    let roots: Vec<&str> =
        scope.as_object().map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default();
    let program = Program::compile(ast, &mut Roots::new(&roots)).map_err(first_error)?;
    let host = JsonSource::new(root_values(scope));
    let arena = ExpressionArena::new();
    let outcome = program.evaluate(&host, &arena, Limits::default()).map_err(|mut error| {
        program.name_element_in(ast, &mut error);
        error
    })?;
    outcome.to_json()
}

/// `types` maps roots to JSON Schemas. Returns the type and the mistakes in text order.
///
/// # Example
/// ```
/// use serde_json::json;
/// use stepgraph_expression::check_expression;
/// let types = json!({"last": {"type": "object", "properties": {"n": {"type": "number"}}, "additionalProperties": false}});
/// let (kind, errors) = check_expression("last.n * 2", &types);
/// assert_eq!((kind.to_string(), errors.len()), ("double".to_owned(), 0));
/// let (_, errors) = check_expression("last.m < '7'", &types);
/// assert_eq!(errors[0].code.slug(), "expression/unknown-field");
/// ```
pub fn check_expression(text: &str, types: &Json) -> (Type, Vec<Error>) {
    let known_types = types
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name.as_str(), Type::from_schema(schema)));
    let known_types = Schemas { types: known_types.collect(), schemas: types };
    let roots: Vec<&str> = known_types.types.iter().map(|(name, _)| *name).collect();
    let parsed = parse(text, Syntax { roots: known(&roots), ..Syntax::default() });
    if !parsed.is_whole() {
        return (Type::Dyn, parsed.errors);
    }
    let checked = check(&parsed.ast, &known_types, Purpose::Value);
    let compiled = Program::compile(&parsed.ast, &mut Roots::new(&roots)).err().unwrap_or_default();
    let mut errors = parsed.errors;
    for error in checked.errors.into_iter().chain(constant_comparison(&parsed.ast)).chain(compiled) {
        if errors.iter().all(|known| known.span != error.span) {
            errors.push(error);
        }
    }
    (checked.kind, limited(in_order(errors)))
}

struct Schemas<'s> {
    types: Vec<(&'s str, Type)>,
    schemas: &'s Json,
}

impl Types for Schemas<'_> {
    fn root(&self, name: &str) -> Option<Type> {
        self.types.as_slice().root(name)
    }

    fn has_values(&self) -> bool {
        true
    }

    fn values(&self, root: &str, path: &[Segment]) -> Option<Domain> {
        Domain::from_schema(self.schemas.get(root)?, path)
    }
}

/// An empty list would allow every name.
fn known<'r>(roots: &'r [&'r str]) -> &'r [&'r str] {
    if roots.is_empty() { &[""] } else { roots }
}

fn first_error(errors: Vec<Error>) -> Error {
    let none =
        || Error::new(crate::error::SYNTAX, crate::base::Span::default(), "the expression can't be compiled");
    errors.into_iter().next().unwrap_or_else(none)
}

/// Resolves listed roots. Numbers paths and texts by first use.
#[derive(Debug)]
pub struct Roots<'a> {
    names: &'a [&'a str],
    next: u32,
}

impl<'a> Roots<'a> {
    /// Uses these names.
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

/// Ordered, for [`JsonSource::new`].
pub fn root_values(scope: &Json) -> Vec<&Json> {
    scope.as_object().map(|map| map.values().collect()).unwrap_or_default()
}
