//! Collects runs' failure codes from the sources. A condition on one never gets a spelling warning.

#![expect(clippy::unwrap_used, reason = "where a source can't be read the test fails")]

use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use stepgraph_core::diagnostic::Code;
use stepgraph_core::source::Format;
use stepgraph_tests::find_diagnostics;

fn sources(folder: &Path, ending: &str, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            sources(&path, ending, texts);
        } else if name.ends_with(ending) && name != "tests.rs" {
            let text = std::fs::read_to_string(&path).unwrap();
            texts.push(text.split("#[cfg(test)]").next().unwrap_or_default().to_owned());
        }
    }
}

fn is_code(word: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    word.split_once('/').is_some_and(|(stage, what)| plain(stage) && plain(what))
}

fn codes(texts: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts {
        let words = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words = words.flat_map(|line| line.split('"').skip(1).step_by(2)).filter(|word| is_code(word));
        found.extend(words.map(str::to_owned));
        for named in text.split("Failure::new(").skip(1) {
            let name = named.trim_start().strip_prefix("Code::").and_then(|rest| rest.split('.').next());
            let code = name.and_then(|name| Code::ALL.iter().find(|code| format!("{code:?}") == name));
            found.extend(code.map(|code| code.slug().to_owned()));
        }
    }
    found
}

#[test]
fn every_code_with_which_something_fails_is_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for folder in ["machine", "node", "tool", "model", "cassette"] {
        sources(&root.join("core/src").join(folder), ".rs", &mut texts);
    }
    // `failure.rs` holds the list under test, so it is no evidence.
    for file in
        ["driver.rs", "host.rs", "machine.rs", "model.rs", "node.rs", "replay.rs", "stub.rs", "tool.rs"]
    {
        texts.push(std::fs::read_to_string(root.join("core/src").join(file)).unwrap());
    }
    sources(&root.join("wasm/js"), ".ts", &mut texts);
    let mut found = codes(&texts);
    // A trace that can't be sent fails outside the run.
    found.retain(|code| !code.starts_with("otel/"));
    for code in ["run/step-limit", "tool/timeout", "mcp/session-lost", "fork/failed"] {
        assert!(found.contains(code), "`{code}` is not found in the sources");
    }
    let misspelt = |code: &String| {
        let text = format!(
            "start: a\nnodes: {{a: {{type: log}}, b: {{type: log}}}}\nedges: [{{from: a, to: b, condition: \"error.code == {code}\"}}]\n"
        );
        let told = find_diagnostics(text.as_bytes(), Format::Auto, Some(&json!({}))).unwrap();
        let told = told.into_iter().find(|problem| problem.code == Code::NeverTrue)?;
        Some(format!("{}, {}", told.message, told.help.unwrap_or_default()))
    };
    let broken: Vec<String> = found.iter().filter_map(misspelt).collect();
    assert!(broken.is_empty(), "add these to `CODES` in core/src/failure.rs:\n{}", broken.join("\n"));
}
