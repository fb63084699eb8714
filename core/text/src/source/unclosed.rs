//! Finds unclosed brackets and quotes, and templates in brackets that need quotes. The parser reports them
//! too late.
//!
//! Invariant: A diagnostic never blames a bracket that is closed by its indentation.

use super::lexeme::{byte, is_space, line_end, line_start, quote_end};
use super::yaml;
use crate::diagnostic::{Code, Diagnostic, Span, TextEdit, shorten_name};

/// Finds the cause of a syntax error, or returns the same diagnostic.
///
/// `open` contains the starts of open brackets, the innermost last. `cursor` is the end of the last token.
/// `is_trial` prevents further trials of fixes.
pub(super) fn explain(
    text: &str,
    diagnostic: Diagnostic,
    (open, cursor): (&[usize], usize),
    is_trial: bool,
) -> Diagnostic {
    let mut diagnostic = find_cause(text, diagnostic, open, cursor);
    if !is_trial && !diagnostic.fix.is_empty() && !is_fixed_by(text, &diagnostic) {
        diagnostic.fix.clear();
    }
    diagnostic
}

fn is_fixed_by(text: &str, diagnostic: &Diagnostic) -> bool {
    let mut mended = String::new();
    let mut from = 0;
    for edit in &diagnostic.fix {
        mended.push_str(text.get(from..edit.span.start).unwrap_or_default());
        mended.push_str(&edit.text);
        from = edit.span.end;
    }
    let end = mended.len();
    mended.push_str(text.get(from..).unwrap_or_default());
    match yaml::diagnostics_of(&mended).as_slice() {
        [] => true,
        [one] => one.span.is_some_and(|span| span.start > end),
        _ => false,
    }
}

fn find_cause(text: &str, diagnostic: Diagnostic, open: &[usize], cursor: usize) -> Diagnostic {
    let Some(place) = diagnostic.span.filter(|_| diagnostic.code == Code::SourceSyntax) else {
        return diagnostic;
    };
    let at = place.start;
    if let Some(quote) = open_quote(text, &diagnostic, cursor) {
        return unclosed_quote(text, quote, at, open.is_empty());
    }
    let open = &brackets_open_at(text, open, cursor, at);
    let (Some(outer), Some(inner)) = (open.first(), open.last()) else { return diagnostic };
    if byte(text, at) == b'{' && at > 0 && byte(text, at - 1) == b'$' {
        return template(text, at - 1, *inner, open.len());
    }
    if matches!(byte(text, at), b'{' | b'[') && diagnostic.message.ends_with("is missing here") {
        let start = text_start(text, at);
        if let Some(span) = expression_at(text, start).filter(|span| span.start < at) {
            return unquoted(text, span).label(Span::new(*inner, inner + 1), "this bracket is open here");
        }
    }
    let bracket = byte(text, *inner);
    let wanted = closing_bracket(bracket);
    if matches!(byte(text, at), b'}' | b']') && byte(text, at) != wanted {
        let message = format!(
            "this `{}` does not close the `{}` before it",
            char::from(byte(text, at)),
            char::from(bracket)
        );
        let diagnostic = Diagnostic::new(Code::SourceSyntax, message).at(place);
        let help = format!("close it with `{}` first", char::from(wanted));
        return diagnostic.label(Span::new(*inner, inner + 1), "this bracket is open here").help(help);
    }
    match end_of_bracket(text, *outer, at) {
        Some(end) => unclosed_bracket(text, open, (end, at)),
        None => diagnostic.label(Span::new(*inner, inner + 1), "this bracket is open here"),
    }
}

/// The parser looks ahead, and may fail before the events of some brackets.
fn brackets_open_at(text: &str, open: &[usize], cursor: usize, at: usize) -> Vec<usize> {
    let mut open = open.to_vec();
    let mut from = cursor;
    // The last sign that is no blank.
    let mut before = text.get(..from).unwrap_or_default().trim_end_matches([' ', '\t']).bytes().last();
    while from < at {
        let begins =
            from == cursor || matches!(before, Some(b':' | b',' | b'[' | b'{' | b'-' | b'?' | b'\n'));
        let sign = byte(text, from);
        if !matches!(sign, b' ' | b'\t') {
            before = Some(sign);
        }
        match sign {
            b'"' | b'\'' if begins => {
                from = quote_end(text, from);
                continue;
            }
            b'#' if is_space(byte(text, from.saturating_sub(1))) => {
                from = line_end(text, from);
                continue;
            }
            b'{' | b'[' if begins || !open.is_empty() => open.push(from),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
        from += char_width(text, from).max(1);
    }
    open
}

fn closing_bracket(bracket: u8) -> u8 {
    if bracket == b'{' { b'}' } else { b']' }
}

/// The line before the first without deeper indentation, or the text's end.
fn end_of_bracket(text: &str, bracket: usize, at: usize) -> Option<usize> {
    let indent =
        |start: usize| text.get(start..).unwrap_or_default().bytes().take_while(|b| *b == b' ').count();
    let least = indent(line_start(text, bracket));
    let mut end = line_end(text, bracket);
    let mut last = end;
    while end < at {
        let start = end + 1;
        end = line_end(text, start);
        let line = text.get(start..end).unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if indent(start) <= least {
            return Some(last);
        }
        last = end;
    }
    text.get(at..).unwrap_or_default().trim().is_empty().then_some(last)
}

fn unclosed_bracket(text: &str, open: &[usize], (end, at): (usize, usize)) -> Diagnostic {
    let inner = open.last().copied().unwrap_or_default();
    let bracket = char::from(byte(text, inner));
    let mut closings = String::new();
    for start in open.iter().rev() {
        closings.push(char::from(closing_bracket(byte(text, *start))));
    }
    let line = text.get(line_start(text, end)..end).unwrap_or_default();
    let place = line_start(text, end) + line.trim_end().len();
    let message = format!("this `{bracket}` is not closed");
    let diagnostic = Diagnostic::new(Code::SourceSyntax, message).at(Span::new(inner, inner + 1));
    let diagnostic = match comment_in(text, inner, place) {
        Some(comment) => diagnostic
            .label(Span::at(comment), "` #` begins a comment here")
            .help("put the text before ` #` in quotes together with the rest"),
        None => diagnostic.help(format!("add `{closings}` where its text ends")),
    };
    let follows = !text.get(at..).unwrap_or_default().trim().is_empty();
    let diagnostic = if follows {
        diagnostic.label(Span::new(at, at + char_width(text, at)), "this is still inside it")
    } else {
        diagnostic
    };
    // After a comment or a comma, or in quotes, an added bracket closes nothing. At the end of the text the
    // right line is unknown.
    let is_sure = !line.contains('#') && !line.trim_end().ends_with(',');
    let inside = text.get(inner..place).unwrap_or_default();
    let in_quotes = ['"', '\''].iter().any(|quote| inside.matches(*quote).count() % 2 == 1);
    let is_here = !in_quotes && (follows || line_end(text, inner) == end);
    if is_sure && is_here { diagnostic.fix(Span::at(place), closings) } else { diagnostic }
}

/// A template in a comment, which was probably text: `{input: Order #${input.n}}`.
fn comment_in(text: &str, start: usize, end: usize) -> Option<usize> {
    let inside = text.get(start..end)?;
    inside.find(" #${").map(|at| start + at + 1)
}

fn char_width(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
}

fn open_quote(text: &str, diagnostic: &Diagnostic, cursor: usize) -> Option<usize> {
    let at = diagnostic.span?.start;
    if diagnostic.message.contains("closing quote") && diagnostic.message.ends_with("missing") {
        return matches!(byte(text, at), b'"' | b'\'').then_some(at);
    }
    if !diagnostic.message.contains("follows the closing quote") {
        return None;
    }
    let mut from = cursor;
    loop {
        let rest = text.get(from..at)?;
        let quote = from + rest.find(['"', '\''])?;
        let before = text.get(..quote)?.trim_end();
        let begins = before.is_empty() || before.ends_with([':', ',', '[', '{', '-', '?']);
        let end = if begins { quote_end(text, quote) } else { quote + 1 };
        if begins && end >= at {
            return (line_end(text, quote) < at).then_some(quote);
        }
        from = end;
    }
}

fn unclosed_quote(text: &str, quote: usize, at: usize, in_block: bool) -> Diagnostic {
    let sign = char::from(byte(text, quote));
    let message = format!("this `{sign}` is not closed");
    let diagnostic = Diagnostic::new(Code::SourceSyntax, message).at(Span::new(quote, quote + 1));
    let diagnostic = if at > quote {
        let label = "the text continues to the quote before this";
        diagnostic.label(Span::new(at, at + char_width(text, at)), label)
    } else {
        diagnostic
    };
    let diagnostic =
        diagnostic.help(format!("add `{sign}` where the text ends, or indent the lines that continue it"));
    let end = line_end(text, quote);
    let line = text.get(quote..end).unwrap_or_default().trim_end();
    let plain = in_block && line.len() > 1 && !line.contains(['#', '\\']);
    if plain { diagnostic.fix(Span::at(quote + line.len()), sign) } else { diagnostic }
}

/// `at` is the position of the template's `$`.
fn template(text: &str, at: usize, open: usize, depth: usize) -> Diagnostic {
    let end =
        text.get(at..line_end(text, at)).and_then(|rest| rest.find('}')).map_or(at + 2, |end| at + end + 1);
    let mut diagnostic =
        unquoted(text, Span::new(at, end)).label(Span::new(open, open + 1), "this bracket is open here");
    diagnostic.fix = quote_texts(text, at, depth).unwrap_or_default();
    diagnostic
}

/// Text in brackets that YAML reads as several.
fn unquoted(text: &str, span: Span) -> Diagnostic {
    let written = shorten_name(text.get(span.start..span.end).unwrap_or_default());
    let message = format!("inside brackets `{written}` must be in quotes");
    let mut diagnostic = Diagnostic::new(Code::SourceSyntax, message).at(span);
    diagnostic.fix = quoted(text, span).into_iter().collect();
    diagnostic.help("put the whole text in quotes")
}

/// Explains a key without a value in a map, if the comma before it is inside parentheses: `{a: f(x, y)}`.
pub(super) fn divided_by_comma(text: &str, key: usize) -> Option<Diagnostic> {
    let comma = text.get(..key)?.trim_end().len().checked_sub(1).filter(|at| byte(text, *at) == b',')?;
    let start = text_start(text, comma);
    let before = text.get(start..comma)?;
    if before.matches('(').count() <= before.matches(')').count() {
        return None;
    }
    let span = expression_at(text, start)?;
    (span.end > key).then(|| unquoted(text, span))
}

/// Longer ones are not recognized, so that many of them on one line cost linear time.
const MAX_EXPRESSION_BYTES: usize = 1000;

/// Unquoted text that reaches the end of its entry. It has brackets, and maybe commas in them.
fn expression_at(text: &str, start: usize) -> Option<Span> {
    if matches!(byte(text, start), b'"' | b'\'' | b'[' | b'{' | b'&' | b'*' | b'!') {
        return None;
    }
    let (mut at, mut depth) = (start, 0_usize);
    // Also a quote that is not closed ends here.
    let near = text.get(..text.floor_char_boundary(start + MAX_EXPRESSION_BYTES))?;
    loop {
        match byte(near, at) {
            0 | b'\n' | b'\r' => return None,
            b',' | b'}' | b']' if depth == 0 => break,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => {
                at = quote_end(near, at);
                continue;
            }
            _ => {}
        }
        at += char_width(near, at).max(1);
    }
    let end = start + text.get(start..at)?.trim_end().len();
    (end > start).then(|| Span::new(start, end))
}

/// Quotes texts with templates, up to the outermost bracket's end.
fn quote_texts(text: &str, at: usize, mut depth: usize) -> Option<Vec<TextEdit>> {
    let mut edits = Vec::new();
    let mut from = text_start(text, at);
    while depth > 0 {
        match byte(text, from) {
            0 => return None,
            b'{' | b'[' => (depth, from) = (depth + 1, from + 1),
            b'}' | b']' => (depth, from) = (depth - 1, from + 1),
            b'"' | b'\'' => from = quote_end(text, from),
            b'#' if is_space(byte(text, from.saturating_sub(1))) => from = line_end(text, from),
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => from += 1,
            _ => {
                let (end, has_template) = plain_end(text, from)?;
                if has_template {
                    edits.push(quoted(text, Span::new(from, end))?);
                }
                from = end;
            }
        }
    }
    Some(edits)
}

fn text_start(text: &str, at: usize) -> usize {
    let mut start = at;
    // Stops at the next sign, as a line may be as long as the text.
    while start > 0 {
        match (byte(text, start - 1), start > 1 && byte(text, start - 2) == b':') {
            (b'\n' | b'\r' | b',' | b'[' | b'{', _) | (b' ', true) => break,
            _ => start -= 1,
        }
    }
    if start == 0 && text.starts_with('\u{feff}') {
        start = at.min(3);
    }
    let inner = text.get(start..at).unwrap_or_default();
    start + inner.len() - inner.trim_start().len()
}

/// Whether it contains a template, which is atomic.
fn plain_end(text: &str, start: usize) -> Option<(usize, bool)> {
    let (mut at, mut has_template) = (start, false);
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with("${") {
            at += rest.find(['}', '\n']).filter(|end| byte(rest, *end) == b'}')? + 1;
            has_template = true;
            continue;
        }
        let next = byte(text, at + 1);
        let ends = match byte(text, at) {
            0 | b',' | b'[' | b']' | b'{' | b'}' | b'\n' | b'\r' => true,
            b':' => is_space(next) || matches!(next, b',' | b'}' | b']'),
            b' ' => next == b'#',
            _ => false,
        };
        if ends {
            return Some((start + text.get(start..at)?.trim_end().len(), has_template))
                .filter(|(end, _)| *end > start);
        }
        at += char_width(text, at);
    }
}

pub(super) fn quoted(text: &str, span: Span) -> Option<TextEdit> {
    Some(TextEdit { span, text: in_quotes(text.get(span.start..span.end)?)? })
}

/// `None` with line breaks or both kinds of quotes.
pub(super) fn in_quotes(text: &str) -> Option<String> {
    let quote = match (text.contains(['"', '\\']), text.contains('\'')) {
        _ if text.contains(['\n', '\r']) => return None,
        (false, _) => '"',
        (true, false) => '\'',
        (true, true) => return None,
    };
    Some(format!("{quote}{text}{quote}"))
}
