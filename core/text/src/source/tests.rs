//! Texts with their values, spans and diagnostics.

#![expect(clippy::format_collect, reason = "texts of tests are short")]

use super::*;
use serde_json::json;

fn places(text: &str) -> Vec<String> {
    let document = parse(text, Format::Auto);
    assert_eq!(problems(text), Vec::<String>::new(), "{text}");
    let mut out = Vec::new();
    list_places(text, &document.root.expect("a tree"), "", &mut out);
    out
}

fn list_places(text: &str, value: &Spanned, path: &str, out: &mut Vec<String>) {
    out.push(format!("{path}={}", under(text, value.span)));
    for (at, item) in value.as_list().unwrap_or_default().iter().enumerate() {
        list_places(text, item, &format!("{path}/{at}"), out);
    }
    for entry in value.as_map().unwrap_or_default() {
        assert_eq!(under(text, entry.key_span).trim_matches(['"', '\'']), entry.key, "key of {text:?}");
        list_places(text, &entry.value, &format!("{path}/{}", entry.key), out);
    }
}

fn under(text: &str, span: Span) -> &str {
    text.get(span.start..span.end).expect("a span inside the text and on character boundaries")
}

/// As `slug «underlined»`, then labels as `+«underlined»`.
fn problems(text: &str) -> Vec<String> {
    parse(text, Format::Auto).diagnostics.iter().map(|diagnostic| describe(text, diagnostic)).collect()
}

fn describe(text: &str, diagnostic: &Diagnostic) -> String {
    let span = diagnostic.span.expect("every problem has a place");
    let labels: String =
        diagnostic.labels.iter().map(|label| format!(" +«{}»", under(text, label.span))).collect();
    assert!(diagnostic.help.is_some(), "{diagnostic}");
    format!("{} «{}»{labels}", diagnostic.code.slug(), under(text, span))
}

#[test]
fn values() {
    for (text, expect) in [
        ("", json!(null)),
        ("# only this\n", json!(null)),
        ("\u{feff}a: 1", json!({"a": 1})),
        ("\u{feff}{\"a\": 1}", json!({"a": 1})),
        ("---\na: 1\n...\n# end\n", json!({"a": 1})),
        ("%YAML 1.2\n---\na: 1\n", json!({"a": 1})),
        ("a: 1\r\nb:\r\n  - x\r\n", json!({"a": 1, "b": ["x"]})),
        ("yes: no\non: 2024-01-02\nn: 1_000", json!({"yes": "no", "on": "2024-01-02", "n": "1_000"})),
        (
            "1: a\ntrue: b\n1.50: c\n.inf: d\n0x1F: e",
            json!({"1": "a", "true": "b", "1.50": "c", ".inf": "d", "0x1F": "e"}),
        ),
        ("'1': a\n\"null\": b", json!({"1": "a", "null": "b"})),
        ("a: |\n  x\n   y\n\n  z\n\nb: >-\n  x\n  y\n\n  z\n", json!({"a": "x\n y\n\nz\n", "b": "x y\nz"})),
        ("a: \"x\\ty\\u00e4\"\nb: 'it''s'", json!({"a": "x\tyä", "b": "it's"})),
        (
            "a: &x {k: [1, 2]}\nb: *x\nc: *x",
            json!({"a": {"k": [1, 2]}, "b": {"k": [1, 2]}, "c": {"k": [1, 2]}}),
        ),
        ("a: &k 7\n*k : b", json!({"a": 7, "7": "b"})),
        ("&k a: 1\nb: *k", json!({"a": 1, "b": "a"})),
        (
            "base: &b {x: 1}\nuse:\n  <<: *b\n  y: 2",
            json!({"base": {"x": 1}, "use": {"<<": {"x": 1}, "y": 2}}),
        ),
        ("a: &x 1\nb: &x 2\nc: *x", json!({"a": 1, "b": 2, "c": 2})),
        (
            "a: !!str 1\nb: !!int \"5\"\nc: !!float 1\nd: !!bool true\ne: !!null ~\nf: !!map {}\ng: !!seq []",
            json!({"a": "1", "b": 5, "c": 1.0, "d": true, "e": null, "f": {}, "g": []}),
        ),
        (
            "a: !<tag:yaml.org,2002:str> 1\nb: ! 2\nc: !!str\nd: ! [1]",
            json!({"a": "1", "b": "2", "c": "", "d": [1]}),
        ),
        ("a:\n- b\n- c:\n  - d\ne:", json!({"a": ["b", {"c": ["d"]}], "e": null})),
        (
            "[a: 1, {b}, [], {}, ? c : d, : e2]".replace(", : e2", "").as_str(),
            json!([{"a": 1}, {"b": null}, [], {}, {"c": "d"}]),
        ),
        ("? a\n: b\n? c\n", json!({"a": "b", "c": null})),
        ("- - - a\n    - b\n- - c", json!([[["a", "b"]], ["c"]])),
        ("-0", json!(0)),
        ("[-0]", json!([0])),
        (
            r#"["\ud83d\ude00\/\b\u0000", 1e2, 1.5E-1, 12345678901234567890123]"#,
            json!(["😀/\u{8}\0", 100.0, 0.15, 1.234_567_890_123_456_8e22]),
        ),
    ] {
        let document = parse(text, Format::Auto);
        assert_eq!(problems(text), Vec::<String>::new(), "{text}");
        assert_eq!(document.root.expect("a tree").to_json(), expect, "{text}");
    }
}

#[test]
fn spans() {
    for (text, expect) in [
        ("# c\na: b # d\n", &["=a: b", "/a=b"][..]),
        (
            "{a: {b: 1,}, c: [x , ], 'd': {e,}, \"f\": {g: ,}, h: 2}",
            &[
                "={a: {b: 1,}, c: [x , ], 'd': {e,}, \"f\": {g: ,}, h: 2}",
                "/a={b: 1,}",
                "/a/b=1",
                "/c=[x , ]",
                "/c/0=x",
                "/d={e,}",
                "/d/e=",
                "/f={g: ,}",
                "/f/g=",
                "/h=2",
            ],
        ),
        ("a:\nb: # none\nc: ~\n", &["=a:\nb: # none\nc: ~", "/a=", "/b=", "/c=~"]),
        (
            "a:\n  - x # y\n  -\n  - 'z'  \n\n\nb: 1\n",
            &[
                "=a:\n  - x # y\n  -\n  - 'z'  \n\n\nb: 1",
                "/a=- x # y\n  -\n  - 'z'",
                "/a/0=x",
                "/a/1=",
                "/a/2='z'",
                "/b=1",
            ],
        ),
        (
            "a:\n- - x\n- y: 1\n  z:\n",
            &[
                "=a:\n- - x\n- y: 1\n  z:",
                "/a=- - x\n- y: 1\n  z:",
                "/a/0=- x",
                "/a/0/0=x",
                "/a/1=y: 1\n  z:",
                "/a/1/y=1",
                "/a/1/z=",
            ],
        ),
        (
            "a: {b: [1, 'x' , \"y\"], c} # d\n",
            &[
                "=a: {b: [1, 'x' , \"y\"], c}",
                "/a={b: [1, 'x' , \"y\"], c}",
                "/a/b=[1, 'x' , \"y\"]",
                "/a/b/0=1",
                "/a/b/1='x'",
                "/a/b/2=\"y\"",
                "/a/c=",
            ],
        ),
        (
            "[x: 1, ? y : 2, {z: 3}]",
            &["=[x: 1, ? y : 2, {z: 3}]", "/0=x: 1", "/0/x=1", "/1=? y : 2", "/1/y=2", "/2={z: 3}", "/2/z=3"],
        ),
        (
            "ä: 'ö'\nb: [ü, \"😀\"]\n",
            &["=ä: 'ö'\nb: [ü, \"😀\"]", "/ä='ö'", "/b=[ü, \"😀\"]", "/b/0=ü", "/b/1=\"😀\""],
        ),
        (
            "a: &x !!str 5\nb: !!seq &y\n  - 1\nc: *x\nd: &z\n",
            &["=a: &x !!str 5\nb: !!seq &y\n  - 1\nc: *x\nd: &z", "/a=5", "/b=- 1", "/b/0=1", "/c=*x", "/d="],
        ),
        (
            "a: | # c\n  x\n  y\n\n# d\nb: >+\n  z\n\nc: |-\n",
            &[
                "=a: | # c\n  x\n  y\n\n# d\nb: >+\n  z\n\nc: |-",
                "/a=| # c\n  x\n  y",
                "/b=>+\n  z\n",
                "/c=|-",
            ],
        ),
        (
            "a:\n  b: |\n    x\n  c: 1\n",
            &["=a:\n  b: |\n    x\n  c: 1", "/a=b: |\n    x\n  c: 1", "/a/b=|\n    x", "/a/c=1"],
        ),
        (
            "a: one\n  two\n  three\nb: \"one\n  two\"\n",
            &["=a: one\n  two\n  three\nb: \"one\n  two\"", "/a=one\n  two\n  three", "/b=\"one\n  two\""],
        ),
        ("--- # x\n- a\n- 'it''s' # no\n", &["=- a\n- 'it''s'", "/0=a", "/1='it''s'"]),
        ("- \"a\\\"b\" \n- \"\\\\\"\n", &["=- \"a\\\"b\" \n- \"\\\\\"", "/0=\"a\\\"b\"", "/1=\"\\\\\""]),
        ("\u{feff}# x\na: 1\n", &["=a: 1", "/a=1"]),
        ("", &["="]),
        (
            "{\"a\" : [1 , {} ], \"b\":\"x\"}\n",
            &["={\"a\" : [1 , {} ], \"b\":\"x\"}", "/a=[1 , {} ]", "/a/0=1", "/a/1={}", "/b=\"x\""],
        ),
        (" [ null,true ] ", &["=[ null,true ]", "/0=null", "/1=true"]),
        (
            "a:\r\n- |\r\n  x\r\n\r\n- y\r\n",
            &["=a:\r\n- |\r\n  x\r\n\r\n- y", "/a=- |\r\n  x\r\n\r\n- y", "/a/0=|\r\n  x", "/a/1=y"],
        ),
    ] {
        assert_eq!(places(text), expect, "{text}");
    }
}

#[test]
fn diagnostics() {
    for (text, expect) in [
        ("a: 1\nb: 2\na: 3\n", &["graph/duplicate-key «a» +«a»"][..]),
        ("{\"a\": 1, \"a\": 2}", &["graph/duplicate-key «\"a\"» +«\"a\"»"]),
        ("1: a\n'1': b", &["graph/duplicate-key «'1'» +«1»"]),
        (
            "~: a\nnull: b\n[x]: c\n{y: 1}: d\nz: 1",
            &[
                "source/key-not-text «~»",
                "source/key-not-text «null»",
                "source/key-not-text «[x]»",
                "source/key-not-text «{y: 1}»",
            ],
        ),
        ("a: {{ b }}\n", &["source/key-not-text «{ b }»"]),
        (": a", &["source/key-not-text «»"]),
        ("a: *b\nc: *d", &["source/unknown-alias «*b»", "source/unknown-alias «*d»"]),
        ("a: &x [*x]", &["source/unknown-alias «*x»"]),
        (
            "a: !foo b\nc: !!binary d\ne: !!int f\ng: !!map []\nh: !!set {}",
            &[
                "source/tag «!foo»",
                "source/tag «!!binary»",
                "source/tag «!!int»",
                "source/tag «!!map»",
                "source/tag «!!set»",
            ],
        ),
        ("a: !x!y z", &["source/tag «!x!y»"]),
        (
            "a: .inf\nb: -.INF\nc: .nan\nd: 1e999",
            &[
                "source/not-finite «.inf»",
                "source/not-finite «-.INF»",
                "source/not-finite «.nan»",
                "source/not-finite «1e999»",
            ],
        ),
        ("[1e999]", &["source/not-finite «1e999»"]),
        ("a: 1\n---\nb: 2\n", &["source/several-documents «---»"]),
        ("a: 1\n--- # x\n", &["source/several-documents «---»"]),
        ("a: 1\n---\nb: 2\n---\nc: 'x", &["source/several-documents «---»"]),
        ("a: &n[]\n", &["source/syntax «[»"]),
        ("a:\n\tb: 1\n", &["source/syntax «\t»"]),
        ("a:\n  b: 1\n\tc: 2\n", &["source/syntax «\t»"]),
        ("a: \"x\nb: 1\n", &["source/syntax «\"»"]),
        ("a: 'x", &["source/syntax «'»"]),
        ("a: [1, 2\n", &["source/syntax «[»"]),
        ("a: [1, 2\nb: 3\n", &["source/syntax «[» +«:»"]),
        ("{\"a\": 1", &["source/syntax «{»"]),
        ("a: {b: 1, c: 2\n", &["source/syntax «{»"]),
        ("a: b: c\n", &["source/syntax «:»"]),
        ("a: @b\n", &["source/syntax «@»"]),
        ("a: `b`\n", &["source/syntax «`»"]),
        ("a: %b\n", &["source/syntax «%»"]),
        ("a: 1\n b: 2\n", &["source/syntax «:»"]),
        ("a:\n    b: 1\n  c: 2\n", &["source/syntax «c»"]),
        ("a: 1\nb\nc: 2\n", &["source/syntax «b»"]),
        ("a: 1\nb # x\n\n# y\nc: 2\n", &["source/syntax «b»"]),
        ("- a\nb: 1\n", &["source/syntax «b»"]),
        ("a: \"x\" y\n", &["source/syntax «y»"]),
        ("a: \"\\q\"\n", &["source/syntax «\"»"]),
        ("a: ]\n", &["source/syntax «]»"]),
        ("a: |9x\n  b\n", &["source/syntax «|»"]),
        ("a: x\u{0}y", &["source/syntax «\u{0}»"]),
        ("a: 1\nb: \u{1b}[0m", &["source/syntax «\u{1b}»"]),
        ("a: 1\na: 2\nb: 'x", &["graph/duplicate-key «a» +«a»", "source/syntax «'»"]),
        ("a:\tb\n", &["source/syntax «b»"]),
        ("a: -\n", &["source/syntax «-»"]),
        ("a: [b, |]\n", &["source/syntax «|»"]),
        ("a: {b: > c}\n", &["source/syntax «> c»"]),
        ("a: *\n", &["source/syntax «*»"]),
        ("ä: ü\nö: @é\n", &["source/syntax «@»"]),
        ("a: \"\\ud83d\\ude00\"\n", &["source/syntax «\"»"]),
        ("a: b\n\u{feff}c: d\n", &["source/syntax «\u{feff}»"]),
    ] {
        assert_eq!(problems(text), expect, "{text}");
    }
}

#[test]
fn json_diagnostics() {
    for (text, expect) in [
        ("", "source/syntax «»"),
        ("{\"a\": 1,}", "source/syntax «}»"),
        ("[1,]", "source/syntax «]»"),
        ("[1 2]", "source/syntax «2»"),
        ("[1] x", "source/syntax «x»"),
        ("{a: 1}", "source/syntax «a»"),
        ("{\"a\" 1}", "source/syntax «1»"),
        ("[01]", "source/syntax «01»"),
        ("[+1]", "source/syntax «+»"),
        ("[.5]", "source/syntax «.»"),
        ("[1.]", "source/syntax «1.»"),
        ("[1e]", "source/syntax «1e»"),
        ("[-]", "source/syntax «-»"),
        ("[True]", "source/syntax «True»"),
        ("[nul]", "source/syntax «nul»"),
        ("[\"a\nb\"]", "source/syntax «\"»"),
        ("[\"a", "source/syntax «\"»"),
        ("[\"a\tb\"]", "source/syntax «\t»"),
        ("[\"\\x\"]", "source/syntax «\\»"),
        ("[\"\\ud800\"]", "source/syntax «\\u»"),
        ("[\"\\ud800\\u0041\"]", "source/syntax «\\u»"),
        ("[\"\\udc00\"]", "source/syntax «\\u»"),
        ("[\"\\u12\"]", "source/syntax «\\u»"),
        ("['a']", "source/syntax «'»"),
        ("[// x\n]", "source/syntax «//»"),
        ("[ü]", "source/syntax «ü»"),
        ("[", "source/syntax «»"),
        ("]", "source/syntax «]»"),
        ("{\"a\"", "source/syntax «»"),
        ("[1}", "source/syntax «}»"),
        ("\u{feff}\u{feff}[]", "source/syntax «\u{feff}»"),
        ("[1e400]", "source/not-finite «1e400»"),
    ] {
        let document = parse(text, Format::Json);
        let got: Vec<String> =
            document.diagnostics.iter().map(|diagnostic| describe(text, diagnostic)).collect();
        assert_eq!(got, [expect], "{text}");
        let refused = serde_json::from_str::<serde_json::Value>(text.trim_start_matches('\u{feff}')).is_err();
        assert!(refused || text.starts_with('\u{feff}'), "serde_json accepts {text}");
    }
}

#[test]
fn the_first_document_stands() {
    let document = parse("a: 1\n---\nb: 2\n", Format::Auto);
    assert_eq!(document.root.map(|root| root.to_json()), Some(json!({"a": 1})));
}

#[test]
fn formats() {
    for (text, format, expect) in [
        ("{\"a\": 1}", Format::Auto, Format::Json),
        ("\n [1]", Format::Auto, Format::Json),
        ("{a: 1}", Format::Auto, Format::Yaml),
        ("a: 1", Format::Auto, Format::Yaml),
        ("{\"a\": 1}", Format::Yaml, Format::Yaml),
        ("a: 1", Format::Json, Format::Json),
    ] {
        assert_eq!(parse(text, format).format, expect, "{text}");
    }
}

#[test]
fn bytes() {
    assert_eq!(decode("ä\u{feff}".as_bytes()), Ok("ä\u{feff}"));
    let place = |bytes: &[u8]| decode(bytes).err().map(|diagnostic| (diagnostic.code, diagnostic.span));
    assert_eq!(place(b"ab\xffc"), Some((Code::SourceEncoding, Some(Span::new(2, 3)))));
    assert_eq!(place(b"ab\xe2\x82"), Some((Code::SourceEncoding, Some(Span::new(2, 4)))));
    assert_eq!(place(&vec![b'a'; MAX_BYTES + 1]), Some((Code::SourceTooLarge, Some(Span::at(0)))));
    assert!(decode(&vec![b'a'; MAX_BYTES]).is_ok());
}

#[test]
fn many_keys_are_compared() {
    let mut text: String = (0..20_000).map(|n| format!("k{n}: {n}\n")).collect();
    assert_eq!(problems(&text), Vec::<String>::new());
    text.push_str("k3: 1\nk19999: 2\n");
    assert_eq!(problems(&text), ["graph/duplicate-key «k3» +«k3»", "graph/duplicate-key «k19999» +«k19999»"]);
    let root = parse(&text, Format::Auto).root.expect("a tree");
    assert_eq!(root.get("k3").map(|entry| entry.value.to_json()), Some(json!(3)));
    assert_eq!(root.as_map().map(<[Entry]>::len), Some(20_000));
}

#[test]
fn messages_are_ours() {
    for text in [
        "a: b: c\n",
        "a: [",
        "a: 'x",
        "a\nb: 1",
        "- a\nb",
        "a: !x!y z",
        "a: @",
        "{a: 1",
        "%FOO\n%TAG x\na",
        "? \t- a",
        "[a\n]: b\n\tc: d",
    ] {
        for diagnostic in parse(text, Format::Auto).diagnostics {
            let message = &diagnostic.message;
            assert!(
                !message.contains("while") && !message.contains("token") && !message.ends_with('.'),
                "{message}"
            );
            assert!(message.starts_with(|c: char| c.is_lowercase() || c == '`'), "{message}");
        }
    }
}

#[test]
fn what_is_plain_is_read_without_the_parser() {
    for text in [
        "a: 1\nb: two words # said\n\n# a comment\nc:\n  d: 'it''s'\n  e: \"x: y\"\n  f:\ng: ~\n",
        "a:\n- b: 1\n  c: 2\n-\n- - x\n  - y\n-\n  - z\nd:\n  - e",
        "- a\n-  b:\n    c\r\n- d: -7\r\n  http://x/#y: output.a.b==ok\r\n",
        "a: {b: [1, 2], c: d} # flow\ne: |\n  text\n   # more\n\nf: \"a\\nb\"\ng:\n  \"h\\ti\": j\n  k: l\nm: n\n    o\n",
        "a: [ {}, [] ,'x, y' , \"z: #\", -1, two words,{ k : v } ]  # not all\nb: {c: http://x/?y=z:1, 'd': [~]} \r\ne:\n- f\n",
        "- { from: a, to: b, condition: last==ok }\n- [[x, y], {z: [1, true]}] \n- {a: [b, {c: d}],e: \"f\"}   # beside\n-   []\n",
    ] {
        let mut reader = yaml::YamlParser::new(text);
        assert!(reader.parse_fast() || text.contains("    o\n"), "{text}");
        assert_eq!(parse(text, Format::Yaml), parse_with_parser(text), "{text}");
    }
}
