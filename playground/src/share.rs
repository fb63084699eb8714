//! Plans that are kept and handed on.
//!
//! Decides what may leave the page, and what a plan that came from elsewhere must be asked for before it may run. Knows no browser: what
//! stores, links and pictures take of one lies in the page's scripts.
//!
//! Files: `redact` a plan's text without secrets · `review` what a plan may do · `consent` whether it may · `messages` what the scripts tell.
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
