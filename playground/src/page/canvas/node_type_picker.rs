//! Picks a new node's type or tool by typing.

use super::canvas_view::CanvasView;
use crate::appearance::NodeAppearance;
use crate::geometry::{GRID, Point, Rect};
use crate::i18n::{Canvas as W, Localized};
use crate::layout::LayoutDirection;
use crate::node_choices::{NodeChoice, first_position, node_choices};
use crate::page::dom::pixels;
use crate::page::recent::Recent;
use crate::page::store::t;
use crate::paint::IndexedScene;
use leptos::prelude::*;
use leptos::web_sys::{HtmlInputElement, KeyboardEvent};

const MAX_CHOICES: usize = 40;
const WIDTH: f64 = 280.0;
const HEIGHT: f64 = 320.0;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct TypePick {
    pub(super) at: Point,
    pub(super) purpose: Purpose,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Purpose {
    Alone,
    /// Behind this node path.
    After(String),
    /// Edge scope and index.
    Into(String, usize),
}

pub(super) fn node_type_picker(view: CanvasView) -> impl IntoView {
    view! {
        <Show when=move || view.picking.get().is_some()>
            {picker_view(view)}
        </Show>
    }
}

fn picker_view(view: CanvasView) -> impl IntoView {
    let store = view.store;
    let (typed, at) = (RwSignal::new(String::new()), RwSignal::new(0_usize));
    let found = Memo::new(move |_| choices(view, &typed.get()));
    let input = NodeRef::<leptos::html::Input>::new();
    Effect::new(move || {
        if let Some(input) = input.get() {
            let input: &HtmlInputElement = &input;
            drop(input.focus());
        }
    });
    let take = move |number: usize| {
        let kind = found.with_untracked(|found| found.get(number).map(|kind| kind.name.clone()));
        if let (Some(kind), Some(pick)) = (kind, view.picking.get_untracked()) {
            view.picking.set(None);
            add_picked(view, &kind, pick);
        }
    };
    let first = |found: &[NodeChoice]| first_position(found.first().map(|choice| choice.is_unknown));
    let on_key = move |event: KeyboardEvent| {
        let count = found.with_untracked(Vec::len).max(1);
        match event.key().as_str() {
            "ArrowDown" => at.update(|at| *at = at.wrapping_add(1) % count),
            "ArrowUp" => at.update(|at| *at = at.checked_sub(1).unwrap_or(count - 1).min(count - 1)),
            "Enter" if at.get_untracked() == usize::MAX => {
                store.announce(W::NoType.text(store.lang.get_untracked()));
            }
            "Enter" => take(at.get_untracked()),
            "Escape" => close(view),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let options = move || {
        let kinds = found.get().into_iter().enumerate();
        kinds.map(|(number, kind)| type_option(view, number, kind, at, take)).collect_view()
    };
    let place = move || picker_position(view);
    view! {
        <div class="kinds over" role="dialog" aria-label=t(store, W::AddNode)
            style:left=move || pixels(place().0) style:top=move || pixels(place().1)>
            <input node_ref=input type="text" role="combobox" aria-expanded="true" aria-controls="kinds-list" aria-autocomplete="list"
                aria-activedescendant=move || (at.get() < usize::MAX).then(|| ["kind-", &at.get().to_string()].concat())
                aria-label=t(store, W::NodeType) placeholder=t(store, W::NodeType) autocomplete="off" spellcheck="false"
                on:input=move |event| { typed.set(event_target_value(&event)); at.set(found.with_untracked(|found| first(found))); }
                on:keydown=on_key on:blur=move |_| view.picking.set(None) />
            <ul id="kinds-list" role="listbox" aria-label=t(store, W::NodeType)>{options}</ul>
            <p class="none" hidden=move || found.with(|found| first(found) == 0)>{t(store, W::NoType)}</p>
        </div>
    }
}

fn type_option(
    view: CanvasView,
    number: usize,
    kind: NodeChoice,
    at: RwSignal<usize>,
    pick: impl Fn(usize) + Copy + 'static,
) -> impl IntoView {
    let appearance = NodeAppearance::for_type(&kind.kind);
    let store = view.store;
    let is_at = move || if at.get() == number { "true" } else { "false" };
    view! {
        <li role="option" id=["kind-", &number.to_string()].concat() aria-selected=is_at
            on:pointerdown=move |event| event.prevent_default()
            on:pointerenter=move |_| at.set(number) on:click=move |_| pick(number)>
            <span class="icon" aria-hidden="true" style:background=move || appearance.tint(store.theme.get()) style:color=move || appearance.ink(store.theme.get())>
                <svg viewBox="0 0 20 20"><path d=appearance.icon() /></svg>
            </span>
            <span class="title">{kind.name}</span>
            <span class="detail">{kind.about}</span>
        </li>
    }
}

fn close(view: CanvasView) {
    view.picking.set(None);
    if let Some(root) = view.with_state(|state| state.root.clone()).flatten() {
        drop(root.focus());
    }
    view.focus_changed();
}

fn choices(view: CanvasView, typed: &str) -> Vec<NodeChoice> {
    let lang = view.store.lang.get();
    let recent = Recent::NodeTypes.names();
    view.store.with_text(|editor| node_choices(typed, editor, &recent, lang, MAX_CHOICES))
}

fn add_picked(view: CanvasView, kind: &str, pick: TypePick) {
    let store = view.store;
    let done = match pick.purpose {
        Purpose::Into(scope, edge) => store.change(|editor, now| editor.insert_into(&scope, edge, kind, now)),
        Purpose::Alone | Purpose::After(_) => {
            let after = if let Purpose::After(node) = &pick.purpose { Some(node.as_str()) } else { None };
            let (mut scope, mut origin) =
                store.read(|editor| IndexedScene::scope_at(editor.scene(), pick.at));
            if let Some(after) = after {
                scope = after.rsplit_once('/').map(|(scope, _)| scope.to_owned()).unwrap_or_default();
                origin = store.read(|editor| {
                    let group = editor.scene().groups.iter().find(|group| group.scope == scope);
                    group.map(|group| group.origin).unwrap_or_default()
                });
            }
            // The edge arrives at the middle of this side.
            let side = match store.share.direction.get_untracked() {
                LayoutDirection::Down => Point::new(70.0, 0.0),
                LayoutDirection::Right => Point::new(0.0, 26.0),
            };
            let position = pick.at.plus(-origin.x - side.x, -origin.y - side.y).snapped(GRID);
            store.change(|editor, now| editor.add_node(&scope, kind, after, Some(position), now))
        }
    };
    if done {
        Recent::NodeTypes.remember(kind);
        let selected = store.read(|editor| editor.selection().only_node().map(str::to_owned));
        if let Some(root) = view.with_state(|state| state.root.clone()).flatten() {
            drop(root.focus());
        }
        store.focus.set(selected.map(crate::page::store::Item::Node));
    }
}

fn picker_position(view: CanvasView) -> (f64, f64) {
    let Some(pick) = view.picking.get() else { return (0.0, 0.0) };
    let at = view.on_screen(&Rect::between(pick.at, pick.at)).min;
    let screen = view.store.screen.get();
    let fit = |at: f64, space: f64, size: f64| at.min(space - size - 8.0).max(8.0);
    (fit(at.x, screen.width, WIDTH), fit(at.y, screen.height, HEIGHT))
}
