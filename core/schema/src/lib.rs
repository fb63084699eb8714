//! JSON Schema, draft 2020-12: what a value must be like, and what is wrong with one that is not.
//!
//! Decides whether a schema can be used, whether a value fits it, and whether a path can lead anywhere in the values that fit.
//! All vocabularies of the draft; `format` and `content…` are notes that check nothing. Does not know what regular expressions
//! are (that is [`Patterns`]) and fetches nothing: references lead into the schema or into [`Resources`].
//!
//! Invariants:
//! 1. a schema is read once, and what is wrong with it is found then, not when a value is checked;
//! 2. nothing is claimed of what is not known: holes of a [`Partial`] value, patterns without an engine;
//! 3. whatever the schema and the value are, checking ends: depth and work are bounded, and passing a bound is said;
//! 4. numbers go by their exact decimal value.
//!
//! Source: JSON Schema 2020-12, Core and Validation; held to the official test suite by `tests/parity/schema.test.mjs`.

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

pub use instance::{Partial, steps};
pub use misspelt::misspelt_keywords;
pub use path::PathStatus;
pub use possible::PossibleValues;
pub use undeclared::UndeclaredProperty;

use instance::View;
use rule::{Resource, Subschema};
use serde_json::Value as Json;
use stepgraph_text::value::Segment;

/// How many violations are listed; the rest is counted.
pub const MAX_VIOLATIONS: usize = 10;

/// Who knows regular expressions: the host's engine for ECMA-262 with the flag `u`, when there is one.
///
/// The test takes a pattern and a text. Without an engine nothing is said of what a pattern would decide.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patterns(Option<fn(&str, &str) -> PatternMatch>);

/// What an engine for regular expressions makes of a pattern and a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatternMatch {
    /// Whether some part of the text matches; `None` when the pattern can't be read.
    pub matches: Option<bool>,
    /// How much work it was. One unit is some forty nanoseconds; checking is given up when all of it took too many.
    pub work: usize,
}

impl From<Option<bool>> for PatternMatch {
    /// Of an engine that does not count its work.
    fn from(matches: Option<bool>) -> Self {
        Self { matches, work: 0 }
    }
}

impl Patterns {
    /// By this test.
    pub fn new(test: fn(&str, &str) -> PatternMatch) -> Self {
        Self(Some(test))
    }

    /// Whether a pattern can be read, and how much work it was to find out.
    fn is_readable(self, pattern: &str) -> (bool, usize) {
        let Some(test) = self.0 else { return (true, 0) };
        let PatternMatch { matches, work } = test(pattern, "");
        (matches.is_some(), work)
    }

    /// Whether some part of a text matches, and how much work it was to find out.
    fn test(self, pattern: &str, text: &str) -> (instance::Validity, usize) {
        let PatternMatch { matches, work } = self.0.map(|test| test(pattern, text)).unwrap_or_default();
        (matches.map_or(instance::Validity::Maybe, instance::Validity::from_bool), work)
    }
}

/// Further documents that references may lead to, by their names.
pub trait Resources {
    /// The document of that name, which has no fragment.
    fn get(&self, uri: &str) -> Option<&Json>;
}

/// No further documents.
impl Resources for () {
    fn get(&self, _: &str) -> Option<&Json> {
        None
    }
}

/// A map of documents by their names.
impl Resources for Json {
    fn get(&self, uri: &str) -> Option<&Json> {
        self.as_object()?.get(uri)
    }
}

/// What is wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// Where, as a JSON pointer; in another document with that one's name and `#` before it.
    pub path: String,
    /// What is wrong: lower-case, without a period.
    pub message: String,
}

/// One way in which a value does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where in the value, as a JSON pointer.
    pub instance_path: String,
    /// The keyword that is not satisfied.
    pub keyword: &'static str,
    /// Where in the schema, as a JSON pointer; in another document with that one's name and `#` before it.
    pub schema_path: String,
    /// What was found and what was expected: lower-case, without a period.
    pub message: String,
    /// What is missing, or may not be there: the name of an entry.
    pub name: Option<String>,
    /// The name that was probably meant instead of one that may not be there, or the one given instead of one that is missing.
    pub suggestion: Option<String>,
    /// The kinds of values expected, where a kind is what is wrong.
    expected_types: u8,
}

impl Violation {
    /// Whether the value is of a kind that is not expected, by whatever keyword.
    pub fn is_type_mismatch(&self) -> bool {
        self.expected_types != 0
    }
}

/// What came of checking a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationReport {
    /// The first [`MAX_VIOLATIONS`] violations.
    pub violations: Vec<Violation>,
    /// How many more there are.
    pub omitted: usize,
    /// Whether a bound was passed before all was checked; the last violation then says which.
    pub is_incomplete: bool,
}

impl ValidationReport {
    /// Whether the value fits, as far as it is known.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Whether `what` fits, as words for those who have no place to point at.
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

/// A schema that was read and can be used.
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
    /// The names of the documents that the nodes stand in.
    documents: Vec<String>,
    /// Whether some rule asks which parts of a value others have looked at.
    tracks_evaluated: bool,
}

stepgraph_lazy::lazy! {
    /// Reads a schema. A page that opens a plan without schemas does without all of this.
    fn compile_schema(
        schema: &Json,
        resources: &dyn Resources,
        patterns: Patterns,
        is_tolerant: bool
    ) -> (Schema, Vec<SchemaError>) = compile::compile;

    /// Judges a value.
    fn validate_value(schema: &Schema, value: View<'_>, patterns: Patterns, whole: &str) -> ValidationReport = validate::validate;

    /// Judges a path.
    fn check_path(schema: &Schema, path: &[Segment], patterns: Patterns) -> PathStatus = path::path_status;

    /// Finds what a schema does not name.
    fn find_undeclared(schema: &Schema, value: &Partial<'_>) -> Vec<UndeclaredProperty> = undeclared::find;
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// Up to [`MAX_VIOLATIONS`] things that are wrong with it. Keywords that are not known are notes, never errors; in a schema that
    /// names an older draft, so are keywords of a form that the draft had and 2020-12 has not.
    pub fn compile(
        schema: &Json,
        resources: &dyn Resources,
        patterns: Patterns,
    ) -> Result<Self, Vec<SchemaError>> {
        let (schema, errors) = compile_schema(schema, resources, patterns, false);
        if errors.is_empty() { Ok(schema) } else { Err(errors) }
    }

    /// Reads a schema as far as it can be understood, and what is wrong with it: those of tools are written by many hands.
    ///
    /// What is wrong holds values to nothing. Beyond the draft, `nullable: true`, `default: null` and a null among the options of `enum`
    /// allow null, `enum` beside a list means its items, an option may be written as text, the draft-3 and draft-4 forms of `required`
    /// and `exclusiveMinimum` are read as what they meant, and other languages' names of types are known: `dict`, `float`, `str`.
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

    /// What is wrong with a value.
    pub fn validate(&self, value: &Json, patterns: Patterns) -> ValidationReport {
        validate_value(self, View::Json(value), patterns, "the value")
    }

    /// What is certainly wrong with a value that is known in part; `whole` is what messages call it.
    pub fn validate_partial(&self, value: &Partial<'_>, patterns: Patterns, whole: &str) -> ValidationReport {
        validate_value(self, View::of(value), patterns, whole)
    }
}

#[cfg(test)]
mod tests;
