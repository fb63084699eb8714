//! Which instructions of a body can become a function of their own, and what it takes and returns.

use super::body::{Body, Live, closes, diverges, opens};
use std::collections::BTreeSet;
use std::ops::Range;
use wasmparser::{BlockType, Operator, ValType};

/// How a region ends. Labels are counted from the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    Falls,
    Returns,
    Branches(u32),
}

/// A sequence of instructions with all that is inside them.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) ops: Range<usize>,
    pub(crate) part: u8,
    /// Locals that it reads.
    pub(crate) params: Vec<u32>,
    /// Locals that are read after it.
    pub(crate) results: Vec<u32>,
    pub(crate) exits: Vec<Exit>,
    /// The values that it leaves on the stack or returns, and which exit has them.
    pub(crate) values: Vec<ValType>,
    pub(crate) valued: Exit,
}

/// A region is so many times as long as the call that replaces it: 1.5 and 3 save 1 kB less, gzipped.
const GAIN: usize = 2;
/// Of a call: loading the part, and the call through the table.
const CALL: usize = 12;
/// With more, wasm-opt stores each result twice.
const MOST_RESULTS: usize = 2;

/// Finds the regions that belong to a later part than their function. `parts` has the part of each
/// instruction.
pub(crate) fn regions(body: &Body<'_>, parts: &[u8], own: u8) -> Vec<Region> {
    let mut search = Search { body, live: body.live(), parts, own, found: Vec::new() };
    search.sequence(0);
    search.found
}

struct Search<'a> {
    body: &'a Body<'a>,
    live: Live,
    parts: &'a [u8],
    own: u8,
    found: Vec<Region>,
}

impl Search<'_> {
    /// Searches the sequence that begins at `start`, and the sequences in it.
    fn sequence(&mut self, start: usize) {
        let mut at = start;
        while at < self.body.ops.len() && !self.body.is(at, closes) {
            if let Some(region) = largest(self.body, &self.live, self.parts, &self.later_from(at)) {
                at = region.ops.end;
                self.found.push(region);
                continue;
            }
            if self.body.is(at, opens) {
                self.sequence(at + 1);
                if let Some(other) = self.body.op(at).and_then(|op| op.other) {
                    self.sequence(other + 1);
                }
            }
            at = self.body.after(at);
        }
    }

    /// The places of a sequence from `start` on that belong to later parts, and the place after them.
    fn later_from(&self, start: usize) -> Vec<usize> {
        let mut places = vec![start];
        let mut at = start;
        while !self.body.is(at, closes) && self.parts.get(at).is_some_and(|part| *part > self.own) {
            at = self.body.after(at);
            places.push(at);
        }
        places
    }
}

/// The longest region that begins at the first of `places`.
fn largest(body: &Body<'_>, live: &Live, parts: &[u8], places: &[usize]) -> Option<Region> {
    let (start, ends) = places.split_first()?;
    let base = body.op(*start)?.height;
    // Operands from before the region must stay untouched.
    let mut reach = 0;
    for (count, place) in (1..).zip(places.iter().take(ends.len())) {
        let op = body.op(*place)?;
        if op.height.checked_sub(op.pops).is_none_or(|low| low < base) {
            break;
        }
        reach = count;
    }
    let ends = ends.get(..reach)?;
    ends.iter().rev().find_map(|end| region(body, live, parts, *start..*end))
}

fn region(body: &Body<'_>, live: &Live, parts: &[u8], ops: Range<usize>) -> Option<Region> {
    let size = body.op(ops.end - 1)?.bytes.end - body.op(ops.start)?.bytes.start;
    if size < GAIN * CALL {
        return None;
    }
    let (exits, targets) = exits(body, &ops)?;
    let (values, valued) = values(body, &ops, &exits)?;
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for op in body.ops.get(ops.clone())? {
        match op.operator {
            Operator::LocalGet { local_index } => read.insert(local_index),
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                written.insert(local_index)
            }
            _ => continue,
        };
    }
    let is_read_later = |local: &u32| targets.iter().any(|target| live.has(*target, *local));
    let results: Vec<u32> = written.into_iter().filter(is_read_later).collect();
    read.extend(&results);
    let params: Vec<u32> = read.into_iter().filter(|local| live.has(ops.start, *local)).collect();
    let part = parts.get(ops.clone())?.iter().copied().min()?;
    let is_status = usize::from(exits.len() > 1);
    let cost = CALL + 2 * params.len() + 2 * results.len() + 4 * is_status;
    let fits = results.len() + values.len() + is_status <= MOST_RESULTS && size >= GAIN * cost;
    fits.then_some(Region { ops, part, params, results, exits, values, valued })
}

/// Returns the exits, and the instructions that may run next.
fn exits(body: &Body<'_>, ops: &Range<usize>) -> Option<(Vec<Exit>, BTreeSet<usize>)> {
    let depth = body.op(ops.start)?.depth;
    let (mut exits, mut targets) = (BTreeSet::new(), BTreeSet::new());
    for op in body.ops.get(ops.clone())? {
        let inside = u32::try_from(op.depth - depth).ok()?;
        if matches!(op.operator, Operator::Return) {
            exits.insert(Exit::Returns);
        }
        for (label, target) in labels(&op.operator)?.into_iter().zip(&op.targets) {
            if let Some(outside) = label.checked_sub(inside) {
                if op.carries {
                    return None;
                }
                exits.insert(Exit::Branches(outside));
                targets.insert(*target);
            }
        }
    }
    let last = last(body, ops);
    if !body.is(last, diverges) {
        exits.insert(Exit::Falls);
        targets.insert(ops.end);
    }
    Some((exits.into_iter().collect(), targets))
}

/// The last instruction of a region's own sequence.
fn last(body: &Body<'_>, ops: &Range<usize>) -> usize {
    let mut at = ops.start;
    while body.after(at) < ops.end {
        at = body.after(at);
    }
    at
}

pub(crate) fn labels(operator: &Operator<'_>) -> Option<Vec<u32>> {
    match operator {
        Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => Some(vec![*relative_depth]),
        Operator::BrTable { targets } => {
            targets.targets().chain([Ok(targets.default())]).collect::<Result<_, _>>().ok()
        }
        _ => Some(Vec::new()),
    }
}

/// At most one exit has values.
fn values(body: &Body<'_>, ops: &Range<usize>, exits: &[Exit]) -> Option<(Vec<ValType>, Exit)> {
    let mut left = Vec::new();
    if exits.contains(&Exit::Falls) {
        let (before, after) = (body.op(ops.start)?.height, height_after(body, ops)?);
        match after.checked_sub(before)? {
            0 => {}
            1 => left.push(result_type(body, ops)?),
            _ => return None,
        }
    }
    let returned = if exits.contains(&Exit::Returns) { body.results.clone() } else { Vec::new() };
    if exits.len() > 2 && !(left.is_empty() && returned.is_empty()) {
        return None;
    }
    match (left.is_empty(), returned.is_empty()) {
        (_, true) => Some((left, Exit::Falls)),
        (true, false) if returned.len() == 1 => Some((returned, Exit::Returns)),
        _ => None,
    }
}

fn height_after(body: &Body<'_>, ops: &Range<usize>) -> Option<usize> {
    Some(body.op(ops.end)?.height)
}

/// Of the frame that ends after the region.
fn result_type(body: &Body<'_>, ops: &Range<usize>) -> Option<ValType> {
    if !body.is(ops.end, closes) {
        return None;
    }
    let open = body.ops.get(..ops.start)?.iter().rposition(|op| opens(&op.operator) && op.end >= ops.end);
    match open {
        None => body.results.first().copied().filter(|_| body.results.len() == 1),
        Some(open) => match body.op(open)?.operator {
            Operator::Block { blockty: BlockType::Type(kind) }
            | Operator::Loop { blockty: BlockType::Type(kind) }
            | Operator::If { blockty: BlockType::Type(kind) } => Some(kind),
            _ => None,
        },
    }
}
