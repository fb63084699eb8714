//! A second, plain implementation of nested scopes that the machine is compared with.
//!
//! It follows `docs/concurrency.md` and shares neither code nor method with the engine. Knowing all answers' times, it
//! runs each graph to its end as if alone, then cuts everything abandoned before it happened. Times are positions in
//! the order of answers, so two things coincide only if one follows from the other.

mod composite;
mod limits;
mod plan;
mod run;
mod trace;

pub use plan::{
    Composite, CompositeKind, Edge, EdgeCondition, Graph, InputSource, Join, Limits, Node, NodeBehaviour,
    Reply, Retry, answer,
};
pub use run::{RunResult, run};
pub use trace::{Moment, OracleEvent, Order};
