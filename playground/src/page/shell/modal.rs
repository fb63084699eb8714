//! A modal `<dialog>`, which keeps and restores the focus. Contents exist while open.
//!
//! Source: the modal dialog pattern of ARIA; WCAG 2.4.3.

use super::super::icon::{self, icon};
use super::super::store::{Dialog, Store, t};
use crate::i18n::Shell as W;
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlElement;

/// Open while `is` accepts [`Store::dialog`].
#[component]
pub fn Modal(
    /// Page state.
    store: Store,
    /// The title.
    name: W,
    /// Shows this dialog.
    is: fn(&Dialog) -> bool,
    /// The contents.
    children: ChildrenFn,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let is_open = Memo::new(move |_| store.dialog.with(|open| open.as_ref().is_some_and(is)));
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        // Also runs if the same dialog opens again: the browser may have closed it before `close` arrives.
        store.dialog.track();
        if is_open.get() && !dialog.open() {
            drop(dialog.show_modal());
            // Mounted by then.
            request_animation_frame(move || focus_first(&dialog));
        } else if !is_open.get() && dialog.open() {
            dialog.close();
        }
    });
    let closed = move |_| {
        let is_shown = dialog.get_untracked().is_some_and(|dialog| dialog.open());
        if is_open.get_untracked() && !is_shown {
            store.dialog.set(None);
        }
    };
    // Clicks outside hit the `<dialog>` itself.
    let pressed = move |event: leptos::ev::MouseEvent| {
        if event.target() == event.current_target() {
            store.dialog.set(None);
        }
    };
    view! {
        <dialog class="modal" aria-label=t(store, name) node_ref=dialog on:close=closed on:click=pressed>
            <Show when=move || is_open.get()>
                <div class="sheet">
                    <div class="top">
                        <h2>{t(store, name)}</h2>
                        <button
                            type="button"
                            class="only"
                            aria-label=t(store, W::Close)
                            title=t(store, W::Close)
                            on:click=move |_| store.dialog.set(None)
                        >
                            {icon(icon::CLOSE)}
                        </button>
                    </div>
                    {children()}
                </div>
            </Show>
        </dialog>
    }
}

fn focus_first(dialog: &HtmlElement) {
    let found = dialog.query_selector("[autofocus]").ok().flatten();
    if let Some(first) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
        drop(first.focus());
    }
}
