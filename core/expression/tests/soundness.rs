//! Compares what a check says of random typed expressions with their values over random data that fit the schema.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::many_single_char_names,
    clippy::cast_possible_truncation,
    reason = "a test stops when it is surprised"
)]

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use stepgraph_expression::{Code, Error, Type, check_expression, evaluate};

/// Always there. The others may be missing.
const REQUIRED: [&str; 3] = ["n", "u", "k"];

fn schema() -> Json {
    let nullable = |kind: &str| json!({"type": [kind, "null"]});
    json!({"last": {"type": "object", "additionalProperties": false, "required": REQUIRED, "properties": {
        "n": {"type": "number"}, "m": nullable("number"), "t": {"type": "string"}, "u": nullable("string"),
        "b": {"type": "boolean"}, "c": nullable("boolean"), "k": {"enum": ["a", "b"]},
        "r": {"type": "integer", "minimum": 0, "maximum": 3},
        "l": {"type": "array", "items": nullable("number")}, "s": {"type": "array", "items": {"type": "string"}},
        "o": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["p", "q"],
            "properties": {"p": nullable("number"), "q": {"type": "string"}}}},
    }}})
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    fn number(&mut self) -> Json {
        json!([-1.0, 0.0, 1.0, 2.0, 2.5][self.below(5) as usize])
    }

    fn or_null(&mut self, value: Json) -> Json {
        if self.below(2) == 0 { Json::Null } else { value }
    }

    fn maybe_number(&mut self) -> Json {
        let number = self.number();
        self.or_null(number)
    }

    fn some_text(&mut self) -> Json {
        json!(self.pick(&["", "a", "b", "1"]))
    }

    fn maybe_text(&mut self) -> Json {
        let text = self.some_text();
        self.or_null(text)
    }

    fn truth_value(&mut self) -> Json {
        json!(self.below(2) == 0)
    }

    fn maybe_truth(&mut self) -> Json {
        let truth = self.truth_value();
        self.or_null(truth)
    }

    fn few(&mut self, mut value: impl FnMut(&mut Self) -> Json) -> Json {
        (0..self.below(3)).map(|_| value(self)).collect()
    }

    fn data(&mut self) -> Json {
        json!({"last": {
            "n": self.number(),
            "m": self.maybe_number(),
            "t": self.some_text(),
            "u": self.maybe_text(),
            "b": self.truth_value(),
            "c": self.maybe_truth(),
            "k": self.pick(&["a", "b"]),
            "r": self.below(4),
            "l": self.few(Self::maybe_number),
            "s": self.few(Self::some_text),
            "o": self.few(|random| json!({"p": random.maybe_number(), "q": random.some_text()})),
        }})
    }

    /// A number, perhaps `null`.
    fn num(&mut self, depth: u64) -> String {
        let inner = depth.saturating_sub(1);
        match if depth == 0 { self.below(5) } else { self.below(14) } {
            0 | 1 => "last.n".to_owned(),
            2 => "last.m".to_owned(),
            3 => "last.r".to_owned(),
            4 => self.pick(&["0", "1", "2.5", "-1"]).to_owned(),
            5 | 6 => {
                let (a, operator, b) = (self.num(inner), self.pick(&["+", "-", "*"]), self.num(inner));
                format!("({a} {operator} {b})")
            }
            7 => format!("({} ?? {})", self.num(inner), self.num(inner)),
            8 | 9 => format!("({} ? {} : {})", self.truth(inner), self.num(inner), self.num(inner)),
            10 => format!("size({})", self.list(inner)),
            11 => format!("({} ?? 0)", self.pick(&["last.l[0]", "last.o[0].p", "last.l[1]"])),
            12 => format!("{}.filter(x, x != null).sum()", self.list(inner)),
            _ => format!("-{}", self.num(inner)),
        }
    }

    fn list(&mut self, depth: u64) -> String {
        let inner = depth.saturating_sub(1);
        match if depth == 0 { self.below(2) } else { self.below(10) } {
            0 => "last.l".to_owned(),
            1 => "last.o.map(x, x.p)".to_owned(),
            2 => format!("{}.filter(x, {})", self.list(inner), self.element_test("x")),
            3 => format!("{}.map(x, x != null, x + {})", self.list(inner), self.num(inner)),
            4 => format!("{}.map(x, x == null ? 0 : x * 2)", self.list(inner)),
            5 => format!("[{}, {}]", self.num(inner), self.num(inner)),
            6 => format!("{}.{}()", self.list(inner), self.pick(&["reverse", "distinct", "flatten"])),
            7 => format!("{}.filter(x, x != null).sort()", self.list(inner)),
            8 => format!("last.o.filter(x, {}).map(x, x.p)", self.element_test("x.p")),
            _ => format!("{}.filter(x, x != null).sortBy(x, -x)", self.list(inner)),
        }
    }

    fn element_test(&mut self, x: &str) -> String {
        let other = self.pick(&["1", "last.n", "last.m"]);
        match self.below(6) {
            0 => format!("{x} != null"),
            1 => format!("{x} == null || {x} > {other}"),
            2 => format!("{x} != null && {x} > {other}"),
            3 => format!("{x} == {other}"),
            4 => format!("!({x} == null) && {x} != {other}"),
            _ => format!("type({x}) == double"),
        }
    }

    fn null_test(&mut self) -> String {
        let path = self.pick(&["last.m", "last.u", "last.c", "last.n", "last.l[0]"]);
        let form = self.pick(&[
            "# != null",
            "# == null",
            "null != #",
            "type(#) == null_type",
            "type(#) != null_type",
        ]);
        form.replace('#', path)
    }

    fn text(&mut self, depth: u64) -> String {
        let inner = depth.saturating_sub(1);
        match if depth == 0 { self.below(4) } else { self.below(8) } {
            0 => "last.t".to_owned(),
            1 => "last.u".to_owned(),
            2 => "last.k".to_owned(),
            3 => self.pick(&["'a'", "'z'", "''"]).to_owned(),
            4 => format!("({} + {})", self.text(inner), self.text(inner)),
            5 => format!("({} ?? {})", self.text(inner), self.text(inner)),
            6 => format!("({} ? {} : {})", self.truth(inner), self.text(inner), self.text(inner)),
            _ => "last.s.join('')".to_owned(),
        }
    }

    fn truth(&mut self, depth: u64) -> String {
        let inner = depth.saturating_sub(1);
        let order = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match if depth == 0 { self.below(4) } else { self.below(14) } {
            0 => "last.b".to_owned(),
            1 | 2 => self.null_test(),
            3 => format!("last.k {} '{}'", self.pick(&["==", "!="]), self.pick(&["a", "b", "c"])),
            4 | 5 => format!("{} {order} {}", self.num(inner), self.num(inner)),
            6 => format!("{} {order} {}", self.text(inner), self.text(inner)),
            7 | 8 => format!("({} && {})", self.truth(inner), self.truth(inner)),
            9 | 10 => format!("({} || {})", self.truth(inner), self.truth(inner)),
            11 => format!("!({})", self.truth(inner)),
            12 => format!(
                "{}.{}(x, {})",
                self.list(inner),
                self.pick(&["all", "exists"]),
                self.element_test("x")
            ),
            _ => format!("{} in [{}, {}]", self.num(inner), self.num(inner), self.num(inner)),
        }
    }
}

/// Whether the value can have the type.
fn fits(kind: &Type, value: &Json) -> bool {
    match (kind, value) {
        (Type::Dyn, _)
        | (Type::Null, Json::Null)
        | (Type::Bool, Json::Bool(_))
        | (Type::String, Json::String(_)) => true,
        (Type::Int, Json::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
        (Type::Number | Type::Double, Json::Number(_)) => true,
        (Type::List(element), Json::Array(items)) => items.iter().all(|item| fits(element, item)),
        (Type::Map(inner), Json::Object(map)) => map.values().all(|value| fits(inner, value)),
        (Type::Object(object), Json::Object(map)) => object
            .fields
            .iter()
            .all(|field| map.get(&field.name).is_none_or(|value| fits(&field.kind, value))),
        (Type::Union(members), value) => members.iter().any(|member| fits(member, value)),
        _ => false,
    }
}

/// The result of a comparison or condition that the check says is always the same.
fn claim(error: &Error) -> Option<bool> {
    let message = error.message.as_str();
    if error.code != Code::ExpressionConstant {
        None
    } else if message.contains("holds for each value") || message.ends_with("is always true") {
        Some(true)
    } else if message.contains("never hold") || message.ends_with("is always false") {
        Some(false)
    } else {
        None
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_check_is_right_about_values(seed in 1_u64.., kind in 0..4) {
        let mut random = Random(seed);
        random.below(2);
        let text = match kind {
            0 => random.num(4),
            1 => random.text(4),
            2 => random.list(4),
            _ => random.truth(4),
        };
        let (found, errors) = check_expression(&text, &schema());
        for _ in 0..8 {
            let mut data = random.data();
            // A missing value satisfies no comparison.
            let is_complete = random.below(2) == 0;
            if !is_complete {
                data["last"].as_object_mut().unwrap().retain(|name, _| REQUIRED.contains(&name.as_str()) || random.below(3) > 0);
            }
            let value = evaluate(&text, &data);
            if let Ok(Some(value)) = &value {
                prop_assert!(fits(&found, value), "{} is {}, not {} over {}", text, found, value, data);
            }
            if let Err(error) = &value && errors.is_empty() {
                prop_assert!(error.code != Code::ExpressionType, "{}: {} at {:?} over {}", text, error, error.span, data);
            }
            for error in &errors {
                let part = &text[error.span.start..error.span.end];
                // A message about two operands names the second one only.
                let is_whole = !error.message.contains(" and ") && !error.message.contains("` or `");
                let is_free = !part.contains('x');
                if let (Some(expect), true) = (claim(error), is_whole && is_free)
                    && (is_complete || !expect)
                    && let Ok(Some(value)) = evaluate(part, &data)
                {
                    prop_assert!(value == Json::Bool(expect), "{} in {}: {} over {}", part, text, error, data);
                }
            }
        }
    }
}
