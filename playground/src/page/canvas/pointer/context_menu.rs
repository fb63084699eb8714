//! Selects for the context menu.

use super::{CanvasView, Hit};
use leptos::prelude::*;
use leptos::web_sys::PointerEvent;

impl CanvasView {
    /// A selection that contains the item stays.
    pub(super) fn select_under(self, event: &PointerEvent) {
        if self.edge_drag.get_untracked().is_some() {
            return;
        }
        let at = self.pane_point(event.client_x(), event.client_y());
        let hit = match self.hit_test(self.store.view.get_untracked().to_drawing(at)) {
            Hit::Handle(node) => Hit::Node(node),
            hit => hit,
        };
        let is_selected = self.store.read(|editor| {
            let (scene, selected) = (editor.scene(), editor.selection());
            match hit {
                Hit::Node(node) => {
                    scene.nodes.get(node).is_some_and(|node| selected.has_node(&node.node_path()))
                }
                Hit::Edge(edge) | Hit::EdgeEnd(edge, _) => scene
                    .edges
                    .get(edge)
                    .is_some_and(|scene_edge| selected.has_edge(&scene_edge.scope, scene_edge.index)),
                _ => false,
            }
        });
        if !is_selected {
            self.click(hit, false, at);
        }
    }
}
