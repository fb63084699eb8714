//! A slider to any run position. Arrows move by event, buttons by visit. At the end it follows new events.

use super::super::icon::{self, icon};
use super::super::store::{Store, t};
use crate::i18n::{Localized, Run as W, format_message};
use crate::run::duration;
use leptos::prelude::*;

/// Slider and buttons.
#[component]
pub fn Scrubber(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let runs = store.runs;
    let max = move || runs.with(|run, _| run.len());
    let at = move || runs.with(|_, at| at);
    let go = move |to: usize| {
        let all = runs.read(|run, _| run.len());
        runs.selected_visit.set(None);
        runs.shown_events.set((to < all).then_some(to));
    };
    let summary = move || {
        runs.with(|run, at| {
            let when = duration(run.time(at));
            format_message(
                W::RunPositionOf.text(store.lang.get()),
                &[&at.to_string(), &run.len().to_string(), &when],
            )
        })
    };
    let step = move |is_forward: bool| go(runs.read(|run, at| run.next_visit(at, is_forward)));
    let button = move |name: W, path: &'static str, is_forward: bool| {
        view! {
            <button type="button" class="only" aria-label=t(store, name) title=t(store, name) on:click=move |_| step(is_forward)>
                {icon(path)}
            </button>
        }
    };
    view! {
        <div class="scrub" role="group" aria-label=t(store, W::RunPosition)>
            {button(W::Earlier, icon::BEFORE, false)}
            <input
                type="range"
                min="0"
                max=move || max().to_string()
                prop:value=move || at().to_string()
                aria-label=t(store, W::RunPosition)
                aria-valuetext=summary
                on:input=move |event| go(event_target_value(&event).parse().unwrap_or_default())
            />
            {button(W::Later, icon::AFTER, true)}
            <span class="moment" aria-hidden="true">{summary}</span>
            <button type="button" disabled=move || runs.shown_events.get().is_none() on:click=move |_| go(usize::MAX)>
                {t(store, W::Latest)}
            </button>
        </div>
    }
}
