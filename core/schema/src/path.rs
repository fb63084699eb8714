//! Decides whether valid values can have a path.
//!
//! Invariants:
//! 1. A path that some valid value might have is never impossible.
//! 2. Conditions count as satisfiable.
//! 3. Beyond the work limit the answer is unknown.

use super::Patterns;
use super::Schema;
use super::instance::Validity;
use super::rule::{Assertion, Properties, Rule, Subschema, count, types};
use serde_json::Value as Json;
use stepgraph_text::value::{Segment, has_path, list_index};

/// Nested subschemas.
const MAX_DEPTH: usize = 100;
/// Subschemas for one value.
const MAX_NODES: usize = 100;
const SUBSCHEMA_BUDGET: usize = 2_000;
/// One match of a pattern costs as much as this many subschemas.
const PATTERN_COST: usize = 10;

/// Whether valid values have a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStatus {
    /// In no valid value.
    Impossible,
    /// The segment at this position is not declared among others.
    Undeclared(usize),
    /// Not described.
    Unknown,
    /// Valid values may have it.
    Known,
}

use PathStatus::{Impossible, Known, Undeclared, Unknown};

/// Subtracts the subschemas that it visits from `budget`.
pub(super) fn path_status(
    schema: &Schema,
    path: &[Segment],
    patterns: Patterns,
    budget: &mut usize,
) -> PathStatus {
    let mut walk = PathWalk { schema, path, patterns, budget, is_cut: false };
    let status = walk.node(0, 0, 0).unwrap_or(Unknown);
    if walk.is_cut { Unknown } else { status }
}

impl Schema {
    /// Path status in valid values.
    ///
    /// # Example
    /// ```
    /// use serde_json::json;
    /// use stepgraph_schema::{PathStatus, Patterns, Schema};
    /// use stepgraph_text::value::Segment;
    /// let schema = json!({"type": "object", "properties": {"days": {"items": {"type": "number"}}}});
    /// let schema = Schema::compile(&schema, &(), Patterns::default()).unwrap();
    /// let verdict = |key: &str| schema.path_status(&[Segment::Key(key.to_owned())], Patterns::default());
    /// assert_eq!(verdict("days"), PathStatus::Known);
    /// assert_eq!(verdict("day"), PathStatus::Undeclared(0));
    /// ```
    pub fn path_status(&self, path: &[Segment], patterns: Patterns) -> PathStatus {
        super::check_path(self, path, patterns, &mut { SUBSCHEMA_BUDGET })
    }

    /// Entry names declared at a path, through references, items and all branches, unordered.
    pub fn names_at(&self, path: &[Segment]) -> Vec<&str> {
        let nodes = self.nodes_at(path).map(|at| self.same_value_nodes(&at));
        let nodes = nodes.filter(|nodes| is_within_limit(nodes)).unwrap_or_default();
        self.few_names(&nodes, usize::MAX).unwrap_or_default()
    }

    /// Entry names that the subschemas declare. `None` if there are more than `most`: it counts before it makes the list.
    pub(super) fn few_names(&self, nodes: &[usize], most: usize) -> Option<Vec<&str>> {
        let rules = nodes.iter().filter_map(|node| self.nodes.get(*node)).flat_map(|node| &node.rules);
        let count = |rule: &Rule| if let Rule::Properties(it) = rule { it.names.len() } else { 0 };
        if rules.map(count).sum::<usize>() > most {
            return None;
        }
        let mut names = Vec::new();
        for node in nodes {
            self.own_names(*node, &mut names);
        }
        Some(names)
    }

    /// Whether the subschemas have `patternProperties`.
    pub(super) fn have_patterns(&self, nodes: &[usize]) -> bool {
        let has_patterns = |rule: &Rule| matches!(rule, Rule::Properties(it) if !it.patterns.is_empty());
        nodes.iter().filter_map(|node| self.nodes.get(*node)).any(|node| node.rules.iter().any(has_patterns))
    }

    /// `None` beyond a limit.
    pub(super) fn nodes_at(&self, path: &[Segment]) -> Option<Vec<usize>> {
        let mut at = vec![0];
        for segment in path {
            let nodes = self.same_value_nodes(&at);
            if !is_within_limit(&nodes) {
                return None;
            }
            at = self.steps(&nodes, segment);
        }
        Some(at)
    }

    /// What the subschemas say about a part of their value.
    pub(super) fn steps(&self, nodes: &[usize], segment: &Segment) -> Vec<usize> {
        let mut next = Vec::new();
        for node in nodes {
            self.step(*node, segment, &mut next);
        }
        next
    }

    /// Entries of every valid value.
    pub fn required(&self) -> Vec<&str> {
        self.required_by(0)
    }

    /// Entries that all of several subschemas require.
    pub(super) fn required_by_all(&self, nodes: &[usize]) -> Vec<&str> {
        let mut lists = nodes.iter().map(|node| self.required_by(*node));
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |mut all, names| {
            all.retain(|name| names.contains(name));
            all
        })
    }

    fn required_by(&self, node: usize) -> Vec<&str> {
        let mut names = Vec::new();
        let mut work = vec![node];
        let mut seen = Vec::new();
        while let Some(node) = work.pop().filter(|_| seen.len() < MAX_NODES) {
            if seen.contains(&node) {
                continue;
            }
            seen.push(node);
            for rule in self.nodes.get(node).into_iter().flat_map(|node| &node.rules) {
                match rule {
                    Rule::Reference(target) => work.push(*target),
                    Rule::All(branches) => work.extend(branches),
                    Rule::Assert(Assertion::Required, Json::Array(needed)) => {
                        names.extend(needed.iter().filter_map(Json::as_str));
                    }
                    _ => {}
                }
            }
        }
        names
    }

    /// Whether values at a path may be text.
    pub fn may_be_text(&self, path: &[Segment]) -> bool {
        let at = self.nodes_at(path).unwrap_or_default();
        let mut budget = SUBSCHEMA_BUDGET;
        at.is_empty() || at.into_iter().any(|node| self.admits_text(node, 0, &mut budget))
    }

    fn admits_text(&self, node: usize, depth: usize, budget: &mut usize) -> bool {
        let Some(node) = self.nodes.get(node).filter(|_| depth < MAX_DEPTH && *budget > 0) else {
            return true;
        };
        *budget -= 1;
        node.rules.iter().all(|rule| match rule {
            Rule::Never => false,
            Rule::Types(types) => types & types::TEXT != 0,
            Rule::Reference(target) => self.admits_text(*target, depth + 1, budget),
            Rule::All(branches) => branches.iter().all(|branch| self.admits_text(*branch, depth + 1, budget)),
            Rule::Any(branches) | Rule::One(branches) => {
                branches.iter().any(|branch| self.admits_text(*branch, depth + 1, budget))
            }
            _ => true,
        })
    }

    pub(super) fn declared(&self, node: usize) -> Vec<&str> {
        let mut names = Vec::new();
        for node in self.same_value_nodes(&[node]) {
            self.own_names(node, &mut names);
        }
        names
    }

    fn own_names<'a>(&'a self, node: usize, names: &mut Vec<&'a str>) {
        for rule in self.nodes.get(node).into_iter().flat_map(|node| &node.rules) {
            if let Rule::Properties(properties) = rule {
                for name in &properties.names {
                    names.push(name);
                }
            }
        }
    }

    /// Includes all subschemas for the same value. Those beyond a limit are left out: see [`is_within_limit`].
    pub(super) fn same_value_nodes(&self, nodes: &[usize]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        let mut work = nodes.to_vec();
        while let Some(node) = work.pop() {
            if found.contains(&node) || found.len() > MAX_NODES {
                continue;
            }
            found.push(node);
            for rule in self.nodes.get(node).into_iter().flat_map(|node| &node.rules) {
                match rule {
                    Rule::Reference(target) | Rule::Dynamic(_, target) => work.push(*target),
                    Rule::All(branches) | Rule::Any(branches) | Rule::One(branches) => work.extend(branches),
                    Rule::If { then, otherwise, .. } => work.extend(then.iter().chain(otherwise)),
                    Rule::DependentSchema(_, schema) => work.push(*schema),
                    _ => {}
                }
            }
        }
        found
    }

    pub(super) fn step(&self, node: usize, segment: &Segment, next: &mut Vec<usize>) {
        for rule in self.nodes.get(node).into_iter().flat_map(|node| &node.rules) {
            match (rule, segment) {
                (Rule::Properties(properties), Segment::Key(key)) => {
                    next.extend(properties.named.get(key).copied().or(properties.additional));
                    // Each of them may hold for the key, too.
                    next.extend(properties.patterns.iter().map(|(_, schema)| *schema));
                }
                (Rule::Items { prefix, rest }, segment) => {
                    next.extend(segment.list_index().and_then(|at| prefix.get(at).copied().or(*rest)));
                }
                _ => {}
            }
        }
    }
}

/// Whether [`Schema::same_value_nodes`] has left out nothing.
pub(super) fn is_within_limit(nodes: &[usize]) -> bool {
    nodes.len() <= MAX_NODES
}

struct PathWalk<'a> {
    schema: &'a Schema,
    path: &'a [Segment],
    patterns: Patterns,
    budget: &'a mut usize,
    /// Whether a limit left something out, which may declare the path.
    is_cut: bool,
}

/// An impossible path stays impossible. Otherwise the more definite status wins.
fn combine(a: Option<PathStatus>, b: Option<PathStatus>) -> Option<PathStatus> {
    match (a, b) {
        (Some(a), Some(b)) if a == Impossible || b == Impossible => Some(Impossible),
        (Some(Undeclared(at)), Some(Unknown)) | (Some(Unknown), Some(Undeclared(at))) => Some(Undeclared(at)),
        (a, b) => a.max(b),
    }
}

impl<'a> PathWalk<'a> {
    /// The status from `at` on, `None` if unrestricted.
    fn node(&mut self, node: usize, at: usize, depth: usize) -> Option<PathStatus> {
        let schema: &'a Schema = self.schema;
        let node = schema.nodes.get(node)?;
        if depth > MAX_DEPTH || !self.takes(1) {
            self.is_cut = true;
            return Some(Unknown);
        }
        let mut status = (at == self.path.len()).then_some(Known);
        for rule in &node.rules {
            let said = self.rule(rule, at, depth + 1);
            let closes = matches!(rule, Rule::Unevaluated { schema, .. } if self.is_never(*schema));
            status = if closes && matches!(status, None | Some(Undeclared(_))) && self.is_closed(node, at) {
                Some(Impossible)
            } else {
                combine(status, said)
            };
        }
        status
    }

    fn takes(&mut self, cost: usize) -> bool {
        let rest = self.budget.checked_sub(cost);
        *self.budget = rest.unwrap_or(0);
        rest.is_some()
    }

    fn is_never(&self, node: usize) -> bool {
        self.schema.nodes.get(node).is_some_and(|node| matches!(*node.rules, [Rule::Never]))
    }

    /// Whether `unevaluated…: false` excludes the segment, since no other rule could cover it.
    fn is_closed(&self, node: &Subschema, at: usize) -> bool {
        let is_understood = |rule: &Rule| {
            !matches!(
                rule,
                Rule::Dynamic(..) | Rule::If { .. } | Rule::DependentSchema(..) | Rule::Contains { .. }
            )
        };
        let fits = |rule: &Rule| match (rule, self.path.get(at)) {
            (Rule::Unevaluated { map, .. }, Some(Segment::Key(key))) => *map && list_index(key).is_none(),
            (Rule::Unevaluated { map, .. }, Some(Segment::Index(_))) => !*map,
            _ => true,
        };
        node.rules.iter().all(|rule| is_understood(rule) && fits(rule))
    }

    fn rule(&mut self, rule: &Rule, at: usize, depth: usize) -> Option<PathStatus> {
        match rule {
            Rule::Never => return Some(Impossible),
            Rule::Reference(target) => return self.node(*target, at, depth),
            Rule::Dynamic(..) => return Some(Unknown),
            Rule::All(branches) => {
                return branches.iter().fold(None, |all, branch| combine(all, self.node(*branch, at, depth)));
            }
            Rule::Any(branches) | Rule::One(branches) => {
                return branches.iter().map(|branch| self.node(*branch, at, depth).unwrap_or(Unknown)).max();
            }
            Rule::If { then, otherwise, .. } => {
                let mut side =
                    |branch: &Option<usize>| branch.and_then(|branch| self.node(branch, at, depth));
                return side(then).max(side(otherwise)).filter(|status| *status >= Unknown);
            }
            Rule::DependentSchema(_, schema) => {
                return self.node(*schema, at, depth).filter(|status| *status >= Unknown);
            }
            _ => {}
        }
        let segment = self.path.get(at)?;
        match rule {
            Rule::Types(types) => {
                let list = segment.list_index().map_or(0, |_| types::LIST);
                let map = if matches!(segment, Segment::Key(_)) { types::MAP } else { 0 };
                (types & (list | map) == 0).then_some(Impossible)
            }
            Rule::Assert(Assertion::Const, value) => {
                Some(if has_path(value, self.path.get(at..)?) { Known } else { Impossible })
            }
            Rule::Assert(Assertion::Enum, Json::Array(options)) => {
                let rest = self.path.get(at..)?;
                Some(if options.iter().any(|option| has_path(option, rest)) { Known } else { Impossible })
            }
            Rule::Assert(Assertion::MaxItems, limit) => match segment {
                Segment::Index(index) => (count(limit) <= *index as u64).then_some(Impossible),
                Segment::Key(_) => None,
            },
            Rule::Properties(properties) => match segment {
                Segment::Key(key) => self.entry(properties, key, at, depth),
                Segment::Index(_) => None,
            },
            Rule::Items { prefix, rest } => {
                let item = prefix.get(segment.list_index()?).copied().or(*rest)?;
                let said = self.node(item, at + 1, depth);
                // Digits may be an entry's name.
                match segment {
                    Segment::Index(_) => said.or(Some(Unknown)),
                    Segment::Key(_) => said.filter(|status| *status >= Unknown),
                }
            }
            _ => None,
        }
    }

    fn entry(&mut self, properties: &Properties, key: &str, at: usize, depth: usize) -> Option<PathStatus> {
        // Digits may be a list position.
        let or_item = |status: Option<PathStatus>| match status {
            Some(Impossible | Undeclared(_)) if list_index(key).is_some() => None,
            status => status,
        };
        let named = properties.named.get(key);
        let mut status = named.and_then(|schema| self.node(*schema, at + 1, depth).or(Some(Unknown)));
        for (pattern, schema) in &properties.patterns {
            if !self.takes(PATTERN_COST) {
                self.is_cut = true;
                return Some(Unknown);
            }
            match self.patterns.test(pattern, key).0 {
                Validity::No => {}
                Validity::Maybe => status = status.max(Some(Unknown)),
                Validity::Yes => {
                    status = combine(status, self.node(*schema, at + 1, depth).or(Some(Unknown)));
                }
            }
        }
        if status.is_some() {
            return or_item(status);
        }
        match properties.additional {
            Some(rest) if self.is_never(rest) => or_item(Some(Impossible)),
            Some(rest) => or_item(self.node(rest, at + 1, depth).or(Some(Unknown))),
            None if properties.named.is_empty() => None,
            None => or_item(Some(Undeclared(at))),
        }
    }
}
