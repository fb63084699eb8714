//! Reports approvals that prevent nothing: whatever may follow an approval may also follow a rejection.
//!
//! For each approval, it follows a run from there after both decisions, until it asks again. It does so for each way in
//! which other approvals may be decided. So one of several approvals may be enough.
//!
//! Two nodes may make the same call. It reports nothing if the decision may matter in another way: as an argument of a call, in a value that a later
//! condition reads, or as one of several answers that the plan expects.

mod plan_facts;
mod same_calls;
mod walk;

use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
use crate::expression::{Atom, Computed, Condition, Predicate, Reference, Root};
use crate::graph::{Graph, Node, PlanGraph, write_condition};
use crate::kind::resolve_alias;
use plan_facts::{MAX_OTHERS, PlanFacts};
use same_calls::SameCalls;
use walk::{Effect, Outcome, Way, follow};

/// Pairs of effects that cost as much as one visit.
const PAIRS_PER_VISIT: usize = 50;

/// A node in its graph.
type Place<'a> = (&'a Graph, usize);

pub(super) fn check(plan: &PlanGraph, capabilities: &Capabilities, diagnostics: &mut DiagnosticCollector) {
    let mut facts = PlanFacts::new(plan, capabilities);
    let mut places = Vec::new();
    collect_approvals(&plan.root, &mut Vec::new(), &mut places);
    for places in &places {
        if facts.is_approval(places)
            && let Some(way) = way_to_ignored(&mut facts, places)
        {
            diagnostics.push(ignored_rejection((plan, &facts.same_calls), places, way));
        }
    }
}

/// Each with the composites around it, the outermost first.
fn collect_approvals<'a>(graph: &'a Graph, around: &mut Vec<Place<'a>>, found: &mut Vec<Vec<Place<'a>>>) {
    for (position, node) in graph.nodes.iter().enumerate() {
        around.push((graph, position));
        if resolve_alias(&node.kind) == "approve" {
            found.push(around.clone());
        }
        for nested in &node.nested {
            collect_approvals(&nested.graph, around, found);
        }
        around.pop();
    }
}

/// To the first call or question after a rejection, if the approval prevents none.
fn way_to_ignored<'a>(facts: &mut PlanFacts<'a>, places: &[Place<'a>]) -> Option<Way<'a>> {
    facts.others.clear();
    facts.rest_approves = true;
    // Mostly, nothing follows a rejection.
    if follow(facts, places, false)?.effects.is_empty() {
        return None;
    }
    loop {
        let count = facts.others.len();
        let found = compare_decisions(facts, places)?;
        if facts.others.len() > MAX_OTHERS {
            return None;
        }
        if facts.others.len() == count {
            return found.first;
        }
    }
}

/// What is true whatever other approvals decide.
struct Comparison<'a> {
    /// The way to the first effect of both decisions.
    first: Option<Way<'a>>,
    allows_call: bool,
    /// Whether each call of an approval may follow a rejection, too.
    repeats_calls: bool,
    /// Whether each call and question of an approval may follow a rejection, too.
    repeats_all: bool,
}

/// `None` if the approval prevents something, or may do so.
fn compare_decisions<'a>(facts: &mut PlanFacts<'a>, places: &[Place<'a>]) -> Option<Comparison<'a>> {
    let mut found = Comparison { first: None, allows_call: false, repeats_calls: true, repeats_all: true };
    let count = facts.others.len();
    // In the first world, all approve: the bits are inverted.
    for world in 0..2 << count {
        (facts.rest_approves, facts.approving) = (world & 1 == 0, !world >> 1);
        let (approved, rejected) = (follow(facts, places, true)?, follow(facts, places, false)?);
        // The walks found other approvals that count.
        if facts.others.len() != count {
            return Some(found);
        }
        found.add(&approved, &rejected, facts)?;
    }
    // Further questions count only if there is nothing else.
    let is_ignored = if found.allows_call { found.repeats_calls } else { found.repeats_all };
    is_ignored.then_some(found)
}

impl<'a> Comparison<'a> {
    fn add(
        &mut self,
        approved: &Outcome<'a>,
        rejected: &Outcome<'a>,
        facts: &mut PlanFacts<'a>,
    ) -> Option<()> {
        facts.spend(approved.effects.len().saturating_mul(rejected.effects.len()) / PAIRS_PER_VISIT)?;
        let is_one_sided = |name: &str| approved.visited.contains(name) != rejected.visited.contains(name);
        if approved.read.iter().chain(&rejected.read).any(|name| is_one_sided(name)) {
            return None;
        }
        let is_same = |effect: &&Effect<'_>| !effect.reads.iter().any(|name| is_one_sided(name));
        for effect in approved.effects.iter().filter(is_same) {
            let repeated = rejected.effects.iter().filter(is_same).find(|other| other.key == effect.key);
            self.allows_call |= !effect.is_question;
            self.repeats_all &= repeated.is_some();
            self.repeats_calls &= effect.is_question || repeated.is_some();
        }
        let is_common = |effect: &&Effect<'_>| approved.effects.iter().any(|other| other.key == effect.key);
        let mut common = rejected.effects.iter().filter(is_same).filter(is_common);
        self.first = self.first.or_else(|| common.next().map(|effect| effect.way));
        (self.repeats_all || self.repeats_calls).then_some(())
    }
}

fn ignored_rejection(
    (plan, same_calls): (&PlanGraph, &SameCalls<'_>),
    places: &[Place<'_>],
    way: Way<'_>,
) -> Diagnostic {
    let name = |node: Option<&Node>| node.map(|node| shorten_name(&node.key)).unwrap_or_default();
    let asked = places.last().and_then(|(graph, position)| graph.nodes.get(*position));
    let Way { graph, first, last, target } = way;
    let is_inner = places.last().is_some_and(|(around, _)| !std::ptr::eq(*around, graph));
    let conditions =
        graph.edges_from(first.source).filter(|edge| edge.condition != Condition::Fallback).collect_vec();
    let is_tested = !is_inner
        && conditions.iter().any(|edge| asked.is_some_and(|node| tests_decision(&edge.condition, node)));
    // The rejection has an edge of its own, which comes back.
    let is_later = is_tested && last.source != first.source;
    let edge = if is_later { last } else { first };
    let same = same_calls.other(graph, last.target).and_then(|other| graph.nodes.get(other));
    let like = match same {
        Some(_) => format!("which makes the same call as `{}`", name(same)),
        None => "like an approval".to_owned(),
    };
    let diagnostic = Diagnostic::new(
        Code::RejectionIgnored,
        format!("a rejection of `{}` leads to `{}`, {like}", name(asked), name(Some(target))),
    )
    .on(Target::Edge(graph.scope.clone(), edge.index))
    .at(edge.condition_span);
    if is_inner {
        let name = name(graph.nodes.get(first.source));
        return diagnostic
            .help(format!("compare the decision in `{name}`, or the output of `{name}` in a condition"));
    }
    if is_later {
        let id = asked.map_or("", |node| node.id.as_str());
        return diagnostic.help(format!(
            "add `condition: output.{id}!=rejected` to the edge, or end the path of the rejection before it"
        ));
    }
    let mut diagnostic =
        diagnostic.help(if conditions.is_empty() || is_tested { EDGE_HELP } else { CONDITION_HELP });
    if edge.condition == Condition::Fallback {
        diagnostic.fix.extend(write_condition(plan, graph, edge, "last!=rejected"));
    }
    diagnostic
}

const EDGE_HELP: &str = "add `condition: last!=rejected` to the edge, or an edge for `last==rejected`";
const CONDITION_HELP: &str = "no condition here compares the decision, which is text: write `last!=rejected`, or add an edge for `last==rejected`";

/// Whether it may tell a rejection from an approval. A decision is text, so a test of one of its fields can't.
fn tests_decision(condition: &Condition, approval: &Node) -> bool {
    let reads = |reference: &Reference| {
        let is_decision = match &reference.root {
            Root::Last => true,
            Root::Output(name) => *name == approval.id,
            _ => false,
        };
        is_decision && reference.path.is_empty()
    };
    let compares = |atom: &Atom| atom.predicate != Predicate::Exists && reads(&atom.reference);
    let computes = |part: &Computed| part.references.iter().any(|found| reads(&found.reference));
    condition.atoms().iter().any(compares) || condition.computed().iter().any(computes)
}
