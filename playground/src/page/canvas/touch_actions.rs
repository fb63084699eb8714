//! Commands of the selected node on narrow pages, whose users have no keys and may not know a long press.

use super::canvas_view::CanvasView;
use crate::command::Command;
use crate::i18n::{Canvas as W, Localized};
use crate::page::dispatch::dispatch;
use crate::page::store::t;
use leptos::prelude::*;

const COMMANDS: [Command; 4] = [Command::EditForm, Command::AddNode, Command::Rename, Command::Delete];

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
        rows.map(button).collect_view()
    };
    view! {
        <Show when=is_shown>
            <div class="touch-actions over" role="toolbar" aria-label=t(store, W::NodeActions)>{buttons()}</div>
        </Show>
    }
}
