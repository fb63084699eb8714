//! Routes keys to modes ([`crate::keyboard`]) or commands ([`crate::command`]), and applies effects.

use super::dispatch::dispatch;
use super::store::{Item, Store};
use crate::announce::{self, pluralize};
use crate::command::{Command, FocusContext, command_of};
use crate::geometry::Point;
use crate::i18n::{Announcement as W, Localized, format_message};
use crate::keyboard::{Chord, Effect, Focus, KeyPress, Keyboard, Mode, spatial_navigation};
use crate::plan_editor::PlanEditor;
use crate::viewport::FIT_MARGIN;
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::*;
use leptos::web_sys;
use stepgraph_core::value::number_text;
use stepgraph_lazy::lazy;

/// These elements handle their own keys.
const OWN_KEYS: &str = ".over, input, textarea, select, [contenteditable=true], [role=toolbar], [role=dialog], dialog, [popover]";
/// Screen readers read these on focus.
const READ_ON_FOCUS: &str = ".canvas .layer *, [role=treeitem]";
const TYPING: &str = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea, select, [contenteditable=true]";

lazy! {
    fn on_key(store: Store, event: &web_sys::KeyboardEvent) = key_pressed;

    fn on_key_first(store: Store, event: &web_sys::KeyboardEvent) = key_pressed_first;
}

fn key_pressed(store: Store, event: &web_sys::KeyboardEvent) {
    if event.default_prevented() || event.is_composing() {
        return;
    }
    let Some(chord) = chord(event) else { return };
    let context = focus_context(store, event);
    // Dialogs and menus handle their own.
    if is_within(event, "dialog, [popover]") {
        return;
    }
    if let Some(command) = command_of(&chord, context) {
        event.prevent_default();
        dispatch(store, command);
    }
}

/// In a mode before other handlers, else after.
pub fn listen(store: Store) {
    window_event_listener(leptos::ev::keydown, move |event| on_key(store, &event));
    let first = Closure::<dyn Fn(web_sys::KeyboardEvent)>::new(move |event: web_sys::KeyboardEvent| {
        on_key_first(store, &event);
    });
    let heard = first.as_ref().unchecked_ref();
    drop(window().add_event_listener_with_callback_and_bool("keydown", heard, true));
    // The closure lives as long as the page.
    first.forget();
}

/// Modes precede all handlers.
fn key_pressed_first(store: Store, event: &web_sys::KeyboardEvent) {
    let context = focus_context(store, event);
    if context.is_canvas && !event.is_composing() && chord(event).is_some_and(|chord| mode_key(store, &chord))
    {
        event.prevent_default();
        event.stop_propagation();
    }
}

fn focus_context(store: Store, event: &web_sys::KeyboardEvent) -> FocusContext {
    let canvas =
        (is_within(event, ".canvas") && !is_within(event, OWN_KEYS)) || is_within(event, "[role=tree]");
    FocusContext {
        is_typing: is_within(event, TYPING),
        is_canvas: canvas,
        has_single_keys: store.layout.with_untracked(|layout| layout.has_single_keys),
    }
}

fn is_within(event: &web_sys::KeyboardEvent, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|at| at.closest(selector).ok().flatten().is_some())
}

/// A key event's chord.
pub fn chord(event: &web_sys::KeyboardEvent) -> Option<Chord> {
    let key = event.key();
    let pressed = KeyPress {
        key: &key,
        ctrl: event.ctrl_key(),
        meta: event.meta_key(),
        alt: event.alt_key(),
        shift: event.shift_key(),
        alt_graph: event.get_modifier_state("AltGraph"),
        mac: is_mac(),
    };
    pressed.chord()
}

/// Mac labels.
pub fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|name| name.starts_with("Mac") || name.starts_with("iP"))
}

/// Returns whether it took the key.
fn mode_key(store: Store, chord: &Chord) -> bool {
    let effects = with_synced_keyboard(store, |keyboard, editor| keyboard.mode_key(chord, editor.scene()));
    effects.is_some_and(|effects| {
        apply_effects(store, &effects);
        true
    })
}

/// Applies decisions. Returns whether there were any.
pub fn with_keyboard(store: Store, decide: impl FnOnce(&mut Keyboard, &PlanEditor) -> Vec<Effect>) -> bool {
    let effects =
        with_synced_keyboard(store, |keyboard, editor| Some(decide(keyboard, editor))).unwrap_or_default();
    apply_effects(store, &effects);
    !effects.is_empty()
}

/// The pointer may have moved focus and selection.
fn with_synced_keyboard<T>(
    store: Store,
    action: impl FnOnce(&mut Keyboard, &PlanEditor) -> Option<T>,
) -> Option<T> {
    let seen = current_focus(store);
    store
        .keyboard(|keyboard, editor| {
            if *keyboard.mode() == Mode::Navigate && *keyboard.focus() != seen {
                keyboard.set_focus(seen, editor.scene());
            }
            let several = editor.selection().nodes().count() + editor.selection().edges().count() > 1;
            if several {
                keyboard.keep_selection(true);
            }
            action(keyboard, editor)
        })
        .flatten()
}

/// Focused item.
pub fn current_focus(store: Store) -> Focus {
    match store.focus.get_untracked() {
        None => Focus::Nothing,
        Some(Item::Node(node_path)) => Focus::Node(node_path),
        Some(Item::Edge(scope, index)) => Focus::Edge(scope, index),
    }
}

fn item_of_focus(focus: &Focus) -> Option<Item> {
    match focus {
        Focus::Nothing => None,
        Focus::Node(node_path) => Some(Item::Node(node_path.clone())),
        Focus::Edge(scope, index) => Some(Item::Edge(scope.clone(), *index)),
    }
}

/// Reveals it. The selection stays.
pub fn give_focus(store: Store, focus: &Focus) {
    store.keyboard(|keyboard, editor| keyboard.set_focus(focus.clone(), editor.scene()));
    apply_effect(store, &Effect::FocusMoved);
}

/// Also selects and reveals it.
pub fn focus_on(store: Store, focus: &Focus) {
    store.keyboard(|keyboard, editor| keyboard.set_focus(focus.clone(), editor.scene()));
    apply_effects(store, &[Effect::FocusMoved, Effect::Select]);
}

fn apply_effects(store: Store, effects: &[Effect]) {
    for effect in effects {
        apply_effect(store, effect);
    }
    if effects.contains(&Effect::FocusMoved) || effects.contains(&Effect::Toggle) {
        announce_focus(store);
    }
}

/// Skips text that a screen reader already reads.
pub fn announce_focus(store: Store) {
    // The canvas focuses it next frame.
    request_animation_frame(move || {
        request_animation_frame(move || {
            let active = document().active_element();
            if active.is_none_or(|active| !active.matches(READ_ON_FOCUS).unwrap_or_default()) {
                announce_focus_now(store);
            }
        });
    });
}

fn announce_focus_now(store: Store) {
    let (focus, lang) = (current_focus(store), store.lang.get_untracked());
    let message = store.read(|editor| {
        store.overlay.with_untracked(|overlay| announce::describe_focus(editor, overlay, &focus, lang))
    });
    store.announce(message);
}

fn apply_effect(store: Store, effect: &Effect) {
    match effect {
        Effect::FocusMoved => publish_focus(store),
        Effect::Select => select(store, &current_focus(store), false),
        Effect::Add(focus) => add_to_selection(store, focus),
        Effect::Toggle => select(store, &current_focus(store), true),
        Effect::ClearSelection => {
            store.update_selection(PlanEditor::clear_selection);
            announce(store, W::Unselected, &[]);
        }
        Effect::Drag(by) => drag(store, *by),
        Effect::Drop(by) => drop_at(store, *by),
        Effect::CancelDrag => {
            store.update_selection(PlanEditor::cancel_drag);
            announce(store, W::MoveCancelled, &[]);
        }
        Effect::PreviewEdge(from, to) => preview_edge(store, *from, *to),
        Effect::NoTarget => no_target(store),
        Effect::Connect(from, to) => connect(store, *from, *to),
        Effect::CancelConnect => {
            store.edge_preview.set(None);
            announce(store, W::ConnectCancelled, &[]);
        }
    }
}

fn announce(store: Store, word: W, with: &[&str]) {
    store.announce(format_message(word.text(store.lang.get_untracked()), with));
}

fn publish_focus(store: Store) {
    let (found, area) = store
        .keyboard(|keyboard, editor| {
            let scene = editor.scene();
            let area = match spatial_navigation::item_of_focus(scene, keyboard.focus()) {
                Some(spatial_navigation::Item::Node(node)) => scene.nodes.get(node).map(|node| node.area),
                Some(spatial_navigation::Item::Edge(edge)) => {
                    scene.edges.get(edge).map(|scene_edge| scene_edge.curve.bounds())
                }
                None => None,
            };
            (item_of_focus(keyboard.focus()), area)
        })
        .unwrap_or_default();
    store.focus.set(found);
    if let Some(area) = area {
        store.reveal(area, FIT_MARGIN);
    }
}

fn select(store: Store, focus: &Focus, extend: bool) {
    match focus {
        Focus::Node(node_path) => store.update_selection(|editor| editor.select_node(node_path, extend)),
        Focus::Edge(scope, index) => {
            store.update_selection(|editor| editor.select_edge(scope, *index, extend));
        }
        Focus::Nothing => store.update_selection(PlanEditor::clear_selection),
    }
}

fn add_to_selection(store: Store, focus: &Focus) {
    let is_selected = store.read(|editor| match focus {
        Focus::Node(node_path) => editor.selection().has_node(node_path),
        Focus::Edge(scope, index) => editor.selection().has_edge(scope, *index),
        Focus::Nothing => true,
    });
    if !is_selected {
        select(store, focus, true);
    }
}

fn drag(store: Store, by: Point) {
    store.update_selection(|editor| editor.drag(by));
    if by == Point::default() {
        announce(store, W::Moving, &[]);
    } else {
        announce(store, W::Moved, &[&number_text(by.x), &number_text(by.y)]);
    }
}

fn drop_at(store: Store, by: Point) {
    if store.change(|editor, now| editor.drop_selected(by, None, now)) {
        announce(store, W::Dropped, &[]);
    }
}

fn titles(store: Store, from: usize, to: usize) -> (String, String) {
    store.read(|editor| {
        let title =
            |node: usize| editor.scene().nodes.get(node).map(|node| node.title.clone()).unwrap_or_default();
        (title(from), title(to))
    })
}

fn preview_edge(store: Store, from: usize, to: usize) {
    let is_new = store.edge_preview.get_untracked().is_none();
    store.edge_preview.set(Some((from, to)));
    let (from_title, to_title) = titles(store, from, to);
    let found = store.keyboard(|keyboard, editor| {
        let Mode::Connect(connecting) = keyboard.mode() else { return None };
        let number = (connecting.index + 1).to_string();
        Some((
            number,
            connecting.targets.len().to_string(),
            editor.scene().nodes.get(to).map(|node| node.area),
        ))
    });
    let Some((number, count, area)) = found.flatten() else { return };
    let lang = store.lang.get_untracked();
    let target = format_message(W::Target.text(lang), &[&to_title, &number, &count]);
    store.announce(if is_new {
        format_message(W::Connecting.text(lang), &[&from_title, &target])
    } else {
        target
    });
    if let Some(area) = area {
        store.reveal(area, FIT_MARGIN);
    }
}

fn no_target(store: Store) {
    let typed = store.keyboard(|keyboard, _| match keyboard.mode() {
        Mode::Connect(connecting) => connecting.typed.clone(),
        _ => String::new(),
    });
    announce(store, W::NoTarget, &[&typed.unwrap_or_default()]);
}

/// The new edge gets the focus, for its condition.
fn connect(store: Store, from: usize, to: usize) {
    store.edge_preview.set(None);
    let node_paths = store.read(|editor| {
        let nodes = &editor.scene().nodes;
        nodes
            .get(from)
            .zip(nodes.get(to))
            .map(|(from, to)| (from.scope.clone(), from.node_path(), to.node_path()))
    });
    let Some((scope, from_place, to_place)) = node_paths else { return };
    let (from_title, to_title) = titles(store, from, to);
    if !store.change(|editor, now| editor.connect(&from_place, &to_place, now)) {
        return;
    }
    announce(store, W::Connected, &[&from_title, &to_title]);
    let created = store.read(|editor| {
        let own = editor.scene().edges.iter().filter(|edge| edge.scope == scope).map(|edge| edge.index);
        own.max()
    });
    if let Some(index) = created {
        focus_on(store, &Focus::Edge(scope, index));
    }
}

/// Moves or extends. Announces a missing item.
pub fn move_focus(store: Store, command: Command) {
    let went = with_keyboard(store, |keyboard, editor| {
        let extended =
            command.extend_direction().map(|direction| keyboard.extend_selection(direction, editor.scene()));
        extended
            .or_else(|| command.focus_move().map(|step| keyboard.move_focus(step, editor.scene())))
            .unwrap_or_default()
    });
    if !went {
        announce(store, W::NothingThere, &[]);
    }
}

/// Number of items.
pub fn announce_selection(store: Store) {
    let number = store.read(|editor| editor.selection().nodes().count() + editor.selection().edges().count());
    let lang = store.lang.get_untracked();
    store.announce(if number == 0 {
        W::Unselected.text(lang).to_owned()
    } else {
        pluralize(number, W::SelectedOne, W::SelectedAll, lang)
    });
}
