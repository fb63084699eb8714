//! Types inside an expression, also in one that is being typed.

use super::complete::ROOTS;
use super::expression_lexer::{Atom, Segment as LexedSegment};
use super::inference::Inference;
use super::macro_variable::without_escapes;
use super::partial_graph::visible_outputs;
use super::plan_format::PlanLocation;
use super::value_type::{Property, ValueType};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::ast::{Expr, Kind};
use stepgraph_core::expression::check::check;
use stepgraph_core::expression::types::{Field, Object};
use stepgraph_core::expression::{Ast, Purpose, Syntax, Type, Types, is_root, parse};

const MAX_TYPE_DEPTH: usize = 6;
/// A map's further fields are unknown.
const MAX_FIELDS: usize = 200;

#[derive(Debug)]
pub(crate) struct TypedExpression {
    ast: Ast,
    types: Vec<(Span, Type)>,
    text: String,
    /// Its offset in the file.
    start: usize,
    kind: Type,
}

/// The value before a dot.
#[derive(Debug)]
pub(crate) enum Receiver {
    /// `math`
    Math,
    Value(Type),
}

impl TypedExpression {
    /// Positions in `span` are those of the file. `left` limits the number of nodes followed.
    pub(crate) fn new(
        inference: Inference<'_, '_>,
        location: &PlanLocation,
        span: Span,
        syntax: Syntax<'_>,
        left: usize,
    ) -> Self {
        let raw = inference.tree.text.get(span.start..span.end).unwrap_or_default();
        let mut text = without_escapes(raw);
        if raw.ends_with('.') {
            text.push('_');
        }
        let ast = parse(&text, syntax).ast;
        let checked = check(&ast, &PlanTypes { inference, location, text: &text, left }, Purpose::Value);
        Self { ast, types: checked.types, text, start: span.start, kind: checked.kind }
    }

    pub(crate) fn kind(&self) -> &Type {
        &self.kind
    }

    /// `None` if the position does not follow a dot, or if the value is a path that begins with a root.
    pub(crate) fn receiver(&self, at: usize) -> Option<(Receiver, Span)> {
        // The placeholder of a missing name is one character long.
        let end = at.checked_sub(self.start)?;
        let found = [end, end + 1].into_iter().find_map(|end| match &self.ast.root.at(end).kind {
            Kind::Select(select) if select.field.span.start <= end && end <= select.field.span.end => {
                Some(select)
            }
            _ => None,
        })?;
        let span = Span::new(self.start + found.field.span.start, at);
        let variables = self.variables(at);
        match root_of(&found.operand) {
            Some("math") if matches!(found.operand.kind, Kind::Ident(_)) => Some((Receiver::Math, span)),
            Some(name) if is_root(name) && variables.iter().all(|(known, _)| *known != name) => None,
            _ => Some((Receiver::Value(self.type_of(found.operand.span)), span)),
        }
    }

    fn type_of(&self, span: Span) -> Type {
        self.types.iter().find(|(known, _)| *known == span).map(|(_, kind)| kind.clone()).unwrap_or_default()
    }

    /// The variables of the macros around a position, the innermost first.
    pub(crate) fn variables(&self, at: usize) -> Vec<(&str, Type)> {
        let mut found = Vec::new();
        let at = at.saturating_sub(self.start);
        self.add_variables(&self.ast.root, at, &mut found);
        found.reverse();
        found
    }

    /// The parser limits the recursion.
    fn add_variables<'e>(&'e self, expr: &'e Expr, at: usize, found: &mut Vec<(&'e str, Type)>) {
        if let Kind::Comprehension(it) = &expr.kind
            && it.variable.span.end < at
            && (at < expr.span.end || !self.is_closed(expr))
            && !it.variable.text.is_empty()
        {
            found.push((&it.variable.text, self.type_of(it.variable.span)));
        }
        expr.each(&mut |part| self.add_variables(part, at, found));
    }

    fn is_closed(&self, expr: &Expr) -> bool {
        self.text.get(..expr.span.end).is_some_and(|text| text.ends_with(')'))
    }

    /// The innermost part at a position that is a name, a field or an element, if its value is not a path
    /// that begins with a root.
    pub(crate) fn name_at(&self, at: usize) -> Option<(Span, &Type)> {
        let offset = at.checked_sub(self.start)?;
        let around = |span: Span| span.start <= offset && offset <= span.end;
        let (span, kind) = self.types.iter().find(|(span, _)| around(*span))?;
        let expr = self.ast.root.at(offset);
        let is_name =
            matches!(expr.kind, Kind::Ident(_) | Kind::Select(_) | Kind::Index(_) | Kind::Comprehension(_));
        is_name.then(|| (Span::new(self.start + span.start, self.start + span.end), kind))
    }
}

fn root_of(mut expr: &Expr) -> Option<&str> {
    loop {
        expr = match &expr.kind {
            Kind::Ident(name) => return Some(&name.text),
            Kind::Select(select) => &select.operand,
            Kind::Index(index) => &index.operand,
            _ => return None,
        };
    }
}

struct PlanTypes<'s, 't> {
    inference: Inference<'s, 't>,
    location: &'s PlanLocation,
    text: &'s str,
    left: usize,
}

impl Types for PlanTypes<'_, '_> {
    fn root(&self, name: &str) -> Option<Type> {
        match name {
            "output" => Some(self.outputs()),
            name if ROOTS.iter().any(|(root, _)| *root == name) => Some(self.reference(&[name])),
            _ => None,
        }
    }
}

impl PlanTypes<'_, '_> {
    fn reference(&self, names: &[&str]) -> Type {
        let segment = |name: &&str| LexedSegment {
            text: (*name).to_owned().into(),
            span: Span::default(),
            in_brackets: false,
            start: 0,
        };
        let atom = Atom { segments: names.iter().map(segment).collect_vec(), ..Atom::default() };
        let value_type = self.inference.reference_within(self.location, &atom, names.len(), self.left);
        expression_type(&value_type, MAX_TYPE_DEPTH)
    }

    /// Infers only the outputs that the expression could use.
    fn outputs(&self) -> Type {
        let outputs = visible_outputs(self.inference.tree, self.location);
        let used = outputs.iter().filter(|output| self.text.contains(&*output.name)).take(MAX_FIELDS);
        let fields = used.map(|output| (&*output.name, self.reference(&["output", &output.name])));
        Type::object(fields.collect_vec())
    }
}

fn expression_type(value_type: &ValueType, left: usize) -> Type {
    let properties = value_type.properties();
    if left == 0 {
        return Type::Dyn;
    }
    if !properties.is_empty() {
        let field = |property: Property| Field {
            kind: expression_type(&property.value_type, left - 1),
            name: property.name,
            required: property.required,
        };
        let fields = properties.into_iter().take(MAX_FIELDS).map(field).collect_vec();
        return Type::Object(Object { fields, open: true, is_complete: false }.into());
    }
    match value_type.describe().as_str() {
        "text" => Type::String,
        "number" | "whole number" => Type::Number,
        "true or false" => Type::Bool,
        "map" => Type::Map(Type::Dyn.into()),
        "list" => {
            let element = value_type.step(&stepgraph_core::value::Segment::Index(0));
            Type::list(expression_type(&element, left - 1))
        }
        _ => Type::Dyn,
    }
}
