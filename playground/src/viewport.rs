//! Pans, zooms and fits.
//!
//! Invariants: 1. zoom is from [`MIN_ZOOM`] to [`MAX_ZOOM`]. 2. zooming fixes the point under the pointer.

use crate::geometry::{Point, Rect, Size};

/// Includes its margin.
const TOOLBAR_HEIGHT: f64 = 56.0;
/// Fits ten thousand nodes.
pub const MIN_ZOOM: f64 = 0.01;
/// Maximum zoom.
pub const MAX_ZOOM: f64 = 4.0;
/// Per button press or key.
pub const ZOOM_STEP: f64 = 1.25;
/// Around a fitted drawing, in pixels.
pub const FIT_MARGIN: f64 = 32.0;

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
    /// It shows the whole drawing, and the user has not moved it since.
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

    /// After a resize, the same point stays in the middle.
    #[must_use]
    pub fn recentred(&self, before: Size, after: Size) -> Self {
        self.panned((after.width - before.width) / 2.0, (after.height - before.height) / 2.0)
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
    fn a_resize_keeps_the_middle() {
        let view = Viewport { origin: Point::new(-40.0, 90.0), zoom: 0.7, is_fitted: false };
        let (wide, low) = (SCREEN, Size::new(500.0, 380.0));
        let middle = |size: Size| Point::new(size.width / 2.0, size.height / 2.0);
        let after = view.recentred(wide, low);
        assert!(after.to_drawing(middle(low)).distance(view.to_drawing(middle(wide))) < 1e-9);
        assert_eq!(after.recentred(low, wide), view);
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
