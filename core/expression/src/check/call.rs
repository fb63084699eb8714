//! Types of operators and functions.

use super::branches::{branch_types, is_empty_list, typed_operands};
use super::literals::{quoted_number, result_of_unequal};
use super::operands::{explain_negation, with_number};
use super::{Checker, Variable};
use crate::ast::{Call, Expr, Kind, Literal, Name};
use crate::base::{Span, parse_float};
use crate::error::{CONSTANT, Error, TYPE};
use crate::function::{Function, Signature};
use crate::parser::is_path;
use crate::types::Type;
use std::rc::Rc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Every value fits.
    Exact,
    /// Some values fit, such as whole numbers.
    Some,
    Never,
}

impl Checker<'_> {
    pub(super) fn call(&mut self, call: &Call, expr: &Expr) -> Type {
        match call.function {
            Some(Function::And | Function::Or | Function::Not) => {
                if !self.report_default(call) {
                    self.conditions(call);
                    if self.wants_warnings {
                        self.report_contradiction(call);
                    }
                }
                Type::Bool
            }
            Some(Function::Conditional) => self.conditional(call),
            Some(Function::Coalesce) => {
                self.report_loose_default(call);
                let types = branch_types(&call.args, self.choices(call));
                let last = types.len().saturating_sub(1);
                // A run needs no precise types.
                let is_given = self.narrows && call.args.iter().take(last).any(|arg| self.is_given(arg));
                let types = types.iter().enumerate().filter_map(|(at, kind)| match kind {
                    _ if at == last && !is_given => Some(kind.clone()),
                    Type::Null => None,
                    kind => Some(kind.without_null()),
                });
                types.reduce(|a, b| a.or(&b)).unwrap_or(Type::Null)
            }
            Some(function @ (Function::Equal | Function::NotEqual)) => self.equality(function, call, expr),
            Some(function) => {
                self.report_quoted_number(function, call);
                if call.name.text.starts_with(['<', '>']) {
                    self.report_unquoted_date(call);
                }
                self.report_literals(function, call);
                let errors = self.errors.len();
                let kind = self.signature(function, call, expr);
                if let (Function::Sort, Some(list), Type::List(element)) = (function, &call.target, &kind) {
                    self.check_sort_key(function, list.span, element);
                }
                if self.errors.len() > errors
                    && let Some(found) = self.errors.get_mut(errors..)
                {
                    explain_negation(function, call, found);
                }
                if self.may_be_decided(call) && self.errors.len() == errors {
                    self.report_decided(function, call, expr);
                }
                kind
            }
            None => self.unknown_call(call),
        }
    }

    /// The parser has reported the name. In `items.collect(x, x.a)`, `x` is a variable, as in `map`.
    #[inline(never)]
    fn unknown_call(&mut self, call: &Call) -> Type {
        let variable = match call.args.as_slice() {
            [Expr { kind: Kind::Ident(name), .. }, _, ..] if (self.root)(&name.text).is_none() => Some(name),
            _ => None,
        };
        let known = self.variables.len();
        for arg in call.target.iter().map(|target| &**target) {
            self.infer(arg);
        }
        if let Some(name) = variable {
            self.variables.push(Variable { name: name.text.clone(), kind: Type::Dyn, domain: None });
        }
        for arg in &call.args {
            self.infer(arg);
        }
        self.variables.truncate(known);
        self.outermost = 0;
        Type::Dyn
    }

    /// Reports `a ?? 0 < 3`, which means `a ?? (0 < 3)`, and `a ?? 0 + 1`.
    fn report_loose_default(&mut self, call: &Call) {
        let [first, .., last] = call.args.as_slice() else { return };
        let Kind::Call(operation) = &last.kind else { return };
        let [left, right] = operation.args.as_slice() else { return };
        // A parenthesis belongs to the span of the expression in it.
        if last.span.start < left.span.start || !self.takes_default(operation.function, first, left) {
            return;
        }
        self.errors.push(loose_default(first, &operation.name, left, right));
    }

    /// Whether the author meant `first ?? left` as an operand.
    fn takes_default(&mut self, function: Option<Function>, first: &Expr, left: &Expr) -> bool {
        use Function::{
            Add, Equal, Greater, GreaterEqual, In, Less, LessEqual, Multiply, NotEqual, Subtract,
        };
        match (function, &left.kind) {
            (Some(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | In), _) => {
                !matches!(self.silently(first), Type::Bool)
            }
            // Nobody adds to 0 on purpose. `?? 60 * 60` is a default.
            (Some(Add | Subtract | Multiply), Kind::Literal(Literal::Int(0)))
            | (Some(Add | Multiply), Kind::Literal(Literal::Int(1))) => true,
            _ => false,
        }
    }

    fn silently(&mut self, expr: &Expr) -> Type {
        let (errors, types) = (self.errors.len(), self.types.len());
        let kind = self.infer(expr);
        self.errors.truncate(errors);
        self.types.truncate(types);
        kind
    }

    /// Reports `x > 2026-11-25`, which subtracts.
    fn report_unquoted_date(&mut self, call: &Call) {
        for arg in &call.args {
            let Kind::Call(minus) = &arg.kind else { continue };
            let literal = |expr: &Expr| matches!(expr.kind, Kind::Literal(Literal::Int(_)));
            let ([inner, day], Some(Function::Subtract)) = (minus.args.as_slice(), minus.function) else {
                continue;
            };
            let Kind::Call(before) = &inner.kind else { continue };
            let is_date = before.function == Some(Function::Subtract)
                && before.args.iter().all(literal)
                && literal(day);
            if is_date && arg.span.end - arg.span.start <= "2026-11-25".len() {
                self.errors.push(unquoted_date(arg.span));
            }
        }
    }

    /// Reports `x || "default"`, which other languages have for `??`.
    fn report_default(&mut self, call: &Call) -> bool {
        let (Some(Function::Or), [_, last]) = (call.function, call.args.as_slice()) else { return false };
        let is_default = matches!(&last.kind, Kind::Literal(literal) if !matches!(literal, Literal::Bool(_)));
        if is_default {
            let error = Error::new(TYPE, call.name.span, "`||` joins conditions");
            let help = "write `??` before the value to use when another is missing";
            self.errors.push(error.help(help).fix(call.name.span, "??"));
        }
        is_default
    }

    /// Reports `x < "7"` if the type of `x` is unknown: numbers do not compare with it, and texts of digits
    /// have another order.
    fn report_quoted_number(&mut self, function: Function, call: &Call) {
        use Function::{Greater, GreaterEqual, Less, LessEqual};
        let ([left, right], Less | LessEqual | Greater | GreaterEqual) = (call.args.as_slice(), function)
        else {
            return;
        };
        for (literal, other) in [(right, left), (left, right)] {
            let Kind::Literal(Literal::Text(text)) = &literal.kind else { continue };
            let kind = self.silently(other);
            if kind == Type::Dyn && parse_float(text).is_some() {
                self.errors.push(quoted_number(literal.span, text));
            }
        }
    }

    fn conditional(&mut self, call: &Call) -> Type {
        let [condition, branches @ ..] = call.args.as_slice() else { return Type::Dyn };
        self.condition(condition);
        self.report_constant(condition);
        let mut holds = true;
        let mut types = Vec::new();
        for branch in branches {
            types.push(self.guarded(condition, holds, branch));
            holds = false;
        }
        Type::one_of(branch_types(branches, types))
    }

    fn equality(&mut self, function: Function, call: &Call, expr: &Expr) -> Type {
        let [left, right] = call.args.as_slice() else { return Type::Bool };
        let errors = self.errors.len();
        // Tests of `null` do not make each other useless.
        let tests_null = [left, right].iter().any(|side| matches!(side.kind, Kind::Literal(Literal::Null)));
        let facts = if tests_null { std::mem::take(&mut self.facts) } else { Vec::new() };
        let (a, b) = (self.infer(left), self.infer(right));
        self.facts.extend(facts);
        if a.overlaps(&b) {
            let has_name = [left, right].iter().any(|side| matches!(side.kind, Kind::Ident(_)));
            if has_name && self.report_type_of_data(function, (left, right), expr.span) {
                return Type::Bool;
            }
            if self.may_be_decided(call) && self.errors.len() == errors {
                self.report_decided(function, call, expr);
            }
        } else {
            self.report_unequal(function, (left, &a), (right, &b), expr);
        }
        Type::Bool
    }

    /// The types of the operands of `??`.
    fn choices(&mut self, call: &Call) -> Vec<Type> {
        let (around, last) = (self.optional, call.args.len().saturating_sub(1));
        let infer = |(at, arg): (usize, &Expr)| {
            self.optional = around + usize::from(at < last);
            self.infer(arg)
        };
        let types = call.args.iter().enumerate().map(infer).collect();
        self.optional = around;
        types
    }

    /// Apart from the rest, since most plans never need it.
    #[inline(never)]
    fn report_unequal(
        &mut self,
        function: Function,
        (left, a): (&Expr, &Type),
        (right, b): (&Expr, &Type),
        expr: &Expr,
    ) {
        let always = result_of_unequal(function);
        let message = format!("the comparison {always}: {} differs from {}", a.describe(), b.describe());
        let error = Error::new(CONSTANT, expr.span, &message);
        self.errors.push(match (a, b) {
            (Type::Null, _) if is_path(right) => error.help(&has_help(function, right)),
            (_, Type::Null) if is_path(left) => error.help(&has_help(function, left)),
            (Type::Type, _) | (_, Type::Type) => {
                error.help("write the name of a type without quotes, as in `type(x) == string`")
            }
            _ => with_number(error, left, right, a, b),
        });
    }

    fn signature(&mut self, function: Function, call: &Call, expr: &Expr) -> Type {
        let errors = self.errors.len();
        let around = self.optional;
        self.optional += usize::from(function == Function::Has);
        let mut args: Vec<(Span, Type)> = operands(call).map(|arg| (arg.span, self.infer(arg))).collect();
        if function == Function::Add && call.args.iter().any(is_empty_list) {
            typed_operands(call, &mut args);
        }
        self.optional = around;
        let are_sound = self.errors.len() == errors;
        let method = call.target.is_some();
        let mut best: Option<(Fit, Type)> = None;
        for signature in function.signatures().filter(|it| it.receiver.is_some() == method) {
            let (fit, result) = fit_signature(&signature, &args);
            if fit == Fit::Never || best.as_ref().is_some_and(|(known, _)| *known == Fit::Exact) {
                continue;
            }
            best = Some(match best {
                // Several signatures fit.
                Some((Fit::Some, known)) if fit == Fit::Some => (fit, known.or(&result)),
                _ => (fit, result),
            });
        }
        match best {
            Some((_, result)) => {
                if self.wants_warnings {
                    self.report_null(function, call, &args);
                    if are_sound && matches!(function, Function::In | Function::Contains) {
                        self.report_no_member(function, call, &args, expr);
                    }
                }
                result
            }
            None => {
                self.report_operands(function, call, expr, &args);
                Type::Dyn
            }
        }
    }
}

#[inline(never)]
fn loose_default(first: &Expr, operator: &Name, left: &Expr, right: &Expr) -> Error {
    let Name { text, span } = operator;
    let error = Error::new(TYPE, *span, &format!("`??` binds less tightly than `{text}`"));
    error.help(&format!("write `({first} ?? {left}) {text} {right}`"))
}

#[inline(never)]
fn unquoted_date(span: Span) -> Error {
    Error::new(TYPE, span, "a date without quotes is a subtraction")
        .help("put the date in quotes, and compare two texts or two timestamps")
}

/// For comparisons with `null` of a value that is never `null`.
fn has_help(function: Function, path: &Expr) -> String {
    let sign = if function == Function::Equal { "!" } else { "" };
    format!("write `{sign}has({path})` to test whether the value is there")
}

/// The value before the dot comes first.
pub(super) fn operands(call: &Call) -> impl Iterator<Item = &Expr> {
    call.target.iter().map(|target| &**target).chain(&call.args)
}

pub(super) fn parameter<'a>(signature: &Signature<'a>, at: usize) -> Option<&'a str> {
    match (signature.receiver, at) {
        (Some(receiver), 0) => Some(receiver),
        (Some(_), at) => signature.parameter(at - 1).map(|it| it.kind),
        (None, at) => signature.parameter(at).map(|it| it.kind),
    }
}

/// A type variable is one letter.
pub(super) type TypeVariables<'a> = Vec<(&'a str, Type)>;

fn fit_signature(signature: &Signature<'_>, args: &[(Span, Type)]) -> (Fit, Type) {
    let mut type_variables = Vec::new();
    let mut worst = Fit::Exact;
    for (at, (_, kind)) in args.iter().enumerate() {
        let Some(wanted) = parameter(signature, at) else { return (Fit::Never, Type::Dyn) };
        worst = worst.max(fit_type(wanted, kind, &mut type_variables));
    }
    let given = args.len() - usize::from(signature.receiver.is_some());
    let worst = if signature.accepts(given) { worst } else { Fit::Never };
    (worst, result_type(signature.result, &type_variables))
}

pub(super) fn fit_type<'a>(wanted: &'a str, kind: &Type, type_variables: &mut TypeVariables<'a>) -> Fit {
    if let Type::Union(members) = kind {
        let fits = members.iter().map(|member| fit_type(wanted, member, type_variables));
        return if fits.min().is_some_and(|best| best < Fit::Never) { Fit::Some } else { Fit::Never };
    }
    if wanted == "dyn" {
        return Fit::Exact;
    }
    if wanted.len() == 1 {
        type_variables.push((wanted, kind.clone()));
        return Fit::Exact;
    }
    let exact = match (wanted, kind) {
        (_, Type::Dyn) => {
            fit_element(wanted, "list(", kind, type_variables);
            return Fit::Some;
        }
        ("int", Type::Double | Type::Number) => return Fit::Some,
        ("bool", Type::Bool)
        | ("int", Type::Int)
        | ("string", Type::String)
        | ("timestamp", Type::Timestamp)
        | ("duration", Type::Duration)
        | ("type", Type::Type) => true,
        ("number" | "double", kind) => kind.is_number(),
        (_, Type::List(element)) => return fit_element(wanted, "list(", element, type_variables),
        (_, Type::Map(value)) => return fit_element(wanted, "map(", value, type_variables),
        (_, Type::Object(_)) => return fit_element(wanted, "map(", &Type::Dyn, type_variables),
        _ => false,
    };
    if exact { Fit::Exact } else { Fit::Never }
}

/// In `["a"] + x`, an unknown list may have other elements, too.
fn fit_element<'a>(wanted: &'a str, outer: &str, kind: &Type, type_variables: &mut TypeVariables<'a>) -> Fit {
    match wanted.strip_prefix(outer).and_then(|rest| rest.strip_suffix(')')) {
        Some(element) => fit_type(element, kind, type_variables),
        None => Fit::Never,
    }
}

fn result_type(text: &str, type_variables: &TypeVariables<'_>) -> Type {
    if let Some(element) = text.strip_prefix("list(").and_then(|rest| rest.strip_suffix(')')) {
        return Type::List(Rc::new(result_type(element, type_variables)));
    }
    match text {
        "null" => Type::Null,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "double" => Type::Double,
        "number" => Type::Number,
        "string" => Type::String,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "type" => Type::Type,
        letter => {
            let known =
                type_variables.iter().filter(|(known, _)| *known == letter).map(|(_, kind)| kind.clone());
            Type::one_of(known)
        }
    }
}
