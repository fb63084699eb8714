//! Previews a type change, which keeps unused keys until the user removes them.

use super::form_target::FormTarget;
use super::{Control, Owner};
use stepgraph_authoring::language::Document;
use stepgraph_authoring::language::plan_format::{NODE, built_in, node_types};
use stepgraph_core::source::Spanned;

/// Type change effects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetypePreview {
    /// Keys that the type ignores.
    pub unused_keys: Vec<String>,
    /// Missing required keys.
    pub missing_keys: Vec<String>,
}

/// Effects of a change.
pub fn retype_effects(document: &Document, scope: &str, key: &str, kind: &str) -> RetypePreview {
    let owner = Owner::Node(scope.to_owned(), key.to_owned());
    let Some(target) = FormTarget::new(document, &owner) else { return RetypePreview::default() };
    let (new, old) = (built_in(kind), built_in(target.text("type").unwrap_or_default()));
    let has = |key: &str| target.value.get(key).is_some();
    let needs = |kind: Option<&'static stepgraph_authoring::language::plan_format::NodeTypeSpec>| {
        kind.map_or(&[][..], |kind| kind.required_keys)
    };
    let settings =
        target.value.get("with").map(|entry| &entry.value).and_then(Spanned::as_map).unwrap_or_default();
    let knows = |key: &str| new.is_none_or(|kind| kind.settings.iter().any(|field| field.key == key));
    let known_before = |key: &str| old.is_none_or(|kind| kind.settings.iter().any(|field| field.key == key));
    let mut unused: Vec<String> = settings
        .iter()
        .filter(|entry| !knows(&entry.key) && known_before(&entry.key))
        .map(|entry| ["with.", &entry.key].concat())
        .collect();
    let all = node_types().iter().flat_map(|kind| kind.required_keys.iter().copied());
    let mut special: Vec<&str> = all.filter(|key| NODE.field(key).is_some()).collect();
    special.dedup();
    unused.extend(special.into_iter().filter(|key| has(key) && !needs(new).contains(key)).map(str::to_owned));
    let mut required: Vec<String> =
        needs(new).iter().filter(|key| !has(key)).map(|key| (*key).to_owned()).collect();
    let missing = new
        .into_iter()
        .flat_map(|kind| kind.settings)
        .filter(|field| field.required && !settings.iter().any(|entry| entry.key == field.key));
    required.extend(missing.map(|field| ["with.", field.key].concat()));
    RetypePreview { unused_keys: unused, missing_keys: required }
}

/// Types with descriptions.
pub fn type_choices(
    document: &Document,
    scope: &str,
    key: &str,
    lang: crate::i18n::Lang,
) -> Vec<super::Choice> {
    let owner = Owner::Node(scope.to_owned(), key.to_owned());
    let control = super::build::type_control(document, &owner, lang);
    match control {
        Some(Control::Combobox(choices)) => choices,
        _ => Vec::new(),
    }
}
