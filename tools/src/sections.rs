//! Reads a WebAssembly module and replaces sections of it.
//!
//! Invariant: a section that is not replaced keeps its bytes.

use super::Trouble;
use std::collections::HashMap;
use std::ops::Range;
use wasm_encoder::{Module, RawSection};
use wasmparser::{KnownCustom, Name, NameSectionReader, Parser, Payload};

pub(crate) const CODE: u8 = 10;
pub(crate) const CUSTOM: u8 = 0;

#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Own functions are numbered after the imported ones.
    pub(crate) imported: u32,
    /// Excludes its length.
    pub(crate) bodies: Vec<Range<usize>>,
    /// Addresses and positions of the bytes.
    pub(crate) data: Vec<(u32, Range<usize>)>,
    pub(crate) names: HashMap<u32, String>,
    pub(crate) pages: u64,
    sections: Vec<(u8, Range<usize>)>,
}

pub(crate) fn read(module: &[u8]) -> Result<Parts, Trouble> {
    let mut parts = Parts::default();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(|error| unreadable(&error))?;
        parts.sections.extend(payload.as_section().map(|(id, range)| (id, place(&range))));
        note(&mut parts, &payload).map_err(|error| unreadable(&error))?;
    }
    Ok(parts)
}

fn unreadable(error: &wasmparser::BinaryReaderError) -> Trouble {
    Trouble::new(format!("a module can't be read: {error}"))
}

fn note(parts: &mut Parts, payload: &Payload<'_>) -> wasmparser::Result<()> {
    match payload {
        Payload::ImportSection(imports) => {
            for import in imports.clone().into_imports() {
                let is_function = matches!(import?.ty, wasmparser::TypeRef::Func(_));
                parts.imported += u32::from(is_function);
            }
        }
        Payload::MemorySection(memories) => {
            for memory in memories.clone() {
                parts.pages = memory?.initial;
            }
        }
        Payload::CodeSectionEntry(body) => parts.bodies.push(place(&body.range())),
        Payload::DataSection(segments) => {
            for segment in segments.clone() {
                let segment = segment?;
                if let wasmparser::DataKind::Active { offset_expr, .. } = &segment.kind
                    && let Some(address) = constant(offset_expr)
                {
                    let end = place(&segment.range).end;
                    parts.data.push((address, end - segment.data.len()..end));
                }
            }
        }
        Payload::CustomSection(section) => {
            if let KnownCustom::Name(names) = section.as_known() {
                parts.names = function_names(names)?;
            }
        }
        _ => {}
    }
    Ok(())
}

pub(crate) fn own_names(module: &[u8]) -> Result<Vec<String>, Trouble> {
    let parts = read(module)?;
    let functions = (parts.imported..).take(parts.bodies.len());
    Ok(functions.map(|function| parts.names.get(&function).cloned().unwrap_or_default()).collect())
}

/// A place in memory fits into `usize`.
pub(crate) fn place(range: &Range<u64>) -> Range<usize> {
    let fits = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    fits(range.start)..fits(range.end)
}

pub(crate) fn constant(expression: &wasmparser::ConstExpr<'_>) -> Option<u32> {
    match expression.get_operators_reader().read().ok()? {
        wasmparser::Operator::I32Const { value } => u32::try_from(value).ok(),
        _ => None,
    }
}

fn function_names(names: NameSectionReader<'_>) -> wasmparser::Result<HashMap<u32, String>> {
    let mut found = HashMap::new();
    for name in names {
        if let Name::Function(map) = name? {
            for naming in map {
                let naming = naming?;
                found
                    .insert(naming.index, without_hashes(&rustc_demangle::demangle(naming.name).to_string()));
            }
        }
    }
    Ok(found)
}

/// Older names end in `::h…`. Newer ones have `[…]` after crates.
fn without_hashes(name: &str) -> String {
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let name = name.rsplit_once("::h").filter(|(_, hash)| is_hash(hash)).map_or(name, |(name, _)| name);
    let mut parts = name.split('[');
    let mut short = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']').filter(|(hash, _)| is_hash(hash)) {
            Some((_, rest)) => short.push_str(rest),
            None => {
                short.push('[');
                short.push_str(part);
            }
        }
    }
    short
}

/// `written` returns `None` to drop a section, `Some(None)` to keep it, and `Some(Some(content))` to replace
/// it.
pub(crate) fn rewritten(
    module: &[u8],
    parts: &Parts,
    mut written: impl FnMut(u8, &[u8]) -> Option<Option<Vec<u8>>>,
) -> Vec<u8> {
    let mut out = Module::new();
    for (id, range) in &parts.sections {
        let old = module.get(range.clone()).unwrap_or_default();
        match written(*id, old) {
            None => {}
            Some(None) => {
                out.section(&RawSection { id: *id, data: old });
            }
            Some(Some(new)) => {
                out.section(&RawSection { id: *id, data: &new });
            }
        }
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_hashes_of_names() {
        assert_eq!(without_hashes("core::fmt::write::h0123456789abcdef"), "core::fmt::write");
        let newer = "<str as core[0123456789abcdef]::fmt::Debug>::fmt";
        assert_eq!(without_hashes(newer), "<str as core::fmt::Debug>::fmt");
        assert_eq!(without_hashes("<[u8] as a::B>::hello"), "<[u8] as a::B>::hello");
    }
}
