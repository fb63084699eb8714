//! Properties of any bytes from a server: event streams, JSON-RPC, answers, exchanges.
//!
//! Results must not depend on how the bytes are cut into pieces.

use super::hash_of;
use super::mutate::Numbers;
use serde_json::{Value as Json, json};
use stepgraph_wire::http::{HttpFailure, HttpHead, HttpRequest, MAX_EXCERPT_CHARS, excerpt};
use stepgraph_wire::mcp::message::{self, Message};
use stepgraph_wire::mcp::reply::{Body, Reader, Reply};
use stepgraph_wire::mcp::{Limits, Operation, Options, ServerMessage, Session, Step, content, param_headers};
use stepgraph_wire::sse::{Decoder, Event};

pub(super) fn cut<'a>(bytes: &'a [u8], numbers: &mut Numbers) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at((numbers.below(9) * numbers.below(5)).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

pub(super) fn numbers(bytes: &[u8]) -> Numbers {
    Numbers::new(hash_of(bytes))
}

/// Events, last id and retry delay.
type DecodedEvents = (Vec<(String, String)>, String, Option<u64>);
/// `None` if an event is too large.
type Decoded = Option<DecodedEvents>;

fn decode(pieces: &[&[u8]], limit: usize) -> Decoded {
    let mut decoder = Decoder::new(limit);
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(decoder.push(piece).ok()?.into_iter().map(|Event { kind, data }| (kind, data)));
    }
    Some((events, decoder.last_event_id().to_owned(), decoder.retry_ms()))
}

/// Decodes the whole stream at once, as the standard describes.
fn decode_plainly(bytes: &[u8]) -> DecodedEvents {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    lines.pop();
    let (mut events, mut last_id, mut retry) = (Vec::new(), String::new(), None);
    let (mut kind, mut id, mut data) = (String::new(), String::new(), String::new());
    for line in lines {
        if line.is_empty() {
            last_id.clone_from(&id);
            if let Some(data) = data.strip_suffix('\n') {
                events.push((
                    if kind.is_empty() { "message".to_owned() } else { kind.clone() },
                    data.to_owned(),
                ));
            }
            (kind, data) = (String::new(), String::new());
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut kind),
            "data" => data = format!("{data}{value}\n"),
            "id" if !value.contains('\0') => value.clone_into(&mut id),
            "retry" if !value.is_empty() && value.chars().all(|c| c.is_ascii_digit()) => {
                retry = value.parse().ok().or(retry);
            }
            _ => {}
        }
    }
    (events, last_id, retry)
}

pub(super) fn sse(bytes: &[u8]) -> u64 {
    let mut numbers = numbers(bytes);
    let expected = Some(decode_plainly(bytes));
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    for pieces in [vec![bytes], single.clone(), cut(bytes, &mut numbers), cut(bytes, &mut numbers)] {
        assert_eq!(decode(&pieces, usize::MAX / 2), expected, "in {} pieces", pieces.len());
    }
    let limit = numbers.below(64);
    let small = decode(&single, limit);
    for pieces in [vec![bytes], cut(bytes, &mut numbers)] {
        assert_eq!(decode(&pieces, limit), small, "of {limit} bytes in {} pieces", pieces.len());
    }
    let (events, id, retry) = decode_plainly(bytes);
    let fits = small.is_some();
    hash_of((
        events.len().min(4),
        events.iter().any(|(kind, _)| kind != "message"),
        id.is_empty(),
        retry.is_some(),
        fits,
    ))
}

fn written(message: &Message) -> Json {
    match message {
        Message::Request { id, method, params } => {
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        }
        Message::Notification { method, params } => {
            json!({"jsonrpc": "2.0", "method": method, "params": params})
        }
        Message::Answer { id, outcome: Ok(result) } => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Message::Answer { id, outcome: Err(error) } => json!({
            "jsonrpc": "2.0", "id": id, "error": {"code": error.code, "message": error.message, "data": error.data},
        }),
    }
}

/// The JSON parser may round the last digit of floats wrongly.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(x), Json::Number(y)) if x.is_f64() && y.is_f64() => {
            let (x, y) = (x.as_f64().unwrap_or(0.0), y.as_f64().unwrap_or(0.0));
            (x - y).abs() <= x.abs() * 1e-15
        }
        (Json::Array(x), Json::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Json::Object(x), Json::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| same(x, y)))
        }
        _ => a == b,
    }
}

fn kind(message: &Message) -> u8 {
    match message {
        Message::Request { .. } => 0,
        Message::Notification { .. } => 1,
        Message::Answer { outcome: Ok(_), .. } => 2,
        Message::Answer { outcome: Err(_), .. } => 3,
    }
}

pub(super) fn rpc(bytes: &[u8]) -> u64 {
    let messages = message::parse(bytes);
    let mut means = Vec::new();
    if let Some(messages) = &messages {
        let list: Vec<Json> = messages.iter().map(written).collect();
        let again = message::parse(Json::from(list.clone()).to_string().as_bytes());
        let again: Option<Vec<Json>> = again.map(|again| again.iter().map(written).collect());
        assert!(again.is_some_and(|again| same(&again.into(), &list.into())), "written and read again");
        for message in messages {
            means.push(match message {
                Message::Answer { outcome: Ok(result), .. } => parse_result(result),
                Message::Request { id, method, .. } => {
                    let reply: Option<Json> = serde_json::from_str(&message::reply(id, method)).ok();
                    assert!(reply.is_some_and(|reply| same(&reply["id"], id)), "the id does not come back");
                    5
                }
                _ => 6,
            });
        }
    }
    let kinds: Option<Vec<u8>> = messages.map(|messages| messages.iter().take(4).map(kind).collect());
    hash_of((kinds, means))
}

fn parse_result(result: &Json) -> u64 {
    let value = content::call_value(result.clone());
    let pages = [true, false].map(|modern| content::parse_tool_list(result, "s", modern));
    for (tool, mirrors) in pages.iter().flatten().flat_map(|page| &page.tools) {
        assert!(!tool.name.is_empty(), "a tool without a name");
        assert_headers(&param_headers::headers(mirrors, &json!({"a": " é", "x": true, "b": {"c": 1.0}})));
    }
    let tools = pages.iter().flatten().flat_map(|page| &page.tools);
    let unavailable = tools.filter(|(tool, _)| tool.unavailable.is_some()).count();
    hash_of((
        value.map(|_| ()).map_err(|error| error.code()),
        pages.map(|page| page.is_ok()),
        unavailable.min(2),
    ))
}

fn assert_headers(headers: &[(String, String)]) {
    for (name, value) in headers {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        assert!(!name.is_empty() && name.bytes().all(token), "{name:?} is no header");
        assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{value:?} is no header's value");
    }
}

pub(super) const KEY: &str = "sk-marker-key";

pub(super) fn split_head(bytes: &[u8]) -> (HttpHead, &str, &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let line = std::str::from_utf8(&bytes[..end]).unwrap_or("200 json");
    let (status, rest) = line.split_once(' ').unwrap_or((line, ""));
    let kind = if rest.starts_with("sse") { "text/event-stream; charset=utf-8" } else { "application/json" };
    let mut head = HttpHead::new(status.parse().unwrap_or(200)).with_header("Content-Type", kind);
    if rest.ends_with("session") {
        head = head.with_header("mcp-session-id", "s1");
    }
    (head, rest, bytes.get(end + 1..).unwrap_or_default())
}

fn reply(head: &HttpHead, pieces: &[&[u8]], limit: usize) -> (Reply, usize) {
    let mut reader = Reader::new(7, limit);
    reader.take_head(head.clone());
    let mut asked = 0;
    for piece in pieces {
        let whole = reader.is_whole();
        reader.take_chunk(piece);
        asked += reader.take_messages().len();
        assert!(!whole || reader.is_whole(), "no longer whole");
    }
    let reply = reader.end();
    (reply, asked)
}

pub(super) fn answer(bytes: &[u8]) -> u64 {
    let (head, _, body) = split_head(bytes);
    let mut numbers = numbers(bytes);
    let (found, asked) = reply(&head, &[body], 1 << 20);
    for _ in 0..2 {
        let (again, _) = reply(&head, &cut(body, &mut numbers), 1 << 20);
        assert_eq!((&again.head, &again.body), (&found.head, &found.body), "cut otherwise");
    }
    let limit = numbers.below(80);
    let small = reply(&head, &[body], limit).0;
    assert!(
        body.len() <= limit || matches!(small.body, Body::TooLarge) || head.is_of_type("text/event-stream"),
        "{limit}"
    );
    let kind = match &found.body {
        Body::Result(_) => 0,
        Body::Error(_) => 1,
        Body::Empty => 2,
        Body::NotJsonRpc(text) => {
            // The excerpt appears in messages.
            let quoted = excerpt(text.as_bytes(), MAX_EXCERPT_CHARS);
            assert!(quoted.len() < 1000 && !quoted.contains(char::is_control), "a long excerpt: {quoted:?}");
            3
        }
        Body::Broken => 4,
        Body::TooLarge => 5,
        Body::Failed(_) => 6,
    };
    hash_of((kind, asked.min(2), matches!(small.body, Body::TooLarge)))
}

type PlayedOperation = (Vec<HttpRequest>, String);

const MAX_REQUESTS: usize = 40;

/// After the last scripted answer every request fails.
fn play(
    exchange: &mut Operation,
    script: &mut std::vec::IntoIter<&[u8]>,
    numbers: &mut Numbers,
) -> PlayedOperation {
    let mut sent = Vec::new();
    loop {
        let request = match exchange.step() {
            Step::Send(request) => request,
            Step::Wait => unreachable!("it waits for itself"),
            Step::Pause(_) => continue,
            Step::Challenge { .. } => {
                // The number of requests does not depend on the pieces.
                exchange.authorized(sent.len() % 2 == 0);
                continue;
            }
            Step::Ask(asked) => {
                let answers =
                    asked.as_object().into_iter().flatten().map(|(name, _)| (name.clone(), json!({})));
                exchange.answer(Json::Object(answers.collect()));
                continue;
            }
            Step::Done(done) => {
                assert_eq!(exchange.step(), Step::Done(done.clone()), "after the end something changes");
                let shown = match done {
                    Ok(value) => value.to_string(),
                    Err(error) => {
                        assert!(!error.message.contains(KEY), "the key is shown: {}", error.message);
                        error.to_string()
                    }
                };
                return (sent, shown);
            }
        };
        assert_eq!(exchange.step(), Step::Wait, "two requests at once");
        assert_headers(&request.headers);
        let body: Json =
            request.body.as_deref().map_or(Json::Null, |body| serde_json::from_str(body).unwrap_or_default());
        assert_eq!(body.is_object(), request.body.is_some(), "what is sent is no JSON");
        sent.push(request);
        assert!(sent.len() <= MAX_REQUESTS, "it asks without end");
        match script.next().map(split_head) {
            None | Some((_, "down", _)) => {
                exchange.failed(HttpFailure::network(format!("nobody listens to {KEY}")));
            }
            Some((_, "late", _)) => exchange.failed(HttpFailure::timeout("time is up")),
            Some((head, kind, bytes)) => {
                let text = String::from_utf8_lossy(bytes).replace("$ID", &body["id"].to_string());
                exchange.head(head);
                for piece in cut(text.as_bytes(), numbers) {
                    exchange.chunk(piece);
                    sent.extend(exchange.server_messages().into_iter().filter_map(|news| match news {
                        ServerMessage::Send(request) => Some(request),
                        _ => None,
                    }));
                }
                if kind == "cut" { exchange.failed(HttpFailure::network("cut off")) } else { exchange.end() }
            }
        }
    }
}

fn run_session(bytes: &[u8], numbers: &mut Numbers) -> Vec<PlayedOperation> {
    let limits = Limits { answer_bytes: 2000, pages: 5, pause_ms: 5000 };
    let options = Options {
        url: "http://host:1/mcp".to_owned(),
        name: "s".to_owned(),
        key: Some(KEY.to_owned()),
        limits,
        ..Options::default()
    };
    let session = Session::new(options);
    let text = bytes.split(|byte| *byte == b'\n');
    let mut script: Vec<&[u8]> = Vec::new();
    let mut from = 0;
    let mut at = 0;
    for line in text {
        let end = at + line.len();
        if line == b"----" {
            script.push(&bytes[from..at.saturating_sub(1).max(from)]);
            from = (end + 1).min(bytes.len());
        }
        at = end + 1;
    }
    script.push(&bytes[from..]);
    let mut script = script.into_iter();
    let call = || session.call("t", json!({"a": "ü", "n": 1}), serde_json::Map::new());
    [session.list(), call(), call(), session.close()]
        .map(|mut exchange| play(&mut exchange, &mut script, numbers))
        .into()
}

pub(super) fn exchange(bytes: &[u8]) -> u64 {
    let mut numbers = numbers(bytes);
    let went = run_session(bytes, &mut numbers);
    assert_eq!(run_session(bytes, &mut numbers), went, "cut otherwise");
    let ends: Vec<(usize, &str)> = went
        .iter()
        .map(|(sent, shown)| (sent.len(), shown.split_once(": ").map_or("value", |(code, _)| code)))
        .collect();
    hash_of(ends)
}
