//! The plan reader accepts the same keys.

use super::*;
use std::collections::BTreeSet;

fn keys(map_spec: &MapSpec) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let all = map_spec.fields.iter().map(|field| field.key).collect();
    (all, map_spec.fields.iter().filter(|field| field.required).map(|field| field.key).collect())
}

fn map_at(way: &[&str]) -> &'static MapSpec {
    let mut map_spec: &'static MapSpec = &PLAN;
    for key in way {
        let mut spec = map_spec.field(key).unwrap_or_else(|| panic!("{key}")).value;
        while let ValueSpec::Named(_, inner) | ValueSpec::List(inner) | ValueSpec::OneOrMany(inner) = spec {
            spec = *inner;
        }
        let ValueSpec::Map(next) = spec else { panic!("{key} is no map") };
        map_spec = next;
    }
    map_spec
}

#[test]
fn keys_are_those_that_are_read() {
    for (name, known, required) in stepgraph_core::graph::known_keys() {
        let way: Vec<&str> = name.split('.').filter(|key| !key.is_empty()).collect();
        let (all, needed) = keys(map_at(&way));
        assert_eq!(all, known.iter().copied().collect(), "{name}");
        assert_eq!(needed, required.iter().copied().collect(), "{name}, required");
    }
}

#[test]
fn settings_are_those_that_are_read() {
    for spec in node_types() {
        let ours: BTreeSet<&str> = spec.settings.iter().map(|field| field.key).collect();
        let theirs = stepgraph_core::kind::known_settings(spec.name);
        assert_eq!(ours, theirs.into_iter().collect(), "{}", spec.name);
    }
    let known: BTreeSet<&str> = node_types().iter().map(|spec| spec.name).collect();
    assert_eq!(known, stepgraph_core::kind::all_types().collect(), "types");
}
