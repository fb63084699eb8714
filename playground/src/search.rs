//! Fuzzy search. Characters match in order with gaps. Word starts and runs score higher. Case, accents and word order
//! don't matter.
//!
//! Choices rank by where the query is: the name, words of the name, synonyms, the description. Letters that are scattered
//! over a name count only if nothing else matches, as for an abbreviation.
//!
//! Invariants: 1. an empty query matches all texts equally. 2. linear time per word.

use crate::scene::SceneNode;
use std::collections::HashMap;
use stepgraph_core::graph::{PlanGraph, scoped_name};
use stepgraph_core::sort;

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

/// A choice's texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchTexts<'a> {
    /// What the user sees first.
    pub name: &'a str,
    /// Other words for it.
    pub synonyms: &'a str,
    /// A description.
    pub about: &'a str,
}

/// Best first. Equal ranks keep their order.
pub fn ranked<'a>(query: &str, choices: impl IntoIterator<Item = SearchTexts<'a>>, max: usize) -> Vec<usize> {
    let choices = choices.into_iter().enumerate();
    let mut ranks: Vec<_> = choices.filter_map(|(at, texts)| Some((rank(query, texts)?, at))).collect();
    if ranks.iter().any(|((place, _), _)| *place > SCATTERED) {
        ranks.retain(|((place, _), _)| *place > SCATTERED);
    }
    best(ranks, max)
}

/// Recently used choices come first, the last one before the others.
pub fn recent_first<T>(mut choices: Vec<T>, recent: &[String], name: impl Fn(&T) -> &str) -> Vec<T> {
    let age = |choice: &T| recent.iter().position(|known| known == name(choice)).unwrap_or(usize::MAX);
    sort::sort_items(&mut choices, |a, b| age(a).cmp(&age(b)));
    choices
}

/// Place of a name with all letters in order, but not together.
const SCATTERED: u8 = 1;
/// Two letters are in the middle of many words.
const MIN_CHARS_INSIDE: usize = 3;

/// Higher is better: where the query is, then how well it fits there. `None` without a match.
fn rank(query: &str, texts: SearchTexts<'_>) -> Option<(u8, u32)> {
    let all = [texts.name, " ", texts.synonyms, " ", texts.about].concat();
    let anywhere = score(query, &all)?;
    let (typed, name) = (folded(query.trim()), folded(texts.name));
    if typed.is_empty() {
        return Some((SCATTERED, 0));
    }
    let (names, synonyms, about) = (words(&name), folded(texts.synonyms), folded(texts.about));
    let known: Vec<&str> = names.iter().copied().chain(words(&synonyms)).collect();
    let described: Vec<&str> = known.iter().copied().chain(words(&about)).collect();
    let typed_words = words(&typed);
    let are_all = |known: &[&str], is: fn(&str, &str) -> bool| {
        typed_words.iter().all(|typed| known.iter().any(|word| is(word, typed)))
    };
    let is_same = |word: &str, typed: &str| word == typed;
    let begins = |word: &str, typed: &str| word.starts_with(typed);
    let place = if name == typed {
        8
    } else if name.starts_with(&typed) {
        7
    } else if are_all(&names, begins) {
        6
    } else if name.contains(&typed) && typed.chars().count() >= MIN_CHARS_INSIDE {
        5
    } else if are_all(&known, is_same) {
        4
    } else if are_all(&known, begins) {
        3
    } else if are_all(&described, begins) || name.contains(&typed) {
        2
    } else {
        score(query, texts.name).map(|_| SCATTERED)?
    };
    // Descriptions would blur how well a name fits.
    let fit = score(query, texts.name).filter(|_| place > 4 || place == SCATTERED).unwrap_or(anywhere);
    Some((place, fit))
}

fn folded(text: &str) -> String {
    text.chars().map(fold_letter).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn best<R: Ord + Copy>(mut found: Vec<(R, usize)>, max: usize) -> Vec<usize> {
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
