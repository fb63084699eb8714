//! Copies and pastes YAML with `nodes` and `edges`. Pasted text is untrusted: only nodes, edges and positions count.

use super::commands::{EditOutcome, split_path};
use super::{PlanEditor, Selection};
use crate::geometry::Point;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::diagnostic::{Code, Diagnostic};
use stepgraph_core::graph::{print, scoped_name};
use stepgraph_core::source::{Format, parse};

const MAX_PASTED_NODES: usize = 2_000;

impl PlanEditor {
    /// `None` without nodes.
    pub fn copy_selected(&self) -> Option<String> {
        let selected = self.selected();
        let mut nodes = Map::new();
        let mut layout = Map::new();
        for (scope, key) in &selected {
            let node = scoped_name(scope, key);
            nodes.insert(key.clone(), self.node_json(&node)?);
            let at = self.scene_node(&node)?.area.min;
            layout.insert(key.clone(), json!([at.x.round(), at.y.round()]));
        }
        let has = |scope: &str, key: &str| selected.iter().any(|(own, node)| own == scope && node == key);
        let edges = self.scene.edges.iter().filter_map(|scene_edge| {
            let (from, to) = (self.scene.nodes.get(scene_edge.from)?, self.scene.nodes.get(scene_edge.to)?);
            (has(&from.scope, &from.key) && has(&to.scope, &to.key)).then(|| {
                let mut edge = json!({"from": from.key, "to": to.key});
                if let (false, Some(edge)) = (scene_edge.label.is_empty(), edge.as_object_mut()) {
                    edge.insert("condition".to_owned(), scene_edge.label.as_str().into());
                }
                edge
            })
        });
        let edges: Vec<Json> = edges.collect();
        let mut plan = json!({ "nodes": nodes });
        if let Some(map) = plan.as_object_mut() {
            if !edges.is_empty() {
                map.insert("edges".to_owned(), edges.into());
            }
            map.insert("layout".to_owned(), layout.into());
        }
        (!selected.is_empty()).then(|| print(&plan, &Map::new()))
    }

    /// Pastes under free names, and selects.
    ///
    /// # Errors
    /// `edit/unreadable` without nodes, and those of [`PlanEditor::apply_edits`].
    pub fn paste(&mut self, text: &str, scope: &str, at: Option<Point>, at_ms: f64) -> EditOutcome {
        let document = parse(text, Format::Auto);
        let whole = document.root.map(|root| root.to_json()).unwrap_or_default();
        let nodes = whole
            .get("nodes")
            .and_then(Json::as_object)
            .filter(|nodes| (1..=MAX_PASTED_NODES).contains(&nodes.len()));
        let Some(nodes) = nodes else {
            let problem = Diagnostic::new(Code::EditUnreadable, "the clipboard contains no nodes of a plan");
            return Err(Box::new(problem.help("copy nodes of a plan, or the text of one")));
        };
        let mut names: HashMap<&str, String> = HashMap::new();
        for key in nodes.keys() {
            let taken: Vec<&str> = names.values().map(String::as_str).collect();
            let name = self.free_name_like(scope, key, &taken);
            names.insert(key, name);
        }
        let mut edits: Vec<GraphEdit> = nodes
            .iter()
            .map(|(key, value)| GraphEdit::AddNode {
                scope: scope.to_owned(),
                node: names.get(key.as_str()).cloned().unwrap_or_default(),
                value: value.clone(),
                before: None,
            })
            .collect();
        edits.extend(pasted_edges(&whole, &names, scope));
        edits.extend(
            pasted_positions(&whole, &names, at)
                .map(|positions| GraphEdit::MoveNodes { scope: scope.to_owned(), positions }),
        );
        let done = self.apply_all(&edits, "paste", at_ms)?;
        self.selection = Selection::default();
        for name in names.into_values() {
            self.select_node(&scoped_name(scope, &split_path(&name).1), true);
        }
        Ok(done)
    }
}

fn pasted_edges(whole: &Json, names: &HashMap<&str, String>, scope: &str) -> Vec<GraphEdit> {
    let list = whole.get("edges").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |edge: &Json, key: &str| edge.get(key).and_then(Json::as_str).map(str::to_owned);
    let edge = |edge: &Json| {
        let name = |key: &str| names.get(edge.get(key)?.as_str()?).cloned();
        let condition = text(edge, "condition");
        Some(GraphEdit::Connect {
            scope: scope.to_owned(),
            from: name("from")?,
            to: name("to")?,
            condition,
            position: None,
        })
    };
    list.iter().filter_map(edge).collect()
}

/// The top left corner is `at`.
fn pasted_positions(
    whole: &Json,
    names: &HashMap<&str, String>,
    at: Option<Point>,
) -> Option<Vec<(String, Option<[f64; 2]>)>> {
    let at = at?;
    let layout = whole.get("layout")?.as_object()?;
    let pair = |value: &Json| Some(Point::new(value.get(0)?.as_f64()?, value.get(1)?.as_f64()?));
    let known: Vec<(&String, Point)> =
        layout.iter().filter_map(|(key, value)| Some((names.get(key.as_str())?, pair(value)?))).collect();
    let left = known.iter().map(|(_, point)| point.x).fold(f64::INFINITY, f64::min);
    let top = known.iter().map(|(_, point)| point.y).fold(f64::INFINITY, f64::min);
    let place = |(name, point): (&String, Point)| {
        (name.clone(), Some([(at.x + point.x - left).round(), (at.y + point.y - top).round()]))
    };
    Some(known.into_iter().map(place).collect::<Vec<_>>()).filter(|positions| !positions.is_empty())
}
