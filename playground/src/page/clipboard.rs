//! Cut, copy and paste as plan text. If the browser denies its clipboard, the page says so and pastes this tab's last
//! copy.

use super::dispatch::focus_on_selected;
use super::js_bridge::{copy_text, paste_text};
use super::store::{Item, Store};
use crate::i18n::{Announcement, Localized, Shell};
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::*;

const STORAGE_KEY: &str = "stepgraph.copied";

/// Copies the selection.
pub fn copy(store: Store) {
    if let Some(text) = store.read(crate::plan_editor::PlanEditor::copy_selected) {
        write_clipboard(store, &text, Announcement::Copied.text(store.lang.get_untracked()));
    }
}

/// Cuts the selection.
pub fn cut(store: Store) {
    let Some(text) = store.read(crate::plan_editor::PlanEditor::copy_selected) else { return };
    let removed = super::dispatch::removed_text(store);
    if store.change(crate::plan_editor::PlanEditor::remove_selected) {
        write_clipboard(store, &text, &removed);
        super::dispatch::keep_focus_valid(store);
    }
}

fn write_clipboard(store: Store, text: &str, announcement: &str) {
    remember_copied(text);
    let lang = store.lang.get_untracked();
    let denied = Closure::once_into_js(move || store.notify(Shell::ClipboardDenied.text(lang), true));
    copy_text(text, &denied);
    store.announce(announcement);
}

/// Pastes text.
pub fn paste(store: Store) {
    let pick = move |text: JsValue| match text.as_string().or_else(last_copied) {
        Some(text) => insert_text(store, &text),
        None => store.notify(Shell::ClipboardDenied.text(store.lang.get_untracked()), true),
    };
    paste_text(&Closure::once_into_js(pick));
}

fn insert_text(store: Store, text: &str) {
    let scope = scope_of_focus(store);
    if !text.trim().is_empty() && store.change(|editor, now| editor.paste(text, &scope, None, now)) {
        store.announce(Announcement::Pasted.text(store.lang.get_untracked()));
        focus_on_selected(store);
    }
}

fn remember_copied(text: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        drop(storage.set_item(STORAGE_KEY, text));
    }
}

fn last_copied() -> Option<String> {
    window().session_storage().ok().flatten()?.get_item(STORAGE_KEY).ok().flatten()
}

fn scope_of_focus(store: Store) -> String {
    match store.focus.get_untracked() {
        Some(Item::Node(node_path)) => {
            node_path.rsplit_once('/').map(|(scope, _)| scope.to_owned()).unwrap_or_default()
        }
        Some(Item::Edge(scope, _)) => scope,
        None => String::new(),
    }
}
