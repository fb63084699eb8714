//! Saves a run as a test with chosen expectations. The runner makes it and removes secrets, as `stepgraph runs to-test`
//! does.

use super::super::store::{Store, t};
use super::control::send;
use crate::i18n::{Localized, Run as W};
use crate::run::Run;
use leptos::prelude::*;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// Expected by default.
const CHOSEN: [&str; 3] = ["outcome", "last", "path"];
const MAX_OUTPUTS: usize = 24;

/// Expectations and save buttons.
#[component]
pub fn SaveTest(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let chosen = RwSignal::new(CHOSEN.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>());
    let outputs = Memo::new(move |_| store.runs.with(|run, _| output_names(run)));
    let save = move |into: bool| {
        let expect: Vec<String> = chosen.get_untracked().into_iter().collect();
        let plan = store.read(|editor| editor.text().to_owned());
        send(&json!({"type": "to-test", "plan": plan, "expect": expect, "into": into}));
    };
    let choice = move |name: String, label: Signal<String>| {
        let (shown, changed) = (name.clone(), name);
        let turn = move |_| {
            chosen.update(|chosen| {
                if !chosen.remove(&changed) {
                    chosen.insert(changed.clone());
                }
            });
        };
        view! {
            <label>
                <input type="checkbox" prop:checked=move || chosen.with(|chosen| chosen.contains(&shown)) on:change=turn/>
                <span>{label}</span>
            </label>
        }
    };
    let named = move |name: &str, word: W| {
        choice(name.to_owned(), Signal::derive(move || word.text(store.lang.get()).to_owned()))
    };
    let output = move |name: String| {
        let label = name.clone();
        let name = ["outputs.", &name].concat();
        choice(name, Signal::derive(move || [W::OutputOf.text(store.lang.get()), " ", &label].concat()))
    };
    let is_empty = move || chosen.with(BTreeSet::is_empty);
    view! {
        <details class="save-test">
            <summary>{t(store, W::SaveAsTest)}</summary>
            <p class="about">{t(store, W::SaveTestHint)}</p>
            <fieldset>
                <legend>{t(store, W::TestExpects)}</legend>
                {named("outcome", W::ExpectOutcome)} {named("last", W::ExpectLast)} {named("path", W::ExpectPath)}
                {named("calls", W::ExpectCalls)}
                {move || outputs.get().into_iter().map(output).collect_view()}
            </fieldset>
            <div class="row">
                <button type="button" class="main" disabled=is_empty on:click=move |_| save(true)>{t(store, W::TestIntoPlan)}</button>
                <button type="button" disabled=is_empty on:click=move |_| save(false)>{t(store, W::DownloadTest)}</button>
            </div>
        </details>
    }
}

/// Names the outputs of the top graph, each once.
fn output_names(run: &Run) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for visit in run.visits() {
        let name = &*visit.node_path;
        if !name.contains('/') && !names.iter().any(|known| known == name) && names.len() < MAX_OUTPUTS {
            names.push(name.to_owned());
        }
    }
    names
}

/// Adds it, or shows the problem.
pub fn test_made(store: Store, message: &Json) {
    let lang = store.lang.get_untracked();
    if let Some(problem) = message.get("problem").and_then(Json::as_str) {
        return store.notify(problem, true);
    }
    let Some(test) = message.get("test") else { return };
    if store.change(|editor, now| editor.add_test(test, now)) {
        store.notify(W::TestAdded.text(lang), false);
    }
}
