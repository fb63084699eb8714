//! Validates rules with subschemas, and tracks the children that earlier rules evaluated.
//!
//! Invariants:
//! 1. An invalid branch marks no children as evaluated.
//! 2. If no branch is valid, the report describes the nearest one.
//!
//! Source: JSON Schema 2020-12 Core, sections 10 and 11.

use super::instance::{InstancePath, ResolvedValue, Step, Validity, View};
use super::messages;
use super::rule::{Properties, Rule};
use super::validate::{EvaluatedChildren, RuleTarget, Validator, ViolationSink, key_of, merge};

impl Validator<'_> {
    /// `None` for other rules.
    pub(super) fn apply(
        &mut self,
        rule: &Rule,
        at: RuleTarget<'_>,
        sink: &mut ViolationSink,
        own: &mut EvaluatedChildren,
    ) -> Option<Validity> {
        let resolved = at.value.resolve();
        Some(match (rule, resolved) {
            (Rule::Reference(target), _) => self.apply_here(*target, at, sink, own),
            (Rule::Dynamic(anchor, first), _) => {
                self.consume_budget(self.scope.len());
                self.apply_here(self.dynamic_target(anchor, *first), at, sink, own)
            }
            (Rule::All(branches), _) => branches.iter().fold(Validity::Yes, |validity, branch| {
                validity.min(self.apply_here(*branch, at, sink, own))
            }),
            (Rule::Any(branches), _) => self.any_of(branches, rule, at, sink, own),
            (Rule::One(branches), _) => self.one_of(branches, rule, at, sink, own),
            (Rule::Not(schema), _) => {
                let validity = self.apply_here(*schema, at, &mut quiet_sink(), &mut Vec::new());
                self.report_unless_valid(validity.negated(), rule, at, sink)
            }
            (Rule::If { condition, then, otherwise }, _) => {
                self.branch(*condition, [*then, *otherwise], at, sink, own)
            }
            (Rule::DependentSchema(key, schema), ResolvedValue::Map) if at.value.has(key) => {
                self.apply_here(*schema, at, sink, own)
            }
            (Rule::Properties(properties), ResolvedValue::Map) => self.properties(properties, at, sink, own),
            (Rule::Names(schema), ResolvedValue::Map) => self.property_names(*schema, rule, at, sink),
            (Rule::Items { prefix, rest }, ResolvedValue::List) => {
                let mut validity = Validity::Yes;
                for (index, (step, value)) in at.value.children().enumerate() {
                    let Some(schema) = prefix.get(index).copied().or(*rest) else { break };
                    validity = validity.min(self.child(schema, at, step, value, sink));
                    mark_evaluated(own, index, Validity::Yes);
                }
                validity
            }
            (Rule::Contains { schema, min: least, max: most }, ResolvedValue::List) => {
                let (sure, possible) = self.count_matching(*schema, at, own);
                let most = most.unwrap_or(u64::MAX);
                let validity = if possible < *least || sure > most {
                    Validity::No
                } else {
                    Validity::from_bool(sure >= *least && possible <= most).max(Validity::Maybe)
                };
                self.report_unless_valid(validity, rule, at, sink)
            }
            (Rule::Unevaluated { map: true, schema }, ResolvedValue::Map)
            | (Rule::Unevaluated { map: false, schema }, ResolvedValue::List) => {
                self.unevaluated(*schema, rule, at, sink, own)
            }
            _ => return None,
        })
    }

    fn apply_here(
        &mut self,
        node: usize,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
        seen: &mut EvaluatedChildren,
    ) -> Validity {
        self.validate_target(RuleTarget { node, ..target }, sink, seen)
    }

    fn try_branch(&mut self, node: usize, target: RuleTarget<'_>, seen: &mut EvaluatedChildren) -> Validity {
        self.apply_here(node, target, &mut quiet_sink(), seen)
    }

    fn child(
        &mut self,
        node: usize,
        target: RuleTarget<'_>,
        step: Step<'_>,
        value: View<'_>,
        sink: &mut ViolationSink,
    ) -> Validity {
        let path = InstancePath { above: Some(target.path), step };
        self.validate_child(RuleTarget { node, path: &path, value }, sink)
    }

    fn report_unless_valid(
        &mut self,
        validity: Validity,
        rule: &Rule,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
    ) -> Validity {
        if validity == Validity::No && !sink.quiet && self.abort_reason.is_none() {
            messages::report_rule(self, rule, target, sink);
        }
        validity
    }

    /// The outermost resource in scope with the dynamic anchor wins over `first`.
    fn dynamic_target(&self, anchor: &str, first: usize) -> usize {
        let rooms = self.scope.iter().filter_map(|room| self.schema.resources.get(*room));
        let mut named = rooms.flat_map(|room| &room.dynamic);
        named.find(|(name, _)| name == anchor).map_or(first, |(_, node)| *node)
    }

    fn any_of(
        &mut self,
        branches: &[usize],
        rule: &Rule,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
        own: &mut EvaluatedChildren,
    ) -> Validity {
        let mut best = Validity::No;
        for branch in branches {
            best = best.max(self.try_branch(*branch, target, own));
            if best == Validity::Yes && !self.schema.tracks_evaluated {
                break;
            }
        }
        if best == Validity::No && !sink.quiet {
            self.report_nearest_branch(branches, rule, target, sink);
        }
        best
    }

    fn one_of(
        &mut self,
        branches: &[usize],
        rule: &Rule,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
        own: &mut EvaluatedChildren,
    ) -> Validity {
        let (mut sure, mut possible) = (0, 0);
        for branch in branches {
            let validity = self.try_branch(*branch, target, own);
            sure += usize::from(validity == Validity::Yes);
            possible += usize::from(validity != Validity::No);
        }
        match (sure, possible) {
            (_, 0) => {
                if !sink.quiet {
                    self.report_nearest_branch(branches, rule, target, sink);
                }
                Validity::No
            }
            (1, 1) => Validity::Yes,
            (0 | 1, _) => Validity::Maybe,
            _ => self.report_unless_valid(Validity::No, rule, target, sink),
        }
    }

    fn report_nearest_branch(
        &mut self,
        branches: &[usize],
        rule: &Rule,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
    ) {
        let here = target.path.pointer();
        let mut best: Option<((usize, usize), ViolationSink)> = None;
        let mut tie = false;
        // Expected types, while every branch fails only by type.
        let mut types = Some(0);
        // Missing names, while every branch fails only by missing entries.
        let mut missing = Some(Vec::new());
        for branch in branches {
            if self.abort_reason.is_some() {
                return;
            }
            let mut told = ViolationSink::default();
            self.apply_here(*branch, target, &mut told, &mut Vec::new());
            let (score, expected) = messages::distance(&told.report, &here);
            let score = (score, messages::count_undeclared(self, *branch, target));
            types = types.zip(expected).map(|(all, more)| all | more);
            missing = missing.filter(|_| messages::only_missing(&told.report, &here));
            if let Some(names) = &mut missing {
                names.extend(told.report.violations.iter().filter_map(|violation| violation.name.clone()));
            }
            match &best {
                Some((least, _)) if *least < score => {}
                Some((least, _)) if *least == score => tie = true,
                _ => {
                    best = Some((score, told));
                    tie = false;
                }
            }
        }
        if self.abort_reason.is_some() {
            return;
        }
        match (types, best) {
            (Some(types), _) => messages::report_types(self, types, rule, target, sink),
            (None, Some((_, told))) if !tie => messages::report_nearest(told, branches.len(), sink),
            _ => match missing {
                Some(names) if !names.is_empty() => messages::report_missing(self, names, target, sink),
                _ => messages::report_no_branch(self, branches.len(), rule, target, sink),
            },
        }
    }

    fn branch(
        &mut self,
        condition: usize,
        [then, otherwise]: [Option<usize>; 2],
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
        own: &mut EvaluatedChildren,
    ) -> Validity {
        match self.try_branch(condition, target, own) {
            Validity::Yes => then.map_or(Validity::Yes, |then| self.apply_here(then, target, sink, own)),
            Validity::No => {
                otherwise.map_or(Validity::Yes, |otherwise| self.apply_here(otherwise, target, sink, own))
            }
            Validity::Maybe => {
                let mut either = |branch: Option<usize>| {
                    let mut seen = vec![Validity::No; own.len()];
                    let validity =
                        branch.map_or(Validity::Yes, |branch| self.try_branch(branch, target, &mut seen));
                    merge(own, &seen, Validity::Maybe);
                    validity
                };
                let (a, b) = (either(then), either(otherwise));
                // If both branches are invalid, report `then`.
                match then.filter(|_| a.max(b) == Validity::No && !sink.quiet) {
                    Some(then) => self.apply_here(then, target, sink, &mut Vec::new()),
                    None if a == b => a,
                    None => Validity::Maybe,
                }
            }
        }
    }

    fn properties(
        &mut self,
        properties: &Properties,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
        own: &mut EvaluatedChildren,
    ) -> Validity {
        let mut validity = Validity::Yes;
        for (index, (step, value)) in target.value.children().enumerate() {
            // Unknown beyond the budget.
            if !self.consume_budget(1) {
                return Validity::Maybe;
            }
            let name = key_of(step);
            let mut matched = Validity::No;
            if let Some(schema) = properties.named.get(name) {
                validity = validity.min(self.child(*schema, target, step, value, sink));
                matched = Validity::Yes;
            }
            for (pattern, schema) in &properties.patterns {
                let matches = self.matches(pattern, name);
                if self.abort_reason.is_some() {
                    return Validity::Maybe;
                }
                let found = match matches {
                    Validity::Yes => self.child(*schema, target, step, value, sink),
                    Validity::No => Validity::Yes,
                    Validity::Maybe => {
                        self.child(*schema, target, step, value, &mut quiet_sink()).max(Validity::Maybe)
                    }
                };
                matched = matched.max(matches);
                validity = validity.min(found);
            }
            if let Some(rest) = properties.additional {
                let found = match matched {
                    Validity::Yes => Validity::Yes,
                    Validity::No => {
                        self.additional(rest, "additionalProperties", target, (step, value), sink)
                    }
                    Validity::Maybe => {
                        self.child(rest, target, step, value, &mut quiet_sink()).max(Validity::Maybe)
                    }
                };
                validity = validity.min(found);
                matched = Validity::Yes;
            }
            mark_evaluated(own, index, matched);
        }
        validity
    }

    /// For an entry or item that no other rule covers.
    fn additional(
        &mut self,
        rest: usize,
        keyword: &'static str,
        target: RuleTarget<'_>,
        (step, value): (Step<'_>, View<'_>),
        sink: &mut ViolationSink,
    ) -> Validity {
        let never = self.schema.nodes.get(rest).is_some_and(|node| matches!(*node.rules, [Rule::Never]));
        if !never || matches!(step, Step::Index(_)) {
            return self.child(rest, target, step, value, sink);
        }
        if !sink.quiet {
            messages::report_undeclared(self, key_of(step), keyword, target, sink);
        }
        Validity::No
    }

    fn property_names(
        &mut self,
        schema: usize,
        rule: &Rule,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
    ) -> Validity {
        let mut validity = Validity::Yes;
        for (step, _) in target.value.children() {
            let name = key_of(step);
            let this = self.child(schema, target, step, View::Name(name), &mut quiet_sink());
            if this == Validity::No && !sink.quiet && self.abort_reason.is_none() {
                messages::report_name(self, name, rule, target, sink);
            }
            validity = validity.min(this);
        }
        validity
    }

    /// Counts certainly and possibly valid items.
    fn count_matching(
        &mut self,
        schema: usize,
        target: RuleTarget<'_>,
        own: &mut EvaluatedChildren,
    ) -> (u64, u64) {
        let (mut sure, mut possible) = (0, 0);
        for (index, (step, value)) in target.value.children().enumerate() {
            let validity = self.child(schema, target, step, value, &mut quiet_sink());
            sure += u64::from(validity == Validity::Yes);
            possible += u64::from(validity != Validity::No);
            mark_evaluated(own, index, validity);
        }
        (sure, possible)
    }

    fn unevaluated(
        &mut self,
        schema: usize,
        rule: &Rule,
        target: RuleTarget<'_>,
        sink: &mut ViolationSink,
        own: &mut EvaluatedChildren,
    ) -> Validity {
        let mut validity = Validity::Yes;
        for (index, child) in target.value.children().enumerate() {
            if !self.consume_budget(1) {
                return Validity::Maybe;
            }
            let found = match own.get(index) {
                Some(Validity::Yes) => Validity::Yes,
                Some(Validity::Maybe) => {
                    self.child(schema, target, child.0, child.1, &mut quiet_sink()).max(Validity::Maybe)
                }
                _ => self.additional(schema, rule.keyword(), target, child, sink),
            };
            validity = validity.min(found);
            mark_evaluated(own, index, Validity::Yes);
        }
        validity
    }
}

fn quiet_sink() -> ViolationSink {
    ViolationSink { quiet: true, ..ViolationSink::default() }
}

fn mark_evaluated(seen: &mut EvaluatedChildren, index: usize, validity: Validity) {
    if let Some(seen) = seen.get_mut(index) {
        *seen = (*seen).max(validity);
    }
}
