//! The run's state, visible on any tab or without the panel.

use super::super::dom::{on_media, reveal_soon};
use super::super::icon::{self, icon};
use super::super::store::Store;
use super::control::run_new_plan;
use super::follow::current_node;
use super::outcome::{not_started, plain_failure_text};
use crate::i18n::{Localized, Run as W, format_message};
use crate::page_layout::{PageLayout, Pane, Panel};
use crate::run::{RunState, duration};
use leptos::prelude::*;
use stepgraph_lazy::lazy;

/// Empty before a run.
#[component]
pub fn RunStatus(
    /// Page state.
    store: Store,
) -> impl IntoView {
    // The run's tab shows the reason of a failure.
    let has_tab = move || store.panel.get() == Panel::Run && store.layout.with(PageLayout::has_open_panel);
    let status = Memo::new(move |_| run_status(store, !has_tab()));
    Effect::new(move || document().set_title(&page_title(store)));
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

/// As in `shell.css`.
const NARROW: &str = "(max-width: 760px), (max-height: 500px) and (max-width: 1100px)";

/// In the header of a narrow page, which shows one pane at a time: the run's state, and the way to it.
#[component]
pub fn RunLink(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let status = Memo::new(move |_| state_text(store));
    let is_hidden = move || status.get().is_none() || store.pane.get() == Pane::Panel;
    let fate = move || status.get().map(|(fate, _)| fate);
    let text = move || status.get().map(|(_, text)| text);
    // The reason has no space. A tap shows it.
    let reason = Memo::new(move |_| {
        let (_, text) = status.get().filter(|(fate, _)| *fate == "failed")?;
        reason(store, &text)
    });
    let whole = move || Some([text()?, reason.get().unwrap_or_default()].concat());
    let open = move |_| {
        store.panel.set(Panel::Run);
        store.pane.set(Pane::Panel);
        // Inputs may push it out of sight.
        reveal_soon(".run .ending".to_owned());
    };
    let is_narrow = RwSignal::new(false);
    on_media(NARROW, move |is| is_narrow.set(is));
    view! {
        <Show when=move || is_narrow.get()>
            <button type="button" class="run-link" data-fate=fate aria-label=whole title=whole hidden=is_hidden on:click=open>
                <span class="dot" aria-hidden="true">"●"</span> <span class="text">{text}</span>
                {icon(icon::RIGHT)}
            </button>
        </Show>
    }
}

lazy! {
    fn reason(store: Store, text: &str) -> Option<String> = failure_reason;
}

/// Of a failed run, to append to its state, unless that ends with it.
fn failure_reason(store: Store, text: &str) -> Option<String> {
    let lang = store.lang.get();
    let why = store.runs.with(|run, _| run.outcome().map(|ended| plain_failure_text(store, ended, lang)))?;
    (!text.ends_with(why.as_str())).then(|| [": ", &why].concat())
}

/// Of the tab: what needs the user, and the plan.
fn page_title(store: Store) -> String {
    let urgent = state_text(store).filter(|(fate, _)| {
        // A failure of an earlier version of the plan is no news.
        *fate == "waiting" || *fate == "failed" && !is_outdated(store)
    });
    let name = Some(store.share.name.get()).filter(|name| !name.is_empty());
    let parts = [urgent.map(|(_, text)| text), name, Some("Stepgraph".to_owned())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn is_outdated(store: Store) -> bool {
    store.overlay.with(|overlay| overlay.is_outdated)
}

fn run_status(store: Store, has_reason: bool) -> Option<(&'static str, String)> {
    let (fate, mut text) = state_text(store)?;
    if has_reason && fate == "failed" {
        text.push_str(&reason(store, &text).unwrap_or_default());
    }
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
                None => match current_node(store) {
                    Some(node_path) => say(W::StandsPausedAt, &[&node_path]),
                    None => say(W::Stands, &[]),
                },
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
            if let Some(rejected) = run.rejected_node() {
                return Some(("rejected", say(W::StandsRejected, &[rejected, &duration(ended.ms)])));
            }
            if let Some(text) = not_started(store, ended, lang) {
                return Some(("failed", text));
            }
            Some(match (ended.outcome.as_str(), &ended.node_path) {
                ("completed", _) => ("done", say(W::StandsCompleted, &[&duration(ended.ms)])),
                ("failed", Some(node_path)) => ("failed", say(W::StandsFailedAt, &[node_path])),
                ("failed", None) => {
                    ("failed", say(W::StandsFailed, &[&plain_failure_text(store, ended, lang)]))
                }
                _ => ("abandoned", say(W::StandsStopped, &[])),
            })
        }),
    }
}
