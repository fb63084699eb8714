//! Finds the conditions that exclude `null` before a value is used.
//!
//! A test counts if its edge can lead to the place. Paths may differ: they lead to the same value if they have the
//! same origin, as `last.n` and `output.a.n` after `a`.

use super::inference::{Inference, ReferenceSite};
use super::known_value::{KnownValue, Path, Shared};
use crate::collect::CollectVec;
use crate::expression::condition::{NotNull, Part};
use crate::expression::{Condition, Reference};
use crate::graph::Edge;
use crate::value::Segment;
use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

/// Edges that all searches of a plan may visit. Beyond a budget, every value counts as tested.
const SEARCH_BUDGET: usize = 1_000_000;
/// Tests that they may compare.
const COMPARISON_BUDGET: usize = 20_000_000;
/// Values that one of them may compare.
const ORIGIN_BUDGET: usize = 200;

/// A place in a scope. In a condition, the part of it.
pub(super) type Place<'p> = (usize, ReferenceSite<'p>, Option<Part>);

stepgraph_lazy::lazy! {
    /// Whether a condition before the place excludes `null`, or may do so. Lazy, because most plans have no null.
    pub(super) fn is_tested(reference: &Reference, place: Place<'_>, inference: &mut Inference<'_, '_>) -> bool = tests_value;
}

#[inline(never)]
fn tests_value(reference: &Reference, place: Place<'_>, inference: &mut Inference<'_, '_>) -> bool {
    is_excluded(reference, place, false, inference)
}

/// Whether a condition before the place excludes `null` in the elements of a list.
pub(super) fn tests_elements(list: &Reference, place: Place<'_>, inference: &mut Inference<'_, '_>) -> bool {
    is_excluded(list, place, true, inference)
}

/// The value of a path in a schema, or in another value that has no known parts.
#[derive(Debug)]
struct Origin<'a> {
    base: Shared<'a>,
    path: Path,
}

/// A value that is not `null` if an edge's condition `holds`, or if it does not.
#[derive(Debug)]
struct Test<'a> {
    scope: usize,
    edge: usize,
    source: usize,
    holds: bool,
    of_elements: bool,
    is_present: bool,
    /// `None` if they are too many to compare.
    origins: Option<Vec<Origin<'a>>>,
}

/// All tests of a plan.
#[derive(Debug)]
pub(super) struct NullTests<'a> {
    list: Vec<Test<'a>>,
    budget: Cell<usize>,
    comparisons: Cell<usize>,
}

#[inline(never)]
fn is_excluded(
    reference: &Reference,
    (scope, site, part): Place<'_>,
    of_elements: bool,
    inference: &mut Inference<'_, '_>,
) -> bool {
    let Some(wanted) = origins_of(reference, scope, site, inference) else { return true };
    let is_same = |test: &Option<Vec<Origin<'_>>>, is_present: bool| match test {
        Some(tested) => {
            tested.iter().any(|tested| wanted.iter().any(|wanted| tested.covers(wanted, is_present)))
        }
        None => true,
    };
    if let (ReferenceSite::Edge(edge), Some(part)) = (site, part) {
        for found in edge.condition.not_null_beside(part) {
            let origins = origins_of(&found.reference, scope, site, inference);
            if (found.of_elements || !of_elements) && is_same(&origins, found.is_present) {
                return true;
            }
        }
    }
    let tests = inference.null_tests();
    let Some(left) = tests.comparisons.get().checked_sub(tests.list.len()) else { return true };
    tests.comparisons.set(left);
    let tests_same =
        |test: &&Test<'_>| (test.of_elements || !of_elements) && is_same(&test.origins, test.is_present);
    let matching = tests.list.iter().filter(tests_same).collect_vec();
    !matching.is_empty() && Search::new(&matching, &tests.budget, inference).finds_before(scope, site)
}

impl Origin<'_> {
    /// A part that is there has values before it.
    fn covers(&self, other: &Self, is_present: bool) -> bool {
        Rc::ptr_eq(&self.base, &other.base)
            && if is_present { self.path.starts_with(&other.path) } else { self.path == other.path }
    }
}

impl<'a> NullTests<'a> {
    pub(super) fn of(inference: &mut Inference<'_, 'a>) -> Self {
        let mut list = Vec::new();
        let edges = inference.edges();
        for (scope, edge) in edges {
            for holds in [true, false] {
                for NotNull { reference, of_elements, is_present } in edge.condition.not_null(holds) {
                    let origins = origins_of(&reference, scope, ReferenceSite::Edge(edge), inference);
                    let (source, edge) = (edge.source, edge.index);
                    list.push(Test { scope, edge, source, holds, of_elements, is_present, origins });
                }
            }
        }
        let comparisons = Cell::new(COMPARISON_BUDGET);
        Self { list, budget: Cell::new(SEARCH_BUDGET), comparisons }
    }
}

/// `None` if they are too many.
fn origins_of<'a>(
    reference: &Reference,
    scope: usize,
    site: ReferenceSite<'_>,
    inference: &mut Inference<'_, 'a>,
) -> Option<Vec<Origin<'a>>> {
    let root = inference.root(&reference.root, scope, site);
    let (mut found, mut budget) = (Vec::new(), ORIGIN_BUDGET);
    add_origins(&root, &reference.path, &mut found, &mut budget)?;
    Some(found)
}

fn add_origins<'a>(
    known: &Shared<'a>,
    path: &[Segment],
    found: &mut Vec<Origin<'a>>,
    budget: &mut usize,
) -> Option<()> {
    *budget = budget.checked_sub(1)?;
    match (&**known, path) {
        (KnownValue::Anything, _) => Some(()),
        (KnownValue::Part(base, before), path) => {
            let path = before.iter().chain(path).cloned().collect_vec();
            add_origins(base, &path, found, budget)
        }
        (KnownValue::OneOf(values), path) => {
            values.iter().try_for_each(|value| add_origins(value, path, found, budget))
        }
        (KnownValue::Map { entries, .. }, [Segment::Key(key), rest @ ..])
            if let Some(value) = entries.get(key) =>
        {
            add_origins(value, rest, found, budget)
        }
        (KnownValue::List(item), [Segment::Index(_), rest @ ..]) => add_origins(item, rest, found, budget),
        (_, path) => {
            found.push(Origin { base: Rc::clone(known), path: path.to_vec() });
            Some(())
        }
    }
}

/// Follows edges backwards.
struct Search<'t, 's, 'a> {
    tests: &'t [&'t Test<'a>],
    budget: &'t Cell<usize>,
    /// Nodes whose graphs have tests.
    owners: HashSet<(usize, usize)>,
    inference: &'t mut Inference<'s, 'a>,
}

impl<'t, 's, 'a> Search<'t, 's, 'a> {
    fn new(tests: &'t [&'t Test<'a>], budget: &'t Cell<usize>, inference: &'t mut Inference<'s, 'a>) -> Self {
        let mut owners = HashSet::new();
        for test in tests {
            let mut owner = inference.owner(test.scope);
            while let Some(place) = owner.filter(|place| owners.insert(*place)) {
                owner = inference.owner(place.0);
            }
        }
        Self { tests, budget, owners, inference }
    }

    /// Whether an edge that can lead to the place has a test, in its graph or in those around it.
    fn finds_before(&mut self, scope: usize, site: ReferenceSite<'_>) -> bool {
        let mut place = match site {
            ReferenceSite::Node(node) => Some((scope, node)),
            ReferenceSite::Edge(edge) if self.excludes_before(scope, edge) => return true,
            ReferenceSite::Edge(edge) => Some((scope, edge.source)),
        };
        while let Some((scope, node)) = place {
            if self.finds_in(scope, node) {
                return true;
            }
            place = self.inference.owner(scope);
        }
        false
    }

    fn finds_in(&mut self, scope: usize, node: usize) -> bool {
        let (mut seen, mut work) = (HashSet::from([node]), vec![node]);
        while let Some(node) = work.pop() {
            for edge in self.inference.edges_into(scope, node) {
                let Some(budget) = self.budget.get().checked_sub(1) else { return true };
                self.budget.set(budget);
                let is_met =
                    |test: &&Test<'_>| (test.scope, test.edge, test.holds) == (scope, edge.index, true);
                if self.tests.iter().any(is_met)
                    || self.excludes_before(scope, edge)
                    || self.owners.contains(&(scope, edge.source))
                {
                    return true;
                }
                if seen.insert(edge.source) {
                    work.push(edge.source);
                }
            }
        }
        false
    }

    /// Whether an edge is taken only if one with a test is not.
    fn excludes_before(&self, scope: usize, edge: &Edge) -> bool {
        let is_last = edge.condition == Condition::Fallback;
        self.tests.iter().any(|test| {
            let is_beside = (test.scope, test.source, test.holds) == (scope, edge.source, false);
            is_beside && (test.edge < edge.index || is_last && test.edge != edge.index)
        })
    }
}
