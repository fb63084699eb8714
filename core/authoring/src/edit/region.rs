//! Checks whether nodes can become a nested graph, or it can be inlined.
//!
//! A nested graph starts with fresh state, `input` and the first `last` are its node's input, and only the
//! last output is visible outside.
//!
//! Source: `docs/concurrency.md`.

use super::error::{EditResult, blocked};
use super::id_references::conversation;
use super::plan_syntax::{EdgeSyntax, GraphSyntax, NodeSyntax, PlanSyntax};
use super::references::{
    ReferenceSite, ReferenceTarget, ReferenceUse, find_references, output_references, uses_error,
};
use std::collections::HashSet;
use stepgraph_core::diagnostic::{Span, shorten_name};
use stepgraph_core::expression::{Condition, Literal, Logic, Predicate, Root};
use stepgraph_core::kind::{named_outputs, passes_last};

pub(super) struct Region<'o, 'd> {
    pub(super) syntax: &'o PlanSyntax<'d>,
    pub(super) graph_index: usize,
    pub(super) graph: &'o GraphSyntax<'d>,
    pub(super) members: HashSet<usize>,
    pub(super) entry: usize,
}

pub(super) fn is_fallback(edge: &EdgeSyntax<'_>) -> bool {
    matches!(edge.condition().trim(), "" | "default" | "always")
}

/// Returns whether neither its input nor a node after its failure reads `last`.
pub(super) fn ignores_last(syntax: &PlanSyntax<'_>, place: (usize, usize)) -> bool {
    let Some(node) = syntax.node(place) else { return false };
    let passes = passes_last(&node.kind);
    // `set` ignores its input and `last`.
    let own = node.kind == "set" || node.value.get("input").is_some_and(|entry| !entry.value.is_null());
    let speaks = || {
        find_references(syntax, "last")
            .iter()
            .any(|reference| reference.is_in_node(place) && reference.root == Root::Last)
    };
    own && !passes && !passes_failure(syntax, place) && !speaks()
}

/// The next node then receives this node's `last`.
pub(super) fn passes_failure(syntax: &PlanSyntax<'_>, place: (usize, usize)) -> bool {
    let (Some(graph), Some(node)) = (syntax.graph(place.0), syntax.node(place)) else { return false };
    graph.edges.iter().any(|edge| edge.from.as_deref() == Some(node.key) && uses_error(&edge.condition()))
}

impl ReferenceUse<'_> {
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

    pub(super) fn is_inner(&self, edge: &EdgeSyntax<'_>) -> bool {
        self.contains(edge.from.as_ref()) && self.contains(edge.to.as_ref())
    }

    pub(super) fn outgoing(&self, node: usize, inner: bool) -> Vec<usize> {
        let edges = self.graph.edges.iter().enumerate();
        let leaves = |edge: &EdgeSyntax<'_>| {
            self.member(edge.from.as_ref()) == Some(node) && self.is_inner(edge) == inner
        };
        edges.filter(|(_, edge)| leaves(edge)).map(|(at, _)| at).collect()
    }

    /// Nodes without an inner fallback edge.
    pub(super) fn ends(&self) -> Vec<usize> {
        let goes_on = |node: usize| {
            self.outgoing(node, true).iter().any(|at| self.graph.edges.get(*at).is_some_and(is_fallback))
        };
        let mut ends: Vec<usize> = self.members.iter().copied().filter(|node| !goes_on(*node)).collect();
        ends.sort_unstable();
        ends
    }

    /// A node, an inner edge's source, or a nested graph's node.
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

    pub(super) fn input(&self) -> Option<Span> {
        let all = find_references(self.syntax, "input");
        let speaks = |reference: &&ReferenceUse<'_>| {
            reference.graph == self.graph_index
                && reference.root == Root::Input
                && self.site(reference).is_some()
        };
        all.iter().find(speaks).map(|reference| reference.value.span)
    }

    pub(super) fn reenters_entry(&self) -> bool {
        self.graph
            .edges
            .iter()
            .any(|edge| self.is_inner(edge) && self.member(edge.to.as_ref()) == Some(self.entry))
    }

    /// Rejects author stages, conditions on failures from outside, and earlier state if the region
    /// `comes_again`.
    pub(super) fn check(&self, failing: &[&EdgeSyntax<'_>], comes_again: bool) -> EditResult<()> {
        let stage = |at: &&usize| self.node(**at).is_some_and(|node| !named_outputs(&node.kind).is_empty());
        if let Some(node) = self.members.iter().filter(stage).min().and_then(|at| self.node(*at)) {
            let message = format!("`{}` stores its results under fixed names", shorten_name(node.key));
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
                let message = "this would still read the failure that led a run here";
                let diagnostic =
                    blocked(message, seen.value.span, "remove that edge or this reference first");
                return Err(Box::new(diagnostic.label(edge.value.span, "a failed node leads here")));
            }
        }
        if comes_again { self.check_no_earlier_visit() } else { Ok(()) }
    }

    fn check_no_earlier_visit(&self) -> EditResult<()> {
        for at in &self.members {
            let Some(node) = self.node(*at) else { continue };
            let visits = node.value.get("visits").map(|entry| entry.value.span);
            if let Some(place) = visits {
                let message = format!(
                    "`{}` counts its visits, of which each visit of a graph has its own",
                    shorten_name(node.key)
                );
                return Err(blocked(message, place, "remove `visits` first"));
            }
            if conversation(node).is_some() {
                let message = format!(
                    "`{}` continues a conversation, but each visit of a graph starts a new one",
                    shorten_name(node.key)
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
                let message = format!(
                    "`output.{}` may come from an earlier visit",
                    shorten_name(&output_reference.name)
                );
                let help = "refer to what has run in any case, or leave the node where it is";
                return Err(blocked(message, output_reference.reference.value.span, help));
            }
        }
        Ok(())
    }

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

    pub(super) fn check_conversations(&self, others: &[&NodeSyntax<'_>]) -> EditResult<()> {
        let outside: HashSet<String> = others.iter().filter_map(|node| conversation(node)).collect();
        let shares = |node: &&NodeSyntax<'_>| conversation(node).is_some_and(|name| outside.contains(&name));
        let mut members: Vec<usize> = self.members.iter().copied().collect();
        members.sort_unstable();
        match members.iter().filter_map(|at| self.node(*at)).find(shares) {
            Some(node) => {
                let message = format!("`{}` shares a conversation across the border", shorten_name(node.key));
                Err(blocked(message, node.span, "keep the nodes of a conversation in one graph"))
            }
            None => Ok(()),
        }
    }
}

/// They need different results of one value.
pub(super) fn are_exclusive(one: &str, other: &str) -> bool {
    let (Ok(Condition::Expression(one)), Ok(Condition::Expression(other))) =
        (Condition::parse(one), Condition::parse(other))
    else {
        return false;
    };
    let ([first], [second]) = (one.atoms.as_slice(), other.atoms.as_slice()) else { return false };
    if first.reference != second.reference {
        return false;
    }
    let negated = |root: &Logic| matches!(root, Logic::Not(inner) if matches!(**inner, Logic::Atom(_)));
    let is_plain = |root: &Logic| matches!(root, Logic::Atom(_));
    let plain = is_plain(&one.root) && is_plain(&other.root);
    match (&first.predicate, &second.predicate) {
        (a, b) if a == b => {
            is_plain(&one.root) && negated(&other.root) || negated(&one.root) && is_plain(&other.root)
        }
        (Predicate::Equals(a), Predicate::Equals(b)) => {
            let word = |literal: &Literal| literal.structure.is_none() && literal.number.is_none();
            plain && word(a) && word(b) && a.text != b.text
        }
        (Predicate::Equals(a), Predicate::Differs(b)) | (Predicate::Differs(b), Predicate::Equals(a)) => {
            plain && a == b
        }
        _ => false,
    }
}
