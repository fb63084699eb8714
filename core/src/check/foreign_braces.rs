//! Finds templates of other languages by the names of the plan: `{{ title }}`, `{{ $json.title }}`, `{% if … %}`.

use super::missed_templates::Place;
use crate::diagnostic::{Code, Diagnostic, Span, closest_name, shorten_name};
use crate::expression::template::{foreign_template, missed_expression};
use crate::expression::{ROOTS, Reference, is_key_char};

/// With an end, so that a text which only mentions them is no template.
const BRACES: [(&str, &str); 2] = [("{{", "}}"), ("{%", "%}")];

const STATEMENTS: [&str; 9] = ["if", "elif", "else", "endif", "for", "endfor", "set", "macro", "include"];

pub(super) fn has_braces(text: &str) -> bool {
    BRACES.iter().any(|(open, _)| text.contains(open))
}

/// A warning with its place in the text. The first is enough.
pub(super) fn find(text: &str, place: Place<'_, '_>) -> Option<Diagnostic> {
    // The reader of the plan has reported it.
    if !has_braces(text) || foreign_template(text).is_some() {
        return None;
    }
    BRACES.iter().find_map(|(open, close)| {
        text.match_indices(open).find_map(|(start, _)| {
            let inner = text.get(start + open.len()..)?;
            let end = inner.find(['{', '}', '\n'])?;
            // `%}` ends one byte earlier.
            let end = end.checked_sub(usize::from(*close == "%}"))?;
            inner.get(end..)?.starts_with(close).then_some(())?;
            let read = inner.get(..end)?.trim_matches(['-', ' ']);
            let meant = if *open == "{%" { statement(read)? } else { value(read, place)? };
            let span = Span::new(start, start + open.len() + end + close.len());
            let written = shorten_name(text.get(span.start..span.end)?);
            let message = format!("`{written}` is text and no template");
            let mut diagnostic = Diagnostic::new(Code::ForeignTemplate, message).at(span);
            if let Meant::Template(template) = &meant {
                diagnostic = diagnostic.fix(span, template);
            }
            Some(diagnostic.help(meant.help()))
        })
    })
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

fn value(text: &str, (plan, scopes, scope): Place<'_, '_>) -> Option<Meant> {
    if text.starts_with('$') {
        let help =
            "write `${last.…}` for the output of the node before, or begin with `input` or `output.<node>`";
        let is_reference = text.get(1..)?.starts_with(|c: char| c == '(' || c.is_alphabetic());
        return is_reference.then_some(Meant::Help(help));
    }
    let word = text.get(..text.find(|c| !is_key_char(c)).unwrap_or(text.len()))?;
    let rest = text.get(word.len()..)?;
    let is_input = plan.inputs.iter().any(|(input, _)| input.name == word);
    if rest.trim_start().starts_with('|') && (is_input || ROOTS.contains(&word)) {
        return Some(Meant::Help("write `${…}`, and call a function, as in `${input.title.trim()}`"));
    }
    let whole = if is_input {
        format!("input.{text}")
    } else if scopes.is_defined(scope, word) && !ROOTS.contains(&word) {
        format!("output.{text}")
    } else if rest.starts_with('.') && !ROOTS.contains(&word) {
        format!("{}{rest}", closest_name(word, ROOTS)?)
    } else {
        return missed_expression(text).map(|_| Meant::Template(format!("${{{text}}}")));
    };
    Reference::parse(&whole).ok().map(|_| Meant::Template(format!("${{{whole}}}")))
}
