//! The dialog that renames a node.

use super::super::dispatch::show_pane;
use super::super::key_events::focus_on;
use super::super::store::{Dialog, Store, t};
use crate::i18n::Shell as W;
use crate::keyboard::Focus;
use crate::page_layout::Pane;
use leptos::html::Input;
use leptos::prelude::*;
use stepgraph_core::graph::scoped_name;

/// Asks for a name, and renames all references to the node.
#[component]
pub fn RenameDialog(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    let node_path = match store.dialog.get_untracked() {
        Some(Dialog::Rename(node_path)) => node_path,
        _ => String::new(),
    };
    let (scope, key) =
        node_path.rsplit_once('/').map_or(("", node_path.as_str()), |(scope, key)| (scope, key));
    let (scope, key) = (scope.to_owned(), key.to_owned());
    let now = key.clone();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let to = field.get_untracked().map(|field| field.value().trim().to_owned()).unwrap_or_default();
        if to == key {
            store.dialog.set(None);
        } else if store.change(|editor, now| editor.rename(&node_path, &to, now)) {
            store.dialog.set(None);
            let node_path = scoped_name(&scope, &to);
            // The dialog restores the focus first.
            request_animation_frame(move || {
                focus_on(store, &Focus::Node(node_path));
                show_pane(store, Pane::Canvas);
            });
        }
    };
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            field.select();
        }
    });
    let refused = move || store.notice.get().filter(|notice| notice.is_error).map(|notice| notice.text);
    view! {
        <form class="ask" on:submit=submit>
            <label for="new-name">{t(store, W::NewName)}</label>
            <input id="new-name" type="text" autofocus autocomplete="off" spellcheck="false" node_ref=field value=now/>
            <p class="wrong" role="alert">{refused}</p>
            <div class="buttons">
                <button type="button" on:click=move |_| store.dialog.set(None)>{t(store, W::Cancel)}</button>
                <button type="submit" class="main">{t(store, W::Rename)}</button>
            </div>
        </form>
    }
}
