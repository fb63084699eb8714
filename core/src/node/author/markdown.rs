//! Reads the plan in words: its status, its chain of nodes, what is missing and what could be done instead.
//!
//! Decides how much of Markdown's freedom a model may take. Knows no components and asks nobody; what the plan may say is judged in
//! `planning`.
//!
//! What is decided: the last status line counts; of the words in one the first that is not negated counts, so that `FEASIBLE, not
//! IMPOSSIBLE` is feasible and `not feasible` is impossible, while `not IMPOSSIBLE` alone says nothing that is known; several words with
//! nothing but `|`, `/`, commas or `or` between them are the question repeated, which is no answer. A status without a label counts when
//! there is none with one.
//!
//! Source: `docs/authoring.md`, "The plan in Markdown".

mod chain;
mod status;

use super::words::{object, text, texts};
use crate::list::List;
use chain::{begins_list, below, has_arrow, joins, names};
use status::{status, unlabelled};

/// Whether the requirements can be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Feasible,
    Partial,
    Impossible,
}

impl Status {
    /// The word of the format.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Feasible => "FEASIBLE",
            Self::Partial => "PARTIAL",
            Self::Impossible => "IMPOSSIBLE",
        }
    }
}

/// What a plan says of its status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Said {
    /// There is no such field.
    #[default]
    Nothing,
    Known(Status),
    /// A word that is none of the three.
    Unknown(String),
}

/// A plan in words, as far as it could be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Words {
    pub(super) status: Said,
    /// Whether status lines disagree.
    pub(super) wavers: bool,
    /// The names of the chain, in order; nothing when there is no such field.
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

/// What fields are called, in small letters and with blanks; the longer names first.
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

/// What may stand before a label.
const BEFORE: [&str; 5] = ["overall ", "final ", "plan ", "proposed ", "the "];

/// Reads an answer.
pub(super) fn read(answer: &str) -> Words {
    let mut words = labelled(&untagged(answer));
    if words.chain.as_ref().is_none_or(Vec::is_empty) {
        words.chain = unlabelled_chain(answer).or(words.chain);
    }
    if words.status == Said::Nothing {
        words.status = unlabelled(answer);
    }
    words
}

/// The chain of an answer that has no label for it that is known: names that arrows hold together on one line.
fn unlabelled_chain(answer: &str) -> Option<Vec<String>> {
    let line = answer.lines().map(plain).find(|line| has_arrow(line) && label(line).is_none())?;
    let chain = line.rsplit_once(": ").map_or(line.as_str(), |(_, chain)| chain);
    // A sentence with an arrow in it is none.
    let found = names(chain);
    (found.len() > 1 && found.iter().all(|name| !name.contains(' '))).then_some(found)
}

/// An answer whose tags for a status are labels: `<status>FEASIBLE</status>`.
fn untagged(answer: &str) -> String {
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

/// What the labels of an answer say.
fn labelled(answer: &str) -> Words {
    // Only an answer that is JSON as a whole: a plan in Markdown may have some in it.
    let bare = answer.trim().trim_start_matches("```json").trim_matches('`').trim();
    let whole = Some(bare).filter(|bare| bare.starts_with('{') && bare.ends_with('}')).and_then(object);
    if let Some(json) = whole.filter(|json| json.get("status").or_else(|| json.get("node_chain")).is_some()) {
        let chain = json.get("node_chain").map(|chain| match chain.as_array() {
            Some(_) => texts(&json, "node_chain"),
            None => names(&text(&json, "node_chain")),
        });
        let status = json.get("status").map_or(Said::Nothing, |_| status(&text(&json, "status")));
        let list = |key: &str| texts(&json, key).into_iter().filter(|item| !is_none(item)).list();
        return Words {
            status,
            wavers: false,
            chain,
            missing: list("missing_capabilities"),
            alternatives: list("alternatives"),
        };
    }
    let is_fence = |line: &&str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let lines: Vec<&str> = answer.lines().filter(|line| !is_fence(line)).list();
    let mut words = Words::default();
    for (at, line) in lines.iter().enumerate() {
        let rest = lines.get(at + 1..).unwrap_or_default();
        if let Some(columns) = header(line) {
            let row = rest.iter().find(|row| row.contains('|') && row.chars().any(char::is_alphanumeric));
            for (field, cell) in columns.into_iter().zip(row.map(|row| cells(row)).unwrap_or_default()) {
                if let Some(field) = field {
                    words.take(field, &cell, &[]);
                }
            }
        } else if let Some((field, value)) = label(line) {
            words.take(field, &value, rest);
        }
    }
    words
}

impl Words {
    /// Takes what stands under a label: on its line, or below.
    fn take(&mut self, field: Field, value: &str, rest: &[&str]) {
        match field {
            Field::Status => {
                let below =
                    || rest.iter().map(|line| plain(line)).find(|line| !line.is_empty()).unwrap_or_default();
                let value = if value.is_empty() { below() } else { value.to_owned() };
                self.note(status(&value));
            }
            Field::Chain => {
                let mut chain = value.to_owned();
                for (number, line) in below(rest, value).enumerate() {
                    let first = number == 0 && !begins_list(value, rest);
                    let joined = first || chain.is_empty() || joins(&chain, &line);
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
                let inline = value.split(sign).map(plain);
                let below: Vec<String> = if value.is_empty() { items(rest) } else { Vec::new() };
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
    fn note(&mut self, said: Said) {
        match (&self.status, &said) {
            (Said::Known(before), Said::Known(now)) => self.wavers = self.wavers || before != now,
            (Said::Known(_), _) => return,
            _ => {}
        }
        self.status = said;
    }
}

/// A line without the signs of Markdown: heading, quote, list, emphasis, code, quotes.
fn plain(line: &str) -> String {
    let bare: String = line.chars().filter(|c| !matches!(c, '*' | '`' | '"' | '“' | '”')).collect();
    let bare = bare.trim().trim_start_matches(['#', '>', '•', '|', '{', ' ', '\t']).trim_start_matches("- ");
    let bare = bare.trim_start_matches("+ ").trim_start_matches("[x] ").trim_start_matches("[ ] ").trim();
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let after = bare.get(digits..).unwrap_or_default();
    let numbered = digits > 0 && (after.starts_with(". ") || after.starts_with(") "));
    let bare = if numbered { after.get(2..).unwrap_or_default() } else { bare };
    bare.trim_matches(['_', ' ']).trim_end_matches(['|', ' ']).to_owned()
}

/// The field that a line names, and what it says of it.
fn label(line: &str) -> Option<(Field, String)> {
    let line = plain(line);
    // Of the same length in bytes, so that what follows the label is found.
    let folded: String =
        line.chars().map(|c| if matches!(c, '_' | '-') { ' ' } else { c.to_ascii_lowercase() }).collect();
    let skipped = BEFORE.iter().find(|word| folded.starts_with(*word)).map_or(0, |word| word.len());
    let found = |(name, field): &(&str, Field)| {
        let rest = folded.get(skipped..)?.strip_prefix(name)?;
        let after = line.get(line.len() - rest.len()..)?;
        value(after, *field).map(|value| (*field, value))
    };
    LABELS.iter().find_map(found)
}

/// What follows a label, unless that was only the beginning of a sentence.
fn value(after: &str, field: Field) -> Option<String> {
    let rest = after.trim_start_matches([' ', '_']);
    // Something in brackets may stand between a label and its colon.
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
        && matches!(status(spoken.split(' ').next()?), Said::Known(_));
    let stripped =
        rest.trim_start_matches(|c: char| signs.contains(&c) || matches!(c, '-' | '>' | '→' | ' '));
    (separated || bare).then(|| if bare { spoken.to_owned() } else { plain(stripped) })
}

/// The cells of a row.
fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(plain).list()
}

/// The fields that the head of a table names: two at least.
fn header(line: &str) -> Option<Vec<Option<Field>>> {
    let fields: Vec<Option<Field>> = cells(line)
        .iter()
        .map(|cell| {
            let folded = cell.to_ascii_lowercase().replace(['_', '-'], " ");
            LABELS.iter().find(|(name, _)| *name == folded).map(|(_, field)| *field)
        })
        .list();
    (fields.iter().flatten().count() > 1).then_some(fields)
}

/// Whether a text says that there is nothing.
pub(super) fn is_none(item: &str) -> bool {
    let item = item.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    matches!(item.as_str(), "" | "n/a" | "na" | "no" | "null" | "nil")
        || ["none", "nothing", "no missing", "not applicable", "no alternative"]
            .iter()
            .any(|word| item.starts_with(word))
}

/// The items of the list that follows: until something stands there that is no item. A single paragraph counts as one.
fn items(rest: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for line in rest.iter().filter(|line| !line.trim().is_empty()) {
        let is_item = is_item(line);
        if label(line).is_some() || line.trim_start().starts_with('#') || (!is_item && !found.is_empty()) {
            break;
        }
        found.push(plain(line));
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
