//! Removes panic messages: the module can't print them, so a panic is a trap.
//!
//! wasm-opt then removes the code that prepares the arguments. The pass also blanks source locations, because
//! wasm-opt keeps data. Both save 9 kB of 434, gzipped.
//!
//! Invariants: The list contains only functions that never return, and `Debug` implementations, which only
//! panics call. It keeps a function that a later compiler renames.

use super::Trouble;
use super::sections::{self, CODE, Parts};
use super::whole::content;
use std::collections::HashSet;
use std::ops::Range;
use wasm_encoder::CodeSection;

/// Names without hashes.
const NEVER_RETURN: &[&str] = &[
    "core::panicking::panic",
    "core::panicking::panic_fmt",
    "core::panicking::panic_bounds_check",
    "core::panicking::panic_nounwind",
    "core::panicking::panic_nounwind_fmt",
    "core::option::unwrap_failed",
    "core::option::expect_failed",
    "core::result::unwrap_failed",
    "core::result::expect_failed",
    "core::str::slice_error_fail",
    "core::str::slice_error_fail_rt",
    "core::slice::copy_from_slice_impl::len_mismatch_fail",
    "core::slice::sort::shared::smallsort::panic_on_ord_violation",
    "core::cell::panic_already_borrowed",
    "core::cell::panic_already_mutably_borrowed",
    "core::num::from_ascii_radix_panic",
    "alloc::raw_vec::handle_error",
    "alloc::raw_vec::capacity_overflow",
    "alloc::alloc::handle_alloc_error",
    "std::thread::local::panic_access_error",
    "__rustc::rust_begin_unwind",
];
/// Beginnings and endings of names.
const FAMILIES: &[(&str, &str)] = &[
    ("core::panicking::panic_const::", ""),
    ("core::panicking::assert_failed", ""),
    ("core::slice::index::slice_", "_fail"),
    ("<alloc::vec::Vec<_, _>>::", "::assert_failed"),
];
/// Only panics call these, but tables refer to them. The replacement prints nothing and succeeds.
const DEBUG: &str = " as core::fmt::Debug>::fmt";

/// No locals, `unreachable`, end.
const TRAP: &[u8] = &[0, 0x00, 0x0b];
/// No locals, `i32.const 0`, end.
const ZERO: &[u8] = &[0, 0x41, 0x00, 0x0b];

/// Removes panic messages.
pub fn without_panics(module: &[u8]) -> Result<Vec<u8>, Trouble> {
    let parts = sections::read(module)?;
    let mut blanked = module.to_vec();
    for range in locations(module, &parts.data) {
        if let Some(bytes) = blanked.get_mut(range) {
            bytes.fill(0);
        }
    }
    let mut code = CodeSection::new();
    for (at, range) in (parts.imported..).zip(&parts.bodies) {
        code.raw(shorter(&parts, at).unwrap_or_else(|| blanked.get(range.clone()).unwrap_or_default()));
    }
    let code = content(&code);
    Ok(sections::rewritten(&blanked, &parts, |id, _| Some((id == CODE).then(|| code.clone()))))
}

fn shorter(parts: &Parts, function: u32) -> Option<&'static [u8]> {
    let name = parts.names.get(&function)?;
    let never_returns = NEVER_RETURN.contains(&name.as_str())
        || FAMILIES.iter().any(|(start, end)| name.starts_with(start) && name.ends_with(end));
    if never_returns { Some(TRAP) } else { name.ends_with(DEBUG).then_some(ZERO) }
}

/// Finds `core::panic::Location`s (path address, path length, line, column) and their paths. Only these texts
/// end in `.rs`.
fn locations(module: &[u8], data: &[(u32, Range<usize>)]) -> HashSet<Range<usize>> {
    let mut found = HashSet::new();
    for (address, range) in data {
        let skew = (address.wrapping_neg() & 3) as usize;
        for place in (range.start + skew..range.end.saturating_sub(15)).step_by(4) {
            if let Some(path) = path_of(module, data, place) {
                found.insert(place..place + 16);
                found.insert(path);
            }
        }
    }
    found
}

fn path_of(module: &[u8], data: &[(u32, Range<usize>)], place: usize) -> Option<Range<usize>> {
    let word = |at: usize| {
        let bytes = module.get(place + 4 * at..place + 4 * at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let (path, length, line, column) = (word(0)?, word(1)?, word(2)?, word(3)?);
    let plausible =
        (4..=300).contains(&length) && (1..=100_000).contains(&line) && (1..=1000).contains(&column);
    if !plausible {
        return None;
    }
    let (address, range) = data.iter().find(|(address, range)| {
        *address <= path && path as usize + length as usize <= *address as usize + range.len()
    })?;
    let start = range.start + (path - address) as usize;
    let text = module.get(start..start + length as usize)?;
    let is_path = text.ends_with(b".rs")
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_/.+-".contains(byte));
    is_path.then_some(start..start + length as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has one imported function, a data segment at 8, and own functions that return 7.
    fn module(names: &[&str], data: &[u8]) -> Vec<u8> {
        use wasm_encoder::{
            ConstExpr, DataSection, EntityType, Function, FunctionSection, ImportSection, Instruction,
            MemorySection, MemoryType, Module, NameMap, NameSection, TypeSection, ValType,
        };
        let mut types = TypeSection::new();
        types.ty().function([], [ValType::I32]);
        let mut imports = ImportSection::new();
        imports.import("host", "tell", EntityType::Function(0));
        let (mut functions, mut code, mut map) = (FunctionSection::new(), CodeSection::new(), NameMap::new());
        for (at, name) in (1..).zip(names) {
            functions.function(0);
            let mut body = Function::new([]);
            body.instruction(&Instruction::I32Const(7)).instruction(&Instruction::End);
            code.function(&body);
            map.append(at, name);
        }
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut segments = DataSection::new();
        segments.active(0, &ConstExpr::i32_const(8), data.iter().copied());
        let mut naming = NameSection::new();
        naming.functions(&map);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&memories);
        module.section(&code).section(&segments).section(&naming);
        module.finish()
    }

    fn bodies(module: &[u8]) -> Vec<Vec<u8>> {
        let parts = sections::read(module).unwrap();
        parts.bodies.into_iter().map(|range| module[range].to_vec()).collect()
    }

    #[test]
    fn diverging_functions_trap_and_others_stay() {
        let names = [
            "core::panicking::panic_fmt::h0123456789abcdef",
            "core::slice::index::slice_end_index_fail",
            "<stepgraph::Plan as core::fmt::Debug>::fmt",
            "core::panicking::panic_display_of_a_plan",
            "stepgraph::check",
        ];
        let module = module(&names, b"");
        let kept = bodies(&module)[0].clone();
        let done = without_panics(&module).unwrap();
        assert_eq!(bodies(&done), [TRAP.to_vec(), TRAP.to_vec(), ZERO.to_vec(), kept.clone(), kept]);
        wasmparser::validate(&done).unwrap();
    }

    #[test]
    fn blanks_only_locations() {
        let mut data = b"src/a.rs plan.yaml..".to_vec();
        let location = |path: u32, length: u32, line: u32, column: u32| {
            [path, length, line, column].into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
        };
        data.extend(location(8, 8, 12, 5));
        let no_path = location(17, 9, 12, 5);
        data.extend(&no_path);
        let done = without_panics(&module(&["f"], &data)).unwrap();
        let parts = sections::read(&done).unwrap();
        let (_, range) = &parts.data[0];
        let expected = [&[0; 8][..], b" plan.yaml..", &[0; 16], &no_path].concat();
        assert_eq!(&done[range.clone()], expected);
    }
}
