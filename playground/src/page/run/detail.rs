//! One visit of a node: what it was given, what it asked, what it gave, and where the run went from there.
//!
//! Decides which visit is shown: the one that was chosen, else the last of the selected node; or the edge that is selected.

use super::super::icon::{self, icon};
use super::super::store::{Store, t};
use super::control::stand_ins;
use super::fork::Change;
use super::timeline::{fate_id, fate_sign, fate_word};
use super::values::ValueOf;
use super::why::{WhyEdge, why};
use crate::run::{Call, End, Run, Value, Visit, duration};
use crate::words::{Run as W, Words, fill};
use leptos::prelude::*;
use serde_json::json;
use stepgraph_core::graph::scoped_name;
use stepgraph_core::json::parse;

/// The visit that is shown.
pub fn shown(store: Store) -> Option<usize> {
    let chosen = store.runs.visit.get();
    let node = store.with_selection(|session| session.selection().only_node().map(str::to_owned));
    store.runs.with(|run, at| {
        let fits = |id: &usize| {
            run.visit(*id).is_some_and(|visit| {
                visit.began < at && node.as_deref().is_none_or(|node| node == &*visit.place)
            })
        };
        chosen.filter(fits).or_else(|| run.last_visit(node.as_deref()?, at).map(|(visit, _)| visit))
    })
}

/// What is shown beside the timeline.
#[component]
pub fn Detail(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let visit = Memo::new(move |_| shown(store));
    let edge = Memo::new(move |_| {
        store.with_selection(|session| {
            let alone = session.selection().nodes().next().is_none();
            session.selection().edges().next().filter(|_| alone).map(|(scope, edge)| (scope.to_owned(), edge))
        })
    });
    let contents = move || match (edge.get(), visit.get()) {
        (Some((scope, index)), _) => view! { <WhyEdge store scope index/> }.into_any(),
        (None, Some(id)) => view! { <OneVisit store id/> }.into_any(),
        (None, None) => ().into_any(),
    };
    view! { <section class="detail" aria-label=t(store, W::Values) tabindex="0">{contents}</section> }
}

/// A visit.
#[component]
pub fn OneVisit(
    /// What is open.
    store: Store,
    /// Which one.
    id: usize,
) -> impl IntoView {
    let runs = store.runs;
    // What can change of a visit changes at few events: only then it is made anew.
    let told = Memo::new(move |_| {
        runs.with(|run, at| {
            let visit = run.visit(id)?;
            let calls = run
                .calls_of(visit, at)
                .map(|call| (call.event, call.ended.is_some_and(|(event, _)| event < at)))
                .collect::<Vec<_>>();
            Some((
                run.fate(visit, at),
                calls,
                visit.retries.iter().filter(|retry| retry.event < at).count(),
                run.decision(visit, at).is_some(),
            ))
        })
    });
    let body = move || {
        // To track a memo that nobody has read yet is to hear of nothing.
        told.with(|_| ());
        let lang = store.lang.get();
        runs.read(|run, at| {
            let visit = run.visit(id)?;
            Some(view! {
                <Top store id/>
                <ValueOf store name=W::Input value=visit.input.clone()/>
                {tries(store, visit, at, lang)}
                {run.calls_of(visit, at).map(|call| view! { <OneCall store call=call.clone() is_over=call.ended.is_some_and(|(event, _)| event < at)/> }).collect_view()}
                {outcome(store, run, visit, at)}
                {run.decision(visit, at).map(|decision| why(store, decision, None))}
            })
        })
    };
    view! { <div class="visit">{body}</div> }
}

/// Which visit it is, how it stands, and the way to others of the same node.
#[component]
fn Top(store: Store, id: usize) -> impl IntoView {
    let runs = store.runs;
    let go = move |by: isize| {
        let next = runs.read(|run, at| {
            let all = run.visits_of(&run.visit(id)?.place, at);
            let now = all.iter().position(|other| *other == id)?;
            all.get(now.checked_add_signed(by)?).copied()
        });
        if next.is_some() {
            runs.visit.set(next);
        }
    };
    let place = runs.read(|run, _| run.visit(id).map(|visit| visit.place.to_string()).unwrap_or_default());
    let nth = move || {
        runs.with(|run, at| {
            let all = run.visits_of(&run.visit(id)?.place, at);
            let now = all.iter().position(|other| *other == id)?;
            (all.len() > 1).then(|| {
                fill(W::Visit.text(store.lang.get()), &[&(now + 1).to_string(), &all.len().to_string()])
            })
        })
    };
    let fate = move || runs.with(|run, at| run.visit(id).and_then(|visit| run.fate(visit, at)));
    let took = move || {
        runs.with(|run, at| run.visit(id).map(|visit| duration(run.until(visit, at) - visit.from_ms)))
    };
    let sign =
        move || fate().map(|fate| [fate_sign(fate), " ", fate_word(fate).text(store.lang.get())].concat());
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
            <h3>{place}</h3>
            <span class="fate" data-fate=move || fate().map_or("", fate_id)>{sign}</span>
            <span class="took">{took}</span>
            {ways}
        </div>
    }
}

fn tries(store: Store, visit: &Visit, at: usize, lang: crate::words::Lang) -> Option<impl IntoView + use<>> {
    let failed: Vec<_> = visit.retries.iter().filter(|retry| retry.event < at).collect();
    let line = |retry: &&crate::run::Retry| {
        let again = fill(W::Again.text(lang), &[&duration(retry.delay_ms)]);
        view! { <li><code>{retry.code.to_string()}</code> " " {retry.message.to_string()} " · " {again}</li> }
    };
    (!failed.is_empty()).then(|| {
        view! { <section class="part"><h4 class="heading">{t(store, W::Tries)}</h4><ul class="tries">{failed.iter().map(line).collect_view()}</ul></section> }
    })
}

/// What the node gave, or why it gave nothing; and what can be done about it.
fn outcome(store: Store, run: &Run, visit: &Visit, at: usize) -> Option<impl IntoView + use<>> {
    visit.ended.filter(|(event, _)| *event < at)?;
    let shown = match &visit.end {
        End::Done(value) => view! { <ValueOf store name=W::Gave value=value.clone()/> <Pin store place=visit.place.to_string() value=value.clone()/> }.into_any(),
        End::Failed { code, message } => {
            view! {
                <section class="part failure"><h4 class="heading">{t(store, W::Failure)}</h4><p><code>{code.to_string()}</code> " " {message.to_string()}</p></section>
            }
            .into_any()
        }
        End::Abandoned => ().into_any(),
    };
    // Only answers of calls can be changed: what a node without any gives follows from what was before.
    let change = run.calls_of(visit, at).last().filter(|call| call.ended.is_some()).cloned();
    let change = change.map(|call| view! { <Change store call/> });
    Some(view! { {shown} {change} })
}

/// Gives the output from now on without asking anybody; or no longer.
#[component]
fn Pin(store: Store, place: String, value: Value) -> impl IntoView {
    let id = store.read(|session| {
        let graphs = session.plan().map(stepgraph_core::graph::PlanGraph::graphs).unwrap_or_default();
        let mut nodes = graphs.into_iter().flat_map(|graph| {
            graph.nodes.iter().map(move |node| (scoped_name(&graph.scope, &node.key), node))
        });
        nodes.find(|(other, _)| *other == place).map(|(_, node)| node.id.clone())
    });
    let is_pinned = {
        let place = place.clone();
        move || store.runs.pinned.with(|pinned| pinned.contains(&place))
    };
    let known = is_pinned.clone();
    let press = move |_| {
        let Some(id) = &id else { return };
        let pin = if known() {
            json!({"node": id})
        } else {
            json!({"node": id, "value": parse(&value.text).unwrap_or_default()})
        };
        stand_ins(store, json!({"pin": pin}));
    };
    let word = move || if is_pinned() { W::Unpin } else { W::Pin };
    view! { <button type="button" class="pin" on:click=press>{move || word().text(store.lang.get())}</button> }
}

/// Somebody who was asked.
#[component]
fn OneCall(store: Store, call: Call, is_over: bool) -> impl IntoView {
    let name = match &call.tool {
        Some(tool) => [&*call.kind, " ", tool].concat(),
        None => call.kind.to_string(),
    };
    let tokens = call.tokens.filter(|_| is_over).map(|[input, output, cached]| {
        let counts = [input, output, cached].map(|count| count.to_string());
        move || fill(W::TokensOf.text(store.lang.get()), &counts.each_ref().map(String::as_str))
    });
    let took = call.ended.filter(|_| is_over).map(|(_, until)| duration(until - call.from_ms));
    let answer = is_over.then(|| match call.end.clone() {
        End::Done(value) => view! { <ValueOf store name=W::Answer value/> }.into_any(),
        End::Failed { code, message } => {
            view! { <p class="failure"><code>{code.to_string()}</code> " " {message.to_string()}</p> }
                .into_any()
        }
        End::Abandoned => ().into_any(),
    });
    let live = (!is_over).then(|| view! { <Live store name=call.name.clone()/> });
    view! {
        <details class="call" open=!is_over>
            <summary><span class="kind">{name}</span> <code>{call.name.clone()}</code> <span class="took">{took}</span> <span class="tokens">{tokens}</span></summary>
            <ValueOf store name=W::Asked value=call.asked.clone()/>
            {answer}
        </details>
        {live}
    }
}

/// What a call under way tells of itself.
#[component]
fn Live(store: Store, name: String) -> impl IntoView {
    let live = Memo::new(move |_| store.runs.with(|run, _| run.live(&name).cloned()));
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
