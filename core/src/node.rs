//! What nodes do: one file for each type.
//!
//! Decides which action stands behind a node, what its settings may be, what it asks on entry and what it makes of the
//! answer. Does not walk the graph; that is [`crate::machine`].
//!
//! Invariants:
//! 1. a node is resolved in this order: host handler for its id, for its type, built-in type, tool of that name, alias;
//! 2. what the host can do is judged only where it is known.

mod action;
pub(crate) mod agent;
pub(crate) mod approve;
pub(crate) mod arguments;
mod asked;
pub(crate) mod author;
mod check;
mod fan;
pub mod gather;
mod guard;
pub(crate) mod llm;
mod mind;
mod misnamed;
pub(crate) mod observation;
mod outputs;
pub mod plan;
pub mod react;
pub(crate) mod settings;
pub(crate) mod tool;

pub use action::{Action, Handler, action};
pub use agent::{Agent, Offered};
pub(crate) use approve::{APPROVED, REJECTED};
pub use asked::{Asked, Check, Told};
pub use author::Author;
pub(crate) use check::check;
pub use fan::Fan;
pub use gather::{Gatherer, Planned};
pub use guard::Guard;
pub(crate) use guard::trusted;
pub use mind::Mind;
pub(crate) use outputs::{gives, written};
pub use plan::Planner;
pub use react::Reasoner;
