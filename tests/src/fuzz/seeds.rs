//! Initial inputs, from the suite, its fixtures and the examples.

use crate::Suite;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

fn texts(folder: &str, ending: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

pub(super) fn bytes<T: AsRef<str>>(texts: &[T]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_ref().as_bytes().to_vec()).collect()
}

fn files() -> Vec<String> {
    let folders = [("suite/diagnostics", "yaml"), ("suite/diagnostics", "json"), ("../examples", "yaml")];
    folders.iter().flat_map(|(folder, ending)| texts(folder, ending)).collect()
}

fn cases() -> Vec<String> {
    Suite::all().iter().flat_map(|(_, cases)| cases.iter().map(crate::Case::text)).collect()
}

/// Returns whole plans and YAML samples.
pub fn plans() -> Vec<Vec<u8>> {
    let mut all = files();
    all.extend(cases());
    all.extend(
        texts("source", "txt")
            .iter()
            .flat_map(|text| text.split("\n====\n").map(str::to_owned).collect::<Vec<_>>()),
    );
    // Long texts take most of the time and add little.
    all.retain(|text| text.len() < 3000);
    bytes(&all)
}

fn strings(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::String(text) => found.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Json::Object(map) => map.values().for_each(|item| strings(item, found)),
        _ => {}
    }
}

fn words_of_plans() -> Vec<String> {
    let mut found = Vec::new();
    for text in files().into_iter().chain(cases()) {
        if let Ok(value) = serde_yaml::from_str::<Json>(&text) {
            strings(&value, &mut found);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns valid and invalid conditions.
pub fn conditions() -> Vec<Vec<u8>> {
    let mut all = words_of_plans();
    all.retain(|text| text.len() < 300 && text.contains(['=', '<', '>', '!', '.']) && !text.contains("${"));
    bytes(&all)
}

/// Returns valid and invalid templates.
pub fn templates() -> Vec<Vec<u8>> {
    let mut all = words_of_plans();
    all.retain(|text| text.len() < 300 && text.contains(['$', '{']));
    bytes(&all)
}

/// Returns event streams.
pub fn streams() -> Vec<Vec<u8>> {
    bytes(&[
        "data: a\n\n",
        "data: a\r\n\r\ndata: b\r\rdata: c\n\n",
        "\u{feff}: hello\nid: 1\nevent: tick\nretry: 500\ndata: {\"a\":1}\ndata: more\n\n",
        "id: 1\n\nid\n\ndata: ä€😀\n\ndata: not ended",
    ])
}

/// Returns JSON-RPC messages.
pub fn messages() -> Vec<Vec<u8>> {
    bytes(&[
        r#"{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string","x-mcp-header":"X"}}}}],"nextCursor":"n"}}"#,
        r#"[{"id":3,"error":{"code":-1,"message":"m","data":[1]}},{"id":"x","method":"ping"},{"method":"notifications/x","params":{"a":1.5}}]"#,
        r#"{"id":null,"error":{}}"#,
        r#"{"id":"3","result":{"content":[{"type":"text","text":"hi"}],"structuredContent":{"a":1},"isError":false,"resultType":"complete"}}"#,
    ])
}

/// Returns answers: a line with status and kind, then the body.
pub fn answers() -> Vec<Vec<u8>> {
    let head = |head: &str| {
        messages().into_iter().map(move |message| [head.as_bytes(), &message].concat()).collect::<Vec<_>>()
    };
    let stream =
        "200 sse\n: hi\ndata: {\"id\":\"a\",\"method\":\"ping\"}\n\nid: 4\ndata: {\"id\":7,\"result\":1}\n\n";
    [head("200 json\n"), head("404 json\n"), head("200 sse\ndata: "), bytes(&[stream])].concat()
}

/// Returns exchanges: answers separated by `----`.
pub fn exchanges() -> Vec<Vec<u8>> {
    let modern = "200 json\n{\"id\":$ID,\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}";
    let legacy = "400 json\n{\"id\":null,\"error\":{\"code\":-32601,\"message\":\"m\"}}\n----\n200 json session\n{\"id\":$ID,\"result\":{\"protocolVersion\":\"2025-11-25\"}}\n----\n202 json\n";
    let list = "200 json\n{\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}],\"nextCursor\":\"c\"}}";
    let last =
        "200 sse\ndata: {\"id\":1,\"method\":\"ping\"}\n\ndata: {\"id\":$ID,\"result\":{\"tools\":[]}}\n\n";
    let call = "200 json\n{\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}";
    let mismatch = "400 json\n{\"id\":$ID,\"error\":{\"code\":-32020,\"message\":\"m\"}}";
    bytes(&[
        [modern, list, last, call].join("\n----\n"),
        [legacy, list, last, call, "404 json\n", call].join("\n----\n"),
        [modern, mismatch, list, last, call, "200 cut\n{", "0 late\n"].join("\n----\n"),
    ])
}
