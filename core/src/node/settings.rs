//! Settings of a node that are fixed when the plan is read.
//!
//! Decides how one that is unknown or of the wrong kind is reported.

use crate::diagnostic::{Code, Diagnostic, Problems, Target, brief, near};
use crate::source::{Kind, Spanned};

/// A setting: its key, whether a value will do, and what is expected in words.
pub(super) type Setting = (&'static str, fn(&Kind) -> bool, &'static str);

/// What every node type knows.
pub(super) const TEMPLATES: Setting =
    ("templates", |kind| matches!(kind, Kind::Bool(_)), "`true` or `false`");

/// What every node type knows that asks a model.
pub(super) const TEMPERATURE: Setting = ("temperature", is_temperature, "a number from 0 to 2");

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
