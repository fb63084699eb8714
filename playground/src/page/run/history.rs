//! The plan's ended runs. Invariant: an unstored history stays in the page, which says so.

use super::super::dom::{load_setting, reveal_opened, reveal_soon, try_save_setting};
use super::super::share::plans::format_time;
use super::super::store::{Store, TextPaneEvent, t};
use super::control::show_run;
use crate::i18n::{Localized, Run as W, format_message};
use crate::run::{RunHistory, RunRecord, RunStep, duration, first_difference, readable};
use leptos::prelude::*;

/// Loads each plan's history.
pub fn persist(store: Store) {
    load(store);
    store.listen_to_changes(move |event| {
        if matches!(event, TextPaneEvent::Opened(_)) {
            store.runs.recorded_parent.set_value(None);
            load(store);
        }
    });
    Effect::new(move |before: Option<String>| {
        let id = store.share.id.get();
        match before {
            // First save: the runs get the plan's id.
            Some(known) if known.is_empty() && !store.runs.history.with_untracked(is_empty) => save(store),
            Some(known) if known != id => load(store),
            _ => {}
        }
        id
    });
}

fn is_empty(history: &RunHistory) -> bool {
    history.records().is_empty()
}

/// Unsaved plans have none.
fn storage_key(store: Store) -> Option<String> {
    let id = store.share.id.get_untracked();
    (!id.is_empty()).then(|| ["stepgraph.runs.", &id].concat())
}

fn load(store: Store) {
    let stored = storage_key(store).and_then(|key| load_setting(&key)).unwrap_or_default();
    store.runs.history.set(RunHistory::from_text(&stored));
    store.runs.shown_run.set(None);
    store.runs.is_history_unsaved.set(false);
}

fn save(store: Store) {
    let Some(key) = storage_key(store) else { return };
    let text = store.runs.history.with_untracked(RunHistory::to_text);
    store.runs.is_history_unsaved.set(!try_save_setting(&key, &text));
}

/// Ended runs, but no replays.
pub fn record(store: Store) {
    let runs = store.runs;
    let recording = runs.recording.with_value(Clone::clone);
    runs.recording.set_value(String::new());
    let Some(parent) = runs.recorded_parent.get_value() else { return };
    runs.recorded_parent.set_value(None);
    let mut history = runs.history.get_untracked();
    let number = runs.read(|run, _| match run.visits() {
        // A refused plan had no run.
        [] => None,
        _ => history.add(run, parent, recording, js_sys::Date::now()),
    });
    if number.is_some() {
        runs.history.set(history);
        runs.shown_run.set(number);
        save(store);
    }
}

/// Shows something else.
pub fn leave(store: Store) {
    store.runs.recorded_parent.set_value(None);
    store.runs.shown_run.set(None);
}

fn show(store: Store, number: usize) {
    let kept = |history: &RunHistory| history.record(number).map(|record| record.cassette.clone());
    let cassette = store.runs.history.with_untracked(kept);
    if let Some(cassette) = cassette.filter(|cassette| !cassette.is_empty()) {
        show_run(store, &cassette);
        store.runs.shown_run.set(Some(number));
    }
}

/// Newest first, with a comparison of two.
#[component]
pub fn RunHistoryView(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let chosen = RwSignal::new(Vec::<usize>::new());
    let records = move || store.runs.history.with(|history| history.records().to_vec());
    let count = move || store.runs.history.with(|history| history.records().len());
    let rows =
        move || records().into_iter().rev().map(|record| view! { <Row store chosen record/> }).collect_view();
    let pair = move || {
        let (one, other) = match chosen.get().as_slice() {
            [one, other] => (*one.min(other), *one.max(other)),
            _ => return None,
        };
        store.runs.history.with(|history| history.record(one).cloned().zip(history.record(other).cloned()))
    };
    let comparison = move || pair().map(|(one, other)| view! { <Comparison store one other/> });
    view! {
        <details class="history" hidden=move || store.runs.history.with(is_empty) on:toggle=move |event| reveal_opened(&event)>
            <summary>{move || format_message(W::History.text(store.lang.get()), &[&count().to_string()])}</summary>
            <p role="alert" class="wrong" hidden=move || !store.runs.is_history_unsaved.get()>{t(store, W::HistoryUnsaved)}</p>
            <p class="about">{t(store, W::HistoryHint)}</p>
            <ul>{rows}</ul>
            {comparison}
        </details>
    }
}

#[component]
fn Row(store: Store, chosen: RwSignal<Vec<usize>>, record: RunRecord) -> impl IntoView {
    let RunRecord { number, parent, outcome, code, at_ms, ms, cassette, .. } = record;
    let fate = if outcome == "completed" { "done" } else { &outcome }.to_owned();
    let (took, number_text) = (duration(ms), number.to_string());
    let name = move || {
        let lang = store.lang.get();
        let name = format_message(W::RunNumber.text(lang), &[&number_text]);
        let fork = parent.map(|parent| format_message(W::ForkOf.text(lang), &[&parent.to_string()]));
        let how = match fate.as_str() {
            "done" => format_message(W::Completed.text(lang), &[&took]),
            "failed" => format_message(W::RunFailed.text(lang), &[&code]),
            "rejected" => [W::Rejected.text(lang), " · ", &took].concat(),
            _ => W::Cancelled.text(lang).to_owned(),
        };
        [Some(name), fork, Some(how)].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    };
    let is_current = move || (store.runs.shown_run.get() == Some(number)).then_some("true");
    let choose = move |_| {
        chosen.update(|chosen| match chosen.iter().position(|one| *one == number) {
            Some(at) => drop(chosen.remove(at)),
            None => {
                // A third choice drops the oldest.
                let extra = chosen.len().saturating_sub(1);
                chosen.drain(..extra);
                chosen.push(number);
            }
        });
    };
    let compares = move || chosen.with(|chosen| chosen.contains(&number)).to_string();
    view! {
        <li>
            <button type="button" aria-current=is_current disabled=move || cassette.is_empty() || store.runs.is_active() on:click=move |_| show(store, number)>{name}</button>
            <small>{move || ended_at(store, at_ms)}</small>
            <button type="button" aria-pressed=compares on:click=choose
                aria-label=move || format_message(W::CompareRun.text(store.lang.get()), &[&number.to_string()])>
                {t(store, W::Compare)}
            </button>
        </li>
    }
}

/// Empty for runs that earlier pages recorded.
fn ended_at(store: Store, at_ms: f64) -> String {
    if at_ms > 0.0 { format_time(store.lang.get(), at_ms) } else { String::new() }
}

#[component]
fn Comparison(store: Store, one: RunRecord, other: RunRecord) -> impl IntoView {
    let differs = first_difference(&one, &other);
    let names = [one.number, other.number].map(|number| number.to_string());
    let headline = {
        let names = names.clone();
        move || {
            let lang = store.lang.get();
            let word = if differs.is_some() { W::RunsDiffer } else { W::RunsAgree };
            let at = differs.map(|at| (at + 1).to_string()).unwrap_or_default();
            format_message(word.text(lang), &[&names[0], &names[1], &at])
        }
    };
    let cell = |step: Option<&RunStep>| {
        let (name, result) =
            step.map(|step| (step.node_path.clone(), readable(&step.result))).unwrap_or_default();
        view! { <td><strong>{name}</strong> " " <span>{result}</span></td> }
    };
    let rows = (0..one.steps.len().max(other.steps.len())).map(|at| {
        let is_first = differs == Some(at);
        view! {
            <tr data-first=is_first.then_some("true")>
                <th scope="row">{(at + 1).to_string()} {is_first.then(|| view! { " " <span>{t(store, W::FirstDifference)}</span> })}</th>
                {cell(one.steps.get(at))}
                {cell(other.steps.get(at))}
            </tr>
        }
    });
    let rows = rows.collect_view();
    let versions = [&one, &other].map(|record| record.plan_version().to_owned());
    let is_changed = versions.iter().all(|version| !version.is_empty()) && versions[0] != versions[1];
    let column = move |name: &str, record: &RunRecord, version: &str| {
        let (name, version, at_ms) = (name.to_owned(), version.to_owned(), record.at_ms);
        let title = move || format_message(W::RunNumber.text(store.lang.get()), &[&name]);
        let about = move || {
            let of = format_message(W::PlanVersion.text(store.lang.get()), &[&version]);
            let parts = [ended_at(store, at_ms), if version.is_empty() { String::new() } else { of }];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
        };
        view! { <th scope="col">{title} <small>{about}</small></th> }
    };
    let columns = [column(&names[0], &one, &versions[0]), column(&names[1], &other, &versions[1])];
    reveal_soon(".run .comparison".to_owned());
    view! {
        <div class="comparison">
            <p role="status"><strong>{headline}</strong></p>
            {is_changed.then(|| view! { <p>{t(store, W::PlanChangedBetween)}</p> })}
            <table>
                <thead><tr><td></td>{columns}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
