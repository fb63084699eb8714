//! Where fuzzing begins: the suite, its fixtures, the examples, and words that inputs are made of.

use crate::Suite;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// What plans are made of.
pub const PLAN: &[&str] = &[
    "nodes:",
    "edges:",
    "start: ",
    "id: ",
    "type: ",
    "tool: ",
    "input: ",
    "with: ",
    "metadata: ",
    "condition: ",
    "from: ",
    "to: ",
    "limits: ",
    "layout: ",
    "format: 1",
    "description: ",
    "inputs: ",
    "servers: ",
    "tests: ",
    "retry: ",
    "timeout_ms: 5",
    "graph: ",
    "branches: ",
    "do: ",
    "over: ",
    "noop",
    "log",
    "llm",
    "decision",
    "approve",
    "parallel",
    "map",
    "emit",
    "default",
    "always",
    "last",
    "output.a",
    "item",
    "index",
    "error.code",
    "${last}",
    "${output.a ?? 1}",
    "$${",
    "{{last}}",
    "last==x",
    "&&",
    "||",
    "!",
    "not ",
    " and last==y",
    "=",
    "\n",
    "\n  ",
    "\n    ",
    "\n      ",
    ": ",
    ", ",
    "- ",
    "? ",
    "&x ",
    "*x",
    "!!str ",
    "!t ",
    "|\n",
    "|-2\n",
    ">-\n",
    "\"",
    "'",
    "\\",
    "\\u00e9",
    "#",
    " # c\n",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "<<: ",
    "{",
    "}",
    "[",
    "]",
    "{}",
    "[]",
    "null",
    "~",
    "true",
    ".inf",
    ".nan",
    "0x1F",
    "0o17",
    "1e400",
    "-0",
    "a",
    "b",
    "step-1",
    "\t",
    "\r",
    "\u{feff}",
];

/// What conditions are made of.
pub const CONDITION: &[&str] = &[
    "last",
    "output",
    "output.n",
    "output[\"a b\"]",
    "input",
    "item",
    "index",
    "error",
    "context",
    "context.k",
    "memory",
    ".a",
    ".0",
    "[0]",
    "['k']",
    ".exists",
    ".contains:",
    ".contains",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "=",
    "===",
    "<>",
    "=>",
    "x",
    "1",
    "-1.5",
    "null",
    "true",
    "True",
    "\"q\"",
    "'q'",
    "\\\"",
    "\\u00e9",
    "\\",
    " ",
    "\t",
    "&&",
    "||",
    "!",
    "(",
    ")",
    "f(x)",
    "[1]",
    "{\"a\":1}",
    "default",
    "always",
    " and ",
    " or ",
    "not ",
    " is ",
    " is not ",
    " contains ",
    " in ",
    "${last}",
    "{{last}}",
    "$",
    "“",
    "”",
    "≠",
    "é",
    ":",
    ".",
    "[",
    "]",
    "*",
    "-",
];

/// What templates are made of.
pub const TEMPLATE: &[&str] = &[
    "${",
    "$${",
    "$$${",
    "$",
    "{",
    "}",
    "${last}",
    "${output.a}",
    "last",
    "input",
    "output.n",
    "context.k",
    "item",
    "error.code",
    ".a",
    "[0]",
    "[\"k\"]",
    "['k']",
    " ?? ",
    "??",
    "?",
    "\"x\"",
    "'x'",
    "\"",
    "'",
    "\\",
    "\\u0041",
    "1",
    "-1.5",
    "1e3",
    "true",
    "false",
    "null",
    " ",
    "\n",
    "${{last}}",
    "{{last}}",
    "$ {last}",
    " | upper",
    " || ",
    "(",
    ")",
    ":",
    ",",
    "+",
    "é",
    ".exists",
    ".contains",
    ".",
    "[",
    "]",
    "[*]",
];

/// What event streams are made of.
pub const STREAM: &[&str] = &[
    "data",
    "data:",
    "data: ",
    "event: ",
    "id: ",
    "id",
    "retry: ",
    "retry: 500",
    ":",
    ": c",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "\r\r",
    "\0",
    "\u{feff}",
    "message",
    "{}",
    "é",
    "😀",
    "x",
    "1",
];

/// What JSON-RPC is made of.
pub const MESSAGE: &[&str] = &[
    "{\"jsonrpc\":\"2.0\",",
    "\"id\":",
    "\"method\":",
    "\"params\":",
    "\"result\":",
    "\"error\":",
    "\"code\":",
    "\"message\":",
    "\"data\":",
    "\"ping\"",
    "null",
    "1",
    "7",
    "-32601",
    "\"7\"",
    "18446744073709551615",
    "1e400",
    "{}",
    "[]",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\ud83d",
    "\\ude00",
    "\\u0000",
    "true",
    "1.5",
    "\"tools\":",
    "\"name\":",
    "\"inputSchema\":",
    "\"x-mcp-header\":",
    "\"type\":\"string\"",
    "\"properties\":",
    "\"nextCursor\":",
    "\"content\":",
    "\"text\":",
    "\"structuredContent\":",
    "\"isError\":true",
    "\"resultType\":\"complete\"",
    "\"choices\":",
    "\"usage\":",
    "data: ",
    "\n\n",
    "200 json\n",
    "401 sse\n",
];

/// What scripts of answers are made of.
pub const EXCHANGE: &[&str] = &[
    "\n----\n",
    "200 json\n",
    "200 sse\n",
    "202 json\n",
    "400 json\n",
    "401 json\n",
    "404 json\n",
    "500 json\n",
    "200 cut\n",
    "0 late\n",
    "0 down\n",
    "data: ",
    "\n\n",
    "$ID",
    "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":",
    "{\"id\":$ID,\"error\":{\"code\":",
    "\"message\":\"m\"}}",
    "-32020",
    "-32021",
    "-32022",
    "-32601",
    "\"protocolVersion\":\"2025-11-25\"",
    "\"supportedVersions\":[\"2026-07-28\"]",
    "\"supported\":[\"2026-07-28\"]",
    "\"tools\":[",
    "\"name\":\"t\"",
    "\"inputSchema\":{",
    "\"x-mcp-header\":\"A\"",
    "\"properties\":{\"a\":{",
    "\"type\":\"string\"",
    "\"nextCursor\":\"c\"",
    "\"content\":[",
    "{\"type\":\"text\",\"text\":\"x\"}",
    "\"isError\":true",
    "{\"id\":1,\"method\":\"ping\"}",
    "session",
    "{}",
    "[",
    "]",
    "{",
    "}",
    ",",
    "null",
    "sk-marker-key",
];

/// The texts of a folder, in order of their names.
fn texts(folder: &str, ending: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

fn bytes<T: AsRef<str>>(texts: &[T]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_ref().as_bytes().to_vec()).collect()
}

/// Fixtures and examples as they stand in their files.
fn files() -> Vec<String> {
    let folders = [("suite/diagnostics", "yaml"), ("suite/diagnostics", "json"), ("../examples", "yaml")];
    folders.iter().flat_map(|(folder, ending)| texts(folder, ending)).collect()
}

fn cases() -> Vec<String> {
    Suite::all().iter().flat_map(|(_, cases)| cases.iter().map(crate::Case::text)).collect()
}

/// Whole plans, and samples of YAML.
pub fn plans() -> Vec<Vec<u8>> {
    let mut all = files();
    all.extend(cases());
    all.extend(
        texts("../core/tests/source", "txt")
            .iter()
            .flat_map(|text| text.split("\n====\n").map(str::to_owned).collect::<Vec<_>>()),
    );
    // The longest would take most of the time and show little.
    all.retain(|text| text.len() < 3000);
    bytes(&all)
}

/// Every text in a JSON value.
fn strings(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::String(text) => found.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Json::Object(map) => map.values().for_each(|item| strings(item, found)),
        _ => {}
    }
}

/// Every text in the plans of the suite, its fixtures and the examples.
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

/// Conditions, good and bad.
pub fn conditions() -> Vec<Vec<u8>> {
    let mut all = words_of_plans();
    all.retain(|text| text.len() < 300 && text.contains(['=', '<', '>', '!', '.']) && !text.contains("${"));
    bytes(&all)
}

/// Templates, good and bad.
pub fn templates() -> Vec<Vec<u8>> {
    let mut all = words_of_plans();
    all.retain(|text| text.len() < 300 && text.contains(['$', '{']));
    bytes(&all)
}

/// Event streams.
pub fn streams() -> Vec<Vec<u8>> {
    bytes(&[
        "data: a\n\n",
        "data: a\r\n\r\ndata: b\r\rdata: c\n\n",
        "\u{feff}: hello\nid: 1\nevent: tick\nretry: 500\ndata: {\"a\":1}\ndata: more\n\n",
        "id: 1\n\nid\n\ndata: ä€😀\n\ndata: not ended",
    ])
}

/// JSON-RPC messages.
pub fn messages() -> Vec<Vec<u8>> {
    bytes(&[
        r#"{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string","x-mcp-header":"X"}}}}],"nextCursor":"n"}}"#,
        r#"[{"id":3,"error":{"code":-1,"message":"m","data":[1]}},{"id":"x","method":"ping"},{"method":"notifications/x","params":{"a":1.5}}]"#,
        r#"{"id":null,"error":{}}"#,
        r#"{"id":"3","result":{"content":[{"type":"text","text":"hi"}],"structuredContent":{"a":1},"isError":false,"resultType":"complete"}}"#,
        r#"{"choices":[{"message":{"content":[{"text":"a"}],"refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#,
        r#"{"error":{"message":"wrong key","type":"rate_limit_error"}}"#,
    ])
}

/// Answers to one request: a line with status and kind, then the body.
pub fn answers() -> Vec<Vec<u8>> {
    let head = |head: &str| {
        messages().into_iter().map(move |message| [head.as_bytes(), &message].concat()).collect::<Vec<_>>()
    };
    let stream =
        "200 sse\n: hi\ndata: {\"id\":\"a\",\"method\":\"ping\"}\n\nid: 4\ndata: {\"id\":7,\"result\":1}\n\n";
    [head("200 json\n"), head("404 json\n"), head("200 sse\ndata: "), bytes(&[stream])].concat()
}

/// Whole conversations: answers with `----` between them.
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
