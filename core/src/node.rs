//! Decides the action, settings, request and reply of each node type. [`crate::machine`] walks the graph.
//!
//! Invariants:
//! 1. Nodes resolve in this order: host handler for the id, for the type, built-in type, tool of that name, alias.
//! 2. Unknown host capabilities are not checked.

mod action;
pub(crate) mod agent;
pub(crate) mod approve;
pub(crate) mod arguments;
pub(crate) mod author;
mod check;
mod checked_node;
mod composite;
pub mod gather;
mod guard;
pub(crate) mod llm;
mod misnamed;
mod model_strategy;
pub(crate) mod observation;
mod outputs;
pub mod plan;
pub mod react;
mod set;
pub(crate) mod settings;
mod strategy_input;
pub(crate) mod tool;
pub(crate) mod wait;

pub use action::{Action, Handler, action};
pub use agent::{Agent, OfferedTool};
pub(crate) use approve::{APPROVED, REJECTED};
pub use author::Author;
pub(crate) use check::check;
pub use composite::Composite;
pub use gather::{Gatherer, PlannedCall};
pub use guard::Guard;
pub(crate) use guard::trusted_names;
pub use model_strategy::ModelStrategy;
pub(crate) use outputs::{named_output_schema, output_schema};
pub use plan::Planner;
pub use react::Reasoner;
pub use strategy_input::{CheckPlan, NodeOutput, StrategyInput};
