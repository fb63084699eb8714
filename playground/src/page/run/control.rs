//! Beginning, steering and ending a run, and hearing of it.
//!
//! Decides what each message of the runner changes on the page. Events are heard as they come and drawn once a picture.

use super::super::js_bridge::{run_listen, run_take};
use super::super::share::when_allowed;
use super::super::store::Store;
use crate::i18n::{Localized, Run as W, format_message};
use crate::page_layout::{Pane, Panel, Splitter};
use crate::run::question_fields::parse_run_input;
use crate::run::{EdgeTexts, MessageResult, RunState, StubEntry, apply_entries, duration};
use crate::run_overlay::{NodeStatus, RunOverlay};
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::*;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use stepgraph_core::json::parse;
use stepgraph_core::value::json_text;
use stepgraph_lazy::lazy;

/// How high the panel is at least when a run begins.
///
/// # Units
/// Pixels.
const ROOM: f64 = 320.0;

/// Listens to runs, and draws what they leave on the plan.
pub fn listen(store: Store) {
    let heard = Closure::<dyn Fn(String)>::new(move |line: String| hear(store, &line));
    run_listen(&heard.into_js_value());
    Effect::new(move |_| draw_marks(store));
}

/// Tells the runner something.
pub fn take(message: &Json) {
    run_take(&json_text(message));
}

/// Begins a run, once it may begin; `paused` before its first node.
pub fn start(store: Store, paused: bool) {
    begin(store, json!({"type": "start", "paused": paused}));
}

/// Begins a run as one of the tests beside the plan.
pub fn start_test(store: Store, name: &str) {
    begin(store, json!({"type": "start", "test": name}));
}

/// Goes on from the last run with one answer changed; with none, what failed is asked again.
pub fn fork(store: Store, change: &Json) {
    begin(store, json!({"type": "fork", "cassette": [], "change": change}));
}

fn begin(store: Store, mut message: Json) {
    store.settle();
    let runs = store.runs;
    when_allowed(store, move || {
        let chosen = runs.given.get_untracked();
        let stops: Vec<_> = runs.stops.with_untracked(|stops| stops.iter().cloned().collect());
        if let Some(map) = message.as_object_mut() {
            let is_fork = map.get("type").and_then(Json::as_str) == Some("fork");
            map.insert("plan".into(), Json::String(store.read(|session| session.text().to_owned())));
            map.insert("stubs".into(), Json::String(chosen.stubs));
            map.insert("breakpoints".into(), json!(stops));
            map.insert("pace".into(), chosen.pace.into());
            if !is_fork {
                map.insert("input".into(), parse_run_input(&chosen.input));
            }
        }
        runs.clear();
        runs.of_text.set(store.text.get_untracked());
        note_edges(store);
        runs.state.set(RunState::Running);
        show(store, Panel::Run);
        make_room(store);
        take(&message);
    });
}

/// Remembers which edges the plan has that runs now.
fn note_edges(store: Store) {
    store.runs.edges.set(store.read(|session| session.plan().map(EdgeTexts::from_plan)).unwrap_or_default());
}

/// Replays a recording that the person chooses.
pub fn replay(store: Store) {
    note_edges(store);
    let plan = store.read(|session| session.text().to_owned());
    take(&json!({"type": "load-cassette", "plan": plan}));
}

/// Shows the run that was recorded with the plan.
pub fn show_recorded(store: Store) {
    show_run(store, &store.share.cassette.get_untracked());
}

/// Shows a run of the plan that was recorded: makes no call, and so needs nobody's leave.
pub fn show_run(store: Store, cassette: &str) {
    note_edges(store);
    let plan = store.read(|session| session.text().to_owned());
    show(store, Panel::Run);
    make_room(store);
    take(&json!({"type": "replay", "plan": plan, "cassette": cassette}));
}

/// Begins a run, or goes on with one that is held.
pub fn start_or_resume(store: Store) {
    if store.runs.is_active() { steer("resume") } else { start(store, false) }
}

/// One node further; a run that is not there begins, and stands before its first node.
pub fn step(store: Store, over: bool) {
    if store.runs.is_active() {
        take(&json!({"type": "step", "over": over}));
    } else {
        start(store, true);
    }
}

/// `pause`, `resume` or `stop`.
pub fn steer(what: &str) {
    take(&json!({"type": what}));
}

/// Goes on to the selected node, or begins and stops there.
pub fn run_to_selected(store: Store) {
    let Some(place) = store.read(|session| session.selection().only_node().map(str::to_owned)) else {
        return;
    };
    if !store.runs.is_active() {
        start(store, true);
    }
    take(&json!({"type": "to", "place": place}));
}

/// Sets a breakpoint on each selected node, or takes it away.
pub fn turn_breakpoint(store: Store) {
    let places: Vec<String> = store.read(|session| session.selection().nodes().map(str::to_owned).collect());
    store.runs.stops.update(|stops| {
        for place in places {
            if !stops.remove(&place) {
                stops.insert(place);
            }
        }
    });
    let stops: Vec<_> = store.runs.stops.with_untracked(|stops| stops.iter().cloned().collect());
    if store.runs.is_active() {
        take(&json!({"type": "breakpoints", "places": stops}));
    }
}

/// Runs the tests beside the plan.
pub fn run_tests(store: Store) {
    when_allowed(store, move || {
        store.runs.is_testing.set(true);
        take(&json!({"type": "tests", "plan": store.read(|session| session.text().to_owned())}));
    });
}

/// Asks what the stand-ins pin; or changes them, with `pin` or `fill`.
pub fn stand_ins(store: Store, mut change: Json) {
    if let Some(map) = change.as_object_mut() {
        map.insert("type".into(), "stubs".into());
        map.insert("plan".into(), Json::String(store.read(|session| session.text().to_owned())));
        map.insert(
            "stubs".into(),
            Json::String(store.runs.given.with_untracked(|given| given.stubs.clone())),
        );
    }
    take(&change);
}

/// A timeline needs more room than a list of problems.
fn make_room(store: Store) {
    store.frame.update(|frame| {
        if frame.size(Splitter::Bottom) < ROOM {
            *frame = frame.with_size(Splitter::Bottom, ROOM);
        }
    });
}

/// Shows a tab of the panel below.
pub fn show(store: Store, panel: Panel) {
    store.panel.set(panel);
    store.frame.update(|frame| frame.is_open = true);
}

lazy! {
    /// A run has told something.
    fn hear(store: Store, line: &str) = heard;

    /// What a run, breakpoints and stand-ins have left on the drawing.
    fn marks_of(store: Store) -> RunOverlay = all_marks;
}

fn heard(store: Store, line: &str) {
    let Some(message) = parse(line) else { return };
    let runs = store.runs;
    match message.get("type").and_then(Json::as_str) {
        Some("stubs") => return heard_stubs(store, &message),
        Some("recorded") => return heard_recorded(store, &message),
        _ => {}
    }
    match runs.hear(&message) {
        None => {}
        Some(MessageResult::Events | MessageResult::Updates) => draw_soon(store),
        Some(MessageResult::QuestionsChanged) => {
            runs.draw();
            if runs.read(|run, _| !run.questions().is_empty()) {
                show(store, Panel::Run);
                // A narrow page shows one part at a time, and somebody waits for an answer.
                store.pane.set(Pane::Panel);
                store.say(W::AsksPerson.text(store.lang.get_untracked()));
            }
        }
        Some(MessageResult::State(state)) => heard_state(store, state),
        Some(MessageResult::Ended) => {
            runs.draw();
            say_ended(store);
        }
        Some(MessageResult::TestsFinished(results)) => {
            runs.is_testing.set(false);
            say_tested(store, &results);
            runs.tested.set(Some(results));
        }
        Some(MessageResult::Value(event, text, _)) => {
            runs.whole.set(usize::try_from(event).ok().map(|event| (event, text)));
        }
        Some(MessageResult::File(..)) => {}
    }
}

fn heard_state(store: Store, state: RunState) {
    let lang = store.lang.get_untracked();
    match &state {
        RunState::Paused { place: Some(place), .. } => {
            store.say(format_message(W::PausedAt.text(lang), &[place]))
        }
        RunState::Paused { .. } => store.say(W::Paused.text(lang)),
        RunState::Running | RunState::Idle => {}
    }
    // A recording that is replayed takes the place of the run before.
    if state == RunState::Running && store.runs.read(|run, _| run.outcome().is_some()) {
        store.runs.clear();
    }
    store.runs.draw();
    store.runs.state.set(state);
}

fn heard_stubs(store: Store, message: &Json) {
    let changes = message.get("changes").and_then(Json::as_array).into_iter().flatten();
    let changes: Vec<_> = changes.filter_map(StubEntry::from_message).collect();
    let done = store.runs.given.with_untracked(|given| apply_entries(&given.stubs, &changes));
    let problem = message.get("problem").and_then(Json::as_str).map(str::to_owned);
    match done {
        Ok(text) => {
            let places = message.get("pinned").and_then(Json::as_array).into_iter().flatten();
            store.runs.pinned.set(places.filter_map(Json::as_str).map(str::to_owned).collect());
            if store.runs.given.with_untracked(|given| given.stubs != text) {
                store.runs.given.update(|given| given.stubs = text);
            }
            store.runs.stubs_problem.set(problem);
        }
        // What can't be written is not pinned either.
        Err(refused) => {
            let what = [refused.message.as_str(), ": ", refused.help.as_deref().unwrap_or_default()].concat();
            store.runs.stubs_problem.set(problem.or(Some(what)));
        }
    }
    if store.runs.wants_start.get_untracked() {
        store.runs.wants_start.set(false);
        start(store, false);
    }
}

/// A run of this very text is kept with it, as long as nobody has typed since.
fn heard_recorded(store: Store, message: &Json) {
    let cassette = message.get("cassette").and_then(Json::as_str).unwrap_or_default();
    if store.runs.of_text.get_untracked() == store.text.get_untracked() {
        store.share.cassette.set(cassette.to_owned());
    }
}

fn say_ended(store: Store) {
    let lang = store.lang.get_untracked();
    let said = store.runs.read(|run, _| {
        let ended = run.outcome()?;
        Some(match ended.outcome.as_str() {
            "completed" => format_message(W::Completed.text(lang), &[&duration(ended.ms)]),
            "cancelled" => W::Cancelled.text(lang).to_owned(),
            _ => format_message(W::RunFailed.text(lang), &[ended.message.as_deref().unwrap_or_default()]),
        })
    });
    if let Some(said) = said {
        store.say(said);
    }
}

fn say_tested(store: Store, results: &Result<Vec<crate::run::TestResult>, String>) {
    let lang = store.lang.get_untracked();
    let said = match results {
        Ok(results) => {
            let passed = results.iter().filter(|result| result.passed).count();
            format_message(
                W::TestsDone.text(lang),
                &[&passed.to_string(), &(results.len() - passed).to_string()],
            )
        }
        Err(problem) => problem.clone(),
    };
    store.say(said);
}

/// Many events are one picture.
fn draw_soon(store: Store) {
    if store.runs.is_due.get_untracked() {
        return;
    }
    store.runs.is_due.set(true);
    request_animation_frame(move || {
        store.runs.is_due.set(false);
        store.runs.draw();
    });
}

/// Draws what a run has left on nodes and edges at the moment that is shown.
fn draw_marks(store: Store) {
    let runs = store.runs;
    let is_plain = runs.with(|run, _| run.is_empty())
        && runs.stops.with(BTreeSet::is_empty)
        && runs.pinned.with(BTreeSet::is_empty)
        && runs.state.with(|state| *state == RunState::Idle);
    let marks = if is_plain { RunOverlay::default() } else { marks_of(store) };
    if store.marks.with_untracked(|old| *old != marks) {
        store.marks.set(marks);
    }
}

fn all_marks(store: Store) -> RunOverlay {
    let runs = store.runs;
    let mut marks = runs.with(crate::run::Run::overlay);
    if runs.of_text.get() != store.text.get() && !marks.edges.is_empty() {
        let now = store.read(|session| session.plan().map(EdgeTexts::from_plan)).unwrap_or_default();
        marks.edges = runs.edges.with(|ran| {
            let moved = marks.edges.into_iter();
            moved
                .filter_map(|((scope, at), taken)| {
                    Some(((scope.clone(), now.index_of_ran(ran, &scope, at)?), taken))
                })
                .collect()
        });
    }
    let held = runs.state.with(|state| match state {
        RunState::Paused { place, .. } => place.clone(),
        RunState::Running | RunState::Idle => None,
    });
    if let Some(place) = held.filter(|_| runs.at.get().is_none()) {
        marks.nodes.entry(place).or_default().status = NodeStatus::Stopped;
    }
    for place in runs.stops.get() {
        marks.nodes.entry(place).or_default().has_breakpoint = true;
    }
    for place in runs.pinned.get() {
        marks.nodes.entry(place).or_default().is_pinned = true;
    }
    marks
}
