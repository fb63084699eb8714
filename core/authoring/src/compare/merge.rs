//! Merges three versions of a plan: applies the changes of *theirs* to the text of *ours*.
//!
//! These are conflicts:
//! - both sides set one field to different values
//! - one side changed a node or edge that the other removed
//! - both sides added different nodes or edges under one name
//! - both sides reordered edges differently
//! - both sides renamed a node differently
//! - one side wrote a reference, and the other changed its meaning
//!
//! The text then keeps *ours*, without markers. In `layout` *ours* wins silently. All sides adopt new names
//! before the merge.
//!
//! Invariants:
//! 1. `merge(b, o, b)` and `merge(b, o, o)` are `o` byte for byte. `merge(b, b, t)` is `t`.
//! 2. If *ours* and *theirs* are swapped, the same locations conflict.
//! 3. If nothing conflicts, sound plans produce a sound plan.
//! 4. A change that cannot be written into the text of *ours* is a conflict.

mod align_keys;
mod conflict;
mod diff3;
mod edges;
mod fields;
mod graphs;
mod lists;
mod location;
mod plan_tests;
mod reference_meaning;
mod version;

pub use conflict::{Conflict, ConflictKind};

use location::{MergeLocation, ValueMeaning};
use serde_json::Value as Json;
use std::collections::HashSet;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::{PlanFiles, PlanGraph};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::edit::{Change, edit};
use stepgraph_core::source::{Format, parse};
use stepgraph_core::value::canonical_text;
use version::MergeVersion;

/// A merge's result.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeResult {
    /// Merged text.
    pub text: String,
    /// In text order.
    pub conflicts: Vec<Conflict>,
    /// Diagnostics of the merged plan.
    pub diagnostics: Vec<Diagnostic>,
}

/// Applies the changes from `base` to `theirs` to `ours`.
///
/// # Example
/// ```
/// use stepgraph_authoring::compare::merge;
/// use stepgraph_core::source::Format;
/// let base = "nodes:\n  a: {type: log, input: hi}\n  b: {type: noop}\nedges: [{from: a, to: b}]\n";
/// let ours = "nodes:\n  a: {type: log, input: hello} # politer\n  b: {type: noop}\nedges: [{from: a, to: b}]\n";
/// let theirs = "nodes:\n  a: {type: log, input: hi}\n  end: {type: noop}\nedges: [{from: a, to: end}]\n";
/// let merged = merge(base, ours, theirs, Format::Yaml);
/// assert!(merged.conflicts.is_empty());
/// assert_eq!(merged.text, "nodes:\n  a: {type: log, input: hello} # politer\n  end: {type: noop}\nedges: [{from: a, to: end}]\n");
/// ```
pub fn merge(base: &str, ours: &str, theirs: &str, format: Format) -> MergeResult {
    if ours == theirs || theirs == base {
        return with_diagnostics(ours.to_owned(), Vec::new(), [ours, theirs], format);
    }
    if ours == base {
        return with_diagnostics(theirs.to_owned(), Vec::new(), [ours, theirs], format);
    }
    let mut versions = Vec::new();
    for (text, name) in [(base, "base"), (ours, "ours"), (theirs, "theirs")] {
        match MergeVersion::new(text, format) {
            Ok(version) => versions.push(version),
            Err(diagnostic) => return unreadable(ours, name, &diagnostic),
        }
    }
    let Ok([base_side, ours_side, theirs_side]) = <[MergeVersion; 3]>::try_from(versions) else {
        return MergeResult { text: ours.to_owned(), conflicts: Vec::new(), diagnostics: Vec::new() };
    };
    let mut versions = [base_side, ours_side, theirs_side];
    let mut merger = Merger {
        steps: Vec::new(),
        conflicts: Vec::new(),
        renamed: HashSet::new(),
        disputed: HashSet::new(),
    };
    merger.align_keys(&mut versions, format);
    let json = versions.each_ref().map(|version| version.root.to_json());
    merger.merge_plan(json.each_ref());
    let Merger { steps, mut conflicts, .. } = merger;
    let text = apply_steps(&versions[1].text, format, steps, &mut conflicts);
    for (conflict, location) in &mut conflicts {
        conflict.locate(location, &versions);
    }
    let mut conflicts: Vec<Conflict> = conflicts.into_iter().map(|(conflict, _)| conflict).collect_vec();
    if conflicts.is_empty() {
        let [base, ours, theirs] = versions.each_ref().map(|version| version.text.as_str());
        conflicts = reference_meaning::conflicts(base, [ours, theirs], &text, format);
    }
    let text = match conflicts.is_empty().then(|| diff3::merge([base, ours, theirs])).flatten() {
        Some(whole) if is_equivalent(&whole, &text, format) => whole,
        _ => text,
    };
    with_diagnostics(text, conflicts, [ours, theirs], format)
}

/// Texts that are no plans compare as data.
fn is_equivalent(a: &str, b: &str, format: Format) -> bool {
    let plan = |text| PlanGraph::parse(text, format).into_sound();
    match (plan(a), plan(b)) {
        (Some(a), Some(b)) => super::compare(&a, &b, None).is_same(),
        _ => {
            let says = |text| parse(text, format).root.map(|root| canonical_text(&root.to_json()));
            says(a).is_some() && says(a) == says(b)
        }
    }
}

/// Errors that neither side had become conflicts.
fn with_diagnostics(
    text: String,
    mut conflicts: Vec<Conflict>,
    sides: [&str; 2],
    format: Format,
) -> MergeResult {
    let read = |text: &str| {
        let files = PlanFiles::optional();
        PlanGraph::parse_with(text, format, NameTable::default(), &files).diagnostics
    };
    let diagnostics = read(&text);
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect_vec();
    if !errors.is_empty() {
        let known: HashSet<String> =
            (sides.iter()).flat_map(|side| read(side)).map(|diagnostic| diagnostic.to_string()).collect();
        for diagnostic in errors.into_iter().filter(|diagnostic| !known.contains(&diagnostic.to_string())) {
            let message = format!("ours and theirs conflict: {}", diagnostic.message);
            let mut conflict = Conflict::new(ConflictKind::Plan, message);
            conflict.spans[3] = diagnostic.span;
            conflicts.push(conflict);
        }
    }
    MergeResult { text, conflicts, diagnostics }
}

fn unreadable(ours: &str, name: &str, diagnostic: &Diagnostic) -> MergeResult {
    let message = format!("{name} can't be read: {}", diagnostic.message);
    let mut conflict = Conflict::new(ConflictKind::Unreadable, message);
    let place = ["base", "ours", "theirs"].iter().position(|side| *side == name);
    if let Some(span) = place.and_then(|place| conflict.spans.get_mut(place)) {
        *span = diagnostic.span;
    }
    MergeResult { text: ours.to_owned(), conflicts: vec![conflict], diagnostics: vec![diagnostic.clone()] }
}

#[derive(Debug)]
struct MergeStep {
    changes: Vec<Change>,
    location: MergeLocation,
}

#[derive(Debug)]
struct Merger {
    steps: Vec<MergeStep>,
    conflicts: Vec<(Conflict, MergeLocation)>,
    renamed: HashSet<(String, String, usize)>,
    disputed: HashSet<(String, String)>,
}

impl Merger {
    fn add_step(&mut self, location: &MergeLocation, changes: Vec<Change>) {
        if !changes.is_empty() {
            self.steps.push(MergeStep { changes, location: location.clone() });
        }
    }

    fn is_disputed(&self, scope: &str, node: &str) -> bool {
        !self.disputed.is_empty() && self.disputed.contains(&(scope.to_owned(), node.to_owned()))
    }

    fn add_conflict(
        &mut self,
        location: &MergeLocation,
        kind: ConflictKind,
        values: [Option<&Json>; 3],
        message: String,
    ) {
        self.conflicts.push((location.conflict(kind, values, message), location.clone()));
    }
}

/// Steps that do not apply become conflicts.
fn apply_steps(
    text: &str,
    format: Format,
    steps: Vec<MergeStep>,
    conflicts: &mut Vec<(Conflict, MergeLocation)>,
) -> String {
    let all: Vec<Change> = steps.iter().flat_map(|step| step.changes.iter().cloned()).collect_vec();
    if let Ok(edited) = edit(text, format, &all) {
        return edited.text;
    }
    let mut text = text.to_owned();
    for step in steps {
        match edit(&text, format, &step.changes) {
            Ok(edited) => text = edited.text,
            Err(diagnostic) => {
                let message = format!(
                    "what theirs changed at {} can't be written into ours: {}",
                    step.location.describe(),
                    diagnostic.message
                );
                conflicts
                    .push((step.location.conflict(ConflictKind::Text, [None; 3], message), step.location));
            }
        }
    }
    text
}
