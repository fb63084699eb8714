//! Reports syntax of other languages in templates, with a fix if only one meaning is possible.

use crate::base::Segment;
use crate::base::{Code, Span, is_key_char, shorten_name};
use crate::cursor::Cursor;
use crate::error::Error;
use crate::reference::{Reference, Root};

const FORMS: &str = "write `${reference}` or `${reference ?? other}`";

/// The text, message, help and replacement.
const FOREIGN_SIGNS: &[(&str, &str, &str, &str)] = &[
    ("||", "unexpected text in a template", FORMS, ""),
    ("|", "a template has no filters", "call a function, as in `${last.title.trim()}`", ""),
    ("//", "`//` begins a comment", "write `/` to divide, and `int(x / y)` for a whole number", ""),
];

fn syntax_error(span: Span, message: &str) -> Error {
    Error::new(Code::TemplateSyntax, span, message)
}

pub(super) fn unclosed_placeholder(cursor: &Cursor<'_>, start: usize) -> Error {
    let (at, rest) = (cursor.at(), cursor.rest());
    if !rest.contains('}') {
        let error = syntax_error(Span::new(start, start + 2), "a template is not closed").help("add `}`");
        return if rest.is_empty() { error.fix(Span::at(at), "}") } else { error };
    }
    match FOREIGN_SIGNS.iter().find(|(sign, ..)| rest.starts_with(sign)) {
        Some((sign, message, help, meant)) => {
            let span = Span::new(at, at + sign.len());
            let error = syntax_error(span, message).help(help);
            let error = Error { is_vague: *help == FORMS, ..error };
            if meant.is_empty() { error } else { error.fix(span, meant) }
        }
        None => syntax_error(cursor.span(at), "unexpected text in a template").vague_help(FORMS),
    }
}

/// The placeholder begins at `start`, its reference is missing at `from`.
pub(super) fn expected_reference(error: Error, cursor: &Cursor<'_>, start: usize, from: usize) -> Error {
    let after = from > start + 2 && cursor.before(from).trim_end().ends_with("??");
    match error.code {
        Code::UnknownRoot if error.fix.is_none() && after => {
            let word = shorten_name(cursor.between(error.span.start, error.span.end));
            error.help(&format!("write `\"{word}\"` for text, or `output.{word}` for the output of a node"))
        }
        Code::TemplateSyntax if cursor.at() == from => empty_placeholder(error, cursor, start, after),
        _ => error,
    }
}

/// `after` says whether `??` comes before it.
fn empty_placeholder(error: Error, cursor: &Cursor<'_>, start: usize, after: bool) -> Error {
    if cursor.rest().starts_with('{') && !after {
        let inner = braced_reference(cursor.rest());
        let end = cursor.at() + inner.map_or(1, |(_, length)| length);
        let error = syntax_error(Span::new(start, end), "a template has one pair of braces")
            .vague_help("write `${reference}`");
        return match inner {
            Some((inner, _)) => error.fix(Span::new(start, end), &format!("${{{inner}}}")),
            None => error,
        };
    }
    if after {
        let empty = cursor.rest().is_empty() || cursor.rest().starts_with('}');
        let message = if empty {
            "there is no default after `??`"
        } else {
            "the default after `??` is neither a reference nor a literal"
        };
        return Error { message: message.to_owned(), ..error }
            .help("write another reference, text in quotes, a number, `true`, `false` or `null`");
    }
    error
}

/// Parses `{ reference }}`. Also returns its length in bytes.
fn braced_reference(rest: &str) -> Option<(&str, usize)> {
    let end = rest.find("}}")?;
    let inner = rest.get(1..end)?.trim();
    Reference::parse(inner).is_ok().then_some((inner, end + 2))
}

/// Reports `{{reference}}`, `$ {reference}`, `{item.name}` and `$item.name` of other languages.
///
/// Ignores `${{reference}}`, an error of the template parser.
pub fn foreign_template(text: &str) -> Option<Error> {
    if has_foreign_sign(text) { find_foreign(text) } else { None }
}

/// Whether `{` or `$` begins a word. Most texts of a plan have neither.
fn has_foreign_sign(text: &str) -> bool {
    let begins = |next: u8| next.is_ascii_alphabetic() || next == b' ';
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, sign)| match (sign, bytes.get(at + 1)) {
        (b'$', Some(next)) => begins(*next),
        (b'{', Some(next)) => {
            (begins(*next) || *next == b'{') && bytes.get(..at).and_then(<[u8]>::last) != Some(&b'$')
        }
        _ => false,
    })
}

stepgraph_lazy::lazy! {
    /// Lazy, because most texts have no such sign.
    fn find_foreign(text: &str) -> Option<Error> = foreign_sign;
}

#[inline(never)]
fn foreign_sign(text: &str) -> Option<Error> {
    let openings = [("{{", "}}"), ("$ {", "}")];
    openings
        .iter()
        .find_map(|(open, close)| {
            text.match_indices(open).find_map(|(start, _)| {
                let (before, inner) = (text.get(..start)?, text.get(start + open.len()..)?);
                if before.ends_with('$') {
                    return None;
                }
                let end = inner.find(|c| "{}\n".contains(c))?;
                inner.get(end..)?.starts_with(close).then_some(())?;
                let reference = inner.get(..end)?.trim();
                let parsed = Reference::parse(reference).ok()?;
                // A text with loops has items of its own.
                if matches!(parsed.root, Root::Item | Root::Index) && text.contains("{%") {
                    return None;
                }
                let span = Span::new(start, start + open.len() + end + close.len());
                foreign_placeholder(text, span, reference)
            })
        })
        .or_else(|| path_with_one_sign(text))
}

const FILES: [&str; 35] = [
    "bak", "c", "cfg", "conf", "css", "csv", "doc", "docx", "gif", "go", "htm", "html", "ini", "java",
    "jpeg", "jpg", "js", "json", "log", "md", "mp4", "pdf", "png", "py", "rs", "sh", "sql", "svg", "toml",
    "ts", "txt", "xml", "yaml", "yml", "zip",
];

/// `input.csv` and `last.item.json` are names of files.
fn names_file(reference: &Reference) -> bool {
    matches!(reference.path.last(), Some(Segment::Key(key)) if FILES.contains(&key.as_str()))
        || matches!(&reference.root, Root::Output(name) if reference.path.is_empty() && FILES.contains(&name.as_str()))
}

/// A text that is the path of a value, and the warning that it is text.
pub fn plain_path(text: &str) -> Option<(Reference, Error)> {
    let reference = Reference::parse(text).ok().filter(|reference| !names_file(reference))?;
    let error = foreign_placeholder(text, Span::new(0, text.len()), text)?;
    Some((reference, error))
}

pub(super) fn foreign_placeholder(text: &str, span: Span, reference: &str) -> Option<Error> {
    let written = shorten_name(text.get(span.start..span.end)?);
    let error = Error::new(Code::ForeignTemplate, span, &format!("`{written}` is text and no template"));
    let help = format!("write `${{{}}}`", shorten_name(reference));
    Some(error.help(&help).fix(span, &format!("${{{reference}}}")))
}

/// Finds `{item.name}` and `$item.name`. A root alone, as in `{input}`, may be meant as text.
fn path_with_one_sign(text: &str) -> Option<Error> {
    let is_path = |reference: &Reference| match reference.root {
        Root::Item | Root::Last | Root::Input => !reference.path.is_empty(),
        Root::Output(_) => true,
        _ => false,
    };
    text.match_indices(['{', '$']).find_map(|(start, sign)| {
        let (before, inner) = (text.get(..start)?, text.get(start + 1..)?);
        let (reference, after) = if sign == "{" {
            let end = inner.find(|c| "{}\n".contains(c))?;
            inner.get(end..)?.starts_with('}').then_some((inner.get(..end)?, 1))?
        } else {
            let end = inner.find(|c: char| !is_key_char(c) && c != '.').unwrap_or(inner.len());
            // A dot may end the sentence.
            (inner.get(..end)?.trim_end_matches('.'), 0)
        };
        // The sign of another language before it.
        let marks = before.len() - before.trim_end_matches(['#', '@']).len();
        let marks = if before == "=" { 1 } else { marks };
        let span = Span::new(start - marks, start + 1 + reference.len() + after);
        let reference = reference.trim();
        let is_foreign = !before.trim_end().ends_with(['$', '{'])
            && Reference::parse(reference).is_ok_and(|it| is_path(&it) && !names_file(&it));
        if is_foreign { foreign_placeholder(text, span, reference) } else { None }
    })
}
