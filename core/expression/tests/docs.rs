//! Checks the tables in `docs/expressions.md`. `UPDATE=1` regenerates them.

#![expect(clippy::unwrap_used, reason = "a test stops when it is surprised")]

use serde_json::Value as Json;
use std::fmt::Write as _;
use stepgraph_expression::error::CODES;
use stepgraph_expression::function::EXAMPLE_SCOPE;
use stepgraph_expression::{Condition, Function, Predicate, evaluate};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/expressions.md");

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn functions() -> String {
    let mut table =
        String::from("| name | types | meaning | example | result |\n| --- | --- | --- | --- | --- |\n");
    for function in Function::ALL {
        let docs = function.docs();
        let types: Vec<String> =
            function.signatures().map(|signature| format!("`{}`", cell(&signature.to_string()))).collect();
        let name = cell(function.name());
        let (example, result) = (cell(docs.example), cell(docs.result));
        writeln!(
            table,
            "| `{name}` | {} | {} | `{example}` | `{result}` |",
            types.join("<br>"),
            docs.summary
        )
        .unwrap();
    }
    table
}

fn codes() -> String {
    CODES.iter().fold(String::new(), |mut rows, code| {
        writeln!(rows, "| `{}` | {} |", code.slug(), code.info().summary).unwrap();
        rows
    })
}

fn with(page: &str, name: &str, part: &str) -> String {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->\n"));
    let (before, after) = page.split_once(&start).unwrap();
    let after = after.split_once(&end).map_or(after, |(_, after)| after);
    format!("{before}{start}{part}{end}{after}")
}

#[test]
fn the_page_is_up_to_date() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let data = format!("```json\n{EXAMPLE_SCOPE}\n```\n");
    let fresh = with(&page, "data", &data);
    let fresh = with(&fresh, "functions", &functions());
    let fresh = with(&fresh, "codes", &codes());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(PAGE, &fresh).unwrap();
    } else {
        assert!(
            page == fresh,
            "docs/expressions.md is stale: run `UPDATE=1 cargo test -p stepgraph-expression --test docs`"
        );
    }
}

/// In the page's notation.
fn show(text: &str, scope: &Json) -> String {
    match evaluate(text, scope) {
        Ok(Some(json)) => json.to_string(),
        Ok(None) => "missing".to_owned(),
        Err(error) => error.code.slug().to_owned(),
    }
}

#[test]
fn every_difference_from_cel_is_as_the_page_says() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let scope: Json = serde_json::from_str(EXAMPLE_SCOPE).unwrap();
    let table = page.split("<!-- differences -->").nth(1).unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() > 20, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> =
            row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, text, _, expect] = cells.as_slice() else { panic!("{row}") };
        assert_eq!(show(text, &scope), *expect, "{text}");
    }
}

/// The comparisons of the explicit planner. Quotes around a list of values are JSON.
#[test]
fn loose_comparisons_are_as_the_page_says() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let table = page.split("<!-- loose -->").nth(1).unwrap().split("<!-- /loose -->").next().unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() > 8, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [condition, holds, fails] = cells.as_slice() else { panic!("{row}") };
        let condition = Condition::parse(condition.trim_matches('`')).unwrap();
        let [atom] = condition.atoms() else { panic!("{row}") };
        for (values, expect) in [(holds, true), (fails, false)] {
            for value in values.split(", ") {
                let value: Json = serde_json::from_str(value.trim_matches('`')).unwrap();
                let found = match &atom.predicate {
                    Predicate::Equals(literal) => literal.equals(&value),
                    Predicate::Differs(literal) => !literal.equals(&value),
                    other => panic!("{other:?}"),
                };
                assert_eq!(found, expect, "{row}: {value}");
            }
        }
    }
}
