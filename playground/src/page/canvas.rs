//! The canvas pane. A `<canvas>` paints edges and distant nodes, elements show readable ones.

mod auto_pan;
mod canvas_renderer;
mod canvas_view;
mod condition_editor;
mod controls;
mod edge_label;
mod element_pool;
mod fit;
mod minimap;
mod node_card;
mod node_type_picker;
mod overlay;
mod pointer;
mod rename_editor;
mod touch_actions;

use super::dispatch::dispatch;
use super::store::{Item, Store, t};
use crate::command::Command;
use crate::geometry::Size;
use crate::gesture::{EdgeDrag, PointerPhase};
use crate::i18n::Canvas as W;
use crate::plan_editor::PlanEditor;
use canvas_view::CanvasView;
use condition_editor::condition_editor;
use controls::{controls, empty_notice, stale_notice};
use leptos::prelude::*;
use leptos::web_sys::{self, HtmlElement, KeyboardEvent};
use minimap::minimap;
use node_type_picker::{Purpose, node_type_picker};
use overlay::{edge_handles, edge_preview, guides, marquee};
use pointer::{is_over, number_of, target};
use rename_editor::rename_editor;
use stepgraph_core::value::number_text;
use stepgraph_lazy::lazy;
use touch_actions::touch_actions;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

lazy! {
    fn interaction_previews(view: CanvasView) -> AnyView = previews;

    fn editors(view: CanvasView) -> AnyView = condition_and_picker;

    fn on_pointer(view: CanvasView, event: &web_sys::PointerEvent, phase: PointerPhase) = CanvasView::pointer;

    fn on_pointer_lost(view: CanvasView, event: &web_sys::PointerEvent) = CanvasView::pointer_lost;

    fn on_double_click(view: CanvasView, event: &web_sys::MouseEvent) = CanvasView::double_click;

    fn on_click(view: CanvasView, event: &web_sys::MouseEvent) = button_clicked;

    fn on_key(view: CanvasView, event: &KeyboardEvent, is_down: bool) = key_changed;

    fn on_focus(view: CanvasView, event: &web_sys::FocusEvent) = focus_received;

    fn on_wheel(view: CanvasView, event: &web_sys::WheelEvent) = CanvasView::wheel;
}

/// Plan canvas.
#[component]
pub fn Canvas(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let view = CanvasView::new(store);
    let root = NodeRef::<leptos::html::Div>::new();
    let layer = NodeRef::<leptos::html::Div>::new();
    let paper = NodeRef::<leptos::html::Canvas>::new();
    Effect::new(move || {
        if let (Some(root), Some(layer), Some(paper)) = (root.get(), layer.get(), paper.get()) {
            add_listeners(view, &root);
            view.attach(root.into(), layer.into(), paper);
        }
    });
    follow_store(view);
    let is_stale = Memo::new(move |_| store.with_text(|editor| !editor.is_current()));
    view! {
        <div class="canvas" node_ref=root tabindex="0" role="application" aria-label=t(store, W::Plan) aria-describedby="canvas-hint"
            class:dimmed=move || is_stale.get()
            class:readonly=move || store.share.is_readonly.get()
            class:leading=move || view.edge_drag.get().is_some()
            data-direction=move || store.share.direction.get().id()
            class:over-edge=move || view.hovered_edge.get().is_some()
            on:pointerdown=move |event| on_pointer(view, &event, PointerPhase::Down)
            on:pointermove=move |event| on_pointer(view, &event, PointerPhase::Move)
            on:pointerup=move |event| on_pointer(view, &event, PointerPhase::Up)
            on:pointercancel=move |event| on_pointer(view, &event, PointerPhase::Cancel)
            on:lostpointercapture=move |event| on_pointer_lost(view, &event)
            on:dblclick=move |event| on_double_click(view, &event)
            on:click=move |event| on_click(view, &event)
            on:keydown=move |event| on_key(view, &event, true)
            on:keyup=move |event| on_key(view, &event, false)
            on:focusin=move |event| on_focus(view, &event)>
            <p id="canvas-hint" class="unseen">{t(store, W::Hint)}</p>
            <canvas node_ref=paper aria-hidden="true"></canvas>
            <div class="layer" node_ref=layer></div>
            <Show when=move || store.has_interacted.get()>{interaction_previews(view)}</Show>
            {empty_notice(view)}
            <div class="dock">{controls(view)} {stale_notice(view)}</div>
            {minimap(view)}
            <Show when=move || store.has_interacted.get()>{editors(view)}</Show>
        </div>
    }
}

fn previews(view: CanvasView) -> AnyView {
    view! { {edge_handles(view)} {edge_preview(view)} {marquee(view)} {guides(view)} {touch_actions(view)} }
        .into_any()
}

fn condition_and_picker(view: CanvasView) -> AnyView {
    view! { {condition_editor(view)} {node_type_picker(view)} {rename_editor(view)} }.into_any()
}

fn follow_store(view: CanvasView) {
    let store = view.store;
    Effect::new(move || {
        store.scene_version.track();
        store.selection_version.track();
        store.overlay.track();
        store.theme.track();
        store.lang.track();
        store.edge_preview.track();
        view.edge_drag.track();
        view.hovered_edge.track();
        view.mark_changed();
    });
    Effect::new(move || {
        store.text_version.track();
        view.follow_text();
        view.mark_changed();
    });
    Effect::new(move || {
        store.view.track();
        store.screen.track();
        view.request_frame();
    });
    Effect::new(move || {
        store.focus.track();
        view.focus_changed();
    });
    // An edge connected by keys.
    Effect::new(move || {
        let Some((from, to)) = store.edge_preview.get() else { return view.edge_drag.set(None) };
        let at = store.read(|editor| editor.scene().nodes.get(to).map(|node| node.area.centre()));
        view.edge_drag_end.set((at.unwrap_or_default(), Some(to)));
        view.edge_drag.set(Some((EdgeDrag::New(from), true)));
    });
}

/// Listeners that `view!` can't add: resizing, and a wheel that is not passive.
fn add_listeners(view: CanvasView, root: &HtmlElement) {
    let resized = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        if let Ok(entry) = entries.get(0).dyn_into::<web_sys::ResizeObserverEntry>() {
            let area = entry.content_rect();
            view.resized(Size::new(area.width(), area.height()));
        }
    });
    if let Ok(observer) = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()) {
        observer.observe(root);
    }
    // Both closures live as long as the page.
    resized.forget();
    let wheel = Closure::<dyn FnMut(web_sys::WheelEvent)>::new(move |event| on_wheel(view, &event));
    let options = web_sys::AddEventListenerOptions::new();
    options.set_passive(false);
    let add = root.add_event_listener_with_callback_and_add_event_listener_options(
        "wheel",
        wheel.as_ref().unchecked_ref(),
        &options,
    );
    drop(add);
    wheel.forget();
}

fn button_clicked(view: CanvasView, event: &web_sys::MouseEvent) {
    let Some(at) = target(event) else { return };
    if is_over(event, ".toggle") {
        if let Some(node) = number_of(&at, ".node", "data-node") {
            view.toggle(node);
        }
        return;
    }
    let (inserts, removes) = (is_over(event, ".insert"), is_over(event, ".remove"));
    let Some(edge) = number_of(&at, ".edge", "data-edge").filter(|_| inserts || removes) else { return };
    let found = view.store.read(|editor| {
        let scene_edge = editor.scene().edges.get(edge)?;
        Some((scene_edge.scope.clone(), scene_edge.index, scene_edge.curve.middle()))
    });
    let Some((scope, edge, at)) = found else { return };
    if inserts {
        view.pick(at, Purpose::Into(scope, edge));
    } else {
        view.store.update_selection(|editor| editor.select_edge(&scope, edge, false));
        dispatch(view.store, Command::Delete);
    }
}

/// Escape cancels, the space bar pans.
fn key_changed(view: CanvasView, event: &KeyboardEvent, is_down: bool) {
    match event.key().as_str() {
        " " => {
            view.with_state(|state| state.has_space = is_down);
        }
        "Escape" if is_down && view.cancel() => {
            event.prevent_default();
            event.stop_propagation();
        }
        _ => {}
    }
}

/// A click or screen reader may move the focus.
fn focus_received(view: CanvasView, event: &web_sys::FocusEvent) {
    let Some(at) = target(event) else { return };
    if is_over(event, ".over") {
        return;
    }
    let (node, edge) = (number_of(&at, ".node", "data-node"), number_of(&at, ".edge", "data-edge"));
    let item = view.store.read(|editor: &PlanEditor| {
        let scene = editor.scene();
        let node = node.and_then(|node| scene.nodes.get(node)).map(|node| Item::Node(node.node_path()));
        let edge = || {
            Some(scene.edges.get(edge?)?)
                .map(|scene_edge| Item::Edge(scene_edge.scope.clone(), scene_edge.index))
        };
        node.or_else(edge)
    });
    if item.is_some() && view.store.focus.get_untracked() != item {
        view.store.focus.set(item);
    }
}

fn percent(zoom: f64) -> String {
    number_text((zoom * 100.0).round())
}
