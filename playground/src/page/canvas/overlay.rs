//! What is drawn over the nodes while something is being done: the edge that is led, the band, the ends of a selected edge.

use super::canvas_view::CanvasView;
use super::node_card::error_text;
use crate::geometry::{Point, Rect};
use crate::gesture::{EdgeDrag, End};
use crate::i18n::Localized;
use crate::page::dom::pixels;
use crate::paint::connect_error;
use leptos::prelude::*;
use stepgraph_core::value::number_text;

/// The preview of an edge, and why it may not end where it does.
pub(super) fn edge_preview(pane: CanvasView) -> impl IntoView {
    let by_keys =
        move || pane.store.edge_preview.get().and_then(|(from, to)| keyboard_edge_ends(pane, from, to));
    let ends = move || pane.edge_drag.get().and_then(|(lead, _)| edge_drag_ends(pane, lead)).or_else(by_keys);
    let path = move || ends().map(|(from, to)| path(from, to)).unwrap_or_default();
    let refused = move || {
        let ((lead, _), over) = (pane.edge_drag.get()?, pane.edge_drag_end.get().1?);
        pane.store.read(|session| connect_error(session.scene(), lead, over))
    };
    let reason = move || refused().map(|refusal| error_text(refusal).text(pane.store.lang.get()));
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

/// Both ends of the edge that is led, on the screen.
fn edge_drag_ends(pane: CanvasView, lead: EdgeDrag) -> Option<(Point, Point)> {
    let view = pane.store.view.get();
    let (at, over) = pane.edge_drag_end.get();
    pane.store.read(|session| {
        let scene = session.scene();
        let area = |node: usize| scene.nodes.get(node).map(|node| node.area);
        let bottom = |area: Rect| Point::new(area.centre().x, area.max().y);
        let top = |area: Rect| Point::new(area.centre().x, area.min.y);
        let is_free = over.is_some_and(|node| connect_error(scene, lead, node).is_none());
        // Over a node that it may end at, it snaps to it.
        let snapped = |side: fn(Rect) -> Point| over.filter(|_| is_free).and_then(area).map_or(at, side);
        let (from, to) = match lead {
            EdgeDrag::New(from) => (bottom(area(from)?), snapped(top)),
            EdgeDrag::Existing(edge, End::To) => (scene.edges.get(edge)?.curve.start, snapped(top)),
            EdgeDrag::Existing(edge, End::From) => (snapped(bottom), scene.edges.get(edge)?.curve.end()),
        };
        Some((view.to_screen(from), view.to_screen(to)))
    })
}

/// The ends of an edge that is made by keys.
fn keyboard_edge_ends(pane: CanvasView, from: usize, to: usize) -> Option<(Point, Point)> {
    let view = pane.store.view.get();
    pane.store.with_scene(|session| {
        let area = |node: usize| session.scene().nodes.get(node).map(|node| node.area);
        let (from, to) = (area(from)?, area(to)?);
        let start = Point::new(from.centre().x, from.max().y);
        Some((view.to_screen(start), view.to_screen(Point::new(to.centre().x, to.min.y))))
    })
}

fn path(from: Point, to: Point) -> String {
    let half = ((to.y - from.y).abs() / 2.0).clamp(24.0, 120.0);
    let pair = |point: Point| [&number_text(point.x.round()), " ", &number_text(point.y.round())].concat();
    let (a, b) = (from.plus(0.0, half), to.plus(0.0, -half));
    ["M", &pair(from), "C", &pair(a), " ", &pair(b), " ", &pair(to)].concat()
}

/// The band around what will be selected.
pub(super) fn marquee(pane: CanvasView) -> impl IntoView {
    let area = move || pane.marquee.get().map(|area| pane.on_screen(&area)).unwrap_or_default();
    view! {
        <div class="band" hidden=move || pane.marquee.get().is_none()
            style:left=move || pixels(area().min.x) style:top=move || pixels(area().min.y)
            style:width=move || pixels(area().size.width) style:height=move || pixels(area().size.height)></div>
    }
}

/// The ends of a selected edge, by which it can be led elsewhere.
pub(super) fn edge_handles(pane: CanvasView) -> impl IntoView {
    let ends = move || {
        pane.frames.track();
        let chosen = pane.store.with_selection(|session| {
            let mut edges = session.selection().edges();
            let (only, None) = (edges.next()?, edges.next()) else { return None };
            let lines = session.scene().edges.iter();
            let mut found = lines.filter(|line| line.scope == only.0 && line.index == only.1);
            found.next().map(|line| [line.curve.start, line.curve.end()])
        });
        let view = pane.store.view.get();
        chosen.map(|ends| ends.map(|end| view.to_screen(end)))
    };
    let dot = move |which: usize| {
        let at = move || ends().and_then(|ends| ends.get(which).copied()).unwrap_or_default();
        view! {
            <span class="end" hidden=move || ends().is_none() || pane.edge_drag.get().is_some()
                style:left=move || pixels(at().x) style:top=move || pixels(at().y)></span>
        }
    };
    view! { {dot(0)} {dot(1)} }
}
