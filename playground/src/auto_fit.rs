//! Decides whether a changed drawing needs another view: its plan was replaced, or most of it left the sight. Other
//! changes leave the view alone.

use crate::geometry::{Rect, Size};
use crate::paint::IndexedScene;
use crate::scene::Scene;
use crate::viewport::Viewport;

/// More are unreadable when they fit.
const MAX_FITTED_NODES: usize = 1000;
/// Fewer nodes are no new plan: a single node may just have another name.
const MIN_NEW_PLAN_NODES: usize = 3;

/// Whether the view should show the whole drawing again. `before` indexes the drawing that the user saw.
pub fn needs_fit(
    before: &IndexedScene,
    scene: &Scene,
    (view, screen): (&Viewport, Size),
    is_canvas_edit: bool,
) -> bool {
    // As a whole, so large a drawing shows nothing that the keys could reach.
    if scene.nodes.len() > MAX_FITTED_NODES {
        return false;
    }
    let visible = view.visible_area(screen);
    let total = before.titles.len();
    let was_seen = before.node_index.intersecting(&visible);
    let was_seen = was_seen.into_iter().filter_map(|node| before.node_index.get(node));
    let was_seen = was_seen.filter(|area| visible.contains(area.centre())).count();
    let is_seen = scene.nodes.iter().filter(|node| visible.contains(node.area.centre())).count();
    let has_left = if is_most(was_seen, total) {
        !is_most(is_seen, scene.nodes.len())
    } else {
        was_seen > 0 && is_seen == 0
    };
    // An edit of the text keeps a fitted view fitted. On the canvas, nothing moves under the pointer. A readable view of
    // a large drawing did not show all of it before.
    let was_whole = view.is_fitted && was_seen == total;
    let has_outgrown = was_whole && !is_canvas_edit && !contains(&visible, &scene.bounds);
    // A group renames the paths of its nodes.
    let may_be_new = !is_canvas_edit || before.titles.is_empty();
    has_left || has_outgrown || may_be_new && is_new_plan(before, scene)
}

fn is_most(part: usize, all: usize) -> bool {
    part * 2 >= all
}

fn contains(outer: &Rect, inner: &Rect) -> bool {
    outer.contains(inner.min) && outer.contains(inner.max())
}

/// Most nodes are new, and most of the earlier ones are gone.
fn is_new_plan(before: &IndexedScene, scene: &Scene) -> bool {
    if before.titles.is_empty() {
        return scene.nodes.len() > 1;
    }
    if scene.nodes.len() < MIN_NEW_PLAN_NODES {
        return false;
    }
    // As many kept nodes show that it is the same plan.
    let enough = before.titles.len().min(scene.nodes.len()).div_ceil(2);
    let kept = scene.nodes.iter().filter(|node| before.node_number(&node.node_path()).is_some());
    kept.take(enough).count() < enough
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Point;
    use crate::plan_editor::PlanEditor;
    use std::fmt::Write;

    const SCREEN: Size = Size::new(800.0, 600.0);

    fn chain(name: &str, nodes: usize) -> String {
        let mut text = "nodes:\n".to_owned();
        (0..nodes).for_each(|node| writeln!(text, "  {name}{node}: {{type: noop}}").unwrap());
        text.push_str("edges:\n");
        (1..nodes)
            .for_each(|node| writeln!(text, "  - {{from: {name}{}, to: {name}{node}}}", node - 1).unwrap());
        text
    }

    fn needs(before: &str, after: &str, view: impl Fn(&Scene) -> Viewport, is_canvas_edit: bool) -> bool {
        let mut indexed = IndexedScene::default();
        let editor = PlanEditor::new(before);
        indexed.sync(&editor);
        let after = PlanEditor::new(after);
        needs_fit(&indexed, after.scene(), (&view(editor.scene()), SCREEN), is_canvas_edit)
    }

    fn fitted(scene: &Scene) -> Viewport {
        Viewport { is_fitted: true, ..Viewport::fit(scene.bounds, SCREEN, 32.0) }
    }

    fn moved(scene: &Scene) -> Viewport {
        Viewport { is_fitted: false, ..fitted(scene) }
    }

    #[test]
    fn a_replaced_plan_is_fitted() {
        assert!(needs(&chain("a", 5), &chain("b", 6), moved, false));
        assert!(needs("nodes: {}\n", &chain("b", 2), moved, true));
        assert!(!needs("nodes: {}\n", &chain("b", 1), moved, true), "the first node stays at the pointer");
        assert!(!needs(&chain("a", 1), &chain("b", 1), moved, false), "a renamed node stays");
        assert!(!needs(&chain("a", 5), &chain("a", 4), moved, false));
    }

    #[test]
    fn a_drawing_that_left_the_sight_is_fitted() {
        assert!(needs(&chain("a", 4), &chain("a", 20), moved, true), "three quarters are out of sight");
        assert!(!needs(&chain("a", 4), &chain("a", 6), moved, true), "most are in sight");
        let near = |scene: &Scene| {
            let first = scene.nodes[0].area;
            Viewport::default().reveal(first, SCREEN, 32.0).zoomed(3.0, Point::default())
        };
        assert!(!needs(&chain("a", 20), &chain("a", 21), near, false), "a part that the user chose");
        let away = |scene: &Scene| {
            let last = scene.nodes[19].area;
            Viewport::default().reveal(last, SCREEN, 32.0)
        };
        assert!(needs(&chain("a", 20), &chain("a", 10), away, false), "no node is left in sight");
    }

    #[test]
    fn a_fitted_view_follows_the_text_but_not_the_canvas() {
        assert!(needs(&chain("a", 4), &chain("a", 6), fitted, false));
        assert!(!needs(&chain("a", 4), &chain("a", 6), fitted, true));
        assert!(!needs(&chain("a", 6), &chain("a", 5), fitted, false), "it is in sight as a whole");
        let readable = |scene: &Scene| fitted(scene).enlarged(0.6, scene.bounds, SCREEN, 32.0);
        assert!(!needs(&chain("a", 30), &chain("a", 31), readable, false), "it was not in sight as a whole");
    }
}
