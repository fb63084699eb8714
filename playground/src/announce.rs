//! Announcements for screen readers. A streaming run drops and counts older ones.
//!
//! Invariants: 1. the last one is always spoken. 2. a flush is limited.
//!
//! Source: WCAG 2.2, 4.1.2 and 4.1.3.

use crate::i18n::{Announcement as W, Canvas, Lang, Localized, format_message};
use crate::keyboard::{Focus, Item, spatial_navigation};
use crate::plan_editor::PlanEditor;
use crate::run_overlay::{NodeStatus, RunOverlay};
use crate::scene::{SceneEdge, SceneNode};
use stepgraph_core::diagnostic::Severity;
use stepgraph_core::graph::scoped_name;

const MAX_QUEUED: usize = 4;

/// Announcements until the next flush.
///
/// # Example
/// ```
/// use stepgraph_playground::{announce::AnnouncementQueue, i18n::Lang};
/// let mut queue = AnnouncementQueue::default();
/// assert!(queue.push("a done".into()) && !queue.push("b done".into()));
/// assert_eq!(queue.take(Lang::En), "a done. b done");
/// ```
#[derive(Debug, Clone, Default)]
pub struct AnnouncementQueue {
    waiting: Vec<String>,
    left_out: usize,
}

impl AnnouncementQueue {
    /// Adds an announcement. Returns true if the caller must schedule a flush.
    pub fn push(&mut self, text: String) -> bool {
        let was_empty = self.waiting.is_empty();
        self.waiting.retain(|other| *other != text);
        self.waiting.push(text);
        if self.waiting.len() > MAX_QUEUED {
            self.waiting.remove(0);
            self.left_out += 1;
        }
        was_empty
    }

    /// Takes all as one text.
    pub fn take(&mut self, lang: Lang) -> String {
        let Self { waiting, left_out } = std::mem::take(self);
        let text = waiting.join(". ");
        if left_out == 0 {
            return text;
        }
        [&pluralize(left_out, W::OneLeftOut, W::LeftOut, lang), ". ", &text].concat()
    }
}

/// Describes the focused item.
pub fn describe_focus(editor: &PlanEditor, overlay: &RunOverlay, focus: &Focus, lang: Lang) -> String {
    let scene = editor.scene();
    match spatial_navigation::item_of_focus(scene, focus) {
        Some(Item::Node(node)) => scene
            .nodes
            .get(node)
            .map_or_else(String::new, |found| describe_node(editor, overlay, node, found, lang)),
        Some(Item::Edge(edge)) => scene
            .edges
            .get(edge)
            .map_or_else(String::new, |scene_edge| describe_edge(editor, overlay, scene_edge, lang)),
        None => format_message(
            W::Whole.text(lang),
            &[
                &pluralize(scene.nodes.len(), W::OneNode, W::Nodes, lang),
                &pluralize(scene.edges.len(), W::OneEdge, W::Edges, lang),
            ],
        ),
    }
}

fn describe_node(
    editor: &PlanEditor,
    overlay: &RunOverlay,
    number: usize,
    node: &SceneNode,
    lang: Lang,
) -> String {
    let scene = editor.scene();
    let node_path = node.node_path();
    let mut parts = vec![node.title.clone()];
    if node.title != node.key {
        parts.push(node.key.clone());
    }
    parts.push(node.kind.clone());
    let mut say = |is: bool, word: W| {
        if is {
            parts.push(word.text(lang).to_owned());
        }
    };
    say(node.is_start, W::Start);
    say(node.is_expanded == Some(false), W::Closed);
    say(node.is_expanded == Some(true), W::Open);
    let leaving = scene.edges.iter().filter(|edge| edge.from == number).count();
    let arriving = scene.edges.iter().filter(|edge| edge.to == number).count();
    parts.push(pluralize(leaving, W::OneOut, W::Out, lang));
    parts.push(pluralize(arriving, W::OneIn, W::In, lang));
    if let Some(state) = overlay.nodes.get(&node_path) {
        parts.extend(status_text(state.status, lang).map(str::to_owned));
        if state.status == NodeStatus::Failed && !state.text.is_empty() {
            parts.push(state.text.clone());
        }
        if overlay.is_outdated && state.status.is_result() {
            parts.push(Canvas::EarlierPlan.text(lang).to_owned());
        }
        if state.has_breakpoint {
            parts.push(W::Breakpoint.text(lang).to_owned());
        }
        if state.is_pinned {
            parts.push(W::Pinned.text(lang).to_owned());
        }
    }
    finish_sentence(editor, &node_path, editor.selection().has_node(&node_path), parts, lang)
}

fn describe_edge(editor: &PlanEditor, overlay: &RunOverlay, edge: &SceneEdge, lang: Lang) -> String {
    let mut parts = vec![edge_name(editor, edge, lang)];
    match overlay.edges.get(&(edge.scope.clone(), edge.index)) {
        Some(NodeStatus::Done) => parts.push(W::Taken.text(lang).to_owned()),
        Some(NodeStatus::Failed) => parts.push(W::ConditionFailed.text(lang).to_owned()),
        _ => {}
    }
    if overlay.is_outdated && parts.len() > 1 {
        parts.push(Canvas::EarlierPlan.text(lang).to_owned());
    }
    let is_selected = editor.selection().has_edge(&edge.scope, edge.index);
    finish_sentence(
        editor,
        &scoped_name(&edge.scope, &["#", &edge.index.to_string()].concat()),
        is_selected,
        parts,
        lang,
    )
}

/// Names an edge's ends and condition.
pub fn edge_name(editor: &PlanEditor, edge: &SceneEdge, lang: Lang) -> String {
    let title =
        |node: usize| editor.scene().nodes.get(node).map(|node| node.title.as_str()).unwrap_or_default();
    let ends = format_message(W::Edge.text(lang), &[title(edge.from), title(edge.to)]);
    [&ends, ", ", &condition_text(edge, lang)].concat()
}

/// Condition under which a run takes an edge.
pub fn condition_text(edge: &SceneEdge, lang: Lang) -> String {
    match edge.label.trim() {
        "" | "default" | "always" => W::Otherwise.text(lang).to_owned(),
        label => format_message(if edge.is_failure { W::OnFailure } else { W::If }.text(lang), &[label]),
    }
}

/// Name of a run status.
pub fn status_text(status: NodeStatus, lang: Lang) -> Option<&'static str> {
    let word = match status {
        NodeStatus::None => return None,
        NodeStatus::Running => W::Running,
        NodeStatus::Waiting => W::Waiting,
        NodeStatus::Done => W::Done,
        NodeStatus::Rejected => W::Rejected,
        NodeStatus::Failed => W::Failed,
        NodeStatus::Skipped => W::Skipped,
        NodeStatus::Stopped => W::Stopped,
    };
    Some(word.text(lang))
}

fn finish_sentence(
    editor: &PlanEditor,
    node_path: &str,
    is_selected: bool,
    mut parts: Vec<String>,
    lang: Lang,
) -> String {
    let several = editor.selection().nodes().count() + editor.selection().edges().count();
    if is_selected && several > 1 {
        parts.push(format_message(W::SelectedOf.text(lang), &[&several.to_string()]));
    }
    if !is_selected && several > 0 {
        parts.push(W::NotSelected.text(lang).to_owned());
    }
    let problems = shown_problems(editor, node_path);
    if let Some((_, first)) = problems.iter().min() {
        parts.push(pluralize(problems.len(), W::OneProblem, W::Problems, lang));
        parts.push(first.clone());
    }
    parts.join(", ")
}

/// Severities and messages. A collapsed group has those of its nodes, too.
fn shown_problems(editor: &PlanEditor, node_path: &str) -> Vec<(Severity, String)> {
    let scene = editor.scene();
    let node = scene.node_at_path(node_path).and_then(|node| scene.nodes.get(node));
    let is_collapsed = node.is_some_and(|node| node.is_expanded == Some(false));
    let is_inside = |path: &str| path.strip_prefix(node_path).is_some_and(|rest| rest.starts_with('/'));
    let problems = editor.problems().into_iter();
    let shown = problems.filter(|(path, _)| path == node_path || is_collapsed && is_inside(path));
    shown.flat_map(|(_, found)| found).map(|found| (found.severity, found.message.clone())).collect()
}

/// A count in singular or plural.
pub fn pluralize(number: usize, one: W, several: W, lang: Lang) -> String {
    if number == 1 {
        one.text(lang).to_owned()
    } else {
        format_message(several.text(lang), &[&number.to_string()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_overlay::NodeRunState;

    const PLAN: &str = "\
nodes:
  a: {type: log, metadata: {title: Greet}}
  b: {type: parallel, branches: {x: {nodes: {c: {type: noop}}}}}
edges: [{from: a, to: b, condition: last==ok}, {from: a, to: b}]
";

    #[test]
    fn the_focused_element_is_described() {
        let mut editor = PlanEditor::new(PLAN);
        editor.select_node("a", false);
        let mut overlay = RunOverlay::default();
        overlay.nodes.insert(
            "b".into(),
            NodeRunState { status: NodeStatus::Failed, text: "no answer".into(), ..NodeRunState::default() },
        );
        let node = |key: &str| Focus::Node(key.into());
        for (focus, lang, expected) in [
            (node("a"), Lang::En, "Greet, a, log, start, 2 outgoing edges, 0 incoming edges"),
            (node("a"), Lang::Es, "Greet, a, log, inicio, 2 aristas salientes, 0 aristas entrantes"),
            (
                node("b"),
                Lang::En,
                "b, parallel, group, collapsed, 0 outgoing edges, 2 incoming edges, failed, no answer, not selected",
            ),
            (Focus::Edge(String::new(), 0), Lang::En, "edge from Greet to b, if last==ok, not selected"),
            (Focus::Edge(String::new(), 1), Lang::Es, "arista de Greet a b, en otro caso, no seleccionado"),
            (Focus::Nothing, Lang::En, "Canvas, 2 nodes, 2 edges"),
        ] {
            assert_eq!(describe_focus(&editor, &overlay, &focus, lang), expected);
        }
        overlay.is_outdated = true;
        let described = describe_focus(&editor, &overlay, &node("b"), Lang::En);
        assert!(described.contains("no answer, from an earlier version of the plan"), "{described}");
        editor.select_all();
        assert!(describe_focus(&editor, &overlay, &node("a"), Lang::En).contains("one of 2 selected"));
    }

    #[test]
    fn the_queue_drops_old_announcements() {
        let mut queue = AnnouncementQueue::default();
        for at in 0..50 {
            queue.push(format!("n{at} done"));
        }
        queue.push("n49 done".into());
        assert_eq!(
            queue.take(Lang::En),
            "46 earlier announcements omitted. n46 done. n47 done. n48 done. n49 done"
        );
        assert_eq!(queue.take(Lang::En), "");
    }
}
