//! Checks that every sentence of the requirement documents has a test, and writes `docs/compliance.md`.
//!
//! Keys of `tests/compliance/*.yaml`, which has a row for each sentence:
//! - `line`: the lines with that sentence. `lines` counts all, `silent` lists those with no requirement, so none is
//!   missed.
//! - `says`: the requirement in our words.
//! - `by`: other rows whose tests cover this one.
//! - `differs`: our different behaviour and the reason, explained in `docs/requirements.md` under `see`.
//! - `untestable`: why no test can cover it.
//!
//! Tests name the rows that they cover: suite cases by `covers`, tests in code by a comment `// covers: NAME …`.

#![expect(clippy::indexing_slicing, reason = "JSON answers every index, with null where nothing is")]
#![expect(clippy::unwrap_used, reason = "a helper of tests stops the test when it is surprised")]

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use stepgraph_tests::Suite;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    seed: String,
    title: String,
    docs: String,
    see: String,
    lines: usize,
    silent: String,
    groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    title: String,
    /// Whether the document leaves the rows open to our decisions.
    #[serde(default)]
    ours: bool,
    items: Map<String, Json>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default)]
    line: Json,
    says: String,
    #[serde(default)]
    by: Vec<String>,
    differs: Option<String>,
    see: Option<String>,
    untestable: Option<String>,
}

impl Row {
    fn place(&self) -> String {
        match &self.line {
            Json::Null => "–".to_owned(),
            Json::String(lines) => lines.clone(),
            line => line.to_string(),
        }
    }
}

type CoverageMap = BTreeMap<String, Vec<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(root().join(folder)).unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let ends = |path: &PathBuf| path.extension().is_some_and(|end| endings.iter().any(|known| *known == end));
    let mut files: Vec<PathBuf> = entries.filter(ends).collect();
    files.sort();
    files
}

fn of_suite(covers: &mut CoverageMap) {
    for (file, cases) in Suite::all() {
        let suite = file.file_stem().unwrap().display().to_string();
        for case in cases {
            for name in &case.covers {
                covers.entry(name.clone()).or_default().push(format!("`{suite}/{}`", case.id));
            }
        }
    }
    for (file, suite) in [("author/validator.yaml", "validator"), ("toolplans/talent.yaml", "toolplans")] {
        let file: Json = serde_yaml::from_str(&read(&root().join("tests/suite").join(file))).unwrap();
        for case in file["cases"].as_array().into_iter().flatten() {
            for name in case["covers"].as_array().into_iter().flatten().filter_map(Json::as_str) {
                let test = format!("`{suite}`: {}", case["name"].as_str().unwrap());
                covers.entry(name.to_owned()).or_default().push(test);
            }
        }
    }
}

fn of_code(covers: &mut CoverageMap) {
    for folder in ["tests/tests", "tests/parity", "tests/cli", "tests/package"] {
        for file in files(folder, &["rs", "mjs"]) {
            let text = read(&file);
            let mut shown: Vec<&str> = Vec::new();
            for line in text.lines().map(str::trim) {
                if let Some(names) = line.strip_prefix("// covers: ") {
                    shown.extend(names.split_whitespace());
                } else if let Some(test) = title(line).filter(|_| !shown.is_empty()) {
                    let name = format!("`{}`: {test}", file.file_name().unwrap().display());
                    for covered in shown.drain(..) {
                        covers.entry(covered.to_owned()).or_default().push(name.clone());
                    }
                }
            }
            assert!(shown.is_empty(), "{}: a comment `covers` without a test", file.display());
        }
    }
}

fn title(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("fn ") {
        return Some(rest.split('(').next()?.replace('_', " "));
    }
    let rest = line.strip_prefix("test(")?;
    let quote = rest.chars().next()?;
    Some(rest.split(quote).nth(1)?.to_owned())
}

/// Parses ranges such as `3, 5-7`.
fn lines(text: &str) -> Vec<RangeInclusive<usize>> {
    let range = |part: &str| -> RangeInclusive<usize> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse().unwrap()..=last.parse().unwrap()
    };
    text.split(", ").map(range).collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    let slug = |heading: &str| -> String {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_')).collect()
    };
    page.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| slug(line.trim_start_matches('#').trim()))
        .collect()
}

#[derive(Default)]
struct Count {
    shown: usize,
    differ: usize,
    untestable: usize,
}

impl Count {
    fn all(&self) -> usize {
        self.shown + self.differ + self.untestable
    }
}

struct Report<'a> {
    covers: &'a CoverageMap,
    anchors: BTreeSet<String>,
    known: BTreeSet<String>,
    wrong: Vec<String>,
}

impl Report<'_> {
    fn tests(&self, name: &str, by: &[String]) -> Vec<String> {
        let mut tests: Vec<String> = Vec::new();
        for test in
            [name].into_iter().chain(by.iter().map(String::as_str)).filter_map(|name| self.covers.get(name))
        {
            for test in test {
                if !tests.contains(test) {
                    tests.push(test.clone());
                }
            }
        }
        tests
    }

    fn row(&mut self, document: &Document, name: &str, row: &Row, count: &mut Count) -> String {
        let tests = self.tests(name, &row.by);
        for other in row.by.iter().filter(|other| !self.covers.contains_key(*other)) {
            self.wrong.push(format!("{name}: no test shows `{other}`"));
        }
        let stands = match (&row.differs, &row.untestable) {
            (Some(differs), None) => {
                count.differ += 1;
                let see = row.see.as_ref().unwrap_or(&document.see);
                if !self.anchors.contains(see) {
                    self.wrong.push(format!("{name}: docs/requirements.md has no heading `{see}`"));
                }
                format!("[differs](requirements.md#{see}): {differs}")
            }
            (None, Some(why)) if tests.is_empty() => {
                count.untestable += 1;
                format!("no test can show it: {why}")
            }
            (None, None) => {
                count.shown += 1;
                "shown".to_owned()
            }
            _ => {
                self.wrong.push(format!("{name}: only one of tests, `differs` and `untestable` can be true"));
                String::new()
            }
        };
        if tests.is_empty() && row.untestable.is_none() {
            self.wrong.push(format!("{name}: no test shows it"));
        }
        let short = name.split_once('-').map_or(name, |(_, rest)| rest);
        let line = row.place();
        let cell = |text: &str| text.replace('|', "\\|");
        format!(
            "| {line} | {} | {} | {} | `{short}` |\n",
            cell(&row.says),
            cell(&stands),
            cell(&tests.join("; "))
        )
    }

    fn document(&mut self, document: &Document) -> (String, Count) {
        let (mut page, mut count, mut own) = (String::new(), Count::default(), Count::default());
        let mut spoken: Vec<RangeInclusive<usize>> = Vec::new();
        for group in &document.groups {
            let head = if group.ours { "we decided" } else { "the document says" };
            let _ = write!(
                page,
                "\n### {}\n\n| line | {head} | Stepgraph | tests | row |\n| --- | --- | --- | --- | --- |\n",
                group.title
            );
            for (name, json) in &group.items {
                let row: Row = match serde_json::from_value(json.clone()) {
                    Ok(row) => row,
                    Err(error) => {
                        self.wrong.push(format!("{name}: {error}"));
                        continue;
                    }
                };
                assert!(self.known.insert(name.clone()), "two rows are called {name}");
                let counted = if group.ours { &mut own } else { &mut count };
                page.push_str(&self.row(document, name, &row, counted));
                if !group.ours {
                    spoken.extend(lines(&row.place()));
                }
            }
        }
        self.complete(document, spoken);
        (page, count)
    }

    fn complete(&mut self, document: &Document, spoken: Vec<RangeInclusive<usize>>) {
        for (before, after) in spoken.iter().zip(spoken.iter().skip(1)) {
            if after.start() < before.start() {
                let (seed, before, after) = (&document.seed, before.start(), after.start());
                self.wrong.push(format!("document {seed}: line {after} stands after line {before}"));
            }
        }
        let silent = lines(&document.silent);
        let met: BTreeSet<usize> = spoken.into_iter().chain(silent).flatten().collect();
        let missed: Vec<usize> = (1..=document.lines).filter(|line| !met.contains(line)).collect();
        if !missed.is_empty() {
            self.wrong.push(format!("document {}: no row speaks of the lines {missed:?}", document.seed));
        }
    }
}

const HEAD: &str = "# Tests of the requirement documents

This reference shows you for each sentence of the five requirement documents whether Stepgraph follows it, and which tests
show that. It is generated from `tests/compliance/` and the tests. A test fails if a line of a document has no row here, or
a row has no test.

- **line**: the lines of the document. We summarize each sentence in our own words.
- **shown**: Stepgraph follows the document, and the tests in the next column assert it.
- **differs**: Stepgraph behaves differently, for the reason in the cell. The link leads to the names of the document and
  ours. The tests show our behaviour.
- **no test can show it**: notes, assumptions and risks, and sentences about the existing code of the document's authors.

A test such as `author/seed-004-test-01` is a case in `tests/suite/author.yaml`. It runs three times: in the state machine, in the Rust
driver and in the npm package. Other tests have the name of their file.
";

// covers: 004-audit-4
#[test]
fn every_sentence_of_the_documents_has_its_tests() {
    let mut covers = CoverageMap::new();
    of_suite(&mut covers);
    of_code(&mut covers);
    let anchors = anchors(&read(&root().join("docs/requirements.md")));
    let mut report = Report { covers: &covers, anchors, known: BTreeSet::new(), wrong: Vec::new() };
    let mut table = "| document | sentences | shown | differ | no test can show it |\n| --- | ---: | ---: | ---: | ---: |\n".to_owned();
    let mut parts = String::new();
    let mut total = Count::default();
    for file in files("tests/compliance", &["yaml"]) {
        let document: Document = serde_yaml::from_str(&read(&file)).unwrap();
        let (part, count) = report.document(&document);
        let Document { seed, title, docs, see, .. } = &document;
        let heading = format!("{seed}: {title}");
        let _ = write!(parts, "\n## {heading}\n\n");
        let (all, Count { shown, differ, untestable }) = (count.all(), &count);
        let _ = writeln!(
            parts,
            "{all} sentences: {shown} shown, {differ} differ, {untestable} that no test can show. Documentation: [{docs}]({docs}). \
             Names: [requirements.md](requirements.md#{see})."
        );
        parts.push_str(&part);
        let _ = writeln!(table, "| {heading} | {all} | {shown} | {differ} | {untestable} |");
        total.shown += shown;
        total.differ += differ;
        total.untestable += untestable;
    }
    let _ = writeln!(
        table,
        "| **all** | **{}** | **{}** | **{}** | **{}** |",
        total.all(),
        total.shown,
        total.differ,
        total.untestable
    );
    let page =
        format!("{HEAD}\n{table}{parts}\nNext: [names of the requirement documents](requirements.md)\n");
    let unknown = covers.keys().filter(|name| !report.known.contains(*name));
    report.wrong.extend(unknown.map(|name| format!("{name}: a test shows it and no document has it")));
    assert!(report.wrong.is_empty(), "{}", report.wrong.join("\n"));
    let path = root().join("docs/compliance.md");
    #[expect(clippy::disallowed_methods, reason = "a test may be told to rewrite its expectations")]
    if std::env::var("UPDATE").is_ok() {
        std::fs::write(&path, &page).unwrap();
    }
    let actual = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        actual == page,
        "docs/compliance.md is stale: run `UPDATE=1 cargo test -p stepgraph-tests --test suite compliance`"
    );
}
