//! Parses the storage scripts' JSON. Invariant: invalid answers become errors.
//!
//! Source: `playground/js/share/errors.ts`, `ports.ts`, `plan-storage.ts`.

use super::consent::Origin;
use crate::layout::LayoutDirection;
use serde_json::Value as Json;
use stepgraph_core::json::parse;

/// An answer, or code and detail.
pub type Answer<T = Json> = Result<T, (String, String)>;

/// Plan or page event.
#[derive(Debug, Clone, PartialEq)]
pub enum OpenPlanEvent {
    /// Saved.
    Saved,
    /// Code and detail.
    Failed(String, String),
    /// To another tab.
    LockLost,
    /// Contains the latest content.
    LockGained(StoredPlan),
    /// Sent by another tab.
    NewerVersion,
    /// Saved by the editing tab.
    Updated(StoredPlan),
    /// List changed.
    PlansChanged,
    /// Over the page.
    FileDragged(bool),
    /// Name and text.
    FileDropped(String, String),
    /// Page update.
    UpdateReady,
}

/// Stored plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredPlan {
    /// Text.
    pub text: String,
    /// Open groups' node paths.
    pub expanded: Vec<String>,
    /// Layout direction.
    pub direction: LayoutDirection,
    /// Stubs file.
    pub stubs: String,
    /// Cassette.
    pub cassette: String,
}

/// List row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanRow {
    /// Storage id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Origin.
    pub from: Origin,
    /// Last save.
    pub changed_ms: f64,
    /// In characters.
    pub size: f64,
    /// Is deleted.
    pub is_removed: bool,
}

/// Opened plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenedPlan {
    /// Row.
    pub row: PlanRow,
    /// Content.
    pub plan: StoredPlan,
    /// Has the edit lock.
    pub is_owned: bool,
}

/// Start state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StartState {
    /// To open.
    pub opened: Option<OpenedPlan>,
    /// Plans of closed tabs.
    pub recovered: f64,
    /// Persistent storage.
    pub is_lasting: bool,
    /// Link error.
    pub error: Option<(String, String)>,
}

/// A restore point's reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointKind {
    /// Saved after an interval.
    Auto,
    /// Before large changes.
    Before,
    /// The user's.
    Named,
}

/// A restore point.
#[derive(Debug, Clone, PartialEq)]
pub struct RestorePoint {
    /// Storage id.
    pub id: String,
    /// Time.
    pub at_ms: f64,
    /// Reason.
    pub kind: PointKind,
    /// Or the next change.
    pub name: String,
    /// In characters.
    pub size: f64,
}

/// Parses `{"ok": …}` or `{"code", "detail"}`.
pub fn parse_answer(json: &str) -> Answer {
    let Some(value) = parse(json) else { return Err(("storage/failed".into(), String::new())) };
    match value.get("ok") {
        Some(found) => Ok(found.clone()),
        None => Err(parse_error(&value)),
    }
}

/// `None` if unknown.
pub fn parse_event(json: &str) -> Option<OpenPlanEvent> {
    let value = parse(json)?;
    match text(&value, "type").as_str() {
        "saved" => Some(OpenPlanEvent::Saved),
        "failed" => {
            let (code, detail) = parse_error(&value);
            Some(OpenPlanEvent::Failed(code, detail))
        }
        "lost" => Some(OpenPlanEvent::LockLost),
        "yours" => Some(OpenPlanEvent::LockGained(parse_stored_plan(value.get("content")?))),
        "newer" => Some(OpenPlanEvent::NewerVersion),
        "follow" => Some(OpenPlanEvent::Updated(parse_stored_plan(value.get("content")?))),
        "plans" => Some(OpenPlanEvent::PlansChanged),
        "over" => Some(OpenPlanEvent::FileDragged(flag(&value, "hangs"))),
        "dropped" => Some(OpenPlanEvent::FileDropped(text(&value, "name"), text(&value, "text"))),
        "version" => Some(OpenPlanEvent::UpdateReady),
        _ => None,
    }
}

/// Start state.
pub fn parse_start_state(value: &Json) -> StartState {
    StartState {
        opened: value.get("opened").and_then(parse_opened_plan),
        recovered: number(value, "recovered"),
        is_lasting: flag(value, "lasting"),
        error: value.get("trouble").filter(|error| error.is_object()).map(parse_error),
    }
}

/// Opened plan.
pub fn parse_opened_plan(value: &Json) -> Option<OpenedPlan> {
    Some(OpenedPlan {
        row: parse_row(value.get("row")?),
        plan: parse_stored_plan(value.get("content")?),
        is_owned: flag(value, "owned"),
    })
}

/// The open id, and all rows.
pub fn parse_plan_list(value: &Json) -> (String, Vec<PlanRow>) {
    (text(value, "open"), list(value.get("rows")).iter().map(parse_row).collect())
}

/// Restore points.
pub fn parse_restore_points(value: &Json) -> Vec<RestorePoint> {
    let one = |value: &Json| RestorePoint {
        id: text(value, "id"),
        at_ms: number(value, "at"),
        kind: match text(value, "kind").as_str() {
            "named" => PointKind::Named,
            "before" => PointKind::Before,
            _ => PointKind::Auto,
        },
        name: text(value, "name"),
        size: number(value, "size"),
    };
    list(Some(value)).iter().map(one).collect()
}

fn parse_row(value: &Json) -> PlanRow {
    PlanRow {
        id: text(value, "id"),
        name: text(value, "name"),
        from: Origin::parse(&text(value, "from")),
        changed_ms: number(value, "changed"),
        size: number(value, "size"),
        is_removed: number(value, "removed") > 0.0,
    }
}

/// `extras` is JSON of the page or a link.
fn parse_stored_plan(value: &Json) -> StoredPlan {
    let extras = parse(&text(value, "extras")).unwrap_or_default();
    let view = parse(&text(&extras, "view")).unwrap_or_default();
    let open = list(view.get("open")).iter().filter_map(Json::as_str).map(str::to_owned).collect();
    StoredPlan {
        text: text(value, "text"),
        expanded: open,
        direction: LayoutDirection::from_id(&text(&view, "direction")),
        stubs: text(&extras, "stubs"),
        cassette: text(&extras, "cassette"),
    }
}

fn parse_error(value: &Json) -> (String, String) {
    (text(value, "code"), text(value, "detail"))
}

fn text(value: &Json, key: &str) -> String {
    value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn number(value: &Json, key: &str) -> f64 {
    value.get(key).and_then(Json::as_f64).unwrap_or_default()
}

fn flag(value: &Json, key: &str) -> bool {
    value.get(key).and_then(Json::as_bool).unwrap_or_default()
}

fn list(value: Option<&Json>) -> &[Json] {
    value.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl StoredPlan {
    /// All but the text, as JSON texts because links contain them separately.
    pub fn extras(&self) -> String {
        let view = serde_json::json!({ "open": self.expanded, "direction": self.direction.id() });
        stepgraph_core::value::json_text(&serde_json::json!({
            "view": stepgraph_core::value::json_text(&view), "stubs": self.stubs, "cassette": self.cassette,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stepgraph_core::value::json_text;

    #[test]
    fn stored_plans_round_trip() {
        let it = StoredPlan {
            text: "a: é".into(),
            expanded: vec!["fan".into(), "fan/a/b".into()],
            direction: LayoutDirection::Right,
            stubs: "s".into(),
            cassette: "c".into(),
        };
        let value = json!({"row": {"id": "1", "name": "n", "from": "link", "changed": 5, "size": 3, "removed": 4}, "owned": true,
            "content": {"text": it.text, "extras": it.extras()}});
        let found = parse_opened_plan(&value).unwrap();
        assert_eq!(found.plan, it);
        assert!(found.row.is_removed && found.is_owned && found.row.from == Origin::Link);
        let start = parse_start_state(
            &json!({"opened": null, "recovered": 2, "lasting": true, "trouble": {"code": "link/cut", "detail": ""}}),
        );
        assert_eq!(start.error, Some(("link/cut".into(), String::new())));
        assert!(start.opened.is_none() && start.is_lasting);
    }

    #[test]
    fn parses_known_events_and_ignores_others() {
        for (value, expected) in [
            (json!({"type": "saved", "at": 1}), Some(OpenPlanEvent::Saved)),
            (
                json!({"type": "failed", "code": "storage/full", "detail": "x"}),
                Some(OpenPlanEvent::Failed("storage/full".into(), "x".into())),
            ),
            (
                json!({"type": "follow", "content": {"text": "t", "extras": "{"}}),
                Some(OpenPlanEvent::Updated(StoredPlan { text: "t".into(), ..StoredPlan::default() })),
            ),
            (json!({"type": "lost"}), Some(OpenPlanEvent::LockLost)),
            (
                json!({"type": "yours", "content": {"text": "t", "extras": ""}}),
                Some(OpenPlanEvent::LockGained(StoredPlan { text: "t".into(), ..StoredPlan::default() })),
            ),
            (json!({"type": "newer"}), Some(OpenPlanEvent::NewerVersion)),
            (json!({"type": "plans"}), Some(OpenPlanEvent::PlansChanged)),
            (json!({"type": "over", "hangs": true}), Some(OpenPlanEvent::FileDragged(true))),
            (
                json!({"type": "dropped", "name": "n", "text": "t"}),
                Some(OpenPlanEvent::FileDropped("n".into(), "t".into())),
            ),
            (json!({"type": "version"}), Some(OpenPlanEvent::UpdateReady)),
            (json!({"type": "else"}), None),
            (json!([1]), None),
        ] {
            assert_eq!(parse_event(&json_text(&value)), expected);
        }
        assert_eq!(parse_answer("{\"ok\":3}"), Ok(json!(3)));
        assert_eq!(parse_answer("{\"code\":\"c\"}"), Err(("c".into(), String::new())));
        assert!(parse_answer("no").is_err() && parse_event("").is_none());
        assert_eq!(parse_restore_points(&json!([{"kind": "named", "name": "n"}, {"kind": "?"}])).len(), 2);
        assert_eq!(parse_plan_list(&json!({"open": "x", "rows": [{}, 7]})).1.len(), 2);
    }
}
