//! What is known of a condition before any run.
//!
//! Decides when one is sure to hold or not to, when one holds whenever another does, and which outputs are there when one
//! holds or does not. Says nothing where it can't be sure.

use stepgraph_text::expr::condition::Expression;
use stepgraph_text::expr::{Condition, Expr, Literal, Root, Test};
use stepgraph_text::list::List;
use stepgraph_text::names::Names;

/// What is known of a failure at hand when a condition is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// There is one.
    Here,
    /// There is none.
    None,
    /// Nobody knows.
    Unknown,
}

/// Whether a condition is sure to hold, or not to; fallbacks are no conditions.
pub(super) fn truth(condition: &Condition, failure: Failure) -> Option<bool> {
    match condition {
        Condition::Fallback | Condition::Unreadable => None,
        Condition::Test(expression) => of(&expression.root, expression, failure),
    }
}

fn of(expr: &Expr, whole: &Expression, failure: Failure) -> Option<bool> {
    // The same rule for both: one part may decide; else all must be known.
    let decided_by = |parts: &[Expr], value: bool| {
        let mut all = true;
        for part in parts {
            match of(part, whole, failure) {
                Some(found) if found == value => return Some(value),
                found => all &= found.is_some(),
            }
        }
        all.then_some(!value)
    };
    match expr {
        Expr::Not(inner) => of(inner, whole, failure).map(|truth| !truth),
        Expr::All(parts) if contradicts(parts, whole) => Some(false),
        Expr::All(parts) => decided_by(parts, false),
        Expr::Any(parts) => decided_by(parts, true),
        Expr::Atom(index) => {
            let atom = whole.atoms.get(*index)?;
            match failure {
                Failure::None if atom.reference.root == Root::Error => Some(false),
                Failure::Here if atom.reference.root == Root::Error => {
                    (atom.reference.path.is_empty() && atom.test == Test::Exists).then_some(true)
                }
                _ => None,
            }
        }
    }
}

/// Whether two of these can't hold together.
fn contradicts(parts: &[Expr], whole: &Expression) -> bool {
    let mut all = Vec::new();
    flatten(parts, &mut all);
    let keys: Names = all.iter().map(|part| key(part, whole)).collect();
    let (mut compared, mut words) = (Names::default(), Vec::new());
    let (mut ordered, mut bounds) = (Names::default(), Vec::new());
    all.iter().any(|part| match part {
        Expr::Not(inner) => keys.contains(&key(inner, whole)),
        Expr::Atom(index) => whole.atoms.get(*index).is_some_and(|atom| match &atom.test {
            Test::Equals(literal) if is_word(literal) => {
                let number = compared.number(atom.reference.to_string()) as usize;
                if words.len() <= number {
                    words.push(literal);
                }
                words.get(number).is_some_and(|first| first.text != literal.text)
            }
            Test::Differs(literal) => keys.contains(&format!("{} == {literal:#}", atom.reference)),
            test => bound(test).is_some_and(|(bound, is_least)| {
                let number = ordered.number(atom.reference.to_string()) as usize;
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

/// All that has to hold, with what stands in groups.
fn flatten<'e>(parts: &'e [Expr], all: &mut Vec<&'e Expr>) {
    for part in parts {
        match part {
            Expr::All(parts) => flatten(parts, all),
            part => all.push(part),
        }
    }
}

/// The number that a comparison bounds a value by, and whether from below.
fn bound(test: &Test) -> Option<(f64, bool)> {
    match test {
        Test::Greater(number) | Test::AtLeast(number) => Some((*number, true)),
        Test::Less(number) | Test::AtMost(number) => Some((*number, false)),
        _ => None,
    }
}

/// Whether a literal equals no text but its own, and nothing that another word equals.
fn is_word(literal: &Literal) -> bool {
    literal.text.starts_with(char::is_alphabetic)
}

/// An expression as text, the same for the same expression.
fn key(expr: &Expr, whole: &Expression) -> String {
    let joined = |parts: &[Expr], joint: &str| {
        let parts: Vec<String> = parts.iter().map(|part| key(part, whole)).list();
        format!("({})", parts.join(joint))
    };
    match expr {
        Expr::Atom(index) => whole.atoms.get(*index).map_or_else(String::new, |atom| format!("{atom:#}")),
        Expr::Not(inner) => format!("!({})", key(inner, whole)),
        Expr::All(parts) => joined(parts, " && "),
        Expr::Any(parts) => joined(parts, " || "),
    }
}

/// Conditions that were looked at before: where one of them holds, nothing after it is looked at.
#[derive(Debug, Default)]
pub(super) struct Before {
    held: Names,
    /// The edge of each of them.
    edges: Vec<usize>,
}

impl Before {
    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Adds the condition of an edge. Where it holds unless one before it did, the edge after which nothing is left.
    pub(super) fn add(&mut self, condition: &Condition, edge: usize) -> bool {
        let Condition::Test(expression) = condition else { return false };
        let parts = match &expression.root {
            Expr::Any(parts) => parts.as_slice(),
            root => std::slice::from_ref(root),
        };
        let mut all = false;
        for part in parts {
            let own = key(part, expression);
            let opposite = match part {
                Expr::Not(inner) => key(inner, expression),
                _ => format!("!({own})"),
            };
            all |= self.held.contains(&opposite);
            if self.held.number(own) as usize == self.edges.len() {
                self.edges.push(edge);
            }
        }
        all
    }

    /// The edge whose condition holds whenever this one does.
    pub(super) fn covers(&self, condition: &Condition) -> Option<usize> {
        match condition {
            Condition::Test(expression) if !self.edges.is_empty() => self.holds(&expression.root, expression),
            _ => None,
        }
    }

    fn edge(&self, key: &str) -> Option<usize> {
        self.edges.get(self.held.get(key)? as usize).copied()
    }

    fn holds(&self, expr: &Expr, whole: &Expression) -> Option<usize> {
        let own = self.edge(&key(expr, whole));
        own.or_else(|| match expr {
            Expr::All(parts) => parts.iter().find_map(|part| self.holds(part, whole)),
            Expr::Any(parts) => {
                let edges: Option<Vec<usize>> = parts.iter().map(|part| self.holds(part, whole)).collect();
                edges.and_then(|edges| edges.into_iter().max())
            }
            // What is compared is there.
            Expr::Atom(index) => {
                let mut reference = whole.atoms.get(*index)?.reference.clone();
                loop {
                    let found = self.edge(&format!("{reference}.exists"));
                    if found.is_some() || reference.path.pop().is_none() {
                        return found;
                    }
                }
            }
            Expr::Not(_) => None,
        })
    }
}

/// The outputs that are there when a condition turned out so.
pub(super) fn proves(condition: &Condition, holds: bool) -> Vec<&str> {
    match condition {
        Condition::Fallback | Condition::Unreadable => Vec::new(),
        Condition::Test(expression) if !mentions_output(expression) => Vec::new(),
        Condition::Test(expression) => shown(&expression.root, expression, holds),
    }
}

fn mentions_output(whole: &Expression) -> bool {
    whole.atoms.iter().any(|atom| matches!(atom.reference.root, Root::Output(_)))
}

fn shown<'e>(expr: &Expr, whole: &'e Expression, holds: bool) -> Vec<&'e str> {
    let (parts, every) = match expr {
        Expr::Atom(index) => {
            let root = whole.atoms.get(*index).map(|atom| &atom.reference.root);
            return match root {
                Some(Root::Output(name)) if holds => vec![name.as_str()],
                _ => Vec::new(),
            };
        }
        Expr::Not(inner) => return shown(inner, whole, !holds),
        Expr::All(parts) => (parts, holds),
        Expr::Any(parts) => (parts, !holds),
    };
    let mut lists = parts.iter().map(|part| shown(part, whole, holds));
    if every {
        return lists.flatten().list();
    }
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |common, list| common.into_iter().filter(|name| list.contains(name)).list())
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
            assert_eq!(truth(&read(text), Failure::Here), failed, "{text}");
            assert_eq!(truth(&read(text), Failure::None), done, "{text}");
            assert_eq!(
                truth(&read(text), Failure::Unknown).is_some(),
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
        ] {
            let mut held = Before::default();
            held.add(&read(before), 3);
            assert_eq!(held.covers(&read(text)), covered.then_some(3), "{before}, {text}");
        }
        let mut both = Before::default();
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
            assert_eq!(proves(&read(text), true).join(" "), holds, "{text}");
            assert_eq!(proves(&read(text), false).join(" "), fails, "{text}");
        }
    }
}
