//! A run's outcome and next actions.

use super::super::dispatch;
use super::super::key_events;
use super::super::language::engine_text;
use super::super::problems::with_code;
use super::super::store::{Store, t};
use super::control::{edit_stubs, fork};
use super::save_test::SaveTest;
use crate::i18n::{Lang, Localized, Run as W, format_message};
use crate::keyboard::Focus;
use crate::run::{EdgeTexts, Problem, RunOutcome, Totals, duration, one_line, usd};
use leptos::prelude::*;
use serde_json::json;

/// What stubs provide.
const STUBBED: [&str; 3] = ["graph/unknown-type", "graph/unknown-tool", "graph/unknown-model"];
const MAX_OUTPUT_CHARS: usize = 160;

/// Outcome and running totals.
#[component]
pub fn RunOutcomeView(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let ended = Memo::new(move |_| store.runs.with(|run, _| run.outcome().cloned()));
    let totals = Memo::new(move |_| store.runs.with(crate::run::Run::totals));
    view! {
        <div class="ending">
            {move || ended.get().map(|ended| view! { <OutcomeDetail store ended/> })}
            <span class="totals">{move || totals_text(store, totals.get())}</span>
        </div>
    }
}

fn totals_text(store: Store, totals: Totals) -> String {
    let lang = store.lang.get();
    let text = |counts: &[String], word: W| {
        format_message(word.text(lang), &counts.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let counted = |count: usize, one: W, several: W| {
        if count == 1 { one.text(lang).to_owned() } else { text(&[count.to_string()], several) }
    };
    let sums = [
        counted(totals.visits, W::OneNodeVisit, W::NodeVisits),
        counted(totals.calls, W::OneCall, W::Calls),
        counted(totals.retries, W::OneRetry, W::Retries),
    ]
    .join(" · ");
    if totals.tokens == [0; 3] {
        return sums;
    }
    #[expect(clippy::cast_precision_loss, reason = "no run costs a billion dollars")]
    let cost = totals.micro_usd.map(|micro_usd| [" · ", &usd(micro_usd as f64 / 1e6)].concat());
    let tokens = tokens_text(totals.tokens, lang);
    [&sums, " · ", &tokens, &cost.unwrap_or_default()].concat()
}

/// Input, output and cached input.
pub(super) fn tokens_text([input, output, cached]: [u64; 3], lang: Lang) -> String {
    let (output, cached) = (output.to_string(), cached.to_string());
    if input == 1 {
        return format_message(W::TokensOfOne.text(lang), &[&output, &cached]);
    }
    format_message(W::TokensOf.text(lang), &[&input.to_string(), &output, &cached])
}

#[component]
fn OutcomeDetail(store: Store, ended: RunOutcome) -> impl IntoView {
    let rejected = untrack(|| store.runs.read(|run, _| run.rejected_node().map(str::to_owned)));
    let outcome = match ended.outcome.as_str() {
        _ if rejected.is_some() => "rejected",
        "completed" => "done",
        "failed" => "failed",
        _ => "abandoned",
    };
    // Stopped runs and refused plans are no tests.
    let is_refused = matches!(ended.code.as_deref(), Some("run/invalid-plan" | "run/plan-changed"));
    let can_test = outcome != "abandoned" && !is_refused;
    let code = ended.code.clone().unwrap_or_default();
    let mut errors = ended.problems.iter().filter(|problem| problem.is_error).peekable();
    let needs_others = code == "run/invalid-plan"
        && errors.peek().is_some()
        && errors.all(|problem| STUBBED.contains(&problem.code.as_str()));
    let (took, described) = (duration(ended.ms), ended.clone());
    let headline = Signal::derive(move || {
        let lang = store.lang.get();
        match outcome {
            "done" => format_message(W::Completed.text(lang), &[&took]),
            "failed" => not_started(store, &described, lang).unwrap_or_else(|| {
                format_message(W::RunFailed.text(lang), &[&failure_text(store, &described, lang)])
            }),
            "rejected" => {
                let node = rejected.as_deref().unwrap_or_default();
                format_message(W::StandsRejected.text(lang), &[node, &took])
            }
            _ => W::Cancelled.text(lang).to_owned(),
        }
    });
    // The bar above says how it ended.
    let heading =
        (outcome == "failed").then(|| view! { <strong>{move || with_code(&headline.get())}</strong> });
    let last = (ended.outcome == "completed").then(|| {
        let text = one_line(&ended.last.text, MAX_OUTPUT_CHARS);
        view! { <span>{t(store, W::LastOutput)}</span> <code class="last">{text}</code> }
    });
    let place = match failed_edge(store) {
        Some((.., name)) => Some(view! { <GoToEdge store name/> }.into_any()),
        None => ended.node_path.clone().map(|node_path| view! { <GoTo store node_path/> }.into_any()),
    };
    let can_retry = untrack(|| store.runs.read(|run, _| run.has_failed_call()));
    let again = (outcome == "failed" && can_retry).then(|| {
        view! { <button type="button" on:click=move |_| fork(store, &json!({}))>{t(store, W::Retry)}</button> }
    });
    let help = needs_others.then(|| {
        let press = move |_| {
            store.runs.starts_when_ready.set(true);
            edit_stubs(store, json!({"fill": true}));
        };
        view! { <button type="button" class="main" title=t(store, W::StubHint) on:click=press>{t(store, W::Stub)}</button> }
    });
    let problems = ended.problems.iter().map(|problem| problem_view(store, problem)).collect_view();
    let code = (!code.is_empty()).then(|| view! { <code class="code">{code}</code> });
    view! {
        <div class="outcome" data-fate=outcome role="group" aria-label=move || headline.get().replace('`', "")>
            {heading} {code} {last} {place} {again} {help}
        </div>
        {can_test.then(|| view! { <SaveTest store/> })}
        <ul class="problems" hidden=ended.problems.is_empty()>{problems}</ul>
    }
}

fn problem_view(store: Store, problem: &Problem) -> impl IntoView + use<> {
    let (code, message) = (problem.code.clone(), problem.message.clone());
    let said = move || with_code(&engine_text(store.lang.get(), &code, &message));
    let code = problem.code.clone();
    let help = problem.help.clone().map(|help| {
        move || {
            let lang = store.lang.get();
            with_code(&format_message(W::Help.text(lang), &[&engine_text(lang, &code, &help)]))
        }
    });
    let place = problem
        .location
        .clone()
        .filter(|node_path| !node_path.contains('#'))
        .map(|node_path| view! { <GoTo store node_path/> });
    view! {
        <li data-severity=if problem.is_error { "error" } else { "warning" }>
            <code>{problem.code.clone()}</code> " " {said} " " <span class="help">{help}</span> " " {place}
        </li>
    }
}

const OTHER_PLAN: &str = "the plan has changed since the cassette was recorded: ";

/// For a plan whose errors kept it from running. The page may know more of them than the run, which has to parse first.
pub(super) fn not_started(store: Store, ended: &RunOutcome, lang: Lang) -> Option<String> {
    let own = ended.problems.iter().filter(|problem| problem.is_error).count();
    let is_current = store.runs.text_version.get_value() == store.text_version.get_untracked();
    let known = store
        .read(|editor| editor.document().diagnostics().iter().filter(|problem| problem.is_error()).count());
    let count = if is_current && own > 0 { own.max(known) } else { own };
    match (ended.code.as_deref(), count) {
        (Some("run/invalid-plan"), 1) => Some(W::NotStartedOne.text(lang).to_owned()),
        (Some("run/invalid-plan"), 2..) => {
            Some(format_message(W::NotStarted.text(lang), &[&count.to_string()]))
        }
        _ => None,
    }
}

/// The engine speaks of cassettes, and names a condition by its position in the file.
pub(super) fn failure_text(store: Store, ended: &RunOutcome, lang: Lang) -> String {
    let code = ended.code.as_deref().unwrap_or_default();
    let message = ended.message.as_deref().unwrap_or_default();
    if let Some(differences) = message.strip_prefix(OTHER_PLAN) {
        return format_message(W::OtherPlan.text(lang), &[differences]);
    }
    // The prefix of the message would only repeat that the run failed.
    if code == "run/invalid-plan"
        && let Some((node_path, problem)) = first_node_error(ended)
    {
        return [node_path, ": ", &engine_text(lang, &problem.code, &problem.message)].concat();
    }
    let ends = store.runs.read(|run, _| {
        let (decision, edge) = run.failed_condition()?;
        let place = ["in `edges[", &edge.to_string(), "].condition`: "].concat();
        let why = message.strip_prefix(&place)?;
        let (from, to) = ends_of(store, &decision.scope, edge)?;
        let why = engine_text(lang, code, why);
        Some(format_message(W::ConditionOf.text(lang), &[&from, &to, &why]))
    });
    ends.unwrap_or_else(|| engine_text(lang, code, message))
}

/// The first error, if it is a node's.
fn first_node_error(ended: &RunOutcome) -> Option<(&str, &Problem)> {
    let problem = ended.problems.iter().find(|problem| problem.is_error)?;
    let node_path = problem.location.as_deref().filter(|location| !location.contains('#'))?;
    Some((node_path, problem))
}

/// Like [`failure_text`], without the backticks around code, for texts that can't format it.
pub(super) fn plain_failure_text(store: Store, ended: &RunOutcome, lang: Lang) -> String {
    failure_text(store, ended, lang).replace('`', "")
}

fn ends_of(store: Store, scope: &str, edge: usize) -> Option<(String, String)> {
    let own = |(from, to): (&str, &str)| (from.to_owned(), to.to_owned());
    store.runs.read(|run, _| run.plan.edges.ends(scope, edge).map(own))
}

/// The edge whose condition ended the run, in the open plan.
fn failed_edge(store: Store) -> Option<(String, usize, String)> {
    let (scope, edge) = store
        .runs
        .read(|run, _| run.failed_condition().map(|(decision, edge)| (decision.scope.to_string(), edge)))?;
    let (from, to) = ends_of(store, &scope, edge)?;
    let now = store.read(|editor| editor.plan().map(EdgeTexts::from_plan)).unwrap_or_default();
    let at = store.runs.read(|run, _| now.index_of_ran(&run.plan.edges, &scope, edge))?;
    Some((scope, at, [&from, " → ", &to].concat()))
}

#[component]
fn GoToEdge(store: Store, name: String) -> impl IntoView {
    let press = move |_| {
        // An edit may have moved it.
        let Some((scope, edge, _)) = untrack(|| failed_edge(store)) else { return };
        store.update_selection(|editor| editor.select_edge(&scope, edge, false));
        key_events::focus_on(store, &Focus::Edge(scope, edge));
    };
    view! { <button type="button" class="goto" on:click=press>{move || format_message(W::GoTo.text(store.lang.get()), &[&name])}</button> }
}

#[component]
fn GoTo(store: Store, node_path: String) -> impl IntoView {
    let name = node_path.clone();
    let press = move |_| {
        store.update_selection(|editor| editor.select_node(&node_path, false));
        dispatch::focus_on_selected(store);
    };
    view! { <button type="button" class="goto" on:click=press>{move || format_message(W::GoTo.text(store.lang.get()), &[&name])}</button> }
}
