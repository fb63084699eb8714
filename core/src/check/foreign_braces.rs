//! Finds templates of other languages by the names of the plan: `{{ title }}`, `{{ $json.title }}`, `{% if … %}`,
//! `<%= title %>`, `#{title}`.

use super::missed_templates::Place;
use crate::diagnostic::{Code, Diagnostic, Span, closest_name, shorten_name};
use crate::expression::template::{foreign_template, missed_expression, refers_to_value};
use crate::expression::{ROOTS, Reference, Template, is_key_char};

/// With an end, so that a text which only mentions them is no template.
const BRACES: [(&str, &str); 7] =
    [("{{", "}}"), ("{%", "%}"), ("<%", "%>"), ("<<", ">>"), ("#{", "}"), ("$(", ")"), ("$[", "]")];

const STATEMENTS: [&str; 11] =
    ["each", "unless", "if", "elif", "else", "endif", "for", "endfor", "set", "macro", "include"];

pub(super) fn has_braces(text: &str) -> bool {
    let opens = |pair: &[u8]| matches!(pair, b"{{" | b"{%" | b"<%" | b"<<" | b"#{" | b"$(" | b"$[");
    text.as_bytes().windows(2).any(opens)
}

/// A warning with its place in the text. The first is enough.
pub(super) fn find(text: &str, place: Place<'_, '_>) -> Option<Diagnostic> {
    // The reader of the plan has reported it.
    if !has_braces(text) || foreign_template(text).is_some() {
        return None;
    }
    let template = Template::parse_with(text, |_, _| true, &mut |_| {});
    let is_text = |span: Span| template.as_ref().is_none_or(|template| template.is_text(span));
    let found = BRACES.iter().filter_map(|(open, close)| {
        let places = text.match_indices(open).map(|(start, _)| start);
        places.filter_map(|start| braces(text, start, (open, close))).find_map(|(span, inner)| {
            let meant = match *open {
                "{%" => statement(inner)?,
                "<%" => statement(inner).or_else(|| value(inner, place))?,
                // Shells, Ruby and C++ have these too: only a path is surely one of the plan.
                "<<" | "#{" | "$(" | "$[" if !inner.contains('.') => return None,
                _ => value(inner, place)?,
            };
            let written = shorten_name(text.get(span.start..span.end)?);
            let message = format!("`{written}` is text and no template");
            let mut diagnostic = Diagnostic::new(Code::ForeignTemplate, message).at(span);
            if let Meant::Template(template) = &meant {
                diagnostic = diagnostic.fix(span, template);
            }
            is_text(span).then(|| (span.start, diagnostic.help(meant.help())))
        })
    });
    found.min_by_key(|(start, _)| *start).map(|(_, diagnostic)| diagnostic)
}

/// The braces that open at `start`, and the text in them. Handlebars have up to three.
fn braces<'t>(text: &'t str, start: usize, (open, close): (&str, &str)) -> Option<(Span, &'t str)> {
    // An error of the template parser.
    if text.get(..start)?.ends_with('$') {
        return None;
    }
    let inner = text.get(start + open.len()..)?;
    if open == "<<" && inner.starts_with(' ') {
        // An operator of a program.
        return None;
    }
    // A search for all of them would take quadratic time.
    let is_triple = inner.starts_with('{');
    let inner = inner.get(usize::from(is_triple)..)?;
    let stops = match close {
        "%>" | ">>" => ['<', '>', '\n'],
        ")" => ['(', ')', '\n'],
        "]" => ['[', ']', '\n'],
        _ => ['{', '}', '\n'],
    };
    let end = inner.find(stops)?;
    // `%}` ends one byte earlier.
    let end = end.checked_sub(usize::from(close.starts_with('%')))?;
    let rest = inner.get(end..)?.strip_prefix(close)?;
    let third = usize::from(is_triple && rest.starts_with('}'));
    let length = open.len() + usize::from(is_triple) + end + close.len() + third;
    Some((Span::new(start, start + length), inner.get(..end)?.trim_matches(['-', '=', ' '])))
}

enum Meant {
    Template(String),
    Help(&'static str),
}

impl Meant {
    fn help(&self) -> String {
        match self {
            Self::Template(template) => format!("write `{}`", shorten_name(template)),
            Self::Help(help) => (*help).to_owned(),
        }
    }
}

fn statement(text: &str) -> Option<Meant> {
    let word = text.split(' ').next()?;
    let help = "a template has no statements: write `${condition ? value : other}`, or choose by edges";
    STATEMENTS.contains(&word).then_some(Meant::Help(help))
}

fn value(text: &str, place: Place<'_, '_>) -> Option<Meant> {
    if text.starts_with('$') {
        let help =
            "write `${last.…}` for the output of the node before, or begin with `input` or `output.<node>`";
        let is_reference = text.get(1..)?.starts_with(|c: char| c == '(' || c.is_alphabetic());
        return is_reference.then_some(Meant::Help(help));
    }
    if let Some(block) = text.strip_prefix('#') {
        let (word, rest) = block.split_once(' ')?;
        return names_value(rest.trim(), place).then(|| statement(word))?;
    }
    let is_own = refers_to_value(text) && Reference::parse(text).is_ok();
    let whole = if is_own { Some(text.to_owned()) } else { path(text, place) };
    let whole = whole.filter(|whole| Reference::parse(whole).is_ok());
    if whole.is_some() {
        return whole.map(|whole| Meant::Template(format!("${{{whole}}}")));
    }
    if missed_expression(text).is_some_and(|(_, error)| error.fix.is_some()) {
        return Some(Meant::Template(format!("${{{text}}}")));
    }
    let help = "write `${…}` with an expression, as in `${input.title.trim()}`";
    names_value(text, place).then_some(Meant::Help(help))
}

/// The name at the beginning, and the rest.
fn split_name(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_key_char(c)).unwrap_or(text.len()))
}

/// The reference that a path of another language means.
fn path(text: &str, (plan, scopes, scope): Place<'_, '_>) -> Option<String> {
    let (word, rest) = split_name(text);
    if plan.inputs.iter().any(|(input, _)| input.name == word) {
        return Some(format!("input.{text}"));
    }
    if ROOTS.contains(&word) {
        return None;
    }
    if scopes.is_defined(scope, word) {
        return Some(format!("output.{text}"));
    }
    rest.starts_with('.').then(|| Some(format!("{}{rest}", closest_name(word, ROOTS)?)))?
}

/// Whether it begins with a value of the plan, also after a word such as `not`, or has the path of one.
fn names_value(text: &str, place: Place<'_, '_>) -> bool {
    let (word, rest) = split_name(text);
    let names = |text: &str| path(text, place).is_some();
    names(text) || refers_to_value(text) || matches!(word, "not" | "if") && names(rest.trim_start())
}
