//! Parses conditions with expressions: comparisons of two paths, arithmetic, functions.
//!
//! A comparison of a path with a literal stays plain, as the explicit planner defines it. If both parsers
//! reject the text, [`Error::explains_more`] chooses the error.

use super::{Atom, BrokenCondition, Condition, ConditionParser, Expression, Logic, one_or};
use crate::ast::{Expr, Kind, Literal};
use crate::base::{Code, ROOTS, Span, closest_name};
use crate::computed::{Computed, recoded};
use crate::error::{Error, in_order};
use crate::function::Function;
use crate::literal::number_of;
use crate::parser::{NEGATION_HELP, Syntax, is_comparison, is_path, parse as parse_expression};

/// `plain` has the findings of the parser of plain comparisons.
pub(super) fn parse(text: &str, plain: BrokenCondition) -> Result<Condition, Box<BrokenCondition>> {
    if text.trim_start().starts_with("{{") && !plain.errors.is_empty() {
        // No map has a map as its key.
        return Err(Box::new(plain));
    }
    let parsed = parse_expression(text, Syntax { roots: &ROOTS, bare_words: true, ..Syntax::default() });
    if is_misspelt_test(&parsed.ast.root) && !plain.errors.is_empty() {
        return Err(Box::new(plain));
    }
    let is_whole = parsed.is_whole();
    let mut combiner = Combiner {
        text,
        atoms: Vec::new(),
        computed: Vec::new(),
        errors: parsed.errors,
        warnings: Vec::new(),
    };
    let mut root = Logic::All(Vec::new());
    if is_whole {
        root = combiner.logic(&parsed.ast.root);
        if combiner.errors.is_empty() {
            let Combiner { atoms, computed, warnings, .. } = combiner;
            return Ok(Condition::Expression(Expression { root, atoms, computed, warnings }));
        }
    }
    let errors = recoded(std::mem::take(&mut combiner.errors), Code::ConditionSyntax);
    if matches!(errors.as_slice(), [error] if error.help.as_deref() == Some(NEGATION_HELP)) {
        // The other parser would report a part of the text that is right.
        return Err(Box::new(BrokenCondition { errors, warnings: Vec::new(), ..plain }));
    }
    match (plain.errors.first(), errors.first()) {
        (Some(plain_error), Some(error)) if !error.explains_more(plain_error) => Err(Box::new(plain)),
        _ if is_whole => {
            let Combiner { atoms, computed, warnings, .. } = combiner;
            let recovered = Expression { root, atoms, computed, warnings: Vec::new() };
            Err(Box::new(BrokenCondition { errors: in_order(errors), warnings, recovered }))
        }
        _ => Err(Box::new(BrokenCondition { errors, warnings: Vec::new(), ..plain })),
    }
}

fn is_misspelt_test(expr: &Expr) -> bool {
    matches!(&expr.kind, Kind::Select(select) if closest_name(&select.field.text, ["exists"]).is_some())
}

struct Combiner<'a> {
    text: &'a str,
    atoms: Vec<Atom>,
    computed: Vec<Computed>,
    errors: Vec<Error>,
    warnings: Vec<Error>,
}

impl Combiner<'_> {
    fn logic(&mut self, expr: &Expr) -> Logic {
        if let Kind::Call(call) = &expr.kind {
            match (call.function, call.args.as_slice()) {
                (Some(Function::And), args) => return one_or(self.parts(args), Logic::All),
                (Some(Function::Or), args) => return one_or(self.parts(args), Logic::Any),
                (Some(Function::Not), [arg]) => return Logic::Not(Box::new(self.logic(arg))),
                _ => {}
            }
        }
        if let Some(atom) = self.written_comparison(expr.span).or_else(|| printed_comparison(self.text, expr))
        {
            self.atoms.push(atom);
            return Logic::Atom(self.atoms.len() - 1);
        }
        match Computed::new(expr.clone()) {
            Ok(computed) => self.computed.push(computed),
            Err(errors) => self.errors.extend(errors),
        }
        Logic::Computed(self.computed.len().saturating_sub(1))
    }

    fn parts(&mut self, args: &[Expr]) -> Vec<Logic> {
        args.iter().map(|arg| self.logic(arg)).collect()
    }

    /// `None` if it is no plain comparison.
    fn written_comparison(&mut self, span: Span) -> Option<Atom> {
        let mut reader = ConditionParser::new(self.text.get(span.start..span.end)?);
        let root = reader.any(0);
        if !reader.errors.is_empty() || reader.computes || root != Logic::Atom(0) {
            return None;
        }
        let mut atom = reader.atoms.pop()?;
        atom.span = atom.span.shifted(span.start);
        atom.reference_span = atom.reference_span.shifted(span.start);
        self.warnings.extend(reader.warnings.into_iter().map(|warning| warning.shifted(span.start)));
        Some(atom)
    }
}

/// Handles text such as `last .a == x` and `x == last.a`, which the parser of plain comparisons rejects.
fn printed_comparison(source: &str, expr: &Expr) -> Option<Atom> {
    let Kind::Call(call) = &expr.kind else { return None };
    // If its parentheses are missing, a name parses as a bare word.
    let is_literal = |arg: &Expr| matches!(arg.kind, Kind::Literal(_) | Kind::List(_) | Kind::Map(_));
    let (path, text) = match (call.target.as_deref(), call.args.as_slice()) {
        (None, [left, right]) if is_literal(left) && is_path(right) => (
            right,
            format!("{right} {} {}", turned(call.function?)?, literal_text(source, left, call.function?)),
        ),
        (None, [left, right]) if is_path(left) && is_literal(right) && is_comparison(call.function?) => (
            left,
            format!("{left} {} {}", call.function?.name(), literal_text(source, right, call.function?)),
        ),
        (Some(path), args) if args.iter().all(is_literal) => (path, expr.to_string()),
        (None, [path, args @ ..]) if args.iter().all(is_literal) => (path, expr.to_string()),
        _ => return None,
    };
    let mut reader = ConditionParser::new(&text);
    let root = reader.any(0);
    if !reader.errors.is_empty() || !reader.warnings.is_empty() || reader.computes || root != Logic::Atom(0) {
        return None;
    }
    Some(Atom { span: expr.span, reference_span: path.span, ..reader.atoms.pop()? })
}

/// A number as written, because it also equals that text.
fn literal_text(source: &str, literal: &Expr, function: Function) -> String {
    let written = source.get(literal.span.start..literal.span.end).unwrap_or_default();
    let written = written.trim_matches(['(', ')', ' ']);
    // Such digits are text on either side, as in `last == 007`.
    let is_equality = matches!(function, Function::Equal | Function::NotEqual);
    if is_equality
        && written.len() > 1
        && written.bytes().all(|byte| byte.is_ascii_digit())
        && number_of(written).is_none()
    {
        return format!("\"{written}\"");
    }
    let is_number = matches!(literal.kind, Kind::Literal(Literal::Int(_) | Literal::Double(_)));
    if is_number && number_of(written).is_some() { written.to_owned() } else { literal.to_string() }
}

fn turned(function: Function) -> Option<&'static str> {
    is_comparison(function).then(|| function.mirrored().name())
}
