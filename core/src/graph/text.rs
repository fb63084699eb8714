//! Values whose strings may be templates.
//!
//! Decides which parts of a node's input and settings are constant and which have holes.

use crate::diagnostic::{Diagnostic, Span};
use crate::expr::{ExprError, Template};
use crate::source::{Kind, Spanned};
use serde_json::Value as Json;

/// A value with templates in some of its strings.
#[derive(Debug, Clone, PartialEq)]
pub enum Texts {
    /// No holes anywhere.
    Constant(Json),
    /// A string with holes, and where it stands.
    Template(Template, Span),
    /// A list some element of which has holes.
    List(Vec<Texts>),
    /// A map some value of which has holes.
    Map(Vec<(String, Texts)>),
}

impl Texts {
    /// Reads a value; `templates: false` takes every string for itself.
    pub fn read(value: &Spanned, source: &str, templates: bool, problems: &mut Vec<Diagnostic>) -> Self {
        match &value.kind {
            Kind::Text(text) if templates => match Template::parse(text) {
                Ok(None) => Self::Constant(Json::from(text.as_str())),
                Ok(Some(template)) => Self::Template(template, value.span),
                Err(error) => {
                    problems.push(place(error, value.span, text, source));
                    Self::Constant(Json::from(text.as_str()))
                }
            },
            Kind::List(items) => {
                let items: Vec<_> =
                    items.iter().map(|item| Self::read(item, source, templates, problems)).collect();
                constant_list(items)
            }
            Kind::Map(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), Self::read(&entry.value, source, templates, problems)))
                    .collect();
                constant_map(entries)
            }
            _ => Self::Constant(value.to_json()),
        }
    }

    /// Its value when it has no holes.
    pub fn constant(&self) -> Option<&Json> {
        match self {
            Self::Constant(json) => Some(json),
            _ => None,
        }
    }

    /// What stands under a key, holes or not.
    pub fn get(&self, key: &str) -> Option<Self> {
        match self {
            Self::Constant(Json::Object(map)) => map.get(key).cloned().map(Self::Constant),
            Self::Map(entries) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
            }
            _ => None,
        }
    }

    /// Every template in it, with the place of its text.
    pub fn templates(&self) -> Vec<(&Template, Span)> {
        match self {
            Self::Constant(_) => Vec::new(),
            Self::Template(template, span) => vec![(template, *span)],
            Self::List(items) => items.iter().flat_map(Self::templates).collect(),
            Self::Map(entries) => entries.iter().flat_map(|(_, value)| value.templates()).collect(),
        }
    }
}

fn constant_list(items: Vec<Texts>) -> Texts {
    let constants: Option<Vec<Json>> = items.iter().map(|item| item.constant().cloned()).collect();
    constants.map_or_else(|| Texts::List(items), |items| Texts::Constant(Json::Array(items)))
}

fn constant_map(entries: Vec<(String, Texts)>) -> Texts {
    let constants: Option<serde_json::Map<String, Json>> =
        entries.iter().map(|(key, value)| Some((key.clone(), value.constant()?.clone()))).collect();
    constants.map_or_else(|| Texts::Map(entries), |map| Texts::Constant(Json::Object(map)))
}

/// The place in the file of a place in an expression.
///
/// Exact where the text stands in the file as it is, plain or in simple quotes; else the whole text.
pub(super) fn within(span: Span, text: &str, source: &str, part: Span) -> Span {
    let written = source.get(span.start..span.end).unwrap_or("");
    match written.find(text) {
        Some(offset) if !text.is_empty() => span.part(offset + part.start, offset + part.end),
        _ => span,
    }
}

/// A problem of an expression, placed in the file.
pub(super) fn place(error: ExprError, span: Span, text: &str, source: &str) -> Diagnostic {
    let mut diagnostic =
        Diagnostic::new(error.code, error.message).at(within(span, text, source, error.span));
    diagnostic.help = error.help;
    diagnostic
}
