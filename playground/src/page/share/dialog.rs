//! A `<dialog>`, which keeps focus and closes on Escape.

use super::super::shell::modal::follow_state;
use super::super::store::{Store, t};
use crate::i18n::Share as W;
use leptos::prelude::*;

/// A modal dialog.
#[component]
pub fn ShareDialog(
    /// Page state.
    store: Store,
    /// Is open.
    open: Signal<bool>,
    /// Its title.
    title: W,
    /// Its contents.
    content: fn(Store) -> AnyView,
) -> impl IntoView {
    let node = NodeRef::<leptos::html::Dialog>::new();
    let close = move || store.share.dialog.set(None);
    let (cancelled, closed) = follow_state(node, move || store.share.dialog.track(), open, close);
    view! {
        <dialog node_ref=node class="share-dialog" aria-label=t(store, title) on:cancel=cancelled on:close=closed>
            <header>
                <h2>{t(store, title)}</h2>
                <button type="button" class="share-close" aria-label=t(store, W::Close) on:click=move |_| close()>
                    <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><path d="M5 5l10 10M15 5L5 15"></path></svg>
                </button>
            </header>
            <div class="share-body">{move || open.get().then(|| content(store))}</div>
        </dialog>
    }
}
