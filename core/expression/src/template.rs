//! Templates: `${reference}` in the strings of a node's input and settings. The machine fills them.
//!
//! Invariants:
//! 1. A text without `${` is no template and costs no time in a run.
//! 2. A text that is exactly one placeholder keeps the type of its value.

mod foreign_syntax;
mod missed_expression;
mod print;

use crate::base::{Code, ROOTS, Span};
use crate::computed::Computed;
use crate::cursor::Cursor;
use crate::error::{Error, MAX_ERRORS};
use crate::literal::Literal;
use crate::parser::Syntax;
use crate::reference::{Reference, parse_quoted};
use serde_json::Value as Json;

pub use foreign_syntax::{foreign_template, plain_path};
pub use missed_expression::{missed_expression, refers_to_value};

/// Text with placeholders.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// Ordered parts.
    pub parts: Vec<TemplatePart>,
}

/// A piece.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplatePart {
    /// Plain text.
    Text(String),
    /// `${a ?? b}`: the first existing value.
    Placeholder {
        /// In text order. Empty for a literal alone, as in `${"$"}`, and after an error.
        choices: Vec<Reference>,
        /// Their positions.
        spans: Vec<Span>,
        /// As in `${a ?? "none"}`.
        fallback: Option<Json>,
        /// Its position.
        span: Span,
    },
    /// `${a + 1}`: an expression.
    Computed {
        /// The expression.
        computed: Computed,
        /// Its position.
        span: Span,
    },
}

impl TemplatePart {
    /// `None` for text.
    pub fn placeholder_span(&self) -> Option<Span> {
        match self {
            Self::Text(_) => None,
            Self::Placeholder { span, .. } | Self::Computed { span, .. } => Some(*span),
        }
    }
}

impl Template {
    /// `None` without placeholders and escapes.
    ///
    /// # Example
    /// ```
    /// use stepgraph_expression::Template;
    /// assert!(Template::parse("plain {{text}}").unwrap().is_none());
    /// let template = Template::parse("${last.name ?? \"friend\"}, $${not a hole}").unwrap().unwrap();
    /// assert_eq!(template.parts.len(), 2);
    /// ```
    pub fn parse(text: &str) -> Result<Option<Self>, Error> {
        let mut first = None;
        let template = Self::parse_with(text, |_, _| true, &mut |error| first = first.take().or(Some(error)));
        first.map_or(Ok(template), Err)
    }

    /// Whether no placeholder overlaps `place`.
    pub fn is_text(&self, place: Span) -> bool {
        let mut spans = self.parts.iter().filter_map(TemplatePart::placeholder_span);
        spans.all(|span| span.end <= place.start || place.end <= span.start)
    }

    /// References, positions, and whether the template fails if the value is missing.
    pub fn choices(&self) -> impl Iterator<Item = (&Reference, Span, bool)> {
        self.parts.iter().flat_map(|part| {
            let (choices, places, alone) = match part {
                TemplatePart::Placeholder { choices, spans, fallback, .. } => {
                    (&choices[..], &spans[..], fallback.is_none())
                }
                _ => (&[][..], &[][..], false),
            };
            let computed = match part {
                TemplatePart::Computed { computed, .. } => &computed.references[..],
                _ => &[],
            };
            let is_last = move |at: usize| alone && at + 1 == choices.len();
            let plain = choices.iter().zip(places).enumerate();
            plain
                .map(move |(at, (choice, place))| (choice, *place, is_last(at)))
                .chain(computed.iter().map(|found| (&found.reference, found.span, found.required)))
        })
    }

    /// `is_hole` says whether `${` begins a placeholder. `broken` receives the error of each invalid one,
    /// which then has no references.
    pub fn parse_with(
        text: &str,
        is_hole: fn(&str, usize) -> bool,
        broken: &mut dyn FnMut(Error),
    ) -> Option<Self> {
        // Faster than a search for two characters, and most texts have no `$`.
        if !text.split('$').skip(1).any(|rest| rest.starts_with('{')) {
            return None;
        }
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut cursor = Cursor::new(text);
        // Each error reads the whole text once more.
        let mut patience = MAX_ERRORS;
        while let Some(next) = cursor.peek() {
            if cursor.eat("$${") {
                plain.push_str("${");
            } else if patience > 0 && cursor.rest().starts_with("${") && is_hole(text, cursor.at()) {
                if !plain.is_empty() {
                    parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                }
                let start = cursor.at();
                let mut report = |error: Error| {
                    broken(error);
                    patience = patience.saturating_sub(1);
                };
                parts.push(parse_placeholder(&mut cursor, &mut report).unwrap_or_else(|error| {
                    report(error);
                    skip_placeholder(&mut cursor, start)
                }));
            } else {
                plain.push(next);
                cursor.bump();
            }
        }
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Some(Self { parts })
    }

    /// References in text order, with positions.
    pub fn references(&self) -> impl Iterator<Item = (&Reference, Span)> {
        self.choices().map(|(reference, span, _)| (reference, span))
    }
}

/// At most up to the next one.
fn skip_placeholder(cursor: &mut Cursor<'_>, start: usize) -> TemplatePart {
    let is_closed = cursor.rest().contains('}');
    while let Some(next) = cursor.peek() {
        // If the brace is missing, all remaining text may belong to it.
        let ends = is_closed && (next == '}' || cursor.at() > start && cursor.rest().starts_with("${"));
        if ends {
            cursor.eat("}");
            break;
        }
        cursor.bump();
    }
    let span = Span::new(start, cursor.at());
    TemplatePart::Placeholder { choices: Vec::new(), spans: Vec::new(), fallback: None, span }
}

stepgraph_lazy::lazy! {
    /// Lazy, because most plans have no expressions.
    fn computed_placeholder(place: (&str, usize), plain: Error) -> Result<ReadPlaceholder, Error> = parse_expression;
}

/// All but references, literals and `??` is an expression. `report` receives errors that leave the tree whole.
fn parse_placeholder(cursor: &mut Cursor<'_>, report: &mut dyn FnMut(Error)) -> Result<TemplatePart, Error> {
    let begin = cursor.clone();
    parse_choices(cursor).or_else(|error| {
        let read = computed_placeholder((begin.text(), begin.at()), error)?;
        cursor.seek(read.end);
        read.errors.into_iter().for_each(report);
        Ok(read.part)
    })
}

/// An expression between `${` and `}`.
struct ReadPlaceholder {
    part: TemplatePart,
    /// After the `}`.
    end: usize,
    /// They leave the tree whole.
    errors: Vec<Error>,
}

/// `plain` is the error of [`parse_choices`].
///
/// # Errors
/// The error of the expression if it explains more than `plain`, otherwise `plain`.
fn parse_expression((text, start): (&str, usize), plain: Error) -> Result<ReadPlaceholder, Error> {
    let syntax = Syntax { roots: &ROOTS, ..Syntax::default() };
    let (parsed, end) = crate::parser::parse_placeholder(text, start + 2, syntax);
    let is_closed = text.get(start..).is_some_and(|rest| rest.contains('}'));
    let better = |error: Option<&Error>| is_closed && error.is_some_and(|error| error.explains_more(&plain));
    match (Computed::of(parsed, Code::TemplateSyntax), end) {
        (Ok((computed, errors)), Some(end)) if errors.is_empty() || better(errors.first()) => {
            let span = Span::new(start, end);
            let part = as_choices(&computed, span).unwrap_or(TemplatePart::Computed { computed, span });
            Ok(ReadPlaceholder { part, end, errors })
        }
        (Err(errors), _) if better(errors.first()) => Err(errors.into_iter().next().unwrap_or(plain)),
        _ => Err(plain),
    }
}

/// Handles forms that [`parse_choices`] rejects, such as `${last .a}`.
fn as_choices(computed: &Computed, span: Span) -> Option<TemplatePart> {
    let text = format!("${{{}}}", computed.ast);
    let mut cursor = Cursor::new(&text);
    let part = parse_choices(&mut cursor).ok().filter(|_| cursor.is_done())?;
    let TemplatePart::Placeholder { choices, fallback, .. } = part else { return None };
    let spans: Vec<Span> = computed.references.iter().map(|found| found.span).collect();
    (spans.len() == choices.len()).then_some(TemplatePart::Placeholder { choices, spans, fallback, span })
}

fn parse_choices(cursor: &mut Cursor<'_>) -> Result<TemplatePart, Error> {
    let start = cursor.at();
    cursor.eat("${");
    let (mut choices, mut places) = (Vec::new(), Vec::new());
    loop {
        cursor.skip_whitespace();
        let fallback = parse_fallback(cursor)?;
        if fallback.is_some() {
            return close_placeholder(cursor, start).map(|span| TemplatePart::Placeholder {
                choices,
                spans: places,
                fallback,
                span,
            });
        }
        let from = cursor.at();
        let read = Reference::parse_at(cursor, Code::TemplateSyntax);
        choices.push(read.map_err(|error| foreign_syntax::expected_reference(error, cursor, start, from))?);
        places.push(Span::new(from, cursor.at()));
        cursor.skip_whitespace();
        if !cursor.eat("??") {
            return close_placeholder(cursor, start).map(|span| TemplatePart::Placeholder {
                choices,
                spans: places,
                fallback: None,
                span,
            });
        }
    }
}

/// Quoted text, a number, `true`, `false` or `null`.
fn parse_fallback(cursor: &mut Cursor<'_>) -> Result<Option<Json>, Error> {
    if let Some(quote @ ('"' | '\'')) = cursor.peek() {
        return parse_quoted(cursor, quote, Code::TemplateSyntax).map(|text| Some(Json::from(text)));
    }
    let mut ahead = cursor.clone();
    let from = ahead.at();
    // No literal has a question mark. Scanning past it would take quadratic time.
    ahead.skip_while(|c| !c.is_whitespace() && c != '}' && c != '?');
    let word = Literal::new(ahead.slice(from), false);
    let plain = word.number.is_some() || matches!(word.text.as_str(), "true" | "false" | "null");
    if !plain {
        return Ok(None);
    }
    *cursor = ahead;
    Ok(stepgraph_text::json::parse(&word.text))
}

/// Returns the placeholder's position.
fn close_placeholder(cursor: &mut Cursor<'_>, start: usize) -> Result<Span, Error> {
    cursor.skip_whitespace();
    if cursor.eat("}") {
        return Ok(Span::new(start, cursor.at()));
    }
    Err(foreign_syntax::unclosed_placeholder(cursor, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `·` marks text, `?` a fallback, `=` an expression.
    #[test]
    fn reading() {
        for (text, expect) in [
            ("plain", ""),
            ("$ {x} $$", ""),
            ("${last}", "last"),
            ("a${ last.x }b", "·a last.x ·b"),
            ("$${last}", "·${last}"),
            ("$$${last}", "·$${last}"),
            ("${last.a ?? output.b ?? \"}\"}", "last.a|output.b?\"}\""),
            ("${last ?? 3}", "last?3"),
            ("${last ?? null}!", "last?null ·!"),
            ("${last.contains}", "last[\"contains\"]"),
            ("${a.sum} x", "reference/unknown-root «a»"),
            ("x ${", "template/syntax «»"),
            ("${}", "template/syntax «}»"),
            ("${last", "template/syntax «${»"),
            ("${last + 1}", "=last + 1"),
            ("${size(last.items)} of ${last.n}", "=size(last.items) · of  last.n"),
            ("${{\"a\": last}}", "={\"a\": last}"),
            ("${last.n > 1 ? \"}\" : 2}x", "=last.n > 1 ? \"}\" : 2 ·x"),
            ("${sixe(last)}", "expression/unknown-function «sixe»"),
            ("${last + }", "template/syntax «}»"),
            ("${last.exists}", "last[\"exists\"]"),
            ("${last ?? }", "template/syntax «}»"),
            ("${last ?? nope}", "reference/unknown-root «nope»"),
            ("${\"$\"}${last}", "?\"$\" last"),
            ("${last || \"x\"}", "=last || \"x\""),
            ("${last and ever", "template/syntax «${»"),
            ("${{ last }}", "template/syntax «${{ last }}»"),
        ] {
            let read = match Template::parse(text) {
                Ok(None) => String::new(),
                Ok(Some(template)) => template.parts.iter().map(short).collect::<Vec<_>>().join(" "),
                Err(e) => {
                    format!("{} «{}»", e.code.slug(), text.get(e.span.start..e.span.end).unwrap_or("off"))
                }
            };
            assert_eq!(read, expect, "{text:?}");
        }
    }

    fn short(part: &TemplatePart) -> String {
        match part {
            TemplatePart::Text(text) => format!("·{text}"),
            TemplatePart::Placeholder { choices, fallback, .. } => {
                let choices: Vec<_> = choices.iter().map(ToString::to_string).collect();
                choices.join("|") + &fallback.as_ref().map(|f| format!("?{f}")).unwrap_or_default()
            }
            TemplatePart::Computed { computed, .. } => format!("={}", computed.ast),
        }
    }
}
