//! Parses operations: `{"op": "rename_node", "node": "a", "to": "b", "scope": "fan/a"}`. The parser never
//! guesses.

use super::{EditOwner, GraphEdit};
use serde_json::{Map, Value as Json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Code, Diagnostic, closest_name, shorten_name};
use stepgraph_core::value::Segment;

const OPS: [(&str, &[&str]); 18] = [
    ("add_node", &["node", "value", "before?"]),
    ("remove_node", &["node"]),
    ("rename_node", &["node", "to"]),
    ("set_id", &["node", "id?"]),
    ("retype_node", &["node", "type"]),
    ("duplicate_node", &["node", "to"]),
    ("connect", &["from", "to", "condition?", "position?"]),
    ("disconnect", &["edge"]),
    ("reconnect", &["edge", "from?", "to?"]),
    ("reorder_edge", &["edge", "position"]),
    ("set_condition", &["edge", "condition?"]),
    ("set_input", &["node", "input?"]),
    ("set_setting", &["node?", "edge?", "path", "value?"]),
    ("set_plan", &["path", "value?"]),
    ("move_nodes", &["places"]),
    ("set_start", &["node?"]),
    ("group_nodes", &["nodes", "to"]),
    ("ungroup_node", &["node"]),
];

type ReadResult<T> = Result<T, Box<Diagnostic>>;

struct OperationFields<'j> {
    op: &'static str,
    map: &'j Map<String, Json>,
}

fn invalid_operation(message: impl Into<String>, help: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::EditBad, message).help(help))
}

impl<'j> OperationFields<'j> {
    fn new(json: &'j Json) -> ReadResult<Self> {
        let map = json.as_object();
        let map = map.ok_or_else(|| {
            invalid_operation(
                "an edit is a map",
                "write it as in `{\"op\": \"remove_node\", \"node\": \"a\"}`",
            )
        })?;
        let named = map.get("op").and_then(Json::as_str);
        let named =
            named.ok_or_else(|| invalid_operation("an edit has no `op`", "name the operation in `op`"))?;
        let Some((op, fields)) = OPS.iter().find(|(op, _)| *op == named) else {
            let help = match closest_name(named, OPS.iter().map(|(op, _)| *op)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => {
                    format!(
                        "use one of {}",
                        OPS.iter().map(|(op, _)| format!("`{op}`")).collect_vec().join(", ")
                    )
                }
            };
            return Err(invalid_operation(format!("there is no operation `{}`", shorten_name(named)), help));
        };
        let known = || fields.iter().map(|field| field.trim_end_matches('?')).chain(["op", "scope"]);
        if let Some(key) = map.keys().find(|key| known().all(|field| field != key.as_str())) {
            let help = match closest_name(key, known()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => {
                    format!(
                        "give it {}",
                        fields.iter().map(|field| format!("`{field}`")).collect_vec().join(", ")
                    )
                }
            };
            return Err(invalid_operation(format!("`{op}` has no `{}`", shorten_name(key)), help));
        }
        let missing = fields.iter().find(|field| !field.ends_with('?') && !map.contains_key(**field));
        match missing {
            Some(field) => {
                Err(invalid_operation(format!("`{op}` lacks `{field}`"), format!("add `{field}`")))
            }
            None => Ok(Self { op, map }),
        }
    }

    fn unexpected_value(&self, field: &str, expected: &str) -> Box<Diagnostic> {
        invalid_operation(
            format!("`{field}` of `{}` is {expected}", self.op),
            format!("write {expected} there"),
        )
    }

    fn field(&self, field: &str) -> Option<&'j Json> {
        self.map.get(field).filter(|value| !value.is_null())
    }

    fn optional_text(&self, field: &str) -> ReadResult<Option<String>> {
        let text = |value: &Json| {
            value.as_str().map(str::to_owned).ok_or_else(|| self.unexpected_value(field, "text"))
        };
        self.field(field).map(text).transpose()
    }

    fn text(&self, field: &str) -> ReadResult<String> {
        self.optional_text(field)?.ok_or_else(|| self.unexpected_value(field, "text"))
    }

    fn optional_position(&self, field: &str) -> ReadResult<Option<usize>> {
        let whole = |value: &Json| value.as_u64().and_then(|at| usize::try_from(at).ok());
        let position = |value: &Json| {
            whole(value).ok_or_else(|| self.unexpected_value(field, "a position, counted from 0"))
        };
        self.field(field).map(position).transpose()
    }

    fn position(&self, field: &str) -> ReadResult<usize> {
        self.optional_position(field)?
            .ok_or_else(|| self.unexpected_value(field, "a position, counted from 0"))
    }

    fn scope(&self) -> ReadResult<String> {
        Ok(self.optional_text("scope")?.unwrap_or_default())
    }

    fn node(&self) -> ReadResult<String> {
        self.text("node")
    }

    fn path(&self) -> ReadResult<Vec<Segment>> {
        let expected = "a list of keys and positions that is not empty";
        let step = |step: &Json| match step {
            Json::String(key) => Some(Segment::Key(key.clone())),
            other => other.as_u64().and_then(|at| usize::try_from(at).ok()).map(Segment::Index),
        };
        let path: Option<Vec<Segment>> = match self.map.get("path") {
            Some(Json::Array(steps)) => steps.iter().map(step).collect(),
            Some(one) => step(one).map(|step| vec![step]),
            None => None,
        };
        path.filter(|path| !path.is_empty()).ok_or_else(|| self.unexpected_value("path", expected))
    }

    fn owner(&self) -> ReadResult<EditOwner> {
        match (self.optional_text("node")?, self.optional_position("edge")?) {
            (Some(node), None) => Ok(EditOwner::Node(node)),
            (None, Some(edge)) => Ok(EditOwner::Edge(edge)),
            _ => Err(invalid_operation(
                format!("`{}` is about a node or about an edge", self.op),
                "give it either `node` or `edge`",
            )),
        }
    }

    fn positions(&self) -> ReadResult<Vec<(String, Option<[f64; 2]>)>> {
        let expected = "a map from nodes to `[x, y]` or null";
        let Some(Json::Object(map)) = self.map.get("places") else {
            return Err(self.unexpected_value("places", expected));
        };
        let place = |value: &Json| match value {
            Json::Null => Some(None),
            Json::Array(pair) => match pair.as_slice() {
                [x, y] => Some(Some([x.as_f64()?, y.as_f64()?])),
                _ => None,
            },
            _ => None,
        };
        let entry = |(node, value): (&String, &Json)| Some((node.clone(), place(value)?));
        let places: Option<Vec<_>> = map.iter().map(entry).collect();
        places.ok_or_else(|| self.unexpected_value("places", expected))
    }

    fn names(&self, field: &str) -> ReadResult<Vec<String>> {
        let names = self.map.get(field).and_then(Json::as_array);
        let name = |name: &Json| name.as_str().map(str::to_owned);
        let names: Option<Vec<String>> = names.and_then(|names| names.iter().map(name).collect());
        names
            .filter(|names| !names.is_empty())
            .ok_or_else(|| self.unexpected_value(field, "a list of keys of nodes"))
    }
}

impl GraphEdit {
    /// Parses an operation.
    ///
    /// # Errors
    /// Returns `edit/bad-edit` for an unknown operation and for a missing, unknown or mistyped field.
    ///
    /// # Example
    /// ```
    /// use stepgraph_authoring::edit::GraphEdit;
    /// let json = serde_json::json!({"op": "remove_nod", "node": "a"});
    /// assert_eq!(GraphEdit::from_json(&json).unwrap_err().help.as_deref(), Some("did you mean `remove_node`?"));
    /// ```
    pub fn from_json(json: &Json) -> Result<Self, Box<Diagnostic>> {
        let form = OperationFields::new(json)?;
        let scope = form.scope()?;
        let value = |field: &str| form.map.get(field).cloned();
        Ok(match form.op {
            "add_node" => {
                let (node, before) = (form.node()?, form.optional_text("before")?);
                Self::AddNode { scope, node, value: value("value").unwrap_or_default(), before }
            }
            "remove_node" => Self::RemoveNode { scope, node: form.node()? },
            "rename_node" => Self::RenameNode { scope, node: form.node()?, to: form.text("to")? },
            "set_id" => Self::SetId { scope, node: form.node()?, id: form.optional_text("id")? },
            "retype_node" => Self::RetypeNode { scope, node: form.node()?, kind: form.text("type")? },
            "duplicate_node" => Self::DuplicateNode { scope, node: form.node()?, to: form.text("to")? },
            "connect" => Self::Connect {
                scope,
                from: form.text("from")?,
                to: form.text("to")?,
                condition: form.optional_text("condition")?,
                position: form.optional_position("position")?,
            },
            "disconnect" => Self::Disconnect { scope, edge: form.position("edge")? },
            "reconnect" => {
                let (from, to) = (form.optional_text("from")?, form.optional_text("to")?);
                if from.is_none() && to.is_none() {
                    return Err(invalid_operation(
                        "`reconnect` changes neither end of the edge",
                        "give it `from` or `to`",
                    ));
                }
                Self::Reconnect { scope, edge: form.position("edge")?, from, to }
            }
            "reorder_edge" => Self::ReorderEdge {
                scope,
                edge: form.position("edge")?,
                position: form.position("position")?,
            },
            "set_condition" => Self::SetCondition {
                scope,
                edge: form.position("edge")?,
                condition: form.optional_text("condition")?,
            },
            "set_input" => {
                Self::SetInput { scope, node: form.node()?, input: value("input").unwrap_or_default() }
            }
            "set_setting" => {
                Self::SetSetting { scope, owner: form.owner()?, path: form.path()?, value: value("value") }
            }
            "set_plan" => Self::SetPlan { scope, path: form.path()?, value: value("value") },
            "move_nodes" => Self::MoveNodes { scope, positions: form.positions()? },
            "set_start" => Self::SetStart { scope, node: form.optional_text("node")? },
            "group_nodes" => Self::GroupNodes { scope, nodes: form.names("nodes")?, to: form.text("to")? },
            _ => Self::UngroupNode { scope, node: form.node()? },
        })
    }
}
