//! Tests messages, locations, limits, partial values and paths. `tests/parity/schema.test.mjs` runs the official suite.

use super::*;
use serde_json::json;
use stepgraph_text::value::Segment;

fn starts(pattern: &str, text: &str) -> PatternMatch {
    // Handles `^` with a word, and one costly pattern.
    let work = if pattern == "^slow" { 100_000 } else { 0 };
    PatternMatch { matches: pattern.strip_prefix('^').map(|start| text.starts_with(start)), work }
}

fn patterns() -> Patterns {
    Patterns::new(starts)
}

fn compiled(schema: &Json) -> Schema {
    Schema::compile(schema, &(), patterns()).unwrap_or_else(|errors| panic!("{schema}: {errors:?}"))
}

fn said(report: &ValidationReport) -> Vec<&str> {
    report.violations.iter().map(|violation| violation.message.as_str()).collect()
}

#[test]
fn messages() {
    let forms = json!({"oneOf": [
        {"type": "object", "properties": {"by": {"const": "card"}, "number": {"type": "string"}}, "required": ["by", "number"]},
        {"type": "object", "properties": {"by": {"const": "bank"}, "account": {"type": "string"}}, "required": ["by", "account"]},
    ]});
    for (schema, value, expected) in [
        (json!({"type": "string"}), json!(3), &["the value is a number, expected text"][..]),
        (
            json!({"type": ["integer", "null"]}),
            json!(1.5),
            &["the value is `1.5`, expected nothing or a whole number"],
        ),
        (json!({"type": "number"}), json!(true), &["the value is true or false, expected a number"]),
        (json!({"items": {"minimum": 2}}), json!([2, 1]), &["`/1` is `1`, expected at least `2`"]),
        (json!({"exclusiveMaximum": 2}), json!(2), &["the value is `2`, expected less than `2`"]),
        (json!({"multipleOf": 0.1}), json!(0.25), &["the value is `0.25`, expected a multiple of `0.1`"]),
        (json!({"minLength": 2}), json!("é"), &["the value has 1 character, expected at least 2"]),
        (json!({"maxProperties": 0}), json!({"a": 1}), &["the value has 1 entry, expected at most 0"]),
        (json!({"maxItems": 1}), json!([1, 2]), &["the value has 2 items, expected at most 1"]),
        (json!({"pattern": "^a"}), json!("b"), &["the value is `b`, expected a match of `^a`"]),
        (json!({"const": {"a": 1}}), json!([]), &["the value is a list, expected a map"]),
        (
            json!({"enum": [1, null, "x"]}),
            json!("y\n"),
            &["the value is `y\\n`, expected `1` or nothing or `x`"],
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, {"a": [1]}, 1.0]),
            &["the value has the same item at 0 and at 2"],
        ),
        (json!({"required": ["a", "b"]}), json!({}), &["the value has no `a`", "the value has no `b`"]),
        (json!({"dependentRequired": {"a": ["b"]}}), json!({"a": 1}), &["the value has `a` but no `b`"]),
        (
            json!({"properties": {"a/b": {"properties": {"c~": false}}}}),
            json!({"a/b": {"c~": 1}}),
            &["`/a~1b/c~0` may not be there"],
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            &["the value may not have the name `ab`"],
        ),
        (json!({"not": {}}), json!(1), &["the value fits what is not allowed"]),
        (
            json!({"oneOf": [true, true]}),
            json!(1),
            &["the value fits more than one of 2 forms, of which one alone may fit"],
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!(1),
            &["the value is a number, expected nothing or text"],
        ),
        (json!({"anyOf": [{"minimum": 5}, {"maximum": 1}]}), json!(3), &["the value fits none of 2 forms"]),
        (forms.clone(), json!({"by": "bank"}), &["the value has no `account`, in the nearest of 2 forms"]),
        (
            forms,
            json!({"by": "card", "number": 3}),
            &["`/number` is a number, expected text, in the nearest of 2 forms"],
        ),
        (
            json!({"contains": {"type": "null"}, "maxContains": 2}),
            json!([]),
            &["the value must hold at least 1 and at most 2 items of a kind, which it does not"],
        ),
        (
            json!({"$defs": {"a": {"type": "null"}}, "$ref": "#/$defs/a"}),
            json!(1),
            &["the value is a number, expected nothing"],
        ),
    ] {
        let report = compiled(&schema).validate(&value, patterns());
        assert_eq!(said(&report), expected, "{value} by {schema}");
        assert!(!report.is_incomplete);
    }
}

#[test]
fn a_violation_says_where_and_by_what() {
    let schema = compiled(&json!({
        "properties": {"list": {"items": {"$ref": "#/$defs/entry"}}},
        "$defs": {"entry": {"properties": {"city": {"type": "string"}}, "additionalProperties": false}},
    }));
    let report = schema.validate(&json!({"list": [{"ctiy": 1}, {"city": 1}]}), patterns());
    let [surplus, kind] = report.violations.as_slice() else { panic!("{report:?}") };
    assert_eq!((surplus.instance_path.as_str(), surplus.keyword), ("/list/0/ctiy", "additionalProperties"));
    assert_eq!((surplus.name.as_deref(), surplus.suggestion.as_deref()), (Some("ctiy"), Some("city")));
    assert_eq!(kind.instance_path, "/list/1/city");
    assert_eq!((kind.schema_path.as_str(), kind.keyword), ("/$defs/entry/properties/city/type", "type"));
}

#[test]
fn violations_are_counted_past_a_bound() {
    let report = compiled(&json!({"items": {"type": "string"}})).validate(&json!(vec![1; 100]), patterns());
    assert_eq!((report.violations.len(), report.omitted), (MAX_VIOLATIONS, 90));
}

#[test]
fn schemas_that_cannot_be_used() {
    for (schema, expected) in [
        (json!(3), ": a schema is a map, `true` or `false`, not a number"),
        (json!({"type": "strnig"}), "/type: `type` is `strnig`, which is no type; the nearest is `string`"),
        (json!({"properties": []}), "/properties: `properties` is a list, expected a map of schemas"),
        (json!({"items": [true]}), "/items: `items` is a list, expected a schema"),
        (
            json!({"$defs": {"a": {"minLength": -1}}}),
            "/$defs/a/minLength: `minLength` is `-1`, expected a whole number from 0 up",
        ),
        (json!({"minLength": 1.5}), "/minLength: `minLength` is `1.5`, expected a whole number from 0 up"),
        (json!({"multipleOf": 0}), "/multipleOf: `multipleOf` is `0`, expected a number above 0"),
        (json!({"allOf": []}), "/allOf: `allOf` is a list, expected a list of schemas"),
        (json!({"required": ["a", 1]}), "/required: `required` is a list, expected a list of names"),
        (json!({"pattern": "("}), "/pattern: `pattern` has `(`, which is no regular expression"),
        (
            json!({"patternProperties": {"(": true}}),
            "/patternProperties: `patternProperties` has `(`, which is no regular expression",
        ),
        (
            json!({"$ref": "#/$defs/none"}),
            "/$ref: `$ref` leads to `#/$defs/none`, which is not in this schema; nothing is fetched",
        ),
        (
            json!({"$ref": "http://x/y"}),
            "/$ref: `$ref` leads to `http://x/y`, which is not in this schema; nothing is fetched",
        ),
        (
            json!({"$dynamicRef": "#none"}),
            "/$dynamicRef: `$dynamicRef` leads to `#none`, which is not in this schema; nothing is fetched",
        ),
    ] {
        let errors = Schema::compile(&schema, &(), patterns()).unwrap_err();
        assert_eq!(format!("{}: {}", errors[0].path, errors[0].message), expected, "{schema}");
    }
    let many = json!({"allOf": vec![json!({"type": 1}); 100]});
    assert_eq!(Schema::compile(&many, &(), patterns()).unwrap_err().len(), MAX_VIOLATIONS);
}

#[test]
fn other_documents() {
    let known = json!({
        "http://x/y": {"$defs": {"z": {"$anchor": "z", "type": "null"}}},
        "http://x/meta": {"$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": true, "http://x/own": true}},
    });
    let schema = Schema::compile(&json!({"$ref": "http://x/y#z"}), &known, patterns()).unwrap();
    let report = schema.validate(&json!(1), patterns());
    assert_eq!(report.violations[0].schema_path, "http://x/y#/$defs/z/type");
    let foreign = Schema::compile(&json!({"$schema": "http://x/meta"}), &known, patterns()).unwrap_err();
    assert_eq!(foreign[0].message, "`http://x/own` asks for a vocabulary that is not known");
}

#[test]
fn older_drafts_are_read_as_far_as_they_mean_the_same() {
    let schema = compiled(&json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"a": {"type": "string"}},
        "properties": {"pair": {"items": [{"$ref": "#/definitions/a"}], "additionalItems": false}, "n": {"exclusiveMinimum": true}},
    }));
    for (value, valid) in [
        (json!({"pair": ["x"], "n": 0}), true),
        (json!({"pair": [1]}), false),
        (json!({"pair": ["x", 1]}), false),
    ] {
        assert_eq!(schema.validate(&value, patterns()).is_valid(), valid, "{value}");
    }
}

#[test]
fn odd_schemas_are_read_as_what_they_mean() {
    for (schema, fitting, not) in [
        (json!({"type": "dict"}), json!({}), Some(json!(1))),
        (json!({"type": ["Str", null]}), json!(null), Some(json!(1))),
        (json!({"type": "list[int]"}), json!([1]), Some(json!({}))),
        (json!({"type": "string[]"}), json!(["a"]), Some(json!("a"))),
        (json!({"type": "blob"}), json!(1), None),
        (json!({"properties": {"a": "float"}}), json!({"a": 1}), Some(json!({"a": "x"}))),
        (json!({"type": "string", "nullable": true, "enum": ["a"]}), json!(null), Some(json!("b"))),
        (json!({"type": "string", "default": null}), json!(null), Some(json!(1))),
        (json!({"enum": ["a", "b"], "type": "array"}), json!(["b", "a"]), Some(json!(["c"]))),
        (json!({"enum": [1, true]}), json!("true"), Some(json!("2"))),
        (json!({"enum": [["a"]]}), json!(["a"]), Some(json!("a"))),
        (json!({"enum": []}), json!(1), None),
        (json!({"minimum": 1, "exclusiveMinimum": true}), json!(1.5), Some(json!(1))),
        (json!({"maximum": 1, "exclusiveMaximum": false}), json!(1), Some(json!(2))),
        (
            json!({"properties": {"a": {"required": true}, "required": {"type": "null"}}}),
            json!({"a": 1}),
            Some(json!({})),
        ),
        (json!({"items": [{"type": "null"}]}), json!([null, 1]), Some(json!([1]))),
        (json!({"$ref": "#/gone", "type": "null"}), json!(null), Some(json!(1))),
        (json!({"pattern": "(", "minLength": "x", "maxLength": 1}), json!("a"), Some(json!("ab"))),
        (json!("integer"), json!(1), Some(json!("a"))),
        (json!(7), json!(1), None),
    ] {
        let (read, _) = Schema::compile_lenient(&schema, patterns());
        assert!(read.validate(&fitting, patterns()).is_valid(), "{fitting} by {schema}");
        let refused = not.map(|not| read.validate(&not, patterns()).is_valid());
        assert_ne!(refused, Some(true), "{schema}");
    }
    let (_, errors) = Schema::compile_lenient(&json!({"type": "dict", "properties": []}), patterns());
    assert_eq!(errors.len(), 2);
    // Strict compilation keeps the draft's meaning.
    assert!(!compiled(&json!({"enum": ["1"]})).validate(&json!(1), patterns()).is_valid());
    assert!(
        !compiled(&json!({"type": "string", "nullable": true})).validate(&json!(null), patterns()).is_valid()
    );
}

#[test]
fn strangers_are_entries_of_which_nothing_speaks() {
    let plain = json!({"properties": {"city": {}, "b": {"properties": {"count": {}}}}, "required": ["d"]});
    let list = json!({"items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"properties": {"name": {}}}}});
    let either = json!({"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}, {"type": "string"}]});
    let any = json!({"anyOf": [{"properties": {"a": {}}}, {"type": "object"}]});
    let needed = json!({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    for (schema, value, found) in [
        (&plain, json!({"city": 1, "b": {"count": 1}, "d": 1}), &[][..]),
        (&plain, json!({"e": 1, "citty": 1}), &["/e", "/citty (city)"]),
        (&plain, json!({"b": {"cuont": 1}}), &["/b/cuont (count)"]),
        (&plain, json!([{"e": 1}]), &[]),
        (&list, json!([{"name": 1}, {"nam": 1}]), &["/1/nam (name)"]),
        (&either, json!({"a": 1, "b": 1, "e": 1}), &["/e"]),
        (&any, json!({"e": 1}), &[]),
        (&needed, json!({"b": 1, "e": 1}), &["/e"]),
        (&json!({}), json!({"e": 1}), &[]),
        (&json!({"properties": {"a": {}}, "additionalProperties": {}}), json!({"e": 1}), &[]),
        (&json!({"properties": {"a": {}}, "patternProperties": {"^x": {}}}), json!({"e": 1}), &[]),
        (&json!({"properties": {"a": {}}, "propertyNames": {}}), json!({"e": 1}), &[]),
        (
            &json!({"properties": {"a": {}}, "if": {}, "then": {"properties": {"e": {}}}}),
            json!({"e": 1}),
            &[],
        ),
        (&json!({"required": ["a"]}), json!({"e": 1}), &[]),
    ] {
        let undeclared = compiled(schema).undeclared_properties(&Partial::Known(&value));
        let shown = |one: &UndeclaredProperty| match &one.suggestion {
            Some(near) => format!("{}/{} ({near})", one.map, one.name),
            None => format!("{}/{}", one.map, one.name),
        };
        assert_eq!(undeclared.iter().map(shown).collect::<Vec<_>>(), found, "{value} by {schema}");
    }
    let many: Json =
        (0..100).map(|at| (format!("x{at}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
    assert_eq!(compiled(&plain).undeclared_properties(&Partial::Known(&many)).len(), MAX_VIOLATIONS);
}

#[test]
fn nothing_is_claimed_of_what_is_not_known() {
    let (hole, text) = (Partial::Unknown, Partial::Text);
    let known = json!(3);
    let map = |entries: &[(&'static str, Partial<'static>)]| Partial::Map(entries.to_vec());
    for (schema, value, valid) in [
        (json!({"type": "string", "minLength": 9, "enum": [1]}), hole.clone(), true),
        (json!(false), hole.clone(), false),
        (json!({"not": {}}), hole.clone(), false),
        (json!({"not": {"type": "string"}}), hole.clone(), true),
        (json!({"type": "number"}), text.clone(), false),
        (json!({"enum": [1, "x"], "minLength": 5, "pattern": "^a"}), text.clone(), true),
        (json!({"enum": [1, 2]}), text.clone(), false),
        (json!({"minimum": 5}), Partial::Known(&known), false),
        (json!({"items": {"type": "number"}}), Partial::List(vec![hole.clone(), text.clone()]), false),
        (json!({"uniqueItems": true}), Partial::List(vec![hole.clone(), hole.clone()]), true),
        (
            json!({"uniqueItems": true}),
            Partial::List(vec![hole.clone(), Partial::Known(&known), Partial::Known(&known)]),
            false,
        ),
        (json!({"minItems": 2}), Partial::List(vec![hole.clone()]), false),
        (json!({"contains": {"type": "null"}}), Partial::List(vec![hole.clone()]), true),
        (json!({"contains": {"type": "null"}}), Partial::List(vec![text.clone()]), false),
        (json!({"required": ["a"]}), map(&[("b", Partial::Unknown)]), false),
        (
            json!({"required": ["a"], "properties": {"a": {"type": "null"}}}),
            map(&[("a", Partial::Unknown)]),
            true,
        ),
        (json!({"additionalProperties": false}), map(&[("a", Partial::Unknown)]), false),
        (json!({"propertyNames": {"maxLength": 1}}), map(&[("ab", Partial::Unknown)]), false),
        (
            json!({"oneOf": [{"required": ["a"]}, {"properties": {"b": {"const": 1}}}]}),
            map(&[("a", Partial::Unknown), ("b", Partial::Unknown)]),
            true,
        ),
        (json!({"oneOf": [true, true, {"type": "null"}]}), hole.clone(), false),
        (
            json!({"anyOf": [{"type": "null"}, {"type": "object", "required": ["a"]}]}),
            map(&[("b", Partial::Unknown)]),
            false,
        ),
        (json!({"if": {"type": "null"}, "then": false, "else": {"minimum": 3}}), hole.clone(), true),
        (json!({"if": {"type": "null"}, "then": false, "else": false}), hole.clone(), false),
        (
            json!({"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}}),
            map(&[("a", Partial::Unknown)]),
            true,
        ),
        // The branch that declares `b` may be invalid.
        (
            json!({"anyOf": [{"properties": {"a": {"const": 1}, "b": true}}, {"properties": {"a": true}}], "unevaluatedProperties": false}),
            map(&[("a", Partial::Unknown), ("b", Partial::Unknown)]),
            true,
        ),
        (
            json!({"properties": {"a": true}, "unevaluatedProperties": false}),
            map(&[("c", Partial::Unknown)]),
            false,
        ),
    ] {
        let report = compiled(&schema).validate_partial(&value, patterns(), "the input");
        assert_eq!(report.is_valid(), valid, "{value:?} by {schema}: {:?}", said(&report));
    }
}

#[test]
fn without_an_engine_patterns_decide_nothing() {
    let schema = json!({"pattern": "(", "patternProperties": {"^x": false}, "additionalProperties": false, "type": ["string", "object"]});
    let schema = Schema::compile(&schema, &(), Patterns::default()).unwrap();
    for (value, valid) in [(json!("a"), true), (json!({"x": 1}), true), (json!(1), false)] {
        assert_eq!(schema.validate(&value, Patterns::default()).is_valid(), valid, "{value}");
    }
}

#[test]
fn checking_ends() {
    let twice = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
    let ladder: serde_json::Map<String, Json> = (0..25)
        .map(|i| (format!("d{i}"), json!({"allOf": [{"$ref": format!("#/$defs/d{}", i + 1)}, {"$ref": format!("#/$defs/d{}", i + 1)}]})))
        .chain([("d25".to_owned(), json!(true))])
        .collect();
    let ladder = json!({"$ref": "#/$defs/d0", "$defs": ladder});
    let keys = |count: usize| Json::Object((0..count).map(|i| (format!("k{i}"), json!(i))).collect());
    let list = json!(vec![json!({"a": 1}); 10_000]);
    for (schema, value, why) in [
        (json!({"$ref": "#"}), json!(1), "leads back to itself"),
        (twice, json!(1), "leads back to itself"),
        (json!({"$dynamicAnchor": "a", "$dynamicRef": "#a"}), json!(1), "leads back to itself"),
        (ladder, json!(1), "too large"),
        (json!({"patternProperties": {"^slow": {}}}), keys(200), "too large"),
        (json!({"items": {"pattern": "^slow"}}), json!(vec!["x"; 200]), "too large"),
        (
            json!({"allOf": vec![json!({"$ref": "#/$defs/c"}); 2000], "$defs": {"c": {"const": list}}}),
            list,
            "too large",
        ),
        (json!({"allOf": vec![json!({"properties": {"a": {}}}); 20_000]}), keys(1000), "too large"),
    ] {
        let report = compiled(&schema).validate(&value, patterns());
        assert!(report.is_incomplete, "{schema}: {:?}", said(&report));
        assert!(report.violations.last().unwrap().message.contains(why), "{:?}", said(&report));
    }
    let list = compiled(&json!({"items": {"$ref": "#"}, "uniqueItems": true}));
    let deep = |depth: usize| (0..depth).fold(json!([]), |inner, _| json!([inner]));
    assert!(list.validate(&deep(128), patterns()).is_valid());
    let too_deep = list.validate(&deep(1000), patterns());
    assert!(too_deep.is_incomplete && said(&too_deep)[0].contains("too deeply"));
    // Comparing all pairs would take 5,000,000,000 steps.
    let many: Vec<Json> = (0..100_000).map(|i| json!([i, {"name": "same"}])).collect();
    assert!(compiled(&json!({"uniqueItems": true})).validate(&json!(many), patterns()).is_valid());
}

#[test]
fn paths() {
    use PathStatus::{Impossible, Known, Undeclared, Unknown};
    let keys = |path: &str| -> Vec<Segment> {
        let step = |step: &str| step.parse().map_or_else(|_| Segment::Key(step.to_owned()), Segment::Index);
        path.split('.').filter(|step| !step.is_empty()).map(step).collect()
    };
    let open = json!({"$id": "http://x/open", "type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}, "n": {}, "l": {"type": "array", "items": {"$ref": "#/properties/a"}}}});
    let closed = json!({"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false});
    let tuple = json!({"prefixItems": [{"type": "null"}], "items": false});
    let either = json!({"anyOf": [open, {"type": "array", "maxItems": 2}, {"const": {"c": {"d": 1}}}]});
    let merged = json!({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}], "unevaluatedProperties": false});
    let tree = json!({"properties": {"next": {"$ref": "#"}}});
    for (schema, path, expected) in [
        (&open, "", Known),
        (&open, "a.b", Known),
        (&open, "a.c", Undeclared(1)),
        (&open, "z", Undeclared(0)),
        (&open, "z.y", Undeclared(0)),
        (&open, "a.b.c", Impossible),
        (&open, "n.anything", Unknown),
        (&open, "l.3.b", Known),
        (&open, "l.3.c", Undeclared(2)),
        (&open, "l.b", Impossible),
        (&open, "0", Impossible),
        (&closed, "a", Known),
        (&closed, "xy", Known),
        (&closed, "xy.z", Impossible),
        (&closed, "b", Impossible),
        (&tuple, "0", Known),
        (&tuple, "1", Impossible),
        (&either, "a.b", Known),
        (&either, "1", Unknown),
        (&either, "2", Impossible),
        (&either, "c.d", Known),
        (&either, "e", Undeclared(0)),
        (&merged, "b", Known),
        (&merged, "c", Impossible),
        (&json!({}), "a", Unknown),
        (&json!(false), "", Impossible),
        (&json!({"type": "string"}), "a", Impossible),
        (&json!({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}), "b.c", Impossible),
        (
            &json!({"properties": {"a": {}}, "if": {"required": ["a"]}, "then": {"properties": {"b": {}}}}),
            "b",
            Known,
        ),
        (&json!({"oneOf": [{"$ref": "#"}]}), "a", Unknown),
        (&tree, "next.next.next", Known),
        (&tree, "next.next.prev", Undeclared(2)),
    ] {
        assert_eq!(compiled(schema).path_status(&keys(path), patterns()), expected, "{path} in {schema}");
    }
    let digits = [Segment::Key("0".to_owned())];
    assert_eq!(compiled(&json!({"type": "array"})).path_status(&digits, patterns()), Unknown);
    assert_eq!(compiled(&json!({"properties": {"a": {}}})).path_status(&digits, patterns()), Unknown);
    assert_eq!(compiled(&either).names_at(&keys("a")), ["b"]);
    assert_eq!(compiled(&tree).names_at(&keys("next.next")), ["next"]);
}

#[test]
fn a_type_stops_at_its_budget() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let all = names.map(|name| json!({"$ref": format!("#/$defs/{name}")}));
    let properties: serde_json::Map<_, _> =
        names.iter().map(|&name| name.to_owned()).zip(all.clone()).collect();
    let part = json!({"type": "object", "properties": properties, "anyOf": all});
    let defs: serde_json::Map<_, _> = names.iter().map(|&name| (name.to_owned(), part.clone())).collect();
    let schema = compiled(&json!({"$defs": defs, "$ref": "#/$defs/a"}));
    let budget = std::cell::Cell::new(3000);
    let kind = schema.value_type(&[], (patterns(), true), &budget).to_string();
    assert_eq!(budget.get(), 0, "{kind}");
    assert_eq!(schema.value_type(&[], (patterns(), true), &budget).to_string(), "dyn");
}

#[test]
fn a_limit_rejects_no_path() {
    let string = json!({"type": "string"});
    let entry = |name: String| json!({"type": "object", "properties": {name: string.clone()}});
    let many: Vec<Json> = (0..3000).map(|at| entry(format!("p{at}"))).collect();
    let wide = json!({"allOf": many});
    let level = |at: usize| {
        let base = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        json!({"allOf": [base.clone(), base, entry(format!("p{at}"))]})
    };
    let mut defs: serde_json::Map<_, _> = (0..20).map(|at| (format!("d{at}"), level(at))).collect();
    defs.insert("d20".to_owned(), entry("base".to_owned()));
    let deep = json!({"$defs": defs, "$ref": "#/$defs/d0"});
    for (schema, name) in [(wide, "p2999"), (deep, "p0")] {
        let schema = compiled(&schema);
        let path = [Segment::Key(name.to_owned())];
        assert_ne!(schema.path_status(&path, patterns()), PathStatus::Undeclared(0), "{name}");
        let value = json!({name: "x"});
        assert_eq!(schema.undeclared_properties(&Partial::Known(&value)), [], "{name}");
        let kind = schema.value_type(&[], (patterns(), true), &std::cell::Cell::new(2000)).to_string();
        assert!(kind == "dyn" || kind.contains(name), "{name}: {kind}");
    }
}

#[test]
fn a_pattern_also_describes_a_named_entry() {
    let part = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    let schema = json!({"properties": {"a": part("x")}, "patternProperties": {"^a": part("y")}});
    let value = json!({"a": {"y": "1"}});
    let path = ["a", "y"].map(|key| Segment::Key(key.to_owned()));
    assert_eq!(compiled(&schema).path_status(&path, patterns()), PathStatus::Known);
    assert_eq!(compiled(&schema).undeclared_properties(&Partial::Known(&value)), []);
}

#[test]
fn text_is_searched_within_a_limit() {
    let level = |at: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        json!({"anyOf": [next.clone(), next]})
    };
    let mut defs: serde_json::Map<_, _> = (0..40).map(|at| (format!("d{at}"), level(at))).collect();
    defs.insert("d40".to_owned(), json!({"type": "object"}));
    assert!(compiled(&json!({"$defs": defs, "$ref": "#/$defs/d0"})).may_be_text(&[]), "it is unknown");
}
