//! A new name for a node.

use super::super::act::show_pane;
use super::super::keys::focus_on;
use super::super::store::{Dialog, Store, t};
use crate::frame::Pane;
use crate::keyboard::Focus;
use crate::words::Shell as W;
use leptos::html::Input;
use leptos::prelude::*;
use stepgraph_core::graph::scoped_name;

/// Asks for the name; every mention of the node follows it.
#[component]
pub fn Rename(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    let place = match store.dialog.get_untracked() {
        Some(Dialog::Rename(place)) => place,
        _ => String::new(),
    };
    let (scope, key) = place.rsplit_once('/').map_or(("", place.as_str()), |(scope, key)| (scope, key));
    let (scope, key) = (scope.to_owned(), key.to_owned());
    let now = key.clone();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let to = field.get_untracked().map(|field| field.value().trim().to_owned()).unwrap_or_default();
        if to == key {
            store.dialog.set(None);
        } else if store.change(|session, now| session.rename(&place, &to, now)) {
            store.dialog.set(None);
            let place = scoped_name(&scope, &to);
            // The dialog gives the focus back first.
            request_animation_frame(move || {
                focus_on(store, &Focus::Node(place));
                show_pane(store, Pane::Drawing);
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
