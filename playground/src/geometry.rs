//! Points, sizes and rectangles. Invariants: y grows downwards, `min` is top left, sizes are never negative.

/// The distance of the canvas's grid points.
pub const GRID: f64 = 8.0;

/// Pixels at 100 % zoom.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Distance from the left.
    pub x: f64,
    /// Distance from the top.
    pub y: f64,
}

/// A size.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    /// Top left.
    pub min: Point,
    /// Width and height.
    pub size: Size,
}

impl Point {
    /// New point.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Moved point.
    #[must_use]
    pub fn plus(self, x: f64, y: f64) -> Self {
        Self::new(self.x + x, self.y + y)
    }

    /// Vector to `other`.
    #[must_use]
    pub fn offset_to(self, other: Self) -> Self {
        Self::new(other.x - self.x, other.y - self.y)
    }

    /// Distance between points.
    pub fn distance(self, other: Self) -> f64 {
        let offset = self.offset_to(other);
        offset.x.hypot(offset.y)
    }

    /// Nearest grid point.
    #[must_use]
    pub fn snapped(self, step: f64) -> Self {
        let snap = |value: f64| (value / step).round() * step;
        Self::new(snap(self.x), snap(self.y))
    }

    /// Swaps x and y.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self::new(self.y, self.x)
    }

    /// Smaller coordinates.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        // In WebAssembly `f64::min` is a call, because of NaN.
        let lowest = |a: f64, b: f64| if b < a { b } else { a };
        Self::new(lowest(self.x, other.x), lowest(self.y, other.y))
    }

    /// Larger coordinates.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let limit = |a: f64, b: f64| if b > a { b } else { a };
        Self::new(limit(self.x, other.x), limit(self.y, other.y))
    }
}

impl Size {
    /// Negative lengths become 0.
    pub const fn new(width: f64, height: f64) -> Self {
        Self { width: width.max(0.0), height: height.max(0.0) }
    }

    /// Swapped sides.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self::new(self.height, self.width)
    }
}

impl Rect {
    /// New rectangle.
    pub const fn new(min: Point, size: Size) -> Self {
        Self { min, size }
    }

    /// Around a centre.
    pub fn centred_at(centre: Point, size: Size) -> Self {
        Self::new(centre.plus(-size.width / 2.0, -size.height / 2.0), size)
    }

    /// Between opposite corners.
    pub fn between(a: Point, b: Point) -> Self {
        Self::new(a.min(b), Size::new((a.x - b.x).abs(), (a.y - b.y).abs()))
    }

    /// Bottom right.
    pub fn max(&self) -> Point {
        self.min.plus(self.size.width, self.size.height)
    }

    /// Centre.
    pub fn centre(&self) -> Point {
        self.min.plus(self.size.width / 2.0, self.size.height / 2.0)
    }

    /// Swaps both axes.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::new(self.min.transposed(), self.size.transposed())
    }

    /// Includes the border.
    pub fn contains(&self, point: Point) -> bool {
        let max = self.max();
        point.x >= self.min.x && point.x <= max.x && point.y >= self.min.y && point.y <= max.y
    }

    /// Overlap or touch.
    pub fn intersects(&self, other: &Self) -> bool {
        let (a, b) = (self.max(), other.max());
        self.min.x <= b.x && other.min.x <= a.x && self.min.y <= b.y && other.min.y <= a.y
    }

    /// Smallest enclosing rectangle.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::between(self.min.min(other.min), self.max().max(other.max()))
    }

    /// `None` without rectangles.
    pub fn union_all(boxes: impl IntoIterator<Item = Self>) -> Option<Self> {
        boxes.into_iter().reduce(|all, one| all.union(&one))
    }

    /// Adds a margin of `by`.
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
