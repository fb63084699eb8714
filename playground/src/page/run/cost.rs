//! A run's estimated cost.

use super::super::dom::reveal_opened;
use super::super::problems::with_code;
use super::super::store::{Store, t};
use super::control::send;
use crate::i18n::{Localized, Run as W, format_message};
use crate::page_layout::PageLayout;
use crate::run::{CostAmount, CostEstimate, RunState, one_decimal, usd};
use leptos::prelude::*;
use serde_json::json;
use std::time::Duration;

/// After a typing pause.
const REQUEST_DELAY: Duration = Duration::from_millis(400);

const ROWS: [(&str, W); 5] = [
    ("toolCalls", W::CostToolCalls),
    ("modelTurns", W::CostModelTurns),
    ("inputTokens", W::CostInputTokens),
    ("outputTokens", W::CostOutputTokens),
    ("usd", W::CostUsd),
];

/// Cost estimate. Empty if the plan calls nothing.
#[component]
pub fn RunCost(
    /// Page state.
    store: Store,
) -> impl IntoView {
    request_when_idle(store);
    let cost = store.runs.cost;
    let is_empty = move || cost.with(|cost| cost.amounts.is_empty());
    view! {
        <details class="cost" hidden=is_empty on:toggle=move |event| reveal_opened(&event)>
            <summary>{move || cost.with(|cost| summary(store, cost))}</summary>
            {move || cost.with(|cost| table(store, cost))}
            <ul>{move || cost.with(|cost| cost.why.iter().map(|why| view! { <li>{with_code(why)}</li> }).collect_view())}</ul>
            <p class="about">{t(store, W::CostHint)}</p>
        </details>
    }
}

/// After changes and runs.
fn request_when_idle(store: Store) {
    let latest = StoredValue::new(0_u32);
    Effect::new(move || {
        store.text_version.track();
        store.runs.history.track();
        let is_visible = store.layout.with(PageLayout::has_open_panel);
        if !is_visible || store.runs.state.with(|state| *state != RunState::Idle) {
            return;
        }
        let number = latest.get_value().wrapping_add(1);
        latest.set_value(number);
        set_timeout(
            move || {
                if latest.try_get_value() == Some(number) && !store.runs.is_active_untracked() {
                    request(store);
                }
            },
            REQUEST_DELAY,
        );
    });
}

fn request(store: Store) {
    let cassettes = store.runs.history.with_untracked(|history| {
        let kept = history.records().iter().map(|record| record.cassette.clone());
        kept.filter(|cassette| !cassette.is_empty()).collect::<Vec<_>>()
    });
    let plan = store.read(|editor| editor.text().to_owned());
    send(&json!({"type": "cost", "plan": plan, "cassettes": cassettes}));
}

fn summary(store: Store, cost: &CostEstimate) -> String {
    let lang = store.lang.get();
    let counted = |name: &str, one: W, several: W| {
        let amount = cost.amount(name).filter(|amount| amount.most != Some(0.0))?;
        Some(match amount.most {
            None => Err(open_text(store, amount, format_message(several.text(lang), &[""]).trim())),
            Some(1.0) => Ok(one.text(lang).to_owned()),
            Some(_) => Ok(format_message(several.text(lang), &[&most_text(store, amount)])),
        })
    };
    let parts = [
        counted("toolCalls", W::CostOneToolCall, W::CostSomeToolCalls),
        counted("modelTurns", W::CostOneModelTurn, W::CostSomeModelTurns),
        cost.amount("usd").map(|amount| match amount.most {
            None => Err(open_text(store, amount, "USD")),
            Some(_) => Ok(most_text(store, amount)),
        }),
    ];
    let (bounded, open): (Vec<_>, Vec<_>) = parts.into_iter().flatten().partition(Result::is_ok);
    let bounded: Vec<String> = bounded.into_iter().flatten().collect();
    let up_to =
        (!bounded.is_empty()).then(|| format_message(W::CostUpTo.text(lang), &[&bounded.join(" · ")]));
    let parts: Vec<String> = up_to.into_iter().chain(open.into_iter().filter_map(Result::err)).collect();
    let bound = format_message(W::CostOfRun.text(lang), &[&parts.join(" · ")]);
    let mean = cost.amount("usd").and_then(|amount| amount.mean).map(usd);
    match (mean, cost.runs) {
        (Some(mean), 1) => [&bound, " — ", &format_message(W::CostExpectedOne.text(lang), &[&mean])].concat(),
        (Some(mean), runs) => {
            let expected = format_message(W::CostExpected.text(lang), &[&mean, &runs.to_string()]);
            [&bound, " — ", &expected].concat()
        }
        (None, _) => bound,
    }
}

fn table(store: Store, cost: &CostEstimate) -> impl IntoView + use<> {
    let has_runs = cost.runs > 0;
    let heads = [W::CostMost, W::CostMean, W::CostMax].into_iter().take(if has_runs { 3 } else { 1 });
    let row = |(name, word): (&str, W)| {
        let amount = cost.amount(name)?;
        let recorded =
            has_runs.then(|| [amount.mean, amount.max].map(|number| recorded_text(store, name, number)));
        let cells = std::iter::once(most_text(store, amount)).chain(recorded.into_iter().flatten());
        let cells = cells.map(|text| view! { <td>{text}</td> }).collect_view();
        Some(view! { <tr><th scope="row">{t(store, word)}</th>{cells}</tr> })
    };
    let rows = ROWS.into_iter().filter_map(row).collect_view();
    view! {
        <table>
            <thead><tr><td></td>{heads.map(|word| view! { <th scope="col">{t(store, word)}</th> }).collect_view()}</tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

fn most_text(store: Store, amount: &CostAmount) -> String {
    let lang = store.lang.get();
    match amount.most {
        Some(most) => amount_text(&amount.name, most),
        None if amount.is_unbounded => W::CostUnbounded.text(lang).to_owned(),
        None => W::CostUnknown.text(lang).to_owned(),
    }
}

/// An amount that has no known bound.
fn open_text(store: Store, amount: &CostAmount, name: &str) -> String {
    if amount.is_unbounded {
        format_message(W::CostNoLimit.text(store.lang.get()), &[name])
    } else {
        [name, ": ", &most_text(store, amount)].concat()
    }
}

fn recorded_text(store: Store, name: &str, number: Option<f64>) -> String {
    number
        .map_or_else(|| W::CostUnknown.text(store.lang.get()).to_owned(), |number| amount_text(name, number))
}

fn amount_text(name: &str, number: f64) -> String {
    if name == "usd" { usd(number) } else { one_decimal(number) }
}
