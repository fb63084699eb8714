//! What a second YAML parser reads in texts that edits wrote.
//!
//! Decides nothing about YAML: `tests/source/parse.mjs` reads the texts in Node and says why it is that parser. A text is compared
//! when both parsers read the same in the text before the edit, since they differ on purpose in some values.

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

/// How many texts one process of Node reads.
const BATCH: usize = 5_000;

/// Edited texts that wait for the second parser.
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
    /// Adds a text and what it became, each with what we read there.
    ///
    /// # Panics
    /// When the second parser reads something else in a text after an edit.
    pub fn add(&mut self, before: (&str, &Json), after: (&str, &Json)) {
        let edit = (Some(self.number(before)), self.number(after));
        self.push(edit);
    }

    /// Adds a text that both parsers read alike, and what we read there.
    ///
    /// # Panics
    /// When the second parser reads something else.
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

    /// Compares the texts that are left, and returns how many edits were compared.
    ///
    /// # Panics
    /// When the second parser reads something else in a text after an edit, or in most texts before one.
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
            // A number as a key is its text here, and its value to the other parser. A text that is one block scalar,
            // which no plan is, goes on behind `---` for the parser we read with.
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

/// Whether two values are the same; JavaScript has no whole numbers past 2^53 and its own order of keys.
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

/// Whether a comment begins its line between a value and the bracket or comma behind it. The other parser refuses
/// that comment after the value of a key, though it reads the same text with one blank before it. YAML 1.2.2 section
/// 6.6 allows both.
fn has_comment_before_bracket(text: &str) -> bool {
    let mut after_comment = false;
    for line in text.lines() {
        let rest = line.trim_start();
        if after_comment && rest.starts_with(['}', ']', ',']) {
            return true;
        }
        // Comments and empty lines may follow it.
        let passes = rest.is_empty() || rest.starts_with('#');
        after_comment = line.starts_with('#') || after_comment && passes;
    }
    false
}

/// Whether an empty line and then a comment without a blank before it stand between a dash or a colon and its value.
/// The other parser takes plain text there for a key, though it reads the same text without the empty line, and with
/// one blank before the comment.
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

/// Whether a key is a number that JavaScript would write in another way.
fn has_number_key(json: &Json) -> bool {
    let is_number = |key: &str| {
        let begins = key.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit());
        // `.inf` is a number of YAML, too, which JavaScript writes as `Infinity`.
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

/// What the second parser reads in each text: `{ value }` or `{ error }`.
///
/// # Panics
/// When Node or the parser is not installed.
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
    // Node reads all of its input before it writes, so neither waits for the other.
    node.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect(install);
    let done = node.wait_with_output().expect(install);
    let read: Vec<Json> = serde_json::from_slice(&done.stdout).expect(install);
    assert_eq!(read.len(), texts.len(), "{install}");
    read
}
