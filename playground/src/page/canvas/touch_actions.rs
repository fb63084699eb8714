//! Commands of the selection on narrow pages, whose users have no keys and may not know a long press.

use super::canvas_view::CanvasView;
use crate::command::Command;
use crate::i18n::{Canvas as W, Localized, Run};
use crate::page::dispatch::dispatch;
use crate::page::key_events::with_keyboard;
use crate::page::store::t;
use leptos::prelude::*;

const NODE_COMMANDS: [Command; 5] =
    [Command::EditForm, Command::AddNode, Command::Connect, Command::Rename, Command::Delete];
const EDGE_COMMANDS: [Command; 2] = [Command::EditForm, Command::Delete];

/// Styles hide it on wide pages.
pub(super) fn touch_actions(view: CanvasView) -> impl IntoView {
    let store = view.store;
    let commands = Memo::new(move |_| {
        let shown: &[Command] = store.with_selection(|editor| {
            let selection = editor.selection();
            match (selection.only_node(), selection.only_edge()) {
                (Some(_), _) => &NODE_COMMANDS[..],
                (_, Some(_)) => &EDGE_COMMANDS[..],
                _ => &[],
            }
        });
        if store.share.is_readonly.get() { &[] } else { shown }
    });
    let is_shown = move || !commands.get().is_empty();
    let buttons = move || {
        let rows = commands.get().iter().filter_map(|command| command.row());
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
            <div class="touch-actions over" role="toolbar" aria-label=t(store, W::SelectionActions)>{content}</div>
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
