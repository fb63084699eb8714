//! The space of the canvas that its toolbar and notices leave free, and the shortest way to bring an area into it.
//!
//! Invariant: an area that is in free space already does not move.

use crate::geometry::{Point, Rect, Size};
use crate::viewport::Viewport;

/// Rounding of the browser's lengths.
const TOLERANCE: f64 = 0.5;

/// The largest rectangles of a screen outside of all covers. They may overlap. Without any, the whole screen.
pub fn free_rectangles(screen: Size, covers: &[Rect]) -> Vec<Rect> {
    let whole = Rect::new(Point::default(), screen);
    let mut free = vec![whole];
    for cover in covers {
        free = free.iter().flat_map(|space| outside(space, cover)).collect();
    }
    if free.is_empty() { vec![whole] } else { free }
}

fn outside(space: &Rect, cover: &Rect) -> Vec<Rect> {
    if !space.expanded(-TOLERANCE).intersects(cover) {
        return vec![*space];
    }
    let (min, max) = (space.min, space.max());
    let sides = [
        (min, Point::new(max.x, cover.min.y)),
        (min, Point::new(cover.min.x, max.y)),
        (Point::new(cover.max().x, min.y), max),
        (Point::new(min.x, cover.max().y), max),
    ];
    let sides = sides.into_iter().filter(|(from, to)| to.x > from.x && to.y > from.y);
    sides.map(|(from, to)| Rect::between(from, to)).collect()
}

impl Viewport {
    /// Whether one of these rectangles of the screen has the whole area.
    pub fn shows(&self, area: Rect, free: &[Rect]) -> bool {
        let shown = Rect::between(self.to_screen(area.min), self.to_screen(area.max())).expanded(-TOLERANCE);
        free.iter().any(|space| space.contains(shown.min) && space.contains(shown.max()))
    }

    /// Minimal pan to a rectangle with space for the area and the margin, or to the one that shows most of it.
    #[must_use]
    pub fn reveal_in(&self, area: Rect, free: &[Rect], margin: f64) -> Self {
        if self.shows(area, free) {
            return *self;
        }
        let size = Size::new(area.size.width * self.zoom, area.size.height * self.zoom);
        let ways = free.iter().map(|space| {
            let there = Self { origin: self.origin.plus(-space.min.x, -space.min.y), ..*self };
            let shown = there.reveal(area, space.size, margin);
            let way = there.origin.offset_to(shown.origin);
            let part = |size: f64, space: f64| size.min((space - 2.0 * margin).max(0.0));
            let seen = part(size.width, space.size.width) * part(size.height, space.size.height);
            (seen, way)
        });
        let best = ways.reduce(|best, other| {
            let is_shorter = length(other.1) < length(best.1);
            let is_better = other.0 > best.0 + TOLERANCE || other.0 > best.0 - TOLERANCE && is_shorter;
            if is_better { other } else { best }
        });
        best.map_or(*self, |(_, way)| self.panned(way.x, way.y))
    }
}

fn length(way: Point) -> f64 {
    Point::default().distance(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Size = Size::new(420.0, 330.0);
    const TOOLBAR: Rect = Rect::new(Point::new(12.0, 280.0), Size::new(282.0, 38.0));

    fn node(x: f64, y: f64) -> Rect {
        Rect::new(Point::new(x, y), Size::new(100.0, 40.0))
    }

    fn revealed(area: Rect, covers: &[Rect], margin: f64) -> Point {
        let view = Viewport::default().reveal_in(area, &free_rectangles(SCREEN, covers), margin);
        view.to_screen(area.min)
    }

    #[test]
    fn the_toolbar_leaves_four_rectangles() {
        let free = free_rectangles(SCREEN, &[TOOLBAR]);
        let sizes: Vec<_> = free.iter().map(|space| (space.size.width, space.size.height)).collect();
        assert_eq!(sizes, [(420.0, 280.0), (12.0, 330.0), (126.0, 330.0), (420.0, 12.0)]);
        let beside = Rect::new(Point::new(300.0, 290.0), Size::new(110.0, 40.0));
        let all = free_rectangles(SCREEN, &[TOOLBAR, beside]);
        assert!(all.iter().all(|space| {
            let inner = space.expanded(-1.0);
            !inner.intersects(&TOOLBAR) && !inner.intersects(&beside)
        }));
        let whole = Rect::new(Point::default(), SCREEN);
        assert_eq!(free_rectangles(SCREEN, &[]), [whole]);
        assert_eq!(free_rectangles(SCREEN, &[whole]), [whole], "a screen without free space counts as free");
    }

    #[test]
    fn an_area_in_free_space_stays() {
        for (x, y) in [(0.0, 0.0), (0.0, 240.0), (300.0, 285.0), (320.0, 290.0)] {
            assert_eq!(revealed(node(x, y), &[TOOLBAR], 24.0), Point::new(x, y));
        }
    }

    #[test]
    fn a_covered_area_takes_the_shortest_way() {
        assert_eq!(
            revealed(node(20.0, 270.0), &[TOOLBAR], 10.0),
            Point::new(20.0, 230.0),
            "above the toolbar"
        );
        assert_eq!(revealed(node(290.0, 285.0), &[TOOLBAR], 10.0), Point::new(304.0, 280.0), "beside it");
        assert_eq!(
            revealed(node(290.0, 285.0), &[TOOLBAR], 20.0),
            Point::new(290.0, 220.0),
            "no space beside"
        );
        assert_eq!(revealed(node(-500.0, 100.0), &[TOOLBAR], 10.0), Point::new(10.0, 100.0));
    }

    #[test]
    fn a_large_area_begins_where_most_of_it_has_space() {
        let large = Rect::new(Point::new(0.0, 200.0), Size::new(400.0, 400.0));
        assert_eq!(revealed(large, &[TOOLBAR], 0.0), Point::new(0.0, 0.0));
        let high = Rect::new(Point::new(400.0, 100.0), Size::new(100.0, 320.0));
        assert_eq!(
            revealed(high, &[TOOLBAR], 0.0),
            Point::new(320.0, 10.0),
            "it fits beside the toolbar only"
        );
    }
}
