//! Fuzzy search. Characters match in order with gaps. Word starts and runs score higher. Case, accents and word order
//! don't matter.
//!
//! Invariants: 1. an empty query matches all texts equally. 2. linear time per word.

use crate::scene::SceneNode;
use std::collections::HashMap;
use stepgraph_core::graph::{PlanGraph, scoped_name};

/// `None` without a match.
///
/// # Example
/// ```
/// use stepgraph_playground::search::score;
/// assert!(score("an", "Add node") > score("an", "Align nodes") && score("zz", "Add node").is_none());
/// assert!(score("nodo accion", "Acción sobre el nodo").is_some());
/// ```
pub fn score(query: &str, text: &str) -> Option<u32> {
    let letters: Vec<char> = text.chars().map(fold_letter).collect();
    query.split_whitespace().try_fold(1_u32, |total, word| {
        let word: Vec<char> = word.chars().map(fold_letter).collect();
        Some(total.saturating_add(word_score(&word, &letters)?))
    })
}

/// Tries up to eight word starts and the first match.
fn word_score(word: &[char], text: &[char]) -> Option<u32> {
    let first = word.first()?;
    let starts = (0..text.len()).filter(|at| text.get(*at) == Some(first));
    let only_choice = starts.clone().next();
    let starts = starts.filter(|at| is_word_start(text, *at)).take(8);
    starts.chain(only_choice).filter_map(|at| score_from(word, text, at)).max()
}

fn score_from(word: &[char], text: &[char], start: usize) -> Option<u32> {
    let (mut at, mut points, mut after) = (start, 0, None);
    for c in word {
        let found = at + text.get(at..)?.iter().position(|other| other == c)?;
        points += if found == 0 {
            12
        } else if is_word_start(text, found) {
            8
        } else {
            1
        };
        points += if after == Some(found) { 6 } else { 0 };
        after = Some(found + 1);
        at = found + 1;
    }
    // Shorter texts win.
    let whole = if word.len() == text.len() { 20 } else { 0 };
    let short = u32::try_from(text.len()).map_or(0, |length| 8 - length.min(64) / 8);
    Some(points * 8 + whole + short)
}

fn is_word_start(text: &[char], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.get(before)).is_none_or(|before| !before.is_alphanumeric())
}

/// Lower case, without accents.
fn fold_letter(c: char) -> char {
    let small = c.to_lowercase().next().unwrap_or(c);
    match small {
        'á' | 'à' | 'ä' | 'â' => 'a',
        'é' | 'è' | 'ë' | 'ê' => 'e',
        'í' | 'ì' | 'ï' | 'î' => 'i',
        'ó' | 'ò' | 'ö' | 'ô' => 'o',
        'ú' | 'ù' | 'ü' | 'û' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        other => other,
    }
}

/// Best first. Equal scores keep their order.
pub fn ranked<T: AsRef<str>>(query: &str, texts: impl IntoIterator<Item = T>, max: usize) -> Vec<usize> {
    let fitting =
        texts.into_iter().enumerate().filter_map(|(at, text)| Some((score(query, text.as_ref())?, at)));
    best(fitting.collect(), max)
}

fn best(mut found: Vec<(u32, usize)>, max: usize) -> Vec<usize> {
    found.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    found.truncate(max);
    found.into_iter().map(|(_, at)| at).collect()
}

/// Searches key, title, type or tool, then settings.
pub fn nodes(query: &str, nodes: &[SceneNode], plan: Option<&PlanGraph>, max: usize) -> Vec<usize> {
    let named = |node: &SceneNode| {
        let names =
            score(query, &node.key).max(score(query, &node.title)).map(|score| score.saturating_add(8));
        names
            .max(score(query, &format!("{} {} {}", node.key, node.title, node.subtitle)))
            .max(score(query, &node.kind))
    };
    let mut found: Vec<(u32, usize)> = Vec::new();
    let mut unnamed: HashMap<String, usize> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        match named(node) {
            Some(score) => found.push((score.saturating_add(8), at)),
            None => {
                unnamed.insert(node.node_path(), at);
            }
        }
    }
    if let Some(plan) = plan.filter(|_| query.trim().chars().count() > 1 && found.len() < max) {
        let hits = nodes_containing(query, plan).filter_map(|node_path| unnamed.get(&node_path));
        // Nested nodes are more specific.
        let depth = |at: usize| nodes.get(at).map_or(0, |node| node.scope.matches('/').count().min(7));
        found.extend(hits.map(|at| (u32::try_from(depth(*at)).unwrap_or_default(), *at)));
    }
    best(found, max)
}

/// Searches the source.
fn nodes_containing(query: &str, plan: &PlanGraph) -> impl Iterator<Item = String> {
    let query: String = query.trim().chars().map(fold_letter).collect();
    let mut found = Vec::new();
    for graph in plan.graphs() {
        let entries =
            plan.graph_map(graph).and_then(|map| map.get("nodes")).and_then(|nodes| nodes.value.as_map());
        for entry in entries.unwrap_or_default() {
            let text = plan.source().get(entry.value.span.start..entry.value.span.end).unwrap_or_default();
            if text.chars().map(fold_letter).collect::<String>().contains(&query) {
                found.push(scoped_name(&graph.scope, &entry.key));
            }
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests;
