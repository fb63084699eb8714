//! Parses, checks and evaluates expressions: the Common Expression Language (CEL) over JSON values.
//!
//! Knows no plans, nodes or runs. The caller names the roots, such as `last`, and supplies their values.
//!
//! - [`parse`]: text to a syntax tree
//! - [`ast`]: the tree
//! - [`function`]: the table of operators, functions and macros
//! - [`program`]: the compiled form
//! - [`evaluate`]: the value of a program
//! - [`data`]: access to values of the host
//! - [`types`] and [`check`]: types before the run
//! - [`json`]: shortcuts for JSON
//! - [`error`]: codes and errors
//!
//! Invariants:
//! 1. Parsing takes linear time and never panics. The depth of a tree is limited, and therefore recursion too.
//! 2. Evaluation is pure, reads no clock, and ends within its [`Limits`].
//! 3. The printed form of a tree parses to the same tree.
//!
//! Source: <https://github.com/google/cel-spec>, v0.25.1. `docs/expressions.md` lists each difference.

pub mod ast;
mod base;
pub mod check;
pub mod data;
pub mod error;
pub mod evaluate;
pub mod function;
pub mod json;
mod lexer;
mod memory;
mod parser;
mod pattern;
mod print;
pub mod program;
mod time;
pub mod types;
mod value;

pub use ast::{Ast, Expr};
pub use base::{Span, TextEdit};
pub use check::{Checked, Purpose, check};
pub use data::Data;
pub use error::Error;
pub use evaluate::{Limits, Outcome, Scope, Sink};
pub use function::Function;
pub use json::evaluate_json;
pub use memory::Memory;
pub use parser::{Parsed, Syntax, parse};
pub use program::{Names, Program};
pub use types::{Type, Types};
