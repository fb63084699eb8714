//! Pans, zooms and fits.
//!
//! Invariants: 1. zoom is from [`MIN_ZOOM`] to [`MAX_ZOOM`]. 2. zooming fixes the point under the pointer.

use crate::geometry::{Point, Rect, Size};

/// Includes its margin.
pub const TOOLBAR_HEIGHT: f64 = 56.0;
/// Fits ten thousand nodes.
pub const MIN_ZOOM: f64 = 0.01;
/// Maximum zoom.
pub const MAX_ZOOM: f64 = 4.0;
/// Per button press or key.
pub const ZOOM_STEP: f64 = 1.25;
/// Smaller text is hard to read.
pub const READABLE_ZOOM: f64 = 0.6;
/// Names of nodes can just be read. A smaller drawing is an overview.
pub const LEGIBLE_ZOOM: f64 = 0.5;
/// Longer drawings fit as an overview.
const MAX_SCREENS: f64 = 6.0;
/// Around a fitted drawing, in pixels.
pub const FIT_MARGIN: f64 = 24.0;

/// A canvas view. `zoom` is screen pixels per canvas pixel.
///
/// # Example
/// ```
/// use stepgraph_playground::geometry::Point;
/// use stepgraph_playground::viewport::Viewport;
/// let view = Viewport::default().zoomed(2.0, Point::new(100.0, 50.0));
/// assert_eq!(view.to_drawing(Point::new(100.0, 50.0)), Point::new(100.0, 50.0));
/// assert_eq!(view.to_screen(Point::new(110.0, 50.0)), Point::new(120.0, 50.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// The canvas origin on the screen, in pixels.
    pub origin: Point,
    /// Zoom factor.
    pub zoom: f64,
    /// The page fitted it to the drawing, and the user has not moved it since.
    pub is_fitted: bool,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { origin: Point::default(), zoom: 1.0, is_fitted: false }
    }
}

impl Viewport {
    /// Converts a point of the canvas.
    pub fn to_screen(&self, point: Point) -> Point {
        self.origin.plus(point.x * self.zoom, point.y * self.zoom)
    }

    /// Converts a point of the screen.
    pub fn to_drawing(&self, point: Point) -> Point {
        Point::new((point.x - self.origin.x) / self.zoom, (point.y - self.origin.y) / self.zoom)
    }

    /// On the canvas.
    pub fn visible_area(&self, screen: Size) -> Rect {
        Rect::between(
            self.to_drawing(Point::default()),
            self.to_drawing(Point::new(screen.width, screen.height)),
        )
    }

    /// Moves by screen pixels.
    #[must_use]
    pub fn panned(&self, x: f64, y: f64) -> Self {
        let is_fitted = self.is_fitted && (x, y) == (0.0, 0.0);
        Self { origin: self.origin.plus(x, y), zoom: self.zoom, is_fitted }
    }

    /// Around a screen point.
    #[must_use]
    pub fn zoomed(&self, times: f64, at: Point) -> Self {
        let fixed = self.to_drawing(at);
        let zoom = (self.zoom * times).clamp(MIN_ZOOM, MAX_ZOOM);
        Self { origin: at.plus(-fixed.x * zoom, -fixed.y * zoom), zoom, is_fitted: false }
    }

    /// Fits and centres, at most at 100 % zoom. Areas as high as the screen end above the toolbar.
    #[must_use]
    pub fn fit_above_toolbar(area: Rect, screen: Size, margin: f64) -> Self {
        let whole = Self::fit(area, screen, margin);
        let is_covered = whole.to_screen(area.max()).y > screen.height - TOOLBAR_HEIGHT;
        let free = Size::new(screen.width, screen.height - TOOLBAR_HEIGHT + margin / 2.0);
        if is_covered && free.height > TOOLBAR_HEIGHT { Self::fit(area, free, margin) } else { whole }
    }

    /// Fits as [`Self::fit_above_toolbar`], or at the full height beside a toolbar of this width, if that is larger.
    #[must_use]
    pub fn fit_around_toolbar(area: Rect, screen: Size, toolbar: f64) -> Self {
        let above = Self::fit_above_toolbar(area, screen, FIT_MARGIN);
        let full = Self::fit(area, screen, FIT_MARGIN);
        let way = (toolbar + FIT_MARGIN - full.to_screen(area.min).x).max(0.0);
        let has_space = full.to_screen(area.max()).x + way <= screen.width - FIT_MARGIN;
        if has_space && full.zoom > above.zoom { full.panned(way, 0.0) } else { above }
    }

    /// Keeps the drawing `whole` if names stay legible. Otherwise a drawing of a few screens fits across its direction,
    /// up to the zoom `wanted`, and begins at the margin. All else has at least the zoom `least`.
    #[must_use]
    pub fn legible(
        whole: Self,
        area: Rect,
        screen: Size,
        flows_down: bool,
        (wanted, least): (f64, f64),
    ) -> Self {
        if whole.zoom >= LEGIBLE_ZOOM.max(least) {
            return whole;
        }
        let (space, part) =
            if flows_down { (screen.width, area.size.width) } else { (screen.height, area.size.height) };
        let across = ((space - 2.0 * FIT_MARGIN) / part.max(1.0)).min(wanted);
        let is_short = (LEGIBLE_ZOOM..=whole.zoom * MAX_SCREENS).contains(&across);
        whole.enlarged(if is_short { across } else { least }, area, screen, FIT_MARGIN)
    }

    /// Fits and centres, at most at 100 % zoom.
    #[must_use]
    pub fn fit(area: Rect, screen: Size, margin: f64) -> Self {
        let space = |screen: f64, part: f64| (screen - 2.0 * margin).max(1.0) / part.max(1.0);
        let zoom = space(screen.width, area.size.width).min(space(screen.height, area.size.height));
        let zoom = zoom.clamp(MIN_ZOOM, 1.0);
        let centre = area.centre();
        let origin = Point::new(screen.width / 2.0 - centre.x * zoom, screen.height / 2.0 - centre.y * zoom);
        Self { origin, zoom, is_fitted: false }
    }

    /// At least at the zoom `least`. An area that is then too large begins at its margin.
    #[must_use]
    pub fn enlarged(&self, least: f64, area: Rect, screen: Size, margin: f64) -> Self {
        if self.zoom >= least {
            return *self;
        }
        let begin = |screen: f64, from: f64, length: f64| {
            (screen - length * least).max(2.0 * margin) / 2.0 - from * least
        };
        let x = begin(screen.width, area.min.x, area.size.width);
        let y = begin(screen.height, area.min.y, area.size.height);
        Self { origin: Point::new(x, y), zoom: least, ..*self }
    }

    /// After a resize. The same point stays in the middle of the top, so a panel below moves nothing.
    #[must_use]
    pub fn resized(&self, before: Size, after: Size) -> Self {
        Self { is_fitted: self.is_fitted, ..self.panned((after.width - before.width) / 2.0, 0.0) }
    }

    /// Minimal pan to an area, or to its top left corner if too large.
    #[must_use]
    pub fn reveal(&self, area: Rect, screen: Size, margin: f64) -> Self {
        let (first, last) = (self.to_screen(area.min), self.to_screen(area.max()));
        let way = |first: f64, last: f64, screen: f64| {
            if first < margin {
                margin - first
            } else if last > screen - margin {
                (screen - margin - last).max(margin - first)
            } else {
                0.0
            }
        };
        self.panned(way(first.x, last.x, screen.width), way(first.y, last.y, screen.height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Size = Size::new(800.0, 600.0);

    #[test]
    fn converts_points_to_the_screen_and_back() {
        let view = Viewport { origin: Point::new(13.0, -7.0), zoom: 0.3, is_fitted: false };
        let back = view.to_drawing(view.to_screen(Point::new(5.0, 9.0)));
        assert!(back.distance(Point::new(5.0, 9.0)) < 1e-9);
        assert_eq!(Viewport::default().visible_area(SCREEN).max(), Point::new(800.0, 600.0));
    }

    #[test]
    fn zooms_within_limits_around_the_pointer() {
        let at = Point::new(321.0, 123.0);
        for times in [0.0001, 0.5, 1.0, 3.0, 1e9] {
            let before = Viewport { origin: Point::new(-40.0, 90.0), zoom: 0.7, is_fitted: false };
            let after = before.zoomed(times, at);
            assert!((MIN_ZOOM..=MAX_ZOOM).contains(&after.zoom));
            assert!(before.to_drawing(at).distance(after.to_drawing(at)) < 1e-6);
        }
    }

    #[test]
    fn a_resize_keeps_the_middle_of_the_top() {
        let view = Viewport { origin: Point::new(-40.0, 90.0), zoom: 0.7, is_fitted: true };
        let (wide, low) = (SCREEN, Size::new(500.0, 380.0));
        let top = |size: Size| Point::new(size.width / 2.0, 0.0);
        let after = view.resized(wide, low);
        assert!(after.to_drawing(top(low)).distance(view.to_drawing(top(wide))) < 1e-9);
        assert_eq!(after.resized(low, wide), view);
    }

    #[test]
    fn a_fit_uses_the_space_beside_the_toolbar() {
        let around = |width: f64, height: f64, toolbar: f64| {
            let area = Rect::new(Point::new(100.0, 200.0), Size::new(width, height));
            let view = Viewport::fit_around_toolbar(area, SCREEN, toolbar);
            let above = Viewport::fit_above_toolbar(area, SCREEN, FIT_MARGIN);
            (view, above, view.to_screen(area.min), view.to_screen(area.max()))
        };
        let (view, above, start, end) = around(200.0, 1_000.0, 282.0);
        assert!(view.zoom > above.zoom && (start.y - FIT_MARGIN).abs() < 1e-9);
        assert!((end.y - (SCREEN.height - FIT_MARGIN)).abs() < 1e-9, "the full height");
        assert!(
            (f64::midpoint(start.x, end.x) - SCREEN.width / 2.0).abs() < 1e-9,
            "in the middle, which is free"
        );
        let (_, _, start, end) = around(800.0, 1_000.0, 282.0);
        assert!((start.x - 306.0).abs() < 1e-9 && end.x <= SCREEN.width - FIT_MARGIN, "beside the toolbar");
        for (width, height, toolbar, why) in [
            (800.0, 1_000.0, 400.0, "no space beside it"),
            (800.0, 1_000.0, f64::INFINITY, "a notice takes the whole width"),
            (300.0, 200.0, 282.0, "a small drawing is above it anyway"),
        ] {
            let (view, above, ..) = around(width, height, toolbar);
            assert_eq!(view, above, "{why}");
        }
    }

    #[test]
    fn a_readable_area_begins_at_its_margin_if_it_is_too_large() {
        let tall = Rect::new(Point::new(100.0, 200.0), Size::new(200.0, 2_000.0));
        let whole = Viewport::fit(tall, SCREEN, 20.0);
        let readable = whole.enlarged(READABLE_ZOOM, tall, SCREEN, 20.0);
        assert!(whole.zoom < 0.3 && (readable.zoom - READABLE_ZOOM).abs() < 1e-9);
        assert!((readable.to_screen(tall.min).y - 20.0).abs() < 1e-9, "the beginning is in sight");
        assert!(
            (readable.to_screen(tall.centre()).x - 400.0).abs() < 1e-9,
            "and in the middle where it fits"
        );
        assert_eq!(whole.enlarged(whole.zoom, tall, SCREEN, 20.0), whole, "it was as small before");
    }

    #[test]
    fn a_legible_fit_scrolls_only_in_the_direction_of_the_drawing() {
        let legible = |width: f64, height: f64, screen: Size, flows_down: bool| {
            let area = Rect::new(Point::new(100.0, 200.0), Size::new(width, height));
            let whole = Viewport::fit_above_toolbar(area, screen, FIT_MARGIN);
            (Viewport::legible(whole, area, screen, flows_down, (READABLE_ZOOM, 0.0)), whole, area)
        };
        // Twelve nodes between two panes and above a panel.
        let low = Size::new(420.0, 340.0);
        let (view, whole, area) = legible(623.0, 1_000.0, low, true);
        assert!(whole.zoom < 0.3 && view.zoom > 0.59 && view.zoom <= READABLE_ZOOM);
        assert!((view.to_screen(area.min).distance(Point::new(24.0, 24.0))) < 1e-9, "the start is in sight");
        assert!((view.to_screen(area.max()).x - 396.0).abs() < 1e-9, "and the whole width");
        let (view, _, area) = legible(2_000.0, 300.0, SCREEN, false);
        assert!((view.zoom - READABLE_ZOOM).abs() < 1e-9 && (view.to_screen(area.min).x - 24.0).abs() < 1e-9);
        let (across, kept) = (Rect::new(Point::default(), Size::new(200.0, 1_000.0)), (0.54, 0.54));
        let screen = Size::new(700.0, 620.0);
        let whole = Viewport::fit_above_toolbar(across, screen, FIT_MARGIN);
        let resized = Viewport::legible(whole, across, screen, true, kept);
        assert!((resized.zoom - 0.54).abs() < 1e-9, "a lower canvas keeps the zoom that was readable");
        for (width, height, screen, flows_down, why) in [
            (600.0, 1_000.0, Size::new(390.0, 700.0), true, "it is legible as a whole"),
            (4_000.0, 900.0, SCREEN, true, "the start of a wide tree may be in its middle"),
            (4_000.0, 4_000.0, SCREEN, true, "it is too large in both directions"),
            (200.0, 9_000.0, SCREEN, true, "it is too long for a start to help"),
        ] {
            let (view, whole, _) = legible(width, height, screen, flows_down);
            assert_eq!(view, whole, "{why}");
        }
    }

    #[test]
    fn reveals_an_area() {
        let area = Rect::new(Point::new(-3_000.0, 500.0), Size::new(9_000.0, 100.0));
        let fit = Viewport::fit(area, SCREEN, 20.0);
        let above = Viewport::fit_above_toolbar(area, SCREEN, 20.0);
        assert!(above.to_screen(area.max()).y <= SCREEN.height - TOOLBAR_HEIGHT);
        assert!(above.to_screen(area.min).y >= 19.9);
        let visible = fit.visible_area(SCREEN);
        assert!(visible.contains(area.min) && visible.contains(area.max()));
        let small = Rect::new(Point::new(5_000.0, -800.0), Size::new(100.0, 40.0));
        assert!((Viewport::fit(small, SCREEN, 20.0).zoom - 1.0).abs() < 1e-9, "no larger than it is");
        let moved = Viewport::default().reveal(small, SCREEN, 20.0);
        assert!(
            moved.visible_area(SCREEN).contains(small.min)
                && moved.visible_area(SCREEN).contains(small.max())
        );
        assert_eq!(moved.reveal(small, SCREEN, 20.0), moved, "it is seen already");
        let large = Rect::new(Point::new(50.0, 50.0), Size::new(5_000.0, 5_000.0));
        assert_eq!(
            Viewport::default().reveal(large, SCREEN, 20.0).to_screen(large.min),
            Point::new(20.0, 20.0)
        );
    }
}
