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
pub use misspelt::misspelt_keywords;
pub use path::PathStatus;
pub use possible::PossibleValues;
pub use undeclared::UndeclaredProperty;

use instance::View;
use rule::{Resource, Subschema};
use serde_json::Value as Json;
use stepgraph_text::value::Segment;

/// The maximum number of listed violations. The report counts the rest.
pub const MAX_VIOLATIONS: usize = 10;

/// An optional engine for regular expressions: the host's, for ECMA-262 with the flag `u`.
///
/// The function gets a pattern and a text. Without an engine, the result of a pattern is unknown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patterns(Option<fn(&str, &str) -> PatternMatch>);

/// The result of matching a pattern against a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatternMatch {
    /// Whether some part of the text matches, or `None` if the pattern is invalid.
    pub matches: Option<bool>,
    /// The work done. One unit is about 40 nanoseconds. Validation aborts if the total exceeds its budget.
    pub work: usize,
}

impl From<Option<bool>> for PatternMatch {
    /// Converts the result of an engine that does not count its work.
    fn from(matches: Option<bool>) -> Self {
        Self { matches, work: 0 }
    }
}

impl Patterns {
    /// Creates patterns that use this function.
    pub fn new(test: fn(&str, &str) -> PatternMatch) -> Self {
        Self(Some(test))
    }

    /// Whether a pattern is valid, and the work to find out.
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

/// Further documents that references may point to, by URI.
pub trait Resources {
    /// Returns the document with this URI, which has no fragment.
    fn get(&self, uri: &str) -> Option<&Json>;
}

impl Resources for () {
    fn get(&self, _: &str) -> Option<&Json> {
        None
    }
}

/// A map of documents by URI.
impl Resources for Json {
    fn get(&self, uri: &str) -> Option<&Json> {
        self.as_object()?.get(uri)
    }
}

/// An error in a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// Its location, as a JSON pointer. In another document, the URI and `#` come first.
    pub path: String,
    /// The message: lower-case, without a period.
    pub message: String,
}

/// A reason why a value is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The location in the value, as a JSON pointer.
    pub instance_path: String,
    /// The keyword that failed.
    pub keyword: &'static str,
    /// The location in the schema, as a JSON pointer. In another document, the URI and `#` come first.
    pub schema_path: String,
    /// The found and the expected value: lower-case, without a period.
    pub message: String,
    /// The name of the missing or undeclared entry.
    pub name: Option<String>,
    /// A similar name: a declared name for an undeclared entry, or an existing entry for a missing one.
    pub suggestion: Option<String>,
    expected_types: u8,
}

impl Violation {
    /// Whether the type of the value is wrong, for any keyword.
    pub fn is_type_mismatch(&self) -> bool {
        self.expected_types != 0
    }
}

/// The result of validating a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationReport {
    /// The first [`MAX_VIOLATIONS`] violations.
    pub violations: Vec<Violation>,
    /// The number of further violations.
    pub omitted: usize,
    /// Whether validation aborted at a limit. The last violation then says which.
    pub is_incomplete: bool,
}

impl ValidationReport {
    /// Whether the value is valid, as far as it is known.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Converts the report to one message, with `what` as the name of the value.
    ///
    /// # Errors
    /// The first few violations.
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
    /// The URIs of the documents that contain the nodes.
    documents: Vec<String>,
    /// Whether some rule needs the children that other rules evaluated.
    tracks_evaluated: bool,
}

stepgraph_lazy::lazy! {
    /// Compiles a schema. Lazy, because a page that opens a plan without schemas needs none of this.
    fn compile_schema(
        schema: &Json,
        resources: &dyn Resources,
        patterns: Patterns,
        is_tolerant: bool
    ) -> (Schema, Vec<SchemaError>) = compile::compile;

    /// Validates a value.
    fn validate_value(schema: &Schema, value: View<'_>, patterns: Patterns, whole: &str) -> ValidationReport = validate::validate;

    /// Checks a path.
    fn check_path(schema: &Schema, path: &[Segment], patterns: Patterns) -> PathStatus = path::path_status;

    /// Finds undeclared properties.
    fn find_undeclared(schema: &Schema, value: &Partial<'_>) -> Vec<UndeclaredProperty> = undeclared::find;
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Up to [`MAX_VIOLATIONS`] errors. Unknown keywords are annotations, never errors. A schema that names an older
    /// draft may also use forms of keywords that 2020-12 no longer has.
    pub fn compile(
        schema: &Json,
        resources: &dyn Resources,
        patterns: Patterns,
    ) -> Result<Self, Vec<SchemaError>> {
        let (schema, errors) = compile_schema(schema, resources, patterns, false);
        if errors.is_empty() { Ok(schema) } else { Err(errors) }
    }

    /// Compiles the valid parts of a schema and returns its errors. Tools' schemas often contain some.
    ///
    /// Invalid parts restrict nothing. Beyond the draft, this accepts:
    /// - null, if the schema has `nullable: true`, `default: null` or a null in `enum`
    /// - `enum` next to a list type, for the items of the list
    /// - options written as text
    /// - the forms of `required` in draft 3 and of `exclusiveMinimum` in draft 4
    /// - type names of other languages: `dict`, `float`, `str`
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

    /// Validates a value.
    pub fn validate(&self, value: &Json, patterns: Patterns) -> ValidationReport {
        validate_value(self, View::Json(value), patterns, "the value")
    }

    /// Validates a partially known value. Reports only certain violations. `whole` names the value in messages.
    pub fn validate_partial(&self, value: &Partial<'_>, patterns: Patterns, whole: &str) -> ValidationReport {
        validate_value(self, View::of(value), patterns, whole)
    }
}

#[cfg(test)]
mod tests;
