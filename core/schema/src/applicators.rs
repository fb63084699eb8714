//! Rules that hold subschemas: which of them a value, or what part of it, must fit.
//!
//! Decides over branches, entries and items, and over what the rules before have looked at.
//!
//! Invariants:
//! 1. a branch that does not fit has looked at nothing;
//! 2. of several branches none of which fits the reader is told of the one that comes nearest.
//!
//! Source: JSON Schema 2020-12 Core, sections 10 and 11.

use super::instance::{Fit, Look, Place, Step, View};
use super::messages;
use super::rule::{Properties, Rule};
use super::validate::{At, Checking, Seen, Sink, key, merge};

impl Checking<'_> {
    /// What a rule that holds subschemas makes of the value; nothing for other rules.
    pub(super) fn apply(&mut self, rule: &Rule, at: At<'_>, sink: &mut Sink, own: &mut Seen) -> Option<Fit> {
        let look = at.value.look();
        Some(match (rule, look) {
            (Rule::Reference(target), _) => self.go(*target, at, sink, own),
            (Rule::Dynamic(anchor, first), _) => {
                self.spend(self.scope.len());
                self.go(self.named(anchor, *first), at, sink, own)
            }
            (Rule::All(branches), _) => {
                branches.iter().fold(Fit::Yes, |fit, branch| fit.min(self.go(*branch, at, sink, own)))
            }
            (Rule::Any(branches), _) => self.any(branches, rule, at, sink, own),
            (Rule::One(branches), _) => self.one(branches, rule, at, sink, own),
            (Rule::Not(schema), _) => {
                let fit = self.go(*schema, at, &mut quiet(), &mut Vec::new());
                self.told(fit.reversed(), rule, at, sink)
            }
            (Rule::If { condition, then, otherwise }, _) => {
                self.branch(*condition, [*then, *otherwise], at, sink, own)
            }
            (Rule::DependentSchema(key, schema), Look::Map) if at.value.has(key) => {
                self.go(*schema, at, sink, own)
            }
            (Rule::Properties(properties), Look::Map) => self.properties(properties, at, sink, own),
            (Rule::Names(schema), Look::Map) => self.names(*schema, rule, at, sink),
            (Rule::Items { prefix, rest }, Look::List) => {
                let mut fit = Fit::Yes;
                for (index, (step, value)) in at.value.children().enumerate() {
                    let Some(schema) = prefix.get(index).copied().or(*rest) else { break };
                    fit = fit.min(self.child(schema, at, step, value, sink));
                    look_at(own, index, Fit::Yes);
                }
                fit
            }
            (Rule::Contains { schema, least, most }, Look::List) => {
                let (sure, possible) = self.count(*schema, at, own);
                let most = most.unwrap_or(u64::MAX);
                let fit = if possible < *least || sure > most {
                    Fit::No
                } else {
                    Fit::when(sure >= *least && possible <= most).max(Fit::Maybe)
                };
                self.told(fit, rule, at, sink)
            }
            (Rule::Unevaluated { map: true, schema }, Look::Map)
            | (Rule::Unevaluated { map: false, schema }, Look::List) => {
                self.unevaluated(*schema, rule, at, sink, own)
            }
            _ => return None,
        })
    }

    /// The same value by another subschema.
    fn go(&mut self, node: usize, at: At<'_>, sink: &mut Sink, seen: &mut Seen) -> Fit {
        self.node(At { node, ..at }, sink, seen)
    }

    fn tried(&mut self, node: usize, at: At<'_>, seen: &mut Seen) -> Fit {
        self.go(node, at, &mut quiet(), seen)
    }

    /// A part of the value by a subschema.
    fn child(&mut self, node: usize, at: At<'_>, step: Step<'_>, value: View<'_>, sink: &mut Sink) -> Fit {
        let place = Place { above: Some(at.place), step };
        self.part(At { node, place: &place, value }, sink)
    }

    fn told(&mut self, fit: Fit, rule: &Rule, at: At<'_>, sink: &mut Sink) -> Fit {
        if fit == Fit::No && !sink.quiet && self.halted.is_none() {
            messages::tell(self, rule, at, sink);
        }
        fit
    }

    /// The outermost subschema of that dynamic name among the resources that led here.
    fn named(&self, anchor: &str, first: usize) -> usize {
        let rooms = self.scope.iter().filter_map(|room| self.schema.resources.get(*room));
        let mut named = rooms.flat_map(|room| &room.dynamic);
        named.find(|(name, _)| name == anchor).map_or(first, |(_, node)| *node)
    }

    fn any(&mut self, branches: &[usize], rule: &Rule, at: At<'_>, sink: &mut Sink, own: &mut Seen) -> Fit {
        let mut best = Fit::No;
        for branch in branches {
            best = best.max(self.tried(*branch, at, own));
            if best == Fit::Yes && !self.schema.tracks {
                break;
            }
        }
        if best == Fit::No && !sink.quiet {
            self.nearest(branches, rule, at, sink);
        }
        best
    }

    fn one(&mut self, branches: &[usize], rule: &Rule, at: At<'_>, sink: &mut Sink, own: &mut Seen) -> Fit {
        let (mut sure, mut possible) = (0, 0);
        for branch in branches {
            let fit = self.tried(*branch, at, own);
            sure += usize::from(fit == Fit::Yes);
            possible += usize::from(fit != Fit::No);
        }
        match (sure, possible) {
            (_, 0) => {
                if !sink.quiet {
                    self.nearest(branches, rule, at, sink);
                }
                Fit::No
            }
            (1, 1) => Fit::Yes,
            (0 | 1, _) => Fit::Maybe,
            _ => self.told(Fit::No, rule, at, sink),
        }
    }

    /// Tells of the branch that comes nearest, where one does.
    fn nearest(&mut self, branches: &[usize], rule: &Rule, at: At<'_>, sink: &mut Sink) {
        let here = at.place.pointer();
        let mut best: Option<((usize, usize), Sink)> = None;
        let mut tie = false;
        // The kinds that the branches expect, while kinds are all that is wrong.
        let mut kinds = Some(0);
        // What they miss, while that is all that is wrong.
        let mut missing = Some(Vec::new());
        for branch in branches {
            if self.halted.is_some() {
                return;
            }
            let mut told = Sink::default();
            self.go(*branch, at, &mut told, &mut Vec::new());
            let (score, expected) = messages::distance(&told.report, &here);
            let score = (score, messages::strangers(self, *branch, at));
            kinds = kinds.zip(expected).map(|(all, more)| all | more);
            missing = missing.filter(|_| messages::only_misses(&told.report, &here));
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
        if self.halted.is_some() {
            return;
        }
        match (kinds, best) {
            (Some(kinds), _) => messages::tell_kinds(self, kinds, rule, at, sink),
            (None, Some((_, told))) if !tie => messages::tell_nearest(told, branches.len(), sink),
            _ => match missing {
                Some(names) if !names.is_empty() => messages::tell_missing(self, names, at, sink),
                _ => messages::tell_none(self, branches.len(), rule, at, sink),
            },
        }
    }

    fn branch(
        &mut self,
        condition: usize,
        [then, otherwise]: [Option<usize>; 2],
        at: At<'_>,
        sink: &mut Sink,
        own: &mut Seen,
    ) -> Fit {
        match self.tried(condition, at, own) {
            Fit::Yes => then.map_or(Fit::Yes, |then| self.go(then, at, sink, own)),
            Fit::No => otherwise.map_or(Fit::Yes, |otherwise| self.go(otherwise, at, sink, own)),
            Fit::Maybe => {
                let mut either = |branch: Option<usize>| {
                    let mut seen = vec![Fit::No; own.len()];
                    let fit = branch.map_or(Fit::Yes, |branch| self.tried(branch, at, &mut seen));
                    merge(own, &seen, Fit::Maybe);
                    fit
                };
                let (a, b) = (either(then), either(otherwise));
                // What neither allows is told as what the first says.
                match then.filter(|_| a.max(b) == Fit::No && !sink.quiet) {
                    Some(then) => self.go(then, at, sink, &mut Vec::new()),
                    None if a == b => a,
                    None => Fit::Maybe,
                }
            }
        }
    }

    fn properties(&mut self, properties: &Properties, at: At<'_>, sink: &mut Sink, own: &mut Seen) -> Fit {
        let mut fit = Fit::Yes;
        for (index, (step, value)) in at.value.children().enumerate() {
            // What is left is not claimed anything of.
            if !self.spend(1) {
                return Fit::Maybe;
            }
            let name = key(step);
            let mut matched = Fit::No;
            if let Some(schema) = properties.named.get(name) {
                fit = fit.min(self.child(*schema, at, step, value, sink));
                matched = Fit::Yes;
            }
            for (pattern, schema) in &properties.patterns {
                let matches = self.matches(pattern, name);
                if self.halted.is_some() {
                    return Fit::Maybe;
                }
                let found = match matches {
                    Fit::Yes => self.child(*schema, at, step, value, sink),
                    Fit::No => Fit::Yes,
                    Fit::Maybe => self.child(*schema, at, step, value, &mut quiet()).max(Fit::Maybe),
                };
                matched = matched.max(matches);
                fit = fit.min(found);
            }
            if let Some(rest) = properties.rest {
                let found = match matched {
                    Fit::Yes => Fit::Yes,
                    Fit::No => self.surplus(rest, "additionalProperties", at, (step, value), sink),
                    Fit::Maybe => self.child(rest, at, step, value, &mut quiet()).max(Fit::Maybe),
                };
                fit = fit.min(found);
                matched = Fit::Yes;
            }
            look_at(own, index, matched);
        }
        fit
    }

    /// An entry or item that no other rule speaks of.
    fn surplus(
        &mut self,
        rest: usize,
        keyword: &'static str,
        at: At<'_>,
        (step, value): (Step<'_>, View<'_>),
        sink: &mut Sink,
    ) -> Fit {
        let never = self.schema.nodes.get(rest).is_some_and(|node| matches!(*node.rules, [Rule::Never]));
        if !never || matches!(step, Step::Index(_)) {
            return self.child(rest, at, step, value, sink);
        }
        if !sink.quiet {
            messages::tell_unknown(self, key(step), keyword, at, sink);
        }
        Fit::No
    }

    fn names(&mut self, schema: usize, rule: &Rule, at: At<'_>, sink: &mut Sink) -> Fit {
        let mut fit = Fit::Yes;
        for (step, _) in at.value.children() {
            let name = key(step);
            let this = self.child(schema, at, step, View::Name(name), &mut quiet());
            if this == Fit::No && !sink.quiet && self.halted.is_none() {
                messages::tell_name(self, name, rule, at, sink);
            }
            fit = fit.min(this);
        }
        fit
    }

    /// How many items certainly fit, and how many may.
    fn count(&mut self, schema: usize, at: At<'_>, own: &mut Seen) -> (u64, u64) {
        let (mut sure, mut possible) = (0, 0);
        for (index, (step, value)) in at.value.children().enumerate() {
            let fit = self.child(schema, at, step, value, &mut quiet());
            sure += u64::from(fit == Fit::Yes);
            possible += u64::from(fit != Fit::No);
            look_at(own, index, fit);
        }
        (sure, possible)
    }

    fn unevaluated(
        &mut self,
        schema: usize,
        rule: &Rule,
        at: At<'_>,
        sink: &mut Sink,
        own: &mut Seen,
    ) -> Fit {
        let mut fit = Fit::Yes;
        for (index, child) in at.value.children().enumerate() {
            if !self.spend(1) {
                return Fit::Maybe;
            }
            let found = match own.get(index) {
                Some(Fit::Yes) => Fit::Yes,
                Some(Fit::Maybe) => self.child(schema, at, child.0, child.1, &mut quiet()).max(Fit::Maybe),
                _ => self.surplus(schema, rule.keyword(), at, child, sink),
            };
            fit = fit.min(found);
            look_at(own, index, Fit::Yes);
        }
        fit
    }
}

fn quiet() -> Sink {
    Sink { quiet: true, ..Sink::default() }
}

fn look_at(seen: &mut Seen, index: usize, fit: Fit) {
    if let Some(seen) = seen.get_mut(index) {
        *seen = (*seen).max(fit);
    }
}
