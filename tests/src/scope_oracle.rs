//! Nested scopes once more, as plainly as they can be written: what the machine is compared with.
//!
//! Written from `docs/concurrency.md` and the rules of plans alone. It shares no code with the engine, and not its way
//! of thinking either: the machine goes from event to event and keeps what waits; this walks each graph to its end as if
//! nobody else were there, knowing beforehand when each answer comes, and afterwards cuts away what was given up before it
//! could happen. Times are positions in the order of answers, so two things never happen at once unless one follows from the
//! other.

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
