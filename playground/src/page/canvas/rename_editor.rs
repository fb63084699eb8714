//! Renames a node inline. Enter or leaving applies, Escape discards. A refused name stays, with a notification.

use super::canvas_view::CanvasView;
use crate::geometry::Rect;
use crate::i18n::Shell as W;
use crate::keyboard::Focus;
use crate::page::dom::pixels;
use crate::page::key_events::focus_on;
use crate::page::store::{Dialog, t};
use leptos::prelude::*;
use leptos::web_sys::KeyboardEvent;
use stepgraph_core::graph::scoped_name;

const MIN_WIDTH: f64 = 180.0;
const HEIGHT: f64 = 40.0;

pub(super) fn rename_editor(view: CanvasView) -> impl IntoView {
    let is_open = move || view.store.dialog.with(|dialog| matches!(dialog, Some(Dialog::Rename(_))));
    view! { <Show when=is_open>{name_field(view)}</Show> }
}

fn name_field(view: CanvasView) -> impl IntoView {
    let store = view.store;
    let node_path = match store.dialog.get_untracked() {
        Some(Dialog::Rename(node_path)) => node_path,
        _ => String::new(),
    };
    let key = node_path.rsplit_once('/').map_or(node_path.as_str(), |(_, key)| key).to_owned();
    let input = NodeRef::<leptos::html::Input>::new();
    Effect::new({
        let key = key.clone();
        move || {
            if let Some(field) = input.get() {
                field.set_value(&key);
                drop(field.focus());
                field.select();
            }
        }
    });
    let typed = move || input.try_get_untracked().flatten().map(|field| field.value().trim().to_owned());
    let is_refused = RwSignal::new(false);
    let area = {
        let node_path = node_path.clone();
        move || node_area(view, &node_path)
    };
    let commit = move || {
        let Some(to) = typed().filter(|to| *to != key) else {
            return close(view, &node_path);
        };
        if store.change(|editor, now| editor.rename(&node_path, &to, now)) {
            let scope = node_path.rsplit_once('/').map_or("", |(scope, _)| scope);
            close(view, &scoped_name(scope, &to));
        } else {
            is_refused.set(true);
        }
    };
    let on_key = {
        let commit = commit.clone();
        move |event: KeyboardEvent| {
            match event.key().as_str() {
                "Enter" => commit(),
                "Escape" => leave(view),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        }
    };
    // Leaving a refused name discards it, or the notification would repeat.
    let left = move |_| {
        if is_refused.get_untracked() || store.dialog.with_untracked(Option::is_none) {
            store.dialog.set(None);
        } else {
            commit();
            store.dialog.set(None);
        }
    };
    let (left_side, top, width) = (area.clone(), area.clone(), area);
    view! {
        <div class="rename over" role="dialog" aria-label=t(store, W::Rename)
            style:left=move || pixels(left_side().min.x) style:top=move || pixels(top().min.y)
            style:width=move || pixels(width().size.width)>
            <input node_ref=input type="text" autocomplete="off" spellcheck="false" aria-label=t(store, W::NewName)
                aria-invalid=move || is_refused.get().to_string()
                on:input=move |_| is_refused.set(false) on:keydown=on_key on:blur=left />
        </div>
    }
}

fn close(view: CanvasView, node_path: &str) {
    leave(view);
    focus_on(view.store, &Focus::Node(node_path.to_owned()));
}

/// Returns the focus to the canvas.
fn leave(view: CanvasView) {
    view.store.dialog.set(None);
    if let Some(root) = view.with_state(|state| state.root.clone()).flatten() {
        drop(root.focus());
    }
    view.focus_changed();
}

/// The field is over the node, inside the pane.
fn node_area(view: CanvasView, node_path: &str) -> Rect {
    let area = view.store.with_scene(|editor| {
        let scene = editor.scene();
        scene.node_at_path(node_path).and_then(|node| scene.nodes.get(node)).map(|node| node.area)
    });
    let mut area = view.on_screen(&area.unwrap_or_default());
    let screen = view.store.screen.get();
    area.size.width = area.size.width.max(MIN_WIDTH);
    area.min.x = area.min.x.min(screen.width - area.size.width - 8.0).max(8.0);
    area.min.y = area.min.y.min(screen.height - HEIGHT).max(8.0);
    area
}
