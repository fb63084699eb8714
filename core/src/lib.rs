//! Plans for agents: read, checked, and run by a pure state machine.
pub mod diagnostic;
pub mod model;
pub mod source;
pub mod tool;
