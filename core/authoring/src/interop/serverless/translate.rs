//! Translates expressions to templates and conditions.
//!
//! A missing value is `null` in jq, but here it fails a node or a comparison.
//!
//! Invariants:
//! 1. a translation that might change the meaning has a warning;
//! 2. a translation parses, and has no type error whatever the data.

mod calls;
mod cel;
mod operators;

use super::jq::{Base, Jq, Unsupported};
use crate::interop::expression_type;
use cel::Scope;
use serde_json::{Map, Value as Json};
use std::fmt::Write as _;
use stepgraph_core::expression::{Ast, Condition, ROOTS, Reference, Root, Syntax, Template, Type, parse};
use stepgraph_core::value::Segment;

pub(super) trait NameResolver {
    fn reference(
        &mut self,
        base: &Base,
        path: &[Segment],
    ) -> Result<(Reference, Option<&'static str>), Unsupported>;
}

pub(super) struct Translation<'n> {
    names: &'n mut dyn NameResolver,
    pub(super) warnings: Vec<&'static str>,
}

impl<'n> Translation<'n> {
    pub(super) fn new(names: &'n mut dyn NameResolver) -> Self {
        Self { names, warnings: Vec::new() }
    }

    pub(super) fn value(&mut self, jq: &Jq) -> Result<Json, Unsupported> {
        match jq {
            Jq::Literal(Json::String(text)) => Ok(Json::from(escape_template(text))),
            Jq::Literal(value) => Ok(value.clone()),
            Jq::Path(base, path) => {
                let reference = self.reference(base, path)?;
                // A missing value would fail the node.
                let fallback = if path.is_empty() { "" } else { " ?? null" };
                Ok(Json::from(format!("${{{reference}{fallback}}}")))
            }
            Jq::Interpolation(parts) => match only_part(parts) {
                // A placeholder alone would keep the value's type.
                Some(part) => {
                    let text = Jq::Pipe(Box::new(part.clone()), Box::new(Jq::Call("tostring", Vec::new())));
                    self.placeholder(&text).map(Json::from)
                }
                None => self.text(parts),
            },
            Jq::Map(entries) if entries.iter().all(|(key, _)| matches!(key, Jq::Literal(_))) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    if let Jq::Literal(Json::String(key)) = key {
                        map.insert(key.clone(), self.value(value)?);
                    }
                }
                Ok(Json::Object(map))
            }
            Jq::List(items) if !items.iter().any(Jq::visits) => {
                items.iter().map(|item| self.value(item)).collect()
            }
            Jq::Operator(..) => match joined_texts(jq) {
                Some(parts) => self.text(parts),
                None => self.placeholder(jq).map(Json::from),
            },
            _ => self.placeholder(jq).map(Json::from),
        }
    }

    fn text<'j>(&mut self, parts: impl IntoIterator<Item = &'j Jq>) -> Result<Json, Unsupported> {
        let mut text = String::new();
        for part in parts {
            match part {
                Jq::Literal(Json::String(part)) => text.push_str(&escape_template(part)),
                Jq::Path(base, path) => {
                    let reference = self.reference(base, path)?;
                    let _ = write!(text, "${{{reference}}}");
                }
                part => {
                    let part = self.expression(part, Scope::default())?;
                    let _ = write!(text, "${{{}}}", printed(&part.text)?.0);
                }
            }
        }
        Ok(Json::from(text))
    }

    fn placeholder(&mut self, jq: &Jq) -> Result<String, Unsupported> {
        let made = self.expression(jq, Scope::default())?.or_null();
        let text = format!("${{{}}}", printed(&made.text)?.0);
        match Template::parse(&text) {
            Ok(_) => Ok(text),
            Err(error) => Err(error.message),
        }
    }

    pub(super) fn condition(&mut self, jq: &Jq) -> Result<String, Unsupported> {
        if matches!(jq, Jq::Literal(_)) {
            return Err("it is no condition".to_owned());
        }
        let (text, kind) = printed(&self.truth(jq, Scope::default())?)?;
        let condition = Condition::parse(&text).map_err(|error| error.message)?;
        // A condition may read the right side as unquoted text.
        let reads_same = ast(&condition.to_string()) == ast(&text);
        if reads_same && kind.overlaps(&Type::Bool) { Ok(text) } else { Err("it is no condition".to_owned()) }
    }

    fn reference(&mut self, base: &Base, path: &[Segment]) -> Result<Reference, Unsupported> {
        let (reference, doubt) = self.names.reference(base, path)?;
        if let Some(doubt) = doubt {
            self.warn(doubt);
        }
        Ok(reference)
    }

    fn warn(&mut self, warning: &'static str) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// In canonical form, with its type.
fn printed(text: &str) -> Result<(String, Type), Unsupported> {
    let kind = expression_type(text)?;
    Ok((ast(text).to_string(), kind))
}

fn ast(text: &str) -> Ast {
    parse(text, Syntax { roots: &ROOTS, ..Syntax::default() }).ast
}

/// The value of a text such as `"\(.a)"`.
fn only_part(parts: &[Jq]) -> Option<&Jq> {
    let is_empty = |part: &&Jq| matches!(part, Jq::Literal(Json::String(text)) if text.is_empty());
    let mut filled = parts.iter().filter(|part| !is_empty(part));
    let only = filled.next().filter(|part| !matches!(part, Jq::Literal(_)))?;
    filled.next().is_none().then_some(only)
}

/// Only sums of texts.
fn joined_texts(jq: &Jq) -> Option<Vec<&Jq>> {
    let mut parts = Vec::new();
    let mut left = jq;
    while let Jq::Operator(before, "+", part) = left {
        parts.push(&**part);
        left = before;
    }
    parts.push(left);
    let is_text = |part: &&Jq| matches!(part, Jq::Literal(Json::String(_)) | Jq::Interpolation(_));
    if !parts.iter().any(is_text) {
        return None;
    }
    let mut flat = Vec::new();
    for part in parts.into_iter().rev() {
        match part {
            Jq::Interpolation(parts) => flat.extend(parts),
            part => flat.push(part),
        }
    }
    Some(flat)
}

pub(super) fn escape_template(text: &str) -> String {
    text.replace("${", "$${")
}

pub(super) fn last(path: &[Segment]) -> Reference {
    Reference { root: Root::Last, path: path.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::super::jq;
    use super::*;
    use stepgraph_core::expression::evaluate;

    struct Names;

    impl NameResolver for Names {
        fn reference(
            &mut self,
            base: &Base,
            path: &[Segment],
        ) -> Result<(Reference, Option<&'static str>), Unsupported> {
            match base {
                Base::Dot => Ok((last(path), None)),
                Base::Variable(name) if name == "item" => {
                    Ok((Reference { root: Root::Item, path: path.to_vec() }, None))
                }
                Base::Variable(name) => Err(format!("`${name}` is not supported")),
            }
        }
    }

    /// A `~` marks each warning.
    fn translated(jq: &str, as_condition: bool) -> String {
        let mut names = Names;
        let mut translation = Translation::new(&mut names);
        let made = jq::parse(jq).and_then(|jq| {
            if as_condition {
                return translation.condition(&jq);
            }
            let value = translation.value(&jq)?;
            Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        match made {
            Ok(made) => translation.warnings.iter().map(|_| '~').chain(made.chars()).collect(),
            Err(why) => format!("no: {why}"),
        }
    }

    fn value(jq: &str) -> String {
        translated(jq, false)
    }

    fn condition(jq: &str) -> String {
        translated(jq, true)
    }

    const VALUES: &[(&str, &str)] = &[
        (".a + 1", "${(last.a ?? 0) + 1}"),
        ("1 + .a", "${1 + (last.a ?? 0)}"),
        (".a + .b", "~${last.a + last.b}"),
        (".a + .b + 1", "~${last.a + last.b + 1}"),
        (".a + [1]", "${(last.a ?? []) + [1]}"),
        (". + {b: 1}", "no: `+` merges maps"),
        (r#""x" + .a"#, "x${last.a}"),
        (r#""${x}" + .a"#, "$${x}${last.a}"),
        (r#""n: \(.a * 2) of \(.b)""#, "n: ${last.a * 2} of ${last.b}"),
        (".a - 1 - 2", "${last.a - 1 - 2}"),
        (".a - (1 - 2)", "${last.a - (1 - 2)}"),
        (".a / 2", "${last.a / 2}"),
        ("3 / 2", "${3 / 2.0}"),
        ("(.a | length) / (.b | length)", "${size(last.a ?? []) / double(size(last.b ?? []))}"),
        (".a % 2", "${last.a % 2}"),
        ("-(.a + 1) * 2", "${-((last.a ?? 0) + 1) * 2}"),
        (".price * $item.count", "${last.price * item.count}"),
        ("$context + 1", "no: `$context` is not supported"),
        (r#".a["x y"].z * .["a-b"]"#, r#"${last.a["x y"].z * last.a-b}"#),
        (".exists * 2", r#"${last["exists"] * 2}"#),
        (".a * 1.5e3", "${last.a * 1500.0}"),
        (".a + 9223372036854775808", "no: the number is outside its range"),
        (".a == .b", "${(last.a ?? null) == (last.b ?? null)}"),
        (".a != 5", "${!(last.a == 5)}"),
        (".a // 1", "~${last.a ?? 1}"),
        (".a // .b", "~${last.a ?? last.b ?? null}"),
        (".a // 0 > 5", "~${last.a ?? 0 > 5}"),
        (".a // []", "~${last.a ?? []}"),
        (".items | length > 0", "${size(last.items ?? []) > 0}"),
        (r#".a | has("k k")"#, r#"${has(last.a["k k"])}"#),
        (".a | endswith(.b)", "${last.a.endsWith(last.a.b)}"),
        (r#".a | test("a"; "i")"#, r#"~${last.a.matches("(?i)a")}"#),
        (r#".a | test("(?=a)")"#, "no: a pattern with `(?=` may have another meaning in a plan"),
        (r#".a | test("(")"#, "no: the pattern has a `(` without a `)`"),
        (".a | ascii_downcase", "${last.a.lowerAscii()}"),
        (r#".a | split(", ") | join("-")"#, r#"~${last.a.split(", ").join("-")}"#),
        (".a | map(.b)", "${last.a.map(x, x.b ?? null)}"),
        (".a | map(. + 1)", "${last.a.map(x, (x ?? 0) + 1)}"),
        (".a | map(select(.n > 1))", "${last.a.filter(x, x.n > 1)}"),
        (".a | map(.b | select(. > 1))", "${last.a.map(x, x.b ?? null).filter(x, x > 1)}"),
        (
            "[.a[] | select(.x) | select(.n > 1) | .b]",
            "${last.a.map(x, (x.x != false && x.x != null) && x.n > 1, x.b ?? null)}",
        ),
        ("[.a[].b]", "${last.a.map(x, x.b ?? null)}"),
        ("[.a[] | [.b[] | .c]]", "${last.a.map(x, x.b.map(y, y.c ?? null))}"),
        ("[1, 2] | map(. / 2)", "${[1, 2].map(x, x / 2.0)}"),
        ("[.a[] | .b[]]", "no: `.[]` returns several values"),
        ("[.a[], .b]", "no: `.[]` returns several values"),
        ("[.a | .b, .c]", "no: `.c]` is not supported"),
        (".a[]", "no: `.[]` returns several values"),
        (".a | select(.b)", "no: `select` returns a value or nothing"),
        (".a | any(.b == $item.b)", "${last.a.exists(x, (x.b ?? null) == (item.b ?? null))}"),
        ("all(.a[]; .n)", "${last.a.all(x, x.n != false && x.n != null)}"),
        (
            r#"if .a > 1 then "x" elif .b then "y" else "z" end"#,
            r#"${last.a > 1 ? "x" : last.b != false && last.b != null ? "y" : "z"}"#,
        ),
        ("if .a then .b end", "${(last.a != false && last.a != null ? last.b : last) ?? null}"),
        (".a | tostring", "${string(last.a)}"),
        (".a | tonumber", "${double(last.a)}"),
        ("{a: .b | length, c: 1, $item}", r#"{"a":"${size(last.b ?? [])}","c":1,"item":"${item}"}"#),
        ("{(.k): .v}", "${{last.k: last.v ?? null}}"),
        (".a | {b, c: [.c, 1]}", r#"${{"b": last.a.b ?? null, "c": [last.a.c ?? null, 1]}}"#),
        (".a[-1]", "${last.a[size(last.a) - 1] ?? null}"),
        (".a[.b].c", "${last.a[last.b].c ?? null}"),
        (".a[1:2]", "no: `[1:2]` is not supported"),
        (".a | floor", "${floor(last.a)}"),
        (r#""\(.a)""#, "${string(last.a)}"),
        (r#""\(.a | length)""#, "${string(size(last.a ?? []))}"),
        (".a | add", "~${last.a.sum()}"),
        ("[.a[] | .n] | max", "~${math.greatest(last.a.map(x, x.n ?? null))}"),
        (".a | sort | reverse", "~${last.a.sort().reverse()}"),
        (".a | sort_by(.n)", "~${last.a.sortBy(x, x.n)}"),
        (".a | sort_by(-.n) | map(.b)", "~${last.a.sortBy(x, -x.n).map(x, x.b ?? null)}"),
        (".a | sort_by(.n, .m)", "no: `,` is not supported"),
        (".a | unique", "~${last.a.sort().distinct()}"),
        (".a | flatten(1)", "${last.a.flatten(1)}"),
        (".a | keys", "no: `keys` is not supported"),
        ("try .a", "no: `try` is not supported"),
        (".a = 1", "no: `=` is not supported"),
    ];

    const CONDITIONS: &[(&str, &str)] = &[
        (".a > .b", "~last.a > last.b"),
        ("5 > .a", "~last.a < 5"),
        (r#".a > "m""#, r#"last.a > "m""#),
        (r#".a > "5""#, r#"no: "5" is text, and texts of digits have another order"#),
        (".a > true", "no: only numbers and texts have an order here"),
        (".a == null", "(last.a ?? null) == null"),
        (".a == .b", "(last.a ?? null) == (last.b ?? null)"),
        (".a == [1]", "last.a == [1]"),
        (
            ".a and (.b or .c | not)",
            "(last.a != false && last.a != null) && !(last.b != false && last.b != null || last.c != false && last.c != null)",
        ),
        ("(.a | length) != .n", "!(size(last.a ?? []) == last.n)"),
        (r#".a | contains("x")"#, r#"~last.a.contains("x")"#),
        (r#".a | contains(["x"])"#, "no: only a text can be looked for"),
        (r#".a | startswith("\u00e9\n\"")"#, r#"last.a.startsWith("é\n\"")"#),
        (".a | any(. > 1)", "last.a.exists(x, x > 1)"),
        (".a // true", "~(last.a ?? true) != false"),
        (
            r#"if .a then .b == "x" else .c != null end"#,
            r#"(last.a != false && last.a != null) && last.b == "x" || !(last.a != false && last.a != null) && (last.c ?? null) != null"#,
        ),
        (
            "if .a then 1 else 2 end",
            "(last.a != false && last.a != null) && true || !(last.a != false && last.a != null) && true",
        ),
        ("true", "no: it is no condition"),
        (".a * 2", "no: it is always true"),
        (".a[-1].ok", "last.a[size(last.a) - 1].ok != false && last.a[size(last.a) - 1].ok != null"),
        ("(if .a then 1 else 2 end) == 1", "(last.a != false && last.a != null ? 1 : 2) == 1"),
    ];

    /// Expressions, data, and jq's result.
    const RESULTS: &[(&str, &str, &str)] = &[
        (".a + 1", "{}", "1"),
        (".a + [1]", r#"{"a": null}"#, "[1]"),
        ("3 / 2", "null", "1.5"),
        ("[1, 2] | map(. / 2)", "null", "[0.5, 1]"),
        ("(.a | length) / (.b | length)", r#"{"a": "tea", "b": [1, 2]}"#, "1.5"),
        ("-5 % 3", "null", "-2"),
        (".a == .b", "{}", "true"),
        (".a == .b", r#"{"b": null}"#, "true"),
        (".a != .b", r#"{"a": [1]}"#, "true"),
        (".a != 5", "{}", "true"),
        (".a // 0 > 5", r#"{"a": 3}"#, "3"),
        (".a | map(.b)", r#"{"a": [{"b": 1}, {}]}"#, "[1, null]"),
        ("[.a[] | select(.b) | .b]", r#"{"a": [{"b": 1}, {"b": false}, {}, {"b": 0}]}"#, "[1, 0]"),
        ("any(.a[]; .b)", r#"{"a": [{"b": null}, {"b": 0}]}"#, "true"),
        (".a | all", r#"{"a": []}"#, "true"),
        ("if .a then .b end", r#"{"a": true}"#, "null"),
        (".a[-1]", r#"{"a": [1, 2]}"#, "2"),
        (".a | add", r#"{"a": [1, 2.5]}"#, "3.5"),
        (".a | min", r#"{"a": [3, 2]}"#, "2"),
        (".a | sort_by(.n) | map(.n)", r#"{"a": [{"n": 2}, {"n": 1}]}"#, "[1, 2]"),
        (".a | unique | reverse", r#"{"a": [1, 2, 1]}"#, "[2, 1]"),
        (".a | flatten", r#"{"a": [1, [2, [[3]]]]}"#, "[1, 2, 3]"),
        (". | {a: .b, a: .c} | .", r#"{"c": 2}"#, r#"{"a": 2}"#),
    ];

    #[test]
    fn values() {
        for (jq, expect) in VALUES {
            assert_eq!(value(jq), *expect, "{jq}");
        }
    }

    #[test]
    fn conditions() {
        for (jq, expect) in CONDITIONS {
            assert_eq!(condition(jq), *expect, "{jq}");
        }
    }

    /// Every placeholder parses.
    #[test]
    fn translations_parse() {
        let parts =
            ["", " | length", " + 1", " == .b", " // .c", "[0]", "[]", " | map(.x)", " and .d", " | not"];
        for (first, second) in parts.iter().flat_map(|first| parts.iter().map(move |second| (first, second)))
        {
            for jq in [
                format!(".a{first}{second}"),
                format!("[.a{first}]{second}"),
                format!("if .a{first} then .b{second} end"),
            ] {
                let (value, condition) = (value(&jq), condition(&jq));
                let is_read = value.starts_with("no: ") || Template::parse(&value).is_ok();
                assert!(is_read, "{jq}: {value}");
                let condition = condition.trim_start_matches('~');
                assert!(
                    condition.starts_with("no: ") || Condition::parse(condition).is_ok(),
                    "{jq}: {condition}"
                );
            }
        }
    }

    #[test]
    fn results() {
        for (jq, data, expect) in RESULTS {
            let text = value(jq);
            let text =
                text.trim_start_matches('~').strip_prefix("${").and_then(|text| text.strip_suffix('}'));
            let json = |text: &str| stepgraph_core::json::parse(text).unwrap();
            let text = text.unwrap_or_else(|| panic!("{jq} is no expression"));
            let scope = serde_json::json!({"last": json(data)});
            assert_eq!(evaluate(text, &scope).unwrap(), Some(json(expect)), "{jq}: {text}");
        }
    }

    /// Repeated parts stay short.
    #[test]
    fn hostile_expressions() {
        for jq in [
            format!(".a{}", "[-1]".repeat(40)),
            format!(".a{}", " | . + . * 2".repeat(40)),
            format!(".a{}", " + .a".repeat(20_000)),
            format!(".a{}", "[]".repeat(20_000)),
            format!("{}.a", "-".repeat(20_000)),
            format!("{}.a", "[".repeat(20_000)),
            "if ".repeat(20_000),
            format!(".a{}", " | map(.b".repeat(10)) + &")".repeat(10),
        ] {
            assert!(value(&jq).starts_with("no: "), "{jq:.40}");
        }
    }
}
