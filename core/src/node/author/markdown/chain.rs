//! Reads node chains in models' spellings: arrows, commas, lists and brackets, with or without descriptions.

use super::{is_item, is_none, parse_label, strip_markdown};
use crate::collect::CollectVec;

/// A list, or lines connected by arrows.
pub(super) fn chain_lines(rest: &[&str], value: &str) -> impl Iterator<Item = String> {
    let empty = value.is_empty();
    let mut found: Vec<String> = Vec::new();
    let mut listed = starts_list(value, rest);
    for line in rest {
        let blank = line.trim().is_empty();
        if blank && (found.is_empty() && empty) {
            continue;
        }
        let is_item = is_item(line);
        let begins = ARROWS.iter().any(|arrow| line.trim_start().starts_with(arrow));
        let goes_on = ends_with_arrow(found.last().map_or(value, String::as_str)) || begins;
        let first = found.is_empty() && empty && !blank;
        if blank
            || parse_label(line).is_some()
            || line.trim_start().starts_with('#')
            || !(first || goes_on || (is_item && (listed || (found.is_empty() && empty))))
        {
            break;
        }
        listed = listed || is_item;
        found.push(if begins { line.trim().to_owned() } else { strip_markdown(line) });
    }
    found.into_iter()
}

/// The label's line may hold the first item, so that the next line is the second.
pub(super) fn starts_list(value: &str, rest: &[&str]) -> bool {
    !value.is_empty() && rest.first().is_some_and(|line| is_item(line) && line.trim_start().starts_with('2'))
}

const ARROWS: [&str; 14] = [">>", "-->", "->", "=>", "→", "⇒", "➔", "➜", "⟶", "»", "▶", "►", "⇨", "~>"];

pub(super) fn has_arrow(line: &str) -> bool {
    ARROWS.iter().any(|arrow| line.contains(arrow))
}

fn ends_with_arrow(text: &str) -> bool {
    ARROWS.iter().any(|arrow| text.trim_end().ends_with(arrow))
}

pub(super) fn continues_chain(chain: &str, line: &str) -> bool {
    ends_with_arrow(chain) || ARROWS.iter().any(|arrow| line.trim_start().starts_with(arrow))
}

pub(super) fn names(text: &str) -> Vec<String> {
    let mut text = text.to_owned();
    for group in ["parallel", "map", "graph", "decision"] {
        // `parallel(a, b)` contains a and b.
        while let Some(at) = text.find(&format!("{group}(")) {
            text.replace_range(at..=at + group.len(), &format!("{group} >> "));
            if let Some(end) = text.get(at..).and_then(|rest| rest.find(')')) {
                text.replace_range(at + end..=at + end, " ");
            }
        }
    }
    for arrow in ARROWS.iter().skip(1) {
        text = text.replace(arrow, ">>");
    }
    text = text.replace(" > ", ">>").replace("||", ",");
    for sign in [" & ", " + ", " / ", " · ", " • ", "...", "…"] {
        text = text.replace(sign, ",");
    }
    if !text.contains(">>") {
        text = text.replace(", and ", ",").replace(" and ", ",");
    }
    let mut pieces: Vec<&str> = text.split(">>").collect_vec();
    if let [whole] = pieces.as_slice() {
        let whole: &str = whole;
        pieces = whole.split(" then ").collect_vec();
        if let [_] = pieces.as_slice() {
            pieces = whole.split([';', '|']).collect_vec();
        }
    }
    let mut found = Vec::new();
    for piece in pieces {
        // Brackets after a name describe it.
        let piece = piece.trim();
        let piece = piece.find('(').filter(|at| *at > 0).map_or(piece, |at| piece.get(..at).unwrap_or(piece));
        let parts: Vec<String> =
            piece.split(',').map(clean_name).filter(|part| !part.is_empty()).collect_vec();
        if parts.iter().all(|part| !part.contains(' ')) {
            found.extend(parts);
        } else {
            // Words after a name are prose.
            found
                .extend(parts.first().map(|part| part.split(' ').next().unwrap_or_default()).map(clean_name));
        }
    }
    found.retain(|name| !is_none(name));
    found
}

fn clean_name(piece: &str) -> String {
    let piece: String = piece.chars().filter(|c| !matches!(c, '*' | '`' | '"' | '\'' | '“' | '”')).collect();
    let piece = strip_markdown(piece.trim().trim_start_matches(['[', '(', '<', '{']));
    let end = piece.find(['(', '[', '<', '{']).unwrap_or(piece.len());
    let piece = piece.get(..end).unwrap_or_default();
    // A description may follow: `llm: summarise`.
    let piece = piece.split(": ").next().unwrap_or_default().split(" - ").next().unwrap_or_default();
    piece.trim().trim_end_matches(['.', ',', ':', ';', ']', ')', '>', '}', '!', ' ']).trim().to_owned()
}
