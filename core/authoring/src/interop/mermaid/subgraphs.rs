//! Decides which subgraphs of a third-party flowchart become nested graphs: those with one entry, whose end
//! nodes leave to equal targets.
//!
//! Invariants:
//! 1. The innermost subgraphs are checked first.
//! 2. Subgraphs deeper than [`MAX_DEPTH`] do not qualify, so that the plan parses and the work stays linear.

use super::flowchart::Flowchart;
use std::collections::{HashMap, HashSet};

const MAX_DEPTH: usize = 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Element {
    Node(usize),
    Subgraph(usize),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ElementEdge {
    pub(super) from: Element,
    pub(super) to: Element,
    pub(super) edge: usize,
}

#[derive(Debug, Default)]
pub(super) struct Nesting {
    pub(super) edges: Vec<ElementEdge>,
    pub(super) is_graph: Vec<bool>,
    pub(super) starts: HashMap<Option<usize>, Element>,
    /// For each subgraph, the nearest around it, or itself, that is not too deep.
    graph_anchors: Vec<Option<usize>>,
}

impl Nesting {
    pub(super) fn with_all_subgraphs(flowchart: &Flowchart) -> Self {
        Self {
            is_graph: vec![true; flowchart.subgraphs.len()],
            graph_anchors: (0..flowchart.subgraphs.len()).map(Some).collect(),
            ..Self::default()
        }
    }

    pub(super) fn infer(flowchart: &Flowchart) -> (Self, Vec<usize>) {
        let mut nesting = Self { is_graph: vec![false; flowchart.subgraphs.len()], ..Self::default() };
        for (at, subgraph) in flowchart.subgraphs.iter().enumerate() {
            let around =
                subgraph.parent.and_then(|parent| nesting.graph_anchors.get(parent).copied().flatten());
            nesting.graph_anchors.push(if subgraph.depth < MAX_DEPTH { Some(at) } else { around });
        }
        let element = |node: usize| {
            let subgraph = flowchart.nodes.get(node).and_then(|node| flowchart.subgraph_of(&node.id));
            subgraph.map_or(Element::Node(node), Element::Subgraph)
        };
        for (edge, it) in flowchart.edges.iter().enumerate() {
            nesting.edges.push(ElementEdge { from: element(it.from), to: element(it.to), edge });
        }
        let mut left = Vec::new();
        let content = SubgraphContents::new(flowchart, &nesting);
        for subgraph in (0..flowchart.subgraphs.len()).rev() {
            let judged = content.check_subgraph(flowchart, &mut nesting, subgraph);
            if let Some(kept) = nesting.is_graph.get_mut(subgraph) {
                *kept = judged;
            }
            if !judged {
                left.push(subgraph);
            }
        }
        left.reverse();
        (nesting, left)
    }

    fn enclosing_subgraphs<'c>(
        &'c self,
        flowchart: &'c Flowchart,
        element: Element,
    ) -> impl Iterator<Item = usize> + 'c {
        let first = match element {
            Element::Node(node) => flowchart.nodes.get(node).and_then(|node| node.subgraph),
            Element::Subgraph(subgraph) => {
                flowchart.subgraphs.get(subgraph).and_then(|subgraph| subgraph.parent)
            }
        };
        let anchor = move |subgraph: usize| self.graph_anchors.get(subgraph).copied().flatten();
        std::iter::successors(first.and_then(anchor), move |subgraph| {
            flowchart.subgraphs.get(*subgraph)?.parent.and_then(anchor)
        })
    }

    fn is_graph(&self, subgraph: usize) -> bool {
        self.is_graph.get(subgraph) == Some(&true)
    }

    pub(super) fn enclosing_graphs<'c>(
        &'c self,
        flowchart: &'c Flowchart,
        element: Element,
    ) -> impl Iterator<Item = usize> + 'c {
        self.enclosing_subgraphs(flowchart, element).filter(|subgraph| self.is_graph(*subgraph))
    }

    /// Itself, or the outermost nested graph around it.
    pub(super) fn representative(
        &self,
        flowchart: &Flowchart,
        element: Element,
        within: Option<usize>,
    ) -> Element {
        let inner =
            self.enclosing_subgraphs(flowchart, element).take_while(|subgraph| Some(*subgraph) != within);
        inner.filter(|subgraph| self.is_graph(*subgraph)).last().map_or(element, Element::Subgraph)
    }

    /// The innermost graph with both ends, and their representatives. `None` between a subgraph and its own
    /// content.
    pub(super) fn locate_edge(
        &self,
        flowchart: &Flowchart,
        edge: &ElementEdge,
    ) -> Option<(Option<usize>, Element, Element)> {
        let around: HashSet<usize> = self.enclosing_graphs(flowchart, edge.from).collect();
        let shared = self.enclosing_graphs(flowchart, edge.to).find(|subgraph| around.contains(subgraph));
        let holds = |subgraph: Element, element: Element| matches!(subgraph, Element::Subgraph(subgraph) if self.enclosing_subgraphs(flowchart, element).any(|around| around == subgraph));
        if holds(edge.from, edge.to) || holds(edge.to, edge.from) {
            return None;
        }
        Some((
            shared,
            self.representative(flowchart, edge.from, shared),
            self.representative(flowchart, edge.to, shared),
        ))
    }
}

struct SubgraphContents {
    nodes: Vec<Vec<usize>>,
    edges: Vec<Vec<usize>>,
}

impl SubgraphContents {
    fn new(flowchart: &Flowchart, nesting: &Nesting) -> Self {
        let mut content = Self {
            nodes: vec![Vec::new(); flowchart.subgraphs.len()],
            edges: vec![Vec::new(); flowchart.subgraphs.len()],
        };
        for (at, node) in flowchart.nodes.iter().enumerate() {
            if flowchart.subgraph_of(&node.id).is_none() {
                for subgraph in nesting.enclosing_subgraphs(flowchart, Element::Node(at)) {
                    content.nodes.get_mut(subgraph).into_iter().for_each(|list| list.push(at));
                }
            }
        }
        for (at, edge) in nesting.edges.iter().enumerate() {
            for end in [edge.from, edge.to] {
                let own = if let Element::Subgraph(subgraph) = end { Some(subgraph) } else { None };
                for subgraph in own.into_iter().chain(nesting.enclosing_subgraphs(flowchart, end)) {
                    let list = content.edges.get_mut(subgraph);
                    list.filter(|list| list.last() != Some(&at)).into_iter().for_each(|list| list.push(at));
                }
            }
        }
        content
    }

    /// If it does not qualify, its edges connect to its content.
    fn check_subgraph(&self, flowchart: &Flowchart, nesting: &mut Nesting, subgraph: usize) -> bool {
        let nodes = self.nodes.get(subgraph).map(Vec::as_slice).unwrap_or_default();
        let edges = self.edges.get(subgraph).map(Vec::as_slice).unwrap_or_default();
        let own = Element::Subgraph(subgraph);
        let mut seen = HashSet::new();
        let elements: Vec<Element> = nodes
            .iter()
            .map(|node| nesting.representative(flowchart, Element::Node(*node), Some(subgraph)))
            .filter(|element| seen.insert(*element))
            .collect();
        let mut found = SubgraphBoundary::default();
        for at in edges {
            if let Some(edge) = nesting.edges.get(*at).copied() {
                let inside = |element: Element| {
                    nesting.enclosing_subgraphs(flowchart, element).any(|around| around == subgraph)
                };
                let label = flowchart.edges.get(edge.edge).and_then(|flow_edge| flow_edge.label.clone());
                let representative = |element| nesting.representative(flowchart, element, Some(subgraph));
                match (inside(edge.from), inside(edge.to)) {
                    (true, true) => {
                        found.has_following.insert(representative(edge.from));
                        // A self-loop is no entry.
                        if representative(edge.from) != representative(edge.to) {
                            found.entered.insert(representative(edge.to));
                        }
                    }
                    (false, true) if edge.from != own => found.entries.push(representative(edge.to)),
                    (true, false) if edge.to != own => {
                        found.exits.push((representative(edge.from), edge.to, label));
                    }
                    (_, false) if edge.to == own => found.is_entered_by_id = true,
                    (false, _) if edge.from == own => found.is_left_by_id = true,
                    _ => {}
                }
            }
        }
        let first =
            elements.iter().find(|element| !found.entered.contains(element)).or(elements.first()).copied();
        let Some(first) = first else { return false };
        let ends: Vec<Element> =
            elements.iter().filter(|element| !found.has_following.contains(element)).copied().collect();
        let start = found.single_entry(first).filter(|_| found.has_consistent_exits(&ends));
        let is_shallow = nesting.graph_anchors.get(subgraph) == Some(&Some(subgraph));
        if let Some(start) = start.filter(|_| is_shallow) {
            nesting.starts.insert(Some(subgraph), start);
            return true;
        }
        for at in edges {
            if let Some(edge) = nesting.edges.get_mut(*at) {
                if edge.to == own {
                    edge.to = first;
                }
                if edge.from == own {
                    edge.from = ends.last().copied().unwrap_or(first);
                }
            }
        }
        false
    }
}

#[derive(Default)]
struct SubgraphBoundary {
    entered: HashSet<Element>,
    has_following: HashSet<Element>,
    entries: Vec<Element>,
    exits: Vec<(Element, Element, Option<String>)>,
    is_entered_by_id: bool,
    is_left_by_id: bool,
}

impl SubgraphBoundary {
    fn single_entry(&self, first: Element) -> Option<Element> {
        let start = self.entries.first().copied().unwrap_or(first);
        let same = self.entries.iter().all(|entry| *entry == start);
        (same && (!self.is_entered_by_id || start == first)).then_some(start)
    }

    fn has_consistent_exits(&self, ends: &[Element]) -> bool {
        if self.exits.is_empty() {
            return true;
        }
        let mut ways: HashMap<Element, Vec<(Element, &Option<String>)>> = HashMap::new();
        for (from, to, label) in &self.exits {
            ways.entry(*from).or_default().push((*to, label));
        }
        let failing =
            self.exits.iter().any(|(_, _, label)| label.as_ref().is_some_and(|it| it.contains("error")));
        let mut all = ends.iter().map(|end| ways.get(end));
        let alike = match all.next() {
            Some(Some(first)) => {
                all.all(|other| other == Some(first))
                    && (ends.len() == 1 || first.iter().all(|(_, label)| label.is_none()))
            }
            _ => false,
        };
        alike && !failing && !self.is_left_by_id && ways.len() == ends.len()
    }
}
