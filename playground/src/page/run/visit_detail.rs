//! A visit's input, calls, output and next edge. A selected edge comes first, then a chosen visit, then the selected
//! node's last.

use super::super::icon::{self, icon};
use super::super::language::engine_text;
use super::super::store::{Store, t};
use super::control::edit_stubs;
use super::edge_explanation::{EdgeExplanationView, decision_view};
use super::fork::ForkForm;
use super::outcome::tokens_text;
use super::values::ValueView;
use super::visit_status::{shown_visit, status_icon, status_id, status_text};
use crate::i18n::{Lang, Localized, Run as W, format_message};
use crate::run::{Call, Outcome, Run, Value, Visit, duration};
use leptos::prelude::*;
use serde_json::json;
use stepgraph_core::graph::scoped_name;
use stepgraph_core::json::parse;

/// Timeline detail.
#[component]
pub fn TimelineDetail(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let visit = Memo::new(move |_| shown_visit(store));
    let edge = Memo::new(move |_| {
        store.with_selection(|editor| {
            let alone = editor.selection().nodes().next().is_none();
            editor.selection().edges().next().filter(|_| alone).map(|(scope, edge)| (scope.to_owned(), edge))
        })
    });
    let contents = move || match (edge.get(), visit.get()) {
        (Some((scope, index)), _) => view! { <EdgeExplanationView store scope index/> }.into_any(),
        (None, Some(id)) => view! { <VisitDetail store id/> }.into_any(),
        (None, None) => view! { <p class="empty">{t(store, W::SelectVisit)}</p> }.into_any(),
    };
    view! { <section class="detail" aria-label=t(store, W::Values) tabindex="0">{contents}</section> }
}

/// A visit.
#[component]
pub fn VisitDetail(
    /// Page state.
    store: Store,
    /// Visit number.
    id: usize,
) -> impl IntoView {
    let runs = store.runs;
    // Rebuilt only after events that matter.
    let content = Memo::new(move |_| {
        runs.with(|run, at| {
            let visit = run.visit(id)?;
            let calls = run
                .calls_of(visit, at)
                .map(|call| (call.event, call.ended.is_some_and(|(event, _)| event < at)))
                .collect::<Vec<_>>();
            Some((
                run.visit_status(visit, at),
                calls,
                visit.retries.iter().filter(|retry| retry.event < at).count(),
                run.decision(visit, at).is_some(),
            ))
        })
    });
    let body = move || {
        // Memos notify their readers only.
        content.with(|_| ());
        let lang = store.lang.get();
        runs.read(|run, at| {
            let visit = run.visit(id)?;
            Some(view! {
                <VisitHeader store id/>
                <ValueView store name=W::Input value=visit.input.clone()/>
                {retries_view(store, visit, at, lang)}
                {run.calls_of(visit, at).map(|call| view! { <CallDetail store call=call.clone() is_over=call.ended.is_some_and(|(event, _)| event < at)/> }).collect_view()}
                {outcome_view(store, run, visit, at, lang)}
                {run.decision(visit, at).map(|decision| decision_view(store, decision, None))}
            })
        })
    };
    view! { <div class="visit">{body}</div> }
}

#[component]
fn VisitHeader(store: Store, id: usize) -> impl IntoView {
    let runs = store.runs;
    let go = move |by: isize| {
        let next = runs.read(|run, at| {
            let all = run.visits_of(&run.visit(id)?.node_path, at);
            let now = all.iter().position(|other| *other == id)?;
            all.get(now.checked_add_signed(by)?).copied()
        });
        if next.is_some() {
            runs.selected_visit.set(next);
        }
    };
    let node_path =
        runs.read(|run, _| run.visit(id).map(|visit| visit.node_path.to_string()).unwrap_or_default());
    let nth = move || {
        runs.with(|run, at| {
            let all = run.visits_of(&run.visit(id)?.node_path, at);
            let now = all.iter().position(|other| *other == id)?;
            (all.len() > 1).then(|| {
                format_message(
                    W::Visit.text(store.lang.get()),
                    &[&(now + 1).to_string(), &all.len().to_string()],
                )
            })
        })
    };
    let status = move || runs.with(|run, at| run.visit(id).and_then(|visit| run.visit_status(visit, at)));
    let took = move || {
        runs.with(|run, at| {
            let visit = run.visit(id)?;
            let is_over = run.visit_status(visit, at).is_some_and(|status| !status.is_open());
            is_over.then(|| duration(run.end_ms(visit, at) - visit.start_ms))
        })
    };
    let sign = move || {
        status().map(|status| [status_icon(status), " ", status_text(status).text(store.lang.get())].concat())
    };
    let ways = move || {
        nth().map(|nth| {
            view! {
                <span class="nth">
                    <button type="button" class="only" aria-label=t(store, W::VisitBefore) title=t(store, W::VisitBefore) on:click=move |_| go(-1)>{icon(icon::BEFORE)}</button>
                    {nth}
                    <button type="button" class="only" aria-label=t(store, W::VisitAfter) title=t(store, W::VisitAfter) on:click=move |_| go(1)>{icon(icon::AFTER)}</button>
                </span>
            }
        })
    };
    view! {
        <div class="top">
            <h3>{node_path}</h3>
            <span class="fate" data-fate=move || status().map_or("", status_id)>{sign}</span>
            <span class="took">{took}</span>
            {ways}
        </div>
    }
}

fn retries_view(
    store: Store,
    visit: &Visit,
    at: usize,
    lang: crate::i18n::Lang,
) -> Option<impl IntoView + use<>> {
    let failed: Vec<_> = visit.retries.iter().filter(|retry| retry.event < at).collect();
    let line = |retry: &&crate::run::Retry| {
        let again = format_message(W::Again.text(lang), &[&duration(retry.delay_ms)]);
        view! { <li><code>{retry.code.to_string()}</code> " " {engine_text(lang, &retry.code, &retry.message)} " · " {again}</li> }
    };
    (!failed.is_empty()).then(|| {
        view! { <section class="part"><h4 class="heading">{t(store, W::FailedAttempts)}</h4><ul class="tries">{failed.iter().map(line).collect_view()}</ul></section> }
    })
}

fn outcome_view(
    store: Store,
    run: &Run,
    visit: &Visit,
    at: usize,
    lang: Lang,
) -> Option<impl IntoView + use<>> {
    visit.ended.filter(|(event, _)| *event < at)?;
    let shown = match &visit.end {
        Outcome::Done(value) => view! { <ValueView store name=W::Output value=value.clone()/> <PinButton store node_path=visit.node_path.to_string() value=value.clone()/> }.into_any(),
        Outcome::Failed { code, message } => {
            let said = engine_text(lang, code, message);
            view! {
                <section class="part failure"><h4 class="heading">{t(store, W::Failure)}</h4><p><code>{code.to_string()}</code> " " {said}</p></section>
            }
            .into_any()
        }
        Outcome::Abandoned => ().into_any(),
    };
    // If there are no calls, there is no answer to change.
    let change = run.calls_of(visit, at).last().filter(|call| call.ended.is_some()).cloned();
    let change = change.map(|call| view! { <ForkForm store call/> });
    Some(view! { {shown} {change} })
}

/// Pinned nodes make no calls.
#[component]
fn PinButton(store: Store, node_path: String, value: Value) -> impl IntoView {
    let id = store.read(|editor| {
        let graphs = editor.plan().map(stepgraph_core::graph::PlanGraph::graphs).unwrap_or_default();
        let mut nodes = graphs.into_iter().flat_map(|graph| {
            graph.nodes.iter().map(move |node| (scoped_name(&graph.scope, &node.key), node))
        });
        nodes.find(|(other, _)| *other == node_path).map(|(_, node)| node.id.clone())
    });
    let is_pinned = {
        let node_path = node_path.clone();
        move || store.runs.pinned.with(|pinned| pinned.contains(&node_path))
    };
    let known = is_pinned.clone();
    let press = move |_| {
        let Some(id) = &id else { return };
        let pin = if known() {
            json!({"node": id})
        } else {
            json!({"node": id, "value": parse(&value.text).unwrap_or_default()})
        };
        edit_stubs(store, json!({"pin": pin}));
    };
    let word = move || if is_pinned() { W::Unpin } else { W::Pin };
    view! { <button type="button" class="pin" on:click=press>{move || word().text(store.lang.get())}</button> }
}

#[component]
fn CallDetail(store: Store, call: Call, is_over: bool) -> impl IntoView {
    let name = match &call.tool {
        Some(tool) => [&*call.kind, " ", tool].concat(),
        None => call.kind.to_string(),
    };
    let tokens = call.tokens.filter(|_| is_over).map(|counts| move || tokens_text(counts, store.lang.get()));
    let took = call.ended.filter(|_| is_over).map(|(_, until)| duration(until - call.start_ms));
    let answer = is_over.then(|| match call.end.clone() {
        Outcome::Done(value) => view! { <ValueView store name=W::Answer value/> }.into_any(),
        Outcome::Failed { code, message } => {
            let lang = store.lang.get_untracked();
            let said = engine_text(lang, &code, &message);
            view! { <p class="failure"><code>{code.to_string()}</code> " " {said}</p> }.into_any()
        }
        Outcome::Abandoned => ().into_any(),
    });
    let live = (!is_over).then(|| view! { <CallProgressView store name=call.name.clone()/> });
    view! {
        <details class="call" open=!is_over>
            <summary><span class="kind">{name}</span> <code>{call.name.clone()}</code> <span class="took">{took}</span> <span class="tokens">{tokens}</span></summary>
            <ValueView store name=W::Asked value=call.input.clone()/>
            {answer}
        </details>
        {live}
    }
}

#[component]
fn CallProgressView(store: Store, name: String) -> impl IntoView {
    let live = Memo::new(move |_| store.runs.with(|run, _| run.call_progress(&name).cloned()));
    let text =
        move || live.with(|live| live.as_ref().map(|live| live.text.clone()).filter(|text| !text.is_empty()));
    let thinking = move || {
        live.with(|live| live.as_ref().map(|live| live.thinking.clone()).filter(|text| !text.is_empty()))
    };
    let progress = move || {
        live.with(|live| {
            live.as_ref().and_then(|live| live.progress.map(|(done, all)| (done, all, live.message.clone())))
        })
    };
    let number = stepgraph_core::value::number_text;
    let bar = move || {
        progress().map(|(done, all, message)| {
            view! { <p><progress aria-label=t(store, W::SoFar) value=number(done) max=all.map(number)></progress> " " {message}</p> }
        })
    };
    view! {
        {move || thinking().map(|text| view! { <section class="part"><h4 class="heading">{t(store, W::Thinking)}</h4><pre class="value live">{text}</pre></section> })}
        {move || text().map(|text| view! { <section class="part"><h4 class="heading">{t(store, W::SoFar)}</h4><pre class="value live">{text}</pre></section> })}
        {bar}
    }
}
