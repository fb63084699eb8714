//! The compiled form of an expression.
//!
//! Decides what is known before any data is: paths, literals and patterns. A path such as `last.items[0].name` is one question to
//! the host.
//!
//! Invariants: an operation refers only to operations that come before it.

mod compile;

pub(crate) use compile::path_of;

use crate::ast::Ast;
use crate::base::{Path, Segment, Span};
use crate::error::Error;
use crate::function::Function;
use crate::pattern::Pattern;

/// How the caller knows what an expression refers to.
pub trait Names {
    /// Where a root is found during evaluation, and how many steps of the path that takes: `output.fetch.title` may begin at
    /// the output of `fetch` and so take one. `None` if there is no such root.
    fn root(&mut self, name: &str, path: &[Segment]) -> Option<(u32, usize)>;
    /// The number by which the host knows a path. The empty path is always 0.
    fn path(&mut self, segments: &[Segment]) -> u32;
    /// The number by which the host knows a text to compare with.
    fn text(&mut self, text: &str) -> u32;
}

/// An operation, by its position.
pub(crate) type OpId = u32;

/// Operations in a row of [`Program::args`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Args {
    pub(crate) start: u32,
    pub(crate) count: u32,
}

/// One operation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Constant(u32),
    /// A root and a path from there.
    Path {
        root: u32,
        path: u32,
    },
    /// A variable of a macro and a path from there.
    Variable {
        index: u32,
        path: u32,
    },
    /// A path from a computed value.
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
    /// `matches` with a pattern that is a literal.
    Matches {
        text: OpId,
        pattern: u32,
    },
    List(Args),
    /// Keys and values in turn.
    Map(Args),
    Fold {
        function: Function,
        range: OpId,
        filter: Option<OpId>,
        body: OpId,
    },
}

/// A constant of a program.
#[derive(Debug, Clone)]
pub(crate) enum Constant {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    /// A text and the host's number for it.
    Text(String, u32),
    Type(&'static str),
}

/// A compiled expression, which can be evaluated many times.
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) ops: Vec<Op>,
    /// Where each operation is in the text.
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
    /// Names that the caller does not know, patterns that can't be read, and parts that could not be parsed.
    pub fn compile(ast: &Ast, names: &mut dyn Names) -> Result<Self, Vec<Error>> {
        compile::compile(ast, names)
    }

    /// The text of the program's literal that the host knows by a number.
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
