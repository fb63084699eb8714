//! A `<dialog>`, which keeps focus and closes on Escape.

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
    Effect::new(move || {
        let Some(dialog) = node.get() else { return };
        match (open.get(), dialog.open()) {
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let closed = move |_| {
        if open.get_untracked() {
            store.share.dialog.set(None);
        }
    };
    view! {
        <dialog node_ref=node class="share-dialog" aria-label=t(store, title) on:close=closed>
            <header>
                <h2>{t(store, title)}</h2>
                <button type="button" class="share-close" aria-label=t(store, W::Close) on:click=move |_| store.share.dialog.set(None)>
                    <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><path d="M5 5l10 10M15 5L5 15"></path></svg>
                </button>
            </header>
            <div class="share-body">{move || open.get().then(|| content(store))}</div>
        </dialog>
    }
}
