//! What changed in the nodes of a graph, and in the graphs inside them.
//!
//! Decides which keys of a node are compared by what they mean, and in which order changes are told.

use super::canon::Names;
use super::edges;
use super::pairs::{Side, Who};
use super::values::{Difference, SameText, differences};
use super::words::{described, instead, name, path, value};
use super::{Change, ChangeKind};
use crate::graph::{Graph, Node, PlanGraph, Retry};
use crate::host::Capabilities;
use crate::list::List;
use crate::node::meant;
use crate::source::Spanned;
use crate::value::{Segment, number_text};
use serde_json::{Value as Json, json};
use std::collections::HashMap;

/// Keys of a node that are compared by what they mean, or not here.
const KNOWN: [&str; 11] =
    ["id", "type", "tool", "input", "with", "metadata", "retry", "timeout_ms", "visits", "graph", "do"];

/// Compares all graphs, from the outside in.
pub(super) fn compare(who: &Who<'_>, capabilities: &Capabilities, changes: &mut Vec<Change>) {
    Comparer { who, capabilities, changes }.graph(0, 0);
}

struct Comparer<'c, 'w, 'a> {
    who: &'w Who<'a>,
    capabilities: &'c Capabilities,
    changes: &'c mut Vec<Change>,
}

/// A node on both sides, and where its graph stands.
struct Both<'a> {
    old: &'a Node,
    new: &'a Node,
    entries: (&'a Spanned, &'a Spanned),
    scope: &'a str,
    /// The key after.
    key: &'a str,
}

impl<'a> Comparer<'_, '_, 'a> {
    /// Compares a graph. Graphs stand inside each other no deeper than documents do.
    fn graph(&mut self, before: usize, after: usize) {
        let (Some(old), Some(new)) =
            (self.who.graph(Side::Before, before), self.who.graph(Side::After, after))
        else {
            return;
        };
        self.start(before, old, new);
        let Some(pair) = self.who.pair(Side::After, after) else { return };
        let (now, then) = (pair.nodes.after.clone(), pair.nodes.before.clone());
        // What is gone is told where it stood: after the node that it followed.
        let mut gone: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        let mut last = None;
        for (i, j) in now.iter().enumerate() {
            match j {
                Some(j) => last = Some(*j),
                None => gone.entry(last).or_default().push(i),
            }
        }
        let edges = edges::compare(self.who, (before, old), (after, new));
        let mut edges = edges.into_iter().fold(HashMap::<_, Vec<Change>>::new(), |mut by, (node, change)| {
            by.entry(node).or_default().push(change);
            by
        });
        let mut told = |own: &mut Self, side: Side, node: usize| {
            own.changes.extend(edges.remove(&(side as usize, node)).unwrap_or_default());
        };
        for place in std::iter::once(None).chain((0..new.nodes.len()).map(Some)) {
            if let Some(j) = place {
                match then.get(j).copied().flatten() {
                    Some(i) => self.both((before, i), (after, j)),
                    None => self.added(new, j),
                }
                told(self, Side::After, j);
                if let Some(i) = then.get(j).copied().flatten() {
                    self.inside((before, i), (after, j));
                }
            }
            for i in gone.remove(&place).unwrap_or_default() {
                self.removed(old, i);
                told(self, Side::Before, i);
            }
        }
    }

    fn start(&mut self, before: usize, old: &'a Graph, new: &'a Graph) {
        let now = old.start.and_then(|node| self.who.now((before, node))).map(|(_, node)| node);
        if now == new.start && now.is_some() {
            return;
        }
        let key = |graph: &'a Graph| graph.start.and_then(|node| graph.nodes.get(node));
        let (Some(was), Some(is)) = (key(old), key(new)) else { return };
        let runs = if new.scope.is_empty() {
            "runs begin".to_owned()
        } else {
            format!("{} begins", name(&new.scope))
        };
        let message = format!("{runs} at {} instead of {}", name(&is.key), name(&was.key));
        let span = |graph: &Graph, node: &Node| graph.start_span.or(Some(node.key_span));
        let change = Change::new(ChangeKind::StartChanged, &new.scope, message)
            .values(Some(was.key.as_str().into()), Some(is.key.as_str().into()))
            .spans(span(old, was), span(new, is));
        self.changes.push(change);
    }

    fn added(&mut self, graph: &Graph, position: usize) {
        let Some(node) = graph.nodes.get(position) else { return };
        let value = self.who.plans[1].entry(graph, position).map(|entry| entry.value.to_json());
        let message = format!("node {} {} is new", name(&node.key), does(node));
        let change = Change::new(ChangeKind::NodeAdded, &graph.scope, message)
            .node(&node.key)
            .values(None, value)
            .spans(None, self.whole(1, graph, position));
        self.changes.push(change);
    }

    fn removed(&mut self, graph: &Graph, position: usize) {
        let Some(node) = graph.nodes.get(position) else { return };
        let value = self.who.plans[0].entry(graph, position).map(|entry| entry.value.to_json());
        let message = format!("node {} {} is gone", name(&node.key), does(node));
        let change = Change::new(ChangeKind::NodeRemoved, &graph.scope, message)
            .node(&node.key)
            .values(value, None)
            .spans(self.whole(0, graph, position), None);
        self.changes.push(change);
    }

    /// The place of a node, its key included.
    fn whole(&self, plan: usize, graph: &Graph, position: usize) -> Option<crate::diagnostic::Span> {
        let entry = self.who.plans.get(plan)?.entry(graph, position)?;
        Some(crate::diagnostic::Span::new(entry.key_span.start, entry.value.span.end))
    }

    /// A node that is on both sides.
    fn both(&mut self, before: (usize, usize), after: (usize, usize)) {
        let who = self.who;
        let side = |plan: &'a PlanGraph, side, place: (usize, usize)| {
            let graph = who.graph(side, place.0)?;
            Some((graph, graph.nodes.get(place.1)?, &plan.entry(graph, place.1)?.value))
        };
        let (Some((_, old, was)), Some((graph, new, is))) =
            (side(who.plans[0], Side::Before, before), side(who.plans[1], Side::After, after))
        else {
            return;
        };
        let both = Both { old, new, entries: (was, is), scope: &graph.scope, key: &new.key };
        let names = |side, place: (usize, usize)| Names { who: Some(who), side, scope: place.0 };
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
        self.names(&both);
        self.kind(&both);
        self.whole_keys(&both, same);
        self.settings(&both, same);
        self.bounds(&both);
    }

    fn names(&mut self, both: &Both<'a>) {
        let Both { old, new, scope, key, .. } = *both;
        if old.key != new.key {
            let mut change = Change::new(
                ChangeKind::NodeRenamed,
                scope,
                format!("node {} is called {} now", name(&old.key), name(&new.key)),
            );
            change.was = Some(old.key.clone());
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
            self.changed(both, "id", message, (Some(old.id.as_str().into()), Some(new.id.as_str().into())));
        }
    }

    fn kind(&mut self, both: &Both<'a>) {
        let Both { old, new, key, .. } = *both;
        let same = old.kind == new.kind
            || meant(&old.kind) == meant(&new.kind) && self.is_ours(&old.kind, &new.kind);
        if !same {
            let note = if meant(&old.kind) == meant(&new.kind) {
                ", which does the same unless the host handles one of them"
            } else {
                ""
            };
            let (was, is) = (Json::from(old.kind.as_str()), Json::from(new.kind.as_str()));
            let message = format!("the type of {} {}{note}", name(key), instead(&was, &is));
            self.changed(both, "type", message, (Some(was), Some(is)));
        }
        let tool = |node: &Node| node.tool.as_ref().map(|tool| Json::from(tool.name.as_str()));
        let (was, is) = (tool(old), tool(new));
        if was != is {
            let message = match (&was, &is) {
                (Some(was), Some(is)) => format!("the tool of {} {}", name(key), instead(was, is)),
                (None, Some(is)) => format!("{} names the tool {}", name(key), described(is)),
                _ => format!("{} names no tool any more", name(key)),
            };
            let span = |node: &Node| node.tool.as_ref().map(|tool| tool.span);
            self.changed(both, "tool", message, (was, is));
            if let Some(change) = self.changes.last_mut() {
                (change.before_span, change.after_span) = (span(old), span(new));
            }
        }
    }

    /// Whether the host is known to leave these types to the engine.
    fn is_ours(&self, old: &str, new: &str) -> bool {
        let known = self.capabilities.types.is_some() && self.capabilities.tools.is_some();
        let other = |kind: &str| self.capabilities.handles_type(kind) || self.capabilities.has_tool(kind);
        known && !other(old) && !other(new)
    }

    /// What is compared as it is written.
    fn whole_keys(&mut self, both: &Both<'a>, same: SameText<'_>) {
        let (was, is) = both.entries;
        let entries = |value: &'a Spanned| value.as_map().unwrap_or_default();
        let mut keys = vec!["input"];
        let others = entries(is).iter().chain(entries(was)).map(|entry| entry.key.as_str());
        for key in others.filter(|key| !KNOWN.contains(key) && *key != "branches") {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        for key in keys {
            self.fields(both, key, (given(was, key), given(is, key)), same);
        }
    }

    fn fields(
        &mut self,
        both: &Both<'a>,
        key: &str,
        (was, is): (Option<&'a Spanned>, Option<&'a Spanned>),
        same: SameText<'_>,
    ) {
        let mut found = Vec::new();
        differences(&mut vec![Segment::Key(key.to_owned())], was, is, same, &mut found);
        for difference in found {
            self.field(both, &difference);
        }
    }

    fn field(&mut self, both: &Both<'a>, found: &Difference<'a>) {
        let change = Change::new(ChangeKind::NodeChanged, both.scope, sentence(found, both.key))
            .node(both.key)
            .field(&found.path)
            .values(found.before.map(Spanned::to_json), found.after.map(Spanned::to_json))
            .spans(found.before_span(), found.after_span());
        self.changes.push(change);
    }

    /// Settings and metadata, in which null is as good as nothing.
    fn settings(&mut self, both: &Both<'a>, same: SameText<'_>) {
        let (was, is) = both.entries;
        let (old, new) = (given(was, "with"), given(is, "with"));
        let entries = |value: Option<&'a Spanned>| value.and_then(Spanned::as_map).unwrap_or_default();
        let gone = entries(old).iter().filter(|entry| new.is_none_or(|new| new.get(&entry.key).is_none()));
        for entry in entries(new).iter().chain(gone) {
            let key = entry.key.as_str();
            let setting = |value: Option<&'a Spanned>| {
                let found = value.and_then(|value| given(value, key));
                // What is so unless it is said.
                found.filter(|found| key != "templates" || found.to_json() != Json::Bool(true))
            };
            let mut found = Vec::new();
            let mut way = vec![Segment::Key("with".to_owned()), Segment::Key(key.to_owned())];
            differences(&mut way, setting(old), setting(new), same, &mut found);
            for difference in found {
                self.field(both, &difference);
            }
        }
        self.metadata(both);
    }

    fn metadata(&mut self, both: &Both<'a>) {
        let (was, is) = both.entries;
        // The tool that it may name was compared as such.
        let twice = was.get("tool").is_some() && is.get("tool").is_some();
        let of = |node: &'a Node, key: &str| {
            node.metadata.iter().find(|(name, _)| name == key).map(|(_, text)| text.as_str())
        };
        let gone = both.old.metadata.iter().filter(|(key, _)| of(both.new, key).is_none());
        for (key, _) in both.new.metadata.iter().chain(gone).filter(|(key, _)| twice || key != "tool") {
            let (a, b) = (of(both.old, key), of(both.new, key));
            if a == b {
                continue;
            }
            let place = |value: &'a Spanned| given(value, "metadata").and_then(|map| given(map, key));
            let difference = Difference {
                path: vec![Segment::Key("metadata".to_owned()), Segment::Key(key.clone())],
                before: place(was),
                after: place(is),
            };
            self.field(both, &difference);
        }
    }

    /// Tries, time and visits.
    fn bounds(&mut self, both: &Both<'a>) {
        let Both { old, new, key, .. } = *both;
        self.retry(both);
        let time = |node: &Node| node.timeout_ms.map(|ms| json!(ms));
        if old.timeout_ms != new.timeout_ms {
            let shown = |ms: Option<f64>| {
                ms.map_or_else(|| "any time".to_owned(), |ms| format!("{} ms", number_text(ms)))
            };
            let message = format!(
                "one try of {} may take {} instead of {}",
                name(key),
                shown(new.timeout_ms),
                shown(old.timeout_ms)
            );
            self.changed(both, "timeout_ms", message, (time(old), time(new)));
        }
        let visits = |node: &Node, plan: &PlanGraph| node.visits.unwrap_or(plan.limits.visits);
        let (was, is) = (visits(old, self.who.plans[0]), visits(new, self.who.plans[1]));
        if was != is && old.visits != new.visits {
            let message = format!("a run may come to {} {is} times instead of {was}", name(key));
            self.changed(both, "visits", message, (old.visits.map(Json::from), new.visits.map(Json::from)));
        }
    }

    fn retry(&mut self, both: &Both<'a>) {
        let of = |node: &Node| node.retry.clone().filter(|retry| retry.attempts > 1).unwrap_or_default();
        let (old, new) = (of(both.old), of(both.new));
        let key = name(both.key);
        if old.attempts != new.attempts {
            let times = |retry: &Retry| match retry.attempts {
                1 => "once".to_owned(),
                times => format!("up to {times} times"),
            };
            let message = format!("{key} is tried {} instead of {}", times(&new), times(&old));
            self.changed(
                both,
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
                self.changed(both, field, message, (Some(json!(was)), Some(json!(is))));
            }
        }
        if old.on != new.on {
            let shown = |on: &[String]| {
                if on.is_empty() {
                    "any failure".to_owned()
                } else {
                    super::words::names(&on.iter().map(String::as_str).list())
                }
            };
            let message =
                format!("{key} is tried again after {} instead of {}", shown(&new.on), shown(&old.on));
            self.changed(both, "retry.on", message, (Some(json!(old.on)), Some(json!(new.on))));
        }
    }

    /// A change of what stands under a key, or a key in it.
    fn changed(
        &mut self,
        both: &Both<'a>,
        field: &str,
        message: String,
        (was, is): (Option<Json>, Option<Json>),
    ) {
        let place = |node: &'a Spanned| {
            field.split('.').try_fold(node, |value, key| given(value, key)).map(|value| value.span)
        };
        let change = Change::new(ChangeKind::NodeChanged, both.scope, message)
            .node(both.key)
            .field(&field.split('.').map(|key| Segment::Key(key.to_owned())).list())
            .values(was, is)
            .spans(place(both.entries.0), place(both.entries.1));
        self.changes.push(change);
    }

    /// The graphs inside a node that is on both sides.
    fn inside(&mut self, before: (usize, usize), after: (usize, usize)) {
        let who = self.who;
        let (Some(old), Some(new)) = (who.node(Side::Before, before), who.node(Side::After, after)) else {
            return;
        };
        let scope = who.graph(Side::After, after.0).map_or("", |graph| graph.scope.as_str());
        for inside in who.inside(before, after) {
            let was = inside
                .before
                .and_then(|at| Some((old.nested.get(at)?, who.child(Side::Before, before, at)?)));
            let is =
                inside.after.and_then(|at| Some((new.nested.get(at)?, who.child(Side::After, after, at)?)));
            let named = |nested: &crate::graph::Nested| {
                if nested.name.is_empty() {
                    format!("the graph under `{}`", nested.key)
                } else {
                    format!("branch {}", name(&nested.name))
                }
            };
            let change = match (&was, &is) {
                (Some((a, _)), Some((b, _))) if a.name != b.name || a.key != b.key => {
                    let message = format!("{} of {} is {} now", named(a), name(&new.key), named(b));
                    Some(
                        Change::new(ChangeKind::GraphRenamed, scope, message)
                            .spans(Some(a.name_span), Some(b.name_span)),
                    )
                }
                (None, Some((b, _))) => {
                    let message = format!("{} of {} is new", named(b), name(&new.key));
                    Some(Change::new(ChangeKind::GraphAdded, scope, message).spans(None, Some(b.name_span)))
                }
                (Some((a, _)), None) => {
                    let message = format!("{} of {} is gone", named(a), name(&new.key));
                    Some(Change::new(ChangeKind::GraphRemoved, scope, message).spans(Some(a.name_span), None))
                }
                _ => None,
            };
            let (then, now) =
                (was.as_ref().map(|(nested, _)| *nested), is.as_ref().map(|(nested, _)| *nested));
            if let Some(change) = change {
                let shown = |nested: Option<&crate::graph::Nested>| {
                    nested.map(|one| Json::from(if one.name.is_empty() { one.key } else { &one.name }))
                };
                self.changes.push(change.node(&new.key).values(shown(then), shown(now)));
            }
            if let (Some((_, a)), Some((_, b))) = (was, is) {
                self.described(a, b, &new.key);
                self.graph(a, b);
            }
        }
    }

    /// What a graph inside a node says of itself.
    fn described(&mut self, before: usize, after: usize, node: &str) {
        let who = self.who;
        let map =
            |side: Side, scope| who.graph(side, scope).and_then(|graph| who.plans[side as usize].map(graph));
        let (Some(was), Some(is)) = (map(Side::Before, before), map(Side::After, after)) else { return };
        let scope = who.graph(Side::After, after).map_or("", |graph| graph.scope.as_str());
        for difference in super::given::others(was, is, &["start", "nodes", "edges", "layout"]) {
            let change = Change::new(ChangeKind::GraphChanged, scope, sentence(&difference, scope))
                .node(node)
                .field(&difference.path)
                .values(difference.before.map(Spanned::to_json), difference.after.map(Spanned::to_json))
                .spans(difference.before_span(), difference.after_span());
            self.changes.push(change);
        }
    }
}

/// The value of a key, unless it is absent or null.
pub(super) fn given<'a>(map: &'a Spanned, key: &str) -> Option<&'a Spanned> {
    map.get(key).map(|entry| &entry.value).filter(|value| !value.is_null())
}

/// What differs somewhere, in words.
pub(super) fn sentence(found: &Difference<'_>, of: &str) -> String {
    let what = format!(
        "`{}`{}",
        path(&found.path),
        if of.is_empty() { String::new() } else { format!(" of {}", name(of)) }
    );
    let short = |json: &Json| value(json).map_or_else(|| described(json), |shown| shown);
    match (found.before.map(Spanned::to_json), found.after.map(Spanned::to_json)) {
        (Some(was), Some(is)) => format!("{what} {}", instead(&was, &is)),
        (None, Some(is)) => format!("{what} is new: {}", short(&is)),
        (Some(was), None) => format!("{what} is gone: {}", short(&was)),
        (None, None) => what,
    }
}

/// What a node does, in a few words.
fn does(node: &Node) -> String {
    match &node.tool {
        Some(tool) if node.kind == "tool" => format!("with the tool {}", name(&tool.name)),
        _ => format!("of type {}", name(&node.kind)),
    }
}
