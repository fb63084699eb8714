//! A message until closed, and the live region.

use super::super::icon::{self, icon};
use super::super::problems::with_code;
use super::super::store::{Store, t};
use crate::i18n::Shell as W;
use leptos::prelude::*;

/// Message and live region.
#[component]
pub fn Notifications(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let message = move || {
        store.notice.get().map(|notice| {
            view! {
                <div class="notice" data-error=notice.is_error.then_some("")>
                    {notice.is_error.then(|| icon(icon::WRONG))}
                    <div class="message">
                        <p>{with_code(&notice.text)}</p>
                        {details(&notice.details)}
                    </div>
                    <button
                        type="button"
                        class="only"
                        aria-label=t(store, W::Dismiss)
                        on:click=move |_| store.notice.set(None)
                    >
                        {icon(icon::CLOSE)}
                    </button>
                </div>
            }
        })
    };
    view! {
        <div class="notices" role="region" aria-label=t(store, W::Messages)>{message}</div>
        <div class="unseen" role="status" aria-live="polite">{move || store.announcement.get()}</div>
    }
}

fn details(lines: &[String]) -> Option<impl IntoView + use<>> {
    let line = |line: &String| view! { <li>{with_code(line)}</li> };
    (!lines.is_empty()).then(|| view! { <ul>{lines.iter().map(line).collect_view()}</ul> })
}
