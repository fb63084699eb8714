//! The whole plan with the visible area. Large plans show it until hidden. It repaints for scene changes only.

use super::canvas_renderer::minimap_colour as ink;
use super::canvas_view::CanvasView;
use crate::appearance::NodeAppearance;
use crate::geometry::{Point, Rect, Size};
use crate::i18n::Canvas as W;
use crate::page::dom::{after_next_frame, pixels};
use crate::page::store::t;
use crate::viewport::Viewport;
use leptos::prelude::*;
use leptos::web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, PointerEvent};
use wasm_bindgen::JsCast;

const SIZE: Size = Size::new(184.0, 120.0);
const WIDTH: u32 = 368;
const HEIGHT: u32 = 240;
pub(super) const LARGE_PLAN_NODES: usize = 200;

pub(super) fn is_shown(view: CanvasView) -> bool {
    let is_large = view.store.with_scene(|editor| editor.scene().nodes.len() >= LARGE_PLAN_NODES);
    view.minimap.get().unwrap_or(is_large)
}

pub(super) fn minimap(view: CanvasView) -> impl IntoView {
    let is_shown = Memo::new(move |_| is_shown(view));
    view! {
        <Show when=move || is_shown.get()>
            {minimap_view(view)}
        </Show>
    }
}

fn minimap_view(canvas_view: CanvasView) -> impl IntoView {
    let store = canvas_view.store;
    let canvas = NodeRef::<leptos::html::Canvas>::new();
    let dependencies = move || {
        canvas_view.frames.track();
        store.theme.track();
        canvas.track();
    };
    after_next_frame(dependencies, move || {
        canvas.get_untracked().iter().for_each(|canvas| paint(canvas_view, canvas));
    });
    let seen = move || {
        canvas_view.frames.track();
        let map = minimap_viewport(canvas_view);
        let visible = store.view.get().visible_area(store.screen.get());
        let all = Rect::new(Point::default(), SIZE);
        clipped(Rect::between(map.to_screen(visible.min), map.to_screen(visible.max())), all)
    };
    let go = move |event: PointerEvent| {
        event.stop_propagation();
        let Some(canvas) = canvas.get_untracked() else { return };
        if event.type_() == "pointerdown" {
            drop(canvas.set_pointer_capture(event.pointer_id()));
        } else if event.buttons() == 0 {
            return;
        }
        let at = Point::new(f64::from(event.offset_x()), f64::from(event.offset_y()));
        let (centre, screen) = (minimap_viewport(canvas_view).to_drawing(at), store.screen.get_untracked());
        store.view.update(|view| {
            let now = view.to_screen(centre);
            *view = view.panned(screen.width / 2.0 - now.x, screen.height / 2.0 - now.y);
        });
    };
    view! {
        <div class="overview over" role="img" aria-label=t(store, W::Minimap)>
            <canvas node_ref=canvas width=WIDTH height=HEIGHT on:pointerdown=go on:pointermove=go></canvas>
            <div class="seen" style:left=move || pixels(seen().min.x) style:top=move || pixels(seen().min.y)
                style:width=move || pixels(seen().size.width) style:height=move || pixels(seen().size.height)></div>
        </div>
    }
}

fn minimap_viewport(view: CanvasView) -> Viewport {
    let bounds = view.store.read(|editor| editor.scene().bounds);
    let zoom = (SIZE.width - 12.0) / bounds.size.width.max(1.0);
    let zoom = zoom.min((SIZE.height - 12.0) / bounds.size.height.max(1.0)).min(0.25);
    let centre = bounds.centre();
    Viewport {
        origin: Point::new(SIZE.width / 2.0 - centre.x * zoom, SIZE.height / 2.0 - centre.y * zoom),
        zoom,
        is_fitted: false,
    }
}

fn clipped(area: Rect, all: Rect) -> Rect {
    let (min, max) = (area.min, area.max());
    let end = all.max();
    let within = |value: f64, low: f64, high: f64| value.max(low).min(high);
    Rect::between(
        Point::new(within(min.x, 0.0, end.x), within(min.y, 0.0, end.y)),
        Point::new(within(max.x, 0.0, end.x), within(max.y, 0.0, end.y)),
    )
}

fn paint(view: CanvasView, canvas: &HtmlCanvasElement) {
    let context = canvas.get_context("2d").ok().flatten();
    let Some(context) = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok())
    else {
        return;
    };
    let (map, theme) = (minimap_viewport(view), view.store.theme.get_untracked());
    let twice = f64::from(WIDTH) / SIZE.width;
    drop(context.set_transform(twice, 0.0, 0.0, twice, 0.0, 0.0));
    context.clear_rect(0.0, 0.0, SIZE.width, SIZE.height);
    view.store.read(|editor| {
        let mut last = None;
        for node in editor.scene().nodes.iter().filter(|node| node.is_expanded != Some(true)) {
            let appearance = NodeAppearance::for_type(&node.kind);
            if last != Some(appearance) {
                context.set_fill_style_str(ink(appearance, theme));
                last = Some(appearance);
            }
            let at = map.to_screen(node.area.min);
            let (width, height) = (node.area.size.width * map.zoom, node.area.size.height * map.zoom);
            context.fill_rect(at.x, at.y, width.max(1.0), height.max(1.0));
        }
    });
}
