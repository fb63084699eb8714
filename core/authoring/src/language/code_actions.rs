//! Quick fixes and refactorings.
//!
//! Invariants:
//! 1. Edits are in order and without overlaps.
//! 2. If the text parsed before, it parses afterwards.
//!
//! Source: the Language Server Protocol, code actions.

use super::Document;
use super::expression_lexer;
use super::navigation::{Entity, occurrence_at, occurrences};
use super::partial_graph::{PartialGraph, edges, nodes};
use super::plan_format::{PlanLocation, ValueSpec};
use super::rename::scope;
use super::syntax_tree::{SyntaxTree, ValueForm};
use crate::edit::GraphEdit;
use serde_json::json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Code, Diagnostic, Span, TextEdit};
use stepgraph_core::value::Segment;

const MAX_DIAGNOSTICS: usize = 16;

/// A code action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeAction {
    /// Imperative, without a period.
    pub title: String,
    /// The edits.
    pub edits: Vec<TextEdit>,
    /// `None` for a refactoring.
    pub code: Option<Code>,
    /// The preferred action.
    pub preferred: bool,
}

/// Code actions at a position or range, fixes first.
pub fn code_actions(document: &Document, span: Span) -> Vec<CodeAction> {
    let tree = SyntaxTree::new(document.text(), document.format());
    let mut offers = ActionCollector { document, tree: &tree, actions: Vec::new() };
    let touches = |diagnostic: &&Diagnostic| {
        diagnostic.span.is_some_and(|place| place.start <= span.end && span.start <= place.end)
    };
    for diagnostic in document.diagnostics().iter().filter(touches).take(MAX_DIAGNOSTICS) {
        offers.fix_diagnostic(diagnostic);
    }
    offers.refactor(span.start);
    let mut found = offers.actions;
    let mut seen: Vec<Vec<TextEdit>> = Vec::new();
    found.retain(|action| {
        let new = !action.edits.is_empty() && !seen.contains(&action.edits);
        seen.push(action.edits.clone());
        new
    });
    found
}

struct ActionCollector<'d, 's> {
    document: &'d Document,
    tree: &'s SyntaxTree<'d>,
    actions: Vec<CodeAction>,
}

impl ActionCollector<'_, '_> {
    fn add(&mut self, title: String, code: Option<Code>, edits: &[GraphEdit]) {
        if let Ok(edited) = self.document.edit(edits) {
            self.actions.push(CodeAction { title, edits: edited.edits, code, preferred: false });
        }
    }

    fn fix_diagnostic(&mut self, diagnostic: &Diagnostic) {
        let code = Some(diagnostic.code);
        if !diagnostic.fix.is_empty() {
            let mut edits = diagnostic.fix.clone();
            edits.sort_by_key(|edit| edit.span);
            self.actions.push(CodeAction { title: title(diagnostic), edits, code, preferred: true });
        }
        let Some(place) = diagnostic.span else { return };
        let before = self.tree.items.partition_point(|item| item.start <= place.start).saturating_sub(1);
        let location = PlanLocation::of(self.tree, before);
        let graph = self.scope_of(&location);
        match diagnostic.code {
            Code::UnknownNode | Code::UnknownStart => {
                let name = super::syntax_tree::unquote(self.tree.slice(place)).into_owned();
                let node = GraphEdit::AddNode {
                    scope: graph,
                    node: name.clone(),
                    value: json!({"type": "noop"}),
                    before: None,
                };
                self.add(format!("Add a node `{name}`"), code, &[node]);
            }
            Code::AmbiguousStart | Code::NoStart => {
                let partial = PartialGraph::new(self.tree, location.graph);
                let open = |at: &usize| {
                    diagnostic.code == Code::NoStart || partial.before.get(*at).is_some_and(Vec::is_empty)
                };
                for node in
                    (0..partial.nodes.len()).filter(open).take(3).filter_map(|at| partial.nodes.get(at))
                {
                    let start =
                        GraphEdit::SetStart { scope: graph.clone(), node: Some(node.key.to_string()) };
                    self.add(format!("Begin at `{}`", node.key), code, &[start]);
                }
            }
            Code::UnreachableNode => {
                if let Some(node) = location.node.and_then(|node| self.tree.key(node)) {
                    let remove = GraphEdit::RemoveNode { scope: graph, node: node.to_string() };
                    self.add(format!("Remove the node `{node}`"), code, &[remove]);
                }
            }
            Code::DeadEdge | Code::MissingEndpoint => {
                let position = location.edge.and_then(|edge| {
                    edges(self.tree, location.graph).iter().position(|known| known.item == edge)
                });
                if let Some(edge) = position {
                    self.add(
                        "Remove the edge".to_owned(),
                        code,
                        &[GraphEdit::Disconnect { scope: graph, edge }],
                    );
                }
            }
            Code::UnknownKey if diagnostic.fix.is_empty() => self.remove_entry(before, "Remove", code),
            Code::IgnoredInput => {
                if let Some(input) = location.node.and_then(|node| self.tree.get(node, "input")) {
                    self.remove_entry(input, "Remove", code);
                }
                if let Some(node) = location.node.and_then(|node| self.tree.key(node)) {
                    let kind = GraphEdit::RetypeNode {
                        scope: graph,
                        node: node.to_string(),
                        kind: "log".to_owned(),
                    };
                    self.add("Make it a `log` node, which passes its input on".to_owned(), code, &[kind]);
                }
            }
            Code::MissingType => {
                if let Some(node) = location.node.and_then(|node| self.tree.key(node)) {
                    let kind = GraphEdit::RetypeNode {
                        scope: graph,
                        node: node.to_string(),
                        kind: "noop".to_owned(),
                    };
                    self.add("Give it the type `noop`".to_owned(), code, &[kind]);
                }
            }
            _ => {}
        }
    }

    fn scope_of(&self, location: &PlanLocation) -> String {
        let first = nodes(self.tree, location.graph).first().map(|node| node.item);
        first.map_or_else(String::new, |node| scope(self.tree, node))
    }

    fn remove_entry(&mut self, entry: usize, verb: &str, code: Option<Code>) {
        use stepgraph_core::source::edit::{Change, edit};
        let Some(key) = self.tree.key(entry) else { return };
        let steps = self.tree.chain(entry);
        let path: Vec<Segment> =
            super::inference::segments(&steps.iter().skip(1).map(|item| self.tree.step(*item)).collect_vec());
        if let Ok(edited) = edit(self.document.text(), self.document.format(), &[Change::Remove { path }]) {
            self.actions.push(CodeAction {
                title: format!("{verb} `{key}`"),
                edits: edited.edits,
                code,
                preferred: false,
            });
        }
    }

    fn refactor(&mut self, at: usize) {
        let occurrences = occurrences(self.tree);
        if let Some(occurrence) =
            occurrence_at(&occurrences, at).filter(|occurrence| occurrence.is_definition)
            && let Entity::Node(node) = occurrence.entity
        {
            self.refactor_node(node);
        }
        self.missing_input(at);
    }

    fn refactor_node(&mut self, node: usize) {
        let Some(key) = self.tree.key(node) else { return };
        let location = PlanLocation::of(self.tree, node);
        let scope = scope(self.tree, node);
        let starts = self.tree.text_of(location.graph, "start");
        if starts.as_ref() != Some(&key) {
            let start = GraphEdit::SetStart { scope: scope.clone(), node: Some(key.to_string()) };
            self.add(format!("Begin at `{key}`"), None, &[start]);
        }
        let taken = |name: &str| {
            nodes(self.tree, location.graph).iter().any(|node| node.key == name || node.id == name)
        };
        let copy = (2..100).map(|number| format!("{key}_{number}")).find(|name| !taken(name));
        if let Some(to) = copy {
            let title = format!("Copy the node as `{to}`");
            self.add(
                title,
                None,
                &[GraphEdit::DuplicateNode { scope: scope.clone(), node: key.to_string(), to }],
            );
        }
        let ends = edges(self.tree, location.graph);
        if !ends.iter().any(|edge| edge.from == key || edge.to == key) {
            self.add(
                format!("Remove the node `{key}`"),
                None,
                &[GraphEdit::RemoveNode { scope, node: key.to_string() }],
            );
        }
    }

    fn missing_input(&mut self, at: usize) {
        let before = self.tree.items.partition_point(|item| item.start <= at).saturating_sub(1);
        let item = self.tree.item(before);
        let location = PlanLocation::of(self.tree, before);
        let condition = matches!(location.spec, ValueSpec::Condition);
        if item.form != ValueForm::Scalar
            || location.graph != 0
            || !(condition
                || matches!(
                    location.spec,
                    ValueSpec::Input | ValueSpec::Template | ValueSpec::NumberTemplate
                ))
        {
            return;
        }
        let lexed = expression_lexer::scalar(self.tree.text, item.value, condition);
        let here = lexed.atoms.iter().find(|atom| atom.span.start <= at && at <= atom.span.end);
        let Some([root, name, ..]) = here.map(|atom| atom.segments.as_slice()) else { return };
        let known = self.tree.find(0, &["inputs", &name.text]).is_some();
        let plain = !name.text.is_empty() && name.text.parse::<usize>().is_err();
        if root.text == "input" && plain && !known {
            let path = vec![Segment::Key("inputs".to_owned()), Segment::Key(name.text.to_string())];
            let input =
                GraphEdit::SetPlan { scope: String::new(), path, value: Some(json!({"type": "string"})) };
            self.add(format!("Add the input `{}`", name.text), None, &[input]);
        }
    }
}

fn title(diagnostic: &Diagnostic) -> String {
    let help = diagnostic.help.as_deref().unwrap_or("fix this");
    if let Some(name) = help.strip_prefix("did you mean ").and_then(|rest| rest.strip_suffix('?')) {
        return format!("Write {name}");
    }
    let mut letters = help.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
