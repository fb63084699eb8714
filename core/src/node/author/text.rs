//! Text helpers: values, placeholders, and JSON in replies.
//!
//! Values are whole words outside of placeholders. JSON may have fences, surrounding text, and trailing commas.

use crate::collect::CollectVec;
use crate::failure::Failure;
use crate::source::{self, Format};
use crate::toolplan;
use crate::value::{json_text, plain_text};
use serde_json::Value as Json;
use std::ops::Range;

pub(super) fn placeholder_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("${")) {
        let start = from + at;
        let length = text.get(start..).and_then(|rest| rest.find('}')).map_or(2, |end| end + 1);
        ranges.push(start..start + length);
        from = start + length;
    }
    ranges
}

/// Finds placeholders of plans or other languages.
pub(super) fn has_placeholders(text: &str) -> bool {
    text.contains("${") || text.contains("{{")
}

/// `${issue_limit}` and `{{issue_limit}}` become `issue limit`.
pub(super) fn placeholders_as_words(text: &str) -> String {
    let text = &text.replace("{{", "${").replace("}}", "}");
    let mut out = String::new();
    let mut from = 0;
    for placeholder in placeholder_ranges(text) {
        out.push_str(text.get(from..placeholder.start).unwrap_or_default());
        let inside = text.get(placeholder.clone()).unwrap_or_default();
        let name = inside.trim_matches(|c| matches!(c, '$' | '{' | '}'));
        out.push_str(&name.replace(['_', '$', '{'], " "));
        from = placeholder.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Whole words outside of placeholders.
pub(super) fn occurrences(text: &str, value: &str) -> Vec<Range<usize>> {
    let placeholders = placeholder_ranges(text);
    let is_inside = |range: &Range<usize>| {
        placeholders.iter().any(|placeholder| range.start < placeholder.end && placeholder.start < range.end)
    };
    let joins = |a: Option<char>, b: Option<char>| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        a.is_some_and(is_word) && b.is_some_and(is_word)
    };
    let is_whole = |range: &Range<usize>| {
        let (before, after) = (text.get(..range.start), text.get(range.end..));
        let ends = (value.chars().next(), value.chars().next_back());
        !joins(before.and_then(|text| text.chars().next_back()), ends.0)
            && !joins(ends.1, after.and_then(|text| text.chars().next()))
    };
    let all = text.match_indices(value).map(|(at, found)| at..at + found.len());
    all.filter(|range| !value.is_empty() && !is_inside(range) && is_whole(range)).collect_vec()
}

pub(super) fn contains_name(text: &str, name: &str) -> bool {
    !occurrences(&text.to_ascii_lowercase(), &name.to_ascii_lowercase()).is_empty()
}

/// One line, truncated to characters.
pub(super) fn truncate(text: &str, limit: usize) -> String {
    let mut line = text.split_whitespace().collect_vec().join(" ");
    if let Some((at, _)) = line.char_indices().nth(limit) {
        line.truncate(at);
        line.push('…');
    }
    line
}

/// Trimmed, and empty if absent.
pub(super) fn text_field(map: &Json, key: &str) -> String {
    map.get(key).map(plain_text).unwrap_or_default().trim().to_owned()
}

pub(super) fn text_list(map: &Json, key: &str) -> Vec<String> {
    let list = map.get(key).and_then(Json::as_array);
    list.into_iter()
        .flatten()
        .map(|item| plain_text(item).trim().to_owned())
        .filter(|item| !item.is_empty())
        .collect_vec()
}

pub(super) fn parse_object(answer: &str) -> Option<Json> {
    toolplan::parse(answer).ok().or_else(|| {
        let (from, to) = (answer.find('{')?, answer.rfind('}')?);
        let read = source::parse(answer.get(from..=to)?, Format::Yaml);
        read.root
            .filter(|root| read.diagnostics.is_empty() && root.as_map().is_some())
            .map(|root| root.to_json())
    })
}

pub(super) fn invalid_reply(message: String) -> Failure {
    Failure::new("author/bad-answer", message)
}

pub(super) fn bullets<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for item in items {
        out.push_str("- ");
        out.push_str(item);
        out.push('\n');
    }
    out
}

/// Smaller code than a literal, where every key is a statement.
pub(super) fn json_map(entries: Vec<(&str, Json)>) -> Json {
    Json::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

pub(super) fn json_list(texts: Vec<String>) -> Json {
    Json::Array(texts.into_iter().map(Json::String).collect_vec())
}

pub(super) fn lines<'a>(all: impl Iterator<Item = &'a Json>) -> String {
    let mut out = String::new();
    for one in all {
        out.push_str(&json_text(one));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_values_as_whole_words_outside_of_placeholders() {
        for (text, value, expect) in [
            ("last 20 issues", "20", 1),
            ("last 200 issues", "20", 0),
            ("v20 20x", "20", 0),
            ("a/b, a/b.", "a/b", 2),
            ("${20} 20", "20", 1),
            ("${x 20", "20", 1),
            ("día a día", "día", 2),
            ("días", "día", 0),
            ("x", "", 0),
        ] {
            assert_eq!(occurrences(text, value).len(), expect, "{value} in {text}");
        }
    }

    #[test]
    fn holes_are_said_in_words() {
        for (text, expect) in [
            ("Get ${issue_limit} of ${repo}", "Get issue limit of repo"),
            ("no holes", "no holes"),
            ("Get {{ issues }} of {{repo}}", "Get  issues  of repo"),
            ("open ${", "open "),
            ("open ${end", "open end"),
        ] {
            let said = placeholders_as_words(text);
            assert!(!said.contains("${") && said.trim() == expect.trim(), "{said:?}");
        }
    }

    #[test]
    fn answers_are_read_through_fences_words_and_commas() {
        for (answer, reads) in [
            ("{\"a\": 1}", true),
            ("```json\n{\"a\": 1}\n```", true),
            ("Sure! {\"a\": 1} Anything else?", true),
            ("{\"a\": [1, 2,], \"b\": 1,}", true),
            ("{\"a\": 1", false),
            ("", false),
            ("no", false),
            ("[1]", false),
        ] {
            assert_eq!(parse_object(answer).is_some(), reads, "{answer}");
        }
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(truncate("  a\n b  ", 10), "a b");
        assert_eq!(truncate("ñandú", 3), "ñan…");
    }
}
