//! Formats new values in the style around them, without changing them.

use super::super::scalar_style::{self, block_header, is_plain, needs_escape};
use super::locate::DocumentText;
use crate::value::json_text;
use serde_json::Value as Json;

/// For flow collections.
pub(super) const MAX_FLOW_CHARS: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Plain,
    Single,
    Double,
}

impl Quote {
    pub(super) fn of(written: &str) -> Self {
        match written.as_bytes().first() {
            Some(b'"') => Self::Double,
            Some(b'\'') => Self::Single,
            _ => Self::Plain,
        }
    }
}

impl DocumentText<'_> {
    /// `flow` means between brackets.
    pub(super) fn scalar(&self, value: &Json, quote: Quote, flow: bool) -> String {
        let mut out = String::new();
        match value {
            _ if self.json => return json_text(value),
            Json::String(text) => match quote {
                Quote::Single if !text.contains(needs_escape) => {
                    return format!("'{}'", text.replace('\'', "''"));
                }
                Quote::Double => return json_text(value),
                Quote::Plain if is_plain(text, flow) => out.push_str(text),
                _ => scalar_style::quote(&mut out, text),
            },
            Json::Number(number) => scalar_style::number(&mut out, number),
            _ => return json_text(value),
        }
        out
    }

    pub(super) fn key(&self, key: &str, quote: Quote, flow: bool) -> String {
        self.scalar(&Json::from(key), quote, flow)
    }

    pub(super) fn flow_line(&self, value: &Json) -> String {
        let colon = ": ";
        match value {
            Json::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.flow_line(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Json::Object(map) => {
                let pair = |(key, value): (&String, &Json)| {
                    self.key(key, Quote::Plain, true) + colon + &self.flow_line(value)
                };
                format!("{{{}}}", map.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            scalar => self.scalar(scalar, Quote::Plain, true),
        }
    }

    /// A long or `tall` value takes several lines. `column` indents its closing bracket.
    pub(super) fn brackets(&self, value: &Json, column: usize, tall: bool) -> String {
        let whole = self.flow_line(value);
        if !(tall && has_nested(value)) && whole.len() + column <= MAX_FLOW_CHARS {
            return whole;
        }
        let inner = column + self.indent_width;
        let indent = format!("{}{}", self.newline, " ".repeat(inner));
        let (open, parts, close) = match value {
            Json::Array(items) => {
                ("[", items.iter().map(|item| self.brackets(item, inner, tall)).collect::<Vec<_>>(), "]")
            }
            Json::Object(map) => {
                let pair = |(key, value): (&String, &Json)| {
                    self.key(key, Quote::Plain, true) + ": " + &self.brackets(value, inner, tall)
                };
                ("{", map.iter().map(pair).collect(), "}")
            }
            _ => return whole,
        };
        if parts.is_empty() {
            return whole;
        }
        let between = format!(",{indent}");
        format!("{open}{indent}{}{}{}{close}", parts.join(&between), self.newline, " ".repeat(column))
    }

    /// Includes the space or line break before the value. `flat` prefers flow style.
    pub(super) fn block_value(&self, value: &Json, column: usize, dash: bool, flat: bool) -> String {
        let inline = match value {
            Json::Array(items) => items.is_empty(),
            Json::Object(map) => map.is_empty(),
            Json::String(text) => return self.block_text(text, column),
            _ => true,
        };
        if inline {
            return format!(" {}", self.flow_line(value));
        }
        let whole = self.flow_line(value);
        if (flat || is_leaf(value)) && whole.len() + column <= MAX_FLOW_CHARS {
            return format!(" {whole}");
        }
        let inner = match value {
            _ if dash => column + 2,
            Json::Array(_) if self.flush_lists => column,
            _ => column + self.indent_width,
        };
        let indent = format!("{}{}", self.newline, " ".repeat(inner));
        let lines: Vec<String> = match value {
            Json::Array(items) => {
                items.iter().map(|item| format!("-{}", self.block_value(item, inner, true, false))).collect()
            }
            Json::Object(map) => {
                let entry = |(key, value): (&String, &Json)| self.block_entry(key, value, inner, false);
                map.iter().map(entry).collect()
            }
            _ => Vec::new(),
        };
        let lines = lines.join(&indent);
        if dash { format!(" {lines}") } else { format!("{indent}{lines}") }
    }

    pub(super) fn root_text(&self, value: &Json) -> String {
        let lines: Vec<String> = match value {
            Json::Object(map) => {
                map.iter().map(|(key, value)| self.block_entry(key, value, 0, false)).collect()
            }
            Json::Array(items) => {
                items.iter().map(|item| format!("-{}", self.block_value(item, 0, true, false))).collect()
            }
            _ => Vec::new(),
        };
        if lines.is_empty() { self.flow_line(value) } else { lines.join(self.newline) }
    }

    pub(super) fn block_entry(&self, key: &str, value: &Json, column: usize, flat: bool) -> String {
        format!("{}:{}", self.key(key, Quote::Plain, false), self.block_value(value, column, false, flat))
    }

    /// Several lines become a block scalar.
    fn block_text(&self, text: &str, column: usize) -> String {
        let whole = || format!(" {}", self.scalar(&Json::from(text), Quote::Plain, false));
        if !text.contains('\n') {
            return whole();
        }
        // Some parsers drop the block scalar's last line break then.
        let open = !self.text.is_empty() && !self.text.ends_with(['\n', '\r']);
        let Some(header) = block_header(text).filter(|header| !(open && *header == "|")) else {
            return whole();
        };
        let indent = " ".repeat(column + self.indent_width);
        let mut out = format!(" {header}");
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            out.push_str(self.newline);
            if !line.is_empty() {
                out.push_str(&indent);
                out.push_str(line);
            }
        }
        out
    }
}

fn has_nested(value: &Json) -> bool {
    let nested = |json: &Json| {
        matches!(json, Json::Array(items) if !items.is_empty())
            || matches!(json, Json::Object(map) if !map.is_empty())
    };
    match value {
        Json::Array(items) => items.iter().any(nested),
        Json::Object(map) => map.values().any(nested),
        _ => false,
    }
}

/// Whether the value is usually written on one line.
fn is_leaf(value: &Json) -> bool {
    let short = |json: &Json| match json {
        Json::String(text) => text.len() <= 40,
        other => !other.is_array() && !other.is_object(),
    };
    match value {
        Json::Array(items) => items.iter().all(short),
        Json::Object(map) => map.len() <= 3 && map.values().all(short),
        _ => true,
    }
}
