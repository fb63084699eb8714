//! Stores and shares plans: secrets, permissions, consent, and the storage scripts' messages.
//!
//! Source: `docs/security.md`.

mod consent;
mod messages;
mod redact;
mod review;

pub use consent::{Consent, Origin};
pub use messages::{
    Answer, OpenPlanEvent, OpenedPlan, PlanRow, PointKind, RestorePoint, StartState, StoredPlan,
    parse_answer, parse_event, parse_opened_plan, parse_plan_list, parse_restore_points, parse_start_state,
};
pub use redact::redact_secrets;
pub use review::{Effect, Requested, Review};
