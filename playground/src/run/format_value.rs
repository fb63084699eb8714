//! Formats values and times, including invalid or truncated JSON.

use crate::i18n::Lang;
use serde_json::Value as Json;
use std::cell::Cell;
use std::fmt::Write;
use stepgraph_core::json;
use stepgraph_core::value::{json_text, number_text};

thread_local! {
    /// The page has one language, and numbers are formatted far from it.
    static LANGUAGE: Cell<Lang> = const { Cell::new(Lang::En) };
}

/// Formats numbers as `lang` does, from now on.
pub fn set_number_language(lang: Lang) {
    LANGUAGE.set(lang);
}

/// `0.4 ms`, `312 ms`, `4.2 s`, `3 min 5 s`.
pub fn duration(ms: f64) -> String {
    if ms < 10.0 {
        return one_decimal(ms) + " ms";
    }
    if ms < 1000.0 {
        return number_text(ms.round()) + " ms";
    }
    if ms < 60_000.0 {
        return one_decimal(ms / 1000.0) + " s";
    }
    let seconds = (ms / 1000.0).round();
    let minutes = (seconds / 60.0).floor();
    [&number_text(minutes), " min ", &number_text(60.0f64.mul_add(-minutes, seconds)), " s"].concat()
}

/// `$0`, `$0.0012`, `$1.25`, in Spanish `1,25 USD`. Small amounts keep two digits.
pub fn usd(amount: f64) -> String {
    let cents = if amount <= 0.0 || amount >= 0.1 { 2.0 } else { (1.0 - amount.log10().floor()).min(6.0) };
    let unit = 10.0_f64.powf(cents);
    let number = localized(number_text((amount * unit).round() / unit));
    if LANGUAGE.get() == Lang::Es { number + " USD" } else { ["$", &number].concat() }
}

/// `3`, `3.7`, in Spanish `3,7`.
pub fn one_decimal(number: f64) -> String {
    localized(number_text((number * 10.0).round() / 10.0))
}

/// Spanish has a decimal comma.
fn localized(number: String) -> String {
    if LANGUAGE.get() == Lang::Es { number.replace('.', ",") } else { number }
}

/// At most `max` characters, without quotes.
pub fn one_line(text: &str, max: usize) -> String {
    let plain = match json::parse(text) {
        Some(Json::String(text)) => text,
        Some(_) => text.to_owned(),
        // Loses its opening quote if truncated.
        None => text.strip_prefix('"').unwrap_or(text).to_owned(),
    };
    let mut line = String::new();
    let mut letters = plain.chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c });
    line.extend(letters.by_ref().take(max));
    if letters.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}

/// Omits outer braces: `name: Ada, tags: [2]`.
pub(super) fn summary(text: &str, max: usize) -> String {
    let nested = |value: &Json| match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => ["[", &items.len().to_string(), "]"].concat(),
        Json::Object(_) => "{…}".to_owned(),
        other => json_text(other),
    };
    let line = match json::parse(text) {
        Some(Json::Object(map)) => {
            let pairs = map.iter().map(|(key, value)| [key.as_str(), ": ", &nested(value)].concat());
            pairs.collect::<Vec<_>>().join(", ")
        }
        Some(Json::Array(items)) => items.iter().map(nested).collect::<Vec<_>>().join(", "),
        Some(_) => return one_line(text, max),
        // Truncated JSON.
        None => text.chars().filter(|c| !matches!(c, '{' | '}' | '[' | ']' | '"')).collect(),
    };
    one_line(&json_text(&Json::String(line)), max)
}

/// One line as a person reads it: `{"order":{"id":"A-1"},"n":2}` is `order: (id: A-1), n: 2`. Truncated JSON is fine.
pub fn readable(line: &str) -> String {
    if !line.starts_with(['{', '[']) {
        return line.to_owned();
    }
    let (mut out, mut depth, mut is_text) = (String::new(), 0_usize, false);
    let mut letters = line.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' if is_text => out.push(match letters.next() {
                Some('n' | 't' | 'r') => ' ',
                escaped => escaped.unwrap_or('…'),
            }),
            '"' => is_text = !is_text,
            _ if is_text => out.push(c),
            '{' | '[' => {
                if depth > 0 {
                    out.push('(');
                }
                depth += 1;
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth > 0 {
                    out.push(')');
                }
            }
            ':' => out.push_str(": "),
            ',' => out.push_str(", "),
            ' ' => {}
            _ => out.push(c),
        }
    }
    if out.is_empty() { line.to_owned() } else { out }
}

/// Indented.
pub fn pretty(text: &str) -> String {
    let mut printer = JsonPrinter { out: String::with_capacity(text.len() * 2), depth: 0 };
    printer.print(text);
    printer.out
}

/// It is invisible, or changes the order of what one reads. `short-values.ts` has the same list.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

struct JsonPrinter {
    out: String,
    depth: usize,
}

impl JsonPrinter {
    /// Works by character, so truncated JSON is fine.
    fn print(&mut self, text: &str) {
        let mut letters = text.chars().peekable();
        while let Some(c) = letters.next() {
            match c {
                '"' => self.string(&mut letters),
                '{' | '[' => {
                    self.out.push(c);
                    if letters.peek().is_some_and(|next| matches!(next, '}' | ']')) {
                        self.out.extend(letters.next());
                    } else {
                        self.depth += 1;
                        self.line();
                    }
                }
                '}' | ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.line();
                    self.out.push(c);
                }
                ',' => {
                    self.out.push(c);
                    self.line();
                }
                ':' => self.out.push_str(": "),
                _ => self.out.push(c),
            }
        }
    }

    fn string(&mut self, letters: &mut impl Iterator<Item = char>) {
        self.out.push('"');
        let mut is_escaped = false;
        for c in letters {
            if is_hidden(c) {
                let _ = write!(self.out, "\\u{{{:x}}}", u32::from(c));
            } else {
                self.out.push(c);
            }
            if c == '"' && !is_escaped {
                return;
            }
            is_escaped = c == '\\' && !is_escaped;
        }
    }

    fn line(&mut self) {
        let _ = write!(self.out, "\n{:1$}", "", self.depth * 2);
    }
}
