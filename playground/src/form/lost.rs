//! What another type would make of a node.
//!
//! Decides what of it the new type has no use for. Nothing is taken away by a change of type: what has become useless is reported by the
//! check, and stays until a person removes it.

use super::place::Place;
use super::{Control, Owner};
use stepgraph_authoring::language::Document;
use stepgraph_authoring::language::plan_format::{NODE, built_in, node_types};
use stepgraph_core::source::Spanned;

/// What a change of type would leave behind, or ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// Settings and keys that are written and mean nothing to the new type.
    pub useless: Vec<String>,
    /// Keys that the new type needs and that are not there.
    pub needed: Vec<String>,
}

/// What a change of type would make of a node.
pub fn lost(document: &Document, scope: &str, key: &str, kind: &str) -> Lost {
    let owner = Owner::Node(scope.to_owned(), key.to_owned());
    let Some(place) = Place::new(document, &owner) else { return Lost::default() };
    let (new, old) = (built_in(kind), built_in(place.text("type").unwrap_or_default()));
    let has = |key: &str| place.value.get(key).is_some();
    let needs = |kind: Option<&'static stepgraph_authoring::language::plan_format::NodeTypeSpec>| {
        kind.map_or(&[][..], |kind| kind.required_keys)
    };
    let settings =
        place.value.get("with").map(|entry| &entry.value).and_then(Spanned::as_map).unwrap_or_default();
    let knows = |key: &str| new.is_none_or(|kind| kind.settings.iter().any(|field| field.key == key));
    let known_before = |key: &str| old.is_none_or(|kind| kind.settings.iter().any(|field| field.key == key));
    let mut useless: Vec<String> = settings
        .iter()
        .filter(|entry| !knows(&entry.key) && known_before(&entry.key))
        .map(|entry| ["with.", &entry.key].concat())
        .collect();
    let all = node_types().iter().flat_map(|kind| kind.required_keys.iter().copied());
    let mut special: Vec<&str> = all.filter(|key| NODE.field(key).is_some()).collect();
    special.dedup();
    useless
        .extend(special.into_iter().filter(|key| has(key) && !needs(new).contains(key)).map(str::to_owned));
    let needed = needs(new).iter().filter(|key| !has(key)).map(|key| (*key).to_owned()).collect();
    Lost { useless, needed }
}

/// The types that a node could have, with what each does.
pub fn types(document: &Document, scope: &str, key: &str, lang: crate::words::Lang) -> Vec<super::Choice> {
    let owner = Owner::Node(scope.to_owned(), key.to_owned());
    let control = super::build::types(document, &owner, lang);
    match control {
        Some(Control::Proposed(choices)) => choices,
        _ => Vec::new(),
    }
}
