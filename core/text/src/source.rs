//! A document as a tree in which every key and value knows its place in the text.
//!
//! Decides how YAML 1.2 and JSON are read: both give the same tree, with the same strictness. Knows nothing of graphs.
//!
//! Invariants:
//! 1. every span lies inside the text and on character boundaries; spans are byte offsets;
//! 2. keys of a map are unique: a repeated key is reported and its later value dropped;
//! 3. reading takes time and memory linear in the text, whatever the text is, and never panics;
//! 4. no tree is deeper than [`MAX_DEPTH`], so recursion over one is safe;
//! 5. without an error among the diagnostics the tree says all that the text says.

mod anchor;
mod core_schema;
pub mod edit;
mod incremental;
mod json;
mod lexeme;
mod line_index;
pub mod scalar_style;
pub mod source_map;
mod syntax_message;
mod tree_builder;
mod unclosed;
mod yaml;

pub use incremental::{DirtyRange, IncrementalParse};
pub use line_index::LineIndex;

use crate::diagnostic::{Code, Diagnostic, Span};
use serde_json::{Number, Value};

/// How many bytes a text may have.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// How many lists and maps may stand inside each other.
pub const MAX_DEPTH: usize = 128;

/// How many values a text may hold, those that aliases repeat included.
pub const MAX_VALUES: usize = 2_000_000;

/// How many problems of one text are listed; a text with more is broken all over.
pub const MAX_PROBLEMS: usize = 100;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned {
    /// What stands there.
    pub kind: ValueKind,
    /// Where, without surrounding blanks or comments.
    ///
    /// Quotes, brackets and the header of a block scalar belong to it, anchors and tags don't. A value without text
    /// has an empty span where its text would be. An alias has its own place, what it repeats has the place where it
    /// was written.
    pub span: Span,
}

/// What a document is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueKind {
    /// Nothing: `null`, `~` or an empty value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number; a whole one stays whole.
    Number(Number),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Spanned>),
    /// Entries in the order of the text.
    Map(Vec<Entry>),
}

/// One entry of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key as text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// Its value.
    pub value: Spanned,
}

impl Entry {
    /// Where the key and the value stand.
    pub fn span(&self) -> Span {
        Span::new(self.key_span.start, self.value.span.end)
    }
}

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// JSON when the text begins with a bracket and is JSON, or would be without its comments; else YAML, which then says what is wrong.
    #[default]
    Auto,
    /// YAML 1.2, core schema.
    Yaml,
    /// JSON, RFC 8259.
    Json,
}

/// What came of reading a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The tree; none when reading stopped early. An empty text is [`ValueKind::Null`].
    pub root: Option<Spanned>,
    /// What is wrong, in the order of the text; at most [`MAX_PROBLEMS`].
    pub diagnostics: Vec<Diagnostic>,
    /// What the text was read as; never [`Format::Auto`].
    pub format: Format,
}

/// Reads a text; a user's mistake is a diagnostic, never a failure.
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
            match json::comment(text) {
                Some(diagnostic) => {
                    Document { root: None, diagnostics: vec![diagnostic], format: Format::Json }
                }
                None => yaml::parse(text),
            }
        }
    }
}

/// Reads a YAML text with the parser alone, which gives what [`parse`] gives, but later: tests compare the two.
#[doc(hidden)]
pub fn parse_with_parser(text: &str) -> Document {
    yaml::parse_as(text, false).0
}

/// The text in `bytes`, with nothing stripped.
///
/// # Errors
/// `source/too-large` past [`MAX_BYTES`]; `source/encoding` at the first byte that is not UTF-8.
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
    /// The entry of `key`, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.as_map()?.iter().find(|entry| entry.key == key)
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            ValueKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Spanned]> {
        match &self.kind {
            ValueKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if this is a map.
    pub fn as_map(&self) -> Option<&[Entry]> {
        match &self.kind {
            ValueKind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Whether nothing stands here.
    pub fn is_null(&self) -> bool {
        self.kind == ValueKind::Null
    }

    /// The same as plain JSON, without places.
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
    /// What it is, with an article, as messages say it.
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

/// The number that a word is by JSON's own grammar.
pub fn json_number(word: &str) -> Option<Number> {
    json::is_number(word).then(|| core_schema::parse_number(word).ok().flatten())?
}

/// Whether the first thing in `text` is a bracket.
fn looks_like_json(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.trim_start().starts_with(['{', '['])
}

/// Whether YAML could say no better: JSON was read, or a limit was passed that YAML has too.
fn json_decides(document: &Document) -> bool {
    let limit = |d: &Diagnostic| matches!(d.code, Code::SourceTooDeep | Code::SourceTooLarge);
    document.root.is_some() || document.diagnostics.iter().any(limit)
}

/// The problem of a file past [`MAX_BYTES`].
fn too_large() -> Diagnostic {
    Diagnostic::new(Code::SourceTooLarge, format!("the file is larger than {} MiB", MAX_BYTES >> 20))
        .at(Span::at(0))
        .help("move large data out of the plan")
}

#[cfg(test)]
mod tests;
