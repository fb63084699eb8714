//! Compares parsing with `serde_yaml` and `serde_json`. `differences` lists intended differences.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of tests stops the test when it is surprised"
)]

use proptest::prelude::*;
use serde_json::{Value, json};
use stepgraph_core::source::{Document, Format, parse};
use stepgraph_tests::search;

/// Separated by lines of `=`.
const SAMPLES: &str = include_str!("../source/samples.txt");

fn tree(text: &str, format: Format) -> Value {
    let Document { root, diagnostics, .. } = parse(text, format);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    root.expect("a tree").to_json()
}

/// Converts what `serde_yaml` reads.
fn other(text: &str) -> Value {
    let value: serde_yaml::Value =
        serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    to_json(value)
}

fn to_json(value: serde_yaml::Value) -> Value {
    match value {
        serde_yaml::Value::Null => Value::Null,
        serde_yaml::Value::Bool(flag) => json!(flag),
        serde_yaml::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(n), _) => json!(n),
            (_, Some(n)) => json!(n),
            _ => json!(number.as_f64()),
        },
        serde_yaml::Value::String(text) => json!(text),
        serde_yaml::Value::Sequence(items) => items.into_iter().map(to_json).collect(),
        serde_yaml::Value::Mapping(entries) => {
            entries.into_iter().map(|(key, value)| (key_text(&to_json(key)), to_json(value))).collect()
        }
        serde_yaml::Value::Tagged(tagged) => panic!("a tag: {tagged:?}"),
    }
}

fn key_text(key: &Value) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}

#[test]
fn samples_read_as_serde_yaml_reads_them() {
    let samples: Vec<&str> = SAMPLES.split_inclusive("\n====\n").collect();
    assert!(samples.len() >= 60, "{}", samples.len());
    for text in samples.into_iter().map(|sample| sample.trim_end_matches("====\n")) {
        assert_eq!(tree(text, Format::Yaml), other(text), "{text}");
        let returns = text.replace('\n', "\r\n");
        assert_eq!(tree(&returns, Format::Yaml), tree(text, Format::Yaml), "with CRLF: {text}");
    }
}

/// YAML 1.2's core schema where `serde_yaml` departs from it, integers beyond 64 bits, a block scalar cut off by the
/// end of the file (as in JavaScript's parsers), and characters that JSON allows.
#[test]
fn differences() {
    for (text, ours, theirs) in [
        ("007", json!(7), Some(json!("007"))),
        ("-007", json!(-7), Some(json!("-007"))),
        ("-0x1F", json!("-0x1F"), Some(json!(-31))),
        ("0b11", json!("0b11"), Some(json!(3))),
        ("1.", json!(1.0), Some(json!(1.0))),
        ("18446744073709551616", json!(18_446_744_073_709_551_616.0), None),
        ("|\n a", json!("a\n"), Some(json!("a"))),
        ("a: \"\u{7f}\"", json!({"a": "\u{7f}"}), None),
        ("\"a\\/b\"", json!("a/b"), Some(json!("a/b"))),
    ] {
        assert_eq!(tree(text, Format::Yaml), ours, "{text}");
        let read: Option<serde_yaml::Value> = serde_yaml::from_str(text).ok();
        assert_eq!(read.map(to_json), theirs, "{text}");
    }
}

/// Every parser returns these numbers exactly.
fn any_json() -> impl Strategy<Value = Value> {
    // `serde_yaml` writes U+2028 and U+2029 as line breaks, as in YAML 1.1.
    let odd = |c: &char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let word = prop_oneof![
        any::<String>().prop_map(move |text| text.chars().filter(|c| !odd(c)).collect::<String>()),
        "[ -~]{0,12}",
        "[a-z]{1,3}: ?[#&*!|>'\"%@`-]{1,2} ?[a-z]?",
        "(true|null|~|yes|0x1f|1e3|-|\\?|:|\\.inf|=|<<)",
        "[a-z \n\t]{0,20}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// A float may be printed as an integer.
fn same(ours: &Value, value: &Value) -> bool {
    match (ours, value) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => ours == value,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: search::cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_that_is_printed_is_read_back(value in any_json()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).expect("text")] {
            let json = tree(&text, Format::Json);
            prop_assert_eq!(&json, &value, "{}", text);
            prop_assert!(same(&tree(&text, Format::Yaml), &value), "{}", text);
        }
    }

    #[test]
    fn yaml_that_is_printed_is_read_back(value in any_json()) {
        let text = serde_yaml::to_string(&value).expect("text");
        let ours = tree(&text, Format::Yaml);
        prop_assert!(same(&ours, &value), "{}\n{}", text, ours);
    }

    #[test]
    fn json_is_what_serde_json_accepts(text in "[\\[\\]{},:\"\\\\ua0-9eE.+ \n-]{0,12}|(\\[|\\{|\\]|\\}|,|:|\"a\"|\"b\"|1|-0.5e1|true|null| ){0,9}") {
        let theirs = serde_json::from_str::<Value>(&text);
        let ours = parse(&text, Format::Json);
        let duplicate = ours.diagnostics.iter().all(|d| d.code.slug() == "graph/duplicate-key");
        match theirs {
            Ok(value) if ours.diagnostics.is_empty() => {
                prop_assert!(same(&ours.root.expect("a tree").to_json(), &value), "{}", text);
            }
            Ok(_) => prop_assert!(duplicate, "we refuse {}: {:?}", text, ours.diagnostics),
            Err(error) => prop_assert!(!ours.diagnostics.is_empty(), "we accept {}: {}", text, error),
        }
    }
}
