//! An expression of a plan, its references, and whether the result needs them.

use crate::ast::{Ast, Expr, Kind};
use crate::base::{Code, Segment, Span, is_root};
use crate::error::Error;
use crate::function::Function;
use crate::json::evaluate_ast;
use crate::parser::Parsed;
use crate::program::path_of;
use crate::reference::{Reference, from_parts};
use serde_json::Value as Json;

/// An expression of a condition or template.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// Positions count from the condition or template.
    pub ast: Ast,
    /// Its position.
    pub span: Span,
    /// In text order.
    pub references: Vec<ReferenceUse>,
}

/// A used reference.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceUse {
    /// The reference.
    pub reference: Reference,
    /// Its position.
    pub span: Span,
    /// If it and earlier choices are missing, the result is missing.
    pub required: bool,
    /// If it is missing, the condition fails.
    pub needed_to_hold: bool,
    /// `has` or `??` deals with it.
    pub is_optional: bool,
}

impl Computed {
    /// `None` if the result is missing.
    pub fn evaluate_json(&self, scope: &Json) -> Result<Option<Json>, Error> {
        evaluate_ast(&self.ast, scope)
    }

    /// Collects references.
    ///
    /// # Errors
    /// One error for each root that lacks a name, such as `output` alone.
    pub(crate) fn new(root: Expr) -> Result<Self, Vec<Error>> {
        let mut collector = Collector { found: Vec::new(), errors: Vec::new(), variables: Vec::new() };
        collector.visit(&root, Need { required: true, to_hold: true, optional: false });
        let Collector { found: references, errors, .. } = collector;
        if errors.is_empty() {
            Ok(Self { span: root.span, ast: Ast { root }, references })
        } else {
            Err(errors)
        }
    }

    /// Also returns the errors that leave no gap. `syntax` replaces the code of syntax errors.
    pub(crate) fn of(parsed: Parsed, syntax: Code) -> Result<(Self, Vec<Error>), Vec<Error>> {
        if parsed.is_whole() {
            let computed = Self::new(parsed.ast.root).map_err(|errors| recoded(errors, syntax))?;
            return Ok((computed, parsed.errors));
        }
        Err(recoded(parsed.errors, syntax))
    }
}

/// Replaces the code of syntax errors by that of the text around them.
pub(crate) fn recoded(mut errors: Vec<Error>, syntax: Code) -> Vec<Error> {
    for error in errors.iter_mut().filter(|error| error.code == Code::ExpressionSyntax) {
        error.code = syntax;
    }
    errors
}

struct Collector<'t> {
    found: Vec<ReferenceUse>,
    errors: Vec<Error>,
    variables: Vec<&'t str>,
}

/// The effect of a missing part.
#[derive(Debug, Clone, Copy)]
struct Need {
    /// A missing result.
    required: bool,
    /// A missing or false result.
    to_hold: bool,
    /// `has` or `??` deals with it.
    optional: bool,
}

impl<'t> Collector<'t> {
    fn visit(&mut self, expr: &'t Expr, need: Need) {
        match &expr.kind {
            Kind::Ident(_) | Kind::Select(_) | Kind::Index(_) => self.path(expr, need),
            Kind::Call(call) => {
                let count = call.args.len();
                let operands = call.target.iter().map(|target| &**target).chain(&call.args);
                for (at, operand) in operands.enumerate() {
                    self.visit(operand, need.of_operand(call.function, at + 1 == count));
                }
            }
            Kind::Comprehension(it) => {
                self.visit(&it.range, need);
                self.variables.push(&it.variable.text);
                for part in it.filter.iter().chain([&it.body]) {
                    // The range may be empty, so the result need not depend on it.
                    self.visit(part, Need { required: false, to_hold: false, optional: need.optional });
                }
                self.variables.pop();
            }
            _ => expr.each(&mut |part| self.visit(part, need)),
        }
    }

    fn path(&mut self, expr: &'t Expr, need: Need) {
        let (base, segments) = path_of(expr);
        match &base.kind {
            Kind::Ident(name) if self.variables.contains(&name.text.as_str()) => {}
            Kind::Ident(name) if is_root(&name.text) => {
                self.reference(&name.text, segments, Span::new(name.span.start, expr.span.end), need);
            }
            // A type's name.
            Kind::Ident(_) => {}
            Kind::Index(index) => {
                self.visit(&index.operand, need);
                self.visit(&index.index, need);
            }
            _ => self.visit(base, need),
        }
    }

    fn reference(&mut self, word: &str, segments: Vec<Segment>, span: Span, need: Need) {
        match from_parts(word, segments) {
            Some(reference) => {
                let Need { required, to_hold: needed_to_hold, optional: is_optional } = need;
                self.found.push(ReferenceUse { reference, span, required, needed_to_hold, is_optional });
            }
            None => {
                let error = Error::new(Code::ExpressionSyntax, span, &format!("`{word}` needs a name"));
                self.errors.push(error.help(&format!("write `{word}.<name>`")));
            }
        }
    }
}

impl Need {
    fn of_operand(self, function: Option<Function>, is_last: bool) -> Self {
        use Function::{
            And, Coalesce, Conditional, Equal, Greater, GreaterEqual, Has, In, Less, LessEqual, Not,
            NotEqual, Or,
        };
        match function {
            Some(Has) => Self { required: false, optional: true, ..self },
            Some(And | In | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual) => {
                Self { required: false, ..self }
            }
            Some(Or | Not | Conditional) | None => Self { required: false, to_hold: false, ..self },
            Some(Coalesce) => Self {
                required: self.required && is_last,
                to_hold: false,
                optional: self.optional || !is_last,
            },
            Some(_) => self,
        }
    }
}
