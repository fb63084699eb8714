//! Plans for agents: read, checked, and run by a pure state machine.
pub mod diagnostic;
pub mod driver;
pub mod expr;
pub mod graph;
pub mod host;
pub mod machine;
pub mod model;
pub mod names;
pub mod node;
pub mod source;
pub mod stub;
pub mod tool;
pub mod trace;
pub mod value;
