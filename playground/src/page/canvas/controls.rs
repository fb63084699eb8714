//! The canvas toolbar, and notices for an outdated or empty canvas.
//!
//! Source: WCAG 2.2, 2.5.1 (a button for every pinch gesture).

use super::canvas_view::CanvasView;
use super::minimap::is_shown;
use super::node_type_picker::{Purpose, TypePick};
use crate::command::Command;
use crate::geometry::Point;
use crate::i18n::{Canvas as W, Localized, Shell, format_message};
use crate::layout::LayoutDirection;
use crate::page::dispatch::dispatch;
use crate::page::store::{Store, t};
use crate::plan_editor::PlanEditor;
use leptos::prelude::*;
use stepgraph_core::diagnostic::Span;

pub(super) fn controls(view: CanvasView) -> impl IntoView {
    let store = view.store;
    let percent = move || crate::page::canvas::percent(store.view.get().zoom);
    let zoom_name = move || format_message(W::Zoom.text(store.lang.get()), &[&percent()]);
    let button = move |command: Command, name: Shell, icon: &'static str| {
        view! {
            <button type="button" aria-label=t(store, name) title=t(store, name) on:click=move |_| dispatch(store, command)>
                <svg viewBox="0 0 20 20" aria-hidden="true"><path d=icon /></svg>
            </button>
        }
    };
    let (map_on, grid_on) =
        (Signal::derive(move || is_shown(view)), Signal::derive(move || view.snaps_to_grid.get()));
    let turn_map = Callback::new(move |()| view.minimap.set(Some(!is_shown(view))));
    let turn_grid = Callback::new(move |()| view.snaps_to_grid.update(|on| *on = !*on));
    let right_on = Signal::derive(move || store.share.direction.get() == LayoutDirection::Right);
    let turn_right = Callback::new(move |()| dispatch(store, Command::LeftToRight));
    view! {
        <div class="controls over" role="toolbar" aria-label=t(store, W::View)
            // Clicks keep the focus, so canvas keys still work.
            on:mousedown=|event| event.prevent_default()>
            {button(Command::ZoomOut, Shell::ZoomOut, "M5 10h10")}
            <button type="button" class="percent" aria-label=zoom_name title=t(store, Shell::ZoomReset) on:click=move |_| dispatch(store, Command::ZoomReset)>
                {move || [&percent(), " %"].concat()}
            </button>
            {button(Command::ZoomIn, Shell::ZoomIn, "M5 10h10M10 5v10")}
            {button(Command::ZoomFit, Shell::ZoomFit, "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4")}
            {button(Command::Tidy, Shell::Tidy, "M7 3h6v4H7zM3 13h5v4H3zM12 13h5v4h-5zM10 7v3M5.500 13v-3h9v3")}
            {switch(store, Shell::LeftToRight, "M3 6h4v8H3zM13 6h4v8h-4zM7 10h6M10.500 7.500L13 10l-2.500 2.500", right_on, turn_right)}
            {switch(store, W::Grid, "M4 7.300h12M4 12.700h12M7.300 4v12M12.700 4v12", grid_on, turn_grid)}
            {switch(store, W::Minimap, "M3 5l4.500-1.500 5 2L17 4v11l-4.500 1.500-5-2L3 16zM7.500 3.500v11M12.500 5.500v11", map_on, turn_map)}
        </div>
    }
}

fn switch(
    store: Store,
    name: impl Localized,
    icon: &'static str,
    is_on: Signal<bool>,
    turn: Callback<()>,
) -> impl IntoView {
    let name = t(store, name);
    view! {
        <button type="button" aria-label=name title=name
            aria-pressed=move || if is_on.get() { "true" } else { "false" } on:click=move |_| turn.run(())>
            <svg viewBox="0 0 20 20" aria-hidden="true"><path d=icon /></svg>
        </button>
    }
}

/// The error that keeps the canvas outdated.
fn syntax_error(editor: &PlanEditor) -> Option<(usize, Span)> {
    let place = editor.blocking_diagnostic().filter(|_| editor.is_outdated())?.span?;
    Some((editor.document().line_index().line_col(place.start).0, place))
}

pub(super) fn stale_notice(view: CanvasView) -> impl IntoView {
    let store = view.store;
    let broken = Memo::new(move |_| store.with_text(syntax_error));
    let line = move || broken.get().map_or(1, |(line, _)| line).to_string();
    let go = move |_| store.reveal_span.set(broken.get_untracked().map(|(_, place)| place));
    view! {
        <p class="stale over" hidden=move || broken.get().is_none()>
            <span aria-hidden="true">"!"</span>
            <span class="text">{move || format_message(W::Stale.text(store.lang.get()), &[&line()])}</span>
            <button type="button" on:click=go>{move || format_message(W::GoToLine.text(store.lang.get()), &[&line()])}</button>
        </p>
    }
}

pub(super) fn empty_notice(view: CanvasView) -> impl IntoView {
    let store = view.store;
    let is_empty = Memo::new(move |_| store.with_scene(|editor| editor.scene().nodes.is_empty()));
    // The notice of an error says more.
    let can_add = move || store.with_text(|editor| editor.blocking_diagnostic().is_none());
    let begin = move |_| {
        let screen = store.screen.get_untracked();
        let middle = Point::new(screen.width / 2.0 - 140.0, screen.height / 2.0 - 60.0);
        let at = store.view.get_untracked().to_drawing(middle);
        view.picking.set(Some(TypePick { at, purpose: Purpose::Alone }));
    };
    view! {
        <div class="empty over" hidden=move || !is_empty.get() || !can_add() || view.picking.get().is_some()>
            <p class="large">{t(store, W::Empty)}</p>
            <p>{t(store, W::EmptyHint)}</p>
            <button type="button" class="main" on:click=begin>{t(store, W::AddNode)}</button>
        </div>
    }
}
