//! A document as a tree with spans. YAML 1.2 and JSON yield the same tree.
//!
//! Invariants:
//! 1. Every span is a byte range inside the text, on character boundaries.
//! 2. Keys of a map are unique. The parser reports a repeated key and drops its later value.
//! 3. The parser takes linear time and memory, and never panics.
//! 4. No tree is deeper than [`MAX_DEPTH`], so recursion is safe.
//! 5. If no diagnostic is an error, the tree contains all data of the text.

mod anchor;
mod core_schema;
pub mod edit;
mod incremental;
mod joined;
pub(crate) mod json;
mod lexeme;
mod line_index;
pub mod scalar_style;
pub mod source_map;
mod syntax_message;
mod tree_builder;
mod unclosed;
mod yaml;

pub use incremental::{DirtyRange, IncrementalParse};
pub use joined::{SourceFile, SourceIndex, own_text};
pub use line_index::LineIndex;

pub use crate::diagnostic::MAX_PROBLEMS;
use crate::diagnostic::{Code, Diagnostic, Span};
pub(crate) use core_schema::parse_number;
use serde_json::{Number, Value};
pub(crate) use tree_builder::Container;

/// Maximal size of a text.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Maximal nesting of lists and maps.
pub const MAX_DEPTH: usize = 128;

/// Maximal number of values, with those that aliases expand to.
pub const MAX_VALUES: usize = 2_000_000;

/// A value and its span.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned {
    /// The value.
    pub kind: ValueKind,
    /// Excludes surrounding whitespace and comments.
    ///
    /// It includes quotes, brackets and the header of a block scalar, but no anchors and tags. It is empty if there
    /// is no text. An alias has its own span, the values inside it those of the anchored value.
    pub span: Span,
}

/// A kind with its data.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueKind {
    /// `null`, `~` or an empty value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Finite. Integers remain integers.
    Number(Number),
    /// A string.
    Text(String),
    /// Values in order.
    List(Vec<Spanned>),
    /// In text order.
    Map(Vec<Entry>),
}

/// A map's entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// As text.
    pub key: String,
    /// Key's span.
    pub key_span: Span,
    /// The value.
    pub value: Spanned,
}

impl Entry {
    /// Spans key and value.
    pub fn span(&self) -> Span {
        Span::new(self.key_span.start, self.value.span.end)
    }
}

/// A text's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// JSON if the text begins with a bracket and is JSON, maybe with comments, or exceeds a limit as JSON.
    /// Otherwise YAML.
    #[default]
    Auto,
    /// YAML 1.2, core schema.
    Yaml,
    /// JSON, RFC 8259.
    Json,
}

/// A parsed text.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// `None` if the parser stopped early. An empty text is [`ValueKind::Null`].
    pub root: Option<Spanned>,
    /// At most [`MAX_PROBLEMS`], in text order.
    pub diagnostics: Vec<Diagnostic>,
    /// Never [`Format::Auto`].
    pub format: Format,
}

/// Parses a text. Mistakes of the user become diagnostics.
///
/// # Example
/// ```
/// use stepgraph_text::source::{Format, parse};
/// let document = parse("start: a\nnodes: {a: {type: noop}}\n", Format::Auto);
/// assert!(document.diagnostics.is_empty());
/// let root = document.root.expect("a tree");
/// assert_eq!(root.get("start").and_then(|entry| entry.value.as_text()), Some("a"));
/// ```
pub fn parse(text: &str, format: Format) -> Document {
    if text.len() > MAX_BYTES {
        return Document { root: None, diagnostics: vec![too_large()], format: Format::Yaml };
    }
    match format {
        Format::Json => json::parse(text),
        Format::Yaml => yaml::parse(text),
        Format::Auto if !looks_like_json(text) => yaml::parse(text),
        Format::Auto => {
            let document = json::parse(text);
            if json_decides(&document) {
                return document;
            }
            // YAML would read the comment as text.
            match document.diagnostics.into_iter().find(|found| found.message == json::NO_COMMENTS) {
                Some(diagnostic) => {
                    Document { root: None, diagnostics: vec![diagnostic], format: Format::Json }
                }
                None => yaml::parse(text),
            }
        }
    }
}

/// Parses without the fast path, with the result of [`parse`].
#[doc(hidden)]
pub fn parse_with_parser(text: &str) -> Document {
    yaml::parse_as(text, false).0
}

/// Decodes UTF-8, without stripping.
///
/// # Errors
/// `source/too-large` above [`MAX_BYTES`]. `source/encoding` at the first byte that is not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, Diagnostic> {
    if bytes.len() > MAX_BYTES {
        return Err(too_large());
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let end = error.error_len().map_or(bytes.len(), |length| start + length);
        Diagnostic::new(Code::SourceEncoding, "the file is not UTF-8 text")
            .at(Span::new(start, end))
            .help("save the file with the encoding UTF-8")
    })
}

impl Spanned {
    /// A map's entry.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.as_map()?.iter().find(|entry| entry.key == key)
    }

    /// A string's text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            ValueKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A list's items.
    pub fn as_list(&self) -> Option<&[Spanned]> {
        match &self.kind {
            ValueKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// A map's entries.
    pub fn as_map(&self) -> Option<&[Entry]> {
        match &self.kind {
            ValueKind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Whether it's null.
    pub fn is_null(&self) -> bool {
        self.kind == ValueKind::Null
    }

    /// Moves all spans by `by` bytes.
    pub fn shift(&mut self, by: usize) {
        self.span = self.span.shifted(by);
        match &mut self.kind {
            ValueKind::List(items) => items.iter_mut().for_each(|item| item.shift(by)),
            ValueKind::Map(entries) => {
                for entry in entries {
                    entry.key_span = entry.key_span.shifted(by);
                    entry.value.shift(by);
                }
            }
            _ => {}
        }
    }

    /// The number of values, and of levels.
    pub fn size(&self) -> (usize, usize) {
        let add = |(count, depth): (usize, usize), value: &Self| {
            let (more, deeper) = value.size();
            (count + more, depth.max(deeper))
        };
        let (count, depth) = match &self.kind {
            ValueKind::List(items) => items.iter().fold((0, 0), add),
            ValueKind::Map(entries) => entries.iter().map(|entry| &entry.value).fold((0, 0), add),
            _ => (0, 0),
        };
        (count + 1, depth + 1)
    }

    /// Plain JSON.
    pub fn to_json(&self) -> Value {
        match &self.kind {
            ValueKind::Null => Value::Null,
            ValueKind::Bool(flag) => Value::Bool(*flag),
            ValueKind::Number(number) => Value::Number(number.clone()),
            ValueKind::Text(text) => Value::String(text.clone()),
            ValueKind::List(items) => items.iter().map(Self::to_json).collect(),
            ValueKind::Map(entries) => entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect(),
        }
    }
}

impl ValueKind {
    /// Returns the name with an article, for messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// Parses by JSON's grammar.
pub fn json_number(word: &str) -> Option<Number> {
    json::is_number(word).then(|| core_schema::parse_number(word).ok().flatten())?
}

fn looks_like_json(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.trim_start().starts_with(['{', '['])
}

/// Whether the text is JSON, or exceeds a limit that YAML has too.
fn json_decides(document: &Document) -> bool {
    let limit = |d: &Diagnostic| matches!(d.code, Code::SourceTooDeep | Code::SourceTooLarge);
    document.root.is_some() || document.diagnostics.iter().any(limit)
}

fn too_large() -> Diagnostic {
    Diagnostic::new(Code::SourceTooLarge, format!("the file is larger than {} MiB", MAX_BYTES >> 20))
        .at(Span::at(0))
        .help("move large data out of the plan")
}

#[cfg(test)]
mod tests;
