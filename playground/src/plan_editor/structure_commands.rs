//! Removes, groups and chooses the start.
//!
//! Neighbours of a removed node with one way in and one out are connected. The way in's condition stays, because it
//! does not read the removed node.

use super::commands::{EditOutcome, split_path};
use super::{PlanEditor, Selection};
use crate::scene::SceneEdge;
use serde_json::Value as Json;
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::diagnostic::{Code, Diagnostic};
use stepgraph_core::graph::scoped_name;
use stepgraph_core::value::Segment;

/// Holds scene indexes, since nodes disappear meanwhile.
struct Link {
    scope: String,
    index: usize,
    from: usize,
    to: usize,
    condition: String,
    /// Replaces the plan's edge.
    is_bridge: bool,
}

impl PlanEditor {
    /// Removes the selection, and bridges nodes with one way in and one out.
    pub fn remove_selected(&mut self, at_ms: f64) -> EditOutcome {
        self.refresh();
        let gone: Vec<(String, usize)> =
            self.selection.edges().map(|(scope, edge)| (scope.to_owned(), edge)).collect();
        let bridges = self.bridges(&gone);
        let mut changes: Vec<(usize, GraphEdit)> = gone
            .into_iter()
            .map(|(scope, edge)| (edge, GraphEdit::Disconnect { scope, edge }))
            .chain(bridges)
            .collect();
        // In reverse, so other indexes stay valid.
        changes.sort_by_key(|(edge, _)| std::cmp::Reverse(*edge));
        let mut edits: Vec<GraphEdit> = changes.into_iter().map(|(_, edit)| edit).collect();
        edits.extend(self.selected().into_iter().map(|(scope, node)| GraphEdit::RemoveNode { scope, node }));
        self.apply_all(&edits, "remove", at_ms)
    }

    /// Each with the index that it follows.
    fn bridges(&self, gone: &[(String, usize)]) -> Vec<(usize, GraphEdit)> {
        let is_kept =
            |edge: &&SceneEdge| !gone.iter().any(|(scope, at)| edge.scope == *scope && edge.index == *at);
        let mut links: Vec<Link> = self.scene.edges.iter().filter(is_kept).map(Link::of).collect();
        let removed = self.selection.nodes().filter_map(|node_path| self.scene.node_at_path(node_path));
        for node in removed.collect::<Vec<_>>() {
            bridge(&mut links, node);
        }
        let key = |node: usize| self.scene.nodes.get(node).map(|node| node.key.clone()).unwrap_or_default();
        let added = |link: Link| {
            let connect = GraphEdit::Connect {
                scope: link.scope,
                from: key(link.from),
                to: key(link.to),
                condition: Some(link.condition).filter(|condition| !condition.is_empty()),
                position: Some(link.index + 1),
            };
            (link.index, connect)
        };
        links.into_iter().filter(|link| link.is_bridge).map(added).collect()
    }

    /// Selects the new group.
    ///
    /// # Errors
    /// `edit/bad-edit` for several graphs, and those of [`PlanEditor::apply_edits`].
    pub fn group_selected(&mut self, at_ms: f64) -> EditOutcome {
        self.refresh();
        let selected = self.selected();
        let Some((scope, _)) = selected.first().cloned() else { return Ok(Vec::new()) };
        if selected.iter().any(|(other, _)| *other != scope) {
            let problem = Diagnostic::new(Code::EditBad, "the selected nodes are in several graphs");
            return Err(Box::new(problem.help("select nodes of one graph")));
        }
        let to = self.free_name_like(&scope, "group", &[]);
        let nodes = selected.into_iter().map(|(_, key)| key).collect();
        let group = GraphEdit::GroupNodes { scope: scope.clone(), nodes, to: to.clone() };
        let done = self.apply_all(&[group], "group", at_ms)?;
        self.select_node(&scoped_name(&scope, &to), false);
        Ok(done)
    }

    /// Selects the group's nodes.
    pub fn ungroup_selected(&mut self, at_ms: f64) -> EditOutcome {
        self.refresh();
        let Some((scope, node)) = self.selection.only_node().map(split_path) else { return Ok(Vec::new()) };
        let before: Vec<String> = self.scene.nodes.iter().map(crate::scene::SceneNode::node_path).collect();
        let done =
            self.apply_all(&[GraphEdit::UngroupNode { scope: scope.clone(), node }], "ungroup", at_ms)?;
        self.selection = Selection::default();
        let paths = self.scene.nodes.iter().filter(|node| node.scope == scope && !node.is_ghost);
        let fresh: Vec<String> =
            paths.map(crate::scene::SceneNode::node_path).filter(|path| !before.contains(path)).collect();
        for node_path in fresh {
            self.select_node(&node_path, true);
        }
        Ok(done)
    }

    /// Starts its graph there.
    pub fn set_start(&mut self, at_ms: f64) -> EditOutcome {
        self.refresh();
        let Some((scope, node)) = self.selection.only_node().map(split_path) else { return Ok(Vec::new()) };
        self.apply_all(&[GraphEdit::SetStart { scope, node: Some(node) }], "start", at_ms)
    }
}

impl PlanEditor {
    /// After other tests.
    pub fn add_test(&mut self, test: &Json, at_ms: f64) -> EditOutcome {
        self.refresh();
        let tests = self.plan().and_then(|plan| {
            let tests = plan.graph_map(&plan.root)?.get("tests")?.value.as_list()?;
            Some(tests.len()).filter(|number| *number > 0)
        });
        let key = Segment::Key("tests".to_owned());
        let (path, value) = match tests {
            Some(number) => (vec![key, Segment::Index(number)], test.clone()),
            None => (vec![key], Json::Array(vec![test.clone()])),
        };
        self.apply_all(
            &[GraphEdit::SetPlan { scope: String::new(), path, value: Some(value) }],
            "test",
            at_ms,
        )
    }
}

impl Link {
    fn of(edge: &SceneEdge) -> Self {
        Self {
            scope: edge.scope.clone(),
            index: edge.index,
            from: edge.from,
            to: edge.to,
            condition: edge.label.clone(),
            is_bridge: false,
        }
    }
}

fn bridge(links: &mut Vec<Link>, node: usize) {
    let others = |links: &[Link], is_in: bool| -> Vec<usize> {
        let is_it = |link: &Link| link.from != link.to && (if is_in { link.to } else { link.from }) == node;
        links.iter().enumerate().filter(|(_, link)| is_it(link)).map(|(at, _)| at).collect()
    };
    let ends = (others(links, true), others(links, false));
    if let ([way_in], [way_out]) = (ends.0.as_slice(), ends.1.as_slice())
        && let Some(to) = links.get(*way_out).map(|link| link.to)
    {
        let is_known =
            |links: &[Link], from: usize| links.iter().any(|link| link.from == from && link.to == to);
        let is_free = links.get(*way_in).is_some_and(|link| link.from != to && !is_known(links, link.from));
        if let Some(link) = links.get_mut(*way_in).filter(|_| is_free) {
            (link.to, link.is_bridge) = (to, true);
        }
    }
    links.retain(|link| link.from != node && link.to != node);
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::source::edit::apply_edits;

    const CHAIN: &str = "\
nodes:
  a: {type: log}
  b: {type: noop} # the middle
  c: {type: noop}
  d: {type: log}
edges:
  - {from: a, to: b, condition: last==ok}
  - {from: b, to: c}
  - {from: c, to: d}
";

    fn select(text: &str, nodes: &[&str]) -> PlanEditor {
        let mut editor = PlanEditor::new(text);
        for node in nodes {
            editor.select_node(node, true);
        }
        editor
    }

    fn edges(editor: &PlanEditor) -> Vec<String> {
        let key = |node: usize| editor.scene().nodes[node].key.clone();
        let text = |edge: &SceneEdge| [&key(edge.from), ">", &key(edge.to), " ", &edge.label].concat();
        editor.scene().edges.iter().map(text).collect()
    }

    #[test]
    fn removing_a_node_connects_its_neighbours_and_undo_gives_all_back() {
        for (nodes, expected) in [
            (&["b"][..], vec!["a>c last==ok", "c>d "]),
            (&["b", "c"], vec!["a>d last==ok"]),
            (&["d"], vec!["a>b last==ok", "b>c "]),
            (&["a"], vec!["b>c ", "c>d "]),
        ] {
            let mut editor = select(CHAIN, nodes);
            editor.remove_selected(0.0).expect("removed");
            assert_eq!(edges(&editor), expected, "{}", editor.text());
            assert!(editor.is_current() && !editor.text().contains("start:"), "{}", editor.text());
            assert!(editor.undo().is_some() && editor.text() == CHAIN);
        }
    }

    #[test]
    fn a_node_with_several_ways_leaves_no_edge() {
        let text = CHAIN.replace("  - {from: b, to: c}\n", "  - {from: b, to: c}\n  - {from: b, to: d}\n");
        let mut editor = select(&text, &["b"]);
        editor.remove_selected(0.0).expect("removed");
        assert_eq!(edges(&editor), ["c>d "]);
        let mut known = select(
            "start: a\nnodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b, condition: last==x}, {from: b, to: a}]\n",
            &["b"],
        );
        known.remove_selected(0.0).expect("removed");
        assert_eq!(edges(&known), Vec::<String>::new());
    }

    #[test]
    fn removing_the_last_node_empties_the_drawing() {
        let text = "nodes:\n  a: {type: log}\n";
        let mut editor = select(text, &["a"]);
        let edits = editor.remove_selected(0.0).expect("removed");
        assert_eq!(apply_edits(text, &edits), editor.text());
        assert!(editor.scene().nodes.is_empty() && editor.selection().is_empty(), "{}", editor.text());
        editor.add_node("", "log", None, None, 1.0).expect("a new first node");
        assert_eq!(editor.scene().nodes.len(), 1);
        assert!(editor.undo().is_some() && editor.undo().is_some() && editor.text() == text);
    }

    #[test]
    fn adds_tests_behind_the_others() {
        let mut editor = PlanEditor::new(CHAIN);
        for name in ["one", "two"] {
            editor
                .add_test(&serde_json::json!({"name": name, "expect": {"path": ["a"]}}), 0.0)
                .expect("added");
        }
        let (one, two) = (editor.text().find("one"), editor.text().find("two"));
        assert!(editor.is_current() && one < two && one.is_some(), "{}", editor.text());
    }

    #[test]
    fn groups_ungroups_and_starts() {
        let mut editor = select(CHAIN, &["b", "c"]);
        editor.group_selected(0.0).expect("grouped");
        assert_eq!(editor.selection().only_node(), Some("group"));
        assert_eq!(edges(&editor), ["a>group last==ok", "group>d "]);
        editor.ungroup_selected(1.0).expect("ungrouped");
        assert_eq!(editor.selection().nodes().collect::<Vec<_>>(), ["b", "c"]);
        editor.select_node("b", false);
        editor.set_start(2.0).expect("started");
        assert!(editor.text().starts_with("start: b\n"), "{}", editor.text());
    }
}
