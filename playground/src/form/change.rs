//! What is changed in a form, as edits of the plan.
//!
//! Decides which edit each change is: small ones, at the very place, so that everything around it stays as it was written.
//!
//! Invariants: 1. a field that is not changed makes no edit; 2. taking a value away takes its key away, and no other but of what would say
//! nothing without it; 3. of a value that is written anew only what differs is edited.

use super::{Field, Form, Owner};
use serde_json::Value as Json;
use stepgraph_authoring::edit::{EditOwner, GraphEdit};
use stepgraph_core::value::Segment;

/// Edits that are made one after another, or none of them.
pub type Edits = Vec<GraphEdit>;

/// What gives a node another type.
pub fn retype(scope: &str, node: &str, kind: &str) -> Edits {
    vec![GraphEdit::RetypeNode { scope: scope.to_owned(), node: node.to_owned(), kind: kind.to_owned() }]
}

/// What moves an edge among the others of its graph.
pub fn reorder(scope: &str, edge: usize, position: usize) -> Edits {
    vec![GraphEdit::ReorderEdge { scope: scope.to_owned(), edge, position }]
}

/// What takes an edge away.
pub fn disconnect(scope: &str, edge: usize) -> Edits {
    vec![GraphEdit::Disconnect { scope: scope.to_owned(), edge }]
}

/// What leads from a node to another.
pub fn connect(scope: &str, from: &str, to: &str) -> Edits {
    let (scope, from, to) = (scope.to_owned(), from.to_owned(), to.to_owned());
    vec![GraphEdit::Connect { scope, from, to, condition: None, position: None }]
}

/// What puts a value into a field, or takes it away; for each of the form's owners.
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

/// What adds an entry to a field's map.
pub fn add_entry(form: &Form, field: &Field, name: &str, value: &Json) -> Edits {
    let path = [&field.path[..], &[Segment::Key(name.to_owned())]].concat();
    form.owners.iter().map(|owner| set_at(owner, path.clone(), Some(value.clone()))).collect()
}

/// What adds an item to a field's list.
pub fn add_item(form: &Form, field: &Field, value: &Json) -> Edits {
    let count = field.value.as_ref().and_then(Json::as_array).map_or(0, Vec::len);
    let path = [&field.path[..], &[Segment::Index(count)]].concat();
    form.owners.iter().map(|owner| set_at(owner, path.clone(), Some(value.clone()))).collect()
}

/// What changes the places of two items of a list that follow each other, the one at `field` and the one before or after it.
pub fn swap(form: &Form, field: &Field, other: &Field) -> Edits {
    let (Some(own), Some(others)) = (&field.value, &other.value) else { return Vec::new() };
    let puts = [(&field.path, others), (&other.path, own)];
    let put = |owner: &Owner| puts.map(|(path, value)| set_at(owner, path.clone(), Some(value.clone())));
    form.owners.iter().flat_map(put).collect()
}

/// What takes a field away with its name.
pub fn remove(form: &Form, field: &Field) -> Edits {
    form.owners.iter().map(|owner| set_at(owner, removal_path(form, &field.path), None)).collect()
}

/// The way to what is taken away: the value itself, or a map of retries that would be left empty and means nothing then.
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

/// The edits that make one value of another, as deep as both have the same shape.
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

/// The edit that puts a value at a place of its owner.
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
