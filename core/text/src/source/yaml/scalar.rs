//! Refuses plain scalars that are mistakes, and resolves those with a core schema tag.
//!
//! Source: YAML 1.2.2 chapter 10.

use super::super::json::begins_comment;
use super::super::lexeme::{byte, is_space, skip_whitespace};
use super::super::syntax_message::negation_as_tag;
use super::super::unclosed::{divided_by_comma, quoted};
use super::{
    Code, Diagnostic, ParseAborted, ScalarStyle, Span, Spanned, Tag, ValueKind, YamlParser, core_schema,
    shorten_name,
};
use crate::reference_syntax::{is_key_char, is_root};

impl YamlParser<'_> {
    pub(super) fn check_word(
        &mut self,
        word: &str,
        style: ScalarStyle,
        span: Span,
    ) -> Result<(), ParseAborted> {
        let flow = self.levels.last().is_some_and(|level| level.is_flow);
        let is_key = self.builder.wants_key();
        if style == ScalarStyle::Plain
            && flow
            && is_key
            && byte(self.text, skip_whitespace(self.text, span.end)) != b':'
            && let Some(diagnostic) = divided_by_comma(self.text, span.start)
        {
            return self.stop(diagnostic);
        }
        let (length, message, help) = match style {
            ScalarStyle::Plain if word.starts_with(['|', '>']) => (
                span.end - span.start,
                "a block of text is not allowed inside brackets",
                "put the text in quotes",
            ),
            ScalarStyle::Plain if flow && is_key && begins_comment(word) => {
                (2, "a comment begins with `#`", "write `#` instead, or put the key in quotes")
            }
            _ => return Ok(()),
        };
        let place = Span::new(span.start, span.start + length);
        self.stop(Diagnostic::new(Code::SourceSyntax, message).at(place).help(help))
    }

    /// Our parser accepts a missing space after an anchor or tag, but others refuse it.
    pub(super) fn check_gap(&mut self, end: usize) {
        let flow = self.levels.last().is_some_and(|level| level.is_flow);
        let next = byte(self.text, end);
        let closes = flow && matches!(next, b',' | b']' | b'}');
        if end < self.text.len() && !is_space(next) && !closes {
            let message = "a space is missing after the anchor or the tag";
            let diagnostic = Diagnostic::new(Code::SourceSyntax, message).at(Span::new(end, end + 1));
            self.builder.report(diagnostic.help("put a space before this"));
        }
    }

    pub(super) fn tagged(&mut self, text: &str, tag: &Tag, place: Span, span: Span) -> ValueKind {
        let kind = match core_schema::core_tag(&tag.handle, &tag.suffix, "str") {
            Some("str") => Some(ValueKind::Text(text.to_owned())),
            Some("null") => core_schema::is_null(text).then_some(ValueKind::Null),
            Some("bool") => core_schema::parse_bool(text).map(ValueKind::Bool),
            Some("int") => core_schema::parse_number(text)
                .ok()
                .flatten()
                .filter(|_| core_schema::is_whole(text))
                .map(ValueKind::Number),
            Some("float") => match core_schema::parse_number(text) {
                Err(core_schema::NotFinite) => Some(self.builder.not_finite(text, span)),
                Ok(number) => {
                    number.and_then(|n| serde_json::Number::from_f64(n.as_f64()?)).map(ValueKind::Number)
                }
            },
            Some("map" | "seq") => None,
            _ => return self.bad_tag(place, None),
        };
        kind.unwrap_or_else(|| self.bad_tag(place, Some(text)))
    }

    /// YAML reads a condition that begins with `!` as a tag. Returns its text.
    pub(super) fn negation(&mut self, tag: Option<Span>, span: Span) -> Option<Spanned> {
        let tag = tag?;
        let whole = Span::new(tag.start, span.end.max(tag.end));
        let word = self.text.get(tag.start..tag.end)?.trim_start_matches(['!', '(']);
        let word = word.get(..word.find(|c| !is_key_char(c)).unwrap_or(word.len()))?;
        let is_quoted =
            matches!(byte(self.text, span.start), b'"' | b'\'' | b'|' | b'>') && span.end > tag.end;
        let edit = quoted(self.text, whole).filter(|_| is_root(word) && !is_quoted)?;
        let text = self.text.get(whole.start..whole.end)?;
        let diagnostic = negation_as_tag(text).at(whole);
        self.builder.report(diagnostic.fix(edit.span, edit.text));
        Some(Spanned { kind: ValueKind::Text(text.to_owned()), span: whole })
    }

    pub(super) fn bad_tag(&mut self, place: Span, text: Option<&str>) -> ValueKind {
        let tag = shorten_name(self.text.get(place.start..place.end).unwrap_or_default());
        let message = match text {
            None => format!("the tag `{tag}` is not supported in a plan"),
            Some(text) => format!("the tag `{tag}` does not fit `{}`", shorten_name(text)),
        };
        self.builder.report(Diagnostic::new(Code::SourceTag, message).at(place).help("remove the tag"));
        ValueKind::Null
    }
}
