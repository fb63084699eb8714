//! A plan's saved breakpoints, stubs, input and speed, by its id. Stubs that come with it replace saved ones. Keys and
//! tokens are never saved.

use super::super::dom::{load_setting, save_setting};
use super::super::js_bridge;
use super::super::share::embed::is_embedded;
use super::super::store::{Store, TextPaneEvent};
use super::control::edit_stubs;
use super::state::RunInputs;
use crate::i18n::{Lang, Localized, Shell, spanish};
use crate::run::RunState;
use leptos::prelude::*;
use serde_json::{Value as Json, json};
use stepgraph_core::json::parse;
use stepgraph_core::value::json_text;

/// The first visit's plan has stubs, so it runs at once.
const WELCOME: &str = "triage";

const WELCOME_STUBS: &str = include_str!("../../../../examples/triage.stubs.yaml");

/// Its input and its stubs.
fn welcome_example(lang: Lang) -> (&'static str, &'static str) {
    let stubs = spanish::example().filter(|_| lang == Lang::Es).map_or(WELCOME_STUBS, |[_, stubs]| stubs);
    (Shell::ExampleInput.text(lang), stubs)
}

/// Restores the new plan's settings.
fn plan_opened(store: Store) {
    discard_run(store);
    restore(store);
}

/// Ends any run.
pub fn discard_run(store: Store) {
    js_bridge::discard_run();
    let runs = store.runs;
    runs.clear();
    runs.state.set(RunState::Idle);
    runs.test_results.set(None);
    runs.is_testing.set(false);
    runs.stubs_problem.set(None);
    runs.starts_when_ready.set(false);
}

fn id_of(store: Store) -> String {
    store.read(|editor| editor.plan().and_then(|plan| plan.id.clone()).unwrap_or_default())
}

/// Restores settings, saves changes.
pub fn persist(store: Store) {
    restore(store);
    store.listen_to_changes(move |event| {
        if matches!(event, TextPaneEvent::Opened(_)) {
            plan_opened(store);
        }
    });
    Effect::new(move |before: Option<()>| {
        let inputs = store.runs.inputs.get();
        // Stubs belong to plan and link.
        if store.share.stubs.with_untracked(|stubs| *stubs != inputs.stubs) {
            store.share.stubs.set(inputs.stubs.clone());
        }
        let breakpoints: Vec<_> = store.runs.breakpoints.get().into_iter().collect();
        if before.is_some() && !is_embedded() {
            let text = json_text(
                &json!({"input": inputs.input, "stubs": inputs.stubs, "pace": inputs.delay_ms, "stops": breakpoints}),
            );
            save_setting(&storage_key(&id_of(store)), &text);
        }
    });
}

fn storage_key(id: &str) -> String {
    ["stepgraph.run.", id].concat()
}

#[derive(Debug, Default)]
struct Example {
    input: String,
    stubs: String,
}

/// The plan's first test. Only an embedded plan runs with its stubs: its readers have no tools of their own.
fn example_of(store: Store) -> Example {
    let first_test = store.read(|editor| {
        let plan = editor.plan()?;
        let tests = plan.graph_map(&plan.root)?.get("tests")?.value.to_json();
        tests.as_array()?.first().cloned()
    });
    let Some(test) = first_test else { return Example::default() };
    let text = |value: &Json| value.as_str().map_or_else(|| json_text(value), str::to_owned);
    let stubs = test.get("stubs").filter(|_| is_embedded()).map(json_text);
    // A plan whose inputs all have defaults shows what they do. Its tests may need others.
    let has_defaults = store.read(|editor| {
        let inputs = editor.plan().map(|plan| plan.inputs.as_slice()).unwrap_or_default();
        !inputs.is_empty() && inputs.iter().all(|(_, schema)| schema.get("default").is_some())
    });
    let input = test.get("input").filter(|_| stubs.is_some() || !has_defaults).map(text);
    Example { input: input.unwrap_or_default(), stubs: stubs.unwrap_or_default() }
}

fn restore(store: Store) {
    let id = id_of(store);
    // Embedded plans of one site share a storage.
    let saved = if is_embedded() { None } else { load_setting(&storage_key(&id)) };
    let known = saved.and_then(|text| parse(&text)).unwrap_or_default();
    let text = |name: &str| known.get(name).and_then(Json::as_str).map(str::to_owned);
    let is_welcome = id == WELCOME;
    let (welcome_input, welcome_stubs) = welcome_example(store.lang.get_untracked());
    let example = example_of(store);
    if is_embedded() {
        js_bridge::offer_demo_tools(example.stubs.is_empty());
    }
    let first = |welcome: &str, example: String| if is_welcome { welcome.to_owned() } else { example };
    let pace = known.get("pace").and_then(Json::as_u64).and_then(|pace| u32::try_from(pace).ok());
    let brought = store.share.stubs.get_untracked();
    let is_brought = !brought.is_empty();
    let stubs = if is_brought {
        brought
    } else {
        text("stubs").unwrap_or_else(|| first(welcome_stubs, example.stubs))
    };
    let is_plain = stubs.is_empty();
    store.share.stubs.set(stubs.clone());
    let input = text("input").unwrap_or_else(|| first(welcome_input, example.input));
    store.runs.inputs.set(RunInputs { input, stubs, delay_ms: pace.unwrap_or_default() });
    let breakpoints = known.get("stops").and_then(Json::as_array).into_iter().flatten();
    store.runs.breakpoints.set(breakpoints.filter_map(Json::as_str).map(str::to_owned).collect());
    store.runs.pinned.update(std::collections::BTreeSet::clear);
    // Shows pins. If there are no stubs, their code need not load.
    if !is_plain && (is_brought || text("stubs").is_some()) {
        edit_stubs(store, json!({}));
    }
}
