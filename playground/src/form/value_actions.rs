//! Expressions that process a value, such as counting items. The function table decides which suit its type. Each is
//! valid, with a place to fill in.

use super::labels::value_type_text;
use super::template::value_text;
use crate::i18n::Lang;
use serde_json::Value as Json;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::function::{Form, Signature};
use stepgraph_core::expression::types::{Field, Object};
use stepgraph_core::expression::{
    Function, Purpose, ROOTS, Syntax, Type, check, evaluate, is_key_char, parse,
};

/// Larger JSON is not evaluated for previews, in bytes.
const MAX_PREVIEW: usize = 20_000;

/// Operators that make a new value.
const OPERATORS: [Function; 6] = [
    Function::Add,
    Function::Subtract,
    Function::Multiply,
    Function::Divide,
    Function::Modulo,
    Function::Coalesce,
];

/// Expression for a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueAction {
    /// Function or operator.
    pub function: Function,
    /// One-line summary.
    pub summary: &'static str,
    /// Expression.
    pub text: String,
    /// Bytes to replace, or the end.
    pub place: Span,
}

/// Actions for a reference's value.
///
/// # Example
/// ```
/// use stepgraph_core::expression::Type;
/// use stepgraph_playground::form::value_actions::value_actions;
/// let actions = value_actions("last.tags", &Type::list(Type::String));
/// let join = actions.iter().find(|action| action.function.name() == "join").unwrap();
/// assert_eq!(join.text, r#"last.tags.join(", ")"#);
/// assert_eq!(&join.text[join.place.start..join.place.end], r#"", ""#);
/// ```
pub fn value_actions(reference: &str, kind: &Type) -> Vec<ValueAction> {
    let kind = kind.without_null();
    let functions = Function::ALL.iter().copied();
    let suits = |function: &Function| match function.form() {
        Form::Operator => OPERATORS.contains(function),
        Form::Function => !matches!(function, Function::TypeOf | Function::Dyn),
        Form::Macro => *function != Function::Has,
    };
    let mut found: Vec<ValueAction> =
        functions.filter(suits).filter_map(|function| action(function, reference, &kind)).collect();
    // Known function names first, except for numbers.
    let is_number = kind.is_number();
    found.sort_by_key(|action| (action.function.form() == Form::Operator) != is_number);
    found
}

fn action(function: Function, reference: &str, kind: &Type) -> Option<ValueAction> {
    let first = |signature: &Signature<'static>| {
        signature.receiver.or_else(|| signature.parameters.first().map(|parameter| parameter.kind))
    };
    let fits = |signature: &Signature<'static>| {
        first(signature).is_some_and(|expected| accepts(function, expected, kind))
    };
    // Methods read better than functions.
    let mut signatures: Vec<Signature<'static>> = function.signatures().filter(fits).collect();
    signatures.sort_by_key(|signature| signature.receiver.is_none());
    let signature = signatures.into_iter().next()?;
    let is_method = signature.receiver.is_some();
    let rest = signature.parameters.iter().skip(usize::from(!is_method));
    let needed = rest.filter(|parameter| !parameter.optional || function == Function::Join);
    let fillers: Vec<String> = needed.map(|parameter| filler(function, parameter.kind, kind)).collect();
    // Variables keep their names. The user fills in the expression after one.
    let filled = fillers.iter().position(|filler| filler != VARIABLE);
    let mut text = match (function.form(), is_method) {
        (Form::Operator, _) => [reference, " ", function.name(), " "].concat(),
        (_, true) => [reference, ".", function.name(), "("].concat(),
        (_, false) => [function.name(), "(", reference].concat(),
    };
    let mut place = None;
    for (at, filler) in fillers.iter().enumerate() {
        let separated = at > 0 || !is_method && function.form() != Form::Operator;
        text.push_str(if separated { ", " } else { "" });
        if filled == Some(at) {
            place = Some(Span::new(text.len(), text.len() + filler.len()));
        }
        text.push_str(filler);
    }
    text.push_str(if function.form() == Form::Operator { "" } else { ")" });
    let place = place.unwrap_or_else(|| Span::at(text.len()));
    Some(ValueAction { function, summary: function.docs().summary, text, place })
}

fn accepts(function: Function, expected: &str, kind: &Type) -> bool {
    let some =
        |is: &dyn Fn(&Type) -> bool| kind.members().iter().any(|member| *member == Type::Dyn || is(member));
    let element = |is: fn(&Type) -> bool| {
        some(&|member| matches!(member, Type::List(element) if **element == Type::Dyn || is(element)))
    };
    match expected {
        "string" => some(&|member| *member == Type::String),
        "number" => some(&Type::is_number),
        "bool" => some(&|member| *member == Type::Bool) && function != Function::Bool,
        "list(string)" => element(|element| *element == Type::String),
        "list(number)" => element(Type::is_number),
        "list(a)" if function == Function::Sort => element(Type::is_sortable),
        "list(a)" if function == Function::SortBy => element(has_sort_key),
        "list(a)" | "list(dyn)" => some(&|member| matches!(member, Type::List(_))),
        "map(a)" | "map(dyn)" => some(&|member| matches!(member, Type::Map(_) | Type::Object(_))),
        "a" => function == Function::Coalesce,
        "dyn" => function == Function::String && some(&|member| member.is_number() || *member == Type::Bool),
        _ => false,
    }
}

fn has_sort_key(kind: &Type) -> bool {
    match kind {
        Type::Object(object) => sortable_field(object).is_some(),
        _ => kind.is_sortable(),
    }
}

fn sortable_field(object: &Object) -> Option<&Field> {
    object.fields.iter().find(|field| field.kind.is_sortable())
}

const VARIABLE: &str = "x";

/// Makes the expression valid.
fn filler(function: Function, expected: &str, kind: &Type) -> String {
    let text = match (function, expected) {
        (_, "var") => VARIABLE,
        (Function::Join | Function::Split, _) => "\", \"",
        (Function::Multiply | Function::Divide | Function::Modulo, _) => "2",
        (_, "string") => "\"text\"",
        (_, "int") => "0",
        (_, "number") => "1",
        (_, "list(a)") => "[]",
        (_, "bool") => return element_condition(kind),
        (_, "b") => return element_value(kind),
        (Function::Coalesce, _) => constant_of(kind),
        _ => constant_of(&element_type(kind)),
    };
    text.to_owned()
}

fn constant_of(kind: &Type) -> &'static str {
    match kind.members().first() {
        Some(kind) if kind.is_number() => "0",
        Some(Type::Bool) => "false",
        Some(Type::List(_)) => "[]",
        Some(Type::Map(_) | Type::Object(_)) => "{}",
        _ => "\"text\"",
    }
}

fn element_type(kind: &Type) -> Type {
    match kind {
        Type::List(element) => Type::clone(element).without_null(),
        Type::Map(_) | Type::Object(_) => Type::String,
        _ => Type::Dyn,
    }
}

fn element_condition(kind: &Type) -> String {
    let element = element_type(kind);
    if let Type::Object(object) = &element {
        let comparable =
            object.fields.iter().find(|field| field.kind.is_number() || field.kind == Type::String);
        if let Some(field) = comparable {
            return test_of(&field_of_variable(&field.name), &field.kind);
        }
    }
    test_of(VARIABLE, &element)
}

/// A condition that depends on the value, whatever its type.
fn test_of(value: &str, kind: &Type) -> String {
    match kind {
        kind if kind.is_number() => [value, " > 0"].concat(),
        Type::String => [value, " == \"text\""].concat(),
        Type::Bool => value.to_owned(),
        Type::List(_) | Type::Map(_) | Type::Object(_) => ["size(", value, ") > 0"].concat(),
        _ => [value, " != null"].concat(),
    }
}

fn element_value(kind: &Type) -> String {
    match element_type(kind) {
        Type::Object(object) => main_field(&object),
        _ => VARIABLE.to_owned(),
    }
}

/// Prefers a field that every function accepts, such as `sortBy`.
fn main_field(object: &Object) -> String {
    let field = sortable_field(object).or(object.fields.first());
    field.map_or_else(|| VARIABLE.to_owned(), |field| field_of_variable(&field.name))
}

fn field_of_variable(name: &str) -> String {
    if !name.is_empty() && name.chars().all(is_key_char) {
        return [VARIABLE, ".", name].concat();
    }
    [VARIABLE, "[", &Json::from(name).to_string(), "]"].concat()
}

/// Type by schema, else by value.
pub fn type_of_value(schema: Option<&Json>, sample: Option<&Json>) -> Type {
    let known = schema.map(Type::from_schema).filter(|kind| *kind != Type::Dyn);
    known.or_else(|| sample.map(Type::of_json)).unwrap_or_default()
}

/// Result type, and its value if cheap to compute.
pub fn result_of(function: Function, kind: &Type, sample: Option<&Json>, lang: Lang) -> String {
    let Some(action) = action(function, "last", &kind.without_null()) else { return String::new() };
    let ast = parse(&action.text, Syntax { roots: &ROOTS, ..Syntax::default() }).ast;
    let checked = check(&ast, &[("last", kind.clone())][..], Purpose::Value);
    let name = value_type_text(&checked.kind.to_schema(), lang);
    let is_small = |value: &&Json| value.to_string().len() <= MAX_PREVIEW;
    let value = sample
        .filter(is_small)
        .and_then(|value| evaluate(&action.text, &serde_json::json!({ "last": value })).ok().flatten());
    let value = value.map(|value| value_text(&value).chars().take(80).collect::<String>());
    [Some(name), value].into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kinds() -> Vec<(Type, Json)> {
        let item = json!({"type": "object", "required": ["name", "price"], "properties":
            {"name": {"type": "string"}, "price": {"type": "number"}, "in stock": {"type": "boolean"}}});
        let nested = json!({"type": "object", "properties":
            {"tags": {"type": "array", "items": {"type": "string"}}, "sold": {"type": "number"}}});
        vec![
            (Type::String, json!("Green tea")),
            (Type::Number, json!(3)),
            (Type::Bool, json!(true)),
            (Type::list(Type::String), json!(["hot", "green"])),
            (Type::list(Type::Number), json!([1, 2])),
            (Type::list(Type::from_schema(&item)), json!([{"name": "tea", "price": 4, "in stock": true}])),
            (Type::list(Type::from_schema(&nested)), json!([{"tags": ["hot"], "sold": 2}])),
            (Type::list(Type::list(Type::String)), json!([["hot"], []])),
            (Type::list(Type::Bool), json!([true, false])),
            (Type::from_schema(&item), json!({"name": "tea", "price": 4})),
            (Type::list(Type::Dyn), json!([1, "a"])),
            (Type::Dyn, json!("5")),
        ]
    }

    #[test]
    fn every_action_is_valid_for_its_type() {
        for (kind, _) in kinds() {
            let actions = value_actions("last.a", &kind);
            assert!(!actions.is_empty(), "{kind}");
            for action in actions {
                let text = &action.text;
                let parsed = parse(text, Syntax { roots: &ROOTS, ..Syntax::default() });
                assert!(parsed.errors.is_empty(), "{text}: {:?}", parsed.errors);
                let root = Type::object([("a", kind.clone())]);
                let checked = check(&parsed.ast, &[("last", root)][..], Purpose::Value);
                assert!(checked.errors.is_empty(), "{text} for {kind}: {:?}", checked.errors);
                assert!(
                    text.get(action.place.start..action.place.end).is_some() && !action.summary.is_empty()
                );
            }
        }
    }

    #[test]
    fn offers_what_suits_the_type() {
        let names = |kind: &Type| {
            let actions = value_actions("last", kind);
            actions.iter().map(|action| action.function.name()).collect::<Vec<_>>().join(" ")
        };
        let text = names(&Type::String);
        for name in ["upperAscii", "lowerAscii", "trim", "split", "size", "+"] {
            assert!(text.split(' ').any(|found| found == name), "{name} in {text}");
        }
        let number = names(&Type::Number);
        assert!(number.starts_with("* / % + - ??"), "{number}");
        assert!(number.contains("round") && !number.contains("split"), "{number}");
        let list = names(&Type::list(Type::Number));
        for name in ["size", "filter", "map", "contains", "math.greatest"] {
            assert!(list.split(' ').any(|found| found == name), "{name} in {list}");
        }
        assert!(!list.contains("join") && !list.contains("trim"), "{list}");
    }

    #[test]
    fn fills_in_fields_and_selects_the_place() {
        let (kind, sample) = kinds().swap_remove(5);
        let actions = value_actions("last.items", &kind);
        let of = |name: &str| {
            let action = actions.iter().find(|action| action.function.name() == name).unwrap();
            let place = action.text.get(action.place.start..action.place.end).unwrap();
            (
                action.text.clone(),
                place.to_owned(),
                result_of(action.function, &kind, Some(&sample), Lang::En),
            )
        };
        let expect =
            |text: &str, place: &str, result: &str| (text.to_owned(), place.to_owned(), result.to_owned());
        assert_eq!(of("size"), expect("last.items.size()", "", "whole number · 1"));
        assert_eq!(of("map"), expect("last.items.map(x, x.name)", "x.name", "list · [\"tea\"]"));
        assert_eq!(
            of("filter"),
            expect("last.items.filter(x, x.name == \"text\")", "x.name == \"text\"", "list · []")
        );
        assert_eq!(result_of(Function::Round, &Type::Number, None, Lang::Es), "número");
    }
}
