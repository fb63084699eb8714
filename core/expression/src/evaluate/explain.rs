//! Names the value behind a missing result, and the element behind an error in a macro.
//!
//! Errors and missing results are rare. Therefore nothing is recorded during an evaluation except the positions of
//! elements in errors. The rest is computed again.

use super::{Evaluator, Limits, Variable};
use crate::arena::ExpressionArena;
use crate::ast::{Ast, Comprehension, Expr, Index, Kind, Literal};
use crate::base::{Segment, Span, is_root, shorten_name};
use crate::error::{Element, Error, TOO_COSTLY};
use crate::parser::{Syntax, parse};
use crate::program::{Args, Names, Op, OpId, Program};
use crate::value::{Fallible, Text, Val};
use crate::value_source::ValueSource;

impl Program {
    /// Names the path that makes the result missing, such as `input.items[1].price`. `text` is the program's
    /// printed form.
    pub fn missing_path(&self, text: &str, host: &dyn ValueSource) -> Option<String> {
        let (ast, program) = self.printed(text)?;
        let arena = ExpressionArena::new();
        program.missing_in(&ast, host, &arena)
    }

    /// Says at which elements of lists the error occurred. `text` is the program's printed form.
    pub fn name_element(&self, text: &str, error: &mut Error) {
        if error.element.is_some()
            && let Some((ast, program)) = self.printed(text)
        {
            program.name_element_in(&ast, error);
        }
    }

    /// With positions in the text, which the program was not compiled from.
    fn printed(&self, text: &str) -> Option<(Ast, Self)> {
        let ast = parse(text, Syntax::default()).ast;
        let spans = Self::compile(&ast, &mut PlanRoots).ok()?.spans;
        (spans.len() == self.spans.len()).then(|| (ast, Self { spans, ..self.clone() }))
    }

    fn missing_in<'a>(
        &'a self,
        ast: &Ast,
        host: &'a dyn ValueSource,
        arena: &'a ExpressionArena<'a>,
    ) -> Option<String> {
        let context = super::EvalContext { program: self, host, arena };
        let mut evaluator = Evaluator { context, variables: Vec::new(), limits: Limits::default() };
        let mut elements = Elements { ast, bound: Vec::new() };
        evaluator.missing(self.root, &mut elements).ok()?.map(|expr| expr.to_string())
    }

    pub(crate) fn name_element_in(&self, ast: &Ast, error: &mut Error) {
        let mut elements = Elements { ast, bound: Vec::new() };
        let mut element = error.element.take();
        while let Some(found) = element {
            elements.bind(self.span(found.range), &found.at);
            element = found.inner;
        }
        let names: Vec<String> = elements
            .bound
            .iter()
            .map(|(name, value)| format!("`{name}` is `{}`", shorten_name(&value.to_string())))
            .collect();
        if !names.is_empty() {
            error.message = format!("{}, where {}", error.message, names.join(" and "));
        }
    }
}

/// In bytes. A variable with a longer element keeps its name.
const MAX_ELEMENT: usize = 200;

/// Every root is known, since the program was compiled before.
struct PlanRoots;

impl Names for PlanRoots {
    fn root(&mut self, name: &str, _: &[Segment]) -> Option<(u32, usize)> {
        is_root(name).then_some((0, 0))
    }

    fn path(&mut self, _: &[Segment]) -> u32 {
        0
    }

    fn text(&mut self, _: &str) -> u32 {
        0
    }
}

/// Variables and their elements, such as `i` and `input.items[1]`.
struct Elements<'t> {
    ast: &'t Ast,
    bound: Vec<(String, Expr)>,
}

impl Elements<'_> {
    /// Without variables.
    fn expr(&self, span: Span) -> Option<Expr> {
        let mut expr = find(&self.ast.root, &mut |expr| (expr.span == span).then_some(expr))?.clone();
        self.fill(&mut expr);
        Some(expr)
    }

    fn fill(&self, expr: &mut Expr) {
        match &expr.kind {
            Kind::Ident(name) => {
                if let Some((_, value)) = self.bound.iter().rev().find(|(known, _)| *known == name.text) {
                    *expr = value.clone();
                }
            }
            _ => expr.kind.each_mut(&mut |part| self.fill(part)),
        }
    }

    fn bind(&mut self, range: Span, at: &Segment) {
        let Some(it) = find(&self.ast.root, &mut |expr| comprehension(expr, range)) else { return };
        let value = match at {
            Segment::Index(index) => self.expr(range).map(|operand| {
                let index = Kind::Literal(Literal::Int(i64::try_from(*index).unwrap_or(i64::MAX)));
                let (operand, index) = (Box::new(operand), Box::new(Expr::new(range, index)));
                Expr::new(range, Kind::Index(Index { operand, index }))
            }),
            Segment::Key(key) => Some(Expr::new(range, Kind::Literal(Literal::Text(key.clone())))),
        };
        // Elements of nested macros contain each other, so they could grow without limit.
        let short = value.filter(|value| value.to_string().len() <= MAX_ELEMENT);
        self.bound.extend(short.map(|value| (it.variable.text.clone(), value)));
    }
}

fn find<'t, T>(expr: &'t Expr, test: &mut dyn FnMut(&'t Expr) -> Option<T>) -> Option<T> {
    let mut found = test(expr);
    expr.each(&mut |part| {
        if found.is_none() {
            found = find(part, test);
        }
    });
    found
}

fn comprehension(expr: &Expr, range: Span) -> Option<&Comprehension> {
    match &expr.kind {
        Kind::Comprehension(it) if it.range.span == range => Some(it),
        _ => None,
    }
}

impl<'a> Evaluator<'a> {
    /// The part of an operation with a missing result that makes it missing.
    fn missing(&mut self, id: OpId, elements: &mut Elements<'_>) -> Fallible<Option<Expr>> {
        let Some(op) = self.context.program.ops.get(id as usize) else { return Ok(None) };
        let part = match *op {
            Op::Constant(_) | Op::Has(_) | Op::And(_) | Op::Or(_) => return Ok(None),
            Op::Path { .. } | Op::Variable { .. } => None,
            Op::Select { operand, .. } => self.first_missing(&[operand])?,
            Op::Index { operand, index } => self.first_missing(&[operand, index])?,
            Op::Coalesce(args) => self.context.program.args(args).last().copied(),
            Op::Conditional { condition, then, other } => {
                Some(if self.condition(condition)? { then } else { other })
            }
            Op::Unary(_, operand) | Op::Matches { text: operand, .. } => self.first_missing(&[operand])?,
            Op::Binary(_, left, right) => self.first_missing(&[left, right])?,
            Op::Call(_, args) | Op::List(args) | Op::Map(args) => self.first_missing_arg(args)?,
            Op::Fold { range, filter, body, .. } => match self.first_missing(&[range])? {
                None => return self.missing_element(range, filter, body, elements),
                range => range,
            },
        };
        match part {
            Some(part) => self.missing(part, elements),
            None => Ok(elements.expr(self.context.program.span(id))),
        }
    }

    fn first_missing_arg(&mut self, args: Args) -> Fallible<Option<OpId>> {
        self.first_missing(self.context.program.args(args))
    }

    fn first_missing(&mut self, parts: &[OpId]) -> Fallible<Option<OpId>> {
        for part in parts {
            if self.eval(*part)?.is_missing() {
                return Ok(Some(*part));
            }
        }
        Ok(None)
    }

    fn missing_element(
        &mut self,
        range: OpId,
        filter: Option<OpId>,
        body: OpId,
        elements: &mut Elements<'_>,
    ) -> Fallible<Option<Expr>> {
        let (list, span) = (self.eval(range)?, self.context.program.span(range));
        let (mut at, mut found) = (0, None);
        self.visit_elements(&list, &mut |evaluator, element| {
            evaluator.variables.push(element);
            let wanted = filter.map_or(Ok(true), |filter| evaluator.condition(filter))?;
            if wanted && evaluator.eval(body)?.is_missing() {
                elements.bind(span, &evaluator.segment(&list, at));
                found = evaluator.missing(body, elements)?;
                return Ok(false);
            }
            evaluator.variables.pop();
            at += 1;
            Ok(true)
        })?;
        Ok(found)
    }

    /// The position or key of the innermost variable's element.
    fn segment(&self, range: &Val<'a>, at: usize) -> Segment {
        match (range, self.variables.last()) {
            (Val::Map(_) | Val::RemoteMap(_), Some(Variable::Val(Val::Text(key)))) => {
                Segment::Key(self.key_text(*key).to_owned())
            }
            _ => Segment::Index(at),
        }
    }

    fn key_text(&self, key: Text<'a>) -> &'a str {
        key.read(self.context.program, self.context.host, self.context.arena)
    }

    /// Remembers the innermost variable's element in an error of a macro's body.
    #[cold]
    pub(super) fn at_element(
        &self,
        mut error: Box<Error>,
        (range, list): (OpId, &Val<'a>),
        at: usize,
    ) -> Box<Error> {
        // The last element need not be the costly one.
        if error.code != TOO_COSTLY {
            let inner = error.element.take();
            error.element = Some(Box::new(Element { range, at: self.segment(list, at), inner }));
        }
        error
    }
}
