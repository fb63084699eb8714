//! Adds a counter to each function and to each block in it, so that a run shows which of them it needs.
//!
//! The counters have pages of their own after the module's memory. The allocator uses only pages that it
//! added itself.
//!
//! Invariant: the module behaves as before.

use super::Trouble;
use super::sections::{self, CODE};
use super::whole::content;
use wasm_encoder::{CodeSection, MemorySection, MemoryType};
use wasmparser::{BinaryReader, FunctionBody};

const MEMORY: u8 = 5;
const PAGE: u64 = 65_536;

#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) module: Vec<u8>,
    /// The first counter's address. A counter is one byte: 1 if the code ran.
    pub(crate) address: u64,
    /// First those of the functions.
    pub(crate) counters: usize,
}

/// `blocks` has the places in each function's body where a block begins.
pub(crate) fn with_counters(module: &[u8], blocks: &[Vec<usize>]) -> Result<Counted, Trouble> {
    let parts = sections::read(module)?;
    let pages = parts.pages;
    let address = pages * PAGE;
    let mut next = address + parts.bodies.len() as u64;
    let mut code = CodeSection::new();
    for ((own, range), blocks) in (address..).zip(&parts.bodies).zip(blocks) {
        let body = module.get(range.clone()).unwrap_or_default();
        let mut done = first_instruction(body)?;
        let mut counted = body.get(..done).unwrap_or_default().to_vec();
        counted.extend(count(own));
        for block in blocks {
            counted.extend(body.get(done..*block).unwrap_or_default());
            counted.extend(count(next));
            (done, next) = (*block, next + 1);
        }
        counted.extend(body.get(done..).unwrap_or_default());
        code.raw(&counted);
    }
    let counters = next - address;
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: pages + counters.div_ceil(PAGE),
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let (code, memories) = (content(&code), content(&memories));
    let module = sections::rewritten(module, &parts, |id, _| match id {
        CODE => Some(Some(code.clone())),
        MEMORY => Some(Some(memories.clone())),
        _ => Some(None),
    });
    Ok(Counted { module, address, counters: usize::try_from(counters).unwrap_or(usize::MAX) })
}

/// After its locals.
fn first_instruction(body: &[u8]) -> Result<usize, Trouble> {
    let function = FunctionBody::new(BinaryReader::new(body, 0));
    let reader = function.get_operators_reader().map_err(|error| Trouble::new(error.to_string()))?;
    Ok(usize::try_from(reader.original_position()).unwrap_or(usize::MAX))
}

/// `i32.const address`, `i32.const 1`, `i32.store8`.
fn count(address: u64) -> Vec<u8> {
    let mut bytes = vec![0x41];
    leb128(&mut bytes, i64::try_from(address).unwrap_or(i64::MAX));
    bytes.extend([0x41, 1, 0x3a, 0, 0]);
    bytes
}

fn leb128(bytes: &mut Vec<u8>, mut value: i64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        let byte = low & 0x7f;
        value >>= 7;
        if (value == 0 && byte & 0x40 == 0) || (value == -1 && byte & 0x40 != 0) {
            return bytes.push(byte);
        }
        bytes.push(byte | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_numbers_as_wasm_does() {
        let encoded = |value| {
            let mut bytes = Vec::new();
            leb128(&mut bytes, value);
            bytes
        };
        assert_eq!(encoded(0), [0]);
        assert_eq!(encoded(63), [63]);
        assert_eq!(encoded(64), [0xc0, 0]);
        assert_eq!(encoded(65_536), [0x80, 0x80, 0x04]);
    }

    #[test]
    fn counts_each_function_and_block_after_the_memory() {
        use wasm_encoder::{Function, FunctionSection, Instruction, Module, TypeSection, ValType};
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let (mut functions, mut code, mut memories) =
            (FunctionSection::new(), CodeSection::new(), MemorySection::new());
        for _ in 0..2 {
            functions.function(0);
            let mut body = Function::new([(1, ValType::I64)]);
            body.instruction(&Instruction::Nop).instruction(&Instruction::End);
            code.function(&body);
        }
        memories.memory(MemoryType {
            minimum: 2,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&memories).section(&code);
        // After the locals, which have three bytes, and the `nop`.
        let counted = with_counters(&module.finish(), &[vec![], vec![4]]).unwrap();
        assert_eq!((counted.address, counted.counters), (131_072, 3));
        wasmparser::validate(&counted.module).unwrap();
        assert_eq!(sections::read(&counted.module).unwrap().pages, 3);
    }
}
