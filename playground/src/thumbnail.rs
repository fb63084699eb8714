//! Boxes, lines and colours of small diagrams. Groups are open, because content distinguishes plans.
//!
//! Invariants: deterministic. Names are plain text for the consumer to escape.

use crate::appearance::{NodeAppearance, Theme};
use crate::geometry::Rect;
use crate::scene::{Curve, Scene, SceneEdge, SceneNode, ViewOptions, build_scene};
use serde_json::{Value as Json, json};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::Format;
use stepgraph_core::value::{json_text, number_text};

const MAX_DEPTH: usize = 3;

/// JSON `{area, boxes, lines, frames}`, or `None` for invalid plans.
///
/// # Shape
/// `area` and each `at` are `[x, y, width, height]`. A box has `place`, `title`, `detail`, `kind`, `tint`, `ink`,
/// `icon`, `open`, `start`. A line has `path` (SVG path data), `from`, `to`, `label` with its place `tag`, `failure`.
///
/// # Example
/// ```
/// use stepgraph_playground::{appearance::Theme, thumbnail::thumbnail_json};
/// let picture = thumbnail_json("nodes: {a: {type: log, input: hi}}", Theme::Light).unwrap();
/// assert!(picture.contains(r#""nodePath":"a""#));
/// assert_eq!(thumbnail_json("nodes: [", Theme::Light), None);
/// ```
pub fn thumbnail_json(text: &str, theme: Theme) -> Option<String> {
    let plan = PlanGraph::parse(text, Format::Auto).graph?;
    let drawing = expanded_scene(&plan);
    let boxes: Vec<Json> = drawing.nodes.iter().map(|node| node_json(node, theme)).collect();
    let lines: Vec<Json> = drawing.edges.iter().map(|edge| edge_json(&drawing, edge)).collect();
    let frames: Vec<Json> = drawing
        .groups
        .iter()
        .filter(|group| group.owner.is_some())
        .map(|group| json!({"at": rect_json(&group.area), "name": group.name}))
        .collect();
    Some(json_text(
        &json!({"area": rect_json(&drawing.bounds), "boxes": boxes, "lines": lines, "frames": frames}),
    ))
}

fn expanded_scene(plan: &PlanGraph) -> Scene {
    let mut choices = ViewOptions::default();
    let mut drawing = build_scene(plan, &choices);
    for _ in 0..MAX_DEPTH {
        let closed: Vec<String> = drawing
            .nodes
            .iter()
            .filter(|node| node.is_expanded == Some(false))
            .map(SceneNode::node_path)
            .filter(|node_path| !choices.expanded.contains(node_path))
            .collect();
        if closed.is_empty() {
            break;
        }
        choices.expanded.extend(closed);
        drawing = build_scene(plan, &choices);
    }
    drawing
}

fn node_json(node: &SceneNode, theme: Theme) -> Json {
    let appearance = NodeAppearance::for_type(&node.kind);
    json!({
        "nodePath": node.node_path(), "title": node.title, "detail": node.subtitle, "kind": node.kind, "at": rect_json(&node.area),
        "tint": appearance.tint(theme), "ink": appearance.ink(theme), "icon": appearance.icon(),
        "open": node.is_expanded == Some(true), "start": node.is_start,
    })
}

fn edge_json(drawing: &Scene, edge: &SceneEdge) -> Json {
    let place = |index: usize| drawing.nodes.get(index).map(SceneNode::node_path).unwrap_or_default();
    json!({
        "path": path(&edge.curve), "from": place(edge.from), "to": place(edge.to), "label": edge.label,
        "tag": rect_json(&edge.label_box), "failure": edge.is_failure,
    })
}

fn rect_json(area: &Rect) -> Json {
    json!([
        round_to_tenth(area.min.x),
        round_to_tenth(area.min.y),
        round_to_tenth(area.size.width),
        round_to_tenth(area.size.height)
    ])
}

/// Smaller fractions are invisible.
fn round_to_tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn path(curve: &Curve) -> String {
    let mut out = String::from("M");
    let mut put = |letter: &str, x: f64, y: f64| {
        out.push_str(letter);
        out.push_str(&number_text(round_to_tenth(x)));
        out.push(' ');
        out.push_str(&number_text(round_to_tenth(y)));
    };
    put("", curve.start.x, curve.start.y);
    for piece in &curve.pieces {
        for (point, letter) in piece.iter().zip(["C", " ", " "]) {
            put(letter, point.x, point.y);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::json;

    fn read(text: &str) -> Json {
        json::parse(&thumbnail_json(text, Theme::Light).expect("a plan")).expect("JSON")
    }

    #[test]
    fn expands_groups_and_names_edge_ends() {
        let picture = read(
            "start: fan\nnodes:\n  fan:\n    type: parallel\n    branches:\n      left: {nodes: {a: {type: log}}}\n      right: {nodes: {b: {type: graph, graph: {nodes: {c: {type: log}}}}}}\n  end: {type: log}\nedges: [{from: fan, to: end, condition: last==ok}]\n",
        );
        let node_paths: Vec<&str> = picture["boxes"]
            .as_array()
            .expect("boxes")
            .iter()
            .filter_map(|one| one["nodePath"].as_str())
            .collect();
        for node_path in ["fan", "fan/left/a", "fan/right/b", "fan/right/b/c", "end"] {
            assert!(node_paths.contains(&node_path), "{node_path} in {node_paths:?}");
        }
        assert_eq!(picture["lines"][0]["from"], "fan");
        assert_eq!(picture["lines"][0]["label"], "last==ok");
        assert!(picture["lines"][0]["tag"][2].as_f64().is_some_and(|width| width > 50.0));
        assert!(picture["lines"][0]["path"].as_str().expect("a path").starts_with('M'));
        assert_eq!(picture["frames"].as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn escapes_untrusted_text() {
        let picture = read("nodes:\n  '<img onerror=x>': {type: '\"</svg>'}\n");
        assert_eq!(picture["boxes"][0]["nodePath"], "<img onerror=x>");
    }

    #[test]
    fn every_gallery_plan_has_a_thumbnail() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/gallery");
        let mut seen = 0;
        for lang in ["en", "es"] {
            for file in std::fs::read_dir(folder.join(lang)).expect("the gallery") {
                let text = std::fs::read_to_string(file.expect("a file").path()).expect("text");
                assert!(thumbnail_json(&text, Theme::Dark).is_some_and(|picture| picture.len() > 200));
                seen += 1;
            }
        }
        assert!(seen >= 40, "{seen}");
    }
}
