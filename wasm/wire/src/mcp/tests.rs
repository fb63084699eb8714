//! Conversations with scripted servers.
//!
//! A script writes a request as `method [name] (cursor) <session> v=version`, without the parts it lacks.

use super::options::Options;
use super::session::Session;
use super::{LEGACY, Limits, MODERN, Operation, ServerMessage, Step};
use crate::http::{HttpFailure, HttpHead, HttpRequest};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use stepgraph_core::tool::ToolError;

#[derive(Clone)]
enum Answer {
    /// `$ID` is a placeholder for the request's id.
    Body(HttpHead, String),
    Cut(HttpHead, String),
    Down,
    Late,
}

fn body(status: u16, text: &str) -> Answer {
    Answer::Body(HttpHead::new(status).with_header("content-type", "application/json"), text.to_owned())
}

fn ok(result: Value) -> Answer {
    body(200, &result_text(result))
}

#[allow(clippy::needless_pass_by_value, reason = "scripts read better without borrows")]
fn result_text(result: Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#)
}

fn err(status: u16, code: i64, message: &str) -> Answer {
    body(
        status,
        &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}}).to_string(),
    )
}

#[allow(clippy::needless_pass_by_value, reason = "scripts read better without borrows")]
fn err_data(status: u16, code: i64, data: Value) -> Answer {
    body(status, &json!({"id": null, "error": {"code": code, "message": "m", "data": data}}).to_string())
}

fn events(text: &str) -> Answer {
    Answer::Body(HttpHead::new(200).with_header("content-type", "text/event-stream"), text.to_owned())
}

fn discovered() -> Answer {
    ok(json!({"supportedVersions": [MODERN], "capabilities": {}}))
}

fn hello(version: &str, session: &str) -> Answer {
    let head = HttpHead::new(200).with_header("content-type", "application/json");
    let head = if session.is_empty() { head } else { head.with_header("Mcp-Session-Id", session) };
    Answer::Body(head, result_text(json!({"protocolVersion": version, "capabilities": {}})))
}

fn accepted() -> Answer {
    Answer::Body(HttpHead::new(202), String::new())
}

fn said(text: &str) -> Answer {
    ok(json!({"content": [{"type": "text", "text": text}]}))
}

fn session() -> Session {
    let limits = Limits { answer_bytes: 2000, pages: 5, pause_ms: 5000 };
    let headers = vec![("X-Own".to_owned(), "1".to_owned()), ("Accept".to_owned(), "text/plain".to_owned())];
    let (url, name) = ("http://host/mcp?key=hidden".to_owned(), "shop".to_owned());
    Session::new(Options {
        url,
        name,
        key: Some("sk-marker".to_owned()),
        headers,
        limits,
        ..Options::default()
    })
}

fn sent(request: &HttpRequest) -> Value {
    request.body.as_deref().map(|text| serde_json::from_str(text).unwrap()).unwrap_or_default()
}

fn shown(request: &HttpRequest) -> String {
    let body = sent(request);
    let mut text = body["method"].as_str().map_or_else(|| request.method.to_owned(), str::to_owned);
    if let Some(name) = body["params"]["name"].as_str() {
        _ = write!(text, " [{name}]");
    }
    if let Some(cursor) = body["params"]["cursor"].as_str() {
        _ = write!(text, " ({cursor})");
    }
    if let Some(session) = request.header("mcp-session-id") {
        _ = write!(text, " <{session}>");
    }
    if let Some(version) = request.header("mcp-protocol-version") {
        _ = write!(text, " v={version}");
    }
    text
}

fn turn(operation: &mut Operation, expect: &str, answer: &Answer) -> HttpRequest {
    let Step::Send(request) = operation.step() else {
        panic!("`{expect}` is not sent but {:?}", operation.step())
    };
    assert_eq!(shown(&request), expect);
    assert_eq!(operation.step(), Step::Wait, "a second request while one is outstanding");
    let id = sent(&request)["id"].to_string();
    match answer {
        Answer::Body(head, text) => {
            operation.head(head.clone());
            text.replace("$ID", &id).as_bytes().chunks(7).for_each(|chunk| _ = operation.chunk(chunk));
            operation.end();
        }
        Answer::Cut(head, text) => {
            operation.head(head.clone());
            operation.chunk(text.replace("$ID", &id).as_bytes());
            operation.failed(HttpFailure::network("cut off"));
        }
        Answer::Down => operation.failed(HttpFailure::network("nobody listens, said Bearer sk-marker")),
        Answer::Late => operation.failed(HttpFailure::timeout("time is up")),
    }
    request
}

fn run(mut operation: Operation, script: &[(&str, Answer)]) -> Result<Value, ToolError> {
    for (expect, answer) in script {
        turn(&mut operation, expect, answer);
    }
    let Step::Done(outcome) = operation.step() else { panic!("not done but {:?}", operation.step()) };
    assert_eq!(operation.step(), Step::Done(outcome.clone()), "an end is an end");
    if let Err(error) = &outcome {
        assert!(!error.message.contains("sk-marker") && !error.message.contains("hidden"), "{error}");
    }
    outcome
}

#[allow(clippy::needless_pass_by_value, reason = "cases read better without borrows")]
fn check(operation: Operation, script: &[(&str, Answer)], expect: Result<Value, &str>) {
    let found = run(operation, script);
    let shown = format!("{found:?} after {:?}", script.iter().map(|(line, _)| line).collect::<Vec<_>>());
    assert_eq!(found.as_ref().map_err(ToolError::code), expect.as_ref().map_err(|code| *code), "{shown}");
}

fn modern() -> Session {
    let session = session();
    let script =
        [("server/discover v=2026-07-28", discovered()), ("tools/call [warm] v=2026-07-28", said("up"))];
    check(session.call("warm", json!({}), Map::new()), &script, Ok(json!("up")));
    session
}

fn legacy() -> Session {
    let session = session();
    let script = [
        ("server/discover v=2026-07-28", err(400, -32000, "Server not initialized")),
        ("initialize", hello("2025-11-25", "s1")),
        ("notifications/initialized <s1> v=2025-11-25", accepted()),
        ("tools/call [warm] <s1> v=2025-11-25", said("up")),
    ];
    check(session.call("warm", json!({}), Map::new()), &script, Ok(json!("up")));
    session
}

const PROBE: &str = "server/discover v=2026-07-28";
const MODERN_CALL: &str = "tools/call [echo] v=2026-07-28";
const LEGACY_CALL: &str = "tools/call [echo] <s1> v=2025-11-25";

#[test]
fn modern_requests_are_self_contained() {
    let session = modern();
    let mut operation = session.call("echo", json!({"a": 1}), Map::new());
    let request = turn(&mut operation, MODERN_CALL, &said("a"));
    for (name, value) in [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("authorization", "Bearer sk-marker"),
        ("x-own", "1"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
    ] {
        assert_eq!(request.header(name), Some(value), "{name}");
    }
    assert_eq!((request.method, request.url.as_str()), ("POST", "http://host/mcp?key=hidden"));
    let params = &sent(&request)["params"];
    assert_eq!(params["arguments"], json!({"a": 1}));
    assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], MODERN);
    assert_eq!(params["_meta"]["io.modelcontextprotocol/clientCapabilities"], json!({}));
    assert_eq!(params["_meta"]["io.modelcontextprotocol/clientInfo"]["name"], "stepgraph");
    assert_eq!(session.version(), Some(MODERN));
}

#[test]
fn legacy_requests_have_no_modern_fields() {
    let session = legacy();
    let mut operation = session.call("echo", json!({}), Map::new());
    let request = turn(&mut operation, LEGACY_CALL, &said("a"));
    assert_eq!((request.header("mcp-method"), request.header("mcp-name")), (None, None));
    assert_eq!(sent(&request)["params"]["_meta"], json!({"progressToken": sent(&request)["id"]}));
    assert_eq!(session.version(), Some("2025-11-25"));
    let request = turn(&mut session.list(), "tools/list <s1> v=2025-11-25", &page(&[], None));
    assert_eq!(sent(&request)["params"], json!({}));
}

#[test]
fn detects_the_era() {
    let stream = |text: &str| events(&format!("id: 1\ndata:\n\ndata: {text}\n\n"));
    let versions = |key: &str, list: &[&str]| json!({key: list});
    for answer in [
        discovered(),
        stream(&result_text(versions("supportedVersions", &["2030-01-01", MODERN]))),
        err(400, -32020, "header mismatch"),
        err(400, -32021, "capability"),
    ] {
        check(
            session().call("echo", json!({}), Map::new()),
            &[(PROBE, answer), (MODERN_CALL, said("a"))],
            Ok(json!("a")),
        );
    }
    for answer in [
        err(400, -32000, "Server not initialized"),
        err(404, -32601, "unknown method"),
        err(200, -32601, "unknown method"),
        err(400, -32602, "bad"),
        err_data(400, -32022, versions("supported", &["2025-11-25"])),
        ok(versions("supportedVersions", &["2025-11-25"])),
        ok(json!({})),
        body(500, "<h1>oops</h1>"),
        body(502, ""),
        body(405, "no"),
        body(202, ""),
        body(200, "<html>"),
        events("data: garbage\n\n"),
        events(""),
        body(200, &"x".repeat(3000)),
        Answer::Down,
        Answer::Cut(HttpHead::new(200), "{".into()),
    ] {
        let script = [
            (PROBE, answer),
            ("initialize", hello("2025-11-25", "s1")),
            ("notifications/initialized <s1> v=2025-11-25", accepted()),
            (LEGACY_CALL, said("a")),
        ];
        check(session().call("echo", json!({}), Map::new()), &script, Ok(json!("a")));
    }
}

#[test]
fn retries_with_another_version_once() {
    let wrong = || err_data(400, -32022, json!({"supported": [MODERN]}));
    let script = [(PROBE, wrong()), (PROBE, discovered()), (MODERN_CALL, said("a"))];
    check(session().call("echo", json!({}), Map::new()), &script, Ok(json!("a")));
    check(session().list(), &[(PROBE, wrong()), (PROBE, wrong())], Err("mcp/unsupported-version"));
    let future = err_data(400, -32022, json!({"supported": ["2030-01-01"]}));
    check(session().list(), &[(PROBE, future)], Err("mcp/unsupported-version"));
}

#[test]
fn reports_failed_handshakes() {
    for (answer, code) in [
        (Answer::Late, "tool/timeout"),
        (body(401, ""), "tool/unauthorized"),
        (err(403, -32000, "no"), "tool/unauthorized"),
    ] {
        check(session().list(), &[(PROBE, answer)], Err(code));
    }
    for (answer, code) in [
        (Answer::Down, "tool/unreachable"),
        (Answer::Late, "tool/timeout"),
        (body(401, ""), "tool/unauthorized"),
        (body(404, "<p>not here</p>"), "mcp/protocol"),
        (body(500, ""), "mcp/protocol"),
        (err(200, -32603, "oh"), "mcp/protocol"),
        (err(400, -32602, "oh"), "tool/invalid-arguments"),
        (body(200, "<html>"), "tool/bad-reply"),
        (body(200, ""), "tool/bad-reply"),
        (body(200, "{\"id\":99,\"result\":{}}"), "tool/bad-reply"),
        (body(200, &"x".repeat(3000)), "tool/too-large"),
        (events(""), "mcp/stream-broken"),
        (hello("1999-01-01", ""), "mcp/unsupported-version"),
        (ok(json!({})), "mcp/unsupported-version"),
    ] {
        check(session().list(), &[(PROBE, body(400, "")), ("initialize", answer)], Err(code));
    }
    let script = [
        (PROBE, body(400, "")),
        ("initialize", hello("2025-11-25", "")),
        ("notifications/initialized v=2025-11-25", Answer::Down),
    ];
    check(session().list(), &script, Err("tool/unreachable"));
}

#[test]
fn the_next_operation_retries_a_failed_handshake() {
    let session = session();
    check(session.list(), &[(PROBE, Answer::Late)], Err("tool/timeout"));
    check(
        session.call("echo", json!({}), Map::new()),
        &[(PROBE, discovered()), (MODERN_CALL, said("a"))],
        Ok(json!("a")),
    );
}

#[test]
fn supports_every_legacy_revision() {
    for version in LEGACY {
        let header = if version >= "2025-06-18" { format!(" v={version}") } else { String::new() };
        let lines = [format!("notifications/initialized{header}"), format!("tools/call [echo]{header}")];
        let script = [
            (PROBE, body(404, "")),
            ("initialize", hello(version, "")),
            (lines[0].as_str(), body(500, "a notification has no answer")),
            (lines[1].as_str(), said("a")),
        ];
        check(session().call("echo", json!({}), Map::new()), &script, Ok(json!("a")));
    }
}

#[test]
fn calls() {
    let failed = ok(json!({"content": [{"type": "text", "text": "no such item"}], "isError": true}));
    for (answer, expect) in [
        (said("a"), Ok(json!("a"))),
        (ok(json!({"content": [], "structuredContent": {"a": 1}})), Ok(json!({"a": 1}))),
        (failed, Err("tool/failed")),
        (err(200, -32602, "unknown tool"), Err("tool/invalid-arguments")),
        (err(400, -32602, "unknown tool"), Err("tool/invalid-arguments")),
        (err(200, -32603, "oh"), Err("mcp/protocol")),
        (ok(json!({"resultType": "input_required", "inputRequests": {}})), Err("tool/bad-reply")),
        (
            ok(
                json!({"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create"}}}),
            ),
            Err("mcp/input-required"),
        ),
        (ok(json!({"resultType": "task", "content": []})), Err("tool/bad-reply")),
        (err(400, -32021, "lacking"), Err("mcp/missing-capability")),
        (body(503, "busy"), Err("mcp/protocol")),
        (body(301, ""), Err("mcp/protocol")),
        (body(200, "{\"id\":$ID,\"result\":"), Err("tool/bad-reply")),
        (body(200, ""), Err("tool/bad-reply")),
        (body(200, &"x".repeat(3000)), Err("tool/too-large")),
        (events(&format!("data: {}\n\n", "x".repeat(3000))), Err("tool/too-large")),
        (Answer::Down, Err("tool/unreachable")),
        (Answer::Late, Err("tool/timeout")),
        (Answer::Cut(HttpHead::new(200), "{\"id\"".into()), Err("tool/unreachable")),
        (events("data: {\"id\":77,\"result\":{}}\n\n"), Err("mcp/stream-broken")),
    ] {
        check(modern().call("echo", json!({}), Map::new()), &[(MODERN_CALL, answer.clone())], expect.clone());
        check(legacy().call("echo", json!({}), Map::new()), &[(LEGACY_CALL, answer)], expect);
    }
}

#[test]
fn quotes_only_the_error_of_a_tool() {
    let failed = ok(json!({"content": [{"type": "text", "text": "bad key sk-marker"}], "isError": true}));
    let error = run(modern().call("echo", json!({}), Map::new()), &[(MODERN_CALL, failed)]).unwrap_err();
    assert_eq!(error.message, "bad key [secret]");
    let error =
        run(modern().call("echo", json!({}), Map::new()), &[(MODERN_CALL, Answer::Down)]).unwrap_err();
    assert_eq!(error.message, "`host/mcp` could not be reached: nobody listens, said Bearer [secret]");
}

#[test]
fn streams_carry_other_messages() {
    let stream = concat!(
        "id: 1\nretry: 500\ndata:\n\n",
        ": keep alive\n\n",
        "data: {\"method\":\"notifications/progress\",\"params\":{}}\n\n",
        "data: {\"id\":\"p\",\"method\":\"ping\"}\n\n",
        "data: {\"id\":1,\"method\":\"roots/list\"}\n\n",
        "data: {\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}}\n\n",
        "data: {\"id\":$ID,\"result\":{\"content\":[]}}\n\n",
    );
    let session = legacy();
    let mut operation = session.call("echo", json!({}), Map::new());
    turn(&mut operation, LEGACY_CALL, &events(stream));
    let messages = operation.server_messages();
    let bodies: Vec<Value> = messages
        .iter()
        .map(|messages| match messages {
            ServerMessage::Send(request) => {
                assert_eq!(request.header("mcp-session-id"), Some("s1"));
                sent(request)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(bodies[0], json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!((&bodies[1]["id"], &bodies[1]["error"]["code"]), (&json!(1), &json!(-32601)));
    assert_eq!((operation.step(), operation.server_messages().len()), (Step::Done(Ok(json!("a"))), 0));
    // A modern server may not send requests.
    let session = modern();
    let mut operation = session.call("echo", json!({}), Map::new());
    turn(&mut operation, MODERN_CALL, &events(stream));
    assert_eq!((operation.step(), operation.server_messages().len()), (Step::Done(Ok(json!("a"))), 0));
}

#[test]
fn stops_reading_after_the_reply() {
    let session = modern();
    let mut operation = session.call("echo", json!({}), Map::new());
    let Step::Send(request) = operation.step() else { panic!() };
    operation.head(HttpHead::new(200).with_header("content-type", "text/event-stream"));
    assert!(!operation.chunk(b"data: {\"method\":\"n\"}\n\n"));
    let answer = format!("data: {{\"id\":{},\"result\":{{\"content\":[]}}}}\n\n", sent(&request)["id"]);
    assert!(operation.chunk(answer.as_bytes()));
    assert!(operation.chunk(b"more"));
    operation.failed(HttpFailure::network("we hung up"));
    assert_eq!(operation.step(), Step::Done(Ok(Value::Null)));
}

fn page(names: &[&str], next: Option<&str>) -> Answer {
    let tools: Vec<Value> =
        names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
    ok(next.map_or_else(|| json!({"tools": tools}), |next| json!({"tools": tools, "nextCursor": next})))
}

fn listed(names: &[&str]) -> Value {
    let info = |name: &&str| json!({"name": name, "input_schema": {"type": "object"}, "server": "shop"});
    Value::Array(names.iter().map(info).collect())
}

#[test]
fn lists() {
    let first = "tools/list v=2026-07-28";
    let next = |cursor: &str| format!("{first} ({cursor})").replace(" v=2026-07-28", "") + " v=2026-07-28";
    let (at1, at2, at3, at4, empty) = (next("1"), next("2"), next("3"), next("4"), next(""));
    let (at1, at2, at3, at4, empty) =
        (at1.as_str(), at2.as_str(), at3.as_str(), at4.as_str(), empty.as_str());
    for (script, expect) in [
        (vec![(first, page(&[], None))], Ok(listed(&[]))),
        (
            vec![(first, page(&["a", "b"], Some("1"))), (at1, page(&["c"], None))],
            Ok(listed(&["a", "b", "c"])),
        ),
        (vec![(first, page(&["a"], Some(""))), (empty, page(&["b"], None))], Ok(listed(&["a", "b"]))),
        (vec![(first, page(&[], Some("1"))), (at1, page(&[], Some("1")))], Err("mcp/endless-pages")),
        (
            vec![(first, page(&[], Some("1"))), (at1, page(&[], Some("2"))), (at2, page(&[], Some("1")))],
            Err("mcp/endless-pages"),
        ),
        (
            vec![
                (first, page(&[], Some("1"))),
                (at1, page(&[], Some("2"))),
                (at2, page(&[], Some("3"))),
                (at3, page(&[], Some("4"))),
                (at4, page(&[], Some("5"))),
            ],
            Err("mcp/endless-pages"),
        ),
        (vec![(first, page(&["a"], Some("1"))), (at1, body(500, ""))], Err("mcp/protocol")),
        (vec![(first, ok(json!({"tools": 1})))], Err("tool/bad-reply")),
    ] {
        check(modern().list(), &script, expect);
    }
    // Here, an empty cursor marks the last page.
    check(legacy().list(), &[("tools/list <s1> v=2025-11-25", page(&["a"], Some("")))], Ok(listed(&["a"])));
}

#[test]
fn sends_arguments_in_param_headers() {
    let city = json!({"properties": {"city": {"type": "string", "x-mcp-header": "City"}}});
    let bad = json!({"properties": {"city": {"type": "string", "x-mcp-header": "a b"}}});
    let tools =
        json!({"tools": [{"name": "echo", "inputSchema": city}, {"name": "bad", "inputSchema": bad}]});
    let list = || ("tools/list v=2026-07-28", ok(tools.clone()));
    let arguments = || json!({"city": "Zürich"});
    let session = modern();
    let found = run(session.list(), &[list()]).unwrap();
    let reasons = found.as_array().unwrap().iter().map(|tool| tool["unavailable"].is_string());
    assert_eq!(reasons.collect::<Vec<_>>(), [false, true]);
    assert_eq!(run(session.call("bad", json!({}), Map::new()), &[]).unwrap_err().code(), "tool/unavailable");
    let request = turn(&mut session.call("echo", arguments(), Map::new()), MODERN_CALL, &said("a"));
    assert_eq!(request.header("mcp-param-city"), Some("=?base64?WsO8cmljaA==?="));
    // If there is no tool list, the refusal teaches the headers, once.
    let refused = || (MODERN_CALL, err(400, -32020, "header mismatch"));
    let session = modern();
    let mut operation = session.call("echo", arguments(), Map::new());
    turn(&mut operation, MODERN_CALL, &refused().1);
    turn(&mut operation, "tools/list v=2026-07-28", &list().1);
    let request = turn(&mut operation, MODERN_CALL, &said("a"));
    assert_eq!(request.header("mcp-param-city"), Some("=?base64?WsO8cmljaA==?="));
    assert_eq!(operation.step(), Step::Done(Ok(json!("a"))));
    check(
        modern().call("echo", arguments(), Map::new()),
        &[refused(), list(), refused()],
        Err("mcp/protocol"),
    );
    let broken = ("tools/list v=2026-07-28", body(200, "<html>"));
    check(modern().call("echo", arguments(), Map::new()), &[refused(), broken], Err("tool/bad-reply"));
}

#[test]
fn reopens_a_lost_session_once() {
    let again = |session: &str| {
        let line = format!("tools/call [echo] <{session}> v=2025-11-25");
        (line.replace("<>", ""), format!("notifications/initialized <{session}> v=2025-11-25"))
    };
    let (call2, hello2) = again("s2");
    for lost in [
        body(404, ""),
        err(404, -32001, "Session not found"),
        err(400, -32000, "Bad Request: No valid session ID provided"),
        body(400, "unknown Session"),
        err(400, -32000, "Bad Request: Server not initialized"),
    ] {
        let opening = [
            (LEGACY_CALL, lost.clone()),
            ("initialize", hello("2025-11-25", "s2")),
            (hello2.as_str(), accepted()),
        ];
        let once = [&opening[..], &[(call2.as_str(), said("a"))]].concat();
        check(legacy().call("echo", json!({}), Map::new()), &once, Ok(json!("a")));
        let twice = [&opening[..], &[(call2.as_str(), lost)]].concat();
        check(legacy().call("echo", json!({}), Map::new()), &twice, Err("mcp/session-lost"));
    }
    for other in [err(400, -32602, "bad arguments"), body(400, "no"), body(410, "session")] {
        let outcome = run(legacy().call("echo", json!({}), Map::new()), &[(LEGACY_CALL, other)]);
        assert!(outcome.is_err_and(|error| error.code() != "mcp/session-lost"));
    }
}

#[test]
fn restarts_a_list_in_a_new_session() {
    let script = [
        ("tools/list <s1> v=2025-11-25", page(&["a"], Some("1"))),
        ("tools/list (1) <s1> v=2025-11-25", body(404, "")),
        ("initialize", hello("2025-11-25", "s2")),
        ("notifications/initialized <s2> v=2025-11-25", accepted()),
        ("tools/list <s2> v=2025-11-25", page(&["a"], Some("1"))),
        ("tools/list (1) <s2> v=2025-11-25", page(&["b"], None)),
    ];
    check(legacy().list(), &script, Ok(listed(&["a", "b"])));
}

#[test]
fn one_operation_opens_and_others_wait() {
    let session = session();
    let (mut one, mut two) = (session.call("echo", json!({}), Map::new()), session.list());
    turn(&mut one, PROBE, &body(400, ""));
    assert_eq!(two.step(), Step::Wait);
    turn(&mut one, "initialize", &hello("2025-11-25", "s1"));
    assert_eq!(two.step(), Step::Wait);
    turn(&mut one, "notifications/initialized <s1> v=2025-11-25", &accepted());
    turn(&mut two, "tools/list <s1> v=2025-11-25", &page(&["a"], None));
    turn(&mut one, LEGACY_CALL, &said("a"));
    assert_eq!((one.step(), two.step()), (Step::Done(Ok(json!("a"))), Step::Done(Ok(listed(&["a"])))));
}

#[test]
fn a_waiting_operation_takes_over_the_handshake() {
    let session = session();
    let (mut one, mut two) = (session.list(), session.call("echo", json!({}), Map::new()));
    let Step::Send(_) = one.step() else { panic!() };
    assert_eq!(two.step(), Step::Wait);
    drop(one);
    check(two, &[(PROBE, discovered()), (MODERN_CALL, said("a"))], Ok(json!("a")));
    two = session.list();
    check(two, &[("tools/list v=2026-07-28", page(&[], None))], Ok(listed(&[])));
}

#[test]
fn two_operations_reopen_a_session_once() {
    let session = legacy();
    let (mut one, mut two) =
        (session.call("echo", json!({}), Map::new()), session.call("echo", json!({}), Map::new()));
    let (Step::Send(_), Step::Send(_)) = (one.step(), two.step()) else { panic!() };
    for operation in [&mut one, &mut two] {
        operation.head(HttpHead::new(404));
    }
    one.end();
    turn(&mut one, "initialize", &hello("2025-11-25", "s2"));
    two.end();
    assert_eq!(two.step(), Step::Wait);
    turn(&mut one, "notifications/initialized <s2> v=2025-11-25", &accepted());
    for operation in [&mut one, &mut two] {
        turn(operation, "tools/call [echo] <s2> v=2025-11-25", &said("a"));
        assert_eq!(operation.step(), Step::Done(Ok(json!("a"))));
    }
}

fn with_auth() -> Session {
    Session::new(Options { url: "http://host/mcp".to_owned(), has_auth: true, ..Options::default() })
}

fn refused(status: u16, challenge: &str) -> Answer {
    Answer::Body(HttpHead::new(status).with_header("www-authenticate", challenge), String::new())
}

#[test]
fn retries_with_a_new_token() {
    let session = with_auth();
    let mut operation = session.call("echo", json!({}), Map::new());
    for (line, status, challenge) in [
        (PROBE, 401, "Bearer realm=\"x\""),
        (PROBE, 401, "Bearer realm=\"x\""),
        (MODERN_CALL, 403, "Bearer error=\"insufficient_scope\", scope=\"a\""),
    ] {
        let request = turn(&mut operation, line, &refused(status, challenge));
        let challenged = Step::Challenge { status, header: Some(challenge.to_owned()) };
        assert_eq!((operation.step(), operation.step()), (challenged.clone(), challenged), "{request:?}");
        session.set_key(Some(format!("token-{status}")));
        operation.authorized(true);
        if line == PROBE && session.version().is_none() && request.header("authorization").is_some() {
            turn(&mut operation, PROBE, &discovered());
        }
    }
    let request = turn(&mut operation, MODERN_CALL, &said("token-401 and token-403"));
    assert_eq!(request.header("authorization"), Some("Bearer token-403"));
    // A server may repeat its input.
    assert_eq!(operation.step(), Step::Done(Ok(json!("[secret] and [secret]"))));
}

#[test]
fn reports_the_refusal_without_a_new_token() {
    let session = with_auth();
    let (mut one, mut two) = (session.call("echo", json!({}), Map::new()), session.list());
    turn(&mut one, PROBE, &refused(401, ""));
    assert_eq!(two.step(), Step::Wait, "one operation gets the token for all");
    one.authorized(false);
    assert!(matches!(one.step(), Step::Done(Err(error)) if error.code() == "tool/unauthorized"));
    for _ in 0..5 {
        turn(&mut two, PROBE, &refused(401, ""));
        two.authorized(true);
    }
    turn(&mut two, PROBE, &refused(401, ""));
    assert!(matches!(two.step(), Step::Done(Err(error)) if error.code() == "tool/unauthorized"));
    check(with_auth().list(), &[(PROBE, refused(403, "Bearer"))], Err("tool/unauthorized"));
}

#[test]
fn ends_sessions() {
    for answer in [body(200, ""), body(405, ""), body(404, ""), Answer::Down, Answer::Late] {
        check(legacy().close(), &[("DELETE <s1> v=2025-11-25", answer)], Ok(Value::Null));
    }
    check(modern().close(), &[], Ok(Value::Null));
    check(session().close(), &[], Ok(Value::Null));
    let session = legacy();
    check(session.close(), &[("DELETE <s1> v=2025-11-25", body(200, ""))], Ok(Value::Null));
    check(session.close(), &[], Ok(Value::Null));
    let script = [
        ("initialize", hello("2025-11-25", "s2")),
        ("notifications/initialized <s2> v=2025-11-25", accepted()),
        ("tools/list <s2> v=2025-11-25", page(&[], None)),
    ];
    check(session.list(), &script, Ok(listed(&[])));
}

#[test]
fn ignores_unexpected_calls() {
    let mut operation = session().list();
    operation.head(HttpHead::new(200));
    assert!(operation.chunk(b"data"));
    operation.end();
    operation.failed(HttpFailure::network("none"));
    check(operation, &[(PROBE, Answer::Late)], Err("tool/timeout"));
}

fn with_host(known: Option<&str>) -> Session {
    let capabilities = json!({"elicitation": {"form": {}}, "roots": {}});
    Session::new(Options {
        url: "http://host/mcp".to_owned(),
        capabilities: capabilities.as_object().cloned().unwrap(),
        known_version: known.map(str::to_owned),
        limits: Limits { pause_ms: 5000, ..Limits::default() },
        ..Options::default()
    })
}

fn asking(requests: &Value, state: Option<&str>) -> Answer {
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    ok(result)
}

#[test]
fn answers_input_requests_of_modern_servers() {
    let session = with_host(None);
    let mut operation = session.call("echo", json!({"a": 1}), Map::new());
    turn(&mut operation, PROBE, &discovered());
    let input_requests =
        json!({"where": {"method": "roots/list"}, "who": {"method": "elicitation/create", "params": {}}});
    let first = turn(&mut operation, MODERN_CALL, &asking(&input_requests, Some("{\"a\": \u{e9}}")));
    assert_eq!(
        (operation.step(), operation.step()),
        (Step::Ask(input_requests.clone()), Step::Ask(input_requests))
    );
    let answers = json!({"where": {"roots": []}, "who": {"action": "decline"}});
    operation.answer(answers.clone());
    // The client does not repeat the answers for a state without input requests.
    let second = turn(&mut operation, MODERN_CALL, &asking(&json!({}), Some("next")));
    let third = turn(&mut operation, MODERN_CALL, &said("a"));
    assert_eq!(operation.step(), Step::Done(Ok(json!("a"))));
    let [first, second, third] = [first, second, third].map(|request| sent(&request));
    assert_eq!(first["params"].get("requestState").or(first["params"].get("inputResponses")), None);
    assert_eq!(second["params"]["requestState"], json!("{\"a\": \u{e9}}"));
    assert_eq!(
        (&second["params"]["inputResponses"], &second["params"]["arguments"]),
        (&answers, &json!({"a": 1}))
    );
    assert_eq!(
        (&third["params"]["requestState"], third["params"].get("inputResponses")),
        (&json!("next"), None)
    );
    assert!(first["id"] != second["id"] && second["id"] != third["id"]);
    let capabilities = &first["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*capabilities, json!({"elicitation": {"form": {}}, "roots": {}}));
}

#[test]
fn rejects_unsupported_input_requests() {
    for request in [
        json!({"method": "sampling/createMessage"}),
        json!({"method": "elicitation/create", "params": {"mode": "url", "message": "come"}}),
        json!({"method": "no/such"}),
        json!(1),
    ] {
        let answer = asking(&json!({"ok": {"method": "roots/list"}, "a": request}), None);
        check(
            with_host(None).call("echo", json!({}), Map::new()),
            &[(PROBE, discovered()), (MODERN_CALL, answer)],
            Err("mcp/input-required"),
        );
    }
    let answer = asking(&json!({"a": {"method": "roots/list"}}), None);
    check(
        with_host(None).list(),
        &[(PROBE, discovered()), ("tools/list v=2026-07-28", answer)],
        Err("tool/bad-reply"),
    );
    let endless = vec![(MODERN_CALL, asking(&json!({}), Some("on"))); 11];
    let script = [vec![(PROBE, discovered())], endless].concat();
    check(with_host(None).call("echo", json!({}), Map::new()), &script, Err("mcp/input-required"));
}

#[test]
fn forwards_requests_of_legacy_servers() {
    let session = with_host(Some("2025-11-25"));
    let mut operation = session.call("echo", json!({}), Map::new());
    turn(&mut operation, "initialize", &hello("2025-11-25", "s1"));
    turn(&mut operation, "notifications/initialized <s1> v=2025-11-25", &accepted());
    let stream = concat!(
        "data: {\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"who?\"}}\n\n",
        "data: {\"id\":8,\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\"}}\n\n",
        "data: {\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$ID,\"progress\":1,\"x\":2}}\n\n",
        "data: {\"method\":\"notifications/progress\",\"params\":{\"progressToken\":99,\"progress\":1}}\n\n",
        "data: {\"method\":\"notifications/tools/list_changed\"}\n\n",
        "data: {\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"a:b\"}}\n\n",
        "data: {\"id\":$ID,\"result\":{\"content\":[]}}\n\n",
    );
    turn(&mut operation, LEGACY_CALL, &events(stream));
    let messages = operation.server_messages();
    let params = json!({"message": "who?"});
    assert_eq!(
        messages[0],
        ServerMessage::Request { id: json!("q"), method: "elicitation/create".to_owned(), params }
    );
    assert!(matches!(&messages[1], ServerMessage::Send(request) if sent(request)["error"]["code"] == -32601));
    assert_eq!(messages[2], ServerMessage::Progress(json!({"progress": 1})));
    assert_eq!(messages[3], ServerMessage::Changed(json!({"what": "tools"})));
    assert_eq!(messages[4], ServerMessage::Changed(json!({"what": "resource", "uri": "a:b"})));
    assert_eq!(messages.len(), 5);
    let reply = session.reply(&json!("q"), Ok(json!({"action": "cancel"}))).unwrap();
    assert_eq!(reply.header("mcp-session-id"), Some("s1"));
    assert_eq!(sent(&reply), json!({"jsonrpc": "2.0", "id": "q", "result": {"action": "cancel"}}));
    assert_eq!(sent(&session.reply(&json!(1), Err("no")).unwrap())["error"]["message"], "no");
    let session = Session::new(Options {
        url: "http://host/mcp".to_owned(),
        capabilities: json!({"elicitation": {"url": {}}}).as_object().cloned().unwrap(),
        version: Some("2025-11-25".to_owned()),
        ..Options::default()
    });
    let mut operation = session.call("echo", json!({}), Map::new());
    turn(&mut operation, "initialize", &hello("2025-11-25", "s1"));
    turn(&mut operation, "notifications/initialized <s1> v=2025-11-25", &accepted());
    let visit = json!({"elicitations": [{"mode": "url", "url": "http://pay", "message": "pay"}]});
    turn(&mut operation, LEGACY_CALL, &err_data(200, -32042, visit.clone()));
    assert!(
        matches!(operation.step(), Step::Ask(input_requests) if input_requests["0"]["params"]["url"] == "http://pay")
    );
    operation.answer(json!({"0": {"action": "accept"}}));
    let request = turn(&mut operation, LEGACY_CALL, &err_data(200, -32042, visit));
    assert_eq!(sent(&request)["params"].get("inputResponses"), None);
    assert!(matches!(operation.step(), Step::Done(Err(error)) if error.code() == "mcp/input-required"));
}

fn pause(operation: &mut Operation, expect: u64) {
    assert_eq!(operation.step(), Step::Pause(expect));
}

#[test]
fn resumes_a_broken_stream() {
    let resumed = "GET <s1> v=2025-11-25";
    let session = legacy();
    let mut operation = session.call("echo", json!({}), Map::new());
    turn(&mut operation, LEGACY_CALL, &events("id: a\nretry: 500\ndata:\n\n"));
    pause(&mut operation, 500);
    let request = turn(&mut operation, resumed, &Answer::Down);
    assert_eq!(
        (request.header("last-event-id"), request.header("accept")),
        (Some("a"), Some("text/event-stream"))
    );
    // A pause applies until the server sends another one.
    pause(&mut operation, 500);
    let cut = HttpHead::new(200).with_header("content-type", "text/event-stream");
    turn(&mut operation, resumed, &Answer::Cut(cut, "id: b\nretry: 700\ndata:\n\nda".to_owned()));
    pause(&mut operation, 700);
    let Step::Send(request) = operation.step() else { panic!() };
    assert_eq!(request.header("last-event-id"), Some("b"));
    operation.head(HttpHead::new(200).with_header("content-type", "text/event-stream"));
    let id = operation.cancel("why").map(|request| sent(&request)["params"]["requestId"].clone()).unwrap();
    operation.chunk(format!("data: {{\"id\":{id},\"result\":{{\"content\":[]}}}}\n\n").as_bytes());
    operation.end();
    assert_eq!(operation.step(), Step::Done(Ok(Value::Null)));
    // No event id, an illegal one, a refusal, a long pause, a modern server.
    let ended = |text: &str| (LEGACY_CALL, events(text));
    for (script, code) in [
        (vec![ended("data: {\"method\":\"n\"}\n\n")], "mcp/stream-broken"),
        (vec![ended("id: \u{e9}\ndata:\n\n")], "mcp/stream-broken"),
        (vec![ended("id: a\nretry: 5001\ndata:\n\n")], "mcp/stream-broken"),
    ] {
        check(legacy().call("echo", json!({}), Map::new()), &script, Err(code));
    }
    check(
        modern().call("echo", json!({}), Map::new()),
        &[(MODERN_CALL, events("id: a\ndata:\n\n"))],
        Err("mcp/stream-broken"),
    );
    for refused in [body(405, ""), body(404, ""), err(400, -32000, "no such session")] {
        let mut operation = legacy().call("echo", json!({}), Map::new());
        turn(&mut operation, LEGACY_CALL, &events("id: a\nretry: 1\ndata:\n\n"));
        pause(&mut operation, 100);
        check(operation, &[(resumed, refused)], Err("mcp/stream-broken"));
    }
    let mut operation = legacy().list();
    turn(&mut operation, "tools/list <s1> v=2025-11-25", &events("id: a\ndata:\n\n"));
    pause(&mut operation, 1000);
    turn(&mut operation, resumed, &body(405, ""));
    check(operation, &[("tools/list <s1> v=2025-11-25", page(&["a"], None))], Ok(listed(&["a"])));
}

#[test]
fn cancels_operations() {
    let session = legacy();
    let mut operation = session.call("echo", json!({}), Map::new());
    assert_eq!(operation.cancel("early"), None);
    let Step::Send(request) = operation.step() else { panic!() };
    let notice = operation.cancel("why").unwrap();
    let params = json!({"requestId": sent(&request)["id"], "reason": "why"});
    assert_eq!(
        (&sent(&notice)["method"], &sent(&notice)["params"]),
        (&json!("notifications/cancelled"), &params)
    );
    assert_eq!(notice.header("mcp-session-id"), Some("s1"));
    // Closing the connection is enough.
    let session = with_host(Some("2025-11-25"));
    let mut operation = session.call("echo", json!({}), Map::new());
    let Step::Send(_) = operation.step() else { panic!() };
    assert_eq!(operation.cancel("why"), None);
    let session = modern();
    let mut operation = session.call("echo", json!({}), Map::new());
    let Step::Send(_) = operation.step() else { panic!() };
    assert_eq!(operation.cancel("why"), None);
    let mut operation = legacy().call("echo", json!({}), Map::new());
    turn(&mut operation, LEGACY_CALL, &events("id: a\ndata:\n\n"));
    operation.failed(HttpFailure::timeout(""));
    assert!(matches!(operation.step(), Step::Done(Err(error)) if error.code() == "tool/timeout"));
}

#[test]
fn watches_for_changes() {
    let listen = "subscriptions/listen v=2026-07-28";
    let session = modern();
    let mut operation = session.watch(json!({"toolsListChanged": true}));
    let request = turn(
        &mut operation,
        listen,
        &events("data: {\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n\n"),
    );
    assert_eq!(sent(&request)["params"]["notifications"], json!({"toolsListChanged": true}));
    assert_eq!(operation.server_messages().first(), Some(&ServerMessage::Changed(json!({"what": "tools"}))));
    pause(&mut operation, 1000);
    check(operation, &[(listen, ok(json!({})))], Ok(Value::Null));
    check(session.watch(json!({})), &[(listen, err(404, -32601, "no such method"))], Err("mcp/protocol"));
    let get = "GET <s1> v=2025-11-25";
    let mut operation = legacy().watch(json!({}));
    for _ in 0..5 {
        turn(&mut operation, get, &events(""));
        assert_eq!(operation.server_messages().len(), 3, "whatever changed in between");
        pause(&mut operation, 1000);
    }
    check(operation, &[(get, events(""))], Err("mcp/stream-broken"));
    check(legacy().watch(json!({})), &[(get, body(405, ""))], Err("mcp/protocol"));
    let script = [
        (get, body(404, "")),
        ("initialize", hello("2025-11-25", "s2")),
        ("notifications/initialized <s2> v=2025-11-25", accepted()),
        ("GET <s2> v=2025-11-25", body(405, "")),
    ];
    check(legacy().watch(json!({})), &script, Err("mcp/protocol"));
}

#[test]
fn uses_only_a_pinned_revision() {
    let pinned = |version: &str| {
        let url = "http://host/mcp".to_owned();
        Session::new(Options { url, version: Some(version.to_owned()), ..Options::default() })
    };
    check(pinned(MODERN).call("echo", json!({}), Map::new()), &[(MODERN_CALL, said("a"))], Ok(json!("a")));
    check(
        pinned(MODERN).call("echo", json!({}), Map::new()),
        &[(MODERN_CALL, body(404, ""))],
        Err("mcp/protocol"),
    );
    let hello_to = |version: &str| ("initialize", hello(version, ""));
    let mut operation = pinned("2025-03-26").list();
    let request = turn(&mut operation, "initialize", &hello("2025-03-26", ""));
    assert_eq!(sent(&request)["params"]["protocolVersion"], "2025-03-26");
    check(pinned("2025-06-18").list(), &[hello_to("2025-11-25")], Err("mcp/unsupported-version"));
    let other = err_data(400, -32022, json!({"supported": ["2025-11-25"]}));
    check(
        pinned(MODERN).call("echo", json!({}), Map::new()),
        &[(MODERN_CALL, other)],
        Err("mcp/unsupported-version"),
    );
    let again = err_data(400, -32022, json!({"supported": [MODERN]}));
    let script = [(MODERN_CALL, again.clone()), (MODERN_CALL, said("a"))];
    check(pinned(MODERN).call("echo", json!({}), Map::new()), &script, Ok(json!("a")));
    let script = [(MODERN_CALL, again.clone()), (MODERN_CALL, again)];
    check(pinned(MODERN).call("echo", json!({}), Map::new()), &script, Err("mcp/unsupported-version"));
}

#[test]
fn trusts_the_remembered_era_until_contradicted() {
    let list = "tools/list v=2026-07-28";
    check(with_host(Some(MODERN)).list(), &[(list, page(&["a"], None))], Ok(with_server(&["a"], "")));
    // Never relies on an assumed era, because it is not repeatable.
    check(
        with_host(Some(MODERN)).call("echo", json!({}), Map::new()),
        &[(PROBE, discovered()), (MODERN_CALL, said("a"))],
        Ok(json!("a")),
    );
    for contradiction in
        [body(404, ""), err(400, -32000, "Server not initialized"), body(405, ""), Answer::Down]
    {
        let script = [
            (list, contradiction),
            (PROBE, body(404, "")),
            ("initialize", hello("2025-11-25", "s1")),
            ("notifications/initialized <s1> v=2025-11-25", accepted()),
            ("tools/list <s1> v=2025-11-25", page(&[], None)),
        ];
        check(with_host(Some(MODERN)).list(), &script, Ok(json!([])));
    }
    check(with_host(Some(MODERN)).list(), &[(list, Answer::Late)], Err("tool/timeout"));
    let script = [("initialize", body(400, "")), (PROBE, discovered()), (list, page(&[], None))];
    check(with_host(Some("2025-06-18")).list(), &script, Ok(json!([])));
}

fn with_server(names: &[&str], server: &str) -> Value {
    let info = |name: &&str| json!({"name": name, "input_schema": {"type": "object"}, "server": server});
    Value::Array(names.iter().map(info).collect())
}

#[test]
fn sends_any_request_and_joins_pages() {
    let session = modern();
    let list = "resources/list v=2026-07-28";
    let next = "resources/list (2) v=2026-07-28";
    let pages = [
        (list, ok(json!({"resources": [1], "nextCursor": "2", "ttlMs": 500, "cacheScope": "public"}))),
        (next, ok(json!({"resources": [2], "ttlMs": 90}))),
    ];
    let mut operation = session.request("resources/list", serde_json::Map::new(), true);
    for (line, answer) in &pages {
        turn(&mut operation, line, answer);
    }
    let whole = json!({"resources": [1, 2], "ttlMs": 90, "cacheScope": "public"});
    assert_eq!((operation.step(), operation.ttl_ms()), (Step::Done(Ok(whole)), Some(90)));
    let first = json!({"resources": [1], "nextCursor": "2", "ttlMs": 500, "cacheScope": "public"});
    let mut operation = session.request("resources/list", serde_json::Map::new(), false);
    turn(&mut operation, list, &pages[0].1);
    assert_eq!((operation.step(), operation.ttl_ms()), (Step::Done(Ok(first)), Some(500)));
    let params = json!({"uri": "file:///\u{fc}", "_meta": {"traceparent": "00-1"}});
    let mut operation = session.request("resources/read", params.as_object().cloned().unwrap(), false);
    let request = turn(&mut operation, "resources/read v=2026-07-28", &ok(json!({"contents": []})));
    assert_eq!(request.header("mcp-name"), Some("=?base64?ZmlsZTovLy/DvA==?="));
    assert_eq!(sent(&request)["params"]["_meta"]["traceparent"], "00-1");
    assert_eq!(sent(&request)["params"]["_meta"].get("progressToken"), None);
    let large = |next: &str| ok(json!({"resources": ["x".repeat(1500)], "nextCursor": next}));
    let script = [(list, large("2")), (next, large("3"))];
    let operation = session.request("resources/list", serde_json::Map::new(), true);
    check(operation, &script, Err("tool/too-large"));
}

fn in_page() -> Session {
    let key = Some("sk-marker".to_owned());
    Session::new(Options { url: "http://host/mcp".to_owned(), key, in_page: true, ..Options::default() })
}

#[test]
fn falls_back_when_headers_are_blocked() {
    let blocked = PROBE;
    let opening = [
        ("initialize", hello("2025-11-25", "s1")),
        ("notifications/initialized <s1> v=2025-11-25", accepted()),
    ];
    let start = [(PROBE, discovered()), (MODERN_CALL, Answer::Down), (blocked, Answer::Down)];
    let script = [&start[..], &opening[..], &[(LEGACY_CALL, said("a"))]].concat();
    check(in_page().call("echo", json!({}), Map::new()), &script, Ok(json!("a")));
    let page = in_page();
    let mut operation = page.call("echo", json!({}), Map::new());
    for (line, answer) in &start[..2] {
        turn(&mut operation, line, answer);
    }
    let probe = turn(&mut operation, blocked, &Answer::Down);
    assert_eq!(probe.header("mcp-name"), Some("echo"));
    check(operation, &[("initialize", Answer::Down)], Err("tool/unreachable"));
    check(
        page.call("echo", json!({}), Map::new()),
        &[(PROBE, discovered()), (MODERN_CALL, said("a"))],
        Ok(json!("a")),
    );
    let script = [(PROBE, discovered()), (MODERN_CALL, Answer::Down), (blocked, body(500, ""))];
    check(in_page().call("echo", json!({}), Map::new()), &script, Err("tool/unreachable"));
    // The server may have executed the unanswered request.
    check(session().call("echo", json!({}), Map::new()), &start[..2], Err("tool/unreachable"));
    // The client trusts headers that got through, and a required revision.
    check(
        modern().call("echo", json!({}), Map::new()),
        &[(MODERN_CALL, Answer::Down)],
        Err("tool/unreachable"),
    );
    let url = "http://host/mcp".to_owned();
    let (version, key) = (Some(MODERN.to_owned()), Some("sk-marker".to_owned()));
    let pinned = Session::new(Options { url, version, key, ..Options::default() });
    check(
        pinned.call("echo", json!({}), Map::new()),
        &[(MODERN_CALL, Answer::Down)],
        Err("tool/unreachable"),
    );
}

#[test]
fn does_not_panic() {
    let json = "application/json";
    let stream = "text/event-stream";
    let answers = [
        (json, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}"#),
        (json, r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25"}}"#),
        (json, ""),
        (
            stream,
            "id: 1\r\ndata: {\"id\":4,\"result\":{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":\"1\"}}\r\n\r\n",
        ),
        (
            json,
            r#"{"id":5,"result":{"tools":[{"name":"b","inputSchema":{"properties":{"p":{"x-mcp-header":"P"}}}}]}}"#,
        ),
    ];
    for spoilt in 0..answers.len() {
        for at in 0..answers[spoilt].1.len() {
            for with in [b'\0', b'"', b'{', b'9', b'\n', 0xff] {
                let mut operation = session().list();
                for (turn, (kind, text)) in answers.iter().cycle().take(60).enumerate() {
                    let mut step = operation.step();
                    while let Step::Pause(_) = step {
                        step = operation.step();
                    }
                    let Step::Send(_) = step else { break };
                    let mut bytes = text.as_bytes().to_vec();
                    if turn % answers.len() == spoilt {
                        bytes[at] = with;
                    }
                    operation.head(
                        HttpHead::new(200)
                            .with_header("content-type", kind)
                            .with_header("mcp-session-id", "s"),
                    );
                    operation.chunk(&bytes);
                    operation.end();
                }
                assert!(matches!(operation.step(), Step::Done(_)), "{spoilt} {at} {with}");
            }
        }
    }
}

#[test]
fn resumes_with_a_new_token_without_repeating_the_call() {
    let (url, known) = ("http://host/mcp".to_owned(), Some("2025-11-25".to_owned()));
    let session = Session::new(Options {
        url,
        has_auth: true,
        known_version: known,
        limits: Limits::default(),
        ..Options::default()
    });
    let mut operation = session.call("echo", json!({}), Map::new());
    turn(&mut operation, "initialize", &hello("2025-11-25", "s1"));
    turn(&mut operation, "notifications/initialized <s1> v=2025-11-25", &accepted());
    let request = turn(&mut operation, LEGACY_CALL, &events("id: a\ndata:\n\n"));
    pause(&mut operation, 1000);
    turn(&mut operation, "GET <s1> v=2025-11-25", &refused(401, "Bearer"));
    assert!(matches!(operation.step(), Step::Challenge { status: 401, .. }));
    session.set_key(Some("new-token".to_owned()));
    operation.authorized(true);
    let answer = format!("data: {{\"id\":{},\"result\":{{\"content\":[]}}}}\n\n", sent(&request)["id"]);
    let again = turn(&mut operation, "GET <s1> v=2025-11-25", &events(&answer));
    assert_eq!(
        (again.header("last-event-id"), again.header("authorization")),
        (Some("a"), Some("Bearer new-token"))
    );
    assert_eq!(operation.step(), Step::Done(Ok(Value::Null)));
}

#[test]
fn cancels_while_a_stream_pauses() {
    let mut operation = legacy().call("echo", json!({}), Map::new());
    let request = turn(&mut operation, LEGACY_CALL, &events("id: a\nretry: 2000\ndata:\n\n"));
    pause(&mut operation, 2000);
    let notice = operation.cancel("why").unwrap();
    assert_eq!(sent(&notice)["params"]["requestId"], sent(&request)["id"]);
    assert_eq!(notice.header("mcp-session-id"), Some("s1"));
}

#[test]
fn redacts_before_truncating() {
    for before in [150, 190, 195, 199] {
        let text = format!("{}sk-marker {}", "x".repeat(before), "y".repeat(300));
        for answer in [
            body(500, &text),
            body(200, &text),
            events(&format!("data: {text}\n\n")),
            body(
                200,
                &json!({"id": null, "error": {"code": -1, "message": format!("{text}{text}")}}).to_string(),
            ),
        ] {
            let Err(error) = run(modern().call("echo", json!({}), Map::new()), &[(MODERN_CALL, answer)])
            else {
                panic!()
            };
            assert!(!error.message.contains("sk-"), "{error}");
        }
    }
    let session = Session::new(Options { url: "http://host/mcp".to_owned(), ..Options::default() });
    let text = format!("{}\u{1b}[2J", "long ".repeat(100_000));
    let answer = body(200, &json!({"id": null, "error": {"code": -1, "message": text}}).to_string());
    let Err(error) =
        run(session.call("echo", json!({}), Map::new()), &[(PROBE, discovered()), (MODERN_CALL, answer)])
    else {
        panic!()
    };
    assert!(error.message.len() < 2200 && !error.message.contains('\u{1b}'), "{}", error.message.len());
}

#[test]
fn redacts_echoed_keys() {
    let stream = concat!(
        "data: {\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$ID,\"progress\":1,\"message\":\"by sk-marker\"}}\n\n",
        "data: {\"id\":$ID,\"result\":{\"structuredContent\":{\"sk-marker\":[\"Bearer sk-marker\", 1]}}}\n\n",
    );
    let mut operation = legacy().call("echo", json!({}), Map::new());
    turn(&mut operation, LEGACY_CALL, &events(stream));
    assert_eq!(
        operation.server_messages(),
        [ServerMessage::Progress(json!({"progress": 1, "message": "by [secret]"}))]
    );
    assert_eq!(operation.step(), Step::Done(Ok(json!({"[secret]": ["Bearer [secret]", 1]}))));
    let described = ok(
        json!({"tools": [{"name": "a", "description": "for Bearer sk-marker", "inputSchema": {"type": "object"}}]}),
    );
    let Ok(tools) = run(modern().list(), &[("tools/list v=2026-07-28", described)]) else { panic!() };
    assert_eq!(tools[0]["description"], "for Bearer [secret]");
    // A header's value that is not a credential may stay.
    let headers = vec![
        ("x-team".to_owned(), "the-red-team".to_owned()),
        ("x-api-key".to_owned(), "key-marker".to_owned()),
    ];
    let session = Session::new(Options { url: "http://host/mcp".to_owned(), headers, ..Options::default() });
    let script = [(PROBE, discovered()), (MODERN_CALL, said("the-red-team with key-marker"))];
    check(session.call("echo", json!({}), Map::new()), &script, Ok(json!("the-red-team with [secret]")));
}

#[test]
fn ignores_events_of_other_kinds() {
    let stream = "event: ping\ndata: {}\n\nevent: heartbeat\ndata: 12:30\n\ndata: {\"id\":$ID,\"result\":{\"content\":[]}}\n\n";
    check(modern().call("echo", json!({}), Map::new()), &[(MODERN_CALL, events(stream))], Ok(Value::Null));
}

#[test]
fn does_not_wait_for_a_reply_to_a_notification() {
    let mut operation = with_host(Some("2025-11-25")).call("echo", json!({}), Map::new());
    turn(&mut operation, "initialize", &hello("2025-11-25", "s1"));
    let Step::Send(_) = operation.step() else { panic!() };
    assert!(operation.head(HttpHead::new(200).with_header("content-type", "text/event-stream")));
    operation.end();
    let Step::Send(request) = operation.step() else { panic!() };
    assert_eq!(shown(&request), LEGACY_CALL);
    assert!(!operation.head(HttpHead::new(200)), "what is asked has an answer");
}

#[test]
fn an_error_reply_proves_the_session() {
    for (status, code, message, expect) in [
        (400, -32602, "argument `session_name` is missing", "tool/invalid-arguments"),
        (404, -32601, "no prompts here", "mcp/protocol"),
    ] {
        check(
            legacy().call("echo", json!({}), Map::new()),
            &[(LEGACY_CALL, err(status, code, message))],
            Err(expect),
        );
    }
}

#[test]
fn treats_raw_tool_calls_as_calls() {
    let mirrored = json!({"tools": [{"name": "echo", "inputSchema": {"type": "object", "properties": {"p": {"type": "string", "x-mcp-header": "P"}}}}]});
    let params = json!({"name": "echo", "arguments": {"p": "v"}}).as_object().cloned().unwrap();
    let session = modern();
    let mut operation = session.request("tools/call", params, false);
    let state = json!({"resultType": "input_required", "requestState": "its-own"});
    turn(&mut operation, MODERN_CALL, &ok(state));
    turn(&mut operation, MODERN_CALL, &err(400, -32020, "a header is missing"));
    let listing = turn(&mut operation, "tools/list v=2026-07-28", &ok(mirrored));
    assert_eq!(
        sent(&listing)["params"].get("requestState"),
        None,
        "what belongs to the call goes with no other request"
    );
    let result = json!({"content": [], "ttlMs": 60_000});
    let call = turn(&mut operation, MODERN_CALL, &ok(result.clone()));
    assert_eq!(
        (call.header("mcp-param-p"), &sent(&call)["params"]["requestState"]),
        (Some("v"), &json!("its-own"))
    );
    assert_eq!((operation.step(), operation.ttl_ms()), (Step::Done(Ok(result)), None));
}

#[test]
fn servers_can_cancel_requests() {
    let stream = concat!(
        "data: {\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"who?\"}}\n\n",
        "data: {\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"q\"}}\n\n",
        "data: {\"id\":$ID,\"result\":{\"content\":[]}}\n\n",
    );
    let mut operation = with_host(Some("2025-11-25")).call("echo", json!({}), Map::new());
    turn(&mut operation, "initialize", &hello("2025-11-25", "s1"));
    turn(&mut operation, "notifications/initialized <s1> v=2025-11-25", &accepted());
    turn(&mut operation, LEGACY_CALL, &events(stream));
    assert_eq!(operation.server_messages()[1], ServerMessage::Withdrawn(json!("q")));
}

#[test]
fn long_operations_can_renew_tokens() {
    let (url, known) = ("http://host/mcp".to_owned(), Some(MODERN.to_owned()));
    let session = Session::new(Options { url, has_auth: true, known_version: known, ..Options::default() });
    let mut operation = session.watch(json!({}));
    turn(&mut operation, PROBE, &discovered());
    for round in 0..8 {
        turn(&mut operation, "subscriptions/listen v=2026-07-28", &refused(401, "Bearer"));
        operation.authorized(true);
        turn(
            &mut operation,
            "subscriptions/listen v=2026-07-28",
            &events(": hello\n\ndata: {\"method\":\"n\"}\n\n"),
        );
        assert!(matches!(operation.step(), Step::Pause(_)), "round {round}");
    }
}

#[test]
fn rejects_values_without_json() {
    assert!(
        matches!(modern().unserializable("arguments").step(), Step::Done(Err(error)) if error.code() == "tool/invalid-arguments")
    );
}
