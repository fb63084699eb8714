//! JavaScript bindings to compare plans and to merge three versions.

use crate::patterns::patterns;
use serde_json::{Value as Json, json};
use stepgraph_authoring::compare::{Change, Conflict, MergeResult, compare, merge};
use stepgraph_codec::capabilities::HostCapabilities;
use stepgraph_codec::diagnostics::diagnostic_json;
use stepgraph_codec::files::plan_files;
use stepgraph_codec::json;
use stepgraph_core::diagnostic::{Diagnostic, Span};
use stepgraph_core::graph::{Parsed, PlanGraph};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::SourceIndex;
use wasm_bindgen::prelude::wasm_bindgen;

/// Compares two plans and the files that they may run (JSON). Returns JSON
/// `{same, changes, diagnostics: {before, after}}`.
///
/// If a plan has errors, `same` is null. An unknown file is compared only by path.
#[wasm_bindgen]
pub fn compare_plans(
    before: &str,
    after: &str,
    format: &str,
    host: &str,
    before_files: &str,
    after_files: &str,
) -> String {
    let parse = |text: &str, files: &str| {
        let mut files = plan_files(files);
        files.is_optional = true;
        PlanGraph::parse_with(text, json::parse_format(format), NameTable::default(), &files)
    };
    let (old, new) = (parse(before, before_files), parse(after, after_files));
    let good = |parsed: &Parsed| parsed.graph.as_ref().filter(|plan| plan.errors().is_empty()).cloned();
    let found = (good(&old).zip(good(&new))).map(|(old, new)| {
        compare(&old, &new, Some(&HostCapabilities::from_json(host).into_capabilities(patterns())))
    });
    let sides = [Side::new(&old, before), Side::new(&new, after)];
    let [first, second] = &sides;
    let diagnostics = json!({
        "before": diagnostics_json(&old.diagnostics, &first.index),
        "after": diagnostics_json(&new.diagnostics, &second.index),
    });
    let changes = found.as_ref().map(|found| found.changes.as_slice()).unwrap_or_default();
    let changes: Vec<Json> = changes.iter().map(|change| change_json(change, &sides)).collect();
    json!({"same": found.map(|found| found.is_same()), "changes": changes, "diagnostics": diagnostics})
        .to_string()
}

struct Side<'p> {
    plan: Option<&'p PlanGraph>,
    index: SourceIndex<'p>,
}

impl<'p> Side<'p> {
    fn new(parsed: &'p Parsed, text: &'p str) -> Self {
        let plan = parsed.graph.as_ref();
        Self { plan, index: plan.map_or_else(|| SourceIndex::new(text), PlanGraph::source_index) }
    }

    /// A span in a file becomes that of the path to it.
    fn own_span(&self, span: Span) -> Span {
        self.plan.and_then(|plan| plan.path_span(span.start)).unwrap_or(span)
    }
}

/// Merges three versions. Returns JSON `{text, conflicts, diagnostics}`.
#[wasm_bindgen]
pub fn merge_plans(base: &str, ours: &str, theirs: &str, format: &str) -> String {
    let MergeResult { text, conflicts, diagnostics: problems } =
        merge(base, ours, theirs, json::parse_format(format));
    let lines = [base, ours, theirs, text.as_str()].map(SourceIndex::new);
    let conflicts: Vec<Json> = conflicts.iter().map(|conflict| conflict_json(conflict, &lines)).collect();
    let [.., merged] = &lines;
    json!({"text": text, "conflicts": conflicts, "diagnostics": diagnostics_json(&problems, merged)})
        .to_string()
}

fn diagnostics_json(problems: &[Diagnostic], index: &SourceIndex<'_>) -> Json {
    problems.iter().map(|diagnostic| diagnostic_json(diagnostic, index)).collect()
}

fn change_json(change: &Change, [before, after]: &[Side<'_>; 2]) -> Json {
    let own = |side: &Side<'_>, span: Option<Span>| span.map(|span| side.own_span(span));
    let spans = [
        ("before", own(before, change.before_span), &before.index),
        ("after", own(after, change.after_span), &after.index),
    ];
    with_spans(change.to_json(), &spans)
}

fn conflict_json(conflict: &Conflict, lines: &[SourceIndex<'_>; 4]) -> Json {
    let names = ["base", "ours", "theirs", "text"];
    let spans = names.into_iter().zip(conflict.spans).zip(lines);
    let spans: Vec<_> = spans.map(|((name, span), lines)| (name, span, lines)).collect();
    with_spans(conflict.to_json(), &spans)
}

/// Offsets count in each span's own text.
fn with_spans(mut json: Json, spans: &[(&str, Option<Span>, &SourceIndex<'_>)]) -> Json {
    let shown = |(name, span, index): &(&str, Option<Span>, &SourceIndex<'_>)| {
        let span = index.to_utf16((*span)?);
        Some(((*name).to_owned(), json!({"start": span.start, "end": span.end})))
    };
    if let Some(map) = json.as_object_mut() {
        map.insert("spans".to_owned(), Json::Object(spans.iter().filter_map(shown).collect()));
    }
    json
}
