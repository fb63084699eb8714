//! Tests and stubs of the plan.

use super::super::store::{Store, t};
use super::control::{edit_stubs, run_tests, send, start_test};
use crate::i18n::{Localized, Run as W, format_message};
use crate::run::{Difference, TestResult, duration, one_line};
use leptos::prelude::*;
use serde_json::json;
use stepgraph_core::graph::PlanGraph;

/// Shown characters.
const SHORT: usize = 200;

/// Tests and stubs.
#[component]
pub fn TestsTab(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let runs = store.runs;
    let results = move || match runs.test_results.get() {
        None => view! { <TestList store/> }.into_any(),
        Some(Err(problem)) => view! { <p class="failure" role="alert">{problem}</p> }.into_any(),
        Some(Ok(results)) if results.is_empty() => {
            view! { <p class="empty">{t(store, W::NoTests)}</p> }.into_any()
        }
        Some(Ok(results)) => view! { <Results store results/> }.into_any(),
    };
    view! {
        <div class="run tests">
            <div class="row">
                <button type="button" class="main" disabled=move || runs.is_testing.get() on:click=move |_| run_tests(store)>{t(store, W::RunTests)}</button>
            </div>
            {results}
            <StubsEditor store/>
        </div>
    }
}

/// The plan's tests before they run.
#[component]
fn TestList(store: Store) -> impl IntoView {
    let names =
        Memo::new(move |_| store.with_text(|editor| editor.plan().map(test_names).unwrap_or_default()));
    let test = move |name: String| {
        let start = name.clone();
        view! {
            <li>
                <p>
                    <span class="name">{name}</span>
                    <button type="button" on:click=move |_| start_test(store, &start)>{t(store, W::TestRun)}</button>
                </p>
            </li>
        }
    };
    move || {
        let names = names.get();
        if names.is_empty() {
            return view! { <p class="empty">{t(store, W::NoTests)}</p> }.into_any();
        }
        view! { <ul class="results" aria-label=t(store, W::Tests)>{names.into_iter().map(test).collect_view()}</ul> }
            .into_any()
    }
}

fn test_names(plan: &PlanGraph) -> Vec<String> {
    let document = plan.graphs().first().and_then(|graph| plan.graph_map(graph));
    let tests = document.and_then(|map| map.get("tests")?.value.as_list()).unwrap_or_default();
    let names = tests.iter().filter_map(|test| test.get("name")?.value.to_json().as_str().map(str::to_owned));
    names.collect()
}

#[component]
fn Results(store: Store, results: Vec<TestResult>) -> impl IntoView {
    let passed = results.iter().filter(|result| result.passed).count();
    let counts = [passed.to_string(), (results.len() - passed).to_string()];
    let summary =
        move || format_message(W::TestsDone.text(store.lang.get()), &counts.each_ref().map(String::as_str));
    view! {
        <p class="summary">{summary}</p>
        <ul class="results" aria-label=t(store, W::Tests)>{results.into_iter().map(|result| one(store, result)).collect_view()}</ul>
    }
}

fn one(store: Store, result: TestResult) -> impl IntoView {
    let (sign, word, fate) =
        if result.passed { ("✓", W::Passed, "done") } else { ("✕", W::TestFailed, "failed") };
    let name = result.name.clone();
    let differences = result.differences.iter().map(|difference| differs(store, difference)).collect_view();
    view! {
        <li data-fate=fate>
            <p>
                <span class="dot" aria-hidden="true">{sign}</span> <span class="unseen">{t(store, word)} ": "</span>
                <span class="name">{result.name}</span> <span class="took">{duration(result.ms)}</span>
                <button type="button" on:click=move |_| start_test(store, &name)>{t(store, W::TestRun)}</button>
            </p>
            <ul class="differences">{differences}</ul>
        </li>
    }
}

fn differs(store: Store, difference: &Difference) -> impl IntoView + use<> {
    view! {
        <li>
            <code class="place">{difference.path.clone()}</code>
            <span class="expected">{t(store, W::Expected)} " " <code>{one_line(&difference.expected.text, SHORT)}</code></span>
            <span class="got">{t(store, W::Got)} " " <code>{one_line(&difference.got.text, SHORT)}</code></span>
        </li>
    }
}

/// Edited here, pinned in visits, saved for the command line.
#[component]
fn StubsEditor(store: Store) -> impl IntoView {
    let inputs = store.runs.inputs;
    let typed = move |event| inputs.update(|inputs| inputs.stubs = event_target_value(&event));
    let save = move |_| {
        let text = inputs.with_untracked(|inputs| inputs.stubs.clone());
        send(
            &json!({"type": "save-text", "name": "plan.stubs.yaml", "kind": "application/yaml", "text": text}),
        );
    };
    let problem = move || {
        store.runs.stubs_problem.get().map(|problem| view! { <p class="failure" role="alert">{problem}</p> })
    };
    view! {
        <section class="stubs">
            <label class="field">
                <span class="name">{t(store, W::Stubs)}</span>
                <textarea
                    class="code"
                    rows="10"
                    spellcheck="false"
                    prop:value=move || inputs.with(|inputs| inputs.stubs.clone())
                    on:input=typed
                    on:change=move |_| edit_stubs(store, json!({}))
                ></textarea>
                <span class="about">{t(store, W::StubsHint)}</span>
            </label>
            {problem}
            <div class="row"><button type="button" on:click=save>{t(store, W::SaveStubs)}</button></div>
        </section>
    }
}
