//! What is cut, copied and pasted in the drawing: text that a person can read.
//!
//! Decides to use the browser's clipboard and, where that is denied, to say so; what was copied here can be pasted here even then.

use super::dispatch::focus_on_selected;
use super::js_bridge::{copy_text, paste_text};
use super::store::{Item, Store};
use crate::i18n::{Announcement, Localized, Shell};
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::*;

/// The text that was copied last.
const COPIED: &str = "stepgraph.copied";

/// Copies what is selected.
pub fn copy(store: Store) {
    if let Some(text) = store.read(crate::plan_editor::PlanEditor::copy_selected) {
        put(store, &text, Announcement::Copied);
    }
}

/// Copies what is selected and removes it.
pub fn cut(store: Store) {
    let Some(text) = store.read(crate::plan_editor::PlanEditor::copy_selected) else { return };
    if store.change(crate::plan_editor::PlanEditor::remove_selected) {
        put(store, &text, Announcement::Removed);
        super::dispatch::follow(store);
    }
}

fn put(store: Store, text: &str, said: Announcement) {
    keep(text);
    let lang = store.lang.get_untracked();
    let denied = Closure::once_into_js(move || store.tell(Shell::ClipboardDenied.text(lang), true));
    copy_text(text, &denied);
    store.say(said.text(lang));
}

/// Takes in what was copied, here or elsewhere.
pub fn paste(store: Store) {
    let take = move |text: JsValue| match text.as_string().or_else(kept) {
        Some(text) => take_in(store, &text),
        None => store.tell(Shell::ClipboardDenied.text(store.lang.get_untracked()), true),
    };
    paste_text(&Closure::once_into_js(take));
}

fn take_in(store: Store, text: &str) {
    let scope = scope_of_focus(store);
    if !text.trim().is_empty() && store.change(|session, now| session.paste(text, &scope, None, now)) {
        store.say(Announcement::Pasted.text(store.lang.get_untracked()));
        focus_on_selected(store);
    }
}

fn keep(text: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        drop(storage.set_item(COPIED, text));
    }
}

fn kept() -> Option<String> {
    window().session_storage().ok().flatten()?.get_item(COPIED).ok().flatten()
}

/// What is pasted stands in the graph of what has the focus.
fn scope_of_focus(store: Store) -> String {
    match store.focus.get_untracked() {
        Some(Item::Node(place)) => {
            place.rsplit_once('/').map(|(scope, _)| scope.to_owned()).unwrap_or_default()
        }
        Some(Item::Edge(scope, _)) => scope,
        None => String::new(),
    }
}
