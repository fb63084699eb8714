//! Checks the settings of a node.
//!
//! Decides the diagnostics for unknown settings and for values of the wrong type.

use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, closest_name, shorten_name};
use crate::graph::TemplateValue;
use crate::key::is_extension_key;
use crate::kind::settings::{PARSE_KEY, Setting};
use crate::source::{Spanned, ValueKind};

pub(crate) fn parses_json(with: Option<&TemplateValue>) -> bool {
    let parse = with.and_then(|with| with.get(PARSE_KEY));
    parse.as_ref().and_then(TemplateValue::as_constant).is_some_and(|parse| parse == "json")
}

pub(super) fn check(
    kind: &str,
    known: &[Setting],
    with: Option<&Spanned>,
    target: &Target,
    diagnostics: &mut DiagnosticCollector,
) {
    for entry in with.and_then(Spanned::as_map).unwrap_or_default() {
        let diagnostic = match known.iter().find(|(key, ..)| *key == entry.key) {
            Some(_) if entry.value.kind == ValueKind::Null => None,
            Some((_, fits, _)) if fits(&entry.value.kind) => None,
            Some((key, _, expected)) => {
                Some(invalid_setting(key, expected, &entry.value.kind).at(entry.value.span))
            }
            None if is_extension_key(&entry.key) => None,
            None => {
                Some(unknown_setting(&entry.key, kind, known.iter().map(|(key, ..)| *key)).at(entry.key_span))
            }
        };
        if let Some(diagnostic) = diagnostic {
            diagnostics.push(diagnostic.on(target.clone()));
        }
    }
}

pub(super) fn invalid_setting(key: &str, expected: &str, kind: &ValueKind) -> Diagnostic {
    let found = match kind {
        ValueKind::Number(number) => format!("`{}`", shorten_name(&number.to_string())),
        ValueKind::Text(text) => format!("`{}`", shorten_name(text)),
        kind => kind.describe().to_owned(),
    };
    Diagnostic::new(Code::WrongShape, format!("`{key}` is {expected}, not {found}"))
        .help(format!("write {expected} here"))
}

pub(super) fn unknown_setting<'a>(key: &str, kind: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let help = closest_name(key, known).map_or_else(
        || format!("remove `{}`", shorten_name(key)),
        |meant| format!("did you mean `{meant}`?"),
    );
    Diagnostic::new(Code::UnknownKey, format!("`{}` is no setting of `{kind}`", shorten_name(key))).help(help)
}
