//! A run's trace and its files.

use super::super::language::engine_text;
use super::super::store::{Store, t};
use super::control::{replay, send, show_recorded};
use super::visit_status::{show_visit, status_icon, status_text};
use crate::i18n::{Lang, Run as W, Share as Shared};
use crate::run::{Outcome, Visit, VisitStatus, duration, one_line};
use leptos::prelude::*;
use serde_json::json;

/// Up to the position.
const MAX_LINES: usize = 300;
const MAX_VALUE_CHARS: usize = 160;

/// Trace tab.
#[component]
pub fn TraceTab(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let file = move |word: W, what: serde_json::Value| {
        view! { <button type="button" on:click=move |_| send(&what)>{t(store, word)}</button> }
    };
    let lines = move || {
        let lang = store.lang.get();
        let lines = store.runs.with(|run, at| lines(run, at, lang));
        let line = |(at_ms, id, node_path, status, text): Line| {
            let name = node_path.clone();
            view! {
                <li>
                    <span class="from">{duration(at_ms)}</span>
                    <span class="dot" aria-hidden="true">{status_icon(status)}</span>
                    <button type="button" on:click=move |_| show_visit(store, &node_path, id)>{name}</button>
                    <span class="state">{t(store, if status == VisitStatus::Running { W::Started } else { status_text(status) })}</span>
                    <code>{text}</code>
                </li>
            }
        };
        lines.into_iter().map(line).collect_view()
    };
    view! {
        <div class="run trace">
            <div class="row">
                {file(W::SaveReport, json!({"type": "file", "which": "report"}))}
                {file(W::SaveTrace, json!({"type": "file", "which": "trace"}))}
                {file(W::SaveCassette, json!({"type": "save-cassette"}))}
                <button type="button" on:click=move |_| replay()>{t(store, W::LoadCassette)}</button>
                <RecordedRunButton store/>
            </div>
            <ol class="events" aria-label=t(store, W::Trace)>{lines}</ol>
        </div>
    }
}

/// Shows the recorded run.
#[component]
pub fn RecordedRunButton(
    /// Page state.
    store: Store,
) -> impl IntoView {
    view! {
        <Show when=move || !store.share.cassette.with(String::is_empty)>
            <button type="button" on:click=move |_| show_recorded(store)>{t(store, Shared::ShowRecorded)}</button>
        </Show>
    }
}

/// Time, visit, node path, status, value.
type Line = (f64, usize, String, VisitStatus, String);

fn lines(run: &crate::run::Run, at: usize, lang: Lang) -> Vec<Line> {
    let begun = run.visits().partition_point(|visit| visit.start_event < at);
    let first = begun.saturating_sub(MAX_LINES);
    let mut lines: Vec<(usize, Line)> = Vec::new();
    for (id, visit) in run.visits().iter().enumerate().take(begun).skip(first) {
        let node_path = visit.node_path.to_string();
        lines.push((
            visit.start_event,
            (
                visit.start_ms,
                id,
                node_path.clone(),
                VisitStatus::Running,
                one_line(&visit.input.text, MAX_VALUE_CHARS),
            ),
        ));
        if let (Some((event, ms)), Some(status)) =
            (visit.ended.filter(|(event, _)| *event < at), run.visit_status(visit, at))
        {
            lines.push((event, (ms, id, node_path, status, outcome_text(visit, lang))));
        }
    }
    lines.sort_by_key(|(event, _)| *event);
    let last = lines.len().saturating_sub(MAX_LINES);
    lines.into_iter().skip(last).map(|(_, line)| line).collect()
}

fn outcome_text(visit: &Visit, lang: Lang) -> String {
    match &visit.end {
        Outcome::Done(value) => one_line(&value.text, MAX_VALUE_CHARS),
        Outcome::Failed { code, message } => [code, ": ", &engine_text(lang, code, message)].concat(),
        Outcome::Abandoned => String::new(),
    }
}
