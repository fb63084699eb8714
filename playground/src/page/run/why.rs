//! Why this edge: each edge that leaves a node, with its condition, what that saw, and what came of it.

use super::super::store::{Store, t};
use crate::run::{Decision, Reason, Tried, Verdict, Way, few};
use crate::words::Run as W;
use leptos::prelude::*;
use stepgraph_core::graph::{PlanGraph, scoped_name};

/// How many letters of a value that a condition saw are shown.
const SEEN: usize = 80;

/// What was decided after a visit; `of` is the edge that is asked about.
pub fn why(store: Store, decision: &Decision, of: Option<usize>) -> impl IntoView + use<> {
    let lines = store.read(|session| {
        let plan = session.plan()?;
        let ways = ways(plan, decision);
        Some(decision.tried(&ways).into_iter().map(|tried| one(store, tried, of)).collect_view())
    });
    let nothing = (decision.edge.is_none()).then(|| view! { <p>{t(store, W::ToEnd)}</p> });
    view! {
        <section class="part why" aria-label=t(store, W::Why)>
            <h4 class="heading">{t(store, W::Why)}</h4>
            <ol>{lines}</ol>
            {nothing}
        </section>
    }
}

/// Why a selected edge was taken, or not, the last time that it could have been.
#[component]
pub fn WhyEdge(
    /// What is open.
    store: Store,
    /// The graph of the edge.
    scope: String,
    /// Its position.
    index: usize,
) -> impl IntoView {
    let decision = move || {
        let from = store.with_drawing(|session| {
            let graph = session.plan()?.graphs().into_iter().find(|graph| graph.scope == scope)?;
            let edge = graph.edges.iter().find(|edge| edge.index == index)?;
            Some(scoped_name(&scope, &edge.from.name))
        })?;
        store.runs.with(|run, at| run.decision_at(&scope, &from, at).cloned())
    };
    move || match decision() {
        Some(decision) => {
            let from = decision.place.to_string();
            view! { <div class="top"><h3>{from}</h3></div> {why(store, &decision, Some(index))} }.into_any()
        }
        None => view! { <p class="empty">{t(store, W::NotDecided)}</p> }.into_any(),
    }
}

/// The edges that leave the node of a decision, in the order of the plan.
fn ways<'p>(plan: &'p PlanGraph, decision: &Decision) -> Vec<Way<'p>> {
    let Some(graph) = plan.graphs().into_iter().find(|graph| *graph.scope == *decision.scope) else {
        return Vec::new();
    };
    let leaves =
        graph.edges.iter().filter(|edge| scoped_name(&graph.scope, &edge.from.name) == *decision.place);
    let way = |edge: &'p stepgraph_core::graph::Edge| Way {
        index: edge.index,
        to: &edge.to.name,
        condition: &edge.condition_text,
        is_fallback: matches!(edge.condition_text.trim(), "" | "default" | "always"),
    };
    leaves.map(way).collect()
}

fn one(store: Store, tried: Tried<'_>, of: Option<usize>) -> impl IntoView + use<> {
    let (id, sign, word) = match tried.reason {
        Reason::Held => ("taken", "✓", W::WhyHeld),
        Reason::Fell => ("taken", "✓", W::WhyFell),
        Reason::Refused => ("refused", "✕", W::WhyRefused),
        Reason::Spare => ("spare", "–", W::WhySpare),
        Reason::Unseen => ("unseen", "·", W::WhyUnseen),
    };
    let condition = if tried.way.is_fallback { None } else { Some(tried.way.condition.to_owned()) };
    let condition = match condition {
        Some(text) => view! { <code>{text}</code> }.into_any(),
        None => view! { <em>{t(store, W::Otherwise)}</em> }.into_any(),
    };
    let saw = tried.verdict.map(|verdict| saw(store, verdict));
    view! {
        <li data-reason=id aria-current=(of == Some(tried.way.index)).then_some("true")>
            <span class="sign" aria-hidden="true">{sign}</span>
            <div>
                <p>{condition} " → " <b>{tried.way.to.to_owned()}</b></p>
                <p class="reason">{t(store, word)}</p>
                {saw}
            </div>
        </li>
    }
}

fn saw(store: Store, verdict: &Verdict) -> impl IntoView + use<> {
    let line = |saw: &crate::run::Saw| {
        let value = match &saw.value {
            Some(value) => view! { <code class="seen">{few(&value.text, SEEN)}</code> }.into_any(),
            None => view! { <em>{t(store, W::Missing)}</em> }.into_any(),
        };
        view! { <p class="saw"><code>{saw.reference.to_string()}</code> " " {t(store, W::Saw)} " " {value}</p> }
    };
    verdict.saw.iter().map(line).collect_view()
}
