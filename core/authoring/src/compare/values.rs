//! Reports the deepest paths that differ. Lists of different length are compared without their common prefix
//! and suffix.

use std::collections::HashMap;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::source::{Entry, Spanned, ValueKind};
use stepgraph_core::value::Segment;

#[derive(Debug)]
pub(super) struct Difference<'a> {
    pub(super) path: Vec<Segment>,
    pub(super) before: Option<&'a Spanned>,
    pub(super) after: Option<&'a Spanned>,
}

impl Difference<'_> {
    pub(super) fn before_span(&self) -> Option<Span> {
        self.before.map(|value| value.span)
    }

    pub(super) fn after_span(&self) -> Option<Span> {
        self.after.map(|value| value.span)
    }
}

/// Whether different texts mean the same.
pub(super) type SameText<'f> = &'f dyn Fn(&str, &str) -> bool;

pub(super) fn differences<'a>(
    path: &mut Vec<Segment>,
    before: Option<&'a Spanned>,
    after: Option<&'a Spanned>,
    same: SameText<'_>,
    found: &mut Vec<Difference<'a>>,
) {
    match (before, after) {
        (None, None) => {}
        (Some(a), Some(b)) => match (&a.kind, &b.kind) {
            (ValueKind::Map(old), ValueKind::Map(new)) => compare_maps(path, old, new, same, found),
            (ValueKind::List(old), ValueKind::List(new)) => compare_lists(path, old, new, same, found),
            _ if are_equal(a, b, same) => {}
            _ => found.push(Difference { path: path.clone(), before, after }),
        },
        _ => found.push(Difference { path: path.clone(), before, after }),
    }
}

fn compare_maps<'a>(
    path: &mut Vec<Segment>,
    old: &'a [Entry],
    new: &'a [Entry],
    same: SameText<'_>,
    found: &mut Vec<Difference<'a>>,
) {
    let before: HashMap<&str, &Spanned> =
        old.iter().map(|entry| (entry.key.as_str(), &entry.value)).collect();
    let after: HashMap<&str, &Spanned> = new.iter().map(|entry| (entry.key.as_str(), &entry.value)).collect();
    let gone = old.iter().filter(|entry| !after.contains_key(entry.key.as_str()));
    for entry in new.iter().chain(gone) {
        path.push(Segment::Key(entry.key.clone()));
        let (a, b) = (before.get(entry.key.as_str()).copied(), after.get(entry.key.as_str()).copied());
        differences(path, a, b, same, found);
        path.pop();
    }
}

fn compare_lists<'a>(
    path: &mut Vec<Segment>,
    old: &'a [Spanned],
    new: &'a [Spanned],
    same: SameText<'_>,
    found: &mut Vec<Difference<'a>>,
) {
    let head = if old.len() == new.len() {
        0
    } else {
        old.iter().zip(new).take_while(|(a, b)| are_equal(a, b, same)).count()
    };
    let most = old.len().min(new.len()) - head;
    let tail = if old.len() == new.len() {
        0
    } else {
        old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| are_equal(a, b, same)).count()
    };
    for at in head..old.len().max(new.len()) - tail {
        path.push(Segment::Index(at));
        let a = old.get(at).filter(|_| at < old.len() - tail);
        let b = new.get(at).filter(|_| at < new.len() - tail);
        differences(path, a, b, same, found);
        path.pop();
    }
}

pub(super) fn are_equal(a: &Spanned, b: &Spanned, same: SameText<'_>) -> bool {
    match (&a.kind, &b.kind) {
        (ValueKind::Null, ValueKind::Null) => true,
        (ValueKind::Bool(a), ValueKind::Bool(b)) => a == b,
        (ValueKind::Number(a), ValueKind::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            _ => a == b || a.as_f64() == b.as_f64(),
        },
        (ValueKind::Text(a), ValueKind::Text(b)) => same(a, b),
        (ValueKind::List(a), ValueKind::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_equal(a, b, same))
        }
        (ValueKind::Map(old), ValueKind::Map(new)) => {
            let after: HashMap<&str, &Spanned> =
                new.iter().map(|entry| (entry.key.as_str(), &entry.value)).collect();
            let found = |entry: &Entry| {
                after.get(entry.key.as_str()).is_some_and(|value| are_equal(&entry.value, value, same))
            };
            old.len() == new.len() && old.iter().all(found)
        }
        _ => false,
    }
}
