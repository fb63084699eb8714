//! Finds commands, nodes and types, ranked by [`crate::search`].
//!
//! Source: the combobox pattern of ARIA, with a list.

use super::super::dispatch::{add_node, dispatch, show_pane};
use super::super::dom::docs_address;
use super::super::icon::{self, icon};
use super::super::key_events::{focus_on, is_mac};
use super::super::recent::Recent;
use super::super::store::{Dialog, Store, t};
use crate::appearance::NodeAppearance;
use crate::command::{COMMANDS, Command};
use crate::i18n::{Lang, Localized, Shell as W, format_message};
use crate::keyboard::Focus;
use crate::node_choices::{NodeChoice, first_position, node_choices};
use crate::page_layout::Pane;
use crate::search;
use leptos::html::Ul;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlElement;

const MAX_ENTRIES: usize = 60;

/// Entry kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaletteKind {
    /// Commands.
    Commands,
    /// Plan nodes.
    Nodes,
    /// To add one.
    NodeTypes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PaletteChoice {
    Command(Command),
    Node(String),
    NodeType(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PaletteEntry {
    choice: PaletteChoice,
    name: String,
    detail: String,
    key: String,
    icon: &'static str,
    /// The typed text. The user has to choose it, Enter does not.
    is_unknown: bool,
}

/// Input and matches.
#[component]
pub fn CommandPalette(
    /// Page state.
    store: Store,
    /// Entry kind.
    kind: PaletteKind,
) -> impl IntoView {
    let query = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let found = Memo::new(move |_| query.with(|query| find_entries(store, kind, query)));
    let list = NodeRef::<Ul>::new();
    let hint = match kind {
        PaletteKind::Commands => W::TypeCommand,
        PaletteKind::Nodes => W::TypeNode,
        PaletteKind::NodeTypes => W::TypeKind,
    };
    let choose = move |at: usize| {
        if let Some(entry) = found.with_untracked(|found| found.get(at).cloned()) {
            close_and_run(store, entry.choice);
        }
    };
    // The position of nothing is beyond all entries.
    let first = move || {
        let is_unknown = found.with_untracked(|found| found.first().map(|entry| entry.is_unknown));
        first_position(is_unknown)
    };
    let pressed = move |event: leptos::ev::KeyboardEvent| {
        let last = found.with_untracked(Vec::len).saturating_sub(1);
        let now = at.get_untracked();
        if event.key() == "Enter" {
            event.prevent_default();
            if now == usize::MAX {
                store.announce(W::NoResults.text(store.lang.get_untracked()));
            }
            return choose(now);
        }
        let Some(next) = next_position(&event.key(), now, last) else { return };
        event.prevent_default();
        at.set(next);
        scroll_to(list, next);
    };
    let typed = move |event| {
        query.set(event_target_value(&event));
        at.set(first());
    };
    let line = move |(number, entry): (usize, PaletteEntry)| {
        let is = move || at.get() == number;
        view! {
            <li
                role="option"
                id=["option-", &number.to_string()].concat()
                aria-selected=move || is().to_string()
                on:pointermove=move |_| if at.get_untracked() != number { at.set(number) }
                on:click=move |_| choose(number)
            >
                {icon(entry.icon)}
                <span class="name">{entry.name}</span>
                <span class="detail">{entry.detail}</span>
                {(!entry.key.is_empty()).then(|| view! { <kbd>{entry.key}</kbd> })}
            </li>
        }
    };
    let lines = move || found.get().into_iter().enumerate().map(line).collect_view();
    let active = move || {
        let shown = found.with(|found| at.get() < found.len());
        shown.then(|| ["option-", &at.get().to_string()].concat())
    };
    let known = |found: &Vec<PaletteEntry>| found.iter().filter(|entry| !entry.is_unknown).count();
    let count = move || count_text(store.lang.get(), found.with(known));
    view! {
        <div class="seeker">
            <input
                type="text"
                role="combobox"
                aria-expanded="true"
                aria-autocomplete="list"
                aria-controls="options"
                aria-activedescendant=active
                aria-label=t(store, hint)
                placeholder=t(store, hint)
                autocomplete="off"
                spellcheck="false"
                autofocus
                on:input=typed
                on:keydown=pressed
            />
            <ul id="options" role="listbox" aria-label=t(store, hint) tabindex="-1" node_ref=list>{lines}</ul>
            <p class="count" role="status">{count}</p>
        </div>
    }
}

/// `None` for other keys.
fn next_position(key: &str, now: usize, last: usize) -> Option<usize> {
    Some(match key {
        "ArrowDown" if now >= last => 0,
        "ArrowDown" => now + 1,
        "ArrowUp" => now.checked_sub(1).unwrap_or(last).min(last),
        "PageDown" => now.saturating_add(8).min(last),
        "PageUp" => now.min(last).saturating_sub(8),
        _ => return None,
    })
}

fn count_text(lang: Lang, count: usize) -> String {
    match count {
        0 => W::NoResults.text(lang).to_owned(),
        1 => W::OneResult.text(lang).to_owned(),
        several => format_message(W::Results.text(lang), &[&several.to_string()]),
    }
}

fn scroll_to(list: NodeRef<Ul>, at: usize) {
    let Some(list) = list.get_untracked() else { return };
    let line = u32::try_from(at).ok().and_then(|at| list.children().item(at));
    let Some(line) = line.and_then(|line| line.dyn_into::<HtmlElement>().ok()) else { return };
    let (top, bottom) = (line.offset_top(), line.offset_top() + line.offset_height());
    let (first, last) = (list.scroll_top(), list.scroll_top() + list.client_height());
    if top < first {
        list.set_scroll_top(top);
    } else if bottom > last {
        list.set_scroll_top(bottom - list.client_height());
    }
}

fn find_entries(store: Store, kind: PaletteKind, query: &str) -> Vec<PaletteEntry> {
    match kind {
        PaletteKind::Commands => commands(store, query),
        PaletteKind::Nodes => nodes(store, query),
        PaletteKind::NodeTypes => node_types(store, query),
    }
}

fn commands(store: Store, query: &str) -> Vec<PaletteEntry> {
    let lang = store.lang.get();
    let is_readonly = store.share.is_readonly.get();
    // Focus moves are for keys only.
    let is_sought = |command: Command| {
        (command.focus_move().is_none() || matches!(command, Command::GoForwards | Command::GoBack))
            && command.extend_direction().is_none()
            && command != Command::Palette
            && (command != Command::Docs || docs_address().is_some())
    };
    let mut rows: Vec<_> = COMMANDS
        .iter()
        .filter(|row| is_sought(row.command) && !(is_readonly && row.command.is_edit()))
        .collect();
    if query.trim().is_empty() {
        rows = search::recent_first(rows, &Recent::Commands.names(), |row| row.id);
    }
    let synonyms: Vec<String> =
        rows.iter().map(|row| [row.id, " ", row.command.keywords()].concat()).collect();
    let texts = rows.iter().zip(&synonyms).map(|(row, synonyms)| search::SearchTexts {
        name: row.name.text(lang),
        synonyms,
        about: "",
    });
    let fitting = search::ranked(query, texts, MAX_ENTRIES);
    let entry = |at: usize| {
        let row = rows.get(at)?;
        let key = row.command.key().map(|key| key.label(is_mac(), lang)).unwrap_or_default();
        let name = row.name.text(lang).to_owned();
        Some(PaletteEntry {
            choice: PaletteChoice::Command(row.command),
            name,
            detail: String::new(),
            key,
            icon: icon::RIGHT,
            is_unknown: false,
        })
    };
    fitting.into_iter().filter_map(entry).collect()
}

fn nodes(store: Store, query: &str) -> Vec<PaletteEntry> {
    store.with_scene(|editor| {
        let scene = editor.scene();
        let entry = |at: usize| {
            let node = scene.nodes.get(at)?;
            let node_path = node.node_path();
            let name = if node.title == node.key {
                node_path.clone()
            } else {
                [&node.title, " · ", &node_path].concat()
            };
            let icon = NodeAppearance::for_type(&node.kind).icon();
            Some(PaletteEntry {
                choice: PaletteChoice::Node(node_path),
                name,
                detail: node.kind.clone(),
                key: String::new(),
                icon,
                is_unknown: false,
            })
        };
        search::nodes(query, &scene.nodes, editor.plan(), MAX_ENTRIES).into_iter().filter_map(entry).collect()
    })
}

fn node_types(store: Store, query: &str) -> Vec<PaletteEntry> {
    let entry = |choice: NodeChoice| PaletteEntry {
        icon: NodeAppearance::for_type(&choice.kind).icon(),
        choice: PaletteChoice::NodeType(choice.name.clone()),
        name: choice.name,
        detail: choice.about,
        is_unknown: choice.is_unknown,
        key: String::new(),
    };
    let lang = store.lang.get();
    let recent = Recent::NodeTypes.names();
    store.with_text(|editor| {
        node_choices(query, editor, &recent, lang, MAX_ENTRIES).into_iter().map(entry).collect()
    })
}

/// Closing restores the focus before the action.
fn close_and_run(store: Store, choice: PaletteChoice) {
    let dialog = store.dialog.get_untracked();
    store.dialog.set(None);
    request_animation_frame(move || run_choice(store, dialog, choice));
}

fn run_choice(store: Store, dialog: Option<Dialog>, choice: PaletteChoice) {
    match choice {
        PaletteChoice::Command(command) => {
            if let Some(row) = command.row() {
                Recent::Commands.remember(row.id);
            }
            dispatch(store, command);
        }
        PaletteChoice::Node(node_path) => {
            focus_on(store, &Focus::Node(node_path));
            show_pane(store, Pane::Canvas);
        }
        PaletteChoice::NodeType(kind) => {
            if let Some(Dialog::Add(adding)) = dialog {
                add_node(store, &adding, &kind);
            }
        }
    }
}
