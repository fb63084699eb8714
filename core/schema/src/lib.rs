//! Validates values against JSON Schema.
//!
#![doc = include_str!("../README.md")]

mod applicators;
mod compile;
mod decimal;
mod instance;
mod keyword;
mod lenient;
mod messages;
mod misspelt;
mod path;
mod possible;
mod rule;
mod undeclared;
mod uri;
mod validate;
mod value_type;

pub use instance::{Partial, steps};
pub use misspelt::{MisspeltKeyword, misspelt_keywords};
pub use path::PathStatus;
pub use possible::PossibleValues;
pub use undeclared::UndeclaredProperty;

use instance::View;
use rule::{Resource, Subschema};
use serde_json::Value as Json;
use stepgraph_text::value::Segment;

/// Listed violations. Reports count the rest.
pub const MAX_VIOLATIONS: usize = 10;

/// The host's regular expressions: ECMA-262 with the flag `u`.
///
/// Takes a pattern and a text. If there is no engine, results are unknown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patterns(Option<fn(&str, &str) -> PatternMatch>);

/// Match result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatternMatch {
    /// Whether some part matches, `None` for invalid patterns.
    pub matches: Option<bool>,
    /// Units of about 40 nanoseconds. Validation aborts beyond its budget.
    pub work: usize,
}

impl From<Option<bool>> for PatternMatch {
    /// For engines that don't count their work.
    fn from(matches: Option<bool>) -> Self {
        Self { matches, work: 0 }
    }
}

impl Patterns {
    /// Wraps an engine.
    pub fn new(test: fn(&str, &str) -> PatternMatch) -> Self {
        Self(Some(test))
    }

    /// Pattern validity, and the work for it.
    fn is_readable(self, pattern: &str) -> (bool, usize) {
        let Some(test) = self.0 else { return (true, 0) };
        let PatternMatch { matches, work } = test(pattern, "");
        (matches.is_some(), work)
    }

    fn test(self, pattern: &str, text: &str) -> (instance::Validity, usize) {
        let PatternMatch { matches, work } = self.0.map(|test| test(pattern, text)).unwrap_or_default();
        (matches.map_or(instance::Validity::Maybe, instance::Validity::from_bool), work)
    }
}

/// Further documents by URI.
pub trait Resources {
    /// The URI has no fragment.
    fn get(&self, uri: &str) -> Option<&Json>;
}

impl Resources for () {
    fn get(&self, _: &str) -> Option<&Json> {
        None
    }
}

/// Documents by URI.
impl Resources for Json {
    fn get(&self, uri: &str) -> Option<&Json> {
        self.as_object()?.get(uri)
    }
}

/// Schema error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// JSON pointer, in other documents after the URI and `#`.
    pub path: String,
    /// Lower-case, without a period.
    pub message: String,
}

/// Why a value is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer.
    pub instance_path: String,
    /// Failed keyword.
    pub keyword: &'static str,
    /// JSON pointer, in other documents after the URI and `#`.
    pub schema_path: String,
    /// Found and expected value: lower-case, without a period.
    pub message: String,
    /// Missing or undeclared entry.
    pub name: Option<String>,
    /// A similar declared name, or existing entry.
    pub suggestion: Option<String>,
    expected_types: u8,
}

impl Violation {
    /// Whether the type is wrong, for any keyword.
    pub fn is_type_mismatch(&self) -> bool {
        self.expected_types != 0
    }
}

/// Validation result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationReport {
    /// Up to [`MAX_VIOLATIONS`].
    pub violations: Vec<Violation>,
    /// Further violations.
    pub omitted: usize,
    /// Whether validation hit a limit, named in the last violation.
    pub is_incomplete: bool,
}

impl ValidationReport {
    /// Whether no violation is known.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Summarizes the report, with `what` as the value's name.
    ///
    /// # Errors
    /// The first violations.
    pub fn to_result(&self, what: &str) -> Result<(), String> {
        const MAX_SHOWN: usize = 3;
        if self.is_valid() {
            return Ok(());
        }
        let mut message = format!("{what}: ");
        for (i, violation) in self.violations.iter().take(MAX_SHOWN).enumerate() {
            message.push_str(if i > 0 { "; " } else { "" });
            message.push_str(&violation.message);
        }
        let more = self.omitted + self.violations.len().saturating_sub(MAX_SHOWN);
        if more > 0 {
            message = format!("{message}; and {more} more");
        }
        Err(message)
    }
}

/// A compiled schema.
///
/// # Example
/// ```
/// use serde_json::json;
/// use stepgraph_schema::{Patterns, Schema};
/// let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
/// let schema = Schema::compile(&schema, &(), Patterns::default()).unwrap();
/// assert!(schema.validate(&json!({"city": "Lima"}), Patterns::default()).is_valid());
/// let report = schema.validate(&json!({"city": 3}), Patterns::default());
/// assert_eq!(report.violations[0].message, "`/city` is a number, expected text");
/// ```
#[derive(Debug)]
pub struct Schema {
    nodes: Vec<Subschema>,
    resources: Vec<Resource>,
    /// Document URIs.
    documents: Vec<String>,
    /// Whether some rule needs evaluated children.
    tracks_evaluated: bool,
}

stepgraph_lazy::lazy! {
    /// Lazy, since pages that open plans without schemas don't need it.
    fn compile_schema(
        schema: &Json,
        resources: &dyn Resources,
        patterns: Patterns,
        is_tolerant: bool
    ) -> (Schema, Vec<SchemaError>) = compile::compile;

    fn validate_value(schema: &Schema, value: View<'_>, patterns: Patterns, whole: &str) -> ValidationReport = validate::validate;

    fn check_path(schema: &Schema, path: &[Segment], patterns: Patterns, budget: &mut usize) -> PathStatus = path::path_status;

    fn find_undeclared(schema: &Schema, value: &Partial<'_>) -> Vec<UndeclaredProperty> = undeclared::find;
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Up to [`MAX_VIOLATIONS`]. Unknown keywords are annotations. Schemas of older drafts may use forms dropped in
    /// 2020-12.
    pub fn compile(
        schema: &Json,
        resources: &dyn Resources,
        patterns: Patterns,
    ) -> Result<Self, Vec<SchemaError>> {
        let (schema, errors) = compile_schema(schema, resources, patterns, false);
        if errors.is_empty() { Ok(schema) } else { Err(errors) }
    }

    /// Compiles valid parts and returns errors, which tools' schemas often contain.
    ///
    /// Invalid parts restrict nothing. Also accepts:
    /// - null with `nullable: true`, `default: null` or null in `enum`
    /// - `enum` next to a list type, for its items
    /// - options written as text
    /// - `required` as in draft 3, `exclusiveMinimum` as in draft 4
    /// - foreign type names: `dict`, `float`, `str`
    ///
    /// # Example
    /// ```
    /// use serde_json::json;
    /// use stepgraph_schema::{Patterns, Schema};
    /// let schema = json!({"properties": {"size": {"type": "float"}, "shape": {"type": "blob"}}, "required": ["size"]});
    /// let (schema, errors) = Schema::compile_lenient(&schema, Patterns::default());
    /// assert_eq!(errors.len(), 2);
    /// assert!(schema.validate(&json!({"size": 1.5, "shape": 7}), Patterns::default()).is_valid());
    /// assert!(!schema.validate(&json!({"size": "large"}), Patterns::default()).is_valid());
    /// ```
    pub fn compile_lenient(schema: &Json, patterns: Patterns) -> (Self, Vec<SchemaError>) {
        compile_schema(schema, &(), patterns, true)
    }

    /// Validates JSON.
    pub fn validate(&self, value: &Json, patterns: Patterns) -> ValidationReport {
        validate_value(self, View::Json(value), patterns, "the value")
    }

    /// Reports only certain violations. Messages call the value `whole`.
    pub fn validate_partial(&self, value: &Partial<'_>, patterns: Patterns, whole: &str) -> ValidationReport {
        validate_value(self, View::of(value), patterns, whole)
    }
}

#[cfg(test)]
mod tests;
