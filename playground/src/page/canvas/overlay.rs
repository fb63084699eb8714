//! Previews over nodes: edge drag, marquee, edge handles.

use super::canvas_view::CanvasView;
use super::node_card::error_text;
use crate::geometry::{Point, Rect};
use crate::gesture::{EdgeDrag, End};
use crate::i18n::Localized;
use crate::layout::LayoutDirection;
use crate::page::dom::pixels;
use crate::paint::connect_error;
use leptos::prelude::*;
use stepgraph_core::value::number_text;

/// Includes why it may not end there.
pub(super) fn edge_preview(view: CanvasView) -> impl IntoView {
    let by_keys =
        move || view.store.edge_preview.get().and_then(|(from, to)| keyboard_edge_ends(view, from, to));
    let ends = move || view.edge_drag.get().and_then(|(drag, _)| edge_drag_ends(view, drag)).or_else(by_keys);
    let direction = move || view.store.share.direction.get();
    let path = move || ends().map(|(from, to)| path(from, to, direction())).unwrap_or_default();
    let refused = move || {
        let ((drag, _), over) = (view.edge_drag.get()?, view.edge_drag_end.get().1?);
        view.store.read(|editor| connect_error(editor.scene(), drag, over))
    };
    let reason = move || refused().map(|error| error_text(error).text(view.store.lang.get()));
    let (left, top) = (
        move || pixels(ends().map_or(0.0, |(_, to)| to.x + 14.0)),
        move || pixels(ends().map_or(0.0, |(_, to)| to.y + 14.0)),
    );
    view! {
        <svg class="preview" aria-hidden="true" class:refused=move || refused().is_some() class:shown=move || ends().is_some()>
            <path d=path />
            <circle r="4" cx=move || number_text(ends().map_or(-9.0, |(_, to)| to.x)) cy=move || number_text(ends().map_or(-9.0, |(_, to)| to.y)) />
        </svg>
        <Show when=move || refused().is_some()>
            <span class="why" style:left=left style:top=top>{reason}</span>
        </Show>
    }
}

fn edge_drag_ends(canvas: CanvasView, drag: EdgeDrag) -> Option<(Point, Point)> {
    let view = canvas.store.view.get();
    let (at, over) = canvas.edge_drag_end.get();
    canvas.store.read(|editor| {
        let scene = editor.scene();
        let area = |node: usize| scene.nodes.get(node).map(|node| node.area);
        let direction = scene.direction;
        let (out, into) = (|area: Rect| way_out(area, direction), |area: Rect| way_in(area, direction));
        let is_free = over.is_some_and(|node| connect_error(scene, drag, node).is_none());
        // Snaps to a node that accepts the edge.
        let over = || over.filter(|_| is_free).and_then(area);
        let (from, to) = match drag {
            EdgeDrag::New(from) => (out(area(from)?), over().map_or(at, into)),
            EdgeDrag::Existing(edge, End::To) => {
                (scene.edges.get(edge)?.curve.start, over().map_or(at, into))
            }
            EdgeDrag::Existing(edge, End::From) => {
                (over().map_or(at, out), scene.edges.get(edge)?.curve.end())
            }
        };
        Some((view.to_screen(from), view.to_screen(to)))
    })
}

fn keyboard_edge_ends(canvas: CanvasView, from: usize, to: usize) -> Option<(Point, Point)> {
    let view = canvas.store.view.get();
    canvas.store.with_scene(|editor| {
        let scene = editor.scene();
        let area = |node: usize| scene.nodes.get(node).map(|node| node.area);
        let (from, to) = (area(from)?, area(to)?);
        let ends = (way_out(from, scene.direction), way_in(to, scene.direction));
        Some((view.to_screen(ends.0), view.to_screen(ends.1)))
    })
}

/// The middle of the side where edges leave.
fn way_out(area: Rect, direction: LayoutDirection) -> Point {
    let area = direction.turn_rect(area);
    direction.turn_point(Point::new(area.centre().x, area.max().y))
}

/// The middle of the side where edges arrive.
fn way_in(area: Rect, direction: LayoutDirection) -> Point {
    let area = direction.turn_rect(area);
    direction.turn_point(Point::new(area.centre().x, area.min.y))
}

fn path(from: Point, to: Point, direction: LayoutDirection) -> String {
    let (from, to) = (direction.turn_point(from), direction.turn_point(to));
    let half = ((to.y - from.y).abs() / 2.0).clamp(24.0, 120.0);
    let pair = |point: Point| {
        let point = direction.turn_point(point);
        [&number_text(point.x.round()), " ", &number_text(point.y.round())].concat()
    };
    let (a, b) = (from.plus(0.0, half), to.plus(0.0, -half));
    ["M", &pair(from), "C", &pair(a), " ", &pair(b), " ", &pair(to)].concat()
}

pub(super) fn marquee(view: CanvasView) -> impl IntoView {
    let area = move || view.marquee.get().map(|area| view.on_screen(&area)).unwrap_or_default();
    view! {
        <div class="band" hidden=move || view.marquee.get().is_none()
            style:left=move || pixels(area().min.x) style:top=move || pixels(area().min.y)
            style:width=move || pixels(area().size.width) style:height=move || pixels(area().size.height)></div>
    }
}

/// Lines that a dragged node is aligned with.
pub(super) fn guides(view: CanvasView) -> impl IntoView {
    let line = move |guide: Rect| {
        let area = view.on_screen(&guide);
        view! {
            <div class="guide" style:left=pixels(area.min.x) style:top=pixels(area.min.y)
                style:width=pixels(area.size.width) style:height=pixels(area.size.height)></div>
        }
    };
    move || view.guides.get().into_iter().map(line).collect_view()
}

pub(super) fn edge_handles(canvas: CanvasView) -> impl IntoView {
    let ends = move || {
        canvas.frames.track();
        let selected = canvas.store.with_selection(|editor| {
            let only = editor.selection().only_edge()?;
            let lines = editor.scene().edges.iter();
            let mut found = lines.filter(|edge| edge.scope == only.0 && edge.index == only.1);
            found.next().map(|edge| [edge.curve.start, edge.curve.end()])
        });
        let view = canvas.store.view.get();
        selected.map(|ends| ends.map(|end| view.to_screen(end)))
    };
    let dot = move |which: usize| {
        let at = move || ends().and_then(|ends| ends.get(which).copied()).unwrap_or_default();
        view! {
            <span class="end" hidden=move || ends().is_none() || canvas.edge_drag.get().is_some()
                style:left=move || pixels(at().x) style:top=move || pixels(at().y)></span>
        }
    };
    view! { {dot(0)} {dot(1)} }
}
