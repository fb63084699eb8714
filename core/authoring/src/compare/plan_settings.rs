//! Compares top-level settings.

use super::describe::{name, value_change, value_or_kind};
use super::graphs::{describe_difference, non_null};
use super::plan_matching::PlanMatching;
use super::values::{Difference, differences};
use super::{Change, ChangeKind};
use serde_json::{Value as Json, json};
use std::collections::{HashMap, HashSet};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::graph::{Limits, Named, PlanGraph};
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::value::{Segment, number_text};

/// Compared by meaning, or not here.
const COMPARED_KEYS: [&str; 9] =
    ["format", "start", "nodes", "edges", "inputs", "servers", "limits", "layout", "tests"];

pub(super) fn compare(matching: &PlanMatching<'_>, changes: &mut Vec<Change>) {
    let [old, new] = matching.plans;
    for difference in other_keys(&old.document, &new.document, &COMPARED_KEYS) {
        changes.push(setting_changed(ChangeKind::PlanChanged, &difference, ""));
    }
    compare_inputs(old, new, changes);
    compare_servers(old, new, changes);
    compare_limits(old, new, changes);
    compare_tests(old, new, changes);
}

pub(super) fn other_keys<'a>(was: &'a Spanned, is: &'a Spanned, but: &[&str]) -> Vec<Difference<'a>> {
    let plain = |a: &str, b: &str| a == b;
    let entries = |map: &'a Spanned| map.as_map().unwrap_or_default();
    let mut found = Vec::new();
    let gone = entries(was).iter().filter(|entry| is.get(&entry.key).is_none());
    for entry in entries(is).iter().chain(gone).filter(|entry| !but.contains(&entry.key.as_str())) {
        let key = entry.key.as_str();
        differences(
            &mut vec![Segment::Key(key.to_owned())],
            non_null(was, key),
            non_null(is, key),
            &plain,
            &mut found,
        );
    }
    found
}

fn setting_changed(kind: ChangeKind, found: &Difference<'_>, of: &str) -> Change {
    Change::new(kind, "", describe_difference(found, of))
        .field(&found.path)
        .values(found.before.map(Spanned::to_json), found.after.map(Spanned::to_json))
        .spans(found.before_span(), found.after_span())
}

fn field(keys: &[&str]) -> Vec<Segment> {
    keys.iter().map(|key| Segment::Key((*key).to_owned())).collect_vec()
}

/// A schema that allows anything equals none.
fn compare_inputs(old: &PlanGraph, new: &PlanGraph, changes: &mut Vec<Change>) {
    let plain = |a: &str, b: &str| a == b;
    let names = |plan: &'_ PlanGraph| -> HashSet<String> {
        plan.inputs.iter().map(|(named, _)| named.name.clone()).collect()
    };
    let (known, wanted) = (names(old), names(new));
    for (named, schema) in &new.inputs {
        if !known.contains(&named.name) {
            let message = format!("runs now require the input {}", name(&named.name));
            changes.push(compare_named(
                ChangeKind::InputAdded,
                &["inputs", &named.name],
                message,
                (None, Some(schema.clone())),
                (None, Some(named.span)),
            ));
            continue;
        }
        let (was, is) = (entry(old, "inputs", &named.name), entry(new, "inputs", &named.name));
        let mut found = Vec::new();
        let strict = |value: &&Spanned| match &value.kind {
            ValueKind::Null | ValueKind::Bool(true) => false,
            ValueKind::Map(entries) => !entries.is_empty(),
            _ => true,
        };
        differences(
            &mut field(&["inputs", &named.name]),
            was.filter(strict),
            is.filter(strict),
            &plain,
            &mut found,
        );
        changes.extend(found.iter().map(|found| setting_changed(ChangeKind::InputChanged, found, "")));
    }
    for (named, schema) in old.inputs.iter().filter(|(named, _)| !wanted.contains(&named.name)) {
        let message = format!("runs no longer require the input {}", name(&named.name));
        changes.push(compare_named(
            ChangeKind::InputRemoved,
            &["inputs", &named.name],
            message,
            (Some(schema.clone()), None),
            (Some(named.span), None),
        ));
    }
}

fn entry<'a>(plan: &'a PlanGraph, holder: &str, key: &str) -> Option<&'a Spanned> {
    plan.document.get(holder)?.value.get(key).map(|entry| &entry.value)
}

fn compare_named(
    kind: ChangeKind,
    path: &[&str],
    message: String,
    (was, is): (Option<Json>, Option<Json>),
    (before, after): (Option<Span>, Option<Span>),
) -> Change {
    Change::new(kind, "", message).field(&field(path)).values(was, is).spans(before, after)
}

fn compare_servers(old: &PlanGraph, new: &PlanGraph, changes: &mut Vec<Change>) {
    let of = |plan: &PlanGraph, key: &str| -> Option<(Named, String)> {
        plan.servers.iter().find(|(named, _)| named.name == key).cloned()
    };
    for (named, url) in &new.servers {
        let is = Json::from(url.as_str());
        let path = ["servers", named.name.as_str()];
        match of(old, &named.name) {
            None => {
                let message = format!("server {} is new, at {}", name(&named.name), value_or_kind(&is));
                changes.push(compare_named(
                    ChangeKind::ServerAdded,
                    &path,
                    message,
                    (None, Some(is)),
                    (None, Some(named.span)),
                ));
            }
            Some((before, known)) if known != *url => {
                let was = Json::from(known);
                let message =
                    format!("the address of server {} {}", name(&named.name), value_change(&was, &is));
                changes.push(compare_named(
                    ChangeKind::ServerChanged,
                    &path,
                    message,
                    (Some(was), Some(is)),
                    (Some(before.span), Some(named.span)),
                ));
            }
            Some(_) => {}
        }
    }
    for (named, url) in old.servers.iter().filter(|(named, _)| of(new, &named.name).is_none()) {
        let message = format!("server {} is gone", name(&named.name));
        changes.push(compare_named(
            ChangeKind::ServerRemoved,
            &["servers", &named.name],
            message,
            (Some(url.as_str().into()), None),
            (Some(named.span), None),
        ));
    }
}

fn compare_limits(old: &PlanGraph, new: &PlanGraph, changes: &mut Vec<Change>) {
    let count = |count: Option<u32>| count.map(f64::from);
    let of = |limits: &Limits| {
        [
            ("visits", "visits of one node", Some(f64::from(limits.visits))),
            ("steps", "nodes that a run visits", count(limits.steps)),
            ("calls", "calls of a run", count(limits.calls)),
            ("timeout_ms", "milliseconds of a run", limits.timeout_ms),
            ("tokens", "tokens of a run", limits.tokens),
            ("usd", "US dollars of a run", limits.usd),
            ("output_bytes", "bytes that calls return", limits.output_bytes),
        ]
    };
    for ((key, what, was), (_, _, is)) in of(&old.limits).into_iter().zip(of(&new.limits)) {
        if was == is {
            continue;
        }
        let shown = |limit: Option<f64>| {
            limit.map_or_else(|| "any number".to_owned(), |limit| format!("at most {}", number_text(limit)))
        };
        let message = format!("{what}: {} instead of {}", shown(is), shown(was));
        let place = |plan: &PlanGraph| entry(plan, "limits", key).map(|value| value.span);
        changes.push(compare_named(
            ChangeKind::PlanChanged,
            &["limits", key],
            message,
            (was.map(|n| json!(n)), is.map(|n| json!(n))),
            (place(old), place(new)),
        ));
    }
}

/// Match by name, then by order.
fn compare_tests(old: &PlanGraph, new: &PlanGraph, changes: &mut Vec<Change>) {
    let (was, is) = (tests_by_name(old), tests_by_name(new));
    let known: HashMap<&(String, usize), &Spanned> = was.iter().map(|(title, case)| (title, *case)).collect();
    let wanted: HashSet<&(String, usize)> = is.iter().map(|(title, _)| title).collect();
    let plain = |a: &str, b: &str| a == b;
    for (title, case) in &is {
        let Some(before) = known.get(title).copied() else {
            let message = format!("test {} is new", name(&title.0));
            changes.push(compare_named(
                ChangeKind::TestAdded,
                &["tests", &title.0],
                message,
                (None, Some(case.to_json())),
                (None, Some(case.span)),
            ));
            continue;
        };
        let mut found = Vec::new();
        differences(&mut Vec::new(), Some(before), Some(case), &plain, &mut found);
        for one in &mut found {
            let words = describe_difference(one, "");
            one.path.splice(0..0, field(&["tests", &title.0]));
            let mut change = setting_changed(ChangeKind::TestChanged, one, "");
            change.message = format!("test {}: {words}", name(&title.0));
            changes.push(change);
        }
    }
    for (title, case) in was.iter().filter(|(title, _)| !wanted.contains(title)) {
        let message = format!("test {} is gone", name(&title.0));
        changes.push(compare_named(
            ChangeKind::TestRemoved,
            &["tests", &title.0],
            message,
            (Some(case.to_json()), None),
            (Some(case.span), None),
        ));
    }
}

fn tests_by_name(plan: &PlanGraph) -> Vec<((String, usize), &Spanned)> {
    let items = non_null(&plan.document, "tests").and_then(Spanned::as_list).unwrap_or_default();
    let mut found: Vec<((String, usize), &Spanned)> = Vec::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    for item in items {
        let title = item.get("name").and_then(|entry| entry.value.as_text()).unwrap_or_default().to_owned();
        let number = times.entry(title.clone()).or_default();
        found.push(((title, *number), item));
        *number += 1;
    }
    found
}
