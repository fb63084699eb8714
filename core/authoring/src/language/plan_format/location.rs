//! Maps a path to the expected value, and the surrounding graph, node and edge, one step after another.

use super::maps::{BEHAVIOUR, PLAN};
use super::{FieldSpec, ValueSpec, built_in};
use crate::language::syntax_tree::{PathStep, SyntaxTree};

#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanLocation {
    pub(crate) spec: ValueSpec,
    pub(crate) field: Option<&'static FieldSpec>,
    pub(crate) graph: usize,
    pub(crate) node: Option<usize>,
    pub(crate) edge: Option<usize>,
    /// Steps inside a free-form value.
    pub(crate) free_depth: usize,
}

impl PlanLocation {
    pub(crate) fn root() -> Self {
        Self { spec: ValueSpec::Map(&PLAN), field: None, graph: 0, node: None, edge: None, free_depth: 0 }
    }

    pub(crate) fn new(tree: &SyntaxTree<'_>, path: &[PathStep<'_>], chain: &[usize]) -> Self {
        let items = chain.iter().skip(1).map(|item| Some(*item)).chain(std::iter::repeat(None));
        path.iter().zip(items).fold(Self::root(), |location, (step, item)| location.step(tree, step, item))
    }

    pub(crate) fn of(tree: &SyntaxTree<'_>, item: usize) -> Self {
        let chain = tree.chain(item);
        let steps = chain.iter().skip(1);
        steps.fold(Self::root(), |location, item| location.step(tree, &tree.step(*item), Some(*item)))
    }

    pub(crate) fn all(tree: &SyntaxTree<'_>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::with_capacity(tree.items.len());
        for (at, item) in tree.items.iter().enumerate() {
            let location = match all.get(item.parent) {
                Some(parent) if at > 0 => {
                    // The index does not affect the location.
                    let step = tree.key(at).map_or(PathStep::Index(0), PathStep::Key);
                    parent.step(tree, &step, Some(at))
                }
                _ => Self::root(),
            };
            all.push(location);
        }
        all
    }

    fn step(self, tree: &SyntaxTree<'_>, step: &PathStep<'_>, item: Option<usize>) -> Self {
        let field =
            |field: Option<&'static FieldSpec>| (field.map_or(ValueSpec::Any, |field| field.value), field);
        let mut inside = self.free_depth;
        let (spec, field) = match (self.spec, step) {
            (ValueSpec::Map(map_spec), PathStep::Key(key)) => field(map_spec.field(key)),
            (ValueSpec::Settings, PathStep::Key(key)) => {
                let kind = self.node.and_then(|node| tree.text_of(node, "type"));
                let settings = kind.and_then(|kind| built_in(&kind)).map_or(&[][..], |spec| spec.settings);
                field(settings.iter().find(|field| field.key == key))
            }
            (ValueSpec::Named(_, inner), PathStep::Key(_)) => (*inner, None),
            (ValueSpec::List(inner) | ValueSpec::OneOrMany(inner), PathStep::Index(_)) => {
                (*inner, self.field)
            }
            (ValueSpec::Behaviour, PathStep::Key(key)) => field(BEHAVIOUR.field(key)),
            (ValueSpec::Input | ValueSpec::Schema, _) => {
                inside += 1;
                (self.spec, self.field)
            }
            _ => {
                inside += 1;
                (ValueSpec::Any, None)
            }
        };
        let mut next = Self { spec, field, free_depth: inside, ..self };
        if let ValueSpec::Map(map_spec) = spec {
            match (map_spec.title, item) {
                ("a node", _) => next.node = item,
                ("an edge", _) => next.edge = item,
                ("a graph inside a node", Some(item)) => {
                    (next.graph, next.node, next.edge) = (item, None, None);
                }
                _ => {}
            }
        }
        next
    }

    /// Innermost first, each with its node. An edge in the innermost graph has none.
    pub(crate) fn scopes(&self, tree: &SyntaxTree<'_>) -> Vec<(usize, Option<usize>)> {
        let mut found = vec![(self.graph, self.node)];
        let mut graph = self.graph;
        while graph != 0 {
            let holder = Self::of(tree, tree.item(graph).parent);
            found.push((holder.graph, holder.node));
            if holder.graph >= graph {
                break;
            }
            graph = holder.graph;
        }
        found
    }

    pub(crate) fn node_type<'t>(&self, tree: &SyntaxTree<'t>) -> Option<std::borrow::Cow<'t, str>> {
        self.node.and_then(|node| tree.text_of(node, "type"))
    }
}
