//! Three versions of a plan as one: what theirs changed is done to the text of ours.
//!
//! Decides what is a conflict: one field that both changed to different values, a node or an edge that one changed and the other took
//! away or both added differently, edges that both put in different orders, a node to which both gave different names. There the text
//! keeps what ours has, and the conflict is reported; nothing is marked in the text. Places in `layout` are no conflict: ours count.
//! Renamed nodes are recognised as [`super::compare`] does it, and the other sides follow the new name before anything is merged.
//!
//! Files: `conflict` what a person must decide · `version` one version · `location` where something is · `align_keys` nodes under one name on all sides · `fields` values · `graphs` nodes and graphs · `edges` edges as a set per node, with
//! their order · `plan_tests` tests · `lists` lists that were put in another order · `diff3` whole texts, line by line.
//!
//! Invariants: 1. `merge(b, o, b)` and `merge(b, o, o)` are `o`, byte for byte, `merge(b, b, t)` is `t`; 2. ours and theirs
//! changed round, there are as many conflicts at the same places; 3. what comes out of sound plans without a conflict is a sound plan;
//! 4. what can't be written into the text of ours is a conflict, never left out silently.

mod align_keys;
mod conflict;
mod diff3;
mod edges;
mod fields;
mod graphs;
mod lists;
mod location;
mod plan_tests;
mod version;

pub use conflict::{Conflict, ConflictKind};

use location::{MergeLocation, ValueMeaning};
use serde_json::Value as Json;
use std::collections::HashSet;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::list::List;
use stepgraph_core::source::edit::{Change, edit};
use stepgraph_core::source::{Format, read};
use stepgraph_core::value::canonical_text;
use version::MergeVersion;

/// What comes of three versions.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeResult {
    /// The text of ours with what theirs changed.
    pub text: String,
    /// What a person must decide, in the order of the text; none when the merge is clean.
    pub conflicts: Vec<Conflict>,
    /// What is wrong with the text, or could be better.
    pub diagnostics: Vec<Diagnostic>,
}

/// Does to the text of `ours` what `theirs` changed since `base`.
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
    let conflicts: Vec<Conflict> = conflicts.into_iter().map(|(conflict, _)| conflict).list();
    let text = match conflicts.is_empty().then(|| diff3::merge([base, ours, theirs])).flatten() {
        Some(whole) if is_equivalent(&whole, &text, format) => whole,
        _ => text,
    };
    with_diagnostics(text, conflicts, [ours, theirs], format)
}

/// Whether two texts mean the same; of what is no plan, whether they say the same.
fn is_equivalent(a: &str, b: &str, format: Format) -> bool {
    let plan = |text| PlanGraph::parse(text, format).sound();
    match (plan(a), plan(b)) {
        (Some(a), Some(b)) => super::compare(&a, &b, None).is_same(),
        _ => {
            let says = |text| read(text, format).root.map(|root| canonical_text(&root.to_json()));
            says(a).is_some() && says(a) == says(b)
        }
    }
}

/// What comes out, looked at as a plan: what is wrong only now is a conflict.
fn with_diagnostics(
    text: String,
    mut conflicts: Vec<Conflict>,
    sides: [&str; 2],
    format: Format,
) -> MergeResult {
    let diagnostics = PlanGraph::parse(&text, format).diagnostics;
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).list();
    if !errors.is_empty() {
        let known: HashSet<String> = (sides.iter())
            .flat_map(|side| PlanGraph::parse(side, format).diagnostics)
            .map(|diagnostic| diagnostic.to_string())
            .collect();
        for diagnostic in errors.into_iter().filter(|diagnostic| !known.contains(&diagnostic.to_string())) {
            let message = format!("ours and theirs don't go together: {}", diagnostic.message);
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

/// Changes of theirs that belong together, and where.
#[derive(Debug)]
struct MergeStep {
    changes: Vec<Change>,
    location: MergeLocation,
}

/// What is to be done to the text of ours, as it is found out.
#[derive(Debug)]
struct Merger {
    steps: Vec<MergeStep>,
    conflicts: Vec<(Conflict, MergeLocation)>,
    /// Nodes that one side renamed, by scope and key: which side.
    renamed: HashSet<(String, String, usize)>,
    /// Nodes of which a person must decide whether they are there, and what they are: by scope and key.
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

/// The text of ours after all steps that it can take; the others become conflicts.
fn apply_steps(
    text: &str,
    format: Format,
    steps: Vec<MergeStep>,
    conflicts: &mut Vec<(Conflict, MergeLocation)>,
) -> String {
    let all: Vec<Change> = steps.iter().flat_map(|step| step.changes.iter().cloned()).list();
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
