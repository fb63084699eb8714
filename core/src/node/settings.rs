//! Settings of a node that are fixed when the plan is read.
//!
//! Decides how one that is unknown or of the wrong kind is reported.

use crate::diagnostic::{Code, Diagnostic, Problems, Target, brief, near};
use crate::graph::Texts;
use crate::key::is_free_key;
use crate::kind::settings::{PARSE_KEY, Setting};
use crate::source::{Kind, Spanned};

/// Whether texts that a tool gives are read as JSON.
pub(crate) fn parses(with: Option<&Texts>) -> bool {
    let parse = with.and_then(|with| with.get(PARSE_KEY));
    parse.as_ref().and_then(Texts::constant).is_some_and(|parse| parse == "json")
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
