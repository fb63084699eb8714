//! Reuses pixels after a pan, which must be by whole device pixels for the same result.

use crate::geometry::{Point, Rect, Size};
use crate::viewport::Viewport;

/// Invisible fraction of a pixel.
const EPSILON: f64 = 1e-6;

/// The pan in device pixels, or `None` to repaint.
///
/// # Example
/// ```
/// use stepgraph_playground::geometry::Point;
/// use stepgraph_playground::paint::scroll_shift;
/// use stepgraph_playground::viewport::Viewport;
/// let view = Viewport { origin: Point::new(10.25, 4.0), zoom: 0.1, is_fitted: false };
/// assert_eq!(scroll_shift(&view, &view.panned(-3.0, 20.0), 1.0), Some(Point::new(-3.0, 20.0)));
/// assert_eq!(scroll_shift(&view, &view.panned(0.5, 0.0), 2.0), Some(Point::new(1.0, 0.0)));
/// assert_eq!(scroll_shift(&view, &view.panned(0.5, 0.0), 1.0), None);
/// assert_eq!(scroll_shift(&view, &view.zoomed(2.0, Point::default()), 1.0), None);
/// ```
pub fn scroll_shift(before: &Viewport, now: &Viewport, ratio: f64) -> Option<Point> {
    let offset = before.origin.offset_to(now.origin);
    let (x, y) = (offset.x * ratio, offset.y * ratio);
    let is_whole = |length: f64| (length - length.round()).abs() < EPSILON;
    let is_same = (before.zoom - now.zoom).abs() < f64::EPSILON * now.zoom;
    (is_same && is_whole(x) && is_whole(y)).then(|| Point::new(x.round(), y.round()))
}

/// Uncovered strips, or `None` for the whole screen.
///
/// # Example
/// ```
/// use stepgraph_playground::geometry::{Point, Rect, Size};
/// use stepgraph_playground::paint::uncovered_rects;
/// let screen = Size::new(100.0, 50.0);
/// let strip = Rect::new(Point::new(97.0, 0.0), Size::new(3.0, 50.0));
/// assert_eq!(uncovered_rects(Point::new(-3.0, 0.0), screen), Some(vec![strip]));
/// assert_eq!(uncovered_rects(Point::new(-3.0, 2.0), screen).map(|parts| parts.len()), Some(2));
/// assert_eq!(uncovered_rects(Point::default(), screen), Some(vec![]));
/// assert_eq!(uncovered_rects(Point::new(0.0, 50.0), screen), None);
/// ```
pub fn uncovered_rects(by: Point, screen: Size) -> Option<Vec<Rect>> {
    if by.x.abs() >= screen.width || by.y.abs() >= screen.height {
        return None;
    }
    let begin = |by: f64, length: f64| if by > 0.0 { 0.0 } else { length + by };
    let beside = Rect::new(Point::new(begin(by.x, screen.width), 0.0), Size::new(by.x.abs(), screen.height));
    let above = Rect::new(Point::new(0.0, begin(by.y, screen.height)), Size::new(screen.width, by.y.abs()));
    let exists = |part: &Rect| part.size.width > 0.0 && part.size.height > 0.0;
    Some([beside, above].into_iter().filter(exists).collect())
}
