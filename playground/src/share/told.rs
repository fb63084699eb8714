//! What the page's scripts tell of plans that are kept, as JSON text.
//!
//! Decides how it is read. Invariant: what is no answer is one that says so; nothing here fails.
//!
//! Source: `playground/js/share/errors.ts`, `ports.ts`, `plan-storage.ts`.

use super::consent::Origin;
use serde_json::Value as Json;
use stepgraph_core::json::parse;

/// An answer: what was asked for, or a code with what belongs into its sentence.
pub type Answer<T = Json> = Result<T, (String, String)>;

/// Something that happened to the plan that is open.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// It is kept.
    Saved,
    /// It could not be kept: a code, and what belongs into its sentence.
    Failed(String, String),
    /// Another tab edits it now.
    Lost,
    /// The tab that edited it is gone, and this one edits it now, as it was left.
    Yours(Kept),
    /// Another tab wrote a newer version.
    Newer,
    /// The tab that edits it has saved this.
    Follow(Kept),
    /// The list has changed.
    Plans,
    /// A file hangs above the page, or no longer.
    Over(bool),
    /// A file was dropped on the page: its name and its text.
    Dropped(String, String),
    /// A new version of the page waits.
    Version,
}

/// What is kept of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// Its text.
    pub text: String,
    /// The drawing's open nodes, by place.
    pub open: Vec<String>,
    /// Stand-ins.
    pub stubs: String,
    /// The recorded log of a run.
    pub cassette: String,
}

/// A plan in the list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// How it is kept.
    pub id: String,
    /// What the person calls it.
    pub name: String,
    /// Where it came from.
    pub from: Origin,
    /// When it was last saved.
    pub changed_ms: f64,
    /// Letters of its text.
    pub size: f64,
    /// Whether it was deleted.
    pub is_removed: bool,
}

/// A plan that was opened.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Opened {
    /// Its row.
    pub row: Row,
    /// What it holds.
    pub kept: Kept,
    /// Whether this tab is the one that edits it.
    pub is_owned: bool,
}

/// How a tab begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Begun {
    /// The plan it begins with.
    pub opened: Option<Opened>,
    /// How many plans of closed tabs had something that was saved nowhere.
    pub recovered: f64,
    /// Whether what is kept is there the next time.
    pub is_lasting: bool,
    /// What went wrong with a link.
    pub trouble: Option<(String, String)>,
}

/// Why a restore point was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointKind {
    /// By the clock.
    Auto,
    /// Before something large.
    Before,
    /// By the person.
    Named,
}

/// A restore point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// How it is kept.
    pub id: String,
    /// When.
    pub at_ms: f64,
    /// Why.
    pub kind: PointKind,
    /// What the person calls it, or what it was made before.
    pub name: String,
    /// Letters of its text.
    pub size: f64,
}

/// Reads `{"ok": …}` or `{"code", "detail"}`.
pub fn answer(json: &str) -> Answer {
    let Some(value) = parse(json) else { return Err(("storage/failed".into(), String::new())) };
    match value.get("ok") {
        Some(found) => Ok(found.clone()),
        None => Err(trouble(&value)),
    }
}

/// Reads what happened; nothing for what this version does not know.
pub fn told(json: &str) -> Option<Told> {
    let value = parse(json)?;
    match text(&value, "type").as_str() {
        "saved" => Some(Told::Saved),
        "failed" => {
            let (code, detail) = trouble(&value);
            Some(Told::Failed(code, detail))
        }
        "lost" => Some(Told::Lost),
        "yours" => Some(Told::Yours(kept(value.get("content")?))),
        "newer" => Some(Told::Newer),
        "follow" => Some(Told::Follow(kept(value.get("content")?))),
        "plans" => Some(Told::Plans),
        "over" => Some(Told::Over(is(&value, "hangs"))),
        "dropped" => Some(Told::Dropped(text(&value, "name"), text(&value, "text"))),
        "version" => Some(Told::Version),
        _ => None,
    }
}

/// Reads how a tab begins.
pub fn begun(value: &Json) -> Begun {
    Begun {
        opened: value.get("opened").and_then(opened),
        recovered: number(value, "recovered"),
        is_lasting: is(value, "lasting"),
        trouble: value.get("trouble").filter(|trouble| trouble.is_object()).map(trouble),
    }
}

/// Reads a plan that was opened.
pub fn opened(value: &Json) -> Option<Opened> {
    Some(Opened {
        row: row(value.get("row")?),
        kept: kept(value.get("content")?),
        is_owned: is(value, "owned"),
    })
}

/// Reads the list of plans: which is open, and all of them.
pub fn plans(value: &Json) -> (String, Vec<Row>) {
    (text(value, "open"), list(value.get("rows")).iter().map(row).collect())
}

/// Reads the restore points.
pub fn points(value: &Json) -> Vec<Point> {
    let one = |value: &Json| Point {
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

fn row(value: &Json) -> Row {
    Row {
        id: text(value, "id"),
        name: text(value, "name"),
        from: Origin::of(&text(value, "from")),
        changed_ms: number(value, "changed"),
        size: number(value, "size"),
        is_removed: number(value, "removed") > 0.0,
    }
}

/// A plan's content; `extras` is JSON text that the page once wrote, or a link brought along.
fn kept(value: &Json) -> Kept {
    let extras = parse(&text(value, "extras")).unwrap_or_default();
    let view = parse(&text(&extras, "view")).unwrap_or_default();
    let open = list(view.get("open")).iter().filter_map(Json::as_str).map(str::to_owned).collect();
    Kept {
        text: text(value, "text"),
        open,
        stubs: text(&extras, "stubs"),
        cassette: text(&extras, "cassette"),
    }
}

fn trouble(value: &Json) -> (String, String) {
    (text(value, "code"), text(value, "detail"))
}

fn text(value: &Json, key: &str) -> String {
    value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn number(value: &Json, key: &str) -> f64 {
    value.get(key).and_then(Json::as_f64).unwrap_or_default()
}

fn is(value: &Json, key: &str) -> bool {
    value.get(key).and_then(Json::as_bool).unwrap_or_default()
}

fn list(value: Option<&Json>) -> &[Json] {
    value.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl Kept {
    /// What is kept beside the text, as [`kept`] reads it: JSON text in JSON text, since a link carries each part by itself.
    pub fn extras(&self) -> String {
        let view = serde_json::json!({ "open": self.open });
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
    fn what_is_kept_comes_back() {
        let it = Kept {
            text: "a: é".into(),
            open: vec!["fan".into(), "fan/a/b".into()],
            stubs: "s".into(),
            cassette: "c".into(),
        };
        let value = json!({"row": {"id": "1", "name": "n", "from": "link", "changed": 5, "size": 3, "removed": 4}, "owned": true,
            "content": {"text": it.text, "extras": it.extras()}});
        let found = opened(&value).unwrap();
        assert_eq!(found.kept, it);
        assert!(found.row.is_removed && found.is_owned && found.row.from == Origin::Link);
        let begun = begun(
            &json!({"opened": null, "recovered": 2, "lasting": true, "trouble": {"code": "link/cut", "detail": ""}}),
        );
        assert_eq!(begun.trouble, Some(("link/cut".into(), String::new())));
        assert!(begun.opened.is_none() && begun.is_lasting);
    }

    #[test]
    fn what_is_told_is_read_and_what_is_strange_is_no_trouble() {
        for (value, expected) in [
            (json!({"type": "saved", "at": 1}), Some(Told::Saved)),
            (
                json!({"type": "failed", "code": "storage/full", "detail": "x"}),
                Some(Told::Failed("storage/full".into(), "x".into())),
            ),
            (
                json!({"type": "follow", "content": {"text": "t", "extras": "{"}}),
                Some(Told::Follow(Kept { text: "t".into(), ..Kept::default() })),
            ),
            (json!({"type": "lost"}), Some(Told::Lost)),
            (
                json!({"type": "yours", "content": {"text": "t", "extras": ""}}),
                Some(Told::Yours(Kept { text: "t".into(), ..Kept::default() })),
            ),
            (json!({"type": "newer"}), Some(Told::Newer)),
            (json!({"type": "plans"}), Some(Told::Plans)),
            (json!({"type": "over", "hangs": true}), Some(Told::Over(true))),
            (
                json!({"type": "dropped", "name": "n", "text": "t"}),
                Some(Told::Dropped("n".into(), "t".into())),
            ),
            (json!({"type": "version"}), Some(Told::Version)),
            (json!({"type": "else"}), None),
            (json!([1]), None),
        ] {
            assert_eq!(told(&json_text(&value)), expected);
        }
        assert_eq!(answer("{\"ok\":3}"), Ok(json!(3)));
        assert_eq!(answer("{\"code\":\"c\"}"), Err(("c".into(), String::new())));
        assert!(answer("no").is_err() && told("").is_none());
        assert_eq!(points(&json!([{"kind": "named", "name": "n"}, {"kind": "?"}])).len(), 2);
        assert_eq!(plans(&json!({"open": "x", "rows": [{}, 7]})).1.len(), 2);
    }
}
