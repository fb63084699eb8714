//! A modal `<dialog>`, which keeps and restores the focus. Contents exist while open.
//!
//! Source: the modal dialog pattern of ARIA; WCAG 2.4.3.

use super::super::icon::{self, icon};
use super::super::store::{Dialog, Store, t};
use crate::i18n::Shell as W;
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{Event, HtmlElement};

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
    let close = move || store.dialog.set(None);
    let (cancelled, closed) = follow_state(dialog, move || store.dialog.track(), is_open.into(), close);
    // Clicks outside hit the `<dialog>` itself.
    let pressed = move |event: leptos::ev::MouseEvent| {
        if event.target() == event.current_target() {
            store.dialog.set(None);
        }
    };
    view! {
        <dialog class="modal" aria-label=t(store, name) node_ref=dialog on:cancel=cancelled on:close=closed on:click=pressed>
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

/// Opens and closes a `<dialog>` as the state says. Returns the handlers of its `cancel` and `close` events.
///
/// `changes` tracks the state, because the same dialog may be asked for again while it is open.
pub(in crate::page) fn follow_state(
    dialog: NodeRef<html::Dialog>,
    changes: impl Fn() + 'static,
    is_open: Signal<bool>,
    close: impl Fn() + Copy + 'static,
) -> (impl Fn(Event) + Copy + 'static, impl Fn(Event) + Copy + 'static) {
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        // Also runs if the same dialog opens again: the browser may have closed it before `close` arrives.
        changes();
        if is_open.get() && !dialog.open() {
            drop(dialog.show_modal());
            // Mounted by then.
            request_animation_frame(move || focus_first(&dialog));
        } else if !is_open.get() && dialog.open() {
            dialog.close();
        }
    });
    // The state learns of Escape before the browser hides the dialog, so that no key is lost between the two.
    let cancelled = move |event: Event| {
        // A field inside, such as one for a file, has an event of the same name.
        if event.target() == event.current_target() {
            event.prevent_default();
            close();
        }
    };
    // `close` arrives later than the browser closes. By then the dialog may be open again.
    let closed = move |_| {
        let is_shown = dialog.get_untracked().is_some_and(|dialog| dialog.open());
        if is_open.get_untracked() && !is_shown {
            close();
        }
    };
    (cancelled, closed)
}

fn focus_first(dialog: &HtmlElement) {
    let found = dialog.query_selector("[autofocus]").ok().flatten();
    if let Some(first) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
        drop(first.focus());
    }
}
