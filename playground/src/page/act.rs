//! The one dispatcher: keys, menus, toolbar and palette all come here.
//!
//! Decides what each command does to what is open. Adding one is a row in `command` and an arm here.
//!
//! Source: facts of the playground, section 4.1 and thread 15.

use super::rooms;
use super::store::Store;
use crate::command::Command;
use crate::geometry::{Point, Rect};
use crate::look::Theme;
use crate::viewport::{STEP, Viewport};
use crate::words::{Lang, Shell, Words, fill};
use leptos::prelude::*;

/// How far from the border what is shown stays.
const MARGIN: f64 = 32.0;

/// Carries out a command.
pub fn act(store: Store, command: Command) {
    match command {
        Command::Undo => step(store, true),
        Command::Redo => step(store, false),
        Command::Delete => drop(store.change(crate::session::Session::remove_selected)),
        Command::Duplicate => drop(store.change(crate::session::Session::duplicate_selected)),
        Command::SelectAll => store.choose(crate::session::Session::choose_all),
        Command::SelectNothing => store.choose(crate::session::Session::choose_nothing),
        Command::ZoomIn => zoom(store, STEP),
        Command::ZoomOut => zoom(store, 1.0 / STEP),
        Command::ZoomReset => zoom(store, 1.0 / store.view.get_untracked().zoom),
        Command::ZoomFit => fit(store, store.read(|session| session.scene().bounds)),
        Command::ZoomSelection => zoom_to_selection(store),
        Command::Tidy => drop(store.change(crate::session::Session::tidy)),
        Command::ThemeSwitch => store.theme.update(|theme| {
            *theme = if *theme == Theme::Light { Theme::Dark } else { Theme::Light };
        }),
        Command::Gallery | Command::Connections | Command::Request => {
            rooms::open(command.row().map_or("", |row| row.id))
        }
        Command::LanguageSwitch => store.lang.update(|lang| {
            *lang = if *lang == Lang::En { Lang::Es } else { Lang::En };
        }),
    }
}

fn step(store: Store, back: bool) {
    let lang = store.lang.get_untracked();
    let (done, nothing) =
        if back { (Shell::Undone, Shell::NothingToUndo) } else { (Shell::Redone, Shell::NothingToRedo) };
    match store.step(back) {
        Some(name) => store.say(fill(done.text(lang), &[&name])),
        None => store.say(nothing.text(lang)),
    }
}

/// Zooms around the middle of the pane.
fn zoom(store: Store, times: f64) {
    let screen = store.screen.get_untracked();
    let middle = Point::new(screen.width / 2.0, screen.height / 2.0);
    store.view.update(|view| *view = view.zoomed(times, middle));
}

/// Shows a part of the drawing whole.
pub fn fit(store: Store, part: Rect) {
    store.view.set(Viewport::fitting(part, store.screen.get_untracked(), MARGIN));
}

fn zoom_to_selection(store: Store) {
    let chosen = store.read(|session| {
        let boxes = session.scene().nodes.iter().filter(|node| session.selection().has_node(&node.place()));
        Rect::around_all(boxes.map(|node| node.area))
    });
    if let Some(part) = chosen {
        fit(store, part);
    }
}
