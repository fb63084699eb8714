//! A compiled expression: resolved paths, literals and patterns. A path is one request to the host.
//!
//! Invariant: an operation refers only to earlier operations.

mod compile;

pub(crate) use crate::base::OpId;
pub(crate) use compile::path_of;

use crate::ast::{Ast, Expr};
use crate::base::{Path, Segment, Span};
use crate::error::Error;
use crate::function::Function;
use crate::json::Roots;
use crate::pattern::Pattern;

/// Resolves names.
pub trait Names {
    /// Returns a root's number and how many path segments it covers.
    ///
    /// In `output.fetch.title` the root may be the output of `fetch`, which covers one segment.
    fn root(&mut self, name: &str, path: &[Segment]) -> Option<(u32, usize)>;
    /// The host's number for a path. The empty path is always 0.
    fn path(&mut self, segments: &[Segment]) -> u32;
    /// The host's number for a compared text. Equal texts have equal numbers.
    fn text(&mut self, text: &str) -> u32;
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Args {
    pub(crate) start: u32,
    pub(crate) count: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Constant(u32),
    Path {
        root: u32,
        path: u32,
    },
    Variable {
        index: u32,
        path: u32,
    },
    Select {
        operand: OpId,
        path: u32,
    },
    Index {
        operand: OpId,
        index: OpId,
    },
    Has(OpId),
    And(Args),
    Or(Args),
    Coalesce(Args),
    Conditional {
        condition: OpId,
        then: OpId,
        other: OpId,
    },
    Unary(Function, OpId),
    Binary(Function, OpId, OpId),
    Call(Function, Args),
    Matches {
        text: OpId,
        pattern: u32,
    },
    List(Args),
    /// Alternating keys and values.
    Map(Args),
    Fold {
        function: Function,
        range: OpId,
        filter: Option<OpId>,
        body: OpId,
    },
}

#[derive(Debug, Clone)]
pub(crate) enum Constant {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    /// A text and the host's number.
    Text(String, u32),
    Type(&'static str),
}

/// A compiled expression for many evaluations.
#[derive(Debug, Clone, Default)]
pub struct Program {
    pub(crate) ops: Vec<Op>,
    /// One for each operation.
    pub(crate) spans: Vec<Span>,
    pub(crate) args: Vec<OpId>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) paths: Vec<Path>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) root: OpId,
}

impl Program {
    /// Compiles an expression.
    ///
    /// # Errors
    /// Unknown names, invalid patterns, and parts that could not be parsed.
    pub fn compile(ast: &Ast, names: &mut dyn Names) -> Result<Self, Vec<Error>> {
        compile::compile(&ast.root, names)
    }

    /// Compiles a part without data.
    pub(crate) fn of_part(expr: &Expr) -> Result<Self, Vec<Error>> {
        compile::compile(expr, &mut Roots::new(&[]))
    }

    /// Grows with the time of an evaluation.
    pub(crate) fn cost(&self) -> usize {
        let repeats = self.ops.iter().any(|op| matches!(op, Op::Fold { .. }));
        self.ops.len() + if repeats { 1_000 } else { 0 }
    }

    pub(crate) fn literal(&self, number: u32) -> Option<&str> {
        self.constants.iter().find_map(|constant| match constant {
            Constant::Text(text, known) if *known == number => Some(text.as_str()),
            _ => None,
        })
    }

    pub(crate) fn span(&self, op: OpId) -> Span {
        self.spans.get(op as usize).copied().unwrap_or_default()
    }

    pub(crate) fn args(&self, args: Args) -> &[OpId] {
        let start = args.start as usize;
        self.args.get(start..start + args.count as usize).unwrap_or_default()
    }
}
