//! Three versions of a plan as one: what theirs changed is done to the text of ours.
//!
//! Decides what is a conflict: one field that both changed to different values, a node or an edge that one changed and the other took
//! away or both added differently, edges that both put in different orders, a node to which both gave different names. There the text
//! keeps what ours has, and the conflict is reported; nothing is marked in the text. Places in `layout` are no conflict: ours count.
//! Renamed nodes are recognised as [`super::compare`] does it, and the other sides follow the new name before anything is merged.
//!
//! Files: `names` nodes under one name on all sides · `fields` values · `graphs` nodes and graphs · `edges` edges as a set per node, with
//! their order · `lists` lists that were put in another order · `lines` whole texts, line by line.
//!
//! Invariants: 1. `merge(b, o, b)` and `merge(b, o, o)` are `o`, byte for byte, `merge(b, b, t)` is `t`; 2. ours and theirs
//! changed round, there are as many conflicts at the same places; 3. what comes out of sound plans without a conflict is a sound plan;
//! 4. what can't be written into the text of ours is a conflict, never left out silently.

mod edges;
mod fields;
mod graphs;
mod lines;
mod lists;
mod names;

use super::words;
use crate::diagnostic::{Diagnostic, Span, TextEdit};
use crate::graph::PlanGraph;
use crate::list::List;
use crate::source::edit::{Change, edit};
use crate::source::{Format, Spanned, read};
use crate::value::{Segment, canonical_text};
use serde_json::{Map, Value as Json, json};
use std::collections::HashSet;

/// In which way two versions contradict each other. Its slug is stable for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ConflictKind {
    /// One of the texts can't be read: nothing was merged.
    Unreadable,
    /// One field has two new values.
    Field,
    /// One changed what the other took away.
    Removed,
    /// Both added different things under one name.
    Added,
    /// Both gave a node another name.
    Renamed,
    /// Both put edges in another order.
    Order,
    /// The text of ours can't take a change of theirs where it stands.
    Text,
    /// Each is sound, both together are not.
    Plan,
}

impl ConflictKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Unreadable,
        Self::Field,
        Self::Removed,
        Self::Added,
        Self::Renamed,
        Self::Order,
        Self::Text,
        Self::Plan,
    ];

    /// One word, stable for ever.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Field => "field",
            Self::Removed => "removed",
            Self::Added => "added",
            Self::Renamed => "renamed",
            Self::Order => "order",
            Self::Text => "text",
            Self::Plan => "plan",
        }
    }
}

/// Something that a person must decide.
///
/// # Shape
/// JSON: `{kind, scope, message, node?, edge?: {from, to}, field?, base?, ours?, theirs?, spans: {base?, ours?, theirs?, text?}}`; spans
/// are `{start, end}` of the three texts that were given, and of the text that came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// In which way.
    pub kind: ConflictKind,
    /// The graph: empty for the plan's own.
    pub scope: String,
    /// The node.
    pub node: Option<String>,
    /// The keys of the nodes that an edge joins.
    pub edge: Option<(String, String)>,
    /// The way to the field within the node, the edge or the plan.
    pub field: Vec<Segment>,
    /// What was there: in base, ours and theirs; absent where nothing is.
    pub values: [Option<Json>; 3],
    /// Where that stands: in base, ours, theirs, and in the text that came out.
    pub spans: [Option<Span>; 4],
    /// One sentence for people, without a period.
    pub message: String,
}

impl Conflict {
    /// Its JSON form.
    pub fn to_json(&self) -> Json {
        let mut map = Map::new();
        let mut put = |key: &str, value: Option<Json>| {
            if let Some(value) = value {
                map.insert(key.to_owned(), value);
            }
        };
        let [base, ours, theirs] = &self.values;
        let [in_base, in_ours, in_theirs, in_text] = self.spans;
        put("kind", Some(self.kind.slug().into()));
        put("scope", Some(self.scope.as_str().into()));
        put("node", self.node.as_deref().map(Json::from));
        put("edge", self.edge.as_ref().map(|(from, to)| json!({"from": from, "to": to})));
        put("field", (!self.field.is_empty()).then(|| words::path(&self.field).into()));
        put("base", base.clone());
        put("ours", ours.clone());
        put("theirs", theirs.clone());
        let spans = [("base", in_base), ("ours", in_ours), ("theirs", in_theirs), ("text", in_text)];
        put("spans", Some(words::spans(&spans)));
        put("message", Some(self.message.as_str().into()));
        Json::Object(map)
    }
}

/// What comes of three versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
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
/// use stepgraph_core::{compare::merge, source::Format};
/// let base = "nodes:\n  a: {type: log, input: hi}\n  b: {type: noop}\nedges: [{from: a, to: b}]\n";
/// let ours = "nodes:\n  a: {type: log, input: hello} # politer\n  b: {type: noop}\nedges: [{from: a, to: b}]\n";
/// let theirs = "nodes:\n  a: {type: log, input: hi}\n  end: {type: noop}\nedges: [{from: a, to: end}]\n";
/// let merged = merge(base, ours, theirs, Format::Yaml);
/// assert!(merged.conflicts.is_empty());
/// assert_eq!(merged.text, "nodes:\n  a: {type: log, input: hello} # politer\n  end: {type: noop}\nedges: [{from: a, to: end}]\n");
/// ```
pub fn merge(base: &str, ours: &str, theirs: &str, format: Format) -> Merged {
    if ours == theirs || theirs == base {
        return finished(ours.to_owned(), Vec::new(), [ours, theirs], format);
    }
    if ours == base {
        return finished(theirs.to_owned(), Vec::new(), [ours, theirs], format);
    }
    let mut sides = Vec::new();
    for (text, name) in [(base, "base"), (ours, "ours"), (theirs, "theirs")] {
        match Side::new(text, format) {
            Ok(side) => sides.push(side),
            Err(problem) => return unreadable(ours, name, &problem),
        }
    }
    let Ok([base_side, ours_side, theirs_side]) = <[Side; 3]>::try_from(sides) else {
        return Merged { text: ours.to_owned(), conflicts: Vec::new(), diagnostics: Vec::new() };
    };
    let mut sides = [base_side, ours_side, theirs_side];
    let mut merger = Merger {
        steps: Vec::new(),
        conflicts: Vec::new(),
        renamed: HashSet::new(),
        disputed: HashSet::new(),
    };
    merger.names(&mut sides, format);
    let json = sides.each_ref().map(|side| side.root.to_json());
    merger.plan(json.each_ref());
    let Merger { steps, mut conflicts, .. } = merger;
    let text = written(&sides[1].now, format, steps, &mut conflicts);
    for (conflict, way) in &mut conflicts {
        conflict.place(way, &sides);
    }
    let conflicts: Vec<Conflict> = conflicts.into_iter().map(|(conflict, _)| conflict).list();
    let text = match conflicts.is_empty().then(|| lines::merge([base, ours, theirs])).flatten() {
        Some(whole) if means_the_same(&whole, &text, format) => whole,
        _ => text,
    };
    finished(text, conflicts, [ours, theirs], format)
}

/// Whether two texts mean the same; of what is no plan, whether they say the same.
fn means_the_same(a: &str, b: &str, format: Format) -> bool {
    let plan = |text| PlanGraph::parse(text, format).graph;
    match (plan(a), plan(b)) {
        (Some(a), Some(b)) => super::compare(&a, &b, None).is_same(),
        _ => {
            let says = |text| read(text, format).root.map(|root| canonical_text(&root.to_json()));
            says(a).is_some() && says(a) == says(b)
        }
    }
}

/// What comes out, looked at as a plan: what is wrong only now is a conflict.
fn finished(text: String, mut conflicts: Vec<Conflict>, sides: [&str; 2], format: Format) -> Merged {
    let diagnostics = PlanGraph::parse(&text, format).diagnostics;
    let errors = diagnostics.iter().filter(|problem| problem.is_error()).list();
    if !errors.is_empty() {
        let known: HashSet<String> = (sides.iter())
            .flat_map(|side| PlanGraph::parse(side, format).diagnostics)
            .map(|problem| problem.to_string())
            .collect();
        for problem in errors.into_iter().filter(|problem| !known.contains(&problem.to_string())) {
            let message = format!("ours and theirs don't go together: {}", problem.message);
            let mut conflict = Conflict::new(ConflictKind::Plan, message);
            conflict.spans[3] = problem.span;
            conflicts.push(conflict);
        }
    }
    Merged { text, conflicts, diagnostics }
}

fn unreadable(ours: &str, name: &str, problem: &Diagnostic) -> Merged {
    let message = format!("{name} can't be read: {}", problem.message);
    let mut conflict = Conflict::new(ConflictKind::Unreadable, message);
    let place = ["base", "ours", "theirs"].iter().position(|side| *side == name);
    if let Some(span) = place.and_then(|place| conflict.spans.get_mut(place)) {
        *span = problem.span;
    }
    Merged { text: ours.to_owned(), conflicts: vec![conflict], diagnostics: vec![problem.clone()] }
}

/// One version: its text with nodes under the names that all sides use, and what was done to it for that.
#[derive(Debug)]
struct Side {
    now: String,
    edits: Vec<Vec<TextEdit>>,
    root: Spanned,
}

impl Side {
    fn new(text: &str, format: Format) -> Result<Self, Box<Diagnostic>> {
        let document = read(text, format);
        if let Some(problem) = document.diagnostics.into_iter().find(Diagnostic::is_error) {
            return Err(Box::new(problem));
        }
        let root =
            document.root.unwrap_or(Spanned { kind: crate::source::Kind::Null, span: Span::default() });
        Ok(Self { now: text.to_owned(), edits: Vec::new(), root })
    }

    /// Where something stood in the text that was given.
    fn span(&self, way: &[Segment]) -> Option<Span> {
        let mut at = &self.root;
        for segment in way {
            at = match segment {
                Segment::Key(key) => &at.get(key)?.value,
                Segment::Index(index) => at.as_list()?.get(*index)?,
            };
        }
        let back = |at: usize| self.edits.iter().rev().fold(at, |at, edits| before(edits, at));
        Some(Span::new(back(at.span.start), back(at.span.end)))
    }
}

/// Where something stood before some edits.
fn before(edits: &[TextEdit], at: usize) -> usize {
    let mut shift = 0_usize;
    for edit in edits {
        let start = edit.span.start.wrapping_add(shift);
        if at < start {
            break;
        }
        if at < start.wrapping_add(edit.text.len()) {
            return edit.span.start;
        }
        let gone = edit.span.end - edit.span.start;
        shift = shift.wrapping_add(edit.text.len()).wrapping_sub(gone);
    }
    at.wrapping_sub(shift)
}

/// Where something is: the ways to it on each side, and in words.
#[derive(Debug, Clone, Default)]
struct Way {
    paths: [Vec<Segment>; 3],
    scope: String,
    node: Option<String>,
    edge: Option<(String, String)>,
    /// Where in the way of ours the field begins.
    depth: usize,
    says: Says,
}

/// What a value is, as far as being the same goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Says {
    #[default]
    Plain,
    /// Text that may have holes.
    Texts,
    /// The condition of an edge.
    Condition,
    /// Where nodes are drawn: of two new places ours counts.
    Layout,
}

impl Way {
    fn then(&self, segment: &Segment) -> Self {
        self.at(&[segment, segment, segment])
    }

    fn key(&self, key: &str) -> Self {
        self.then(&Segment::Key(key.to_owned()))
    }

    fn at(&self, segments: &[&Segment; 3]) -> Self {
        let mut way = self.clone();
        for (path, segment) in way.paths.iter_mut().zip(segments) {
            path.push((*segment).clone());
        }
        way
    }

    fn field(&self) -> Vec<Segment> {
        let [_, ours, _] = &self.paths;
        ours.get(self.depth..).unwrap_or_default().to_vec()
    }

    /// What is there, in words: "`input.url` of `a`".
    fn shown(&self) -> String {
        let field = self.field();
        let field = (!field.is_empty()).then(|| format!("`{}`", words::path(&field)));
        let of = match (&self.edge, &self.node) {
            (Some((from, to)), _) => Some(format!("the edge {} → {}", words::name(from), words::name(to))),
            (None, Some(node)) => Some(words::name(node)),
            (None, None) => None,
        };
        let inside =
            if self.scope.is_empty() { String::new() } else { format!(" in {}", words::name(&self.scope)) };
        match (field, of) {
            (Some(field), Some(of)) => format!("{field} of {of}{inside}"),
            (Some(field), None) => format!("{field}{inside}"),
            (None, Some(of)) if self.edge.is_none() => format!("node {of}{inside}"),
            (None, Some(of)) => format!("{of}{inside}"),
            (None, None) => "the plan".to_owned(),
        }
    }

    fn conflict(&self, kind: ConflictKind, values: [Option<&Json>; 3], message: String) -> Conflict {
        let mut conflict = Conflict::new(kind, message);
        conflict.scope.clone_from(&self.scope);
        conflict.node.clone_from(&self.node);
        conflict.edge.clone_from(&self.edge);
        conflict.field = self.field();
        conflict.values = values.map(|value| value.cloned());
        conflict
    }
}

impl Conflict {
    fn new(kind: ConflictKind, message: String) -> Self {
        Self {
            kind,
            scope: String::new(),
            node: None,
            edge: None,
            field: Vec::new(),
            values: [None, None, None],
            spans: [None; 4],
            message,
        }
    }

    /// Says where it is in the texts.
    fn place(&mut self, way: &Way, sides: &[Side; 3]) {
        for ((span, side), path) in self.spans.iter_mut().zip(sides).zip(&way.paths) {
            *span = side.span(path);
        }
    }
}

/// Changes of theirs that belong together, and where.
#[derive(Debug)]
struct Step {
    changes: Vec<Change>,
    way: Way,
}

/// What is to be done to the text of ours, as it is found out.
#[derive(Debug)]
struct Merger {
    steps: Vec<Step>,
    conflicts: Vec<(Conflict, Way)>,
    /// Nodes that one side renamed, by scope and key: which side.
    renamed: HashSet<(String, String, usize)>,
    /// Nodes of which a person must decide whether they are there, and what they are: by scope and key.
    disputed: HashSet<(String, String)>,
}

impl Merger {
    fn step(&mut self, way: &Way, changes: Vec<Change>) {
        if !changes.is_empty() {
            self.steps.push(Step { changes, way: way.clone() });
        }
    }

    fn is_disputed(&self, scope: &str, node: &str) -> bool {
        !self.disputed.is_empty() && self.disputed.contains(&(scope.to_owned(), node.to_owned()))
    }

    fn disagree(&mut self, way: &Way, kind: ConflictKind, values: [Option<&Json>; 3], message: String) {
        self.conflicts.push((way.conflict(kind, values, message), way.clone()));
    }
}

/// The text of ours after all steps that it can take; the others become conflicts.
fn written(text: &str, format: Format, steps: Vec<Step>, conflicts: &mut Vec<(Conflict, Way)>) -> String {
    let all: Vec<Change> = steps.iter().flat_map(|step| step.changes.iter().cloned()).list();
    if let Ok(edited) = edit(text, format, &all) {
        return edited.text;
    }
    let mut text = text.to_owned();
    for step in steps {
        match edit(&text, format, &step.changes) {
            Ok(edited) => text = edited.text,
            Err(problem) => {
                let message = format!(
                    "what theirs changed at {} can't be written into ours: {}",
                    step.way.shown(),
                    problem.message
                );
                conflicts.push((step.way.conflict(ConflictKind::Text, [None; 3], message), step.way));
            }
        }
    }
    text
}
