//! The frame of the page: header, three panes, a panel below, and what is told.
//!
//! Decides where each part stands. Knows nothing of what the parts do.
//!
//! Source: the playground's issue ("three panes").

use super::act::act;
use super::canvas::Canvas;
use super::inspector::Inspector;
use super::problems::Problems;
use super::rooms;
use super::store::{Store, t};
use super::text::TextPane;
use crate::command::{COMMANDS, Command, command_of};
use crate::look::Theme;
use crate::words::{Lang, Shell as W};
use leptos::prelude::*;
use leptos::web_sys;

/// What a first visitor finds.
const WELCOME: &str = include_str!("../../../examples/triage.yaml");

/// The whole page.
#[component]
pub fn Shell() -> impl IntoView {
    let store = Store::new(WELCOME, preferred_theme(), preferred_language());
    rooms::begin(store);
    Effect::new(move || show_in_document(store));
    window_event_listener(leptos::ev::keydown, move |event| on_key(store, &event));
    view! {
        <Header store/>
        <main class="panes">
            <section class="pane text" aria-label=t(store, W::Text)><TextPane store/></section>
            <section class="pane drawing" aria-label=t(store, W::Drawing)><Canvas store/></section>
            <section class="pane inspector" aria-label=t(store, W::Inspector)><Inspector store/></section>
        </main>
        <section class="panel" aria-label=t(store, W::Problems)><Problems store/></section>
        <div class="unseen" role="status" aria-live="polite">{move || store.said.get()}</div>
    }
}

/// The page's name and its commands.
#[component]
fn Header(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let button = move |command: Command| {
        let name = command.row().map_or(W::Commands, |row| row.name);
        view! { <button type="button" on:click=move |_| act(store, command)>{t(store, name)}</button> }
    };
    view! {
        <header class="bar">
            <h1>"Stepgraph"</h1>
            <div role="toolbar" aria-label=t(store, W::Commands)>
                {COMMANDS.iter().map(|row| button(row.command)).collect_view()}
            </div>
        </header>
    }
}

/// Theme and language stand where styles and screen readers look for them.
fn show_in_document(store: Store) {
    let theme = if store.theme.get() == Theme::Dark { "dark" } else { "light" };
    if let Some(root) = document().document_element() {
        drop(root.set_attribute("data-theme", theme));
        drop(root.set_attribute("lang", store.lang.get().tag()));
    }
}

fn preferred_theme() -> Theme {
    let dark = window().match_media("(prefers-color-scheme: dark)").ok().flatten();
    if dark.is_some_and(|query| query.matches()) { Theme::Dark } else { Theme::Light }
}

fn preferred_language() -> Lang {
    window().navigator().language().map_or(Lang::En, |tag| Lang::of(&tag))
}

fn on_key(store: Store, event: &web_sys::KeyboardEvent) {
    use leptos::wasm_bindgen::JsCast;
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let is_in = |place: &str| target.as_ref().is_some_and(|at| at.closest(place).ok().flatten().is_some());
    if is_in("input, textarea, select, [contenteditable]") {
        return;
    }
    if let Some(command) = command_of(&chord(event), is_in(".pane.drawing")) {
        event.prevent_default();
        act(store, command);
    }
}

/// A key with what is held, as the table of commands writes it.
fn chord(event: &web_sys::KeyboardEvent) -> String {
    let key = event.key();
    let is_letter = key.chars().count() == 1 && key.chars().all(char::is_alphabetic);
    let named = if is_letter { key.to_uppercase() } else { key };
    let shifted = event.shift_key() && (is_letter || named.chars().count() > 1);
    let held =
        [("Mod+", event.ctrl_key() || event.meta_key()), ("Alt+", event.alt_key()), ("Shift+", shifted)];
    let mut chord: String = held.iter().filter(|(_, is_held)| *is_held).map(|(name, _)| *name).collect();
    chord.push_str(&named);
    chord
}
