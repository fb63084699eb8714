//! A function's body as the outliner sees it: instructions, their nesting, the height of the operand stack,
//! and the live locals.

use super::super::Trouble;
use std::ops::Range;
use wasmparser::{
    BinaryReader, BlockType, ContType, FrameKind, FuncType, FunctionBody, ModuleArity, Operator, RefType,
    SubType, ValType,
};

/// The types that give instructions their arity.
pub(crate) struct Types {
    pub(crate) all: Vec<SubType>,
    /// Imported functions first.
    pub(crate) of_functions: Vec<u32>,
}

impl Types {
    pub(crate) fn signature(&self, function: u32) -> Option<&FuncType> {
        let kind = self.of_functions.get(function as usize)?;
        Some(self.all.get(*kind as usize)?.unwrap_func())
    }
}

#[derive(Debug)]
pub(crate) struct Op<'a> {
    pub(crate) operator: Operator<'a>,
    /// In the body.
    pub(crate) bytes: Range<usize>,
    /// How many frames are around it. The function is one.
    pub(crate) depth: usize,
    /// Of the operand stack before it.
    pub(crate) height: usize,
    /// How many operands it takes.
    pub(crate) pops: usize,
    /// The `end` of the frame that it opens or divides.
    pub(crate) end: usize,
    /// Of an `if`.
    pub(crate) other: Option<usize>,
    /// Where its branches go.
    pub(crate) targets: Vec<usize>,
    /// Whether its branches take operands along.
    pub(crate) carries: bool,
}

#[derive(Debug)]
pub(crate) struct Body<'a> {
    pub(crate) ops: Vec<Op<'a>>,
    /// Parameters first.
    pub(crate) locals: Vec<ValType>,
    pub(crate) results: Vec<ValType>,
    pub(crate) bytes: &'a [u8],
}

struct Frame {
    /// `None` for the function's frame.
    open: Option<usize>,
    block: BlockType,
    kind: FrameKind,
    base: usize,
}

struct Control<'a> {
    types: &'a Types,
    frames: Vec<Frame>,
    height: usize,
    /// After a branch that is always taken.
    is_dead: bool,
}

impl ModuleArity for Control<'_> {
    fn sub_type_at(&self, at: u32) -> Option<&SubType> {
        self.types.all.get(at as usize)
    }

    fn tag_type_arity(&self, _: u32) -> Option<(u32, u32)> {
        None
    }

    fn type_index_of_function(&self, function: u32) -> Option<u32> {
        self.types.of_functions.get(function as usize).copied()
    }

    fn func_type_of_cont_type(&self, _: &ContType) -> Option<&FuncType> {
        None
    }

    fn sub_type_of_ref_type(&self, _: &RefType) -> Option<&SubType> {
        None
    }

    fn control_stack_height(&self) -> u32 {
        u32::try_from(self.frames.len()).unwrap_or(u32::MAX)
    }

    fn label_block(&self, depth: u32) -> Option<(BlockType, FrameKind)> {
        let at = self.frames.len().checked_sub(depth as usize + 1)?;
        self.frames.get(at).map(|frame| (frame.block, frame.kind))
    }
}

impl Control<'_> {
    /// Returns `None` for dead code and for instructions of features that the modules do not use.
    fn read<'a>(&mut self, operator: Operator<'a>, ops: &mut [Op<'a>]) -> Option<Op<'a>> {
        let closes = matches!(operator, Operator::End | Operator::Else);
        if self.is_dead && !closes {
            return None;
        }
        let (pops, pushes) = operator.operator_arity(self)?;
        let (pops, pushes) = (pops as usize, pushes as usize);
        let at = ops.len();
        let mut op = Op {
            bytes: 0..0,
            depth: self.frames.len(),
            height: self.height,
            pops,
            end: at,
            other: None,
            targets: Vec::new(),
            carries: false,
            operator,
        };
        match &op.operator {
            Operator::Block { blockty } => self.open(at, *blockty, FrameKind::Block, 0)?,
            Operator::Loop { blockty } => self.open(at, *blockty, FrameKind::Loop, 0)?,
            Operator::If { blockty } => self.open(at, *blockty, FrameKind::If, 1)?,
            Operator::Else => {
                let frame = self.frames.last()?;
                ops.get_mut(frame.open?)?.other = Some(at);
                (self.height, self.is_dead) = (frame.base, false);
            }
            Operator::End => {
                let frame = self.frames.pop()?;
                if let Some(open) = frame.open {
                    let opening = ops.get_mut(open)?;
                    opening.end = at;
                    if let Some(other) = opening.other {
                        ops.get_mut(other)?.end = at;
                    }
                }
                op.depth -= 1;
                (self.height, self.is_dead) = (frame.base + pushes, false);
            }
            Operator::Br { relative_depth } => {
                op.targets = vec![self.target(*relative_depth)?];
                op.carries = pops > 0;
                self.is_dead = true;
            }
            Operator::BrIf { relative_depth } => {
                op.targets = vec![self.target(*relative_depth)?];
                op.carries = pops > 1;
                self.height -= 1;
            }
            Operator::BrTable { targets } => {
                for depth in targets.targets().chain([Ok(targets.default())]) {
                    op.targets.push(self.target(depth.ok()?)?);
                }
                op.carries = pops > 1;
                self.is_dead = true;
            }
            Operator::Return | Operator::Unreachable => self.is_dead = true,
            Operator::Throw { .. }
            | Operator::Rethrow { .. }
            | Operator::ReturnCall { .. }
            | Operator::ReturnCallIndirect { .. } => return None,
            _ => self.height = self.height.checked_sub(pops)? + pushes,
        }
        Some(op)
    }

    /// Blocks have no parameters.
    fn open(&mut self, at: usize, block: BlockType, kind: FrameKind, pops: usize) -> Option<()> {
        if matches!(block, BlockType::FuncType(_)) {
            return None;
        }
        self.height = self.height.checked_sub(pops)?;
        self.frames.push(Frame { open: Some(at), block, kind, base: self.height });
        Some(())
    }

    /// The opening instruction of a label's frame, or `usize::MAX` for the function.
    fn target(&self, depth: u32) -> Option<usize> {
        let at = self.frames.len().checked_sub(depth as usize + 1)?;
        Some(self.frames.get(at)?.open.unwrap_or(usize::MAX))
    }
}

impl<'a> Body<'a> {
    /// Returns `None` for a body that can't be outlined.
    pub(crate) fn read(bytes: &'a [u8], function: u32, types: &Types) -> Result<Option<Self>, Trouble> {
        let unreadable = |error: wasmparser::BinaryReaderError| Trouble::new(error.to_string());
        let Some(signature) = types.signature(function) else { return Ok(None) };
        let body = FunctionBody::new(BinaryReader::new(bytes, 0));
        let mut locals = signature.params().to_vec();
        for group in body.get_locals_reader().map_err(unreadable)? {
            let (count, kind) = group.map_err(unreadable)?;
            locals.extend((0..count).map(|_| kind));
        }
        let own = types.of_functions.get(function as usize).copied().unwrap_or_default();
        let frame = Frame { open: None, block: BlockType::FuncType(own), kind: FrameKind::Block, base: 0 };
        let mut control = Control { types, frames: vec![frame], height: 0, is_dead: false };
        let mut ops: Vec<Op<'a>> = Vec::new();
        let reader = body.get_operators_reader().map_err(unreadable)?;
        for read in reader.into_iter_with_offsets() {
            let (operator, offset) = read.map_err(unreadable)?;
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            if let Some(before) = ops.last_mut() {
                before.bytes.end = start;
            }
            let Some(mut op) = control.read(operator, &mut ops) else { return Ok(None) };
            op.bytes = start..bytes.len();
            ops.push(op);
        }
        let mut found = Self { ops, locals, results: signature.results().to_vec(), bytes };
        found.link();
        Ok(Some(found))
    }

    /// Replaces each frame in `targets` by the place where a branch to its label goes.
    fn link(&mut self) {
        let last = self.ops.len().saturating_sub(1);
        let landing: Vec<usize> = (0..)
            .zip(&self.ops)
            .map(|(at, op)| if matches!(op.operator, Operator::Loop { .. }) { at } else { op.end })
            .collect();
        for target in self.ops.iter_mut().flat_map(|op| &mut op.targets) {
            *target = landing.get(*target).copied().unwrap_or(last);
        }
    }

    pub(crate) fn op(&self, at: usize) -> Option<&Op<'a>> {
        self.ops.get(at)
    }

    pub(crate) fn is(&self, at: usize, is_wanted: fn(&Operator<'_>) -> bool) -> bool {
        self.op(at).is_some_and(|op| is_wanted(&op.operator))
    }

    /// The instruction after this one and after all that is inside it.
    pub(crate) fn after(&self, at: usize) -> usize {
        if self.is(at, opens) { self.op(at).map_or(at, |op| op.end) + 1 } else { at + 1 }
    }

    /// Which locals are live before each instruction.
    pub(crate) fn live(&self) -> Live {
        let words = self.locals.len().div_ceil(64);
        let mut live = Live { words, bits: vec![0; words * (self.ops.len() + 1)] };
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for (at, op) in self.ops.iter().enumerate().rev() {
                let mut now = vec![0; words];
                for next in next(at, op) {
                    live.add_to(next, &mut now);
                }
                match op.operator {
                    Operator::LocalGet { local_index } => set(&mut now, local_index, true),
                    Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                        set(&mut now, local_index, false);
                    }
                    _ => {}
                }
                is_changed |= live.replace(at, &now);
            }
        }
        live
    }
}

/// The instructions that may run after this one.
fn next(at: usize, op: &Op<'_>) -> Vec<usize> {
    match op.operator {
        Operator::Return | Operator::Unreachable => Vec::new(),
        Operator::Br { .. } | Operator::BrTable { .. } => op.targets.clone(),
        Operator::BrIf { .. } => op.targets.iter().copied().chain([at + 1]).collect(),
        Operator::Else => vec![op.end],
        Operator::If { .. } => vec![at + 1, op.other.map_or(op.end, |other| other + 1)],
        _ => vec![at + 1],
    }
}

pub(crate) fn opens(operator: &Operator<'_>) -> bool {
    matches!(operator, Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. })
}

pub(crate) fn closes(operator: &Operator<'_>) -> bool {
    matches!(operator, Operator::End | Operator::Else)
}

pub(crate) fn diverges(operator: &Operator<'_>) -> bool {
    use Operator::{Br, BrTable, Return, Unreachable};
    matches!(operator, Br { .. } | BrTable { .. } | Return | Unreachable)
}

/// A set of locals before each instruction.
#[derive(Debug)]
pub(crate) struct Live {
    words: usize,
    bits: Vec<u64>,
}

impl Live {
    pub(crate) fn has(&self, at: usize, local: u32) -> bool {
        let word = self.bits.get(at * self.words + local as usize / 64).copied().unwrap_or_default();
        word >> (local % 64) & 1 == 1
    }

    fn add_to(&self, at: usize, set: &mut [u64]) {
        for (own, other) in set.iter_mut().zip(self.bits.iter().skip(at * self.words)) {
            *own |= other;
        }
    }

    fn replace(&mut self, at: usize, set: &[u64]) -> bool {
        let place = at * self.words..(at + 1) * self.words;
        let Some(own) = self.bits.get_mut(place).filter(|own| *own != set) else { return false };
        own.copy_from_slice(set);
        true
    }
}

fn set(bits: &mut [u64], local: u32, is_in: bool) {
    if let Some(word) = bits.get_mut(local as usize / 64) {
        *word = if is_in { *word | 1 << (local % 64) } else { *word & !(1 << (local % 64)) };
    }
}
