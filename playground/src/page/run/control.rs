//! Controls runs, and applies the runner's messages.

use super::super::dom::find;
use super::super::js_bridge::{on_runner_message, send_to_runner};
use super::super::language::engine_text;
use super::super::share::when_allowed;
use super::super::store::Store;
use super::outcome::{not_started, plain_failure_text};
use super::overlay::{build_overlay, draw_overlay, remember_plan};
use super::{follow, history, save_test};
use crate::i18n::{Localized, Run as W, format_message};
use crate::page_layout::{PageLayout, Pane, Panel, Splitter};
use crate::run::question_fields::parse_run_input;
use crate::run::{CostEstimate, MessageResult, RunState, StubEntry, apply_entries, duration};
use crate::run_overlay::RunOverlay;
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::*;
use serde_json::{Value as Json, json};
use stepgraph_core::json::parse;
use stepgraph_core::value::json_text;
use stepgraph_lazy::lazy;

/// At a run's start, in pixels.
const MIN_PANEL_HEIGHT: f64 = 320.0;

/// Applies the runner's messages.
pub fn listen(store: Store) {
    let heard = Closure::<dyn Fn(String)>::new(move |line: String| on_message(store, &line));
    on_runner_message(&heard.into_js_value());
    Effect::new(move |_| draw_overlay(store));
    Effect::new(move |_| follow::follow(store));
    history::persist(store);
}

/// Sends a message.
pub fn send(message: &Json) {
    send_to_runner(&json_text(message));
}

/// Starts when allowed. `paused` stops before the first node.
pub fn start(store: Store, paused: bool) {
    start_run(store, json!({"type": "start", "paused": paused}), None);
}

fn start_anew(store: Store) {
    start(store, false);
}

/// Runs a test.
pub fn start_test(store: Store, name: &str) {
    start_run(store, json!({"type": "start", "test": name}), None);
}

/// Changes an answer, or retries the failed call.
pub fn fork(store: Store, change: &Json) {
    start_run(store, json!({"type": "fork", "cassette": [], "change": change}), None);
}

/// `next` follows the start, which may wait for the user's consent.
fn start_run(store: Store, mut message: Json, next: Option<Json>) {
    store.commit_typing();
    let runs = store.runs;
    when_allowed(store, move || {
        let selected = runs.inputs.get_untracked();
        let breakpoints: Vec<_> =
            runs.breakpoints.with_untracked(|breakpoints| breakpoints.iter().cloned().collect());
        if let Some(map) = message.as_object_mut() {
            let is_fork = map.get("type").and_then(Json::as_str) == Some("fork");
            map.insert("plan".into(), Json::String(store.read(|editor| editor.text().to_owned())));
            map.insert("stubs".into(), Json::String(selected.stubs));
            map.insert("breakpoints".into(), json!(breakpoints));
            map.insert("pace".into(), selected.delay_ms.into());
            if !is_fork {
                map.insert("input".into(), run_input(store, &selected.input));
            }
        }
        let parent = runs.shown_run.get_untracked().filter(|_| message.get("type") == Some(&"fork".into()));
        runs.recorded_parent.set_value(Some(parent));
        runs.shown_run.set(None);
        follow::begin(store);
        runs.clear();
        // An error of an earlier run is no news of this one.
        if store.notice.with_untracked(|notice| notice.as_ref().is_some_and(|notice| notice.is_error)) {
            store.notice.set(None);
        }
        runs.text_version.set_value(store.text_version.get_untracked());
        remember_plan(store);
        runs.state.set(RunState::Running);
        show_panel(store, Panel::Run);
        enlarge_panel(store);
        send(&message);
        if let Some(next) = &next {
            send(next);
        }
    });
}

/// Declared inputs need an object, which an earlier plan's text is not.
fn run_input(store: Store, text: &str) -> Json {
    let declares = store.read(|editor| editor.plan().is_some_and(|plan| !plan.inputs.is_empty()));
    let input = parse_run_input(text);
    if declares && !input.is_object() { parse_run_input("") } else { input }
}

/// Lets the user choose a file, which then plays.
pub fn replay() {
    send(&json!({"type": "load-cassette"}));
}

/// The plan's recorded run.
pub fn show_recorded(store: Store) {
    show_run(store, &store.share.cassette.get_untracked());
}

/// Makes no calls, so needs no consent.
pub fn show_run(store: Store, cassette: &str) {
    history::leave(store);
    follow::begin(store);
    remember_plan(store);
    let plan = store.read(|editor| editor.text().to_owned());
    show_panel(store, Panel::Run);
    enlarge_panel(store);
    send(&json!({"type": "replay", "plan": plan, "cassette": cassette}));
}

/// Starts or resumes.
pub fn start_or_resume(store: Store) {
    if store.runs.is_active_untracked() {
        if store.overlay.with_untracked(|overlay| overlay.is_outdated) {
            say_plan_is_earlier(store);
        }
        control_run("resume");
    } else {
        start(store, false);
    }
}

/// Narrow pages may not show the bar that says so.
fn say_plan_is_earlier(store: Store) {
    let text = W::ResumesEarlierPlan.text(store.lang.get_untracked());
    if find(".run-status").is_some_and(|bar| bar.offset_parent().is_some()) {
        store.announce(text);
    } else {
        store.notify(text, false);
    }
}

/// If no run exists, starts one paused.
pub fn step(store: Store, over: bool) {
    if store.runs.is_active() {
        send(&json!({"type": "step", "over": over}));
    } else {
        start(store, true);
    }
}

/// `pause`, `resume` or `stop`.
pub fn control_run(what: &str) {
    send(&json!({"type": what}));
}

/// Runs to the selected node.
pub fn run_to_selected(store: Store) {
    let Some(node_path) = store.read(|editor| editor.selection().only_node().map(str::to_owned)) else {
        return;
    };
    let run_to = json!({"type": "run-to", "nodePath": node_path});
    if store.runs.is_active() {
        send(&run_to);
    } else {
        start_run(store, json!({"type": "start", "paused": true}), Some(run_to));
    }
}

/// Toggles breakpoints.
pub fn toggle_breakpoint(store: Store) {
    let node_paths: Vec<String> =
        store.read(|editor| editor.selection().nodes().map(str::to_owned).collect());
    store.runs.breakpoints.update(|breakpoints| {
        for node_path in node_paths {
            if !breakpoints.remove(&node_path) {
                breakpoints.insert(node_path);
            }
        }
    });
    let breakpoints: Vec<_> =
        store.runs.breakpoints.with_untracked(|breakpoints| breakpoints.iter().cloned().collect());
    if store.runs.is_active() {
        send(&json!({"type": "breakpoints", "nodePaths": breakpoints}));
    }
}

/// Runs all tests.
pub fn run_tests(store: Store) {
    when_allowed(store, move || {
        store.runs.is_testing.set(true);
        send(&json!({"type": "tests", "plan": store.read(|editor| editor.text().to_owned())}));
    });
}

/// `pin`, `fill`, or a request of pins.
pub fn edit_stubs(store: Store, mut change: Json) {
    if let Some(map) = change.as_object_mut() {
        map.insert("type".into(), "stubs".into());
        map.insert("plan".into(), Json::String(store.read(|editor| editor.text().to_owned())));
        map.insert(
            "stubs".into(),
            Json::String(store.runs.inputs.with_untracked(|inputs| inputs.stubs.clone())),
        );
    }
    send(&change);
}

/// Timelines need more than problems.
fn enlarge_panel(store: Store) {
    store.layout.update(|layout| {
        if layout.size(Splitter::Bottom) < MIN_PANEL_HEIGHT {
            *layout = layout.with_size(Splitter::Bottom, MIN_PANEL_HEIGHT);
        }
    });
}

/// Panel tab.
pub fn show_panel(store: Store, panel: Panel) {
    set_if_new(store.panel, panel);
    store.layout.maybe_update(PageLayout::show_panel);
}

/// Spares the effects of an equal value.
fn set_if_new<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}

lazy! {
    fn on_message(store: Store, line: &str) = apply_message;

    /// The run on the canvas.
    pub fn overlay(store: Store) -> RunOverlay = build_overlay;

    /// Also during a run of an earlier version, which ends.
    pub fn run_new_plan(store: Store) = start_anew;
}

fn apply_message(store: Store, line: &str) {
    let Some(message) = parse(line) else { return };
    let runs = store.runs;
    match message.get("type").and_then(Json::as_str) {
        Some("stubs") => return stubs_changed(store, &message),
        Some("cassette") => {
            return show_run(store, message.get("text").and_then(Json::as_str).unwrap_or_default());
        }
        Some("test-made") => return save_test::test_made(store, &message),
        Some("cost") => return runs.cost.set(CostEstimate::from_message(&message)),
        Some("recording") => return recording_received(store, &message),
        _ => {}
    }
    match runs.apply_message(&message) {
        None => {}
        Some(MessageResult::Events | MessageResult::Updates) => draw_next_frame(store),
        Some(MessageResult::QuestionsChanged) => questions_changed(store),
        Some(MessageResult::State(state)) => state_changed(store, state),
        Some(MessageResult::Ended) => {
            runs.mark_changed();
            history::record(store);
            announce_outcome(store);
        }
        Some(MessageResult::TestsFinished(results)) => {
            runs.is_testing.set(false);
            announce_test_results(store, &results);
            runs.test_results.set(Some(results));
        }
        Some(MessageResult::Value(event, text, _)) => {
            runs.full_value.set(usize::try_from(event).ok().map(|event| (event, text)));
        }
    }
}

/// All elements of a `map` may ask at once.
fn questions_changed(store: Store) {
    draw_next_frame(store);
    if store.runs.read(|run, _| run.questions().is_empty()) {
        return;
    }
    show_panel(store, Panel::Run);
    // Narrow pages show one pane, and the run waits for an answer.
    set_if_new(store.pane, Pane::Panel);
    store.announce(W::AsksPerson.text(store.lang.get_untracked()));
}

fn state_changed(store: Store, state: RunState) {
    let lang = store.lang.get_untracked();
    match &state {
        RunState::Paused { node_path: Some(node_path), .. } => {
            store.announce(format_message(W::PausedAt.text(lang), &[node_path]));
        }
        RunState::Paused { .. } => store.announce(W::Paused.text(lang)),
        RunState::Running | RunState::Idle => {}
    }
    // A replay replaces the previous run.
    if state == RunState::Running && store.runs.read(|run, _| run.outcome().is_some()) {
        store.runs.clear();
    }
    store.runs.mark_changed();
    store.runs.state.set(state);
}

fn stubs_changed(store: Store, message: &Json) {
    let changes = message.get("changes").and_then(Json::as_array).into_iter().flatten();
    let changes: Vec<_> = changes.filter_map(StubEntry::from_message).collect();
    let done = store.runs.inputs.with_untracked(|inputs| apply_entries(&inputs.stubs, &changes));
    let problem = message.get("problem").and_then(Json::as_str).map(str::to_owned);
    match done {
        Ok(text) => {
            let places = message.get("pinned").and_then(Json::as_array).into_iter().flatten();
            store.runs.pinned.set(places.filter_map(Json::as_str).map(str::to_owned).collect());
            if store.runs.inputs.with_untracked(|inputs| inputs.stubs != text) {
                store.runs.inputs.update(|inputs| inputs.stubs = text);
            }
            store.runs.stubs_problem.set(problem);
        }
        // Unwritten stubs are not pinned.
        Err(refused) => {
            let what = [&refused.message, refused.help.as_deref().unwrap_or_default()];
            let lang = store.lang.get_untracked();
            let what = what.map(|text| engine_text(lang, refused.code.slug(), text)).join(": ");
            store.runs.stubs_problem.set(problem.or(Some(what)));
        }
    }
    if store.runs.starts_when_ready.get_untracked() {
        store.runs.starts_when_ready.set(false);
        start(store, false);
    }
}

/// A link gets it, unless the text has changed since the start. A replayed recording may be of another plan.
fn recording_received(store: Store, message: &Json) {
    let cassette = message.get("cassette").and_then(Json::as_str).unwrap_or_default();
    store.runs.recording.set_value(cassette.to_owned());
    let is_replay = store.runs.recorded_parent.with_value(Option::is_none);
    if !is_replay && store.runs.text_version.get_value() == store.text_version.get_untracked() {
        store.share.cassette.set(cassette.to_owned());
    }
}

fn announce_outcome(store: Store) {
    let lang = store.lang.get_untracked();
    let said = store.runs.read(|run, _| {
        let ended = run.outcome()?;
        if let Some(node) = run.rejected_node() {
            return Some(format_message(W::StandsRejected.text(lang), &[node, &duration(ended.ms)]));
        }
        Some(match ended.outcome.as_str() {
            "completed" => format_message(W::Completed.text(lang), &[&duration(ended.ms)]),
            "cancelled" => W::Cancelled.text(lang).to_owned(),
            _ => not_started(store, ended, lang).unwrap_or_else(|| {
                format_message(W::RunFailed.text(lang), &[&plain_failure_text(store, ended, lang)])
            }),
        })
    });
    if let Some(message) = said {
        store.announce(message);
    }
}

fn announce_test_results(store: Store, results: &Result<Vec<crate::run::TestResult>, String>) {
    let lang = store.lang.get_untracked();
    let message = match results {
        Ok(results) => {
            let passed = results.iter().filter(|result| result.passed).count();
            format_message(
                W::TestsDone.text(lang),
                &[&passed.to_string(), &(results.len() - passed).to_string()],
            )
        }
        Err(problem) => problem.clone(),
    };
    store.announce(message);
}

/// All events of a frame together.
fn draw_next_frame(store: Store) {
    if store.runs.is_draw_scheduled.get_untracked() {
        return;
    }
    store.runs.is_draw_scheduled.set(true);
    request_animation_frame(move || {
        store.runs.is_draw_scheduled.set(false);
        store.runs.mark_changed();
    });
}
