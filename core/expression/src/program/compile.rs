//! Compiles a tree.

use super::{Args, Constant, Names, Op, OpId, Program};
use crate::ast::{Call, Comprehension, Expr, Kind, Literal};
use crate::base::{Path, Segment, Span};
use crate::error::{Error, SYNTAX, TOO_DEEP, UNKNOWN_FUNCTION, unknown_root};
use crate::function::{Form, Function};
use crate::parser::{MAX_DEPTH, TYPE_NAMES};
use crate::pattern::Pattern;

pub(super) fn compile(expr: &Expr, names: &mut dyn Names) -> Result<Program, Vec<Error>> {
    if expr.height() > MAX_DEPTH {
        return Err(vec![Error::new(TOO_DEEP, expr.span, "the expression is nested too deeply")]);
    }
    let (ops, spans, args) = (Vec::new(), Vec::new(), Vec::new());
    let (constants, paths, patterns) = (Vec::new(), vec![Path::default()], Vec::new());
    let program = Program { ops, spans, args, constants, paths, patterns, root: 0 };
    let mut compiler = Compiler { program, names, variables: Vec::new(), errors: Vec::new() };
    let root = compiler.expr(expr);
    compiler.program.root = root;
    if compiler.errors.is_empty() { Ok(compiler.program) } else { Err(compiler.errors) }
}

struct Compiler<'n, 't> {
    program: Program,
    names: &'n mut dyn Names,
    variables: Vec<&'t str>,
    errors: Vec<Error>,
}

/// Programs are far smaller than 32 bits can count.
fn to_u32(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

impl<'t> Compiler<'_, 't> {
    fn push(&mut self, op: Op, span: Span) -> OpId {
        self.program.ops.push(op);
        self.program.spans.push(span);
        to_u32(self.program.ops.len() - 1)
    }

    fn constant(&mut self, constant: Constant, span: Span) -> OpId {
        self.program.constants.push(constant);
        self.push(Op::Constant(to_u32(self.program.constants.len() - 1)), span)
    }

    fn args(&mut self, exprs: impl Iterator<Item = &'t Expr>) -> Args {
        let ops: Vec<OpId> = exprs.map(|expr| self.expr(expr)).collect();
        let start = to_u32(self.program.args.len());
        self.program.args.extend(&ops);
        Args { start, count: to_u32(ops.len()) }
    }

    fn expr(&mut self, expr: &'t Expr) -> OpId {
        let op = match &expr.kind {
            Kind::Literal(literal) => return self.literal(literal, expr.span),
            Kind::Ident(_) | Kind::Select(_) => return self.path(expr),
            Kind::Index(index) if constant_segment(&index.index).is_some() => return self.path(expr),
            Kind::Index(index) => {
                let (operand, index) = (self.expr(&index.operand), self.expr(&index.index));
                Op::Index { operand, index }
            }
            Kind::Call(call) => return self.call(call, expr.span),
            Kind::List(items) => Op::List(self.args(items.iter())),
            Kind::Map(entries) => Op::Map(self.args(entries.iter().flat_map(|(key, value)| [key, value]))),
            Kind::Comprehension(it) => self.comprehension(it),
            Kind::Broken(_) => {
                self.errors.push(Error::new(SYNTAX, expr.span, "a value is missing"));
                return 0;
            }
        };
        self.push(op, expr.span)
    }

    fn literal(&mut self, literal: &Literal, span: Span) -> OpId {
        let constant = match literal {
            Literal::Null => Constant::Null,
            Literal::Bool(truth) => Constant::Bool(*truth),
            Literal::Int(number) => Constant::Int(*number),
            Literal::Double(number) => Constant::Double(*number),
            Literal::Text(text) => Constant::Text(text.clone(), self.names.text(text)),
        };
        self.constant(constant, span)
    }

    fn path(&mut self, expr: &'t Expr) -> OpId {
        let (base, segments) = path_of(expr);
        match &base.kind {
            Kind::Ident(name) => self.reference(&name.text, &segments, expr.span, name.span),
            _ => {
                let operand = self.expr(base);
                let path = self.new_path(&segments);
                self.push(Op::Select { operand, path }, expr.span)
            }
        }
    }

    fn reference(&mut self, name: &str, segments: &[Segment], span: Span, name_span: Span) -> OpId {
        if let Some(index) = self.variables.iter().rposition(|variable| *variable == name) {
            let path = self.new_path(segments);
            return self.push(Op::Variable { index: to_u32(index), path }, span);
        }
        // In a plan any other word begins with a node's output.
        let is_package = name == "google" && type_named(name, segments).is_some();
        if !is_package && let Some((root, taken)) = self.names.root(name, segments) {
            let path = self.new_path(segments.get(taken..).unwrap_or_default());
            return self.push(Op::Path { root, path }, span);
        }
        if let Some(found) = type_named(name, segments) {
            return self.constant(Constant::Type(found), span);
        }
        self.errors.push(unknown_root(name, name_span));
        0
    }

    fn new_path(&mut self, segments: &[Segment]) -> u32 {
        if segments.is_empty() {
            return 0;
        }
        let path = Path { number: self.names.path(segments), segments: segments.to_vec() };
        self.program.paths.push(path);
        to_u32(self.program.paths.len() - 1)
    }

    fn call(&mut self, call: &'t Call, span: Span) -> OpId {
        let Some(function) = call.function else {
            self.errors.push(Error::new(UNKNOWN_FUNCTION, call.name.span, "there is no such function"));
            return 0;
        };
        let op = match (function, call.args.as_slice()) {
            (Function::And, args) => Op::And(self.args(args.iter())),
            (Function::Or, args) => Op::Or(self.args(args.iter())),
            (Function::Coalesce, args) => Op::Coalesce(self.args(args.iter())),
            (Function::Conditional, [condition, then, other]) => {
                let (condition, then) = (self.expr(condition), self.expr(then));
                Op::Conditional { condition, then, other: self.expr(other) }
            }
            (Function::Has, [arg]) => Op::Has(self.expr(arg)),
            (Function::Matches, args) => self.matches(call, args),
            (function, args) if function.form() == Form::Operator => match args {
                [operand] => Op::Unary(function, self.expr(operand)),
                [left, right] => {
                    let left = self.expr(left);
                    Op::Binary(function, left, self.expr(right))
                }
                _ => Op::List(self.args(args.iter())),
            },
            (function, _) => Op::Call(function, self.args(operands(call))),
        };
        self.push(op, span)
    }

    /// A literal pattern is parsed once.
    fn matches(&mut self, call: &'t Call, args: &'t [Expr]) -> Op {
        let Some(Expr { kind: Kind::Literal(Literal::Text(text)), span, .. }) = args.last() else {
            return Op::Call(Function::Matches, self.args(operands(call)));
        };
        match Pattern::parse(text) {
            Ok(pattern) => self.program.patterns.push(pattern),
            Err(message) => self.errors.push(Pattern::error(&message, *span)),
        }
        let pattern = to_u32(self.program.patterns.len().saturating_sub(1));
        let text = operands(call).next().map_or(0, |text| self.expr(text));
        Op::Matches { text, pattern }
    }

    fn comprehension(&mut self, it: &'t Comprehension) -> Op {
        let range = self.expr(&it.range);
        self.variables.push(&it.variable.text);
        let filter = it.filter.as_ref().map(|filter| self.expr(filter));
        let body = self.expr(&it.body);
        self.variables.pop();
        Op::Fold { function: it.function, range, filter, body }
    }
}

/// The value before the dot comes first.
fn operands(call: &Call) -> impl Iterator<Item = &Expr> {
    call.target.iter().map(|target| &**target).chain(&call.args)
}

/// Segments are fields and constant indices.
pub(crate) fn path_of(expr: &Expr) -> (&Expr, Vec<Segment>) {
    let (mut base, mut segments) = (expr, Vec::new());
    loop {
        base = match &base.kind {
            Kind::Select(select) => {
                segments.push(Segment::Key(select.field.text.clone()));
                &select.operand
            }
            Kind::Index(index) => match constant_segment(&index.index) {
                Some(segment) => {
                    segments.push(segment);
                    &index.operand
                }
                None => break,
            },
            _ => break,
        };
    }
    segments.reverse();
    (base, segments)
}

fn constant_segment(index: &Expr) -> Option<Segment> {
    match &index.kind {
        Kind::Literal(Literal::Text(key)) => Some(Segment::Key(key.clone())),
        Kind::Literal(Literal::Int(index)) => usize::try_from(*index).ok().map(Segment::Index),
        _ => None,
    }
}

fn type_named(name: &str, segments: &[Segment]) -> Option<&'static str> {
    let key = |at: usize| match segments.get(at) {
        Some(Segment::Key(key)) => key.as_str(),
        _ => "",
    };
    match (name, key(0), key(1)) {
        ("google", "protobuf", "Timestamp") | ("timestamp", "", _) => Some("google.protobuf.Timestamp"),
        ("google", "protobuf", "Duration") | ("duration", "", _) => Some("google.protobuf.Duration"),
        _ => TYPE_NAMES.into_iter().find(|known| *known == name && segments.is_empty()),
    }
}
