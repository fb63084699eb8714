//! Settings of a node that are fixed when the plan is read.
//!
//! Decides how one that is unknown or of the wrong kind is reported.

use super::llm::is_name;
use crate::diagnostic::{Code, Diagnostic, Problems, Target, brief, near};
use crate::graph::{Texts, is_free_key};
use crate::source::{Kind, Spanned};

/// A setting: its key, whether a value will do, and what is expected in words.
pub(super) type Setting = (&'static str, fn(&Kind) -> bool, &'static str);

/// What every node type knows.
pub(super) const TEMPLATES: Setting =
    ("templates", |kind| matches!(kind, Kind::Bool(_)), "`true` or `false`");

/// What node types have in common that ask a model.
pub(super) const MODEL: Setting = ("model", is_text, "text");
/// Its instructions.
pub(super) const SYSTEM: Setting = ("system", is_text, "text");
/// The most that it may answer.
pub(super) const MAX_TOKENS: Setting = (
    "max_tokens",
    |kind| matches!(kind, Kind::Number(n) if n.as_u64().is_some_and(|n| n > 0)),
    "a whole number from 1 up",
);
/// How often it is asked for an answer.
pub(super) const ATTEMPTS: Setting = ("attempts", is_small, "a whole number from 1 to 100");
/// How often it is asked while it calls tools.
pub(super) const MAX_TURNS: Setting = (
    "max_turns",
    |kind| matches!(kind, Kind::Number(n) if n.as_u64().is_some_and(|n| (1..=1000).contains(&n))),
    "a whole number from 1 to 1000",
);
/// The name of the conversation that it goes on with.
pub(super) const CONVERSATION: Setting =
    ("conversation", |kind| matches!(kind, Kind::Text(name) if is_name(name)), "a plain name");
/// Parameters that only the run may fill.
pub(super) const TRUSTED: Setting = ("trusted", are_names, "a list of plain names of parameters");
/// How texts that a tool gives are read.
pub(super) const PARSE: Setting =
    (PARSE_KEY, |kind| matches!(kind, Kind::Text(text) if text == "json"), "`json`");
const PARSE_KEY: &str = "parse";
/// How freely it answers.
pub(super) const TEMPERATURE: Setting = ("temperature", is_temperature, "a number from 0 to 2");

/// Whether texts that a tool gives are read as JSON.
pub(crate) fn parses(with: Option<&Texts>) -> bool {
    let parse = with.and_then(|with| with.get(PARSE_KEY));
    parse.as_ref().and_then(Texts::constant).is_some_and(|parse| parse == "json")
}

fn is_text(kind: &Kind) -> bool {
    matches!(kind, Kind::Text(_))
}

/// A list of plain names.
pub(super) fn are_names(kind: &Kind) -> bool {
    let is_name = |item: &Spanned| matches!(&item.kind, Kind::Text(name) if is_name(name));
    matches!(kind, Kind::List(items) if items.iter().all(is_name))
}

/// A whole number from 1 to 100.
pub(super) fn is_small(kind: &Kind) -> bool {
    matches!(kind, Kind::Number(number) if number.as_u64().is_some_and(|n| (1..=100).contains(&n)))
}

/// A number above 0.
pub(super) fn is_above_zero(kind: &Kind) -> bool {
    matches!(kind, Kind::Number(number) if number.as_f64() > Some(0.0))
}

/// A number that some provider takes.
pub(super) fn is_temperature(kind: &Kind) -> bool {
    matches!(kind, Kind::Number(n) if n.as_f64().is_some_and(|n| (0.0..=2.0).contains(&n)))
}

/// What is wrong with the settings of a node of type `kind`.
pub(super) fn check(
    kind: &str,
    known: &[Setting],
    with: Option<&Spanned>,
    target: &Target,
    problems: &mut Problems,
) {
    for entry in with.and_then(Spanned::as_map).unwrap_or_default() {
        let problem = match known.iter().find(|(key, ..)| *key == entry.key) {
            Some(_) if entry.value.kind == Kind::Null => None,
            Some((_, fits, _)) if fits(&entry.value.kind) => None,
            Some((key, _, expected)) => Some(wrong(key, expected, &entry.value.kind).at(entry.value.span)),
            None if is_free_key(&entry.key) => None,
            None => Some(unknown(&entry.key, kind, known.iter().map(|(key, ..)| *key)).at(entry.key_span)),
        };
        if let Some(problem) = problem {
            problems.push(problem.on(target.clone()));
        }
    }
}

/// A setting of the wrong kind.
pub(super) fn wrong(key: &str, expected: &str, kind: &Kind) -> Diagnostic {
    let found = match kind {
        Kind::Number(number) => format!("`{}`", brief(&number.to_string())),
        Kind::Text(text) => format!("`{}`", brief(text)),
        kind => kind.describe().to_owned(),
    };
    Diagnostic::new(Code::WrongShape, format!("`{key}` is {expected}, not {found}"))
        .help(format!("write {expected} here"))
}

/// A setting that the type does not have.
pub(super) fn unknown<'a>(key: &str, kind: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let help = near(key, known)
        .map_or_else(|| format!("remove `{}`", brief(key)), |meant| format!("did you mean `{meant}`?"));
    Diagnostic::new(Code::UnknownKey, format!("`{}` is no setting of `{kind}`", brief(key))).help(help)
}
