//! Helpers of all formats.

use serde_json::{Map, Value as Json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::json;
use stepgraph_core::model::{FinishReason, Message, Role, ToolCall, Usage};

/// Limits each part to its total, whatever the provider reports.
pub(super) fn usage_within(input: u64, output: u64, cached: u64, written: u64, thought: u64) -> Usage {
    let cached_input = cached.min(input);
    Usage {
        input,
        output,
        cached_input,
        cache_write_input: written.min(input - cached_input),
        reasoning_output: thought.min(output),
        micro_usd: None,
    }
}

pub(super) fn list<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    json.get(key).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// `path` is a JSON pointer.
pub(super) fn count(json: &Json, path: &str) -> u64 {
    json.pointer(path).and_then(Json::as_u64).unwrap_or_default()
}

/// Fills the nulls of a shape in order, and removes keys that stay null. A shape as text looks like the
/// provider's reference, and needs a tenth of the code.
pub(super) fn fill_shape(shape: &str, values: &mut [Json]) -> Json {
    let mut json = json::parse(shape).unwrap_or_default();
    fill_nulls(&mut json, &mut values.iter_mut());
    json
}

fn fill_nulls(json: &mut Json, values: &mut std::slice::IterMut<'_, Json>) {
    match json {
        Json::Null => *json = values.next().map(Json::take).unwrap_or_default(),
        Json::Array(list) => list.iter_mut().for_each(|item| fill_nulls(item, values)),
        Json::Object(map) => {
            map.values_mut().for_each(|item| fill_nulls(item, values));
            map.retain(|_, item| !item.is_null());
        }
        _ => {}
    }
}

pub(super) fn set(json: &mut Json, key: &str, value: Json) {
    if let Some(map) = json.as_object_mut() {
        map.insert(key.to_owned(), value);
    }
}

pub(super) fn non_empty(list: Vec<Json>) -> Json {
    if list.is_empty() { Json::Null } else { Json::Array(list) }
}

pub(super) fn provider_data<'m>(message: &'m Message, provider: &str) -> Option<&'m Json> {
    message.provider.as_ref()?.get(provider)
}

/// Repairs calls in the provider's stored data: it may refuse its own. `call` finds an item's call. `mend`
/// fixes it from the message's call, whose id the tool result uses.
pub(super) fn provider_data_with_calls(
    stored: &[Json],
    message: &Message,
    call: fn(&mut Json) -> Option<&mut Json>,
    mend: fn(&mut Json, &ToolCall),
) -> Vec<Json> {
    let mut items = stored.to_vec();
    let calls: Vec<&mut Json> = items.iter_mut().filter_map(call).collect();
    if calls.len() == message.tool_calls.len() {
        calls.into_iter().zip(&message.tool_calls).for_each(|(call, known)| mend(call, known));
    }
    items
}

/// Consecutive messages of a role become one turn. Tool results count as the user's. `write` returns a
/// message's parts, `shape` is a turn's.
pub(super) fn turns(
    messages: &[Message],
    write: &dyn Fn(usize, &Message) -> Vec<Json>,
    model: &str,
    shape: &str,
) -> (Vec<Json>, Vec<Json>) {
    let (mut system, mut turns): (Vec<Json>, Vec<(&str, Vec<Json>)>) = (Vec::new(), Vec::new());
    for (at, message) in messages.iter().enumerate() {
        let mut parts = write(at, message);
        let role = match message.role {
            Role::System => {
                system.append(&mut parts);
                continue;
            }
            Role::Assistant => model,
            Role::User | Role::Tool => "user",
        };
        match turns.last_mut() {
            Some((last, turn)) if *last == role => turn.append(&mut parts),
            _ if parts.is_empty() => {}
            _ => turns.push((role, parts)),
        }
    }
    let turn = |(role, parts): (&str, Vec<Json>)| fill_shape(shape, &mut [role.into(), parts.into()]);
    (system, turns.into_iter().map(turn).collect_vec())
}

pub(super) fn true_or_null(is: bool) -> Json {
    if is { Json::Bool(true) } else { Json::Null }
}

pub(super) fn append(map: &mut Map<String, Json>, key: &str, more: &str) {
    match map.get_mut(key) {
        Some(Json::String(text)) => text.push_str(more),
        _ => drop(map.insert(key.to_owned(), more.into())),
    }
}

/// Returns an object, or the text if it holds none. Empty arguments become an empty object.
pub(super) fn parse_arguments(written: Option<&Json>) -> Json {
    match written {
        None | Some(Json::Null) => Json::Object(Map::new()),
        Some(Json::String(text)) if text.trim().is_empty() => Json::Object(Map::new()),
        Some(Json::String(text)) => {
            json::parse(text).filter(Json::is_object).unwrap_or_else(|| text.as_str().into())
        }
        Some(object @ Json::Object(_)) => object.clone(),
        Some(other) => other.to_string().into(),
    }
}

/// Servers refuse any type but an object.
pub(super) fn arguments_object(arguments: &Json) -> Json {
    if arguments.is_object() {
        arguments.clone()
    } else {
        fill_shape(r#"{"not_json":null}"#, &mut [arguments.clone()])
    }
}

pub(super) fn finish_reason(word: &str, words: &[(&str, FinishReason)]) -> FinishReason {
    words.iter().find(|(known, _)| *known == word).map_or(FinishReason::Other, |(_, finish)| *finish)
}

/// Keeps the first breakpoints (shared by most requests) and the last (shared with the next one).
pub(super) fn cache_breakpoints(messages: &[Message], max: usize) -> Vec<usize> {
    let mut breakpoints: Vec<usize> =
        messages.iter().enumerate().filter(|(_, message)| message.cache).map(|(at, _)| at).collect_vec();
    if breakpoints.len() > max {
        breakpoints.drain(1..=breakpoints.len() - max);
    }
    breakpoints
}

/// OpenAI's newer models look for cached prefixes only at breakpoints, at most the latest 80. A message
/// before an assistant's ended an earlier request, so it gets its breakpoint again.
pub(super) fn breakpoints(messages: &[Message]) -> Vec<usize> {
    if !messages.iter().any(|message| message.cache) {
        return Vec::new();
    }
    let next = messages.iter().skip(1).map(Some).chain([None]);
    let answered = |next: Option<&Message>| next.is_some_and(|next| next.role == Role::Assistant);
    let found = messages.iter().zip(next).enumerate();
    let mut found: Vec<usize> =
        found.filter(|(_, (message, next))| message.cache || answered(*next)).map(|(at, _)| at).collect_vec();
    found.drain(..found.len().saturating_sub(80));
    found
}

/// `gpt-5.6-mini` is 506. 0 for other makers' models.
pub(super) fn generation(model: &str) -> u32 {
    let digits = |text: &str| {
        let end = text.bytes().take_while(u8::is_ascii_digit).count().min(3);
        text.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or(0u32)
    };
    let Some(rest) = model.strip_prefix("gpt-") else { return 0 };
    let minor =
        rest.split_once('.').filter(|(major, _)| major.len() < 3).map_or(0, |(_, minor)| digits(minor));
    digits(rest) * 100 + minor.min(99)
}

pub(super) fn is_reasoning_model(model: &str) -> bool {
    let o_series = model.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    o_series || (generation(model) >= 500 && !model.contains("chat"))
}

pub(super) fn breakpoint_text(kind: &str, text: &str) -> Json {
    let shape = r#"[{"type":null,"text":null,"prompt_cache_breakpoint":{"mode":"explicit"}}]"#;
    fill_shape(shape, &mut [kind.into(), text.into()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fills_shapes() {
        let shape = r#"{"a":null,"b":{"c":null,"d":1},"e":[null,null],"f":null}"#;
        for (values, expect) in [
            (
                vec![json!(1), json!({"x": null}), json!(2), json!(3), json!(4)],
                json!({"a": 1, "b": {"c": {"x": null}, "d": 1}, "e": [2, 3], "f": 4}),
            ),
            (vec![json!(1), Json::Null, json!([null])], json!({"a": 1, "b": {"d": 1}, "e": [[null], null]})),
        ] {
            let mut values = values;
            assert_eq!(fill_shape(shape, &mut values), expect);
        }
    }

    #[test]
    fn arguments_are_an_object_or_the_text() {
        for (written, expect) in [
            (None, json!({})),
            (Some(json!("")), json!({})),
            (Some(json!(null)), json!({})),
            (Some(json!(" {\"a\": 1} ")), json!({"a": 1})),
            (Some(json!({"a": 1})), json!({"a": 1})),
            (Some(json!("{\"a\":")), json!("{\"a\":")),
            (Some(json!("[1]")), json!("[1]")),
            (Some(json!([1])), json!("[1]")),
        ] {
            assert_eq!(parse_arguments(written.as_ref()), expect, "{written:?}");
        }
        assert_eq!(arguments_object(&json!("a")), json!({"not_json": "a"}));
    }

    #[test]
    fn generations() {
        for (model, expect, thinks) in [
            ("gpt-5.6-mini", 506, true),
            ("gpt-5", 500, true),
            ("gpt-5-2025-08-07", 500, true),
            ("gpt-5-chat-latest", 500, false),
            ("gpt-4.1", 401, false),
            ("gpt-4o", 400, false),
            ("gpt-10.12", 1012, true),
            ("gpt-99999999999999999999", 99900, true),
            ("o3-mini", 0, true),
            ("omni", 0, false),
            ("llama3", 0, false),
        ] {
            assert_eq!((generation(model), is_reasoning_model(model)), (expect, thinks), "{model}");
        }
    }

    #[test]
    fn breakpoints_include_ends_of_earlier_requests() {
        let talk = |marked: &[usize], roles: &[Role]| -> Vec<usize> {
            let said = roles.iter().enumerate();
            let said =
                said.map(|(at, role)| Message { cache: marked.contains(&at), ..Message::new(*role, "a") });
            breakpoints(&said.collect::<Vec<_>>())
        };
        let roles =
            [Role::System, Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant, Role::User];
        assert_eq!(talk(&[], &roles), [0; 0]);
        assert_eq!(talk(&[0, 6], &roles), [0, 1, 4, 6]);
        assert_eq!(talk(&[0], &[Role::User; 2]), [0]);
        assert_eq!(talk(&(0..100).collect::<Vec<_>>(), &[Role::User; 100]), (20..100).collect::<Vec<_>>());
    }

    #[test]
    fn limits_cache_breakpoints() {
        let messages = |count: usize| -> Vec<Message> {
            (0..count).map(|_| Message { cache: true, ..Message::new(Role::User, "a") }).collect()
        };
        assert_eq!(cache_breakpoints(&messages(4), 4), [0, 1, 2, 3]);
        assert_eq!(cache_breakpoints(&messages(7), 4), [0, 4, 5, 6]);
        assert_eq!(cache_breakpoints(&[Message::new(Role::User, "a")], 4), [0; 0]);
    }
}
