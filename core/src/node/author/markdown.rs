//! Reads the plan in Markdown: status, node chain, missing capabilities and alternatives. `planning` checks the
//! contents.
//!
//! Rules:
//! - The last status line counts, and in it the first status word without a negation: `FEASIBLE, not IMPOSSIBLE` is
//!   feasible, `not feasible` impossible, `not IMPOSSIBLE` unknown.
//! - Status words joined by `|`, `/`, commas or `or` repeat the prompt, and are unknown.
//! - A status without a label counts only if no label exists.
//!
//! Source: `docs/authoring.md`, "The plan in Markdown".

mod chain;
mod status;

use super::text::{parse_object, text_field, text_list};
use crate::collect::CollectVec;
use chain::{chain_lines, continues_chain, has_arrow, names, starts_list};
use status::{status, unlabelled};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Feasible,
    Partial,
    Impossible,
}

impl Status {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Feasible => "FEASIBLE",
            Self::Partial => "PARTIAL",
            Self::Impossible => "IMPOSSIBLE",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum StatusField {
    #[default]
    Missing,
    Known(Status),
    Unknown(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct MarkdownPlan {
    pub(super) status: StatusField,
    pub(super) is_contradictory: bool,
    /// Names in order. `None` without such a field.
    pub(super) chain: Option<Vec<String>>,
    pub(super) missing: Vec<String>,
    pub(super) alternatives: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Status,
    Chain,
    Missing,
    Alternatives,
}

/// Lowercase, with spaces, longer ones first.
const LABELS: [(&str, Field); 19] = [
    ("feasibility status", Field::Status),
    ("feasibility", Field::Status),
    ("status", Field::Status),
    ("workflow chain", Field::Chain),
    ("execution chain", Field::Chain),
    ("component chain", Field::Chain),
    ("node chains", Field::Chain),
    ("node chain", Field::Chain),
    ("nodechain", Field::Chain),
    ("chain", Field::Chain),
    ("cadena de nodos", Field::Chain),
    ("cadena", Field::Chain),
    ("nodes", Field::Chain),
    ("missing capabilities", Field::Missing),
    ("missing capability", Field::Missing),
    ("missing", Field::Missing),
    ("alternatives", Field::Alternatives),
    ("alternative", Field::Alternatives),
    ("suggestions", Field::Alternatives),
];

const LABEL_PREFIXES: [&str; 5] = ["overall ", "final ", "plan ", "proposed ", "the "];

pub(super) fn parse(answer: &str) -> MarkdownPlan {
    let mut words = parse_labels(&tags_to_labels(answer));
    if words.chain.as_ref().is_none_or(Vec::is_empty) {
        words.chain = unlabelled_chain(answer).or(words.chain);
    }
    if words.status == StatusField::Missing {
        words.status = unlabelled(answer);
    }
    words
}

/// Names connected by arrows on one line.
fn unlabelled_chain(answer: &str) -> Option<Vec<String>> {
    let line =
        answer.lines().map(strip_markdown).find(|line| has_arrow(line) && parse_label(line).is_none())?;
    let chain = line.rsplit_once(": ").map_or(line.as_str(), |(_, chain)| chain);
    // A sentence with an arrow is no chain.
    let found = names(chain);
    (found.len() > 1 && found.iter().all(|name| !name.contains(' '))).then_some(found)
}

fn tags_to_labels(answer: &str) -> String {
    let mut answer = answer.to_owned();
    for (tag, label) in
        [("<status>", "\nStatus: "), ("</status>", "\n"), ("<verdict>", "\nStatus: "), ("</verdict>", "\n")]
    {
        while let Some(at) = answer.to_ascii_lowercase().find(tag) {
            answer.replace_range(at..at + tag.len(), label);
        }
    }
    answer
}

fn parse_labels(answer: &str) -> MarkdownPlan {
    // A plan in Markdown may contain JSON.
    let bare = answer.trim().trim_start_matches("```json").trim_matches('`').trim();
    let whole = Some(bare).filter(|bare| bare.starts_with('{') && bare.ends_with('}')).and_then(parse_object);
    if let Some(json) = whole.filter(|json| json.get("status").or_else(|| json.get("node_chain")).is_some()) {
        let chain = json.get("node_chain").map(|chain| match chain.as_array() {
            Some(_) => text_list(&json, "node_chain"),
            None => names(&text_field(&json, "node_chain")),
        });
        let status =
            json.get("status").map_or(StatusField::Missing, |_| status(&text_field(&json, "status")));
        let list = |key: &str| text_list(&json, key).into_iter().filter(|item| !is_none(item)).collect_vec();
        return MarkdownPlan {
            status,
            is_contradictory: false,
            chain,
            missing: list("missing_capabilities"),
            alternatives: list("alternatives"),
        };
    }
    let is_fence = |line: &&str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let lines: Vec<&str> = answer.lines().filter(|line| !is_fence(line)).collect_vec();
    let mut words = MarkdownPlan::default();
    for (at, line) in lines.iter().enumerate() {
        let rest = lines.get(at + 1..).unwrap_or_default();
        if let Some(columns) = parse_header(line) {
            let row = rest.iter().find(|row| row.contains('|') && row.chars().any(char::is_alphanumeric));
            for (field, cell) in columns.into_iter().zip(row.map(|row| split_cells(row)).unwrap_or_default())
            {
                if let Some(field) = field {
                    words.set_field(field, &cell, &[]);
                }
            }
        } else if let Some((field, value)) = parse_label(line) {
            words.set_field(field, &value, rest);
        }
    }
    words
}

impl MarkdownPlan {
    fn set_field(&mut self, field: Field, value: &str, rest: &[&str]) {
        match field {
            Field::Status => {
                let below = || {
                    rest.iter()
                        .map(|line| strip_markdown(line))
                        .find(|line| !line.is_empty())
                        .unwrap_or_default()
                };
                let value = if value.is_empty() { below() } else { value.to_owned() };
                self.set_status(status(&value));
            }
            Field::Chain => {
                let mut chain = value.to_owned();
                for (number, line) in chain_lines(rest, value).enumerate() {
                    let first = number == 0 && !starts_list(value, rest);
                    let joined = first || chain.is_empty() || continues_chain(&chain, &line);
                    chain.push_str(if joined { " " } else { " >> " });
                    chain.push_str(&line);
                }
                let found = names(&chain);
                if !found.is_empty() || self.chain.is_none() {
                    self.chain = Some(found);
                }
            }
            Field::Missing | Field::Alternatives => {
                let list = if field == Field::Missing { &mut self.missing } else { &mut self.alternatives };
                let sign = if value.contains(';') {
                    ';'
                } else if field == Field::Missing {
                    ','
                } else {
                    ';'
                };
                let inline = value.split(sign).map(strip_markdown);
                let below: Vec<String> = if value.is_empty() { parse_items(rest) } else { Vec::new() };
                let found = inline.chain(below).filter(|item| !item.is_empty() && !is_none(item));
                for item in found {
                    if !list.contains(&item) {
                        list.push(item);
                    }
                }
            }
        }
    }

    /// The last known status counts.
    fn set_status(&mut self, field: StatusField) {
        match (&self.status, &field) {
            (StatusField::Known(before), StatusField::Known(now)) => {
                self.is_contradictory = self.is_contradictory || before != now;
            }
            (StatusField::Known(_), _) => return,
            _ => {}
        }
        self.status = field;
    }
}

/// Removes headings, quotes, lists, emphasis, code.
fn strip_markdown(line: &str) -> String {
    let bare: String = line.chars().filter(|c| !matches!(c, '*' | '`' | '"' | '“' | '”')).collect();
    let bare = bare.trim().trim_start_matches(['#', '>', '•', '|', '{', ' ', '\t']).trim_start_matches("- ");
    let bare = bare.trim_start_matches("+ ").trim_start_matches("[x] ").trim_start_matches("[ ] ").trim();
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let after = bare.get(digits..).unwrap_or_default();
    let numbered = digits > 0 && (after.starts_with(". ") || after.starts_with(") "));
    let bare = if numbered { after.get(2..).unwrap_or_default() } else { bare };
    bare.trim_matches(['_', ' ']).trim_end_matches(['|', ' ']).to_owned()
}

fn parse_label(line: &str) -> Option<(Field, String)> {
    let line = strip_markdown(line);
    // Keeps the bytes, so that offsets stay valid.
    let folded: String =
        line.chars().map(|c| if matches!(c, '_' | '-') { ' ' } else { c.to_ascii_lowercase() }).collect();
    let skipped = LABEL_PREFIXES.iter().find(|word| folded.starts_with(*word)).map_or(0, |word| word.len());
    let found = |(name, field): &(&str, Field)| {
        let rest = folded.get(skipped..)?.strip_prefix(name)?;
        let after = line.get(line.len() - rest.len()..)?;
        parse_value(after, *field).map(|value| (*field, value))
    };
    LABELS.iter().find_map(found)
}

/// `None` if the label only starts a sentence.
fn parse_value(after: &str, field: Field) -> Option<String> {
    let rest = after.trim_start_matches([' ', '_']);
    // Brackets may precede the colon.
    let rest = match (rest.strip_prefix('('), rest.find(')')) {
        (Some(_), Some(end)) if rest.get(end + 1..)?.trim_start().starts_with(':') => {
            rest.get(end + 1..)?.trim_start()
        }
        _ => rest,
    };
    let signs = [':', '=', '|', '–', '—', '：', '_'];
    if rest.is_empty() {
        return Some(String::new());
    }
    let separated = rest.starts_with(signs)
        || rest.starts_with("- ")
        || rest.starts_with("->")
        || rest.starts_with("=>")
        || rest.starts_with('→');
    let spoken = rest.strip_prefix("is ").unwrap_or(rest);
    let bare = field == Field::Status
        && after.starts_with([' ', '_'])
        && matches!(status(spoken.split(' ').next()?), StatusField::Known(_));
    let stripped =
        rest.trim_start_matches(|c: char| signs.contains(&c) || matches!(c, '-' | '>' | '→' | ' '));
    (separated || bare).then(|| if bare { spoken.to_owned() } else { strip_markdown(stripped) })
}

fn split_cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(strip_markdown).collect_vec()
}

fn parse_header(line: &str) -> Option<Vec<Option<Field>>> {
    let fields: Vec<Option<Field>> = split_cells(line)
        .iter()
        .map(|cell| {
            let folded = cell.to_ascii_lowercase().replace(['_', '-'], " ");
            LABELS.iter().find(|(name, _)| *name == folded).map(|(_, field)| *field)
        })
        .collect_vec();
    (fields.iter().flatten().count() > 1).then_some(fields)
}

pub(super) fn is_none(item: &str) -> bool {
    let item = item.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    matches!(item.as_str(), "" | "n/a" | "na" | "no" | "null" | "nil")
        || ["none", "nothing", "no missing", "not applicable", "no alternative"]
            .iter()
            .any(|word| item.starts_with(word))
}

/// A list's items, or else the next paragraph.
fn parse_items(rest: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for line in rest.iter().filter(|line| !line.trim().is_empty()) {
        let is_item = is_item(line);
        if parse_label(line).is_some()
            || line.trim_start().starts_with('#')
            || (!is_item && !found.is_empty())
        {
            break;
        }
        found.push(strip_markdown(line));
        if !is_item {
            break;
        }
    }
    found
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = line.get(digits..).unwrap_or_default();
    ["- ", "* ", "+ ", "• "].iter().any(|sign| line.starts_with(sign))
        || (digits > 0 && (after.starts_with(". ") || after.starts_with(") ")))
}

#[cfg(test)]
mod tests;
