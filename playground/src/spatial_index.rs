//! A grid of cells with the boxes that touch them. Ten thousand nodes take microseconds.
//!
//! Invariants: 1. results have each box once, in numeric order. 2. boxes above [`MAX_CELLS`] cells are checked by every
//! query.

use crate::geometry::{Point, Rect};
use std::collections::HashMap;
use stepgraph_core::sort;

/// Canvas pixels.
const CELL: f64 = 512.0;
/// Larger boxes are stored separately.
const MAX_CELLS: i64 = 64;

/// Boxes by location.
///
/// # Example
/// ```
/// use stepgraph_playground::{geometry::{Point, Rect, Size}, spatial_index::SpatialIndex};
/// let mut index = SpatialIndex::default();
/// index.insert(3, Rect::new(Point::new(0.0, 0.0), Size::new(10.0, 10.0)));
/// assert_eq!(index.at(Point::new(5.0, 5.0)), [3]);
/// index.remove(3);
/// assert!(index.at(Point::new(5.0, 5.0)).is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct SpatialIndex {
    boxes: Vec<Option<Rect>>,
    cells: HashMap<(i64, i64), Vec<usize>>,
    large: Vec<usize>,
}

impl SpatialIndex {
    /// Inserts or moves. Memory grows with the largest number.
    pub fn insert(&mut self, number: usize, area: Rect) {
        self.remove(number);
        if self.boxes.len() <= number {
            self.boxes.resize(number + 1, None);
        }
        if let Some(place) = self.boxes.get_mut(number) {
            *place = Some(area);
        }
        match cells(&area) {
            Some(cells) => {
                for cell in cells {
                    self.cells.entry(cell).or_default().push(number);
                }
            }
            None => self.large.push(number),
        }
    }

    /// Removes a box.
    pub fn remove(&mut self, number: usize) {
        let Some(area) = self.boxes.get_mut(number).and_then(Option::take) else { return };
        let lists = cells(&area);
        if lists.is_none() {
            self.large.retain(|other| *other != number);
        }
        for cell in lists.into_iter().flatten() {
            if let Some(numbers) = self.cells.get_mut(&cell) {
                numbers.retain(|other| *other != number);
            }
        }
    }

    /// Returns a box.
    pub fn get(&self, number: usize) -> Option<Rect> {
        self.boxes.get(number).copied().flatten()
    }

    /// Boxes at a point.
    pub fn at(&self, point: Point) -> Vec<usize> {
        self.intersecting(&Rect::between(point, point))
    }

    /// Boxes that touch an area.
    pub fn intersecting(&self, area: &Rect) -> Vec<usize> {
        let mut found = Vec::new();
        self.intersecting_into(area, &mut found);
        found
    }

    /// Reuses the list.
    pub fn intersecting_into(&self, area: &Rect, found: &mut Vec<usize>) {
        found.clear();
        let touches = |number: &usize| self.get(*number).is_some_and(|known| known.intersects(area));
        let Some(cells) = cells(area) else {
            found.extend((0..self.boxes.len()).filter(touches));
            return;
        };
        let near = cells.filter_map(|cell| self.cells.get(&cell)).flatten();
        found.extend(near.chain(&self.large).copied().filter(touches));
        sort::sort_indexes(found, &mut |a, b| a.cmp(&b));
        found.dedup();
    }
}

/// `None` if too many.
fn cells(area: &Rect) -> Option<impl Iterator<Item = (i64, i64)> + use<>> {
    let max = area.max();
    let (left, right) = (cell(area.min.x), cell(max.x));
    let (top, bottom) = (cell(area.min.y), cell(max.y));
    let count = (right.saturating_sub(left).saturating_add(1))
        .saturating_mul(bottom.saturating_sub(top).saturating_add(1));
    (count <= MAX_CELLS).then(|| (left..=right).flat_map(move |x| (top..=bottom).map(move |y| (x, y))))
}

fn cell(value: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float stops at the ends of the range")]
    let cell = (value / CELL).floor() as i64;
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Size;

    #[test]
    fn agrees_with_a_linear_search() {
        let mut state = 12_345_u32;
        let mut next = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from((state >> 8) % below) - f64::from(below) / 2.0
        };
        let mut index = SpatialIndex::default();
        let mut all = vec![Rect::default(); 300];
        for round in 0..3_000 {
            let number = round % 300;
            let area =
                Rect::new(Point::new(next(9_000), next(9_000)), Size::new(next(800).abs(), next(300).abs()));
            let area = if round % 97 == 0 { area.expanded(20_000.0) } else { area };
            index.insert(number, area);
            all[number] = area;
            if round < 300 || round % 10 > 0 {
                continue;
            }
            let asked =
                Rect::new(Point::new(next(9_000), next(9_000)), Size::new(next(4_000).abs(), next(90).abs()));
            let expected: Vec<usize> = (0..300).filter(|number| all[*number].intersects(&asked)).collect();
            assert_eq!(index.intersecting(&asked), expected);
        }
        let everything = Rect::default().expanded(1e12);
        assert_eq!(index.intersecting(&everything).len(), 300);
        index.insert(1, Rect::new(Point::new(f64::MAX, f64::MIN), Size::default()));
        assert!(index.at(Point::new(0.1, f64::NAN)).is_empty());
    }
}
