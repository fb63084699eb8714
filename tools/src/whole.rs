//! The splitter's view of a whole module. It can have one memory, active segments, and function references
//! only in calls and in the table.

use super::Trouble;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use wasm_encoder::Encode;
use wasmparser::{
    DataKind, ElementItems, ElementKind, ExternalKind, FunctionBody, GlobalType, MemoryType, Name, Operator,
    Parser, Payload, TableType, TypeRef,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) params: usize,
    pub(crate) is_empty: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Whole<'a> {
    /// Excludes custom ones.
    pub(crate) sections: Vec<(u8, &'a [u8])>,
    pub(crate) types: Vec<Signature>,
    pub(crate) imports: Vec<&'a str>,
    /// Imported ones first.
    pub(crate) type_of: Vec<u32>,
    pub(crate) bodies: Vec<FunctionBody<'a>>,
    pub(crate) calls: Vec<BTreeSet<u32>>,
    /// Possible addresses: constants, and offsets of loads and stores. Each as often as it occurs.
    pub(crate) numbers: Vec<Vec<u32>>,
    /// In the table or exported.
    pub(crate) shared: BTreeSet<u32>,
    pub(crate) tables: Vec<TableType>,
    pub(crate) memory: Option<MemoryType>,
    pub(crate) globals: Vec<GlobalType>,
    pub(crate) exports: Vec<(&'a str, ExternalKind, u32)>,
    pub(crate) data: Vec<(u32, &'a [u8])>,
    /// As the compiler wrote them.
    pub(crate) names: HashMap<u32, &'a str>,
}

impl<'a> Whole<'a> {
    pub(crate) fn read(module: &'a [u8]) -> Result<Self, Trouble> {
        let mut whole = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload.map_err(|error| unreadable(&error))?;
            if let Some((id, range)) = payload.as_section()
                && id != super::sections::CUSTOM
            {
                whole.sections.push((id, bytes_at(module, &range)));
            }
            whole.note(payload).map_err(|error| unreadable(&error))??;
        }
        Ok(whole)
    }

    fn note(&mut self, payload: Payload<'a>) -> wasmparser::Result<Result<(), Trouble>> {
        match payload {
            Payload::TypeSection(types) => {
                for kind in types.into_iter_err_on_gc_types() {
                    let kind = kind?;
                    let is_empty = kind.params().is_empty() && kind.results().is_empty();
                    self.types.push(Signature { params: kind.params().len(), is_empty });
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    let TypeRef::Func(kind) = import.ty else {
                        return Ok(Err(Trouble::new("only functions may be imported")));
                    };
                    self.imports.push(import.name);
                    self.type_of.push(kind);
                }
            }
            Payload::FunctionSection(functions) => {
                for kind in functions {
                    self.type_of.push(kind?);
                }
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    self.memory = Some(memory?);
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(global?.ty);
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        self.shared.insert(export.index);
                    }
                    self.exports.push((export.name, export.kind, export.index));
                }
            }
            Payload::ElementSection(elements) => {
                for element in elements {
                    let element = element?;
                    let (ElementKind::Active { .. }, ElementItems::Functions(functions)) =
                        (element.kind, element.items)
                    else {
                        return Ok(Err(Trouble::new("a table is filled in a way that can't be split")));
                    };
                    for function in functions {
                        self.shared.insert(function?);
                    }
                }
            }
            Payload::CodeSectionEntry(body) => return self.note_body(body),
            Payload::DataSection(segments) => return self.note_data(segments),
            Payload::CustomSection(section) => {
                if let wasmparser::KnownCustom::Name(names) = section.as_known() {
                    self.note_names(names)?;
                }
            }
            _ => {}
        }
        Ok(Ok(()))
    }

    fn note_body(&mut self, body: FunctionBody<'a>) -> wasmparser::Result<Result<(), Trouble>> {
        let (mut called, mut numbers) = (BTreeSet::new(), Vec::new());
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            numbers.extend(offset_of(&operator));
            match operator {
                Operator::Call { function_index } => {
                    called.insert(function_index);
                }
                Operator::I32Const { value } => {
                    numbers.push(value.cast_unsigned());
                }
                Operator::RefFunc { .. }
                | Operator::ReturnCall { .. }
                | Operator::MemoryInit { .. }
                | Operator::DataDrop { .. }
                | Operator::TableInit { .. }
                | Operator::ElemDrop { .. } => {
                    return Ok(Err(Trouble::new("a function refers to others in a way that can't be split")));
                }
                _ => {}
            }
        }
        self.calls.push(called);
        self.numbers.push(numbers);
        self.bodies.push(body);
        Ok(Ok(()))
    }

    fn note_data(
        &mut self,
        segments: wasmparser::DataSectionReader<'a>,
    ) -> wasmparser::Result<Result<(), Trouble>> {
        for segment in segments {
            let segment = segment?;
            let address = match &segment.kind {
                DataKind::Active { offset_expr, .. } => super::sections::constant(offset_expr),
                DataKind::Passive => None,
            };
            let Some(address) = address else {
                return Ok(Err(Trouble::new("a data segment has no fixed address")));
            };
            self.data.push((address, segment.data));
        }
        Ok(Ok(()))
    }

    fn note_names(&mut self, names: wasmparser::NameSectionReader<'a>) -> wasmparser::Result<()> {
        for name in names {
            if let Name::Function(map) = name? {
                for naming in map {
                    let naming = naming?;
                    self.names.insert(naming.index, naming.name);
                }
            }
        }
        Ok(())
    }

    /// Own functions are numbered after these.
    pub(crate) fn imported(&self) -> u32 {
        u32::try_from(self.imports.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn function_table(&self) -> Option<(u32, &TableType)> {
        (0..).zip(&self.tables).find(|(_, table)| table.element_type.is_func_ref())
    }
}

fn offset_of(operator: &Operator<'_>) -> Option<u32> {
    use Operator::{
        F32Load, F32Store, F64Load, F64Store, I32Load, I32Load8S, I32Load8U, I32Load16S, I32Load16U,
        I32Store, I32Store8, I32Store16, I64Load, I64Load8S, I64Load8U, I64Load16S, I64Load16U, I64Load32S,
        I64Load32U, I64Store, I64Store8, I64Store16, I64Store32,
    };
    let (I32Load { memarg }
    | I64Load { memarg }
    | F32Load { memarg }
    | F64Load { memarg }
    | I32Load8S { memarg }
    | I32Load8U { memarg }
    | I32Load16S { memarg }
    | I32Load16U { memarg }
    | I64Load8S { memarg }
    | I64Load8U { memarg }
    | I64Load16S { memarg }
    | I64Load16U { memarg }
    | I64Load32S { memarg }
    | I64Load32U { memarg }
    | I32Store { memarg }
    | I64Store { memarg }
    | F32Store { memarg }
    | F64Store { memarg }
    | I32Store8 { memarg }
    | I32Store16 { memarg }
    | I64Store8 { memarg }
    | I64Store16 { memarg }
    | I64Store32 { memarg }) = operator
    else {
        return None;
    };
    u32::try_from(memarg.offset).ok()
}

fn bytes_at<'a>(module: &'a [u8], range: &Range<u64>) -> &'a [u8] {
    module.get(super::sections::place(range)).unwrap_or_default()
}

fn unreadable(error: &wasmparser::BinaryReaderError) -> Trouble {
    Trouble::new(format!("a module can't be read: {error}"))
}

pub(crate) fn content(section: &impl Encode) -> Vec<u8> {
    let mut bytes = Vec::new();
    section.encode(&mut bytes);
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).map_or(0, |last| last + 1);
    bytes.split_off(length)
}
