//! Reads JSON into a tree with spans, and explains errors.
//!
//! It accepts a byte order mark. It refuses numbers outside the range of floats and lone surrogates, as
//! values cannot represent them.

use super::tree_builder::{Container, ParseAborted, TreeBuilder};
use super::{Document, Format, Spanned};
use crate::diagnostic::{Code, Diagnostic, Span, shorten_name};
use crate::json::{JsonPolicy, JsonReader};

pub(crate) const NO_COMMENTS: &str = "a comment is not allowed in JSON";

pub(crate) const COMMENT_HELP: &str =
    "remove the comment, or write the file as YAML, where comments begin with `#`";

/// Some programs allow JavaScript comments in JSON.
pub(crate) fn begins_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

pub(super) fn parse(text: &str) -> Document {
    let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = JsonReader::new(text, at, TreeBuilder::default());
    let outcome = reader.document();
    reader.policy.finish(outcome, Format::Json)
}

impl JsonPolicy for TreeBuilder {
    type Stop = ParseAborted;
    const REPLACES_SURROGATES: bool = false;

    fn top(&self) -> Container {
        self.top()
    }

    fn open(&mut self, container: Container, start: usize) -> Result<(), ParseAborted> {
        if container == Container::Map { self.open_map(start) } else { self.open_list(start) }
    }

    fn close(&mut self, end: usize) -> Result<(), ParseAborted> {
        match self.close(end) {
            Some(value) => self.add(value),
            None => Ok(()),
        }
    }

    fn key(&mut self, name: String, span: Span) {
        self.key(name, span);
    }

    fn add(&mut self, scalar: Spanned) -> Result<(), ParseAborted> {
        self.add(scalar)
    }

    fn add_too_large(&mut self, word: &str, span: Span) -> Result<(), ParseAborted> {
        let kind = self.not_finite(word, span);
        self.add(Spanned { kind, span })
    }

    fn stop<T>(&mut self, span: Span, word: &str, message: &str, help: &str) -> Result<T, ParseAborted> {
        let message =
            if word.is_empty() { message.to_owned() } else { format!("`{}` {message}", shorten_name(word)) };
        self.stop(Diagnostic::new(Code::SourceSyntax, message).at(span).help(help))
    }
}

/// JSON's grammar has no `+1`, `01`, `.5` or `1.`.
pub(crate) fn is_number(word: &str) -> bool {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, power) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, p)| (m, Some(p)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && power.is_none_or(|power| digits(power.strip_prefix(['+', '-']).unwrap_or(power)))
}
