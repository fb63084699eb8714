//! Evaluates conditions with a run's values, as the engine does.

use super::Owner;
use super::condition::Rows;
use super::form_target::{FormTarget, edges, graph as graph_of, nodes};
use super::reference_options::enclosing_node;
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_core::expression::condition::{Expression, Part};
use stepgraph_core::expression::{Computed, Condition, Predicate, Reference, Root};
use stepgraph_core::graph::scoped_name;
use stepgraph_core::value::Segment;

/// Values at a node or edge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// Previous output.
    pub last: Option<Json>,
    /// Run input.
    pub input: Option<Json>,
    /// Keyed by node id.
    pub outputs: HashMap<String, Json>,
}

impl Samples {
    /// Has no values.
    pub fn is_empty(&self) -> bool {
        self.last.is_none() && self.input.is_none() && self.outputs.is_empty()
    }

    /// A known, existing value.
    pub fn get(&self, reference: &Reference) -> Option<&Json> {
        let start = match &reference.root {
            Root::Last => self.last.as_ref()?,
            Root::Input => self.input.as_ref()?,
            Root::Output(name) => self.outputs.get(name)?,
            _ => return None,
        };
        reference.path.iter().try_fold(start, |value, step| match (value, step) {
            (Json::Object(map), Segment::Key(key)) => map.get(key),
            (Json::Array(items), Segment::Index(at)) => items.get(*at),
            (Json::Array(items), Segment::Key(key)) => items.get(parse_index(key)?),
            _ => None,
        })
    }

    fn is_known(&self, reference: &Reference) -> bool {
        match &reference.root {
            Root::Last => self.last.is_some(),
            Root::Input => self.input.is_some(),
            // After any output, a missing one means its node has not run.
            Root::Output(_) => !self.outputs.is_empty(),
            _ => false,
        }
    }

    /// `None` if a value is unknown, or if the evaluation fails.
    pub fn evaluate(&self, condition: &str) -> Option<bool> {
        let Condition::Expression(expression) = Condition::parse(condition).ok()? else { return None };
        let holds = |part: Part| match part {
            Part::Atom(at) => {
                let atom = expression.atoms.get(at).ok_or(())?;
                let known = self.is_known(&atom.reference);
                known
                    .then(|| matches_predicate(self.get(&atom.reference), &atom.predicate))
                    .flatten()
                    .ok_or(())
            }
            // A missing result does not hold.
            Part::Computed(at) => match self.compute_or_missing(expression.computed.get(at).ok_or(())?)? {
                Some(Json::Bool(truth)) => Ok(truth),
                None => Ok(false),
                Some(_) => Err(()),
            },
        };
        let mut references = condition_references(&expression);
        references.all(|reference| self.is_known(reference)).then_some(())?;
        expression.root.eval(&mut { holds }).ok()
    }

    /// `None` if a value is unknown or missing.
    pub fn compute(&self, computed: &Computed) -> Option<Json> {
        self.compute_or_missing(computed).ok()?
    }

    fn compute_or_missing(&self, computed: &Computed) -> Result<Option<Json>, ()> {
        if !computed.references.iter().all(|found| self.is_known(&found.reference)) {
            return Err(());
        }
        let outputs: Json = self.outputs.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut scope = serde_json::Map::new();
        scope.insert("output".to_owned(), outputs);
        for (root, value) in [("last", &self.last), ("input", &self.input)] {
            scope.extend(value.clone().map(|value| (root.to_owned(), value)));
        }
        computed.evaluate_json(&Json::Object(scope)).map_err(|_| ())
    }

    /// Results in row order.
    pub fn evaluate_rows(&self, rows: &Rows) -> Vec<Option<bool>> {
        let alone = |row: &super::condition::Row| Rows {
            parts: vec![super::condition::ConditionPart::Row(row.clone())],
            ..rows.clone()
        };
        rows.rows().map(|(_, row)| self.evaluate(&alone(row).to_text())).collect()
    }
}

fn condition_references(expression: &Expression) -> impl Iterator<Item = &Reference> {
    let computed = expression.computed.iter().flat_map(|part| &part.references);
    expression.atoms.iter().map(|atom| &atom.reference).chain(computed.map(|found| &found.reference))
}

/// Values that an owner sees. `output_of` finds a node path's last output.
pub fn samples_at(
    target: &FormTarget<'_>,
    owner: &Owner,
    input: Option<Json>,
    output_of: impl Fn(&str) -> Option<Json>,
) -> Samples {
    let (scope, from): (&str, Vec<&str>) = match owner {
        Owner::Plan => return Samples::default(),
        Owner::Node(scope, key) => {
            let before = edges(target.graph).filter(|(_, [_, to, _])| to == key);
            (scope, before.map(|(_, [from, ..])| from).collect())
        }
        Owner::Edge(scope, _) => (scope, target.text("from").into_iter().collect()),
    };
    let mut outputs = HashMap::new();
    let mut inner = Some((scope, target.graph));
    while let Some((scope, graph)) = inner {
        for entry in nodes(graph) {
            let id = entry.value.get("id").and_then(|id| id.value.as_text()).unwrap_or(&entry.key);
            // The innermost duplicate id wins.
            if !outputs.contains_key(id)
                && let Some(value) = output_of(&scoped_name(scope, &entry.key))
            {
                outputs.insert(id.to_owned(), value);
            }
        }
        let outer = enclosing_node(target, scope).map(|(outer, _)| outer);
        inner = outer.and_then(|outer| Some((outer, graph_of(target.document.tree()?, outer)?)));
    }
    let mut before = from.iter().filter_map(|key| output_of(&scoped_name(scope, key)));
    let last = match before.next() {
        None if from.is_empty() && scope.is_empty() => input.clone(),
        first => first.filter(|_| before.next().is_none()),
    };
    Samples { last, input: input.filter(|_| scope.is_empty()), outputs }
}

pub(super) fn parse_index(key: &str) -> Option<usize> {
    let plain = key == "0" || !key.starts_with('0');
    Some(key).filter(|key| plain && key.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

/// `None` if the value has no order.
fn matches_predicate(value: Option<&Json>, test: &Predicate) -> Option<bool> {
    let Some(value) = value else { return Some(false) };
    let number = value.as_f64();
    Some(match test {
        Predicate::Exists => true,
        Predicate::Equals(literal) => literal.equals(value),
        Predicate::Differs(literal) => !literal.equals(value),
        Predicate::Contains(literal) => match value {
            Json::String(text) => text.contains(&literal.text),
            Json::Array(items) => items.iter().any(|item| literal.equals(item)),
            Json::Object(map) => map.contains_key(&literal.text),
            _ => false,
        },
        Predicate::Less(bound) => number? < *bound,
        Predicate::AtMost(bound) => number? <= *bound,
        Predicate::Greater(bound) => number? > *bound,
        Predicate::AtLeast(bound) => number? >= *bound,
    })
}
