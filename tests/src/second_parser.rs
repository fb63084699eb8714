//! Compares texts after edits with the results of a second YAML parser.
//!
//! `tests/source/parse.mjs` runs that parser and explains its choice. The parsers differ on purpose in some values, so
//! an edit counts only if both agree on the text before it.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of tests stops the test when it is surprised"
)]

use serde_json::Value as Json;
use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::files::folder;

const BATCH: usize = 5_000;

/// A queue of edited texts.
#[derive(Debug, Default)]
pub struct SecondParser {
    texts: Vec<String>,
    ours: Vec<Json>,
    known: HashMap<String, usize>,
    edits: Vec<(Option<usize>, usize)>,
    compared: usize,
    apart: usize,
}

impl SecondParser {
    /// Adds the texts before and after an edit, with our values.
    ///
    /// # Panics
    /// If the second parser reads another value after an edit.
    pub fn add(&mut self, before: (&str, &Json), after: (&str, &Json)) {
        let edit = (Some(self.number(before)), self.number(after));
        self.push(edit);
    }

    /// Adds a text that both parsers must read alike.
    ///
    /// # Panics
    /// If the second parser reads another value.
    pub fn expect(&mut self, text: &str, json: &Json) {
        let edit = (None, self.number((text, json)));
        self.push(edit);
    }

    fn push(&mut self, edit: (Option<usize>, usize)) {
        self.edits.push(edit);
        if self.texts.len() >= BATCH {
            self.compare();
        }
    }

    /// Compares the queue, and counts compared edits.
    ///
    /// # Panics
    /// If the second parser reads another value after an edit, or a tenth of the edits are not comparable.
    pub fn finish(mut self) -> usize {
        self.compare();
        let Self { compared, apart, .. } = self;
        assert!(apart * 10 < compared, "only {compared} edits were compared, {apart} were not");
        compared
    }

    fn number(&mut self, (text, json): (&str, &Json)) -> usize {
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        self.known.insert(text.to_owned(), self.texts.len());
        self.texts.push(text.to_owned());
        self.ours.push(json.clone());
        self.texts.len() - 1
    }

    fn compare(&mut self) {
        let theirs = parse(&self.texts);
        let alike =
            |at: usize| theirs[at].get("error").is_none() && same(&theirs[at]["value"], &self.ours[at]);
        for (before, after) in std::mem::take(&mut self.edits) {
            // The other parser turns a numeric key into its value. A single block scalar is no plan, and our parser
            // reads on after `---` in it.
            let ours = &self.ours[after];
            let text = &self.texts[after];
            let is_other = has_number_key(ours)
                || ours.is_string()
                || has_comment_before_bracket(text)
                || has_comment_before_item(text);
            let is_apart = before.is_some_and(|before| !alike(before)) || is_other;
            if is_apart {
                self.apart += 1;
                continue;
            }
            self.compared += 1;
            let from = before.map_or("", |before| &self.texts[before]);
            let found = &theirs[after];
            assert!(alike(after), "the second parser reads {found}\n---- before\n{from}\n---- after\n{text}");
        }
        self.texts.clear();
        self.ours.clear();
        self.known.clear();
    }
}

/// JavaScript has its own key order, and no exact integers above 2^53.
fn same(theirs: &Json, ours: &Json) -> bool {
    match (theirs, ours) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => theirs == ours,
    }
}

/// The other parser wrongly rejects an unindented comment before a closing bracket or comma, after the value of a key.
/// YAML 1.2.2 section 6.6 allows it.
fn has_comment_before_bracket(text: &str) -> bool {
    let mut after_comment = false;
    for line in text.lines() {
        let rest = line.trim_start();
        if after_comment && rest.starts_with(['}', ']', ',']) {
            return true;
        }
        let passes = rest.is_empty() || rest.starts_with('#');
        after_comment = line.starts_with('#') || after_comment && passes;
    }
    false
}

/// If an empty line and an unindented comment separate a dash or colon from its value, the other parser wrongly reads
/// plain text there as a key.
fn has_comment_before_item(text: &str) -> bool {
    let (mut open, mut gap) = (false, false);
    for line in text.lines() {
        if line.trim().is_empty() {
            gap = open;
            continue;
        }
        if gap && line.starts_with('#') {
            return true;
        }
        let content = line.split(" #").next().unwrap_or_default().trim_end();
        (open, gap) = (content.ends_with(['-', ':']), false);
    }
    false
}

fn has_number_key(json: &Json) -> bool {
    let is_number = |key: &str| {
        let begins = key.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit());
        // JavaScript prints YAML's `.inf` as `Infinity`.
        let word = key.trim_start_matches(['+', '-']).to_ascii_lowercase();
        let is_odd = begins && key.parse::<u32>().map_or(true, |number| number.to_string() != key);
        is_odd || matches!(word.as_str(), ".inf" | ".nan")
    };
    match json {
        Json::Array(items) => items.iter().any(has_number_key),
        Json::Object(map) => map.iter().any(|(key, value)| is_number(key) || has_number_key(value)),
        _ => false,
    }
}

/// Returns `{ value }` or `{ error }` for each text.
///
/// # Panics
/// If Node or the parser is not installed.
pub fn parse(texts: &[String]) -> Vec<Json> {
    let install = "Node reads texts with `yaml`: install it with `npm ci`";
    let mut node = Command::new("node")
        .arg("tests/source/parse.mjs")
        .current_dir(folder("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect(install);
    let input = Json::from(texts).to_string();
    // Node reads all of its input first, so no pipe blocks.
    node.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect(install);
    let done = node.wait_with_output().expect(install);
    let read: Vec<Json> = serde_json::from_slice(&done.stdout).expect(install);
    assert_eq!(read.len(), texts.len(), "{install}");
    read
}
