//! The run's state, visible on any tab or without the panel.

use super::super::store::Store;
use super::control::run_new_plan;
use super::follow::current_node;
use super::outcome::failure_text;
use crate::i18n::{Localized, Run as W, format_message};
use crate::run::{RunState, duration};
use leptos::prelude::*;

/// Empty before a run.
#[component]
pub fn RunStatus(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let status = Memo::new(move |_| run_status(store));
    let fate = move || status.get().map(|(fate, _)| fate);
    let text = move || status.get().map(|(_, text)| text);
    let new_plan = move || if store.runs.is_active() { W::StopAndRunNewPlan } else { W::RunNewPlan };
    view! {
        <div class="run-status" data-fate=fate hidden=move || status.get().is_none()>
            <p title=text><span class="dot" aria-hidden="true">"●"</span> " " {text}</p>
            // A run that continues keeps its plan.
            <button type="button" hidden=move || !is_outdated(store) on:click=move |_| run_new_plan(store)>
                {move || new_plan().text(store.lang.get())}
            </button>
        </div>
    }
}

fn is_outdated(store: Store) -> bool {
    store.overlay.with(|overlay| overlay.is_outdated)
}

fn run_status(store: Store) -> Option<(&'static str, String)> {
    let (fate, mut text) = state_text(store)?;
    if is_outdated(store) {
        let word = if store.runs.is_active() { W::GoesOnEarlier } else { W::PlanChanged };
        text = [&text, " · ", word.text(store.lang.get())].concat();
    }
    Some((fate, text))
}

fn state_text(store: Store) -> Option<(&'static str, String)> {
    let lang = store.lang.get();
    let say = |word: W, values: &[&str]| format_message(word.text(lang), values);
    let asks = store.runs.with(|run, _| run.questions().first().map(|question| question.node_path.clone()));
    match (store.runs.state.get(), asks) {
        (RunState::Paused { node_path, why }, _) => {
            let reason = match why.as_str() {
                "breakpoint" => W::ByBreakpoint,
                "step" => W::ByStep,
                _ => W::ByPause,
            };
            let place = match node_path {
                Some(node_path) => say(W::StandsBefore, &[&node_path]),
                None => say(W::Stands, &[]),
            };
            Some(("waiting", [&place, " · ", reason.text(lang)].concat()))
        }
        (RunState::Running, Some(node_path)) if node_path.is_empty() => {
            Some(("waiting", say(W::StandsAsking, &[])))
        }
        (RunState::Running, Some(node_path)) => Some(("waiting", say(W::StandsAsks, &[&node_path]))),
        (RunState::Running, None) => Some((
            "running",
            match current_node(store) {
                Some(node_path) => say(W::StandsAt, &[&node_path]),
                None => say(W::StandsRunning, &[]),
            },
        )),
        (RunState::Idle, _) => store.runs.with(|run, _| {
            let ended = run.outcome()?;
            Some(match (ended.outcome.as_str(), &ended.node_path) {
                ("completed", _) => ("done", say(W::StandsCompleted, &[&duration(ended.ms)])),
                ("failed", Some(node_path)) => ("failed", say(W::StandsFailedAt, &[node_path])),
                ("failed", None) => ("failed", say(W::StandsFailed, &[&failure_text(store, ended, lang)])),
                _ => ("abandoned", say(W::StandsStopped, &[])),
            })
        }),
    }
}
