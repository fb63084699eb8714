//! What can be called from the plan: tools and models that are connected, and nodes made of them.
//!
//! Decides that a node that calls a tool stands after the one that is selected, and that its arguments are asked for by the checks rather than made
//! up.

use super::Session;
use super::commands::{Done, split};
use crate::geometry::Point;
use serde_json::{Value as Json, json};
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::collect::List;
use stepgraph_core::graph::within;
use stepgraph_core::interner::Names;
use stepgraph_core::tool::{Catalogue, ToolInfo};

impl Session {
    /// Takes what is connected, as JSON: `{tools: [...], models: [...]}`; the plan is checked against it from now on. Where a key is
    /// missing nothing is known, and nothing is said.
    pub fn offer(&mut self, text: &str) {
        let offer = stepgraph_core::json::parse(text).unwrap_or_default();
        let list = |key: &str| offer.get(key).and_then(Json::as_array);
        let capabilities = Capabilities {
            tools: list("tools")
                .map(|tools| Catalogue::new(tools.iter().filter_map(ToolInfo::from_json).list())),
            models: list("models")
                .map(|names| names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect()),
            // The page gives a run none.
            outputs: Some(Names::default()),
            ..Capabilities::default()
        };
        self.document.set_capabilities(capabilities);
    }

    /// Adds a node that calls a tool: after the one that is selected, if it is only one, or at a place of the drawing; selects it.
    ///
    /// # Errors
    /// Why it can't be added.
    pub fn add_tool(&mut self, tool: &str, at: Option<Point>, at_ms: f64) -> Done {
        self.refresh();
        let after = self.selection.only_node().map(split);
        let scope = after.as_ref().map(|(scope, _)| scope.clone()).unwrap_or_default();
        let stem = tool.rsplit_once('.').map_or(tool, |(_, name)| name);
        let plain =
            stem.replace(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-', "_");
        let node = self.free_name_beside(&scope, &plain, &[]);
        let mut edits = vec![GraphEdit::AddNode {
            scope: scope.clone(),
            node: node.clone(),
            value: json!({"type": "tool", "tool": tool, "input": {}}),
            before: None,
        }];
        if let Some(at) = at {
            let places = vec![(node.clone(), Some([at.x.round(), at.y.round()]))];
            edits.push(GraphEdit::MoveNodes { scope: scope.clone(), positions: places });
        } else if let Some((_, from)) = after {
            let (scope, to) = (scope.clone(), node.clone());
            edits.push(GraphEdit::Connect { scope, from, to, condition: None, position: None });
        }
        let done = self.perform(&edits, "add", at_ms)?;
        self.choose_node(&within(&scope, &node), false);
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFER: &str = r#"{"tools": [{"name": "weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}], "models": ["default"]}"#;

    fn codes(session: &Session) -> Vec<&'static str> {
        session.document().diagnostics().iter().map(|problem| problem.code.slug()).collect()
    }

    #[test]
    fn a_plan_is_checked_against_what_is_connected() {
        let mut session = Session::new("nodes:\n  a: {type: tool, tool: wether, input: {city: Oslo}}\n");
        assert_eq!(codes(&session), Vec::<&str>::new());
        session.offer(OFFER);
        assert_eq!(codes(&session), ["graph/unknown-tool"]);
        session.offer("{}");
        assert_eq!(codes(&session), Vec::<&str>::new());
        session.offer("no JSON");
        assert_eq!(codes(&session), Vec::<&str>::new());
    }

    #[test]
    fn a_tool_is_added_after_what_is_selected_or_where_it_was_dropped() {
        let mut session = Session::new("start: a\nnodes:\n  a: {type: log}\n");
        session.add_tool("shop.weather", None, 0.0).expect("added");
        let call = json!({"type": "tool", "tool": "shop.weather", "input": {}});
        assert_eq!(session.node_json("weather"), Some(call));
        assert_eq!(session.selection().only_node(), Some("weather"));
        session.choose_node("a", false);
        session.add_tool("weather", None, 0.0).expect("added");
        let ends: Vec<(&str, &str)> = session
            .scene()
            .edges
            .iter()
            .map(|line| {
                (session.scene().nodes[line.from].key.as_str(), session.scene().nodes[line.to].key.as_str())
            })
            .collect();
        assert_eq!(ends, [("a", "weather_2")]);
        session.choose_nothing();
        session.add_tool("weather", Some(Point::new(10.4, 20.6)), 0.0).expect("added");
        assert!(session.scene().nodes.iter().any(|node| node.key == "weather_3" && node.is_placed));
    }
}
