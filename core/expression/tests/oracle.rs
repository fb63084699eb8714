//! Compares the evaluator with a naive one, over random expressions and data.
//!
//! The oracle copies every value, without limits, paths of several segments and host. It follows
//! `doc/langdef.md` of cel-spec and the differences in `docs/expressions.md`, not the evaluator's code.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::needless_pass_by_value,
    reason = "an oracle is plain, and stops the test when it is surprised"
)]

mod naive;

use naive::{Naive, Scope, naive_json};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use stepgraph_expression::JsonSource;
use stepgraph_expression::ast::{Ast, Call, Comprehension, Expr, Index, Kind, Literal, Name, Select};
use stepgraph_expression::json::{Roots, root_values};
use stepgraph_expression::{
    Code, Error, ExpressionArena, Function, Limits, Program, Purpose, Span, Syntax, Type, check,
    check_expression, evaluate, parse,
};

fn expr(kind: Kind) -> Expr {
    Expr::new(Span::default(), kind)
}

fn name(text: &str) -> Name {
    Name::new(text, Span::default())
}

fn call(function: Function, target: Option<Expr>, args: Vec<Expr>) -> Expr {
    let name = name(function.name());
    expr(Kind::Call(Call { function: Some(function), name, target: target.map(Box::new), args }))
}

fn literal() -> impl Strategy<Value = Expr> {
    let literal = prop_oneof![
        Just(Literal::Null),
        any::<bool>().prop_map(Literal::Bool),
        (-3_i64..4).prop_map(Literal::Int),
        prop_oneof![Just(i64::MAX), Just(i64::MIN)].prop_map(Literal::Int),
        prop_oneof![Just(0.5), Just(-1.0), Just(2.0), Just(0.0), Just(1e300)].prop_map(Literal::Double),
        "[ab é\"\\\\\n1]{0,3}".prop_map(Literal::Text),
    ];
    literal.prop_map(|literal| expr(Kind::Literal(literal)))
}

fn ident() -> impl Strategy<Value = Expr> {
    prop_oneof!["x", "y", "a", "b", "c"].prop_map(|text| expr(Kind::Ident(name(&text))))
}

fn operator() -> impl Strategy<Value = Function> {
    use Function as F;
    prop::sample::select(vec![
        F::Add,
        F::Subtract,
        F::Multiply,
        F::Divide,
        F::Modulo,
        F::Less,
        F::LessEqual,
        F::Greater,
        F::GreaterEqual,
        F::Equal,
        F::Equal,
        F::NotEqual,
        F::In,
    ])
}

fn function() -> impl Strategy<Value = (Function, usize)> {
    use Function as F;
    prop::sample::select(vec![
        (F::Size, 0),
        (F::Contains, 1),
        (F::StartsWith, 1),
        (F::EndsWith, 1),
        (F::LowerAscii, 0),
        (F::Trim, 0),
        (F::Split, 1),
        (F::Split, 2),
        (F::Join, 1),
        (F::Replace, 2),
        (F::Replace, 3),
        (F::Substring, 1),
        (F::Substring, 2),
        (F::IndexOf, 1),
        (F::IndexOf, 2),
        (F::LastIndexOf, 1),
        (F::LastIndexOf, 2),
        (F::CharAt, 1),
        (F::Sum, 0),
        (F::Sort, 0),
        (F::Reverse, 0),
        (F::Distinct, 0),
        (F::Flatten, 0),
        (F::Flatten, 1),
        (F::Slice, 2),
    ])
}

fn global() -> impl Strategy<Value = Function> {
    use Function as F;
    prop::sample::select(vec![
        F::Size,
        F::String,
        F::Int,
        F::Double,
        F::Bool,
        F::TypeOf,
        F::Dyn,
        F::Abs,
        F::Round,
        F::Ceil,
        F::Floor,
        F::Least,
        F::Greatest,
    ])
}

fn comprehension() -> impl Strategy<Value = Function> {
    use Function as F;
    prop::sample::select(vec![F::All, F::Exists, F::ExistsOne, F::Map, F::Filter, F::SortBy])
}

fn tree() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![2 => literal(), 3 => ident()];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let some = prop::collection::vec(inner.clone(), 2..4);
        let joined = prop::sample::select(vec![Function::And, Function::Or, Function::Coalesce]);
        prop_oneof![
            3 => (inner.clone(), "[abc01]|a-b").prop_map(|(operand, field)| {
                expr(Kind::Select(Select { operand: Box::new(operand), field: name(&field) }))
            }),
            2 => (inner.clone(), inner.clone()).prop_map(|(operand, index)| {
                expr(Kind::Index(Index { operand: Box::new(operand), index: Box::new(index) }))
            }),
            5 => (operator(), inner.clone(), inner.clone()).prop_map(|(function, a, b)| call(function, None, vec![a, b])),
            1 => (prop::sample::select(vec![Function::Not, Function::Negate]), inner.clone())
                .prop_map(|(function, a)| call(function, None, vec![a])),
            2 => (joined, some.clone()).prop_map(|(function, args)| call(function, None, args)),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| call(Function::Conditional, None, vec![a, b, c])),
            1 => (ident(), "[abc]").prop_map(|(operand, field)| {
                let path = expr(Kind::Select(Select { operand: Box::new(operand), field: name(&field) }));
                call(Function::Has, None, vec![path])
            }),
            3 => (function(), inner.clone(), prop::collection::vec(inner.clone(), 3)).prop_map(|((function, count), target, mut args)| {
                args.truncate(count);
                call(function, Some(target), args)
            }),
            2 => (global(), inner.clone()).prop_map(|(function, arg)| call(function, None, vec![arg])),
            1 => some.clone().prop_map(|items| expr(Kind::List(items))),
            1 => prop::collection::vec((inner.clone(), inner.clone()), 1..3).prop_map(|entries| expr(Kind::Map(entries))),
            3 => (comprehension(), inner.clone(), prop_oneof!["x", "y"], prop::option::of(inner.clone()), inner)
                .prop_map(|(function, range, variable, filter, body)| {
                    let filter = filter.filter(|_| function == Function::Map).map(Box::new);
                    let (range, body) = (Box::new(range), Box::new(body));
                    let (variable, name) = (name(&variable), name(function.name()));
                    expr(Kind::Comprehension(Comprehension { function, name, range, variable, filter, body }))
                }),
        ]
    })
}

fn data() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-3..4).prop_map(Json::from),
        Just(json!(0.5)),
        "[ab é1]{0,3}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::hash_map("[abc]|a-b|0", inner, 0..4)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

fn real(ast: &Ast, scope: &Json) -> Result<Option<Json>, String> {
    evaluated(ast, scope).map_err(|error| error.code.slug().to_owned())
}

fn evaluated(ast: &Ast, scope: &Json) -> Result<Option<Json>, Error> {
    let roots: Vec<&str> = scope.as_object().unwrap().keys().map(String::as_str).collect();
    let program =
        Program::compile(ast, &mut Roots::new(&roots)).map_err(|errors| errors.first().unwrap().clone())?;
    let scope = JsonSource::new(root_values(scope));
    let arena = ExpressionArena::new();
    program.evaluate(&scope, &arena, Limits::default())?.to_json()
}

/// Types that no value of the test data contradicts.
fn is_precise(kind: &Type) -> bool {
    match kind {
        Type::Dyn | Type::Union(_) | Type::Map(_) => false,
        Type::List(element) => is_precise(element),
        Type::Object(object) => !object.open && object.fields.iter().all(|field| is_precise(&field.kind)),
        _ => true,
    }
}

/// Found before an evaluation, whatever the data are.
const STATIC: [Code; 6] = [
    Code::ExpressionSyntax,
    Code::ExpressionUnsupported,
    Code::ExpressionTooDeep,
    Code::UnknownRoot,
    Code::ExpressionUnknownFunction,
    Code::ExpressionArguments,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, max_shrink_iters: 5000, ..ProptestConfig::default() })]

    #[test]
    fn evaluates_as_the_definition_says(root in tree(), a in data(), b in data(), c in data(), x in data(), y in data()) {
        let ast = Ast { root };
        let scope = json!({"a": a, "b": b, "c": c, "x": x, "y": y});
        let expect = Naive::evaluate(&ast.root, &Scope::new(&scope)).and_then(|value| naive_json(&value));
        let got = real(&ast, &scope);
        match (&got, &expect) {
            (Ok(got), Ok(expect)) => prop_assert_eq!(got, expect, "{} over {}", ast, scope),
            (Err(got), Err(expect)) => prop_assert_eq!(got, expect, "{} over {}", ast, scope),
            _ => prop_assert!(false, "{} over {}: got {:?}, expected {:?}", ast, scope, got, expect),
        }
    }

    #[test]
    fn printed_trees_parse_to_themselves(root in tree()) {
        let ast = Ast { root };
        let printed = ast.to_string();
        let again = parse(&printed, Syntax::default());
        prop_assert!(again.errors.is_empty(), "{}: {:?}", printed, again.errors);
        prop_assert_eq!(&again.ast, &ast, "{}", printed);
    }

    #[test]
    fn what_the_checker_accepts_has_its_type(root in tree(), a in data(), b in data()) {
        let ast = Ast { root };
        let scope = json!({"a": a, "b": b, "c": 1, "x": [1], "y": {"a": "b"}});
        let types = [
            ("a", Type::Dyn), ("b", Type::Dyn), ("c", Type::Number), ("x", Type::list(Type::Number)),
            ("y", Type::object([("a", Type::String)])),
        ];
        let checked = check(&ast, &types[..], Purpose::Value);
        let Ok(Some(value)) = real(&ast, &scope) else { return Ok(()) };
        let found = match value {
            Json::Null => Type::Null,
            Json::Bool(_) => Type::Bool,
            Json::Number(_) => Type::Number,
            Json::String(_) => return Ok(()),
            Json::Array(_) => Type::list(Type::Dyn),
            Json::Object(_) => Type::object([]),
        };
        prop_assert!(checked.kind.overlaps(&found), "{} is {}, not {}", ast, checked.kind, value);
    }

    /// Where all types are known, the checker has found each type error. Only fractions show later.
    #[test]
    fn what_the_checker_accepts_has_no_type_error(root in tree()) {
        let ast = Ast { root };
        let scope = json!({"a": "é", "b": true, "c": 1, "x": [1], "y": {"a": "b"}});
        let types = [
            ("a", Type::String), ("b", Type::Bool), ("c", Type::Number), ("x", Type::list(Type::Number)),
            ("y", Type::object([("a", Type::String)])),
        ];
        let checked = check(&ast, &types[..], Purpose::Value);
        if !checked.errors.is_empty() || !checked.types.iter().all(|(_, kind)| is_precise(kind)) {
            return Ok(());
        }
        if let Err(error) = evaluated(&ast, &scope) {
            let is_fraction = error.message.contains("whole number") || error.message.contains("does not accept a number");
            prop_assert!(error.code != Code::ExpressionType || is_fraction, "{}: {}", ast, error);
        }
    }

    /// What the checker rejects before the run for another reason than types, the evaluator rejects alike.
    #[test]
    fn checker_and_evaluator_read_alike(words in prop::collection::vec(
        prop_oneof![
            "last", "\\.a", "==", "&&", "\\(", "\\)", "\\[", "\\]", "\\{a:", "\\{'a':", "\\}", "'t'", "1", ",", "-", "not", "x", "=>",
            "\\.map\\(x,", "in", "has\\(", "size\\(", "True", "None", "\\.some\\(x,", "'\\('\\.matches\\(", "matches\\('a','\\('\\)",
        ], 0..8,
    )) {
        let text = words.join(" ");
        let scopes = [(json!({"last": {"a": 1}}), json!({"last": {}})), (json!({}), json!({}))];
        for (scope, types) in scopes {
            let (_, errors) = check_expression(&text, &types);
            let found = evaluate(&text, &scope).err().filter(|error| STATIC.contains(&error.code));
            let expect = errors.iter().find(|error| STATIC.contains(&error.code));
            prop_assert_eq!(found.as_ref(), expect, "{}", text);
        }
    }
}
