//! Which test shows what of the seeds: `tests/compliance/*.yaml` lists what they ask for, cases say by `covers` what they show, and so do
//! comments `// covers: NAME …` before a test in Rust or JavaScript. `UPDATE=1` writes `docs/compliance.md`.
//!
//! Nothing that is asked for may be without a test, and nothing may be covered that nobody asks for.

#![expect(clippy::indexing_slicing, reason = "JSON answers every index, with null where nothing is")]
#![expect(clippy::unwrap_used, reason = "a helper of tests stops the test when it is surprised")]

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use stepgraph_tests::Suite;

/// Names of tests by what they cover, in the order of the files.
type Covers = BTreeMap<String, Vec<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of a folder with one of these endings, sorted.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(root().join(folder)).unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let ends = |path: &PathBuf| path.extension().is_some_and(|end| endings.iter().any(|known| *known == end));
    let mut files: Vec<PathBuf> = entries.filter(ends).collect();
    files.sort();
    files
}

/// What the cases of the suite show.
fn of_suite(covers: &mut Covers) {
    for (file, cases) in Suite::all() {
        let suite = file.file_stem().unwrap().display().to_string();
        for case in cases {
            for name in &case.covers {
                covers.entry(name.clone()).or_default().push(format!("`{suite}/{}`", case.id));
            }
        }
    }
    for (file, suite) in [("author/validator.yaml", "validator"), ("toolplans/talent.yaml", "toolplans")] {
        let text = std::fs::read_to_string(root().join("tests/suite").join(file)).unwrap();
        let file: Json = serde_yaml::from_str(&text).unwrap();
        for case in file["cases"].as_array().into_iter().flatten() {
            for name in case["covers"].as_array().into_iter().flatten().filter_map(Json::as_str) {
                let test = format!("`{suite}`: {}", case["name"].as_str().unwrap());
                covers.entry(name.to_owned()).or_default().push(test);
            }
        }
    }
}

/// What tests in code show, by the comment before them.
fn of_code(covers: &mut Covers) {
    for folder in ["tests/tests", "tests/parity", "tests/cli", "tests/package"] {
        for file in files(folder, &["rs", "mjs"]) {
            let text = std::fs::read_to_string(&file).unwrap();
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

/// The name of the test that a line begins.
fn title(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("fn ") {
        return Some(rest.split('(').next()?.replace('_', " "));
    }
    let rest = line.strip_prefix("test(")?;
    let quote = rest.chars().next()?;
    Some(rest.split(quote).nth(1)?.to_owned())
}

/// One thing that is asked for: its text, and by which others it is shown, too.
fn item(json: &Json) -> (String, Vec<String>) {
    let text = json.as_str().or_else(|| json["text"].as_str()).unwrap_or_default();
    let by = json["by"].as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned()));
    (text.to_owned(), by.collect())
}

/// A row of the matrix.
fn row(name: &str, json: &Json, covers: &Covers, bare: &mut Vec<String>) -> String {
    let (text, by) = item(json);
    let mut tests: Vec<String> = covers.get(name).cloned().unwrap_or_default();
    for other in &by {
        tests.extend(covers.get(other).into_iter().flatten().cloned());
    }
    let mut seen = Vec::new();
    tests.retain(|test| {
        !seen.contains(test) && {
            seen.push(test.clone());
            true
        }
    });
    if tests.is_empty() {
        bare.push(name.to_owned());
    }
    let short = |name: &str| name.split_once('-').map_or(name, |(_, rest)| rest).to_owned();
    let by: Vec<String> = by.iter().map(|name| short(name)).collect();
    let cell = |text: String| text.replace('|', "\\|");
    format!("| {} | {} | {} | {} |\n", short(name), cell(text), by.join(", "), cell(tests.join("; ")))
}

#[test]
fn every_demand_has_its_tests() {
    let mut covers = Covers::new();
    of_suite(&mut covers);
    of_code(&mut covers);
    let mut page = "# What the seeds ask for, and which tests show it\n\n".to_owned();
    page.push_str("Generated by `tests/tests/compliance.rs` from `tests/compliance/` and from what the tests say of themselves. ");
    page.push_str(
        "Cases of the suite (`author/…`) run three ways: the machine, the Rust driver, the npm package.\n",
    );
    let (mut bare, mut known) = (Vec::new(), Vec::new());
    for file in files("tests/compliance", &["yaml"]) {
        let text = std::fs::read_to_string(&file).unwrap();
        let seed: Json = serde_yaml::from_str(&text).unwrap();
        let of = |key: &str| seed[key].as_str().unwrap_or_default();
        let _ = write!(page, "\n## Seed {}: {}\n\n", of("seed"), of("title"));
        let _ = writeln!(page, "How it works: [docs/{0}]({0}).", of("docs"));
        for group in seed["groups"].as_array().into_iter().flatten() {
            let _ = write!(page, "\n### {}\n\n", group["title"].as_str().unwrap());
            page.push_str("| | asked for | by | tests |\n| --- | --- | --- | --- |\n");
            for (name, json) in group["items"].as_object().into_iter().flatten() {
                known.push(name.clone());
                page.push_str(&row(name, json, &covers, &mut bare));
            }
        }
    }
    assert!(bare.is_empty(), "no test covers {bare:?}");
    let unknown: Vec<&String> = covers.keys().filter(|name| !known.contains(name)).collect();
    assert!(unknown.is_empty(), "nobody asks for {unknown:?}");
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
