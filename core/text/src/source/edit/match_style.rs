//! New entries in the style of their neighbour. Quotes follow the same key in it, else the style that all its
//! strings share.

use super::super::{Spanned, ValueKind};
use super::emit::{MAX_FLOW_CHARS, Quote};
use super::locate::DocumentText;
use serde_json::{Map, Value as Json};

impl DocumentText<'_> {
    /// Formats a map after a colon or dash, with the space or line break before it. `None` if `like` is no
    /// example.
    pub(super) fn block_value_like(&self, value: &Json, like: &Spanned) -> Option<String> {
        let (Json::Object(map), ValueKind::Map(entries)) = (value, &like.kind) else { return None };
        if map.is_empty() || entries.is_empty() || self.is_alias(like) || self.json {
            return None;
        }
        let written = self.slice(like.span.start, like.span.end);
        if self.is_flow(like) {
            let line = format!(" {}", self.flow_line_like(map, like));
            let longest = self.line_end(like.span.start) - self.line_start(like.span.start);
            let fits = !written.contains('\n')
                && line.len() + self.column(like.span.start) <= longest.max(MAX_FLOW_CHARS);
            return fits.then_some(line);
        }
        let first = entries.first().map(|entry| entry.key_span.start)?;
        let column = self.column(first);
        let line = self.line_start(first);
        let dash = !self.is_blank(line, first);
        let pairs: Vec<String> = map
            .iter()
            .map(|(key, value)| match value {
                Json::String(text) if !text.contains('\n') => {
                    let quote = self.quote_like(key, like);
                    format!("{}: {}", self.key(key, Quote::Plain, false), self.scalar(value, quote, false))
                }
                _ => self.block_entry(key, value, column, false),
            })
            .collect();
        let indent = format!("{}{}", self.newline, " ".repeat(column));
        Some(format!("{}{}", if dash { " " } else { indent.as_str() }, pairs.join(&indent)))
    }

    pub(super) fn flow_line_like(&self, map: &Map<String, Json>, like: &Spanned) -> String {
        let quote =
            |key: &str| if like.as_map().is_some() { self.quote_like(key, like) } else { Quote::Plain };
        let pairs: Vec<String> = map
            .iter()
            .map(|(key, value)| {
                let value = match value {
                    Json::String(_) => self.scalar(value, quote(key), true),
                    _ => self.flow_line(value),
                };
                format!("{}: {value}", self.key(key, Quote::Plain, true))
            })
            .collect();
        let pad = if self.slice(like.span.start, like.span.end).starts_with("{ ") { " " } else { "" };
        format!("{{{pad}{}{pad}}}", pairs.join(", "))
    }

    fn quote_like(&self, key: &str, like: &Spanned) -> Quote {
        let quote = |value: &Spanned| {
            value.as_text().map(|_| Quote::of(self.slice(value.span.start, value.span.end)))
        };
        if let Some(quote) = like.get(key).and_then(|entry| quote(&entry.value)) {
            return quote;
        }
        let mut all = like.as_map().unwrap_or_default().iter().filter_map(|entry| quote(&entry.value));
        let first = all.next().unwrap_or(Quote::Plain);
        if all.all(|quote| quote == first) { first } else { Quote::Plain }
    }
}
