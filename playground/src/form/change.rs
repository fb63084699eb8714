//! Converts form changes to plan edits.
//!
//! Invariants: 1. edits are local, none for unchanged fields. 2. removal includes the key, and an empty `retry`. 3.
//! maps and lists change only where they differ.

use super::{Field, Form, Owner};
use serde_json::Value as Json;
use stepgraph_authoring::edit::{EditOwner, GraphEdit};
use stepgraph_core::value::Segment;

/// Ordered edits, all or none.
pub type Edits = Vec<GraphEdit>;

/// Changes a node's type.
pub fn retype(scope: &str, node: &str, kind: &str) -> Edits {
    vec![GraphEdit::RetypeNode { scope: scope.to_owned(), node: node.to_owned(), kind: kind.to_owned() }]
}

/// Moves an edge.
pub fn reorder(scope: &str, edge: usize, position: usize) -> Edits {
    vec![GraphEdit::ReorderEdge { scope: scope.to_owned(), edge, position }]
}

/// Removes an edge.
pub fn disconnect(scope: &str, edge: usize) -> Edits {
    vec![GraphEdit::Disconnect { scope: scope.to_owned(), edge }]
}

/// Adds an edge.
pub fn connect(scope: &str, from: &str, to: &str) -> Edits {
    let (scope, from, to) = (scope.to_owned(), from.to_owned(), to.to_owned());
    vec![GraphEdit::Connect { scope, from, to, condition: None, position: None }]
}

/// Sets or removes a value for each owner.
pub fn set(form: &Form, field: &Field, value: Option<&Json>) -> Edits {
    if field.value.as_ref() == value && !field.is_mixed {
        return Vec::new();
    }
    let mut edits = Vec::new();
    for owner in &form.owners {
        match (&field.value, value) {
            (Some(old @ (Json::Object(_) | Json::Array(_))), Some(new)) if !field.is_mixed => {
                diff_values(owner, &field.path, old, new, &mut edits);
            }
            (_, None) => edits.push(set_at(owner, removal_path(form, &field.path), None)),
            (_, Some(new)) => edits.push(set_at(owner, field.path.clone(), Some(new.clone()))),
        }
    }
    edits
}

/// Adds a map entry.
pub fn add_entry(form: &Form, field: &Field, name: &str, value: &Json) -> Edits {
    let path = [&field.path[..], &[Segment::Key(name.to_owned())]].concat();
    form.owners.iter().map(|owner| set_at(owner, path.clone(), Some(value.clone()))).collect()
}

/// Adds a list item.
pub fn add_item(form: &Form, field: &Field, value: &Json) -> Edits {
    let count = field.value.as_ref().and_then(Json::as_array).map_or(0, Vec::len);
    let path = [&field.path[..], &[Segment::Index(count)]].concat();
    form.owners.iter().map(|owner| set_at(owner, path.clone(), Some(value.clone()))).collect()
}

/// Swaps adjacent items.
pub fn swap(form: &Form, field: &Field, other: &Field) -> Edits {
    let (Some(own), Some(others)) = (&field.value, &other.value) else { return Vec::new() };
    let puts = [(&field.path, others), (&other.path, own)];
    let put = |owner: &Owner| puts.map(|(path, value)| set_at(owner, path.clone(), Some(value.clone())));
    form.owners.iter().flat_map(put).collect()
}

/// Removes a field and its key.
pub fn remove(form: &Form, field: &Field) -> Edits {
    form.owners.iter().map(|owner| set_at(owner, removal_path(form, &field.path), None)).collect()
}

/// The value, or a `retry` map that would become empty.
fn removal_path(form: &Form, path: &[Segment]) -> Vec<Segment> {
    let parent = match path {
        [Segment::Key(parent), Segment::Key(_)] if parent == "retry" => path.get(..1),
        _ => None,
    };
    let only = |value: &Json| value.as_object().is_some_and(|map| map.len() == 1);
    let is_alone = |parent: &&[Segment]| {
        form.fields.values().any(|field| field.path == *parent && field.value.as_ref().is_some_and(only))
    };
    parent.filter(is_alone).unwrap_or(path).to_vec()
}

/// Recurses while the shapes agree.
fn diff_values(owner: &Owner, path: &[Segment], old: &Json, new: &Json, edits: &mut Vec<GraphEdit>) {
    let inside = |step: Segment| [path, &[step]].concat();
    match (old, new) {
        _ if old == new => {}
        (Json::Object(old), Json::Object(new)) if !new.is_empty() => {
            for key in old.keys().filter(|key| !new.contains_key(*key)) {
                edits.push(set_at(owner, inside(Segment::Key(key.clone())), None));
            }
            for (key, value) in new {
                let path = inside(Segment::Key(key.clone()));
                match old.get(key) {
                    Some(old) => diff_values(owner, &path, old, value, edits),
                    None => edits.push(set_at(owner, path, Some(value.clone()))),
                }
            }
        }
        (Json::Array(old), Json::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                diff_values(owner, &inside(Segment::Index(index)), old, new, edits);
            }
        }
        _ => edits.push(set_at(owner, path.to_vec(), Some(new.clone()))),
    }
}

/// Sets or removes a value.
pub fn set_at(owner: &Owner, path: Vec<Segment>, value: Option<Json>) -> GraphEdit {
    let text = |value: Option<Json>| value.and_then(|value| value.as_str().map(str::to_owned));
    let only_choice = match path.as_slice() {
        [Segment::Key(key)] => key.clone(),
        _ => String::new(),
    };
    match owner {
        Owner::Plan if only_choice == "start" => {
            GraphEdit::SetStart { scope: String::new(), node: text(value) }
        }
        Owner::Plan => GraphEdit::SetPlan { scope: String::new(), path, value },
        Owner::Edge(scope, edge) if only_choice == "condition" => {
            GraphEdit::SetCondition { scope: scope.clone(), edge: *edge, condition: text(value) }
        }
        Owner::Edge(scope, edge) => {
            GraphEdit::SetSetting { scope: scope.clone(), owner: EditOwner::Edge(*edge), path, value }
        }
        Owner::Node(scope, node) => {
            GraphEdit::SetSetting { scope: scope.clone(), owner: EditOwner::Node(node.clone()), path, value }
        }
    }
}
