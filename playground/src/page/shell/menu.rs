//! Grouped commands in a `popover`, which restores the focus.
//!
//! Source: the menu button pattern of ARIA.

use super::super::dispatch::dispatch;
use super::super::dom::{docs_address, pixels};
use super::super::icon::icon;
use super::super::key_events::{current_focus, is_mac};
use super::super::store::{Store, t};
use crate::command::{Command, Row};
use crate::i18n::{Localized, Shell as W};
use crate::keyboard::Focus;
use crate::layout::LayoutDirection;
use crate::menu::{CANVAS_CONTEXT, CONTEXT, Group};
use crate::page_layout::Scheme;
use crate::scene::SceneNode;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{self, HtmlElement};
use stepgraph_lazy::lazy;

/// A button of the header with its menu.
#[component]
pub fn MenuButton(
    /// Page state.
    store: Store,
    /// The menu's id.
    id: &'static str,
    /// Name of both.
    name: W,
    /// Icon path.
    path: &'static str,
    /// Its commands.
    groups: &'static [Group],
) -> impl IntoView {
    let menu = NodeRef::<Div>::new();
    let is_open = RwSignal::new(false);
    let open = move |_| show_menu(menu);
    view! {
        <button
            type="button"
            class="only"
            aria-label=t(store, name)
            title=t(store, name)
            aria-haspopup="menu"
            aria-expanded=move || is_open.get().to_string()
            popovertarget=id
            on:click=open
        >
            {icon(path)}
        </button>
        <Menu store menu is_open id name groups/>
    }
}

/// For the item, and for empty canvas.
#[component]
pub fn ContextMenu(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let (menu, canvas_menu) = (NodeRef::<Div>::new(), NodeRef::<Div>::new());
    let (is_open, canvas_open) = (RwSignal::new(false), RwSignal::new(false));
    let pressed = StoredValue::new_local(None::<(NodeRef<Div>, (i32, i32))>);
    window_event_listener(leptos::ev::contextmenu, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let inside = target.is_some_and(|at| at.closest(".canvas").ok().flatten().is_some());
        let menu = if current_focus(store) == Focus::Nothing { canvas_menu } else { menu };
        if !inside {
            return;
        }
        event.prevent_default();
        let at = (event.client_x(), event.client_y());
        // Firefox closes a popover at the release of an earlier press.
        if event.buttons() == 0 { open_at(menu, at) } else { pressed.set_value(Some((menu, at))) }
    });
    window_event_listener(leptos::ev::pointerdown, move |_| pressed.set_value(None));
    window_event_listener(leptos::ev::pointerup, move |_| {
        if let Some((menu, at)) = pressed.try_update_value(Option::take).flatten() {
            set_timeout(move || open_at(menu, at), std::time::Duration::ZERO);
        }
    });
    view! {
        <Menu store menu is_open id="context-menu" name=W::Edit groups=CONTEXT/>
        <Menu store menu=canvas_menu is_open=canvas_open id="canvas-menu" name=W::Canvas groups=CANVAS_CONTEXT/>
    }
}

fn open_at(menu: NodeRef<Div>, (x, y): (i32, i32)) {
    if let Some(found) = menu.get_untracked() {
        position_menu(&found, x, y);
        drop(found.show_popover());
        show_menu(menu);
    }
}

fn position_menu(menu: &HtmlElement, x: i32, y: i32) {
    let space = |size: Result<leptos::wasm_bindgen::JsValue, _>, need: f64| {
        size.ok().and_then(|size| size.as_f64()).map_or(0.0, |size| (size - need).max(0.0))
    };
    let (right, bottom) = (space(window().inner_width(), 260.0), space(window().inner_height(), 440.0));
    let style = menu.style();
    drop(style.set_property("left", &pixels(f64::from(x).min(right))));
    drop(style.set_property("top", &pixels(f64::from(y).min(bottom))));
}

#[component]
fn Menu(
    store: Store,
    menu: NodeRef<Div>,
    is_open: RwSignal<bool>,
    id: &'static str,
    name: W,
    groups: &'static [Group],
) -> impl IntoView {
    let toggled = move |_| {
        let open = menu.get_untracked().is_some_and(|menu| menu.matches(":popover-open").unwrap_or_default());
        is_open.set(open);
    };
    view! {
        <div
            class="menu"
            id=id
            popover="auto"
            role="menu"
            aria-label=t(store, name)
            node_ref=menu
            on:toggle=toggled
            on:keydown=move |event| on_key(menu, &event)
        >
            <Show when=move || store.has_interacted.get()>{menu_entries(store, menu, groups)}</Show>
        </div>
    }
}

lazy! {
    fn menu_entries(store: Store, menu: NodeRef<Div>, groups: &'static [Group]) -> AnyView = build_entries;

    fn on_key(menu: NodeRef<Div>, event: &web_sys::KeyboardEvent) = key_pressed;

    /// Focuses its first command.
    fn show_menu(menu: NodeRef<Div>) = open_menu;
}

fn build_entries(store: Store, menu: NodeRef<Div>, groups: &'static [Group]) -> AnyView {
    let group = move |(name, commands): &'static Group| {
        let rows = commands.iter().filter_map(|command| command.row());
        view! {
            <div role="group" aria-label=t(store, *name)>
                <p class="heading" aria-hidden="true">{t(store, *name)}</p>
                {rows.map(|row| view! { <Entry store menu row/> }).collect_view()}
            </div>
        }
    };
    groups.iter().map(group).collect_view().into_any()
}

#[component]
fn Entry(store: Store, menu: NodeRef<Div>, row: &'static Row) -> impl IntoView {
    let command = row.command;
    let selected = move || match command {
        Command::ThemeLight => Some(store.layout.with(|layout| layout.scheme == Scheme::Light)),
        Command::ThemeDark => Some(store.layout.with(|layout| layout.scheme == Scheme::Dark)),
        Command::ThemeSystem => Some(store.layout.with(|layout| layout.scheme == Scheme::System)),
        Command::SingleKeys => Some(store.layout.with(|layout| layout.has_single_keys)),
        Command::LeftToRight => Some(store.share.direction.get() == LayoutDirection::Right),
        Command::WrapText => Some(store.layout.with(|layout| layout.wraps_text)),
        Command::TabIndents => Some(store.layout.with(|layout| layout.tab_indents)),
        _ => None,
    };
    let role = match command {
        Command::ThemeLight | Command::ThemeDark | Command::ThemeSystem => "menuitemradio",
        Command::SingleKeys | Command::WrapText | Command::TabIndents | Command::LeftToRight => {
            "menuitemcheckbox"
        }
        _ => "menuitem",
    };
    let key = move || command.key().map(|key| view! { <kbd>{key.label(is_mac(), store.lang.get())}</kbd> });
    let choose = move |_| {
        if let Some(menu) = menu.get_untracked() {
            drop(menu.hide_popover());
        }
        dispatch(store, command);
    };
    view! {
        <button
            type="button"
            role=role
            tabindex="-1"
            hidden=move || !is_applicable(store, command)
            aria-disabled=move || is_unavailable(store, command).then_some("true")
            aria-checked=move || selected().map(|is| is.to_string())
            on:click=choose
        >
            <span>{move || row.name.text(store.lang.get())}</span>
            {key}
        </button>
    }
}

/// Shown as disabled. It keeps the focus, and says why it does nothing.
pub fn is_unavailable(store: Store, command: Command) -> bool {
    match command {
        Command::Undo => !store.can_undo_or_redo(true),
        Command::Redo => !store.can_undo_or_redo(false),
        _ => false,
    }
}

/// The command changes the selection.
fn is_applicable(store: Store, command: Command) -> bool {
    let of_one = |is_it: fn(&SceneNode) -> bool| {
        store.with_selection(|editor| {
            let scene = editor.scene();
            let node = editor.selection().only_node().and_then(|node_path| scene.node_at_path(node_path));
            node.and_then(|node| scene.nodes.get(node)).is_some_and(is_it)
        })
    };
    match command {
        Command::Docs => docs_address().is_some(),
        // They concern one node, or an edge.
        Command::EditForm | Command::RunToHere | Command::GoForwards | Command::GoBack => {
            !store.with_selection(|editor| editor.selection().nodes().nth(1).is_some())
        }
        Command::Rename => of_one(|node| !node.is_ghost),
        Command::EditNote => store.with_selection(|editor| {
            editor.selection().only_node().is_some_and(|node| editor.note(node).is_some())
        }),
        Command::OpenGroup => of_one(|node| node.is_expanded.is_some()),
        Command::Ungroup => of_one(|node| node.kind == "graph"),
        Command::SetStart => of_one(|node| !node.is_start),
        Command::GroupNodes => store.with_selection(|editor| editor.selection().nodes().next().is_some()),
        _ => true,
    }
}

/// Hidden elements can't be focused, so it waits a frame.
fn open_menu(menu: NodeRef<Div>) {
    request_animation_frame(move || {
        if let Some(first) = entries(menu).into_iter().next() {
            drop(first.focus());
        }
    });
}

fn entries(menu: NodeRef<Div>) -> Vec<HtmlElement> {
    let Some(menu) = menu.get_untracked() else { return Vec::new() };
    let Ok(found) = menu.query_selector_all("[role^=menuitem]:not([hidden])") else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.get(at)?.dyn_into().ok()).collect()
}

fn key_pressed(menu: NodeRef<Div>, event: &web_sys::KeyboardEvent) {
    let all = entries(menu);
    let active = document().active_element();
    let now =
        all.iter().position(|entry| active.as_ref().is_some_and(|active| entry.is_same_node(Some(active))));
    let last = all.len().saturating_sub(1);
    let key = event.key();
    let next = match (key.as_str(), now) {
        ("ArrowDown", Some(at)) if at < last => at + 1,
        ("ArrowUp", Some(at)) if at > 0 => at - 1,
        ("ArrowUp" | "End", _) => last,
        ("ArrowDown" | "Home", _) => 0,
        ("Tab", _) => {
            if let Some(menu) = menu.get_untracked() {
                drop(menu.hide_popover());
            }
            return;
        }
        _ => match entry_by_letter(&all, &key, now) {
            Some(at) => at,
            None => return,
        },
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some(entry) = all.get(next) {
        drop(entry.focus());
    }
}

fn entry_by_letter(all: &[HtmlElement], key: &str, now: Option<usize>) -> Option<usize> {
    if key.chars().count() != 1 || key == " " {
        return None;
    }
    let letter = key.to_lowercase();
    let after = now.map_or(0, |at| at + 1);
    let begins = |at: &usize| {
        all.get(*at)
            .and_then(|entry| entry.text_content())
            .is_some_and(|text| text.to_lowercase().starts_with(&letter))
    };
    (after..all.len()).chain(0..after).find(begins)
}
