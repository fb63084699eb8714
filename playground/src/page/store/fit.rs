//! Fits the drawing into the canvas, and brings parts of it into its free space.

use super::Store;
use crate::free_space::free_rectangles;
use crate::geometry::{Point, Rect, Size};
use crate::layout::LayoutDirection;
use crate::page::dom::find;
use crate::page::run::follow;
use crate::viewport::{FIT_MARGIN, READABLE_ZOOM, Viewport};
use leptos::prelude::*;
use stepgraph_lazy::lazy;

/// Left of the toolbar.
const TOOLBAR_MARGIN: f64 = 12.0;
/// What lies above the canvas until the user does something else.
const COVERS: [&str; 5] = [
    ".canvas .controls",
    ".canvas .stale:not([hidden])",
    ".canvas .overview",
    ".canvas .touch-actions",
    ".drawing > .welcome",
];

impl Store {
    /// Shows the whole drawing.
    pub fn fit_drawing(self) {
        self.fit_from(f64::INFINITY, 0.0, 0.0);
        self.go_on_following();
    }

    /// Shows the whole drawing. If it is shown already and its names are too small, shows its start legibly, or what
    /// runs of it.
    pub fn fit_or_enlarge(self) {
        let before = self.view.get_untracked();
        let toolbar = toolbar_end();
        self.fit_from(toolbar, 0.0, 0.0);
        // A run moves the view, but does not zoom.
        let zoom = self.view.get_untracked().zoom;
        if before.is_fitted && before.zoom.to_bits() == zoom.to_bits() {
            self.fit_from(toolbar, READABLE_ZOOM, 0.0);
        }
        self.go_on_following();
    }

    /// A fit is no view that the user chose, so the current node comes into it.
    fn go_on_following(self) {
        if self.is_followed(self.view.get_untracked()) {
            follow::follow(self);
        }
    }

    /// See [`Viewport::legible`].
    fn fit_from(self, toolbar: f64, wanted: f64, least: f64) {
        let (bounds, direction) = self.read(|editor| (editor.scene().bounds, editor.direction()));
        // The welcome covers the top.
        let covered = find(".welcome").map_or(0.0, |welcome| f64::from(welcome.offset_height()));
        let screen = self.screen.get_untracked();
        let free = Size::new(screen.width, (screen.height - covered).max(1.0));
        let whole = Viewport::fit_around_toolbar(bounds, free, toolbar);
        let flows_down = direction == LayoutDirection::Down;
        let view = Viewport::legible(whole, bounds, free, flows_down, (wanted, least));
        self.show(Viewport { is_fitted: true, ..view.panned(0.0, covered) });
    }

    /// A view that the user has not chosen. If the last one followed a run, it does, too.
    fn show(self, view: Viewport) {
        if self.is_followed(self.view.get_untracked()) {
            self.runs.followed_view.set_value(Some(view));
        }
        self.view.set(view);
    }

    /// Another window fits the drawing again if the user has not moved the view since, and what is readable stays so. So
    /// does a run's panel. Other panels leave the zoom alone. The selected or else the running node stays in sight.
    pub fn resize_canvas(self, before: Size, after: Size, is_window: bool) {
        let view = self.view.get_untracked();
        self.screen.set(after);
        if view.is_fitted && is_window {
            let kept = view.zoom.min(READABLE_ZOOM);
            self.fit_from(f64::INFINITY, kept, kept);
        } else if !self.fit_followed_run() {
            let resized = view.resized(before, after);
            let visible = view.visible_area(before);
            let is_visible = |area: &Rect| visible.contains(area.min) && visible.contains(area.max());
            let selected = self.selected_area().filter(is_visible);
            let seen = selected.or_else(|| follow::run_area(self).filter(is_visible));
            self.show(seen.map_or(resized, |area| self.revealed(resized, area, FIT_MARGIN)));
        }
    }

    /// Shows the whole drawing of a run, if the user has not chosen the view and names stay readable. Returns whether.
    pub fn fit_followed_run(self) -> bool {
        let view = self.view.get_untracked();
        if !view.is_fitted || !self.is_followed(view) {
            return false;
        }
        let bounds = self.read(|editor| editor.scene().bounds);
        let whole = Viewport::fit_around_toolbar(bounds, self.screen.get_untracked(), f64::INFINITY);
        let is_readable = whole.zoom >= READABLE_ZOOM;
        if is_readable {
            self.show(Viewport { is_fitted: true, ..whole });
        }
        is_readable
    }

    /// Minimal pan to an area, out of the way of toolbar and notices.
    pub fn reveal(self, area: Rect, margin: f64) {
        let view = self.view.get_untracked();
        let shown = self.revealed(view, area, margin);
        if shown != view {
            self.view.set(Viewport { is_fitted: false, ..shown });
        }
    }

    /// The view with the area in sight.
    pub fn revealed(self, view: Viewport, area: Rect, margin: f64) -> Viewport {
        let screen = self.screen.get_untracked();
        if screen.width <= 1.0 || screen.height <= 1.0 {
            return view;
        }
        let shown = reveal_in_free_space(view, area, screen, margin);
        Viewport { is_fitted: view.is_fitted, ..shown }
    }

    fn is_followed(self, view: Viewport) -> bool {
        self.runs.followed_view.get_value() == Some(view)
    }

    fn selected_area(self) -> Option<Rect> {
        self.read(|editor| {
            let node = editor.scene().node_at_path(editor.selection().only_node()?)?;
            editor.scene().nodes.get(node).map(|node| node.area)
        })
    }
}

lazy! {
    fn reveal_in_free_space(view: Viewport, area: Rect, screen: Size, margin: f64) -> Viewport = reveal_uncovered;
}

fn reveal_uncovered(view: Viewport, area: Rect, screen: Size, margin: f64) -> Viewport {
    view.reveal_in(area, &free_rectangles(screen, &covers()), margin)
}

/// In pixels of the canvas.
fn covers() -> Vec<Rect> {
    let Some(canvas) = find(".canvas").map(|canvas| canvas.get_bounding_client_rect()) else {
        return Vec::new();
    };
    let found = COVERS.iter().filter_map(|selector| find(selector)).map(|cover| {
        let area = cover.get_bounding_client_rect();
        let at = Point::new(area.left() - canvas.left(), area.top() - canvas.top());
        Rect::new(at, Size::new(area.width(), area.height()))
    });
    found.filter(|cover| cover.size.width > 0.0).collect()
}

/// The right end of the toolbar. A notice takes the rest of its row.
fn toolbar_end() -> f64 {
    let has_notice = find(".canvas .stale:not([hidden])").is_some();
    let toolbar = find(".canvas .controls").filter(|_| !has_notice);
    toolbar.map_or(f64::INFINITY, |toolbar| TOOLBAR_MARGIN + f64::from(toolbar.offset_width()))
}
