//! Adds conditions to back edges of endless loops, which plans must not contain. Linear, without recursion.

use std::collections::HashSet;

#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) condition: Option<String>,
}

const LOOP_CONDITION: &str = "last == \"again\"";

pub(super) fn is_unconditional(edge: &Edge) -> bool {
    edge.condition.as_deref().is_none_or(|text| matches!(text.trim(), "" | "default" | "always"))
}

/// Returns the indexes of changed edges. If a fallback edge gets a condition, runs take the next one, which may
/// be a back edge too. So the second pass counts all fallback edges as feasible.
pub(super) fn break_endless_loops(count: usize, start: usize, edges: &mut [Edge]) -> Vec<usize> {
    let mut changed = Vec::new();
    for all in [false, true] {
        let (out, ends) = reachability(count, edges, all);
        let closing = back_edges(start, &out, edges, &ends);
        for at in &closing {
            if let Some(edge) = edges.get_mut(*at) {
                edge.condition = Some(LOOP_CONDITION.to_owned());
            }
        }
        let done = closing.is_empty();
        changed.extend(closing);
        if done {
            break;
        }
    }
    changed
}

/// Feasible edges by source, and whether each node can reach an end. `all` counts every fallback edge.
fn reachability(count: usize, edges: &[Edge], all: bool) -> (Vec<Vec<usize>>, Vec<bool>) {
    let mut free = vec![false; count];
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut asked: HashSet<(usize, &str)> = HashSet::new();
    for (at, edge) in edges.iter().enumerate() {
        // A run takes only the first of equal conditions, and of fallback edges.
        let taken = match edge.condition.as_deref().filter(|_| !is_unconditional(edge)) {
            Some(condition) => asked.insert((edge.from, condition.trim())),
            None => free.get(edge.from) == Some(&false),
        };
        if is_unconditional(edge) {
            free.get_mut(edge.from).into_iter().for_each(|free| *free = true);
        }
        if taken {
            back.get_mut(edge.to).into_iter().for_each(|list| list.push(edge.from));
        }
        if taken || all && is_unconditional(edge) {
            out.get_mut(edge.from).into_iter().for_each(|list| list.push(at));
        }
    }
    let mut ends: Vec<bool> = free.iter().map(|free| !free).collect();
    let mut open: Vec<usize> = (0..count).filter(|node| ends.get(*node) == Some(&true)).collect();
    while let Some(node) = open.pop() {
        for before in back.get(node).into_iter().flatten() {
            if ends.get(*before) == Some(&false) {
                ends.get_mut(*before).into_iter().for_each(|ends| *ends = true);
                open.push(*before);
            }
        }
    }
    (out, ends)
}

fn back_edges(start: usize, out: &[Vec<usize>], edges: &[Edge], ends: &[bool]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut seen = vec![false; out.len()];
    let mut on_way = vec![false; out.len()];
    let set = |list: &mut Vec<bool>, at: usize, value: bool| {
        list.get_mut(at).into_iter().for_each(|entry| *entry = value);
    };
    for first in std::iter::once(start).chain(0..out.len()) {
        if seen.get(first) != Some(&false) {
            continue;
        }
        set(&mut seen, first, true);
        set(&mut on_way, first, true);
        let mut stack = vec![(first, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let edge = out.get(*node).and_then(|list| list.get(*next)).copied();
            *next += 1;
            let Some((at, to)) = edge.and_then(|at| Some((at, edges.get(at)?.to))) else {
                set(&mut on_way, *node, false);
                stack.pop();
                continue;
            };
            if on_way.get(to) == Some(&true) {
                if ends.get(*node) == Some(&false) && edges.get(at).is_some_and(is_unconditional) {
                    found.push(at);
                }
            } else if seen.get(to) == Some(&false) {
                set(&mut seen, to, true);
                set(&mut on_way, to, true);
                stack.push((to, 0));
            }
        }
    }
    found.sort_unstable();
    found
}
