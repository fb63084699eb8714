//! Writes a partition's modules, which refer to each other by imports, the table and stubs.

use super::super::Trouble;
use super::super::whole::content;
use super::{Partition, number};
use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;
use wasm_encoder::reencode::{Error as ReencodeError, Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, Encode, EntityType, ExportKind,
    ExportSection, Function, FunctionSection, ImportSection, Instruction, Module, RawSection, TableSection,
};

/// All imports come from a module of this name.
const MAIN: &str = "m";
/// Starts with a `$`, which no number has. The same holds for tables and globals.
const TYPE: u8 = 1;
const FUNCTION: u8 = 3;
const TABLE: u8 = 4;
const EXPORT: u8 = 7;
const ELEMENT: u8 = 9;
const CODE: u8 = 10;
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;
/// Below this gap, joining data is cheaper than another segment.
const GAP: u32 = 8;

impl Partition<'_> {
    pub(super) fn first(&self) -> Result<Vec<u8>, Trouble> {
        let (types, empty) = self.types();
        let mut functions = FunctionSection::new();
        for kind in self.whole.type_of.iter().skip(self.whole.imports.len()) {
            functions.function(*kind);
        }
        for _ in 1..=self.last {
            functions.function(empty);
        }
        let replaced = HashMap::from([
            (TYPE, types),
            (FUNCTION, content(&functions)),
            (TABLE, content(&self.tables()?)),
            (ELEMENT, self.first_elements()),
            (EXPORT, content(&self.first_exports()?)),
            (CODE, content(&self.first_code()?)),
            (DATA, content(&self.data_of(0))),
        ]);
        let mut out = Module::new();
        for (id, old) in self.whole.sections.iter().filter(|(id, _)| *id != DATA_COUNT) {
            let data = replaced.get(id).map_or(*old, Vec::as_slice);
            out.section(&RawSection { id: *id, data });
        }
        Ok(out.finish())
    }

    /// Adds the type without parameters and results, and returns its number.
    fn types(&self) -> (Vec<u8>, u32) {
        let old = self.section(TYPE);
        if let Some((at, _)) = (0..).zip(&self.whole.types).find(|(_, kind)| kind.is_empty) {
            return (old.to_vec(), at);
        }
        // One function type (0x60) without parameters and results.
        (with_more(old, 1, &[1, 0x60, 0, 0]), number(self.whole.types.len()))
    }

    /// Adds the functions that parts import.
    fn first_elements(&self) -> Vec<u8> {
        let mut elements = ElementSection::new();
        if let Some(place) = self.shared.values().next() {
            let functions: Vec<u32> = self.shared.keys().copied().collect();
            let table = (self.table > 0).then_some(self.table);
            elements.active(
                table,
                &ConstExpr::i32_const(signed(*place)),
                Elements::Functions(functions.into()),
            );
        }
        with_more(self.section(ELEMENT), elements.len(), &content(&elements))
    }

    fn section(&self, id: u8) -> &[u8] {
        self.whole.sections.iter().find(|(own, _)| *own == id).map_or(&[], |(_, content)| content)
    }

    /// Reserves room for later parts' functions.
    fn tables(&self) -> Result<TableSection, Trouble> {
        let mut tables = TableSection::new();
        for (at, table) in (0..).zip(&self.whole.tables) {
            let mut table = RoundtripReencoder.table_type(*table).map_err(|error| unwritable(&error))?;
            if at == self.table {
                let size = u64::from(self.size);
                (table.minimum, table.maximum) = (size, table.maximum.map(|most| most.max(size)));
            }
            tables.table(table);
        }
        Ok(tables)
    }

    fn first_exports(&self) -> Result<ExportSection, Trouble> {
        let mut exports = ExportSection::new();
        for (name, kind, index) in &self.whole.exports {
            let kind = RoundtripReencoder.export_kind(*kind).map_err(|error| unwritable(&error))?;
            exports.export(name, kind, *index);
        }
        exports.export(&self.memory, ExportKind::Memory, 0);
        for at in 0..self.whole.tables.len() {
            exports.export(&format!("$t{at}"), ExportKind::Table, number(at));
        }
        for at in 0..self.whole.globals.len() {
            exports.export(&format!("$g{at}"), ExportKind::Global, number(at));
        }
        Ok(exports)
    }

    fn first_code(&self) -> Result<CodeSection, Trouble> {
        let mut code = CodeSection::new();
        for (function, body) in (self.whole.imported()..).zip(&self.whole.bodies) {
            let part = self.part(function);
            match self.stubs.get(&function) {
                _ if part == 0 => {
                    code.raw(&self.with_direct_calls(function, body)?);
                }
                Some(_) if self.direct.contains(&function) => {
                    code.function(&gone());
                }
                Some(place) => {
                    code.function(&self.stub(function, part, *place)?);
                }
                None => {
                    code.function(&gone());
                }
            }
        }
        for part in 1..=self.last {
            code.function(&self.load(part));
        }
        Ok(code)
    }

    fn with_direct_calls(
        &self,
        function: u32,
        body: &wasmparser::FunctionBody<'_>,
    ) -> Result<Vec<u8>, Trouble> {
        let old = body.as_bytes();
        let part = self.part(function);
        if !self.calls(function).any(|called| self.is_direct(part, called)) {
            return Ok(old.to_vec());
        }
        let unreadable = |error: wasmparser::BinaryReaderError| Trouble::new(error.to_string());
        let body = wasmparser::FunctionBody::new(wasmparser::BinaryReader::new(old, 0));
        let operators = body.get_operators_reader().map_err(unreadable)?.into_iter_with_offsets();
        let (mut new, mut copied, mut replaced) = (Vec::with_capacity(old.len()), 0, None);
        for read in operators {
            let (operator, offset) = read.map_err(unreadable)?;
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            if let Some(called) = replaced.take() {
                self.call_through_table(called, &mut new);
                copied = offset;
            }
            if let wasmparser::Operator::Call { function_index } = operator
                && self.is_direct(part, function_index)
            {
                new.extend(old.get(copied..offset).unwrap_or_default());
                replaced = Some(function_index);
            }
        }
        new.extend(old.get(copied..).unwrap_or_default());
        Ok(new)
    }

    /// Loads the part if needed. The arguments are on the stack.
    fn call_through_table(&self, function: u32, bytes: &mut Vec<u8>) {
        let type_index = self.whole.type_of.get(function as usize).copied().unwrap_or_default();
        let place = self.stubs.get(&function).copied().unwrap_or_default();
        for instruction in [
            self.ensure_loaded(self.part(function)),
            Instruction::I32Const(signed(place)),
            Instruction::CallIndirect { type_index, table_index: self.table },
        ] {
            instruction.encode(bytes);
        }
    }

    fn ensure_loaded(&self, part: u8) -> Instruction<'static> {
        Instruction::Call(self.ensurer(part))
    }

    /// Loads the part if needed, and calls through the table.
    fn stub(&self, function: u32, part: u8, place: u32) -> Result<Function, Trouble> {
        let kind = self.whole.type_of.get(function as usize).copied().unwrap_or_default();
        let signature =
            self.whole.types.get(kind as usize).ok_or_else(|| Trouble::new("a type is missing"))?;
        let mut stub = Function::new([]);
        stub.instruction(&self.ensure_loaded(part));
        for at in 0..signature.params {
            stub.instruction(&Instruction::LocalGet(number(at)));
        }
        stub.instruction(&Instruction::I32Const(signed(place)));
        stub.instruction(&Instruction::CallIndirect { type_index: kind, table_index: self.table });
        stub.instruction(&Instruction::End);
        Ok(stub)
    }

    /// Repeats until the part's first place is filled.
    fn load(&self, part: u8) -> Function {
        let place = self.places.get(usize::from(part)).copied().unwrap_or_default();
        let mut load = Function::new([]);
        load.instruction(&Instruction::I32Const(signed(place)))
            .instruction(&Instruction::TableGet(self.table))
            .instruction(&Instruction::RefIsNull)
            .instruction(&Instruction::If(wasm_encoder::BlockType::Empty))
            .instruction(&Instruction::I32Const(i32::from(part)))
            .instruction(&Instruction::Call(self.loader))
            .instruction(&Instruction::End)
            .instruction(&Instruction::End);
        load
    }

    pub(super) fn part_module(&self, part: u8) -> Result<Vec<u8>, Trouble> {
        let renumbered: HashMap<u32, u32> = {
            let imports = self.imports.get(usize::from(part)).into_iter().flatten().copied();
            imports.chain(self.members(part)).zip(0..).collect()
        };
        let mut out = Module::new();
        let (types, empty) = self.types();
        out.section(&RawSection { id: TYPE, data: &types });
        out.section(&self.part_imports(part, empty)?);
        let mut functions = FunctionSection::new();
        for function in self.members(part) {
            functions.function(self.whole.type_of.get(function as usize).copied().unwrap_or_default());
        }
        out.section(&functions);
        out.section(&self.part_elements(part, &renumbered));
        let mut code = CodeSection::new();
        let mut renumber = Renumber(&renumbered);
        for function in self.members(part) {
            let own = (function - self.whole.imported()) as usize;
            let Some(body) = self.whole.bodies.get(own) else { continue };
            let body = self.with_direct_calls(function, body)?;
            let body = wasmparser::FunctionBody::new(wasmparser::BinaryReader::new(&body, 0));
            renumber.parse_function_body(&mut code, body).map_err(|error| unwritable(&error))?;
        }
        out.section(&code);
        out.section(&self.data_of(part));
        Ok(out.finish())
    }

    /// `empty` is the type of functions that load a part.
    fn part_imports(&self, part: u8, empty: u32) -> Result<ImportSection, Trouble> {
        let mut imports = ImportSection::new();
        for function in self.imports.get(usize::from(part)).into_iter().flatten() {
            let kind = self.whole.type_of.get(*function as usize).copied().unwrap_or(empty);
            let place = self.shared.get(function).copied().unwrap_or_default();
            imports.import(MAIN, &name(place), EntityType::Function(kind));
        }
        let memory = self.whole.memory.ok_or_else(|| Trouble::new("the module has no memory"))?;
        let memory = RoundtripReencoder.memory_type(memory).map_err(|error| unwritable(&error))?;
        imports.import(MAIN, &self.memory, EntityType::Memory(memory));
        for (at, table) in self.whole.tables.iter().enumerate() {
            let mut table = RoundtripReencoder.table_type(*table).map_err(|error| unwritable(&error))?;
            if number(at) == self.table {
                (table.minimum, table.maximum) =
                    (u64::from(self.size), table.maximum.map(|most| most.max(u64::from(self.size))));
            }
            imports.import(MAIN, &format!("$t{at}"), EntityType::Table(table));
        }
        for (at, global) in self.whole.globals.iter().enumerate() {
            let global = RoundtripReencoder.global_type(*global).map_err(|error| unwritable(&error))?;
            imports.import(MAIN, &format!("$g{at}"), EntityType::Global(global));
        }
        Ok(imports)
    }

    fn part_elements(&self, part: u8, renumbered: &HashMap<u32, u32>) -> ElementSection {
        let own = self.stubs.keys().filter(|function| self.part(**function) == part);
        let functions: Vec<u32> = own.map(|function| at(renumbered, *function)).collect();
        let place = self.places.get(usize::from(part)).copied().unwrap_or_default();
        let mut elements = ElementSection::new();
        let table = (self.table > 0).then_some(self.table);
        elements.active(table, &ConstExpr::i32_const(signed(place)), Elements::Functions(functions.into()));
        elements
    }

    /// The first module has all bytes that no other part has.
    fn data_of(&self, part: u8) -> DataSection {
        let mut section = DataSection::new();
        for (address, bytes) in &self.whole.data {
            let end = address + number(bytes.len());
            for piece in self.pieces(part, &(*address..end)) {
                let place = (piece.start - address) as usize..(piece.end - address) as usize;
                let own = bytes.get(place).unwrap_or_default();
                section.active(0, &ConstExpr::i32_const(signed(piece.start)), own.iter().copied());
            }
        }
        section
    }

    fn pieces(&self, part: u8, segment: &Range<u32>) -> Vec<Range<u32>> {
        let clip = |range: &Range<u32>| range.start.max(segment.start)..range.end.min(segment.end);
        if part > 0 {
            let own = self.data.get(usize::from(part)).into_iter().flatten();
            return joined(own.map(clip).filter(|range| !range.is_empty()), 0);
        }
        let mut others: Vec<Range<u32>> =
            self.data.iter().flatten().map(clip).filter(|range| !range.is_empty()).collect();
        others.sort_by_key(|range| range.start);
        let mut pieces = Vec::new();
        let mut start = segment.start;
        for other in others {
            pieces.push(start..other.start);
            start = other.end;
        }
        pieces.push(start..segment.end);
        joined(pieces.into_iter().filter(|range| !range.is_empty()), GAP)
    }
}

fn gone() -> Function {
    let mut gone = Function::new([]);
    gone.instruction(&Instruction::Unreachable).instruction(&Instruction::End);
    gone
}

fn joined(ranges: impl Iterator<Item = Range<u32>>, gap: u32) -> Vec<Range<u32>> {
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end + gap => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

/// In base 36, as `parseInt` reads it.
fn name(place: u32) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let (mut name, mut left) = (String::new(), place);
    while left > 0 || name.is_empty() {
        let digit = DIGITS.get((left % 36) as usize).copied().map_or('_', char::from);
        name.insert(0, digit);
        left /= 36;
    }
    name
}

fn with_more(section: &[u8], count: u32, more: &[u8]) -> Vec<u8> {
    let (own, entries) = counted(section);
    let mut joined = Vec::new();
    wasm_encoder::Encode::encode(&(own + count), &mut joined);
    joined.extend(entries);
    joined.extend(counted(more).1);
    joined
}

fn counted(section: &[u8]) -> (u32, &[u8]) {
    let mut reader = wasmparser::BinaryReader::new(section, 0);
    let count = reader.read_var_u32().unwrap_or_default();
    let start = usize::try_from(reader.original_position()).unwrap_or(usize::MAX);
    (count, section.get(start..).unwrap_or_default())
}

fn at(renumbered: &HashMap<u32, u32>, function: u32) -> u32 {
    renumbered.get(&function).copied().unwrap_or(u32::MAX)
}

/// As instructions contain it.
fn signed(place: u32) -> i32 {
    place.cast_signed()
}

fn unwritable(error: &ReencodeError<Infallible>) -> Trouble {
    Trouble::new(format!("a module can't be split: {error}"))
}

struct Renumber<'a>(&'a HashMap<u32, u32>);

impl Reencode for Renumber<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, ReencodeError<Infallible>> {
        Ok(at(self.0, function))
    }
}
