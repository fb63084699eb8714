//! Points, sizes and boxes of the drawing.
//!
//! Decides nothing but arithmetic. Knows nothing of plans, of screens or of browsers.
//!
//! Invariants: y grows downwards; a box's `min` is its left upper corner; sizes are never negative.

/// A place in the drawing.
///
/// # Units
/// Pixels at 100 % zoom.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// How large something is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// A box.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    /// Its left upper corner.
    pub min: Point,
    /// How large it is.
    pub size: Size,
}

impl Point {
    /// That place.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// So much further.
    #[must_use]
    pub fn plus(self, x: f64, y: f64) -> Self {
        Self::new(self.x + x, self.y + y)
    }

    /// How far another place is from here, in each direction.
    #[must_use]
    pub fn offset_to(self, other: Self) -> Self {
        Self::new(other.x - self.x, other.y - self.y)
    }

    /// The length of the way from here to there.
    pub fn distance(self, other: Self) -> f64 {
        let offset = self.offset_to(other);
        offset.x.hypot(offset.y)
    }

    /// The nearest place whose coordinates are multiples of `step`.
    #[must_use]
    pub fn snapped(self, step: f64) -> Self {
        let snap = |value: f64| (value / step).round() * step;
        Self::new(snap(self.x), snap(self.y))
    }

    /// With x and y exchanged: what lay downwards lies to the right.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self::new(self.y, self.x)
    }

    /// The left upper corner of the box between two places.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        // Compared, not `f64::min`: that is a call in WebAssembly, for the sake of what is no number.
        let lowest = |a: f64, b: f64| if b < a { b } else { a };
        Self::new(lowest(self.x, other.x), lowest(self.y, other.y))
    }

    /// The right lower corner of the box between two places.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let limit = |a: f64, b: f64| if b > a { b } else { a };
        Self::new(limit(self.x, other.x), limit(self.y, other.y))
    }
}

impl Size {
    /// That size; nothing is smaller than nothing.
    pub const fn new(width: f64, height: f64) -> Self {
        Self { width: width.max(0.0), height: height.max(0.0) }
    }

    /// With width and height exchanged.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self::new(self.height, self.width)
    }
}

impl Rect {
    /// The box with that corner.
    pub const fn new(min: Point, size: Size) -> Self {
        Self { min, size }
    }

    /// The box around a centre.
    pub fn centred_at(centre: Point, size: Size) -> Self {
        Self::new(centre.plus(-size.width / 2.0, -size.height / 2.0), size)
    }

    /// The box between two corners, whichever they are.
    pub fn between(a: Point, b: Point) -> Self {
        Self::new(a.min(b), Size::new((a.x - b.x).abs(), (a.y - b.y).abs()))
    }

    /// Its right lower corner.
    pub fn max(&self) -> Point {
        self.min.plus(self.size.width, self.size.height)
    }

    /// Its centre.
    pub fn centre(&self) -> Point {
        self.min.plus(self.size.width / 2.0, self.size.height / 2.0)
    }

    /// Whether a place lies in it; the border belongs to it.
    pub fn contains(&self, point: Point) -> bool {
        let max = self.max();
        point.x >= self.min.x && point.x <= max.x && point.y >= self.min.y && point.y <= max.y
    }

    /// Whether it shares a place with another box.
    pub fn intersects(&self, other: &Self) -> bool {
        let (a, b) = (self.max(), other.max());
        self.min.x <= b.x && other.min.x <= a.x && self.min.y <= b.y && other.min.y <= a.y
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::between(self.min.min(other.min), self.max().max(other.max()))
    }

    /// The smallest box around all; nothing around nothing.
    pub fn union_all(boxes: impl IntoIterator<Item = Self>) -> Option<Self> {
        boxes.into_iter().reduce(|all, one| all.union(&one))
    }

    /// The same with so much room on every side.
    #[must_use]
    pub fn expanded(&self, by: f64) -> Self {
        let size = Size::new(self.size.width + 2.0 * by, self.size.height + 2.0 * by);
        Self::new(self.min.plus(-by, -by), size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_intersect_contain_and_expand() {
        let a = Rect::between(Point::new(10.0, 10.0), Point::new(0.0, 0.0));
        let b = Rect::centred_at(Point::new(15.0, 5.0), Size::new(10.0, 2.0));
        assert!(a.intersects(&b) && b.intersects(&a) && a.contains(Point::new(10.0, 0.0)));
        assert!(!a.expanded(-1.0).intersects(&b), "they shared a border only");
        assert_eq!(a.union(&b).max(), Point::new(20.0, 10.0));
        assert_eq!(Rect::union_all([a, b]), Some(a.union(&b)));
        assert_eq!(a.centre().snapped(4.0), Point::new(4.0, 4.0));
        assert!((a.min.distance(Point::new(3.0, 4.0)) - 5.0).abs() < 1e-9);
    }
}
