//! Follows a run from an approval, over every edge that it may take after a decision.
//!
//! The value of `last` is known while nodes forward the decision or log a constant.

use super::Place;
use super::plan_facts::{Last, PlanFacts};
use crate::diagnostic::is_typo;
use crate::expression::{Atom, Computed, Condition, Predicate, Reference, Root};
use crate::graph::{Edge, Graph, Node, TemplateValue};
use crate::node::{APPROVED, Action, REJECTED};
use crate::partial_condition::{Fact, evaluate};
use std::collections::{HashSet, VecDeque};

/// How a run reaches a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'a> {
    /// Of the approval, or around it.
    pub(super) graph: &'a Graph,
    /// From the approval, or from the composite that contains it.
    pub(super) first: &'a Edge,
    pub(super) last: &'a Edge,
    /// The node, or the composite of `graph` that contains it.
    pub(super) target: &'a Node,
}

/// A call or question that a run reaches.
#[derive(Debug)]
pub(super) struct Effect<'a> {
    /// Scope, position, and what it reads as `last` or `input`.
    pub(super) key: (&'a str, usize, Option<Last<'a>>),
    pub(super) is_question: bool,
    pub(super) way: Way<'a>,
    /// Outputs in its templates.
    pub(super) reads: Vec<&'a str>,
}

#[derive(Debug, Default)]
pub(super) struct Outcome<'a> {
    pub(super) effects: Vec<Effect<'a>>,
    /// Ids of nodes.
    pub(super) visited: HashSet<&'a str>,
    /// Outputs in conditions.
    pub(super) read: HashSet<&'a str>,
}

/// The last place is the approval. `None` if the outcome is unknown.
pub(super) fn follow<'a>(
    facts: &mut PlanFacts<'a>,
    places: &[Place<'a>],
    approves: bool,
) -> Option<Outcome<'a>> {
    let mut lasts = vec![Last::Known(usize::from(!approves), true)];
    let mut outcome = Outcome::default();
    let mut affected = HashSet::new();
    for (depth, place) in places.iter().enumerate().rev() {
        let mut walk = Walk {
            facts,
            asked: *place,
            is_innermost: depth + 1 == places.len(),
            held: Last::Affected,
            queue: VecDeque::new(),
            seen: HashSet::new(),
            exits: Vec::new(),
            inputs: Vec::new(),
            outcome,
            affected,
        };
        for last in lasts {
            walk.held = last;
            walk.leave(*place, last, None)?;
            walk.run()?;
        }
        let exits = std::mem::take(&mut walk.exits);
        Walk { outcome, affected, .. } = walk;
        let Some(around) = depth.checked_sub(1).and_then(|outer| places.get(outer)) else { break };
        facts.spend(around.0.nodes.get(around.1).map_or(0, |node| node.nested.len()))?;
        lasts = exits.into_iter().map(|last| facts.output_of(*around, place.0, last)).collect();
    }
    Some(outcome)
}

struct Visit<'a> {
    place: Place<'a>,
    last: Last<'a>,
    way: Way<'a>,
}

/// One graph after one decision.
struct Walk<'w, 'a> {
    facts: &'w mut PlanFacts<'a>,
    /// The approval, or the composite that contains it.
    asked: Place<'a>,
    /// Whether `asked` is the approval.
    is_innermost: bool,
    /// The output of `asked`.
    held: Last<'a>,
    queue: VecDeque<Visit<'a>>,
    seen: HashSet<(&'a str, usize, Last<'a>, Last<'a>)>,
    exits: Vec<Last<'a>>,
    /// The input of each nested graph, by its scope.
    inputs: Vec<(&'a str, Last<'a>)>,
    outcome: Outcome<'a>,
    /// Ids of nodes whose output was computed with the decision.
    affected: HashSet<&'a str>,
}

impl<'a> Walk<'_, 'a> {
    fn is_asked(&self, (graph, at): Place<'a>) -> bool {
        std::ptr::eq(graph, self.asked.0) && at == self.asked.1
    }

    /// `None` ends the search.
    fn run(&mut self) -> Option<()> {
        while let Some(visit) = self.queue.pop_front() {
            let (graph, at) = visit.place;
            let is_asked = self.is_asked(visit.place);
            // The composite would make the calls before the question again.
            (!is_asked || self.is_innermost).then_some(())?;
            if is_asked || !self.seen.insert((&graph.scope, at, visit.last, self.held)) {
                continue;
            }
            self.facts.spend(1)?;
            let last = self.visit(&visit)?;
            self.leave(visit.place, last, Some(visit.way))?;
        }
        Some(())
    }

    /// Returns the node's output.
    fn visit(&mut self, visit: &Visit<'a>) -> Option<Last<'a>> {
        let Visit { place: (graph, at), last, way } = *visit;
        let node = graph.nodes.get(at).filter(|node| !node.is_broken)?;
        self.outcome.visited.insert(&node.id);
        let mut references = Vec::new();
        for texts in [&node.input, &node.with].into_iter().flatten() {
            collect_references(texts, &mut references);
        }
        let is_affected = references.iter().any(|found| self.depends(graph, found, last));
        let own = Last::Of(&node.id);
        let output = match self.facts.action((graph, at)) {
            Some(Action::Pass | Action::Wait) => return Some(last),
            Some(Action::Log) if node.input.is_none() => return Some(last),
            Some(Action::Log) => match node.input.as_ref().and_then(TemplateValue::as_constant) {
                Some(constant) if !constant.is_object() && !constant.is_array() => {
                    self.facts.value(constant.clone(), true, false)
                }
                _ => own,
            },
            Some(Action::Set) => own,
            Some(Action::Composite(_)) => {
                // Its graphs may read the decision in their input, or what was computed on one side.
                let reads_last = references.iter().any(|found| found.root == Root::Last);
                let is_constant = matches!(last, Last::Known(..));
                let is_input_known =
                    if node.input.is_some() { !reads_last || !is_constant } else { last != Last::Affected };
                (!is_affected && is_input_known).then_some(())?;
                let is_whole = node.input.is_none();
                let named = references.iter().filter_map(|found| output_name(found));
                self.outcome.read.extend(named);
                if let Last::Of(name) = last
                    && (is_whole || reads_last)
                {
                    self.outcome.read.insert(name);
                }
                let before = self.affected.len();
                for nested in &node.nested {
                    self.follow_nested(&nested.graph, way, if is_whole { last } else { Last::Of("") })?;
                }
                if self.affected.len() > before {
                    self.affected.insert(&node.id);
                }
                own
            }
            found => {
                let takes_last = node.input.is_none() && (last == Last::Affected || self.is_structured(last));
                if !is_affected && !takes_last {
                    let has = |root: Root| references.iter().any(|found| found.root == root);
                    let read = if has(Root::Last) {
                        Some(last)
                    } else {
                        has(Root::Input).then(|| self.input(graph))
                    };
                    let reads = references.iter().filter_map(|found| output_name(found)).collect();
                    let key = (graph.scope.as_str(), self.facts.same_calls.first((graph, at)), read);
                    let is_question = found == Some(Action::Approve);
                    self.outcome.effects.push(Effect { key, is_question, way, reads });
                }
                if found == Some(Action::Approve) {
                    return Some(self.facts.other_decision((graph, at)));
                }
                own
            }
        };
        if is_affected {
            self.affected.insert(&node.id);
            return Some(Last::Affected);
        }
        Some(if self.affected.contains(node.id.as_str()) { Last::Affected } else { output })
    }

    fn follow_nested(&mut self, graph: &'a Graph, way: Way<'a>, input: Last<'a>) -> Option<()> {
        match self.inputs.iter().find(|(scope, _)| *scope == graph.scope) {
            Some((_, known)) => (*known == input).then_some(())?,
            None => self.inputs.push((&graph.scope, input)),
        }
        let waiting = std::mem::take(&mut self.queue);
        let exits = std::mem::take(&mut self.exits);
        let place = (graph, graph.start?);
        self.queue.push_back(Visit { place, last: input, way });
        self.run()?;
        (self.queue, self.exits) = (waiting, exits);
        Some(())
    }

    /// A map or list, which a call without `input` receives.
    fn is_structured(&self, last: Last<'a>) -> bool {
        let value = if let Last::Known(at, true) = last { self.facts.values.get(at) } else { None };
        value.is_some_and(|(value, _)| !value.is_string())
    }

    /// Follows all edges that may hold.
    fn leave(&mut self, place: Place<'a>, last: Last<'a>, way: Option<Way<'a>>) -> Option<()> {
        let (graph, at) = place;
        // A decision is no failure.
        let is_asked = self.is_asked(place);
        graph.has_all_edges.then_some(())?;
        self.facts.spend(graph.outgoing.get(at).map_or(0, Vec::len))?;
        let (mut fallback, mut is_certain) = (None, false);
        for edge in graph.edges_from(at) {
            let target = graph.nodes.get(edge.target)?;
            let own = Way { graph, first: way.map_or(edge, |way| way.first), last: edge, target };
            let way = way.filter(|way| !std::ptr::eq(way.graph, graph)).unwrap_or(own);
            let visit = |last: Last<'a>| Visit { place: (graph, edge.target), last, way };
            if edge.condition == Condition::Fallback {
                fallback = fallback.or(Some(visit(last)));
                continue;
            }
            self.note_reads(graph, edge, last)?;
            let id = graph.nodes.get(at).map_or("", |node| node.id.as_str());
            if !is_asked
                && edge.condition.references_error()
                && self.holds(graph, edge, Last::Of(id), true) != Some(false)
            {
                self.queue.push_back(visit(Last::Of(id)));
            }
            let holds = if is_certain { Some(false) } else { self.holds(graph, edge, last, false) };
            if holds.is_none() && self.computes_decision(graph, edge, last) {
                return None;
            }
            is_certain |= holds == Some(true);
            if holds != Some(false) {
                self.queue.push_back(visit(last));
            }
        }
        match fallback.filter(|_| !is_certain) {
            Some(visit) => self.queue.push_back(visit),
            None if is_certain || self.exits.contains(&last) => {}
            None => self.exits.push(last),
        }
        Some(())
    }

    fn holds(&self, graph: &'a Graph, edge: &'a Edge, last: Last<'a>, has_failed: bool) -> Option<bool> {
        evaluate(&edge.condition, has_failed, &|reference| {
            let Some(known) = self.known(graph, reference, last) else { return Fact::Unknown };
            let value = if let Last::Known(at, _) = known { self.facts.values.get(at) } else { None };
            value.map_or(Fact::Unknown, |(value, is_whole)| Fact::Known { value, is_whole: *is_whole })
        })
    }

    /// `None` for a root that no decision changes.
    fn known(&self, graph: &'a Graph, reference: &'a Reference, last: Last<'a>) -> Option<Last<'a>> {
        match &reference.root {
            Root::Last => Some(last),
            Root::Output(name) => Some(self.output(graph, name)),
            Root::Input => Some(self.input(graph)),
            _ => None,
        }
    }

    fn output(&self, graph: &'a Graph, name: &'a str) -> Last<'a> {
        let Some((around, at)) = self.facts.named(&graph.scope, name) else { return Last::Of(name) };
        if self.is_asked((around, at)) {
            return self.held;
        }
        if self.affected.contains(name) {
            return Last::Affected;
        }
        let place = (around, at);
        if self.facts.is_approval(&[place]) { self.facts.other_decision(place) } else { Last::Of(name) }
    }

    fn input(&self, graph: &Graph) -> Last<'a> {
        self.inputs.iter().find(|(scope, _)| *scope == graph.scope).map_or(Last::Of(""), |(_, input)| *input)
    }

    /// Whether a part of the condition other than a comparison reads the decision.
    fn computes_decision(&self, graph: &'a Graph, edge: &'a Edge, last: Last<'a>) -> bool {
        let mut parts = edge.condition.computed().iter().flat_map(|part| &part.references);
        parts.any(|found| self.depends(graph, &found.reference, last))
    }

    /// Whether the reference reads the decision, or what was computed with it.
    fn depends(&self, graph: &'a Graph, reference: &'a Reference, last: Last<'a>) -> bool {
        match &reference.root {
            Root::Last => last.depends(),
            Root::Input => self.input(graph).depends(),
            Root::Output(name) => {
                let is_held = self.facts.named(&graph.scope, name).is_some_and(|place| self.is_asked(place));
                is_held || self.output(graph, name) == Last::Affected
            }
            _ => false,
        }
    }

    /// `None` if the condition tells more about the decision than this search knows.
    fn note_reads(&mut self, graph: &'a Graph, edge: &'a Edge, last: Last<'a>) -> Option<()> {
        (edge.condition != Condition::Unreadable).then_some(())?;
        self.facts.spend(edge.condition.atoms().len())?;
        for (reference, _) in edge.condition.references() {
            let Some(read) = self.known(graph, reference, last) else { continue };
            // Another node may have run after one decision only.
            if let Some(name) = output_name(reference)
                && self.facts.named(&graph.scope, name).is_some_and(|place| !self.is_asked(place))
            {
                self.outcome.read.insert(name);
            }
            match read {
                Last::Of(name) => drop(self.outcome.read.insert(name)),
                Last::Affected => return None,
                Last::Known(..) => {}
            }
        }
        let is_decision = |reference: &'a Reference| self.depends(graph, reference, last);
        let (mut references, atoms) = (edge.condition.references(), edge.condition.atoms());
        if !references.any(|(found, _)| is_decision(found)) {
            return Some(());
        }
        let is_other = atoms.iter().any(|atom| expects_other(atom) && is_decision(&atom.reference))
            || edge.condition.computed().iter().any(|part| {
                computes_other(part) && part.references.iter().any(|found| is_decision(&found.reference))
            });
        let named = |reference| output_name(reference).and_then(|name| self.facts.named(&graph.scope, name));
        let is_other_approval =
            |place: &Place<'a>| !self.is_asked(*place) && self.facts.is_approval(&[*place]);
        let places = edge.condition.references().filter_map(|(found, _)| named(found));
        let others: Vec<Place<'a>> = places.filter(is_other_approval).collect();
        for place in others {
            self.facts.add_other(place);
        }
        (!is_other).then_some(())
    }
}

/// A person may answer with other words. Some of them mean a rejection by mistake.
fn expects_other(Atom { reference, predicate, .. }: &Atom) -> bool {
    let (Predicate::Equals(literal) | Predicate::Differs(literal) | Predicate::Contains(literal)) = predicate
    else {
        return false;
    };
    let text = literal.text.as_str();
    let means = |word: &str| match predicate {
        Predicate::Contains(_) => word.contains(text),
        _ => text == word || is_typo(text, word),
    };
    reference.path.is_empty()
        && !["", "null"].contains(&text)
        && ![APPROVED, REJECTED, "denied", "declined", "refused"].into_iter().any(means)
}

/// The number of elements of a `map` is unknown, too.
fn computes_other(part: &Computed) -> bool {
    let text = part.ast.to_string();
    let compares = [" in ", "==", "!="].iter().any(|sign| text.contains(sign));
    text.contains("size(") || compares && ![APPROVED, REJECTED].iter().any(|word| text.contains(word))
}

fn output_name(reference: &Reference) -> Option<&str> {
    if let Root::Output(name) = &reference.root { Some(name) } else { None }
}

fn collect_references<'a>(value: &'a TemplateValue, found: &mut Vec<&'a Reference>) {
    match value {
        TemplateValue::Constant(_) => {}
        TemplateValue::Template(template, _) => found.extend(template.references().map(|(found, _)| found)),
        TemplateValue::List(items) => items.iter().for_each(|item| collect_references(item, found)),
        TemplateValue::Map(entries) => entries.iter().for_each(|(_, value)| collect_references(value, found)),
    }
}
