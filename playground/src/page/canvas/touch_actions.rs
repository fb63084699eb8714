//! Commands of the selected node on narrow pages, whose users have no keys and may not know a long press.

use super::canvas_view::CanvasView;
use crate::command::Command;
use crate::i18n::{Canvas as W, Localized, Run};
use crate::page::dispatch::dispatch;
use crate::page::key_events::with_keyboard;
use crate::page::store::t;
use leptos::prelude::*;

const COMMANDS: [Command; 5] =
    [Command::EditForm, Command::AddNode, Command::Connect, Command::Rename, Command::Delete];

/// Styles hide it on wide pages.
pub(super) fn touch_actions(view: CanvasView) -> impl IntoView {
    let store = view.store;
    let is_shown = move || {
        let has_node = store.with_selection(|editor| editor.selection().only_node().is_some());
        has_node && !store.share.is_readonly.get()
    };
    let buttons = move || {
        let rows = COMMANDS.iter().filter_map(|command| command.row());
        let button = |row: &'static crate::command::Row| {
            view! {
                <button type="button" on:click=move |_| dispatch(store, row.command)>
                    {move || row.name.text(store.lang.get())}
                </button>
            }
        };
        rows.map(button).collect_view().into_any()
    };
    let is_connecting = move || view.edge_drag.get().is_some_and(|(_, by_clicks)| by_clicks);
    let content = move || if is_connecting() { connecting(view) } else { buttons() };
    view! {
        <Show when=is_shown>
            <div class="touch-actions over" role="toolbar" aria-label=t(store, W::NodeActions)>{content}</div>
        </Show>
    }
}

/// The next tap on a node connects it.
fn connecting(view: CanvasView) -> AnyView {
    let store = view.store;
    let cancel = move |_| {
        with_keyboard(store, |keyboard, _| keyboard.exit_mode());
        view.cancel();
    };
    view! {
        <span>{t(store, W::TapTarget)}</span>
        <button type="button" on:click=cancel>{t(store, Run::Cancel)}</button>
    }
    .into_any()
}
