//! Host tools and models. A new node has no arguments, and the checker reports required ones.

use super::PlanEditor;
use super::commands::{EditOutcome, split_path, tool_node};
use crate::geometry::{GRID, Point};
use serde_json::Value as Json;
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::scoped_name;
use stepgraph_core::interner::NameTable;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};

impl PlanEditor {
    /// JSON: `{tools: [...], models: [...]}`. Missing keys skip checks.
    pub fn set_host(&mut self, text: &str) {
        let offer = stepgraph_core::json::parse(text).unwrap_or_default();
        let list = |key: &str| offer.get(key).and_then(Json::as_array);
        let capabilities = Capabilities {
            tools: list("tools")
                .map(|tools| ToolRegistry::new(tools.iter().filter_map(ToolInfo::from_json).collect_vec())),
            models: list("models")
                .map(|names| names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect()),
            // The playground's runs start without outputs.
            outputs: Some(NameTable::default()),
            ..Capabilities::default()
        };
        self.document.set_capabilities(capabilities);
    }

    /// Adds and selects a node, after the only selected one, or at a point of a scope.
    ///
    /// # Errors
    /// If the edit is impossible.
    pub fn add_tool(&mut self, tool: &str, place: Option<(String, Point)>, at_ms: f64) -> EditOutcome {
        self.refresh();
        let after = self.selection.only_node().map(split_path);
        let (scope, at) = match place {
            Some((scope, at)) => (scope, Some(at.snapped(GRID))),
            None => (after.as_ref().map(|(scope, _)| scope.clone()).unwrap_or_default(), None),
        };
        let (node, _) = self.new_node(&scope, tool);
        let mut edits = vec![GraphEdit::AddNode {
            scope: scope.clone(),
            node: node.clone(),
            value: tool_node(tool),
            before: None,
        }];
        if let Some(at) = at {
            let positions = vec![(node.clone(), Some([at.x, at.y]))];
            edits.push(GraphEdit::MoveNodes { scope: scope.clone(), positions });
        } else if let Some((_, from)) = after {
            let (scope, to) = (scope.clone(), node.clone());
            edits.push(GraphEdit::Connect { scope, from, to, condition: None, position: None });
        }
        let done = self.apply_edits(&edits, "add", at_ms)?;
        self.select_node(&scoped_name(&scope, &node), false);
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const HOST: &str = r#"{"tools": [{"name": "weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}], "models": ["default"]}"#;

    fn codes(editor: &PlanEditor) -> Vec<&'static str> {
        editor.document().diagnostics().iter().map(|problem| problem.code.slug()).collect()
    }

    #[test]
    fn checks_the_plan_against_host_tools() {
        let mut editor = PlanEditor::new("nodes:\n  a: {type: tool, tool: wether, input: {city: Oslo}}\n");
        assert_eq!(codes(&editor), Vec::<&str>::new());
        editor.set_host(HOST);
        assert_eq!(codes(&editor), ["graph/unknown-tool"]);
        editor.set_host("{}");
        assert_eq!(codes(&editor), Vec::<&str>::new());
        editor.set_host("no JSON");
        assert_eq!(codes(&editor), Vec::<&str>::new());
    }

    #[test]
    fn adds_a_tool_after_the_selection_or_at_a_point() {
        let mut editor = PlanEditor::new("start: a\nnodes:\n  a: {type: log}\n");
        editor.add_tool("shop.weather", None, 0.0).expect("added");
        let call = json!({"type": "tool", "tool": "shop.weather", "input": {}});
        assert_eq!(editor.node_json("weather"), Some(call));
        assert_eq!(editor.selection().only_node(), Some("weather"));
        editor.select_node("a", false);
        editor.add_tool("weather", None, 0.0).expect("added");
        let ends: Vec<(&str, &str)> = editor
            .scene()
            .edges
            .iter()
            .map(|edge| {
                (editor.scene().nodes[edge.from].key.as_str(), editor.scene().nodes[edge.to].key.as_str())
            })
            .collect();
        assert_eq!(ends, [("a", "weather_2")]);
        editor.clear_selection();
        let place = (String::new(), Point::new(10.4, 20.6));
        editor.add_tool("weather", Some(place), 0.0).expect("added");
        let placed = editor.scene().nodes.iter().find(|node| node.key == "weather_3").expect("added");
        assert!(placed.is_placed);
        let origin = editor.scene().groups.first().expect("the plan").origin;
        assert_eq!(origin.offset_to(placed.position), Point::new(8.0, 24.0));
    }

    #[test]
    fn adds_a_tool_to_a_group_wherever_the_selection_is() {
        let text = "nodes:\n  a: {type: log}\n  all: {type: graph, graph: {nodes: {b: {type: log}}}}\n";
        let mut editor = PlanEditor::new(text);
        editor.toggle_group("all");
        editor.select_node("a", false);
        editor.add_tool("weather", Some(("all".to_owned(), Point::new(40.0, 80.0))), 0.0).expect("added");
        assert_eq!(editor.selection().only_node(), Some("all/weather"));
        editor.add_tool("weather", Some((String::new(), Point::new(-900.0, -900.0))), 0.0).expect("added");
        assert_eq!(editor.selection().only_node(), Some("weather"));
    }
}
