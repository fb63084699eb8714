//! Decides statically when a condition always or never holds, implies another, or proves outputs, and only if certain.

use stepgraph_expression::condition::Expression;
use stepgraph_expression::{Atom, Computed, Condition, Literal, Logic, Predicate, Reference, Root};
use stepgraph_text::collect::CollectVec;
use stepgraph_text::interner::NameTable;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureFact {
    Present,
    Absent,
    Unknown,
}

/// A fallback has no constant value.
pub(super) fn static_value(condition: &Condition, failure: FailureFact) -> Option<bool> {
    match condition {
        Condition::Fallback | Condition::Unreadable => None,
        Condition::Expression(expression) => static_expr_value(&expression.root, expression, failure),
    }
}

fn static_expr_value(expr: &Logic, whole: &Expression, failure: FailureFact) -> Option<bool> {
    let decided_by = |parts: &[Logic], value: bool| {
        let mut all = true;
        for part in parts {
            match static_expr_value(part, whole, failure) {
                Some(found) if found == value => return Some(value),
                found => all &= found.is_some(),
            }
        }
        all.then_some(!value)
    };
    match expr {
        Logic::Not(inner) => static_expr_value(inner, whole, failure).map(|truth| !truth),
        Logic::All(parts) if contradicts(parts, whole) => Some(false),
        Logic::All(parts) => decided_by(parts, false),
        Logic::Any(parts) => decided_by(parts, true),
        Logic::Atom(index) => {
            let atom = whole.atoms.get(*index)?;
            match failure {
                FailureFact::Absent if atom.reference.root == Root::Error => Some(false),
                FailureFact::Present if atom.reference.root == Root::Error => {
                    (atom.reference.path.is_empty() && atom.predicate == Predicate::Exists).then_some(true)
                }
                _ => None,
            }
        }
        Logic::Computed(index) => {
            let mut references = whole.computed.get(*index)?.references.iter();
            let needs_error = references.any(|it| it.needed_to_hold && it.reference.root == Root::Error);
            (needs_error && failure == FailureFact::Absent).then_some(false)
        }
    }
}

fn contradicts(parts: &[Logic], whole: &Expression) -> bool {
    let mut all = Vec::new();
    flatten(parts, &mut all);
    let keys: NameTable = all.iter().map(|part| expr_key(part, whole)).collect();
    let (mut compared, mut words) = (NameTable::default(), Vec::new());
    let (mut ordered, mut bounds) = (NameTable::default(), Vec::new());
    all.iter().any(|part| match part {
        Logic::Not(inner) => keys.contains(&expr_key(inner, whole)),
        Logic::Atom(index) => whole.atoms.get(*index).is_some_and(|atom| match &atom.predicate {
            Predicate::Equals(literal) if is_text_literal(literal) => {
                let number = compared.intern(atom.reference.to_string()) as usize;
                if words.len() <= number {
                    words.push(literal);
                }
                words.get(number).is_some_and(|first| first.text != literal.text)
            }
            Predicate::Differs(literal) => keys.contains(&equality_key(&atom.reference, literal)),
            test => numeric_bound(test).is_some_and(|(bound, is_least)| {
                let number = ordered.intern(atom.reference.to_string()) as usize;
                if bounds.len() <= number {
                    bounds.push((f64::NEG_INFINITY, f64::INFINITY));
                }
                bounds.get_mut(number).is_some_and(|(least, most): &mut (f64, f64)| {
                    if is_least {
                        *least = least.max(bound);
                    } else {
                        *most = most.min(bound);
                    }
                    least > most
                })
            }),
        }),
        _ => false,
    })
}

fn flatten<'e>(parts: &'e [Logic], all: &mut Vec<&'e Logic>) {
    for part in parts {
        match part {
            Logic::All(parts) => flatten(parts, all),
            part => all.push(part),
        }
    }
}

fn numeric_bound(test: &Predicate) -> Option<(f64, bool)> {
    match test {
        Predicate::Greater(number) | Predicate::AtLeast(number) => Some((*number, true)),
        Predicate::Less(number) | Predicate::AtMost(number) => Some((*number, false)),
        _ => None,
    }
}

/// Such a literal equals only the same text.
fn is_text_literal(literal: &Literal) -> bool {
    literal.text.starts_with(char::is_alphabetic)
}

/// With the same key for `x == low` and `x == "low"`.
fn equality_key(reference: &Reference, literal: &Literal) -> String {
    let is_word = literal.quoted && is_text_literal(literal);
    if is_word && !matches!(literal.text.as_str(), "true" | "false" | "null") {
        return format!("{reference} == {}", literal.text);
    }
    format!("{reference} == {literal:#}")
}

fn expr_key(expr: &Logic, whole: &Expression) -> String {
    let joined = |parts: &[Logic], joint: &str| {
        let parts: Vec<String> = parts.iter().map(|part| expr_key(part, whole)).collect_vec();
        format!("({})", parts.join(joint))
    };
    match expr {
        Logic::Atom(index) => {
            whole.atoms.get(*index).map_or_else(String::new, |atom| match &atom.predicate {
                Predicate::Equals(literal) => equality_key(&atom.reference, literal),
                _ => format!("{atom:#}"),
            })
        }
        Logic::Computed(index) => {
            whole.computed.get(*index).map_or_else(String::new, |it| it.ast.to_string())
        }
        Logic::Not(inner) => format!("!({})", expr_key(inner, whole)),
        Logic::All(parts) => joined(parts, " && "),
        Logic::Any(parts) => joined(parts, " || "),
    }
}

/// If one holds, later edges are not taken.
#[derive(Debug, Default)]
pub(super) struct EarlierConditions {
    held: NameTable,
    edges: Vec<usize>,
    /// The widest order of each key that is the side of one.
    limits: Vec<Limit>,
    has_orders: bool,
}

/// Of an order with a number. Negative for `<` and `<=`, so that less is wider.
#[derive(Debug, Clone, Copy, Default)]
struct Limit {
    number: f64,
    is_excluded: bool,
}

impl Limit {
    /// Whether an order with this limit holds if one with the other does.
    fn covers(self, other: Self) -> bool {
        self.number < other.number || self.number <= other.number && (other.is_excluded || !self.is_excluded)
    }
}

/// The side of an order, as in `last.n >`, and its limit.
fn order(part: &Logic, whole: &Expression) -> Option<(String, Limit)> {
    let Logic::Atom(index) = part else { return None };
    let atom = whole.atoms.get(*index)?;
    let (number, is_least) = numeric_bound(&atom.predicate)?;
    let is_excluded = matches!(atom.predicate, Predicate::Greater(_) | Predicate::Less(_));
    let (sign, number) = if is_least { (">", number) } else { ("<", -number) };
    Some((format!("{} {sign}", atom.reference), Limit { number, is_excluded }))
}

impl EarlierConditions {
    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Returns whether the condition holds whenever the earlier ones don't.
    pub(super) fn add(&mut self, condition: &Condition, edge: usize) -> bool {
        let Condition::Expression(expression) = condition else { return false };
        let parts = match &expression.root {
            Logic::Any(parts) => parts.as_slice(),
            root => std::slice::from_ref(root),
        };
        let mut all = false;
        for part in parts {
            let own = expr_key(part, expression);
            let opposite = match part {
                Logic::Not(inner) => expr_key(inner, expression),
                _ => format!("!({own})"),
            };
            all |= self.held.contains(&opposite);
            self.intern(own, Limit::default(), edge);
            if let Some((side, limit)) = order(part, expression) {
                self.has_orders = true;
                self.intern(side, limit, edge);
            }
        }
        all
    }

    /// Keeps the first edge, or that with the wider limit.
    fn intern(&mut self, key: String, limit: Limit, edge: usize) {
        let number = self.held.intern(key) as usize;
        match self.limits.get_mut(number) {
            Some(known) if known.covers(limit) => {}
            Some(known) => {
                *known = limit;
                if let Some(known) = self.edges.get_mut(number) {
                    *known = edge;
                }
            }
            None => {
                self.limits.push(limit);
                self.edges.push(edge);
            }
        }
    }

    /// The edge of an earlier order that holds whenever this part does: `last.n > 10` before `last.n > 100` or
    /// `last.n == 50`.
    fn wider_order(&self, expr: &Logic, whole: &Expression) -> Option<usize> {
        if !self.has_orders {
            return None;
        }
        if let Some((side, limit)) = order(expr, whole) {
            return self.covering(&side, limit);
        }
        let Logic::Atom(index) = expr else { return None };
        let Atom { reference, predicate: Predicate::Equals(literal), .. } = whole.atoms.get(*index)? else {
            return None;
        };
        let number = literal.number.filter(|_| !literal.quoted)?;
        let limit = |number| Limit { number, is_excluded: false };
        let above = self.covering(&format!("{reference} >"), limit(number));
        above.or_else(|| self.covering(&format!("{reference} <"), limit(-number)))
    }

    fn covering(&self, side: &str, limit: Limit) -> Option<usize> {
        let number = self.held.get(side)? as usize;
        self.limits.get(number)?.covers(limit).then(|| self.edges.get(number).copied())?
    }

    pub(super) fn subsumed_by(&self, condition: &Condition) -> Option<usize> {
        match condition {
            Condition::Expression(expression) if !self.edges.is_empty() => {
                self.holds(&expression.root, expression)
            }
            _ => None,
        }
    }

    fn edge(&self, key: &str) -> Option<usize> {
        self.edges.get(self.held.get(key)? as usize).copied()
    }

    fn holds(&self, expr: &Logic, whole: &Expression) -> Option<usize> {
        let own = self.edge(&expr_key(expr, whole));
        own.or_else(|| match expr {
            Logic::All(parts) => parts.iter().find_map(|part| self.holds(part, whole)),
            Logic::Any(parts) => {
                let edges: Option<Vec<usize>> = parts.iter().map(|part| self.holds(part, whole)).collect();
                edges.and_then(|edges| edges.into_iter().max())
            }
            // A compared value exists.
            Logic::Atom(index) => {
                let wider = self.wider_order(expr, whole);
                if wider.is_some() {
                    return wider;
                }
                let mut reference = whole.atoms.get(*index)?.reference.clone();
                loop {
                    let found = self.edge(&format!("{reference}.exists"));
                    if found.is_some() || reference.path.pop().is_none() {
                        return found;
                    }
                }
            }
            Logic::Computed(_) | Logic::Not(_) => None,
        })
    }
}

pub(super) fn implied_outputs(condition: &Condition, holds: bool) -> Vec<&str> {
    match condition {
        Condition::Fallback | Condition::Unreadable => Vec::new(),
        Condition::Expression(expression) if !references_output(expression) => Vec::new(),
        Condition::Expression(expression) => implied_by_expr(&expression.root, expression, holds),
    }
}

fn references_output(whole: &Expression) -> bool {
    let computed = whole.computed.iter().flat_map(|part| &part.references);
    let mut roots =
        whole.atoms.iter().map(|atom| &atom.reference.root).chain(computed.map(|it| &it.reference.root));
    roots.any(|root| matches!(root, Root::Output(_)))
}

fn implied_by_expr<'e>(expr: &Logic, whole: &'e Expression, holds: bool) -> Vec<&'e str> {
    let (parts, every) = match expr {
        Logic::Atom(index) => {
            let root = whole.atoms.get(*index).map(|atom| &atom.reference.root);
            return match root {
                Some(Root::Output(name)) if holds => vec![name.as_str()],
                _ => Vec::new(),
            };
        }
        Logic::Computed(index) => return implied_by_computed(whole.computed.get(*index), holds),
        Logic::Not(inner) => return implied_by_expr(inner, whole, !holds),
        Logic::All(parts) => (parts, holds),
        Logic::Any(parts) => (parts, !holds),
    };
    let mut lists = parts.iter().map(|part| implied_by_expr(part, whole, holds));
    if every {
        return lists.flatten().collect_vec();
    }
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |common, list| common.into_iter().filter(|name| list.contains(name)).collect_vec())
}

/// The outputs that a computed part needs to hold.
fn implied_by_computed(computed: Option<&Computed>, holds: bool) -> Vec<&str> {
    let found = computed.filter(|_| holds).into_iter().flat_map(|part| &part.references);
    let needed = found.filter(|it| it.needed_to_hold);
    needed
        .filter_map(|it| match &it.reference.root {
            Root::Output(name) => Some(name.as_str()),
            _ => None,
        })
        .collect_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Condition {
        Condition::parse(text).expect("a condition")
    }

    #[test]
    fn what_is_sure() {
        for (text, failed, done) in [
            ("error.exists", Some(true), Some(false)),
            ("!error.exists", Some(false), Some(true)),
            ("error.code==x", None, Some(false)),
            ("error.code==x || last==y", None, None),
            ("error.code==x && last==y", None, Some(false)),
            ("error.exists || last==y", Some(true), None),
            ("last==a && last==b", Some(false), Some(false)),
            ("last==1 && last==1.0", None, None),
            ("(last==a && output.x==1) && last==b", Some(false), Some(false)),
            ("last>5 && last<3", Some(false), Some(false)),
            ("last>5 && last<6 && output.x<3", None, None),
            ("last>=5 && last<=5", None, None),
            ("last==a && !last==a", Some(false), Some(false)),
            ("last==a && last!=a", Some(false), Some(false)),
            ("last==a && output.x==b", None, None),
        ] {
            assert_eq!(static_value(&read(text), FailureFact::Present), failed, "{text}");
            assert_eq!(static_value(&read(text), FailureFact::Absent), done, "{text}");
            assert_eq!(
                static_value(&read(text), FailureFact::Unknown).is_some(),
                failed.is_some() && failed == done,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_covered() {
        for (before, text, covered) in [
            ("last==a", "last == a", true),
            ("last==a || last==b", "last==b", true),
            ("last==b", "last==a || last==b", false),
            ("last==b || last==c", "last==c || last==b", true),
            ("last==a", "last==a && last.x==1", true),
            ("last.x.exists", "last.x.y==1", true),
            ("last.x.exists", "last.xy==1", false),
            ("last.x.exists", "!last.x==1", false),
            ("!last==a", "!last==a", true),
            ("last.n > 10", "last.n > 100", true),
            ("last.n > 10", "last.n >= 10", false),
            ("last.n >= 10", "last.n > 10", true),
            ("last.n > 10", "last.n >= 11 && last.x==1", true),
            ("last.n < 10 || last.n > 90", "last.n < 5", true),
            ("last.n < 10 || last.n > 90", "last.n > 95 || last.n <= 9", true),
            ("last.n < 10", "last.n > 5", false),
            ("last.n < 10", "last.m < 5", false),
            ("last.n < 10 && last.x==1", "last.n < 5", false),
            ("last.n < 5", "last.n < 10", false),
            ("last.n > 5", "last.n == 7", true),
            ("last.n > 5", "last.n == 5", false),
            ("last.n <= 5", "last.n == 5", true),
            ("last.n <= 5", "last.n == \"5\"", false),
            ("last == \"a\"", "last == a", true),
            ("last == \"true\"", "last == true", false),
        ] {
            let mut held = EarlierConditions::default();
            held.add(&read(before), 3);
            assert_eq!(held.subsumed_by(&read(text)), covered.then_some(3), "{before}, {text}");
        }
        let mut both = EarlierConditions::default();
        assert!(!both.add(&read("last==a"), 0) && both.add(&read("!(last==a)"), 1));
    }

    #[test]
    fn what_is_proved() {
        for (text, holds, fails) in [
            ("output.a.x==1", "a", ""),
            ("!output.a.exists", "", "a"),
            ("output.a.exists && output.b!=2", "a b", ""),
            ("output.a.exists || output.b==2", "", ""),
            ("output.a==1 || output.a==2 && last==x", "a", ""),
            ("!(output.a.exists && output.b.exists)", "", "a b"),
            ("!output.a.exists || !output.b.exists", "", "a b"),
            ("last==x", "", ""),
        ] {
            assert_eq!(implied_outputs(&read(text), true).join(" "), holds, "{text}");
            assert_eq!(implied_outputs(&read(text), false).join(" "), fails, "{text}");
        }
    }
}
