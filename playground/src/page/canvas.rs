//! The drawing: one canvas for edges and for what is far away, elements for nodes and conditions that can be read.
//!
//! Decides which events lead where. What is painted, hit, allowed and meant is decided in [`crate::paint`] and [`crate::gesture`].
//!
//! Files: `canvas_view` what is held, and its frames · `canvas_renderer` paints · `node_card`, `edge_label` nodes and edges as elements, kept in a `element_pool` · `pointer`
//! what comes of pointers · `auto_pan` where they take the view along · `overlay` previews · `node_type_picker` types for new nodes · `condition_editor` conditions in their places · `minimap`, `controls`.

mod auto_pan;
mod canvas_renderer;
mod canvas_view;
mod condition_editor;
mod controls;
mod edge_label;
mod element_pool;
mod minimap;
mod node_card;
mod node_type_picker;
mod overlay;
mod pointer;

use super::store::{Item, Store, t};
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
use overlay::{edge_handles, edge_preview, marquee};
use pointer::{is_over, number_of, target};
use stepgraph_core::value::number_text;
use stepgraph_lazy::lazy;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

lazy! {
    /// What is drawn while something is being done.
    fn interaction_previews(pane: CanvasView) -> AnyView = previews;

    /// What opens over the drawing.
    fn editors(pane: CanvasView) -> AnyView = condition_and_picker;

    /// A pointer did something.
    fn on_pointer(pane: CanvasView, event: &web_sys::PointerEvent, act: PointerPhase) = CanvasView::pointer;

    /// A pointer belongs to somebody else now.
    fn on_pointer_lost(pane: CanvasView, event: &web_sys::PointerEvent) = CanvasView::pointer_lost;

    /// Something was clicked twice.
    fn on_double_click(pane: CanvasView, event: &web_sys::MouseEvent) = CanvasView::double_click;

    /// Something was clicked.
    fn on_click(pane: CanvasView, event: &web_sys::MouseEvent) = button_clicked;

    /// A key was pressed or released.
    fn on_key(pane: CanvasView, event: &KeyboardEvent, is_down: bool) = key_changed;

    /// Something got the focus.
    fn on_focus(pane: CanvasView, event: &web_sys::FocusEvent) = focus_received;

    /// A wheel was turned.
    fn on_wheel(pane: CanvasView, event: &web_sys::WheelEvent) = CanvasView::wheel;
}

/// The plan as a drawing.
#[component]
pub fn Canvas(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let pane = CanvasView::new(store);
    let root = NodeRef::<leptos::html::Div>::new();
    let layer = NodeRef::<leptos::html::Div>::new();
    let paper = NodeRef::<leptos::html::Canvas>::new();
    Effect::new(move || {
        if let (Some(root), Some(layer), Some(paper)) = (root.get(), layer.get(), paper.get()) {
            add_listeners(pane, &root);
            pane.attach(root.into(), layer.into(), paper);
        }
    });
    follow_store(pane);
    let is_stale = Memo::new(move |_| store.with_text(|session| !session.is_current()));
    view! {
        <div class="canvas" node_ref=root tabindex="0" role="application" aria-label=t(store, W::Plan) aria-describedby="canvas-hint"
            class:dimmed=move || is_stale.get()
            class:readonly=move || store.share.is_readonly.get()
            class:leading=move || pane.edge_drag.get().is_some()
            class:over-edge=move || pane.hovered_edge.get().is_some()
            on:pointerdown=move |event| on_pointer(pane, &event, PointerPhase::Down)
            on:pointermove=move |event| on_pointer(pane, &event, PointerPhase::Move)
            on:pointerup=move |event| on_pointer(pane, &event, PointerPhase::Up)
            on:pointercancel=move |event| on_pointer(pane, &event, PointerPhase::Cancel)
            on:lostpointercapture=move |event| on_pointer_lost(pane, &event)
            on:dblclick=move |event| on_double_click(pane, &event)
            on:click=move |event| on_click(pane, &event)
            on:keydown=move |event| on_key(pane, &event, true)
            on:keyup=move |event| on_key(pane, &event, false)
            on:focusin=move |event| on_focus(pane, &event)>
            <p id="canvas-hint" class="unseen">{t(store, W::Hint)}</p>
            <canvas node_ref=paper aria-hidden="true"></canvas>
            <div class="layer" node_ref=layer></div>
            <Show when=move || store.has_interacted.get()>{interaction_previews(pane)}</Show>
            {empty_notice(pane)}
            {stale_notice(pane)}
            {controls(pane)}
            {minimap(pane)}
            <Show when=move || store.has_interacted.get()>{editors(pane)}</Show>
        </div>
    }
}

fn previews(pane: CanvasView) -> AnyView {
    view! { {edge_handles(pane)} {edge_preview(pane)} {marquee(pane)} }.into_any()
}

fn condition_and_picker(pane: CanvasView) -> AnyView {
    view! { {condition_editor(pane)} {node_type_picker(pane)} }.into_any()
}

/// What the drawing follows.
fn follow_store(pane: CanvasView) {
    let store = pane.store;
    Effect::new(move || {
        store.scene_version.track();
        store.selection_version.track();
        store.overlay.track();
        store.theme.track();
        store.lang.track();
        store.edge_preview.track();
        pane.edge_drag.track();
        pane.hovered_edge.track();
        pane.mark_changed();
    });
    Effect::new(move || {
        store.text_version.track();
        pane.follow_text();
        pane.mark_changed();
    });
    Effect::new(move || {
        store.view.track();
        store.screen.track();
        pane.request_frame();
    });
    Effect::new(move || {
        store.focus.track();
        pane.focus_changed();
    });
    // What keys lead.
    Effect::new(move || {
        let Some((from, to)) = store.edge_preview.get() else { return pane.edge_drag.set(None) };
        let at = store.read(|session| session.scene().nodes.get(to).map(|node| node.area.centre()));
        pane.edge_drag_end.set((at.unwrap_or_default(), Some(to)));
        pane.edge_drag.set(Some((EdgeDrag::New(from), true)));
    });
}

/// What views can't listen to: the pane's size, and wheels, which have to be kept from the page.
fn add_listeners(pane: CanvasView, root: &HtmlElement) {
    let store = pane.store;
    let resized = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        if let Ok(entry) = entries.get(0).dyn_into::<web_sys::ResizeObserverEntry>() {
            let area = entry.content_rect();
            store.screen.set(Size::new(area.width(), area.height()));
        }
    });
    if let Ok(observer) = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()) {
        observer.observe(root);
    }
    // Both live as long as the page.
    resized.forget();
    let wheel = Closure::<dyn FnMut(web_sys::WheelEvent)>::new(move |event| on_wheel(pane, &event));
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

/// The buttons at nodes and edges.
fn button_clicked(pane: CanvasView, event: &web_sys::MouseEvent) {
    let Some(at) = target(event) else { return };
    if is_over(event, ".toggle") {
        if let Some(node) = number_of(&at, ".node", "data-node") {
            pane.toggle(node);
        }
    } else if is_over(event, ".insert")
        && let Some(edge) = number_of(&at, ".edge", "data-edge")
    {
        let found = pane.store.read(|session| {
            let line = session.scene().edges.get(edge)?;
            Some((line.scope.clone(), line.index, line.curve.middle()))
        });
        if let Some((scope, edge, at)) = found {
            pane.pick(at, Purpose::Into(scope, edge));
        }
    }
}

/// Keys that belong to pointers: Escape takes back what they have begun, the space bar makes them pan.
fn key_changed(pane: CanvasView, event: &KeyboardEvent, is_down: bool) {
    match event.key().as_str() {
        " " => {
            pane.with_state(|held| held.has_space = is_down);
        }
        "Escape" if is_down && pane.cancel() => {
            event.prevent_default();
            event.stop_propagation();
        }
        _ => {}
    }
}

/// What a screen reader or a click has given the focus to.
fn focus_received(pane: CanvasView, event: &web_sys::FocusEvent) {
    let Some(at) = target(event) else { return };
    if is_over(event, ".over") {
        return;
    }
    let (node, edge) = (number_of(&at, ".node", "data-node"), number_of(&at, ".edge", "data-edge"));
    let item = pane.store.read(|session: &PlanEditor| {
        let scene = session.scene();
        let node = node.and_then(|node| scene.nodes.get(node)).map(|node| Item::Node(node.node_path()));
        let edge = || Some(scene.edges.get(edge?)?).map(|line| Item::Edge(line.scope.clone(), line.index));
        node.or_else(edge)
    });
    if item.is_some() && pane.store.focus.get_untracked() != item {
        pane.store.focus.set(item);
    }
}

/// A zoom in hundredths.
fn percent(zoom: f64) -> String {
    number_text((zoom * 100.0).round())
}
