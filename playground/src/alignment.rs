//! Aligns a dragged node with others: by their centres, else by a common side. Invariant: a node moves by at most the
//! reach.

use crate::geometry::{Point, Rect, Size};

/// Corrections of a dragged position, with the lines that show them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alignment {
    /// Correction to a vertical line.
    pub x: Option<f64>,
    /// Correction to a horizontal line.
    pub y: Option<f64>,
    /// Lines without width or without height, over all aligned nodes.
    pub guides: Vec<Rect>,
}

/// Aligns `area` with the nearest lines of `others`.
///
/// # Example
/// ```
/// use stepgraph_playground::alignment::align;
/// use stepgraph_playground::geometry::{Point, Rect, Size};
/// let size = Size::new(100.0, 40.0);
/// let other = Rect::new(Point::new(0.0, 0.0), size);
/// let found = align(&Rect::new(Point::new(5.0, 200.0), size), &[other], 6.0);
/// assert_eq!((found.x, found.y), (Some(-5.0), None));
/// ```
pub fn align(area: &Rect, others: &[Rect], reach: f64) -> Alignment {
    let turned: Vec<Rect> = others.iter().map(Rect::transposed).collect();
    let across = nearest_line(area, others, reach);
    let along = nearest_line(&area.transposed(), &turned, reach);
    let x = across.as_ref().map(|(correction, _)| *correction);
    let y = along.as_ref().map(|(correction, _)| *correction);
    let shift = Point::new(x.unwrap_or_default(), y.unwrap_or_default());
    let shifted = Rect::new(area.min.plus(shift.x, shift.y), area.size);
    let guides = [
        across.map(|(_, line)| guide(&shifted, others, line)),
        along.map(|(_, line)| guide(&shifted.transposed(), &turned, line).transposed()),
    ];
    Alignment { x, y, guides: guides.into_iter().flatten().collect() }
}

/// The centre first.
fn lines(area: &Rect) -> [f64; 3] {
    [area.centre().x, area.min.x, area.max().x]
}

/// Correction and position.
fn nearest_line(area: &Rect, others: &[Rect], reach: f64) -> Option<(f64, f64)> {
    let own = lines(area);
    let pairs = others.iter().flat_map(|other| own.into_iter().zip(lines(other)).enumerate());
    let near = pairs.map(|(kind, (own, other))| (kind, other - own, other));
    let near = near.filter(|(_, correction, _)| correction.abs() <= reach);
    let best = near.min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(a.0.cmp(&b.0)))?;
    Some((best.1, best.2))
}

fn guide(area: &Rect, others: &[Rect], x: f64) -> Rect {
    let is_on = |other: &&Rect| lines(other).iter().any(|line| (line - x).abs() < 0.5);
    let all = others.iter().filter(is_on).fold(*area, |all, other| all.union(other));
    Rect::new(Point::new(x, all.min.y), Size::new(0.0, all.size.height))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(x: f64, y: f64, width: f64) -> Rect {
        Rect::new(Point::new(x, y), Size::new(width, 48.0))
    }

    #[test]
    fn a_node_a_few_pixels_off_a_line_is_aligned_and_shows_it() {
        for off in 1..=6 {
            let area = node(f64::from(off), 200.0, 140.0);
            let found = align(&area, &[node(0.0, 0.0, 140.0), node(-30.0, 400.0, 200.0)], 6.0);
            assert_eq!((found.x, found.y), (Some(-f64::from(off)), None), "{off}");
            let line = Rect::new(Point::new(70.0, 0.0), Size::new(0.0, 448.0));
            assert_eq!(found.guides, [line], "{off}: through both nodes");
        }
        assert_eq!(align(&node(7.0, 200.0, 140.0), &[node(0.0, 0.0, 140.0)], 6.0), Alignment::default());
    }

    #[test]
    fn both_axes_are_aligned_and_sides_if_the_centres_are_apart() {
        let found = align(&node(203.0, 2.0, 100.0), &[node(0.0, 0.0, 140.0), node(200.0, 300.0, 160.0)], 6.0);
        assert_eq!((found.x, found.y), (Some(-3.0), Some(-2.0)));
        assert_eq!(found.guides[0], Rect::new(Point::new(200.0, 0.0), Size::new(0.0, 348.0)), "left sides");
        assert_eq!(found.guides[1], Rect::new(Point::new(0.0, 24.0), Size::new(300.0, 0.0)), "centres");
        assert_eq!(align(&node(0.0, 0.0, 10.0), &[], 6.0), Alignment::default());
    }
}
