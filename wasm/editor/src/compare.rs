//! JavaScript bindings to compare plans and to merge three versions.
//!
//! The core does the work. The bindings convert offsets to UTF-16 units of the text that contains them.

use crate::patterns::patterns;
use serde_json::{Value as Json, json};
use stepgraph_authoring::compare::{Change, Conflict, MergeResult, compare, merge};
use stepgraph_codec::capabilities::HostCapabilities;
use stepgraph_codec::diagnostics::{diagnostic_json, span_json};
use stepgraph_codec::json;
use stepgraph_core::diagnostic::{Diagnostic, Span};
use stepgraph_core::graph::{Parsed, PlanGraph};
use stepgraph_core::source::LineIndex;
use wasm_bindgen::prelude::wasm_bindgen;

/// Compares two plans. Returns JSON `{same, changes, diagnostics: {before, after}}`.
///
/// A plan with errors cannot be compared. Then `same` is null, and the diagnostics contain the errors.
#[wasm_bindgen]
pub fn compare_plans(before: &str, after: &str, format: &str, host: &str) -> String {
    let format = json::parse_format(format);
    let (old, new) = (PlanGraph::parse(before, format), PlanGraph::parse(after, format));
    let lines = [LineIndex::new(before), LineIndex::new(after)];
    let sound = |parsed: &Parsed| parsed.graph.as_ref().filter(|plan| plan.is_sound()).cloned();
    let found = (sound(&old).zip(sound(&new))).map(|(old, new)| {
        compare(&old, &new, Some(&HostCapabilities::from_json(host).into_capabilities(patterns())))
    });
    let deltas = |parsed: &Parsed, lines: &LineIndex<'_>| diagnostics_json(&parsed.diagnostics, lines);
    let [first, second] = &lines;
    let diagnostics = json!({"before": deltas(&old, first), "after": deltas(&new, second)});
    let changes = found.as_ref().map(|found| found.changes.as_slice()).unwrap_or_default();
    let changes: Vec<Json> = changes.iter().map(|change| change_json(change, &lines)).collect();
    json!({"same": found.map(|found| found.is_same()), "changes": changes, "diagnostics": diagnostics})
        .to_string()
}

/// Merges three versions. Returns JSON `{text, conflicts, diagnostics}`.
#[wasm_bindgen]
pub fn merge_plans(base: &str, ours: &str, theirs: &str, format: &str) -> String {
    let MergeResult { text, conflicts, diagnostics: problems } =
        merge(base, ours, theirs, json::parse_format(format));
    let lines = [base, ours, theirs, text.as_str()].map(LineIndex::new);
    let conflicts: Vec<Json> = conflicts.iter().map(|conflict| conflict_json(conflict, &lines)).collect();
    let [.., merged] = &lines;
    json!({"text": text, "conflicts": conflicts, "diagnostics": diagnostics_json(&problems, merged)})
        .to_string()
}

fn diagnostics_json(problems: &[Diagnostic], lines: &LineIndex<'_>) -> Json {
    problems.iter().map(|diagnostic| diagnostic_json(diagnostic, lines)).collect()
}

fn change_json(change: &Change, [before, after]: &[LineIndex<'_>; 2]) -> Json {
    let spans = [("before", change.before_span, before), ("after", change.after_span, after)];
    with_spans(change.to_json(), &spans)
}

fn conflict_json(conflict: &Conflict, lines: &[LineIndex<'_>; 4]) -> Json {
    let names = ["base", "ours", "theirs", "text"];
    let spans = names.into_iter().zip(conflict.spans).zip(lines);
    let spans: Vec<_> = spans.map(|((name, span), lines)| (name, span, lines)).collect();
    with_spans(conflict.to_json(), &spans)
}

/// Adds `spans` in UTF-16 units, each of its own text.
fn with_spans(mut json: Json, spans: &[(&str, Option<Span>, &LineIndex<'_>)]) -> Json {
    let shown = |(name, span, lines): &(&str, Option<Span>, &LineIndex<'_>)| {
        span.map(|span| ((*name).to_owned(), span_json(span, lines)))
    };
    if let Some(map) = json.as_object_mut() {
        map.insert("spans".to_owned(), Json::Object(spans.iter().filter_map(shown).collect()));
    }
    json
}
