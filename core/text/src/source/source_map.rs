//! Maps ranges of a parsed string to the file, by aligning it with the scalar's text.
//!
//! Invariants: 1. A mapped range is exact, or the whole scalar. 2. The time for all ranges together is
//! linear.
//!
//! Source: YAML 1.2.2 chapters 7 and 8.1, RFC 8259 section 7.

use super::unclosed::in_quotes;
use crate::diagnostic::{Span, TextEdit};

/// Maps one scalar.
#[derive(Debug)]
pub struct SourceMap<'s> {
    whole: Span,
    raw: &'s str,
    runs: Vec<MappedRun>,
}

/// Equal lengths mean equal characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MappedRun {
    text: usize,
    length: usize,
    file: usize,
    width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScalarStyle {
    Plain,
    Single,
    Double,
    Block,
}

impl<'s> SourceMap<'s> {
    /// `text` is the parsed scalar at `whole`.
    pub fn new(source: &'s str, whole: Span, text: &str) -> Self {
        let raw = source.get(whole.start..whole.end).unwrap_or("");
        Self { whole, raw, runs: align(raw, text).unwrap_or_default() }
    }

    /// Falls back to the whole scalar.
    pub fn to_file(&self, part: Span) -> Span {
        let place = self.start(part.start).zip(self.end(part));
        place.map_or(self.whole, |(start, end)| {
            Span::new(self.whole.start + start, self.whole.start + end.max(start))
        })
    }

    /// Converts an edit of the string. `None` if the style does not allow the new text.
    pub fn edit_in_file(&self, edit: &TextEdit) -> Option<TextEdit> {
        let span = self.exact_span(edit.span)?;
        let Some(text) = style(self.raw).write(&edit.text) else {
            let is_whole = span == self.whole && style(self.raw) == ScalarStyle::Plain;
            return Some(TextEdit { span, text: in_quotes(&edit.text).filter(|_| is_whole)? });
        };
        let edit = TextEdit { span, text };
        let (from, to) = (edit.span.start - self.whole.start, edit.span.end - self.whole.start);
        let mended = [self.raw.get(..from)?, &edit.text, self.raw.get(to..)?].concat();
        (style(self.raw) != ScalarStyle::Plain || stays_plain(&mended)).then_some(edit)
    }

    /// Converts an edit without quotes or escapes. The caller must parse the result.
    pub fn splice_in_file(&self, edit: &TextEdit) -> Option<TextEdit> {
        let harmless = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let same =
            edit.text.chars().all(harmless) || style(self.raw).write(&edit.text).as_ref() == Some(&edit.text);
        same.then_some(TextEdit { span: self.exact_span(edit.span)?, text: edit.text.clone() })
    }

    /// `None` if the characters differ.
    fn exact_span(&self, part: Span) -> Option<Span> {
        let inside = |run: &&MappedRun| run.length == run.width && run.text <= part.start;
        let run = self.runs.iter().rev().find(inside)?;
        let (from, to) = (part.start - run.text, part.end - run.text);
        let at = self.whole.start + run.file;
        (to <= run.length).then_some(Span::new(at + from, at + to))
    }

    fn start(&self, at: usize) -> Option<usize> {
        let after = self.runs.partition_point(|run| run.text <= at);
        let run = self.runs.get(after.checked_sub(1)?)?;
        match at - run.text {
            into if into >= run.length => Some(run.file + run.width),
            into if run.length == run.width => Some(run.file + into),
            _ => Some(run.file),
        }
    }

    fn end(&self, part: Span) -> Option<usize> {
        if part.end == part.start {
            return self.start(part.start);
        }
        let before = self.runs.partition_point(|run| run.text < part.end);
        let run = self.runs.get(before.checked_sub(1)?)?;
        let into = part.end - run.text;
        Some(run.file + if run.length == run.width { into.min(run.width) } else { run.width })
    }
}

impl ScalarStyle {
    fn write(self, text: &str) -> Option<String> {
        let has = |signs: &[char]| text.contains(signs);
        let written = match self {
            Self::Double if has(&['"']) && !has(&['\'', '\\']) => text.replace('"', "'"),
            _ => text.to_owned(),
        };
        let good = match self {
            Self::Double => !written.contains(['"', '\\']),
            Self::Single => !has(&['\'']),
            // In brackets these would end the scalar.
            Self::Plain => !has(&[',', '[', ']', '{', '}']),
            Self::Block => true,
        };
        (good && !has(&['\n', '\r'])).then_some(written)
    }
}

fn stays_plain(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
}

fn style(raw: &str) -> ScalarStyle {
    match raw.as_bytes().first() {
        Some(b'"') => ScalarStyle::Double,
        Some(b'\'') => ScalarStyle::Single,
        Some(b'|' | b'>') => ScalarStyle::Block,
        _ => ScalarStyle::Plain,
    }
}

/// `None` if they differ.
fn align(raw: &str, text: &str) -> Option<Vec<MappedRun>> {
    let style = style(raw);
    let mut file = match style {
        ScalarStyle::Plain => 0,
        ScalarStyle::Block => raw.find('\n')? + 1,
        ScalarStyle::Single | ScalarStyle::Double => 1,
    };
    let mut at = 0;
    let mut runs: Vec<MappedRun> = Vec::new();
    while let Some(meant) = text.get(at..)?.chars().next() {
        let rest = raw.get(file..)?;
        if rest.is_empty() && text.get(at..)?.trim_end().is_empty() {
            // A block scalar's last line break is outside its span.
            break;
        }
        let (length, width) = corresponding_lengths(style, rest, text.get(at..)?, meant)?;
        if length > 0 {
            add(&mut runs, MappedRun { text: at, length, file, width });
        }
        (at, file) = (at + length, file + width);
    }
    Some(runs)
}

/// The next corresponding lengths in string and file.
fn corresponding_lengths(style: ScalarStyle, rest: &str, text: &str, meant: char) -> Option<(usize, usize)> {
    let written = rest.chars().next()?;
    match (style, written) {
        (ScalarStyle::Double, '\\') => escape(rest, meant),
        (ScalarStyle::Single, '\'') => rest.starts_with("''").then_some((1, 2)).filter(|_| meant == '\''),
        _ if is_blank(written) => corresponding_blanks(rest, text, meant),
        _ => (written == meant).then(|| (meant.len_utf8(), meant.len_utf8())),
    }
}

/// Equal characters within a line, otherwise indentation or a folded line.
fn corresponding_blanks(rest: &str, text: &str, meant: char) -> Option<(usize, usize)> {
    let width = rest.len() - rest.trim_start_matches(is_blank).len();
    let breaks = rest.get(..width)?.contains(['\n', '\r']);
    match (breaks, is_blank(meant)) {
        (false, true) => {
            let same = |(a, b): &(u8, u8)| a == b && is_blank(char::from(*a));
            let length = rest.bytes().zip(text.bytes()).take_while(same).count();
            (length > 0).then_some((length, length))
        }
        (true, true) => Some((text.len() - text.trim_start_matches(is_blank).len(), width)),
        // Indentation has no equivalent in the string.
        (_, false) => Some((0, width)),
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn escape(rest: &str, meant: char) -> Option<(usize, usize)> {
    let kind = rest.chars().nth(1)?;
    let number = |width: usize| {
        let digits = u32::from_str_radix(rest.get(2..width)?, 16).ok()?;
        (digits == u32::from(meant)).then_some(width)
    };
    let width = match kind {
        'x' => number(4)?,
        // JSON writes it as two escapes.
        'u' if meant > '\u{ffff}' => 12,
        'u' => number(6)?,
        'U' => number(10)?,
        '\n' | '\r' => {
            let line = rest.get(1..)?;
            return Some((0, 1 + line.len() - line.trim_start_matches(is_blank).len()));
        }
        // The match accepts all other escapes.
        'n' | 't' | 'r' => (matches!((kind, meant), ('n', '\n') | ('t', '\t') | ('r', '\r'))).then_some(2)?,
        '"' | '\\' | '/' | ' ' => (kind == meant).then_some(2)?,
        other => 1 + other.len_utf8(),
    };
    Some((meant.len_utf8(), width))
}

fn add(runs: &mut Vec<MappedRun>, run: MappedRun) {
    match runs.last_mut() {
        Some(last)
            if run.length == run.width
                && last.length == last.width
                && last.text + last.length == run.text
                && last.file + last.width == run.file =>
        {
            last.length += run.length;
            last.width += run.width;
        }
        _ => runs.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, parse};
    use super::*;

    /// Scalar, part, and the part in the file.
    #[test]
    fn parts_of_scalars() {
        for (written, part, underlined) in [
            ("last==ok", "ok", "ok"),
            ("\"last==ok\"", "ok", "ok"),
            ("\"a \\\"b\\\" c\"", "\"b\"", "\\\"b\\\""),
            ("\"\\u00e9\\U0001F600x\"", "x", "x"),
            ("\"\\ud83d\\ude00x\"", "😀", "\\ud83d\\ude00"),
            ("'it''s it'", "s it", "s it"),
            ("'it''s'", "'", "''"),
            ("a\n  b c\n\n  d", "b c", "b c"),
            ("'a\n\n\n  b'", "b", "b"),
            ("\"a\\\n    b\"", "b", "b"),
            ("\"a\\n  b\"", "b", "b"),
            ("|\n  a\n    b\n  c", "b\nc", "b\n  c"),
            ("|2-\n   a b\n", "b", "b"),
            (">\n  a\n  b ü\n\n  c", "ü", "ü"),
            ("\"a\n  \\n b\"", "b", "\"a\n  \\n b\""),
        ] {
            // Only JSON writes one character as two escapes.
            let json = written.contains("\\ud83d");
            let source = if json { format!("{{\"k\": {written}}}") } else { format!("k: {written}\n") };
            let root = parse(&source, Format::Auto).root.expect("a tree");
            let value = &root.get("k").expect("k").value;
            let text = value.as_text().expect("text");
            let at = text.rfind(part).expect("the part");
            let span = SourceMap::new(&source, value.span, text).to_file(Span::new(at, at + part.len()));
            assert_eq!(source.get(span.start..span.end), Some(underlined), "{written:?}");
        }
    }
}
