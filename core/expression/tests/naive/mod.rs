//! The oracle: walks the tree over copied values.

mod list;
mod scalar;
mod text;

use list::{list, sorted};
use scalar::{arithmetic, convert, extreme, round};
use serde_json::Value as Json;
use stepgraph_expression::Function as F;
use stepgraph_expression::ast::{Call, Comprehension, Expr, Kind, Literal};

/// Owns its parts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Naive {
    Missing,
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<Naive>),
    Map(Vec<(Naive, Naive)>),
    Type(&'static str),
}

use text::{join, size, text};

use Naive::{Bool, Double, Int, List, Map, Missing, Null, Text};

type Result<T = Naive> = std::result::Result<T, String>;

/// Inner names last.
#[derive(Debug, Clone)]
pub(crate) struct Scope(Vec<(String, Naive)>);

impl Scope {
    pub(crate) fn new(json: &Json) -> Self {
        Self(json.as_object().unwrap().iter().map(|(name, value)| (name.clone(), of_json(value))).collect())
    }

    fn with(&self, name: &str, value: Naive) -> Self {
        let mut inner = self.clone();
        inner.0.push((name.to_owned(), value));
        inner
    }
}

fn of_json(json: &Json) -> Naive {
    match json {
        Json::Null => Null,
        Json::Bool(truth) => Bool(*truth),
        Json::Number(number) => Double(number.as_f64().unwrap()),
        Json::String(text) => Text(text.clone()),
        Json::Array(items) => List(items.iter().map(of_json).collect()),
        Json::Object(map) => {
            // JavaScript puts whole numbers first.
            let index = |key: &str| key.parse::<u32>().ok().filter(|index| index.to_string() == key);
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| index(key).map_or(u64::MAX, u64::from));
            Map(entries.into_iter().map(|(key, value)| (Text(key.clone()), of_json(value))).collect())
        }
    }
}

/// `None` if missing.
pub(crate) fn naive_json(value: &Naive) -> Result<Option<Json>> {
    if *value == Missing { Ok(None) } else { present_json(value).map(Some) }
}

fn present_json(value: &Naive) -> Result<Json> {
    Ok(match value {
        Missing => unreachable!("lists and maps have no missing parts"),
        Null => Json::Null,
        Bool(truth) => Json::from(*truth),
        Int(number) if number.unsigned_abs() <= 1 << 53 => Json::from(*number),
        Int(number) => present_json(&Double(*number as f64))?,
        Double(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 => {
            Json::from(*number as i64)
        }
        Double(number) => Json::from(*number),
        Text(text) => Json::from(text.as_str()),
        List(items) => items.iter().map(present_json).collect::<Result<Vec<_>>>()?.into(),
        Map(entries) => {
            let mut map = serde_json::Map::new();
            for (key, value) in entries {
                let key = match key {
                    Text(key) => key.clone(),
                    Int(key) => key.to_string(),
                    other => present_json(other)?.to_string(),
                };
                // The keys of a result are texts.
                if map.insert(key, present_json(value)?).is_some() {
                    return fault("invalid-value");
                }
            }
            map.into()
        }
        Naive::Type(name) => Json::from(*name),
    })
}

fn fault<T>(code: &str) -> Result<T> {
    Err(format!("expression/{code}"))
}

fn finite(number: f64) -> Result {
    if number.is_finite() { Ok(Double(number)) } else { fault("overflow") }
}

impl Naive {
    pub(crate) fn evaluate(expr: &Expr, scope: &Scope) -> Result {
        match &expr.kind {
            Kind::Literal(Literal::Null) => Ok(Null),
            Kind::Literal(Literal::Bool(truth)) => Ok(Bool(*truth)),
            Kind::Literal(Literal::Int(number)) => Ok(Int(*number)),
            Kind::Literal(Literal::Double(number)) => Ok(Double(*number)),
            Kind::Literal(Literal::Text(text)) => Ok(Text(text.clone())),
            Kind::Ident(name) => {
                Ok(scope.0.iter().rev().find(|(known, _)| *known == name.text).unwrap().1.clone())
            }
            Kind::Select(select) => Ok(field(&Self::evaluate(&select.operand, scope)?, &select.field.text)),
            Kind::Index(index) => {
                let operand = Self::evaluate(&index.operand, scope)?;
                element(&operand, &Self::evaluate(&index.index, scope)?)
            }
            Kind::List(items) => {
                let mut values = Vec::new();
                for item in items {
                    // The first missing element decides, without evaluation of the later ones.
                    match Self::evaluate(item, scope)? {
                        Missing => return Ok(Missing),
                        value => values.push(value),
                    }
                }
                Ok(List(values))
            }
            Kind::Map(entries) => map(entries, scope),
            Kind::Call(call) => operation(call, scope),
            Kind::Comprehension(it) => comprehension(it, scope),
            Kind::Broken(_) => unreachable!("the tests make no broken trees"),
        }
    }
}

fn map(entries: &[(Expr, Expr)], scope: &Scope) -> Result {
    let mut made: Vec<(Naive, Naive)> = Vec::new();
    for (key, value) in entries {
        let (key, value) = (Naive::evaluate(key, scope)?, Naive::evaluate(value, scope)?);
        if key == Missing || value == Missing {
            return Ok(Missing);
        }
        let key = match key {
            Double(_) => whole(&key).map_or(key, Int),
            key => key,
        };
        if !matches!(key, Text(_) | Int(_) | Bool(_)) {
            return fault("type");
        }
        if made.iter().any(|(known, _)| equal(known, &key)) {
            return fault("invalid-value");
        }
        made.push((key, value));
    }
    Ok(Map(made))
}

fn digits(key: &str) -> Option<usize> {
    let number: usize = key.parse().ok()?;
    (number.to_string() == key).then_some(number)
}

fn field(value: &Naive, name: &str) -> Naive {
    match value {
        Map(entries) => {
            let found = entries.iter().find(|(key, _)| *key == Text(name.to_owned()));
            found.map_or(Missing, |(_, value)| value.clone())
        }
        List(items) => digits(name).and_then(|at| items.get(at).cloned()).unwrap_or(Missing),
        _ => Missing,
    }
}

fn whole(value: &Naive) -> Option<i64> {
    match value {
        Int(number) => Some(*number),
        Double(number) if number.fract() == 0.0 && number.abs() < 1e15 => Some(*number as i64),
        _ => None,
    }
}

fn position(value: &Naive) -> Result<usize> {
    match whole(value) {
        // No list is that long.
        None if matches!(value, Double(number) if *number >= 1e15) => Ok(usize::MAX),
        None if matches!(value, Double(number) if *number <= -1e15) => fault("out-of-range"),
        Some(number) => usize::try_from(number).or(fault("out-of-range")),
        None => fault("type"),
    }
}

fn element(value: &Naive, index: &Naive) -> Result {
    Ok(match (value, index) {
        (_, Missing) => Missing,
        (List(items), Text(key)) => digits(key).and_then(|at| items.get(at).cloned()).unwrap_or(Missing),
        (List(items), index) => items.get(position(index)?).cloned().unwrap_or(Missing),
        (Map(entries), index) => {
            entries.iter().find(|(key, _)| equal(key, index)).map_or(Missing, |(_, value)| value.clone())
        }
        _ => Missing,
    })
}

fn equal(a: &Naive, b: &Naive) -> bool {
    match (a, b) {
        (Int(a), Double(b)) | (Double(b), Int(a)) => *a as f64 == *b,
        (List(a), List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Map(a), Map(b)) => {
            let has = |(key, value): &(Naive, Naive)| {
                b.iter().any(|(other, found)| equal(key, other) && equal(value, found))
            };
            a.len() == b.len() && a.iter().all(has)
        }
        _ => a == b,
    }
}

fn truth(value: Naive) -> Result<bool> {
    match value {
        Bool(truth) => Ok(truth),
        Missing => Ok(false),
        _ => fault("type"),
    }
}

/// A decisive part wins over errors.
fn decide(parts: impl Iterator<Item = Result<bool>>, decisive: bool) -> Result {
    let mut failed = None;
    for part in parts {
        match part {
            Ok(truth) if truth == decisive => return Ok(Bool(decisive)),
            Ok(_) => {}
            Err(code) => failed = failed.or(Some(code)),
        }
    }
    failed.map_or(Ok(Bool(!decisive)), Err)
}

fn operation(call: &Call, scope: &Scope) -> Result {
    let function = call.function.unwrap();
    let eval = |expr: &Expr| Naive::evaluate(expr, scope);
    match function {
        F::And => return decide(call.args.iter().map(|arg| truth(eval(arg)?)), false),
        F::Or => return decide(call.args.iter().map(|arg| truth(eval(arg)?)), true),
        F::Coalesce => {
            let mut last = Missing;
            for arg in &call.args {
                last = eval(arg)?;
                if last != Missing && last != Null {
                    break;
                }
            }
            return Ok(last);
        }
        F::Conditional => {
            return if truth(eval(&call.args[0])?)? { eval(&call.args[1]) } else { eval(&call.args[2]) };
        }
        F::Has => return Ok(Bool(eval(&call.args[0])? != Missing)),
        _ => {}
    }
    let values =
        call.target.iter().map(|target| &**target).chain(&call.args).map(eval).collect::<Result<Vec<_>>>()?;
    let missing = values.contains(&Missing);
    match function {
        F::Not if missing => Ok(Bool(true)),
        F::Equal => Ok(Bool(!missing && equal(&values[0], &values[1]))),
        F::NotEqual => Ok(Bool(!missing && !equal(&values[0], &values[1]))),
        F::In | F::Less | F::LessEqual | F::Greater | F::GreaterEqual if missing => Ok(Bool(false)),
        _ if missing => Ok(Missing),
        F::In => has_part(&values[1], &values[0]),
        F::Less | F::LessEqual | F::Greater | F::GreaterEqual => order(function, &values[0], &values[1]),
        F::Not => match values[0] {
            Bool(truth) => Ok(Bool(!truth)),
            _ => fault("type"),
        },
        F::Negate => match &values[0] {
            Int(number) => number.checked_neg().map_or(fault("overflow"), |number| Ok(Int(number))),
            Double(number) => Ok(Double(-number)),
            _ => fault("type"),
        },
        F::Add | F::Subtract | F::Multiply | F::Divide | F::Modulo => {
            arithmetic(function, &values[0], &values[1])
        }
        F::TypeOf => Ok(type_of(&values[0])),
        F::Dyn => Ok(values[0].clone()),
        F::Least | F::Greatest => extreme(function, &values[0]),
        F::Abs | F::Round | F::Ceil | F::Floor => round(function, &values[0]),
        F::String | F::Int | F::Double | F::Bool => convert(function, &values[0]),
        F::Size => size(&values[0]),
        F::Contains if !matches!(values[0], Text(_)) => has_part(&values[0], &values[1]),
        F::Sum | F::Sort | F::Reverse | F::Distinct | F::Flatten | F::Slice => list(function, &values),
        F::Join => join(&values[0], &values[1]),
        _ => text(function, &values),
    }
}

fn type_of(value: &Naive) -> Naive {
    Naive::Type(match value {
        Missing => unreachable!("missing has no type"),
        Null => "null_type",
        Bool(_) => "bool",
        Int(_) => "int",
        Double(_) => "double",
        Text(_) => "string",
        List(_) => "list",
        Map(_) => "map",
        Naive::Type(_) => "type",
    })
}

fn has_part(whole: &Naive, part: &Naive) -> Result {
    match whole {
        List(items) => Ok(Bool(items.iter().any(|item| equal(item, part)))),
        Map(entries) => Ok(Bool(entries.iter().any(|(key, _)| equal(key, part)))),
        _ => fault("type"),
    }
}

fn order(function: F, a: &Naive, b: &Naive) -> Result {
    let order = match (a, b) {
        (Int(a), Int(b)) => a.cmp(b),
        (Int(_) | Double(_), Int(_) | Double(_)) => double(a).partial_cmp(&double(b)).unwrap(),
        (Text(a), Text(b)) => a.chars().cmp(b.chars()),
        (Bool(a), Bool(b)) => a.cmp(b),
        _ => return fault("type"),
    };
    Ok(Bool(match function {
        F::Less => order.is_lt(),
        F::LessEqual => order.is_le(),
        F::Greater => order.is_gt(),
        _ => order.is_ge(),
    }))
}

fn double(value: &Naive) -> f64 {
    match value {
        Int(number) => *number as f64,
        Double(number) => *number,
        _ => f64::NAN,
    }
}

fn comprehension(it: &Comprehension, scope: &Scope) -> Result {
    let items = match Naive::evaluate(&it.range, scope)? {
        Missing => return Ok(Missing),
        List(items) => items,
        Map(mut entries) => {
            let text =
                |key: &Naive| if let Text(key) = key { (false, key.clone()) } else { (true, String::new()) };
            entries.sort_by_key(|(key, _)| text(key));
            entries.into_iter().map(|(key, _)| key).collect()
        }
        _ => return fault("type"),
    };
    let inner = |item: &Naive| scope.with(&it.variable.text, item.clone());
    let holds = |item: &Naive, expr: &Expr| truth(Naive::evaluate(expr, &inner(item))?);
    match it.function {
        F::All => decide(items.iter().map(|item| holds(item, &it.body)), false),
        F::Exists => decide(items.iter().map(|item| holds(item, &it.body)), true),
        F::ExistsOne => {
            let found = items.iter().map(|item| holds(item, &it.body)).collect::<Result<Vec<_>>>()?;
            Ok(Bool(found.iter().filter(|found| **found).count() == 1))
        }
        F::SortBy => {
            let keys = items.iter().map(|item| Naive::evaluate(&it.body, &inner(item)));
            let keys = keys.collect::<Result<Vec<_>>>()?;
            if keys.contains(&Missing) { Ok(Missing) } else { sorted(&items, &keys) }
        }
        F::Filter => {
            let mut kept = Vec::new();
            for item in items {
                if holds(&item, &it.body)? {
                    kept.push(item);
                }
            }
            Ok(List(kept))
        }
        _ => {
            let mut made = Vec::new();
            for item in items {
                if it.filter.as_ref().map_or(Ok(true), |filter| holds(&item, filter))? {
                    made.push(Naive::evaluate(&it.body, &inner(&item))?);
                }
            }
            Ok(if made.contains(&Missing) { Missing } else { List(made) })
        }
    }
}
