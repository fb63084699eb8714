//! Dispatches commands from keys, menus, toolbar and palette. A new command needs a row in `command` and an arm here.

use super::clipboard;
use super::dom::{docs_address, focus_if_lost, focus_soon};
use super::js_bridge::on_first_interaction;
use super::js_dialogs;
use super::key_events;
use super::language::engine_text;
use super::recent::Recent;
use super::run::control;
use super::share;
use super::store::{Adding, Dialog, Item, Store};
use crate::announce::pluralize;
use crate::command::Command;
use crate::geometry::{Point, Rect};
use crate::i18n::{Announcement, Lang, Localized, Shell, format_message};
use crate::keyboard::Focus;
use crate::page_layout::{Pane, Panel, PanelState, Scheme};
use crate::plan_editor::{Align, EditOutcome, PlanEditor};
use crate::viewport::{FIT_MARGIN, Viewport, ZOOM_STEP};
use leptos::prelude::*;
use leptos::wasm_bindgen::prelude::Closure;
use stepgraph_lazy::lazy;

lazy! {
    /// Runs a command.
    pub fn dispatch(store: Store, command: Command) = execute;

    /// Shows and focuses a pane.
    pub fn show_pane(store: Store, pane: Pane) = focus_pane;
}

fn execute(store: Store, command: Command) {
    use Command as C;
    // Commands need the typed text.
    store.commit_typing();
    if command.is_edit() && store.share.is_readonly.get_untracked() {
        return store.announce(Shell::ReadOnly.text(store.lang.get_untracked()));
    }
    match command {
        C::Palette => store.dialog.set(Some(Dialog::Palette)),
        C::Find => store.dialog.set(Some(Dialog::Find)),
        C::Keys => store.dialog.set(Some(Dialog::Keys)),
        C::FindText => ask_text_pane(store, "find"),
        C::ReplaceText => ask_text_pane(store, "replace"),
        C::FormatText => ask_text_pane(store, "format"),
        C::Undo => undo_or_redo(store, true),
        C::Redo => undo_or_redo(store, false),
        C::Cut => clipboard::cut(store),
        C::Copy => clipboard::copy(store),
        C::Paste => clipboard::paste(store),
        C::Delete => delete(store),
        C::Duplicate => duplicate(store),
        C::SelectAll => {
            store.update_selection(PlanEditor::select_all);
            key_events::announce_selection(store);
        }
        C::ClearSelection => drop(key_events::with_keyboard(store, |keyboard, _| keyboard.escape())),
        C::AddNode => store.dialog.set(Some(Dialog::Add(insertion_point(store)))),
        C::Connect => begin_connect(store),
        C::Move => begin_move(store),
        C::Rename => open_rename(store),
        C::EditForm => show_pane(store, Pane::Inspector),
        C::EditNote => {
            store.pane.set(Pane::Inspector);
            focus_form(store, &["#node-note"]);
        }
        C::OpenGroup => open_group(store),
        C::ToggleSelected => toggle_selected(store),
        C::AlignLeft => align(store, Align::Left),
        C::AlignCentre => align(store, Align::Centre),
        C::AlignRight => align(store, Align::Right),
        C::AlignTop => align(store, Align::Top),
        C::AlignMiddle => align(store, Align::Middle),
        C::AlignBottom => align(store, Align::Bottom),
        C::GroupNodes => restructure(store, PlanEditor::group_selected),
        C::Ungroup => restructure(store, PlanEditor::ungroup_selected),
        C::SetStart => drop(store.change(PlanEditor::set_start)),
        C::NewPlan => share::new_plan(store),
        C::Tidy => tidy(store),
        C::LeftToRight => switch_direction(store),
        C::ZoomIn => zoom(store, ZOOM_STEP),
        C::ZoomOut => zoom(store, 1.0 / ZOOM_STEP),
        C::ZoomReset => zoom(store, 1.0 / store.view.get_untracked().zoom),
        C::ZoomFit => store.fit_or_enlarge(),
        C::ZoomSelection => zoom_to_selection(store),
        C::Run => control::start_or_resume(store),
        C::RunStep => control::step(store, false),
        C::RunStepOver => control::step(store, true),
        C::RunPause => control::control_run("pause"),
        C::RunStop => control::control_run("stop"),
        C::RunToHere => control::run_to_selected(store),
        C::Breakpoint => control::toggle_breakpoint(store),
        C::RunTests => {
            control::show_panel(store, Panel::Tests);
            control::run_tests(store);
        }
        C::ShowRun => control::show_panel(store, Panel::Run),
        C::ShowText => show_pane(store, Pane::Text),
        C::ShowOutline => show_pane(store, Pane::Outline),
        C::ShowCanvas => show_pane(store, Pane::Canvas),
        C::ShowInspector => show_pane(store, Pane::Inspector),
        C::ShowPanel => show_pane(store, Pane::Panel),
        C::ThemeLight => store.layout.update(|layout| layout.scheme = Scheme::Light),
        C::ThemeDark => store.layout.update(|layout| layout.scheme = Scheme::Dark),
        C::ThemeSystem => store.layout.update(|layout| layout.scheme = Scheme::System),
        C::LanguageSwitch => switch_language(store),
        C::Save => share::save(store),
        C::Plans => share::show_dialog(store, share::Dialog::Plans),
        C::Points => share::show_dialog(store, share::Dialog::RestorePoints),
        C::Export => share::show_dialog(store, share::Dialog::Export),
        C::Gallery | C::Connections | C::Request => {
            js_dialogs::open_dialog(command.row().map_or("", |row| row.id));
        }
        C::SingleKeys => switch_singles(store),
        C::WrapText => store.layout.update(|layout| layout.wraps_text = !layout.wraps_text),
        C::TabIndents => switch_tab(store),
        C::Docs => open_docs(),
        go => key_events::move_focus(store, go),
    }
}

fn ask_text_pane(store: Store, service: &'static str) {
    // The text pane focuses itself.
    store.pane.set(Pane::Text);
    store.shows_outline.set(false);
    store.service.set(Some(service));
}

fn undo_or_redo(store: Store, back: bool) {
    let lang = store.lang.get_untracked();
    let (done, nothing) =
        if back { (Shell::Undone, Shell::NothingToUndo) } else { (Shell::Redone, Shell::NothingToRedo) };
    match store.undo_or_redo(back) {
        Some(name) => {
            let name = engine_text(lang, "undo/name", &name);
            store.announce(format_message(done.text(lang), &[&name]));
        }
        None => store.announce(nothing.text(lang)),
    }
    keep_focus_valid(store);
}

const CANVAS_ITEMS: &[&str] = &[".canvas .layer [tabindex='0']", ".canvas"];

/// Refocuses if the item is gone. The page's focus may have been on it, or on a menu that has closed.
pub fn keep_focus_valid(store: Store) {
    key_events::with_keyboard(store, |keyboard, editor| keyboard.keep_valid(editor.scene()));
    focus_if_lost(CANVAS_ITEMS);
}

/// Announces that the selection is removed. Read it before.
pub fn removed_text(store: Store) -> String {
    let lang = store.lang.get_untracked();
    store.read(|editor| {
        let selection = editor.selection();
        match selection.only_node() {
            Some(node_path) => format_message(Announcement::Removed.text(lang), &[node_path]),
            None => {
                let number = selection.nodes().count() + selection.edges().count();
                pluralize(number, Announcement::RemovedOne, Announcement::RemovedAll, lang)
            }
        }
    })
}

fn delete(store: Store) {
    let is_empty = store.read(|editor| editor.selection().is_empty());
    // The neighbour is near the place of the focused item, which the pointer may have focused.
    key_events::with_keyboard(store, |_, _| Vec::new());
    let removed = removed_text(store);
    if !is_empty && store.change(PlanEditor::remove_selected) {
        store.announce(removed);
        keep_focus_valid(store);
    }
}

fn duplicate(store: Store) {
    if store.change(PlanEditor::duplicate_selected) {
        focus_on_selected(store);
    }
}

fn restructure(store: Store, change: fn(&mut PlanEditor, f64) -> EditOutcome) {
    if store.change(change) {
        focus_on_selected(store);
    }
}

/// The first selected node gets the focus. Announces the selection if it has others.
pub fn focus_on_selected(store: Store) {
    if let Some(node_path) = store.read(|editor| editor.selection().only_node().map(str::to_owned)) {
        return key_events::focus_on(store, &Focus::Node(node_path));
    }
    if let Some(node_path) = store.read(|editor| editor.selection().nodes().next().map(str::to_owned)) {
        key_events::give_focus(store, &Focus::Node(node_path));
    }
    key_events::announce_selection(store);
}

/// Behind a node, into an edge, or free.
fn insertion_point(store: Store) -> Adding {
    match store.focus.get_untracked() {
        Some(Item::Node(node_path)) => {
            let scope = node_path.rsplit_once('/').map(|(scope, _)| scope.to_owned()).unwrap_or_default();
            Adding { scope, after: Some(node_path), ..Adding::default() }
        }
        Some(Item::Edge(scope, index)) => Adding { scope, into: Some(index), ..Adding::default() },
        None => Adding::default(),
    }
}

/// Also focuses it.
pub fn add_node(store: Store, adding: &Adding, kind: &str) {
    let done = store.change(|editor, now| match adding.into {
        Some(edge) => editor.insert_into(&adding.scope, edge, kind, now),
        None => editor.add_node(&adding.scope, kind, adding.after.as_deref(), adding.at, now),
    });
    if done {
        Recent::NodeTypes.remember(kind);
        store.announce(format_message(Announcement::Added.text(store.lang.get_untracked()), &[kind]));
        focus_on_selected(store);
        show_pane(store, Pane::Canvas);
    }
}

fn begin_connect(store: Store) {
    show_pane(store, Pane::Canvas);
    if !key_events::with_keyboard(store, |keyboard, editor| keyboard.begin_connect(editor.scene())) {
        store.announce(Announcement::NothingToConnect.text(store.lang.get_untracked()));
    }
}

fn begin_move(store: Store) {
    if store.read(|editor| editor.selection().nodes().next().is_some()) {
        show_pane(store, Pane::Canvas);
        key_events::with_keyboard(store, |keyboard, _| keyboard.begin_move());
    }
}

fn open_rename(store: Store) {
    let node = store.read(|editor| editor.selection().only_node().map(str::to_owned));
    match node {
        Some(node_path) => {
            store.pane.set(Pane::Canvas);
            let area = store.read(|editor| {
                let scene = editor.scene();
                scene.node_at_path(&node_path).and_then(|node| scene.nodes.get(node)).map(|node| node.area)
            });
            if let Some(area) = area {
                store.reveal(area, FIT_MARGIN);
            }
            store.dialog.set(Some(Dialog::Rename(node_path)));
        }
        None => show_pane(store, Pane::Inspector),
    }
}

fn open_group(store: Store) {
    if let Some(Item::Node(node_path)) = store.focus.get_untracked() {
        let is_group = store.read(|editor| {
            let scene = editor.scene();
            scene
                .node_at_path(&node_path)
                .and_then(|node| scene.nodes.get(node))
                .is_some_and(|node| node.is_expanded.is_some())
        });
        if is_group {
            store.update_selection(|editor| editor.toggle_group(&node_path));
            key_events::announce_focus(store);
        }
    }
}

fn toggle_selected(store: Store) {
    let is_selected = store.read(|editor| match store.focus.get_untracked() {
        Some(Item::Node(node_path)) => editor.selection().has_node(&node_path),
        Some(Item::Edge(scope, index)) => editor.selection().has_edge(&scope, index),
        None => false,
    });
    key_events::with_keyboard(store, |keyboard, _| keyboard.toggle(is_selected));
}

/// Also shows the whole plan, unless only several selected nodes were tidied.
fn tidy(store: Store) {
    let is_part = store.read(|editor| editor.selection().nodes().nth(1).is_some());
    if store.change(PlanEditor::reset_layout) && !is_part {
        store.fit_drawing();
    }
}

fn align(store: Store, align: Align) {
    store.change(|editor, now| editor.align_selected(align, now));
}

fn focus_pane(store: Store, pane: Pane) {
    store.pane.set(pane);
    match pane {
        Pane::Text => store.shows_outline.set(false),
        Pane::Outline => store.shows_outline.set(true),
        Pane::Panel => store.layout.update(|layout| layout.panel = PanelState::Open),
        Pane::Canvas | Pane::Inspector => {}
    }
    let places: &'static [&'static str] = match pane {
        Pane::Text => &[".pane.text .cm-content", ".pane.text textarea"],
        Pane::Outline => &[".outline [role=treeitem][tabindex='0']", ".outline"],
        Pane::Canvas => CANVAS_ITEMS,
        Pane::Inspector => &[
            ".pane.inspector .rows input",
            ".pane.inspector .rows button",
            ".pane.inspector input",
            ".pane.inspector select",
            ".pane.inspector",
        ],
        Pane::Panel => &[".panel [role=tab][aria-selected=true]"],
    };
    if matches!(pane, Pane::Outline | Pane::Inspector) {
        focus_form(store, places);
    } else {
        focus_soon(places);
    }
}

/// Form and outline need an interaction, so a first key waits.
fn focus_form(store: Store, places: &'static [&'static str]) {
    if store.has_interacted.get_untracked() {
        focus_soon(places);
    } else {
        on_first_interaction(&Closure::once_into_js(move || focus_soon(places)));
    }
}

fn switch_language(store: Store) {
    let other = if store.lang.get_untracked() == Lang::En { Lang::Es } else { Lang::En };
    super::language::with_texts(other, move |lang| {
        // The failure is shown, and is no choice of English.
        if lang != other {
            return;
        }
        store.lang.set(lang);
        store.layout.update(|layout| layout.lang = Some(lang));
        super::language::forget_address();
        store.announce(lang.name());
    });
}

fn switch_singles(store: Store) {
    store.layout.update(|layout| layout.has_single_keys = !layout.has_single_keys);
    let on = store.layout.with_untracked(|layout| layout.has_single_keys);
    store.announce(if on { Shell::SinglesOn } else { Shell::SinglesOff }.text(store.lang.get_untracked()));
}

/// Announces what Tab does now.
fn switch_tab(store: Store) {
    store.layout.update(|layout| layout.tab_indents = !layout.tab_indents);
    store.announce(super::text::tab_hint(store));
}

/// Also shows the whole plan.
fn switch_direction(store: Store) {
    store.set_direction(store.read(PlanEditor::direction).other());
    store.fit_drawing();
}

/// Another tab keeps the plan and its run.
fn open_docs() {
    if let Some(address) = docs_address() {
        drop(window().open_with_url_and_target_and_features(&address, "_blank", "noopener"));
    }
}

fn zoom(store: Store, times: f64) {
    let screen = store.screen.get_untracked();
    let middle = Point::new(screen.width / 2.0, screen.height / 2.0);
    store.view.update(|view| *view = view.zoomed(times, middle));
}

fn zoom_to_selection(store: Store) {
    let selected = store.read(|editor| {
        let boxes = editor.scene().nodes.iter().filter(|node| editor.selection().has_node(&node.node_path()));
        Rect::union_all(boxes.map(|node| node.area))
    });
    if let Some(area) = selected {
        let screen = store.screen.get_untracked();
        store.view.set(Viewport::fit_above_toolbar(area, screen, FIT_MARGIN));
    }
}
