//! Tokenizes half-typed expressions by the rules of [`stepgraph_core::expression`].
//!
//! Invariants: spans are inside the text. Lexing never fails and takes linear time.

use std::borrow::Cow;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::is_key_char;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExprToken {
    /// `last`, `output` and others.
    Root,
    Key,
    Index,
    Literal,
    /// Comparison, `&&`, `||`, `!`, `??`.
    Operator,
    /// `default`, `always`.
    Keyword,
    /// Dots, brackets, `${`, `}`.
    Punctuation,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) span: Span,
    pub(crate) in_brackets: bool,
    pub(crate) start: usize,
}

/// Or an alternative of a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Atom<'t> {
    /// After a dot, the last is empty.
    pub(crate) segments: Vec<Segment<'t>>,
    pub(crate) operator: Option<Span>,
    pub(crate) literal: Option<Span>,
    pub(crate) span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct Lexed<'t> {
    pub(crate) atoms: Vec<Atom<'t>>,
    pub(crate) tokens: Vec<(ExprToken, Span)>,
    pub(crate) placeholders: Vec<Span>,
}

pub(crate) fn inner(text: &str, value: Span) -> (Span, bool) {
    let raw = text.get(value.start..value.end).unwrap_or_default();
    let double = raw.starts_with('"');
    let start = value.start + usize::from(double || raw.starts_with('\''));
    let closed =
        raw.len() > 1 && (double && raw.ends_with('"') || raw.starts_with('\'') && raw.ends_with('\''));
    (Span::new(start, value.end - usize::from(closed)), double)
}

pub(crate) fn scalar(text: &str, value: Span, is_condition: bool) -> Lexed<'_> {
    let (span, double) = inner(text, value);
    let raw = text.get(span.start..span.end).unwrap_or_default();
    if is_condition { condition(raw, span.start, double) } else { template(raw, span.start, double) }
}

/// `base` is the offset of `text`, `escaped` means double-quoted.
pub(crate) fn condition(text: &str, base: usize, escaped: bool) -> Lexed<'_> {
    let mut lexer = Lexer { text, base, escaped, at: 0, out: Lexed::default() };
    let trimmed = text.trim();
    if matches!(trimmed, "default" | "always") {
        let start = text.len() - text.trim_start().len();
        lexer.token(ExprToken::Keyword, start, start + trimmed.len());
    } else {
        lexer.condition();
    }
    lexer.out
}

pub(crate) fn template(text: &str, base: usize, escaped: bool) -> Lexed<'_> {
    let mut lexer = Lexer { text, base, escaped, at: 0, out: Lexed::default() };
    while let Some(found) = lexer.rest().find("${") {
        let start = lexer.at + found;
        lexer.at = start + 2;
        if text.get(..start).is_some_and(|before| before.ends_with('$')) {
            continue;
        }
        lexer.token(ExprToken::Punctuation, start, start + 2);
        lexer.placeholder(start);
    }
    lexer.out
}

struct Lexer<'t> {
    text: &'t str,
    base: usize,
    escaped: bool,
    at: usize,
    out: Lexed<'t>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.base + from, self.base + to)
    }

    fn token(&mut self, part: ExprToken, from: usize, to: usize) {
        let span = self.span(from, to);
        if to > from {
            self.out.tokens.push((part, span));
        }
    }

    fn skip_whitespace(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn bump(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    fn word_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        from + rest.find(|c| !is_key_char(c)).unwrap_or(rest.len())
    }

    fn quote(&self, at: usize) -> Option<(&'static str, usize)> {
        let rest = self.text.get(at..)?;
        match rest {
            _ if self.escaped && rest.starts_with("\\\"") => Some(("\\\"", 2)),
            _ if !self.escaped && rest.starts_with('"') => Some(("\"", 1)),
            _ if rest.starts_with('\'') => Some(("'", 1)),
            _ => None,
        }
    }

    /// Returns the end of the text if no closing quote follows.
    fn quoted_end(&self, from: usize) -> usize {
        let Some((mark, length)) = self.quote(from) else { return from };
        let mut at = from + length;
        while let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) {
            if rest.starts_with(mark) {
                return at + length;
            }
            let next = rest.chars().next().map_or(1, char::len_utf8);
            let escapes = rest.starts_with('\\');
            let after = rest.get(next..).and_then(|rest| rest.chars().next()).filter(|_| escapes);
            at += next + after.map_or(0, char::len_utf8);
        }
        self.text.len()
    }

    fn condition(&mut self) {
        let mut open = 0_usize;
        loop {
            self.skip_whitespace();
            let at = self.at;
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return };
            if rest.starts_with("&&") || rest.starts_with("||") {
                self.at += 2;
                self.token(ExprToken::Operator, at, at + 2);
            } else if first == '!' && !rest.starts_with("!=") {
                self.at += 1;
                self.token(ExprToken::Operator, at, at + 1);
            } else if matches!(first, '(' | ')') {
                open = if first == '(' { open + 1 } else { open.saturating_sub(1) };
                self.at += 1;
                self.token(ExprToken::Punctuation, at, at + 1);
            } else {
                self.comparison(open > 0);
            }
            if self.at == at {
                self.bump();
            }
        }
    }

    fn comparison(&mut self, grouped: bool) {
        let start = self.at;
        let mut atom = Atom { segments: self.reference(true), ..Atom::default() };
        let reference_end = self.at;
        self.skip_whitespace();
        let rest = self.rest();
        let word = ["==", "!=", "<=", ">=", "<", ">", ".contains:", ".exists"];
        let found = word.into_iter().find(|word| rest.starts_with(word));
        let Some(operator) = found else {
            atom.span = self.span(start, reference_end);
            self.at = reference_end;
            return self.out.atoms.push(atom);
        };
        let from = self.at;
        self.at += operator.len();
        atom.operator = Some(self.span(from, self.at));
        self.token(ExprToken::Operator, from, self.at);
        if operator != ".exists" {
            let behind = self.at;
            self.skip_whitespace();
            let (from, end) = (self.at.min(self.text.len()), self.literal_end(grouped));
            self.at = end;
            self.token(ExprToken::Literal, from, end);
            atom.literal = Some(if end > from {
                self.span(from, end)
            } else {
                self.span(behind.max(from), behind.max(from))
            });
        }
        atom.span = self.span(start, self.at);
        self.out.atoms.push(atom);
    }

    fn literal_end(&self, grouped: bool) -> usize {
        if self.quote(self.at).is_some() {
            return self.quoted_end(self.at);
        }
        let mut open = 0_usize;
        let mut end = self.text.len();
        for (at, c) in self.rest().char_indices() {
            let rest = self.rest().get(at..).unwrap_or_default();
            if rest.starts_with("&&") || rest.starts_with("||") || (c == ')' && open == 0 && grouped) {
                end = self.at + at;
                break;
            }
            match c {
                '(' => open += 1,
                ')' => open = open.saturating_sub(1),
                _ => {}
            }
        }
        self.at + self.text.get(self.at..end).unwrap_or_default().trim_end().len()
    }

    fn reference(&mut self, condition: bool) -> Vec<Segment<'t>> {
        let mut segments = Vec::new();
        let end = self.word_end(self.at);
        if end == self.at {
            return segments;
        }
        let start = self.at;
        self.token(ExprToken::Root, start, end);
        segments.push(self.segment(start, start, end, false));
        self.at = end;
        loop {
            let from = self.at;
            let rest = self.rest();
            if rest.starts_with('.') {
                let end = self.word_end(from + 1);
                let key = self.text.get(from + 1..end).unwrap_or_default();
                let after = self.text.get(end..).and_then(|rest| rest.chars().next());
                let operator = match key {
                    "contains" => after == Some(':'),
                    "exists" => !matches!(after, Some('.' | '[')),
                    _ => false,
                };
                if condition && operator {
                    return segments;
                }
                self.token(ExprToken::Punctuation, from, from + 1);
                let digits = !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
                self.token(if digits { ExprToken::Index } else { ExprToken::Key }, from + 1, end);
                segments.push(self.segment(from, from + 1, end, false));
                self.at = end;
            } else if rest.starts_with('[') {
                let quoted = self.quote(from + 1).is_some();
                let end = if quoted { self.quoted_end(from + 1) } else { self.word_end(from + 1) };
                self.token(ExprToken::Punctuation, from, from + 1);
                self.token(if quoted { ExprToken::Key } else { ExprToken::Index }, from + 1, end);
                segments.push(self.segment(from, from + 1, end, true));
                self.at = end;
                if !self.rest().starts_with(']') {
                    return segments;
                }
                self.token(ExprToken::Punctuation, end, end + 1);
                self.at = end + 1;
            } else {
                return segments;
            }
        }
    }

    fn segment(&self, from: usize, start: usize, end: usize, bracket: bool) -> Segment<'t> {
        let raw = self.text.get(start..end).unwrap_or_default();
        let text = match self.quote(start) {
            Some((mark, length)) => {
                let inner = raw.get(length..).unwrap_or_default();
                let inner = inner.strip_suffix(mark).unwrap_or(inner);
                if inner.contains('\\') {
                    let parsed = stepgraph_core::json::parse(&format!("\"{inner}\""));
                    Cow::Owned(
                        parsed
                            .and_then(|text| Some(text.as_str()?.to_owned()))
                            .unwrap_or_else(|| inner.to_owned()),
                    )
                } else {
                    Cow::Borrowed(inner)
                }
            }
            None => Cow::Borrowed(raw),
        };
        Segment { text, span: self.span(start, end), in_brackets: bracket, start: self.base + from }
    }

    fn placeholder(&mut self, start: usize) {
        loop {
            self.skip_whitespace();
            let at = self.at;
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { break };
            if first == '}' {
                self.at += 1;
                self.token(ExprToken::Punctuation, at, at + 1);
                break;
            }
            if rest.starts_with("${") {
                break;
            }
            if rest.starts_with("??") {
                self.at += 2;
                self.token(ExprToken::Operator, at, at + 2);
            } else if self.quote(at).is_some() {
                self.at = self.quoted_end(at);
                self.token(ExprToken::Literal, at, self.at);
            } else {
                self.choice();
            }
            if self.at == at {
                self.bump();
            }
        }
        let placeholder = self.span(start, self.at);
        self.out.placeholders.push(placeholder);
    }

    fn choice(&mut self) {
        let from = self.at;
        let number = self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let end = self.word_end(from);
        let word = self.text.get(from..end).unwrap_or_default();
        if number || matches!(word, "true" | "false" | "null") {
            let rest = self.rest();
            self.at += rest.find(|c: char| c.is_whitespace() || c == '}' || c == '?').unwrap_or(rest.len());
            return self.token(ExprToken::Literal, from, self.at);
        }
        let segments = self.reference(false);
        let span = self.span(from, self.at);
        if !segments.is_empty() {
            self.out.atoms.push(Atom { segments, span, ..Atom::default() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        for (text, placeholders, expect) in [
            ("last==ok", false, "root:last operator:== literal:ok"),
            (
                "output.a.b[0] >= 3 && !(last.exists)",
                false,
                "root:output punctuation:. key:a punctuation:. key:b punctuation:[ index:0 punctuation:] operator:>= literal:3 operator:&& operator:! punctuation:( root:last operator:.exists punctuation:)",
            ),
            ("output.", false, "root:output punctuation:."),
            (
                "last.contains:a b || last",
                false,
                "root:last operator:.contains: literal:a b operator:|| root:last",
            ),
            (" default ", false, "keyword:default"),
            ("last==\"a && b\"", false, "root:last operator:== literal:\"a && b\""),
            (
                "a ${last.x ?? \"n\"} $${no} ${",
                true,
                "punctuation:${ root:last punctuation:. key:x operator:?? literal:\"n\" punctuation:} punctuation:${",
            ),
            (
                "${output[\"a b\"].c}",
                true,
                "punctuation:${ root:output punctuation:[ key:\"a b\" punctuation:] punctuation:. key:c punctuation:}",
            ),
            ("${output.a", true, "punctuation:${ root:output punctuation:. key:a"),
            ("last=", false, "root:last"),
        ] {
            let lexed = if placeholders { template(text, 0, false) } else { condition(text, 0, false) };
            let short = |(part, span): &(ExprToken, Span)| {
                format!("{}:{}", format!("{part:?}").to_lowercase(), text.get(span.start..span.end).unwrap())
            };
            assert_eq!(lexed.tokens.iter().map(short).collect::<Vec<_>>().join(" "), expect, "{text}");
        }
    }
}
