//! Moves code that did not run out of functions that did. Such code becomes a function of its own, which the
//! splitter can put into a later part.
//!
//! A region of instructions takes the locals that it reads as parameters, and returns those that are read
//! after it. If it can end in several ways, it also returns which one happened.
//!
//! Invariants: 1. The module behaves as before. 2. Numbers of functions stay, and new functions come last.

mod body;
mod region;

use super::Trouble;
use super::sections::{self, CODE};
use super::whole::{Whole, content};
use body::{Body, Types, closes};
use region::{Exit, Region};
use std::collections::BTreeMap;
use wasm_encoder::{CodeSection, Encode};
use wasmparser::{FuncType, Operator, SubType, ValType};

const TYPE: u8 = 1;
const FUNCTION: u8 = 3;

/// Instructions, as WebAssembly's specification encodes them.
const UNREACHABLE: u8 = 0x00;
/// Without a result.
const BLOCK: [u8; 2] = [0x02, 0x40];
const END: u8 = 0x0b;
const BR: u8 = 0x0c;
const BR_IF: u8 = 0x0d;
const BR_TABLE: u8 = 0x0e;
const RETURN: u8 = 0x0f;
const CALL: u8 = 0x10;
const DROP: u8 = 0x1a;
const LOCAL_GET: u8 = 0x20;
const LOCAL_SET: u8 = 0x21;
const LOCAL_TEE: u8 = 0x22;
const I32_CONST: u8 = 0x41;

#[derive(Debug)]
pub(crate) struct Outlined {
    pub(crate) module: Vec<u8>,
    /// The part of each own function.
    pub(crate) part_of: Vec<u8>,
    /// The functions from which the new ones were taken.
    pub(crate) origins: Vec<u32>,
}

/// Returns where the blocks of each own function begin, in its body.
pub(crate) fn blocks(module: &[u8]) -> Result<Vec<Vec<usize>>, Trouble> {
    let (whole, types) = (Whole::read(module)?, types(module)?);
    let mut all = Vec::with_capacity(whole.bodies.len());
    for (function, body) in (whole.imported()..).zip(&whole.bodies) {
        let body = Body::read(body.as_bytes(), function, &types)?;
        all.push(body.map_or(Vec::new(), |body| {
            starts(&body).filter_map(|at| Some(body.op(at)?.bytes.start)).collect()
        }));
    }
    Ok(all)
}

/// Code between two starts runs completely or not at all, but for traps.
fn starts<'a>(body: &'a Body<'_>) -> impl Iterator<Item = usize> + 'a {
    let ends_block = |operator: &Operator<'_>| {
        use Operator::{BrIf, Else, End, If, Loop};
        matches!(operator, BrIf { .. } | Else | End | If { .. } | Loop { .. })
    };
    let after = body.ops.iter().zip(1..).filter(move |(op, _)| ends_block(&op.operator));
    after.map(|(_, at)| at).filter(|at| *at < body.ops.len() && !body.is(*at, closes))
}

fn types(module: &[u8]) -> Result<Types, Trouble> {
    let mut types = Types { all: Vec::new(), of_functions: Whole::read(module)?.type_of };
    for payload in wasmparser::Parser::new(0).parse_all(module) {
        let payload = payload.map_err(|error| unreadable(&error))?;
        if let wasmparser::Payload::TypeSection(section) = payload {
            for kind in section.into_iter_err_on_gc_types() {
                types.all.push(SubType::func(kind.map_err(|error| unreadable(&error))?, false));
            }
        }
    }
    Ok(types)
}

fn unreadable(error: &wasmparser::BinaryReaderError) -> Trouble {
    Trouble::new(format!("a module can't be read: {error}"))
}

/// `part_of` has the part of each own function, and `parts` that of each of its blocks.
pub(crate) fn outline(module: &[u8], part_of: &[u8], parts: &[Vec<u8>]) -> Result<Outlined, Trouble> {
    let (whole, types) = (Whole::read(module)?, types(module)?);
    let mut writer = Writer {
        kinds: types.all.iter().map(|kind| kind.unwrap_func().clone()).collect(),
        next: whole.imported() + number(whole.bodies.len()),
        added: Vec::new(),
        added_kinds: Vec::new(),
        part_of: part_of.to_vec(),
        origins: Vec::new(),
    };
    let mut code = CodeSection::new();
    for (at, old) in whole.bodies.iter().enumerate() {
        let own = part_of.get(at).copied().unwrap_or_default();
        let parts = parts.get(at).map_or(&[][..], Vec::as_slice);
        let is_cold = parts.iter().any(|part| *part > own);
        let function = whole.imported() + number(at);
        let body = if is_cold { Body::read(old.as_bytes(), function, &types)? } else { None };
        match body {
            Some(body) => {
                let of_ops = parts_of_ops(&body, parts, own);
                code.raw(&writer.body(function, &body, &region::regions(&body, &of_ops, own)));
            }
            None => {
                code.raw(old.as_bytes());
            }
        }
    }
    for body in &writer.added {
        code.raw(body);
    }
    let mut functions = wasm_encoder::FunctionSection::new();
    for kind in whole.type_of.iter().skip(whole.imports.len()).chain(&writer.added_kinds) {
        functions.function(*kind);
    }
    let mut kinds = wasm_encoder::TypeSection::new();
    for kind in &writer.kinds {
        kinds.ty().function(encoded(kind.params()), encoded(kind.results()));
    }
    let replaced =
        BTreeMap::from([(TYPE, content(&kinds)), (FUNCTION, content(&functions)), (CODE, content(&code))]);
    let sections = sections::read(module)?;
    let module = sections::rewritten(module, &sections, |id, _| Some(replaced.get(&id).cloned()));
    Ok(Outlined { module, part_of: writer.part_of, origins: writer.origins })
}

fn parts_of_ops(body: &Body<'_>, parts: &[u8], own: u8) -> Vec<u8> {
    let mut all = vec![own; body.ops.len()];
    let starts: Vec<usize> = starts(body).collect();
    for (index, (start, part)) in starts.iter().zip(parts).enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(all.len());
        all.get_mut(*start..end).unwrap_or_default().fill(*part);
    }
    all
}

fn encoded(kinds: &[ValType]) -> Vec<wasm_encoder::ValType> {
    use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
    kinds.iter().filter_map(|kind| RoundtripReencoder.val_type(*kind).ok()).collect()
}

struct Writer {
    kinds: Vec<FuncType>,
    /// The number of the next function.
    next: u32,
    added: Vec<Vec<u8>>,
    added_kinds: Vec<u32>,
    part_of: Vec<u8>,
    origins: Vec<u32>,
}

impl Writer {
    /// The function without its regions.
    fn body(&mut self, function: u32, body: &Body<'_>, regions: &[Region]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(body.bytes.len());
        let mut done = 0;
        for region in regions {
            let (Some(first), Some(last)) = (body.op(region.ops.start), body.op(region.ops.end - 1)) else {
                continue;
            };
            bytes.extend(body.bytes.get(done..first.bytes.start).unwrap_or_default());
            self.call(&mut bytes, region, first.depth);
            done = last.bytes.end;
            self.add(body, region);
            self.origins.push(function);
        }
        bytes.extend(body.bytes.get(done..).unwrap_or_default());
        bytes
    }

    fn add(&mut self, body: &Body<'_>, region: &Region) {
        let types = |locals: &[u32]| {
            locals.iter().filter_map(|local| body.locals.get(*local as usize).copied()).collect::<Vec<_>>()
        };
        let mut results = region.values.clone();
        results.extend((region.exits.len() > 1).then_some(ValType::I32));
        results.extend(types(&region.results));
        let kind = FuncType::new(types(&region.params), results);
        let at = self.kinds.iter().position(|own| *own == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        self.added.push(Outline::new(body, region).bytes());
        self.added_kinds.push(number(at));
        self.part_of.push(region.part);
        self.next += 1;
    }

    /// What replaces the region at `depth`.
    fn call(&self, bytes: &mut Vec<u8>, region: &Region, depth: usize) {
        let exits = &region.exits;
        // A status that means `Falls` skips the branch table.
        let is_wrapped = exits.len() > 2 && exits.contains(&Exit::Falls);
        if is_wrapped {
            bytes.extend(BLOCK);
        }
        for param in &region.params {
            indexed(bytes, LOCAL_GET, *param);
        }
        indexed(bytes, CALL, self.next);
        for result in region.results.iter().rev() {
            indexed(bytes, LOCAL_SET, *result);
        }
        let function = number(depth) - 1 + u32::from(is_wrapped);
        let label = |exit: &Exit| match exit {
            Exit::Falls => 0,
            Exit::Returns => function,
            Exit::Branches(label) => label + u32::from(is_wrapped),
        };
        match exits.as_slice() {
            [] => bytes.push(UNREACHABLE),
            [only] => leave(bytes, *only),
            [main, other] => {
                indexed(bytes, BR_IF, label(other));
                if region.valued != *main && !region.values.is_empty() {
                    bytes.push(DROP);
                }
                leave(bytes, *main);
            }
            [first, others @ ..] => {
                indexed(bytes, BR_TABLE, number(others.len()));
                for exit in others {
                    label(exit).encode(bytes);
                }
                label(first).encode(bytes);
            }
        }
        if is_wrapped {
            bytes.push(END);
        }
    }
}

fn leave(bytes: &mut Vec<u8>, exit: Exit) {
    match exit {
        Exit::Falls => {}
        Exit::Returns => bytes.push(RETURN),
        Exit::Branches(label) => indexed(bytes, BR, label),
    }
}

/// A region as a function.
struct Outline<'a> {
    body: &'a Body<'a>,
    region: &'a Region,
    locals: BTreeMap<u32, u32>,
    /// The types of those that are no parameters.
    declared: Vec<ValType>,
    /// A block around the instructions for each label outside.
    labels: Vec<u32>,
}

impl<'a> Outline<'a> {
    fn new(body: &'a Body<'a>, region: &'a Region) -> Self {
        let mut locals: BTreeMap<u32, u32> = region.params.iter().copied().zip(0..).collect();
        let mut declared = Vec::new();
        for op in body.ops.get(region.ops.clone()).unwrap_or_default() {
            let (Operator::LocalGet { local_index }
            | Operator::LocalSet { local_index }
            | Operator::LocalTee { local_index }) = op.operator
            else {
                continue;
            };
            let next = number(locals.len());
            locals.entry(local_index).or_insert_with(|| {
                declared.extend(body.locals.get(local_index as usize).copied());
                next
            });
        }
        let labels = region.exits.iter().filter_map(|exit| match exit {
            Exit::Branches(label) => Some(*label),
            _ => None,
        });
        Self { body, region, locals, declared, labels: labels.collect() }
    }

    fn bytes(&self) -> Vec<u8> {
        let declared = encoded(&self.declared).into_iter().map(|kind| (1, kind));
        let mut bytes = wasm_encoder::Function::new(declared).into_raw_body();
        for _ in &self.labels {
            bytes.extend(BLOCK);
        }
        for op in self.body.ops.get(self.region.ops.clone()).unwrap_or_default() {
            self.op(&mut bytes, op);
        }
        if self.region.exits.contains(&Exit::Falls) {
            self.end(&mut bytes, Exit::Falls);
            if !self.labels.is_empty() {
                bytes.push(RETURN);
            }
        }
        let last = self.labels.len().saturating_sub(1);
        for (at, label) in self.labels.iter().enumerate() {
            bytes.push(END);
            self.end(&mut bytes, Exit::Branches(*label));
            if at < last {
                bytes.push(RETURN);
            }
        }
        bytes.push(END);
        bytes
    }

    fn op(&self, bytes: &mut Vec<u8>, op: &body::Op<'_>) {
        let local = |local: u32| self.locals.get(&local).copied().unwrap_or_default();
        let depth = self.body.op(self.region.ops.start).map_or(0, |first| first.depth);
        let inside = number(op.depth - depth);
        match &op.operator {
            Operator::LocalGet { local_index } => indexed(bytes, LOCAL_GET, local(*local_index)),
            Operator::LocalSet { local_index } => indexed(bytes, LOCAL_SET, local(*local_index)),
            Operator::LocalTee { local_index } => indexed(bytes, LOCAL_TEE, local(*local_index)),
            Operator::Br { relative_depth } => indexed(bytes, BR, self.label(*relative_depth, inside)),
            Operator::BrIf { relative_depth } => indexed(bytes, BR_IF, self.label(*relative_depth, inside)),
            Operator::BrTable { targets } => {
                indexed(bytes, BR_TABLE, targets.len());
                for label in region::labels(&op.operator).unwrap_or_default() {
                    self.label(label, inside).encode(bytes);
                }
            }
            Operator::Return => {
                self.end(bytes, Exit::Returns);
                bytes.push(RETURN);
            }
            _ => bytes.extend(self.body.bytes.get(op.bytes.clone()).unwrap_or_default()),
        }
    }

    /// The first label's block is the innermost.
    fn label(&self, label: u32, inside: u32) -> u32 {
        let Some(outside) = label.checked_sub(inside) else { return label };
        inside + number(self.labels.iter().position(|own| *own == outside).unwrap_or_default())
    }

    /// Puts the results on the stack, after the exit's own values.
    fn end(&self, bytes: &mut Vec<u8>, exit: Exit) {
        if exit != self.region.valued {
            for kind in &self.region.values {
                nothing(bytes, *kind);
            }
        }
        if self.region.exits.len() > 1 {
            let status = self.region.exits.iter().position(|own| *own == exit).unwrap_or_default();
            // In a branch table, the first exit is the default label, which any other number means.
            let status = if self.region.exits.len() > 2 { status.wrapping_sub(1) } else { status };
            bytes.push(I32_CONST);
            i32::try_from(status).unwrap_or(-1).encode(bytes);
        }
        for result in &self.region.results {
            indexed(bytes, LOCAL_GET, self.locals.get(result).copied().unwrap_or_default());
        }
    }
}

/// A value that nobody uses.
fn nothing(bytes: &mut Vec<u8>, kind: ValType) {
    match kind {
        ValType::I32 => bytes.extend([0x41, 0]),
        ValType::I64 => bytes.extend([0x42, 0]),
        ValType::F32 => bytes.extend([0x43, 0, 0, 0, 0]),
        ValType::F64 => bytes.extend([0x44, 0, 0, 0, 0, 0, 0, 0, 0]),
        // `ref.null extern`
        _ => bytes.extend([0xd0, 0x6f]),
    }
}

/// Writes an instruction with one number.
fn indexed(bytes: &mut Vec<u8>, code: u8, index: u32) {
    bytes.push(code);
    index.encode(bytes);
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
