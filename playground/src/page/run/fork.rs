//! Forks a run with another answer.

use super::super::store::{Store, t};
use super::control::fork;
use crate::i18n::{Localized, Run as W};
use crate::run::{Call, Outcome, pretty};
use leptos::prelude::*;
use serde_json::json;
use stepgraph_core::json::parse;

/// Changes a call's answer.
#[component]
pub fn ForkForm(
    /// Page state.
    store: Store,
    /// Its call.
    call: Call,
) -> impl IntoView {
    let Call { name, end, .. } = call;
    let is_open = RwSignal::new(false);
    let first = match end {
        Outcome::Done(value) => pretty(&value.text),
        Outcome::Failed { .. } | Outcome::Abandoned => "null".to_owned(),
    };
    let text = RwSignal::new(first);
    let parsed = move || text.with(|text| parse(text));
    let go = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if let Some(value) = parsed() {
            fork(store, &json!({"call": name, "output": value}));
        }
    };
    let go = StoredValue::new_local(go);
    let form = move || {
        is_open.get().then(|| {
            view! {
                <form class="fork" on:submit=move |event| go.with_value(|go| go(event))>
                    <label class="field">
                        <span class="name">{t(store, W::Output)}</span>
                        <textarea class="code" rows="6" spellcheck="false" prop:value=move || text.get() aria-invalid=move || parsed().is_none().to_string()
                            on:input=move |event| text.set(event_target_value(&event))></textarea>
                    </label>
                    <p class="about">{move || if parsed().is_none() { W::NoJson } else { W::ForkHint }.text(store.lang.get())}</p>
                    <button type="submit" class="main" disabled=move || parsed().is_none()>{t(store, W::ForkGo)}</button>
                </form>
            }
        })
    };
    view! {
        <button type="button" aria-expanded=move || is_open.get().to_string() on:click=move |_| is_open.update(|is| *is = !*is)>{t(store, W::Fork)}</button>
        {form}
    }
}
