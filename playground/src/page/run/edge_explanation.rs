//! Explains why a run took an edge.

use super::super::store::{Store, t};
use crate::i18n::Run as W;
use crate::run::{CandidateEdge, Decision, EdgeExplanation, Reason, Verdict, one_line};
use leptos::prelude::*;
use stepgraph_core::graph::{PlanGraph, scoped_name};

const MAX_VALUE_CHARS: usize = 80;

/// The decision after a visit, about edge `of`.
pub fn decision_view(store: Store, decision: &Decision, of: Option<usize>) -> impl IntoView + use<> {
    let lines = store.read(|editor| {
        let plan = editor.plan()?;
        let ways = candidate_edges(plan, decision);
        Some(
            decision
                .explain(&ways)
                .into_iter()
                .map(|explanation| candidate_view(store, decision, explanation, of))
                .collect_view(),
        )
    });
    let has_ended = decision.edge.is_none() && decision.verdicts.iter().all(|verdict| !verdict.has_failed);
    let nothing = has_ended.then(|| view! { <p>{t(store, W::ToEnd)}</p> });
    view! {
        <section class="part why" aria-label=t(store, W::Why)>
            <h4 class="heading">{t(store, W::Why)}</h4>
            <ol>{lines}</ol>
            {nothing}
        </section>
    }
}

/// A selected edge's last decision.
#[component]
pub fn EdgeExplanationView(
    /// Page state.
    store: Store,
    /// Edge scope.
    scope: String,
    /// Edge index.
    index: usize,
) -> impl IntoView {
    let decision = move || {
        let from = store.with_scene(|editor| {
            let graph = editor.plan()?.graphs().into_iter().find(|graph| graph.scope == scope)?;
            let edge = graph.edges.iter().find(|edge| edge.index == index)?;
            Some(scoped_name(&scope, &edge.from.name))
        })?;
        store.runs.with(|run, at| run.decision_at(&scope, &from, at).cloned())
    };
    move || match decision() {
        Some(decision) => {
            let from = decision.node_path.to_string();
            view! { <div class="top"><h3>{from}</h3></div> {decision_view(store, &decision, Some(index))} }
                .into_any()
        }
        None => view! { <p class="empty">{t(store, W::NotDecided)}</p> }.into_any(),
    }
}

fn candidate_edges<'p>(plan: &'p PlanGraph, decision: &Decision) -> Vec<CandidateEdge<'p>> {
    let Some(graph) = plan.graphs().into_iter().find(|graph| *graph.scope == *decision.scope) else {
        return Vec::new();
    };
    let leaves =
        graph.edges.iter().filter(|edge| scoped_name(&graph.scope, &edge.from.name) == *decision.node_path);
    let candidate = |edge: &'p stepgraph_core::graph::Edge| CandidateEdge {
        index: edge.index,
        to: &edge.to.name,
        condition: &edge.condition_text,
        is_fallback: matches!(edge.condition_text.trim(), "" | "default" | "always"),
    };
    leaves.map(candidate).collect()
}

fn candidate_view(
    store: Store,
    decision: &Decision,
    explanation: EdgeExplanation<'_>,
    of: Option<usize>,
) -> impl IntoView + use<> {
    let (id, sign, word) = match explanation.reason {
        Reason::Matched => ("taken", "✓", W::WhyMatched),
        Reason::Fallback => ("taken", "✓", W::WhyFallback),
        Reason::NotMatched => ("refused", "✕", W::WhyNotMatched),
        Reason::Failed => ("failed", "!", W::WhyFailed),
        Reason::UnusedFallback => ("spare", "–", W::WhyUnusedFallback),
        Reason::NotEvaluated => ("unseen", "·", W::WhyNotEvaluated),
    };
    let condition =
        if explanation.edge.is_fallback { None } else { Some(explanation.edge.condition.to_owned()) };
    let condition = match condition {
        Some(text) => view! { <code>{text}</code> }.into_any(),
        None => view! { <em>{t(store, W::Otherwise)}</em> }.into_any(),
    };
    let code = decision.error_code.as_deref().filter(|_| explanation.reason == Reason::Failed);
    let code = code.map(|code| view! { " " <code class="code">{code.to_owned()}</code> });
    let saw = explanation.verdict.map(|verdict| compared_values(store, verdict));
    view! {
        <li data-reason=id aria-current=(of == Some(explanation.edge.index)).then_some("true")>
            <span class="sign" aria-hidden="true">{sign}</span>
            <div>
                <p>{condition} " → " <b>{explanation.edge.to.to_owned()}</b></p>
                <p class="reason">{t(store, word)} {code}</p>
                {saw}
            </div>
        </li>
    }
}

fn compared_values(store: Store, verdict: &Verdict) -> impl IntoView + use<> {
    let line = |saw: &crate::run::ComparedValue| {
        let value = match &saw.value {
            Some(value) => {
                view! { <code class="seen">{one_line(&value.text, MAX_VALUE_CHARS)}</code> }.into_any()
            }
            None => view! { <em>{t(store, W::Missing)}</em> }.into_any(),
        };
        view! { <p class="saw"><code>{saw.reference.to_string()}</code> " " {t(store, W::ComparedValues)} " " {value}</p> }
    };
    verdict.values.iter().map(line).collect_view()
}
