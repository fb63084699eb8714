//! Functions of lists, as the lists extension of cel-go describes them.

use super::scalar::arithmetic;
use super::{Bool, Double, F, Int, List, Naive, Result, Text, double, equal, fault, position};
use std::cmp::Ordering;

pub(super) fn list(function: F, values: &[Naive]) -> Result {
    let List(items) = &values[0] else { return fault("type") };
    match function {
        F::Sum => {
            let Some((first, rest)) = items.split_first() else { return Ok(Int(0)) };
            if !matches!(first, Int(_) | Double(_)) {
                return fault("type");
            }
            rest.iter().try_fold(first.clone(), |sum, item| match item {
                Int(_) | Double(_) => arithmetic(F::Add, &sum, item),
                _ => fault("type"),
            })
        }
        F::Sort => sorted(items, items),
        F::Reverse => Ok(List(items.iter().rev().cloned().collect())),
        F::Distinct => {
            let mut kept: Vec<Naive> = Vec::new();
            for item in items {
                if !kept.iter().any(|known| equal(known, item)) {
                    kept.push(item.clone());
                }
            }
            Ok(List(kept))
        }
        F::Flatten => {
            let depth = values.get(1).map_or(Ok(1), position)?;
            let mut flat = Vec::new();
            flatten(items, depth, &mut flat);
            Ok(List(flat))
        }
        _ => {
            let (from, to) = (position(&values[1])?, position(&values[2])?);
            items.get(from..to).map_or(fault("out-of-range"), |part| Ok(List(part.to_vec())))
        }
    }
}

fn flatten(items: &[Naive], depth: usize, flat: &mut Vec<Naive>) {
    for item in items {
        match item {
            List(inner) if depth > 0 => flatten(inner, depth - 1, flat),
            other => flat.push(other.clone()),
        }
    }
}

/// Inserts each item after those that are not greater.
pub(super) fn sorted(items: &[Naive], keys: &[Naive]) -> Result {
    let kind = |key: &Naive| match key {
        Int(_) | Double(_) => Some(0),
        Text(_) => Some(1),
        Bool(_) => Some(2),
        _ => None,
    };
    if keys.iter().any(|key| kind(key).is_none() || kind(key) != kind(&keys[0])) {
        return fault("type");
    }
    let mut done: Vec<(Naive, Naive)> = Vec::new();
    for (item, key) in items.iter().zip(keys) {
        let at = done.iter().position(|(_, other)| compare(key, other).is_lt()).unwrap_or(done.len());
        done.insert(at, (item.clone(), key.clone()));
    }
    Ok(List(done.into_iter().map(|(item, _)| item).collect()))
}

fn compare(a: &Naive, b: &Naive) -> Ordering {
    match (a, b) {
        (Int(a), Int(b)) => a.cmp(b),
        (Text(a), Text(b)) => a.chars().cmp(b.chars()),
        (Bool(a), Bool(b)) => a.cmp(b),
        (a, b) => double(a).partial_cmp(&double(b)).unwrap(),
    }
}
