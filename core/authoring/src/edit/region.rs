//! A part of a graph that is to become a graph of its own, or was one.
//!
//! Decides what a border around nodes would change: where runs come in, where they end, what is seen across it. A graph inside a node
//! begins anew at each visit of the node, its `input` and first `last` are what the node was given, and outside only its last output is
//! seen.
//!
//! Source: `docs/concurrency.md`.

use super::error::{EditResult, blocked};
use super::id_references::conversation;
use super::plan_syntax::{EdgeSyntax, GraphSyntax, NodeSyntax, PlanSyntax};
use super::references::{
    ReferenceSite, ReferenceTarget, ReferenceUse, find_references, output_references, uses_error,
};
use std::collections::HashSet;
use stepgraph_core::diagnostic::{Span, brief};
use stepgraph_core::expr::{Condition, Expr, Literal, Root, Test};
use stepgraph_core::kind::{meant, writes};

/// Nodes of one graph.
pub(super) struct Region<'o, 'd> {
    pub(super) syntax: &'o PlanSyntax<'d>,
    pub(super) graph_index: usize,
    pub(super) graph: &'o GraphSyntax<'d>,
    /// The nodes, by position.
    pub(super) members: HashSet<usize>,
    /// Where runs begin in it.
    pub(super) entry: usize,
}

/// Whether an edge is taken where no condition holds.
pub(super) fn is_fallback(edge: &EdgeSyntax<'_>) -> bool {
    matches!(edge.condition().trim(), "" | "default" | "always")
}

/// Whether nobody looks at what came before a node: it has an input of its own that does not speak of it, and nobody
/// after its failure does.
pub(super) fn ignores_last(syntax: &PlanSyntax<'_>, place: (usize, usize)) -> bool {
    let Some(node) = syntax.node(place) else { return false };
    let passes = matches!(meant(&node.kind), "decision" | "noop");
    let own = node.value.get("input").is_some_and(|entry| !entry.value.is_null());
    let speaks = || {
        find_references(syntax, "last")
            .iter()
            .any(|reference| reference.is_in_node(place) && reference.root == Root::Last)
    };
    own && !passes && !passes_failure(syntax, place) && !speaks()
}

/// Whether an edge in the graph of a node takes its failure: the next node then sees what came before this one.
pub(super) fn passes_failure(syntax: &PlanSyntax<'_>, place: (usize, usize)) -> bool {
    let (Some(graph), Some(node)) = (syntax.graph(place.0), syntax.node(place)) else { return false };
    graph.edges.iter().any(|edge| edge.from.as_deref() == Some(node.key) && uses_error(&edge.condition()))
}

impl ReferenceUse<'_> {
    /// Whether it stands in the input or the settings of that node itself.
    pub(super) fn is_in_node(&self, (graph, node): (usize, usize)) -> bool {
        self.graph == graph && self.site == ReferenceSite::Node(node)
    }
}

impl<'o, 'd> Region<'o, 'd> {
    pub(super) fn node(&self, at: usize) -> Option<&'o NodeSyntax<'d>> {
        self.graph.nodes.get(at)
    }

    fn member(&self, name: Option<&String>) -> Option<usize> {
        self.graph.with_key(name?)
    }

    pub(super) fn contains(&self, name: Option<&String>) -> bool {
        self.member(name).is_some_and(|at| self.members.contains(&at))
    }

    /// Whether an edge leads from a node of it to another.
    pub(super) fn is_inner(&self, edge: &EdgeSyntax<'_>) -> bool {
        self.contains(edge.from.as_ref()) && self.contains(edge.to.as_ref())
    }

    /// The edges that leave a node of it, by position: those that stay inside, or those that do not.
    pub(super) fn outgoing(&self, node: usize, inner: bool) -> Vec<usize> {
        let edges = self.graph.edges.iter().enumerate();
        let leaves = |edge: &EdgeSyntax<'_>| {
            self.member(edge.from.as_ref()) == Some(node) && self.is_inner(edge) == inner
        };
        edges.filter(|(_, edge)| leaves(edge)).map(|(at, _)| at).collect()
    }

    /// The nodes at which it may end: none of their inner edges is taken whatever happens.
    pub(super) fn ends(&self) -> Vec<usize> {
        let goes_on = |node: usize| {
            self.outgoing(node, true).iter().any(|at| self.graph.edges.get(*at).is_some_and(is_fallback))
        };
        let mut ends: Vec<usize> = self.members.iter().copied().filter(|node| !goes_on(*node)).collect();
        ends.sort_unstable();
        ends
    }

    /// Where in it something stands: the node itself, the node that an inner edge leaves, or the node around it.
    pub(super) fn site(&self, reference: &ReferenceUse<'_>) -> Option<usize> {
        let mut graph = reference.graph;
        if graph == self.graph_index {
            return match reference.site {
                ReferenceSite::Node(node) => Some(node).filter(|node| self.members.contains(node)),
                ReferenceSite::Edge(edge) => {
                    let edge = self.graph.edges.get(edge).filter(|edge| self.is_inner(edge))?;
                    self.member(edge.from.as_ref())
                }
            };
        }
        loop {
            let (outer, node) = self.syntax.graph(graph)?.owner?;
            if outer == self.graph_index {
                return Some(node).filter(|node| self.members.contains(node));
            }
            graph = outer;
        }
    }

    /// The first reference in it to what its graph was given.
    pub(super) fn input(&self) -> Option<Span> {
        let all = find_references(self.syntax, "input");
        let speaks = |reference: &&ReferenceUse<'_>| {
            reference.graph == self.graph_index
                && reference.root == Root::Input
                && self.site(reference).is_some()
        };
        all.iter().find(speaks).map(|reference| reference.value.span)
    }

    /// Whether its first node is come back to from inside.
    pub(super) fn reenters_entry(&self) -> bool {
        self.graph
            .edges
            .iter()
            .any(|edge| self.is_inner(edge) && self.member(edge.to.as_ref()) == Some(self.entry))
    }

    /// What stands in the way, wherever the border is: stages of authoring, failures that are seen from inside where some edges of failed
    /// nodes lead to it, and what is of an earlier visit where it `comes_again`.
    pub(super) fn check(&self, failing: &[&EdgeSyntax<'_>], comes_again: bool) -> EditResult<()> {
        let stage = |at: &&usize| self.node(**at).is_some_and(|node| !writes(&node.kind).is_empty());
        if let Some(node) = self.members.iter().filter(stage).min().and_then(|at| self.node(*at)) {
            let message = format!("`{}` hands on what it found under names of its own", brief(node.key));
            return Err(blocked(message, node.span, "leave it where it is"));
        }
        if let Some(edge) = failing.first() {
            let own = |reference: &ReferenceUse<'_>| {
                reference.is_in_node((self.graph_index, self.entry)) && !self.reenters_entry()
            };
            let all = find_references(self.syntax, "error");
            let seen = |reference: &&ReferenceUse<'_>| {
                reference.root == Root::Error && self.site(reference).is_some() && !own(reference)
            };
            if let Some(seen) = all.iter().find(seen) {
                let message = "this would go on to see the failure with which a run came here";
                let diagnostic =
                    blocked(message, seen.value.span, "take that edge or this reference out first");
                return Err(Box::new(diagnostic.label(edge.value.span, "a failed node leads here")));
            }
        }
        if comes_again { self.check_no_earlier_visit() } else { Ok(()) }
    }

    /// Whether nothing in it speaks of an earlier visit, where there may be one.
    fn check_no_earlier_visit(&self) -> EditResult<()> {
        for at in &self.members {
            let Some(node) = self.node(*at) else { continue };
            let visits = node.value.get("visits").map(|entry| entry.value.span);
            if let Some(place) = visits {
                let message = format!(
                    "`{}` counts its visits, of which each visit of a graph has its own",
                    brief(node.key)
                );
                return Err(blocked(message, place, "remove `visits` first"));
            }
            if conversation(node).is_some() {
                let message = format!(
                    "`{}` goes on with a conversation, which each visit of a graph begins anew",
                    brief(node.key)
                );
                return Err(blocked(message, node.span, "leave it where it is"));
            }
        }
        for output_reference in output_references(self.syntax, None) {
            let ReferenceTarget::Node((graph, node)) = output_reference.target else { continue };
            let Some(site) = self
                .site(&output_reference.reference)
                .filter(|_| graph == self.graph_index && self.members.contains(&node))
            else {
                continue;
            };
            let at_own_edge = site == node
                && matches!(output_reference.reference.site, ReferenceSite::Edge(_))
                && output_reference.reference.graph == self.graph_index;
            if !at_own_edge && self.reaches(site, node) {
                let message =
                    format!("`output.{}` may be of the visit before", brief(&output_reference.name));
                let help = "refer to what has run in any case, or leave the node where it is";
                return Err(blocked(message, output_reference.reference.value.span, help));
            }
        }
        Ok(())
    }

    /// Whether a run can come from the first node to another without passing a third.
    fn reaches(&self, goal: usize, without: usize) -> bool {
        let mut seen = HashSet::from([self.entry]);
        let mut rest = vec![self.entry];
        while let Some(node) = rest.pop() {
            if node == goal {
                return true;
            }
            if node == without {
                continue;
            }
            for edge in self.outgoing(node, true) {
                let to = self.graph.edges.get(edge).and_then(|edge| self.member(edge.to.as_ref()));
                rest.extend(to.filter(|to| seen.insert(*to)));
            }
        }
        false
    }

    /// Whether a conversation of it is one of other nodes of its graph, too.
    pub(super) fn check_conversations(&self, others: &[&NodeSyntax<'_>]) -> EditResult<()> {
        let outside: HashSet<String> = others.iter().filter_map(|node| conversation(node)).collect();
        let shares = |node: &&NodeSyntax<'_>| conversation(node).is_some_and(|name| outside.contains(&name));
        let mut members: Vec<usize> = self.members.iter().copied().collect();
        members.sort_unstable();
        match members.iter().filter_map(|at| self.node(*at)).find(shares) {
            Some(node) => {
                let message = format!("`{}` shares a conversation across the border", brief(node.key));
                Err(blocked(message, node.span, "let the nodes of a conversation stand in one graph"))
            }
            None => Ok(()),
        }
    }
}

/// Whether two conditions never hold of the same: they ask one value for different things.
pub(super) fn are_exclusive(one: &str, other: &str) -> bool {
    let (Ok(Condition::Test(one)), Ok(Condition::Test(other))) =
        (Condition::parse(one), Condition::parse(other))
    else {
        return false;
    };
    let ([first], [second]) = (one.atoms.as_slice(), other.atoms.as_slice()) else { return false };
    if first.reference != second.reference {
        return false;
    }
    let negated = |root: &Expr| matches!(root, Expr::Not(inner) if matches!(**inner, Expr::Atom(_)));
    let is_plain = |root: &Expr| matches!(root, Expr::Atom(_));
    let plain = is_plain(&one.root) && is_plain(&other.root);
    match (&first.test, &second.test) {
        (a, b) if a == b => {
            is_plain(&one.root) && negated(&other.root) || negated(&one.root) && is_plain(&other.root)
        }
        (Test::Equals(a), Test::Equals(b)) => {
            let word = |literal: &Literal| literal.structure.is_none() && literal.number.is_none();
            plain && word(a) && word(b) && a.text != b.text
        }
        (Test::Equals(a), Test::Differs(b)) | (Test::Differs(b), Test::Equals(a)) => plain && a == b,
        _ => false,
    }
}
