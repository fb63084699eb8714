//! Finds which functions need which data of a module.
//!
//! Source: the relocations that the linker keeps (tool-conventions, Linking.md). They name all functions and
//! data that contain the address of a datum.

use super::Trouble;
use super::sections::{self, place};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use wasmparser::{
    DataKind, KnownCustom, Linking, Parser, Payload, RelocationEntry, RelocationType, SymbolInfo,
};

/// A datum of the linked module.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Datum {
    pub(crate) range: Range<u32>,
    pub(crate) is_constant: bool,
    /// The functions that contain its address or one next to it, with that address. The name is empty if it
    /// does not tell functions apart.
    pub(crate) functions: Vec<(String, u32)>,
    /// The data that contain its address.
    pub(crate) data: Vec<usize>,
}

#[derive(Default)]
struct Linked<'a> {
    /// Start of these sections' contents.
    code: usize,
    data: usize,
    bodies: Vec<Range<usize>>,
    imported: u32,
    /// Address, bytes, and whether it is constant.
    segments: Vec<(u32, Range<usize>, bool)>,
    symbols: Vec<Option<(u32, u32, u32)>>,
    relocations: Vec<(u32, RelocationEntry)>,
    names: HashMap<u32, &'a str>,
    /// The optimizer renames all but one of several equal names.
    ambiguous: HashSet<&'a str>,
    sections: u32,
    code_section: u32,
    data_section: u32,
}

/// In order of addresses.
pub(crate) fn read(linked: &[u8]) -> Result<Vec<Datum>, Trouble> {
    let linked =
        Linked::read(linked).map_err(|error| Trouble::new(format!("a module can't be read: {error}")))?;
    Ok(linked.data())
}

impl<'a> Linked<'a> {
    fn read(module: &'a [u8]) -> wasmparser::Result<Self> {
        let mut linked = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload?;
            linked.note(&payload)?;
            if payload.as_section().is_some() {
                linked.sections += 1;
            }
        }
        Ok(linked)
    }

    fn note(&mut self, payload: &Payload<'a>) -> wasmparser::Result<()> {
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    let is_function = matches!(import?.ty, wasmparser::TypeRef::Func(_));
                    self.imported += u32::from(is_function);
                }
            }
            Payload::CodeSectionStart { range, .. } => {
                self.code = place(range).start;
                self.code_section = self.sections;
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(place(&body.range())),
            Payload::DataSection(segments) => {
                self.data = place(&segments.range()).start;
                self.data_section = self.sections;
                for segment in segments.clone() {
                    let segment = segment?;
                    let address = match &segment.kind {
                        DataKind::Active { offset_expr, .. } => sections::constant(offset_expr),
                        DataKind::Passive => None,
                    };
                    let end = place(&segment.range).end;
                    let range = end - segment.data.len()..end;
                    self.segments.push((address.unwrap_or_default(), range, false));
                }
            }
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Name(names) => self.note_names(names)?,
                KnownCustom::Linking(linking) => self.note_symbols(&linking)?,
                KnownCustom::Reloc(relocations) => {
                    let section = relocations.section_index();
                    for entry in relocations.entries() {
                        self.relocations.push((section, entry?));
                    }
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn note_names(&mut self, names: wasmparser::NameSectionReader<'a>) -> wasmparser::Result<()> {
        let mut known = HashSet::new();
        for name in names {
            match name? {
                wasmparser::Name::Function(map) => {
                    for naming in map {
                        let naming = naming?;
                        if !known.insert(naming.name) {
                            self.ambiguous.insert(naming.name);
                        }
                        self.names.insert(naming.index, naming.name);
                    }
                }
                wasmparser::Name::Data(map) => {
                    for naming in map {
                        let naming = naming?;
                        if let Some(segment) = self.segments.get_mut(naming.index as usize) {
                            segment.2 = naming.name.starts_with(".rodata");
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn note_symbols(&mut self, linking: &wasmparser::LinkingSectionReader<'a>) -> wasmparser::Result<()> {
        for subsection in linking.subsections() {
            if let Linking::SymbolTable(symbols) = subsection? {
                for symbol in symbols {
                    self.symbols.push(match symbol? {
                        SymbolInfo::Data { symbol: Some(own), .. } => Some((own.index, own.offset, own.size)),
                        _ => None,
                    });
                }
            }
        }
        Ok(())
    }

    fn data(&self) -> Vec<Datum> {
        let mut ranges: Vec<(Range<u32>, bool)> =
            self.symbols.iter().flatten().filter_map(|symbol| self.range_of(*symbol)).collect();
        ranges.sort_by_key(|(range, _)| (range.start, range.end));
        let mut data: Vec<Datum> = Vec::new();
        for (range, is_constant) in ranges {
            match data.last_mut() {
                // Two symbols may share bytes.
                Some(last) if range.start < last.range.end => {
                    last.range.end = last.range.end.max(range.end);
                    last.is_constant &= is_constant;
                }
                _ => data.push(Datum { range, is_constant, ..Datum::default() }),
            }
        }
        let starts: Vec<u32> = data.iter().map(|datum| datum.range.start).collect();
        let at = |address: u32| starts.partition_point(|start| *start <= address).checked_sub(1);
        for (section, entry) in &self.relocations {
            let Some(address) = self.target(entry) else { continue };
            let Some(target) = at(address) else { continue };
            if *section == self.code_section {
                let name = self.function_at(self.code + entry.offset as usize);
                let name = name.filter(|name| !self.ambiguous.contains(name)).unwrap_or_default();
                if let Some(datum) = data.get_mut(target) {
                    let address = i64::from(address) + entry.addend;
                    datum.functions.push((name.to_owned(), u32::try_from(address).unwrap_or(u32::MAX)));
                }
            } else if *section == self.data_section {
                let from = self.address_at(self.data + entry.offset as usize).and_then(at);
                if let (Some(from), Some(datum)) = (from, data.get_mut(target)) {
                    datum.data.push(from);
                }
            }
        }
        data
    }

    fn range_of(&self, (segment, offset, size): (u32, u32, u32)) -> Option<(Range<u32>, bool)> {
        let (address, _, is_constant) = self.segments.get(segment as usize)?;
        (size > 0).then(|| (address + offset..address + offset + size, *is_constant))
    }

    /// The datum itself, not a position in it: the addend does not count.
    fn target(&self, entry: &RelocationEntry) -> Option<u32> {
        let is_address = matches!(
            entry.ty,
            RelocationType::MemoryAddrLeb
                | RelocationType::MemoryAddrSleb
                | RelocationType::MemoryAddrI32
                | RelocationType::MemoryAddrRelSleb
        );
        let symbol = self.symbols.get(entry.index as usize).copied().flatten()?;
        let (segment, offset, _) = symbol;
        let (address, ..) = self.segments.get(segment as usize)?;
        is_address.then(|| address + offset)
    }

    fn function_at(&self, position: usize) -> Option<&'a str> {
        let at = self.bodies.partition_point(|body| body.start <= position).checked_sub(1)?;
        self.names.get(&(self.imported + u32::try_from(at).ok()?)).copied()
    }

    fn address_at(&self, position: usize) -> Option<u32> {
        let (address, range, _) = self.segments.iter().find(|(_, range, _)| range.contains(&position))?;
        Some(address + u32::try_from(position - range.start).ok()?)
    }
}
