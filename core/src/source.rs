//! A document as a tree in which every key and value knows its place in the text.
//!
//! Decides how YAML 1.2 and JSON are read: both give the same tree, with the same strictness. Knows nothing of graphs.
//!
//! Invariants:
//! 1. every span lies inside the text and on character boundaries; spans are byte offsets;
//! 2. keys of a map are unique: a repeated key is reported and its later value dropped;
//! 3. reading takes time and memory linear in the text, whatever the text is, and never panics.
//!
//! Source: design sections 4 and 15; seed 002.

use crate::diagnostic::Span;
use serde_json::Number;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned {
    /// What stands there.
    pub kind: Kind,
    /// Where, without surrounding blanks or comments.
    pub span: Span,
}

/// What a document is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
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
