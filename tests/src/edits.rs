//! The cases of `suite/edits`.

use crate::files::{files_below, folder};
use serde_json::Value as Json;
use std::path::PathBuf;
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::source::edit::{Change, EditedText, edit};
use stepgraph_core::source::{Format, parse};
use stepgraph_core::value::Segment;

/// A missing or invalid file yields an empty list, which the test of the cases detects.
fn cases_of_file(name: &str) -> Vec<Json> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/edits").join(name);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let file: Json = serde_yaml::from_str(&text).unwrap_or_default();
    file["cases"].as_array().cloned().unwrap_or_default()
}

/// Returns the document edits.
pub fn cases() -> Vec<Json> {
    cases_of_file("changes.yaml")
}

/// Returns the plan edits.
pub fn plan_cases() -> Vec<Json> {
    cases_of_file("graph.yaml")
}

/// Applies a case's plan edits.
pub fn apply_plan_edits(case: &Json) -> Result<EditedText, Box<Diagnostic>> {
    let text = case["text"].as_str().unwrap_or_default();
    let edits = case["edits"].as_array().into_iter().flatten();
    let edits: Result<Vec<GraphEdit>, _> = edits.map(GraphEdit::from_json).collect();
    stepgraph_authoring::edit::edit(text, Format::Auto, &edits?)
}

/// Returns a case's change, if any.
pub fn change(case: &Json) -> Option<Change> {
    let step = |step: &Json| match step.as_u64() {
        Some(at) => Some(Segment::Index(usize::try_from(at).ok()?)),
        None => Some(Segment::Key(step.as_str()?.to_owned())),
    };
    let at = |what: &str| -> Option<Vec<Segment>> { case[what].as_array()?.iter().map(step).collect() };
    let number = |what: &str| case[what].as_u64().and_then(|n| usize::try_from(n).ok());
    let key = || case["key"].as_str().unwrap_or_default().to_owned();
    let value = || case["value"].clone();
    None.or_else(|| Some(Change::Set { path: at("set")?, value: value() }))
        .or_else(|| Some(Change::Insert { path: at("insert")?, before: number("before"), value: value() }))
        .or_else(|| Some(Change::Remove { path: at("remove")? }))
        .or_else(|| Some(Change::Rename { path: at("rename")?, key: key() }))
        .or_else(|| Some(Change::Move { path: at("move")?, to: number("to")? }))
        .or_else(|| Some(Change::Copy { path: at("copy")?, key: key() }))
}

/// Applies a case's change.
pub fn apply_change(case: &Json) -> Result<EditedText, Box<Diagnostic>> {
    let text = case["text"].as_str().unwrap_or_default();
    edit(text, Format::Auto, change(case).as_slice())
}

/// Returns the valid YAML and JSON texts of these folders and of `STEPGRAPH_YAML`.
pub fn real_texts(folders: &[&str]) -> Vec<String> {
    let mut all: Vec<PathBuf> = folders.iter().map(|name| folder(name)).collect();
    all.extend(std::env::var_os("STEPGRAPH_YAML").map(PathBuf::from));
    let paths: Vec<PathBuf> =
        all.iter().flat_map(|folder| files_below(folder, &["yaml", "yml", "json"])).collect();
    let texts = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let is_good = |text: &String| {
        let document = parse(text, Format::Auto);
        let good = !document.diagnostics.iter().any(Diagnostic::is_error) && text.len() < 200_000;
        good && document.root.is_some()
    };
    texts.filter(is_good).collect()
}

/// Returns all plans of this repository, including the suites'.
pub fn real_plans() -> Vec<String> {
    let is_plan = |text: &String| {
        let root = parse(text, Format::Auto).root;
        root.is_some_and(|root| root.get("nodes").is_some_and(|nodes| nodes.value.as_map().is_some()))
    };
    real_texts(&["examples", "core/flows", "tests/suite"]).into_iter().filter(is_plan).collect()
}
