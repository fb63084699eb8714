//! Checks the settings of a node.

use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, closest_name, shorten_name};
use crate::graph::{Node, TemplateValue, misplaced_setting};
use crate::key::is_extension_key;
use crate::kind::settings::{PARSE_KEY, Setting};
use crate::source::{Entry, Spanned, ValueKind};

pub(crate) fn parses_json(with: Option<&TemplateValue>) -> bool {
    let parse = with.and_then(|with| with.get(PARSE_KEY));
    parse.as_ref().and_then(TemplateValue::as_constant).is_some_and(|parse| parse == "json")
}

pub(super) fn check(
    kind: &str,
    known_settings: &[Setting],
    with: Option<&Spanned>,
    target: &Target,
    diagnostics: &mut DiagnosticCollector,
) {
    for entry in with.and_then(Spanned::as_map).unwrap_or_default() {
        let diagnostic = match known_settings.iter().find(|(key, ..)| *key == entry.key) {
            Some(_) if entry.value.kind == ValueKind::Null => None,
            Some((_, fits, _)) if fits(&entry.value.kind) => None,
            Some((key, _, expected)) => {
                Some(invalid_setting(key, expected, &entry.value.kind).at(entry.value.span))
            }
            None if is_extension_key(&entry.key) => None,
            None => Some(
                unknown_setting(&entry.key, kind, known_settings.iter().map(|(key, ..)| *key))
                    .at(entry.key_span),
            ),
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
        ValueKind::Map(entries) if entries.is_empty() => "an empty map".to_owned(),
        kind => kind.describe().to_owned(),
    };
    Diagnostic::new(Code::WrongShape, format!("`{key}` is {expected}, not {found}"))
        .help(format!("write {expected} here"))
}

/// Unless a misspelt one was reported by [`check`].
pub(super) fn missing_setting(
    node: &Node,
    with: Option<&Spanned>,
    keys: &[&'static str],
    example: &str,
) -> Option<Diagnostic> {
    let mut entries = with.and_then(Spanned::as_map).unwrap_or_default().iter();
    let is_there = |entry: &Entry| {
        let is_named = keys.contains(&entry.key.as_str());
        let is_null = entry.value.kind == ValueKind::Null;
        is_named && !is_null || !is_named && closest_name(&entry.key, keys.iter().copied()).is_some()
    };
    if entries.any(is_there) {
        return None;
    }
    let names = keys.iter().map(|key| format!("`{key}`")).collect_vec().join(" or ");
    let message = format!("node `{}` needs {names}", shorten_name(&node.key));
    let diagnostic = Diagnostic::new(Code::MissingSetting, message).at(node.kind_span);
    Some(diagnostic.help(format!("add `with: {example}`")))
}

pub(super) fn unknown_setting<'a>(key: &str, kind: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let help = match closest_name(key, known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => misplaced_setting(key).unwrap_or_else(|| {
            let key = shorten_name(key);
            // Values stand one level deeper.
            if kind == "set" { format!("move `{key}` into `values`") } else { format!("remove `{key}`") }
        }),
    };
    Diagnostic::new(Code::UnknownKey, format!("`{}` is no setting of `{kind}`", shorten_name(key))).help(help)
}
