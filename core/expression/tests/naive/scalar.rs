//! The oracle's numbers and conversions.

use super::Naive::{self, Bool, Double, Int, List, Text};
use super::{F, Result, double, fault, finite, order};

pub(super) fn arithmetic(function: F, a: &Naive, b: &Naive) -> Result {
    match (function, a, b) {
        (F::Add, Text(a), Text(b)) => Ok(Text(a.clone() + b)),
        (F::Add, List(a), List(b)) => Ok(List([a.clone(), b.clone()].concat())),
        (F::Divide | F::Modulo, Int(_) | Double(_), Int(_) | Double(_)) if double(b) == 0.0 => {
            fault("divide-by-zero")
        }
        (_, Int(a), Int(b)) => {
            // 128 bits hold every result.
            let (a, b) = (i128::from(*a), i128::from(*b));
            let result = match function {
                F::Add => a + b,
                F::Subtract => a - b,
                F::Multiply => a * b,
                F::Divide => a / b,
                _ => a % b,
            };
            i64::try_from(result).map_or(fault("overflow"), |number| Ok(Int(number)))
        }
        (F::Modulo, Int(_) | Double(_), Int(_) | Double(_))
            if [a, b].iter().any(|number| {
                double(number).fract() != 0.0 || double(number).abs() > 9_007_199_254_740_992.0
            }) =>
        {
            fault("type")
        }
        (_, Int(_) | Double(_), Int(_) | Double(_)) => finite(match function {
            F::Add => double(a) + double(b),
            F::Subtract => double(a) - double(b),
            F::Multiply => double(a) * double(b),
            F::Divide => double(a) / double(b),
            _ => double(a) % double(b),
        }),
        _ => fault("type"),
    }
}

pub(super) fn extreme(function: F, value: &Naive) -> Result {
    let items = match value {
        List(items) if items.is_empty() => return fault("invalid-value"),
        List(items) => items.clone(),
        other => vec![other.clone()],
    };
    let mut best = items[0].clone();
    for item in items {
        if !matches!(item, Int(_) | Double(_)) {
            return fault("type");
        }
        let better = if function == F::Least {
            order(F::Less, &item, &best)?
        } else {
            order(F::Greater, &item, &best)?
        };
        if better == Bool(true) {
            best = item;
        }
    }
    Ok(best)
}

pub(super) fn round(function: F, value: &Naive) -> Result {
    match (function, value) {
        (F::Abs, Int(number)) => number.checked_abs().map_or(fault("overflow"), |number| Ok(Int(number))),
        (_, Int(number)) => Ok(Int(*number)),
        (F::Abs, Double(number)) => Ok(Double(number.abs())),
        (F::Round, Double(number)) => Ok(Double(number.round())),
        (F::Ceil, Double(number)) => Ok(Double(number.ceil())),
        (_, Double(number)) => Ok(Double(number.floor())),
        _ => fault("type"),
    }
}

pub(super) fn convert(function: F, value: &Naive) -> Result {
    match (function, value) {
        (F::String, Text(_)) | (F::Int, Int(_)) | (F::Double, Double(_)) | (F::Bool, Bool(_)) => {
            Ok(value.clone())
        }
        (F::String, Bool(truth)) => Ok(Text(truth.to_string())),
        (F::String, Int(number)) => Ok(Text(number.to_string())),
        // JavaScript formats the numbers of the test data the same way.
        (F::String, Double(number)) => {
            Ok(Text(if *number == 0.0 { "0".to_owned() } else { number.to_string() }))
        }
        (F::String, Naive::Type(name)) => Ok(Text((*name).to_owned())),
        (F::Int, Double(number)) if number.abs() >= 9.2e18 => fault("overflow"),
        (F::Int, Double(number)) => Ok(Int(number.trunc() as i64)),
        (F::Double, Int(number)) => Ok(Double(*number as f64)),
        (F::Int, Text(text)) => text.parse().map_or(fault("invalid-value"), |number| Ok(Int(number))),
        (F::Double, Text(text)) => text.parse().map_or(fault("invalid-value"), |number| Ok(Double(number))),
        (F::Bool, Text(text)) => match text.as_str() {
            "true" | "True" | "TRUE" | "t" | "1" => Ok(Bool(true)),
            "false" | "False" | "FALSE" | "f" | "0" => Ok(Bool(false)),
            _ => fault("invalid-value"),
        },
        _ => fault("type"),
    }
}
