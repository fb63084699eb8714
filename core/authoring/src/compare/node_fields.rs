//! Compares the fields of a node.

use super::canonical::CanonicalNames;
use super::describe::{name, value_change, value_or_kind};
use super::graphs::{GraphComparer, describe_difference, non_null};
use super::plan_matching::Side;
use super::values::{Difference, SameText, differences};
use super::{Change, ChangeKind};
use serde_json::{Value as Json, json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::{Node, PlanGraph, Retry};
use stepgraph_core::kind::resolve_alias;
use stepgraph_core::source::Spanned;
use stepgraph_core::value::{Segment, number_text};

const COMPARED_KEYS: [&str; 11] =
    ["id", "type", "tool", "input", "with", "metadata", "retry", "timeout_ms", "visits", "graph", "do"];

struct NodePair<'a> {
    old: &'a Node,
    new: &'a Node,
    entries: (&'a Spanned, &'a Spanned),
    scope: &'a str,
    key: &'a str,
}

impl<'a> GraphComparer<'_, '_, 'a> {
    pub(super) fn compare_node(&mut self, before: (usize, usize), after: (usize, usize)) {
        let matching = self.matching;
        let side = |plan: &'a PlanGraph, side, place: (usize, usize)| {
            let graph = matching.graph(side, place.0)?;
            Some((graph, graph.nodes.get(place.1)?, &plan.node_entry(graph, place.1)?.value))
        };
        let (Some((_, old, was)), Some((graph, new, is))) =
            (side(matching.plans[0], Side::Before, before), side(matching.plans[1], Side::After, after))
        else {
            return;
        };
        let pair = NodePair { old, new, entries: (was, is), scope: &graph.scope, key: &new.key };
        let names =
            |side, place: (usize, usize)| CanonicalNames { matching: Some(matching), side, scope: place.0 };
        let (then, now) = (names(Side::Before, before), names(Side::After, after));
        let plain = |a: &str, b: &str| a == b;
        let meant = |a: &str, b: &str| {
            if a.contains("${") || b.contains("${") { then.text(a) == now.text(b) } else { a == b }
        };
        let templates = |node: &Spanned| {
            node.get("with").and_then(|with| with.value.get("templates")).map(|entry| entry.value.to_json())
                != Some(Json::Bool(false))
        };
        let same: SameText<'_> = if templates(was) && templates(is) { &meant } else { &plain };
        self.compare_names(&pair);
        self.compare_type(&pair);
        self.compare_whole_keys(&pair, same);
        self.compare_settings(&pair, same);
        self.compare_limits(&pair);
    }

    fn compare_names(&mut self, pair: &NodePair<'a>) {
        let NodePair { old, new, scope, key, .. } = *pair;
        if old.key != new.key {
            let mut change = Change::new(
                ChangeKind::NodeRenamed,
                scope,
                format!("node {} is called {} now", name(&old.key), name(&new.key)),
            );
            change.previous_key = Some(old.key.clone());
            let change = change
                .node(key)
                .values(Some(old.key.as_str().into()), Some(new.key.as_str().into()))
                .spans(Some(old.key_span), Some(new.key_span));
            self.changes.push(change);
        }
        let own = (old.id == old.key, new.id == new.key);
        if old.id != new.id && own != (true, true) {
            let message = format!(
                "the output of {} is called {} instead of {}",
                name(key),
                name(&new.id),
                name(&old.id)
            );
            self.key_changed(
                pair,
                "id",
                message,
                (Some(old.id.as_str().into()), Some(new.id.as_str().into())),
            );
        }
    }

    fn compare_type(&mut self, pair: &NodePair<'a>) {
        let NodePair { old, new, key, .. } = *pair;
        let same = old.kind == new.kind
            || resolve_alias(&old.kind) == resolve_alias(&new.kind)
                && self.are_built_in(&old.kind, &new.kind);
        if !same {
            let note = if resolve_alias(&old.kind) == resolve_alias(&new.kind) {
                ", which does the same unless the host handles one of them"
            } else {
                ""
            };
            let (was, is) = (Json::from(old.kind.as_str()), Json::from(new.kind.as_str()));
            let message = format!("the type of {} {}{note}", name(key), value_change(&was, &is));
            self.key_changed(pair, "type", message, (Some(was), Some(is)));
        }
        let tool = |node: &Node| node.tool.as_ref().map(|tool| Json::from(tool.name.as_str()));
        let (was, is) = (tool(old), tool(new));
        if was != is {
            let message = match (&was, &is) {
                (Some(was), Some(is)) => format!("the tool of {} {}", name(key), value_change(was, is)),
                (None, Some(is)) => format!("{} names the tool {}", name(key), value_or_kind(is)),
                _ => format!("{} names no tool any more", name(key)),
            };
            let span = |node: &Node| node.tool.as_ref().map(|tool| tool.span);
            self.key_changed(pair, "tool", message, (was, is));
            if let Some(change) = self.changes.last_mut() {
                (change.before_span, change.after_span) = (span(old), span(new));
            }
        }
    }

    /// The host must declare its types and tools.
    fn are_built_in(&self, old: &str, new: &str) -> bool {
        let known = self.capabilities.types.is_some() && self.capabilities.tools.is_some();
        let other = |kind: &str| self.capabilities.handles_type(kind) || self.capabilities.has_tool(kind);
        known && !other(old) && !other(new)
    }

    fn compare_whole_keys(&mut self, pair: &NodePair<'a>, same: SameText<'_>) {
        let (was, is) = pair.entries;
        let entries = |value: &'a Spanned| value.as_map().unwrap_or_default();
        let mut keys = vec!["input"];
        let others = entries(is).iter().chain(entries(was)).map(|entry| entry.key.as_str());
        for key in others.filter(|key| !COMPARED_KEYS.contains(key) && *key != "branches") {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        for key in keys {
            self.compare_fields(pair, key, (non_null(was, key), non_null(is, key)), same);
        }
    }

    fn compare_fields(
        &mut self,
        pair: &NodePair<'a>,
        key: &str,
        (was, is): (Option<&'a Spanned>, Option<&'a Spanned>),
        same: SameText<'_>,
    ) {
        let mut found = Vec::new();
        differences(&mut vec![Segment::Key(key.to_owned())], was, is, same, &mut found);
        for difference in found {
            self.compare_field(pair, &difference);
        }
    }

    fn compare_field(&mut self, pair: &NodePair<'a>, found: &Difference<'a>) {
        let change = Change::new(ChangeKind::NodeChanged, pair.scope, describe_difference(found, pair.key))
            .node(pair.key)
            .field(&found.path)
            .values(found.before.map(Spanned::to_json), found.after.map(Spanned::to_json))
            .spans(found.before_span(), found.after_span());
        self.changes.push(change);
    }

    /// Here `null` equals a missing value.
    fn compare_settings(&mut self, pair: &NodePair<'a>, same: SameText<'_>) {
        let (was, is) = pair.entries;
        let (old, new) = (non_null(was, "with"), non_null(is, "with"));
        let entries = |value: Option<&'a Spanned>| value.and_then(Spanned::as_map).unwrap_or_default();
        let gone = entries(old).iter().filter(|entry| new.is_none_or(|new| new.get(&entry.key).is_none()));
        for entry in entries(new).iter().chain(gone) {
            let key = entry.key.as_str();
            let setting = |value: Option<&'a Spanned>| {
                let found = value.and_then(|value| non_null(value, key));
                // `templates: true` is the default.
                found.filter(|found| key != "templates" || found.to_json() != Json::Bool(true))
            };
            let mut found = Vec::new();
            let mut way = vec![Segment::Key("with".to_owned()), Segment::Key(key.to_owned())];
            differences(&mut way, setting(old), setting(new), same, &mut found);
            for difference in found {
                self.compare_field(pair, &difference);
            }
        }
        self.compare_metadata(pair);
    }

    fn compare_metadata(&mut self, pair: &NodePair<'a>) {
        let (was, is) = pair.entries;
        // The tool's name was compared already.
        let twice = was.get("tool").is_some() && is.get("tool").is_some();
        let of = |node: &'a Node, key: &str| {
            node.metadata.iter().find(|(name, _)| name == key).map(|(_, text)| text.as_str())
        };
        let gone = pair.old.metadata.iter().filter(|(key, _)| of(pair.new, key).is_none());
        for (key, _) in pair.new.metadata.iter().chain(gone).filter(|(key, _)| twice || key != "tool") {
            let (a, b) = (of(pair.old, key), of(pair.new, key));
            if a == b {
                continue;
            }
            let place = |value: &'a Spanned| non_null(value, "metadata").and_then(|map| non_null(map, key));
            let difference = Difference {
                path: vec![Segment::Key("metadata".to_owned()), Segment::Key(key.clone())],
                before: place(was),
                after: place(is),
            };
            self.compare_field(pair, &difference);
        }
    }

    fn compare_limits(&mut self, pair: &NodePair<'a>) {
        let NodePair { old, new, key, .. } = *pair;
        self.compare_retry(pair);
        let time = |node: &Node| node.timeout_ms.map(|ms| json!(ms));
        if old.timeout_ms != new.timeout_ms {
            let shown = |ms: Option<f64>| {
                ms.map_or_else(|| "any time".to_owned(), |ms| format!("{} ms", number_text(ms)))
            };
            let message = format!(
                "one attempt of {} may take {} instead of {}",
                name(key),
                shown(new.timeout_ms),
                shown(old.timeout_ms)
            );
            self.key_changed(pair, "timeout_ms", message, (time(old), time(new)));
        }
        let visits = |node: &Node, plan: &PlanGraph| node.visits.unwrap_or(plan.limits.visits);
        let (was, is) = (visits(old, self.matching.plans[0]), visits(new, self.matching.plans[1]));
        if was != is && old.visits != new.visits {
            let message = format!("a run may visit {} {is} times instead of {was}", name(key));
            self.key_changed(
                pair,
                "visits",
                message,
                (old.visits.map(Json::from), new.visits.map(Json::from)),
            );
        }
    }

    fn compare_retry(&mut self, pair: &NodePair<'a>) {
        let of = |node: &Node| node.retry.clone().filter(|retry| retry.attempts > 1).unwrap_or_default();
        let (old, new) = (of(pair.old), of(pair.new));
        let key = name(pair.key);
        if old.attempts != new.attempts {
            let times = |retry: &Retry| match retry.attempts {
                1 => "once".to_owned(),
                times => format!("up to {times} times"),
            };
            let message = format!("{key} is tried {} instead of {}", times(&new), times(&old));
            self.key_changed(
                pair,
                "retry.attempts",
                message,
                (Some(old.attempts.into()), Some(new.attempts.into())),
            );
        }
        if old.attempts == 1 || new.attempts == 1 {
            return;
        }
        let amounts = [
            ("retry.backoff_ms", "the wait before the second try of", old.backoff_ms, new.backoff_ms),
            ("retry.factor", "the factor by which waits grow between tries of", old.factor, new.factor),
            ("retry.max_ms", "the longest wait between tries of", old.max_ms, new.max_ms),
        ];
        for (field, what, was, is) in amounts {
            if was.to_bits() != is.to_bits() {
                let message =
                    format!("{what} {key} is `{}` instead of `{}`", number_text(is), number_text(was));
                self.key_changed(pair, field, message, (Some(json!(was)), Some(json!(is))));
            }
        }
        if old.on != new.on {
            let shown = |on: &[String]| {
                if on.is_empty() {
                    "any failure".to_owned()
                } else {
                    super::describe::names(&on.iter().map(String::as_str).collect_vec())
                }
            };
            let message =
                format!("{key} is tried again after {} instead of {}", shown(&new.on), shown(&old.on));
            self.key_changed(pair, "retry.on", message, (Some(json!(old.on)), Some(json!(new.on))));
        }
    }

    fn key_changed(
        &mut self,
        pair: &NodePair<'a>,
        field: &str,
        message: String,
        (was, is): (Option<Json>, Option<Json>),
    ) {
        let place = |node: &'a Spanned| {
            field.split('.').try_fold(node, |value, key| non_null(value, key)).map(|value| value.span)
        };
        let change = Change::new(ChangeKind::NodeChanged, pair.scope, message)
            .node(pair.key)
            .field(&field.split('.').map(|key| Segment::Key(key.to_owned())).collect_vec())
            .values(was, is)
            .spans(place(pair.entries.0), place(pair.entries.1));
        self.changes.push(change);
    }
}
