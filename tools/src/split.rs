//! Splits a module into parts by when its functions run. Part 0 is always loaded. A later part loads when one
//! of its functions is called. All share the memory and the table of functions.
//!
//! - A part imports functions of the first module through the table, because its entries are shorter than
//!   exports. The import's name is the place in the table.
//! - A call into another part loads the part and calls through the table. If the first module calls a function
//!   often, a stub there does so.
//! - Constant data that only later parts refer to are in each of these parts.
//!
//! Invariants: 1. The parts together behave like the whole module, whatever the partition is. 2. Each part
//! loads alone, in any order. 3. A part starts in its own build only.

mod modules;
mod references;

use super::Trouble;
use super::data::Datum;
use super::whole::Whole;
use references::References;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

/// In the name of the import that loads a part by its number.
pub(crate) const LOADER: &str = "load_part";

/// How many functions of the first module may call another part's function without a stub.
const MOST_DIRECT: usize = 2;

/// Where the functions are and were.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement<'a> {
    /// The part of each own function.
    pub(crate) part_of: &'a [u8],
    /// The functions from which the last ones were taken.
    pub(crate) origins: &'a [u32],
}

/// `data` are those of the linked module.
pub(crate) fn split(
    module: &[u8],
    placement: Placement<'_>,
    data: &[Datum],
) -> Result<Vec<Vec<u8>>, Trouble> {
    let whole = Whole::read(module)?;
    let mut partition = Partition::new(&whole, placement, data)?;
    partition.memory = memory_of(module, placement.part_of);
    let later: Vec<Vec<u8>> =
        (1..=partition.last).map(|part| partition.part_module(part)).collect::<Result<_, _>>()?;
    let mut all = vec![partition.first()?];
    all.extend(later);
    Ok(all)
}

/// Names the memory of one build, so that no part starts in another.
fn memory_of(module: &[u8], part_of: &[u8]) -> String {
    let mut sum = Sha256::new();
    sum.update(module);
    sum.update(part_of);
    let mut name = "$m".to_owned();
    for byte in sum.finalize().iter().take(4) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

struct Partition<'a> {
    whole: &'a Whole<'a>,
    /// The name under which parts import the memory.
    memory: String,
    /// Part of each own function.
    part_of: &'a [u8],
    last: u8,
    loader: u32,
    /// The later parts' functions that others call, and their places in the table.
    stubs: BTreeMap<u32, u32>,
    /// Functions that need no stub.
    direct: BTreeSet<u32>,
    /// Indexes of each part's functions in the table.
    places: Vec<u32>,
    /// Its number, and that of its places.
    table: u32,
    size: u32,
    /// Imports from the first module.
    imports: Vec<BTreeSet<u32>>,
    /// Places in the table of all imported functions.
    shared: BTreeMap<u32, u32>,
    /// Address ranges.
    data: Vec<Vec<Range<u32>>>,
}

impl<'a> Partition<'a> {
    fn new(whole: &'a Whole<'a>, placement: Placement<'a>, data: &[Datum]) -> Result<Self, Trouble> {
        let Placement { part_of, origins } = placement;
        if part_of.len() != whole.bodies.len() {
            return Err(Trouble::new("the profile belongs to another module"));
        }
        let loader = (0..).zip(&whole.imports).find(|(_, name)| name.contains(LOADER));
        let (loader, _) = loader.ok_or_else(|| Trouble::new(format!("the module imports no `{LOADER}`")))?;
        let (table, table_type) =
            whole.function_table().ok_or_else(|| Trouble::new("the module has no table of functions"))?;
        let last = part_of.iter().copied().max().unwrap_or_default();
        let mut partition = Self {
            whole,
            memory: String::new(),
            part_of,
            last,
            loader,
            stubs: BTreeMap::new(),
            direct: BTreeSet::new(),
            places: Vec::new(),
            table,
            size: u32::try_from(table_type.initial).unwrap_or(u32::MAX),
            imports: Vec::new(),
            shared: BTreeMap::new(),
            data: Vec::new(),
        };
        partition.add_stubs();
        partition.direct = partition.directly_called();
        partition.imports = (0..=last).map(|part| partition.imported_by(part)).collect();
        let shared: BTreeSet<u32> = partition.imports.iter().flatten().copied().collect();
        partition.shared = shared.into_iter().zip(partition.size..).collect();
        partition.size += number(partition.shared.len());
        partition.data = partition.partition_data(data, origins);
        Ok(partition)
    }

    /// Imported functions are in the first module.
    fn part(&self, function: u32) -> u8 {
        let own = function.checked_sub(self.whole.imported());
        own.and_then(|own| self.part_of.get(own as usize)).copied().unwrap_or_default()
    }

    fn members(&self, part: u8) -> impl Iterator<Item = u32> + '_ {
        (self.whole.imported()..).zip(self.part_of).filter(move |(_, own)| **own == part).map(|(at, _)| at)
    }

    fn calls(&self, function: u32) -> impl Iterator<Item = u32> + '_ {
        let own = function.checked_sub(self.whole.imported());
        own.and_then(|own| self.whole.calls.get(own as usize)).into_iter().flatten().copied()
    }

    /// Functions have a place if another part, the table or JavaScript refers to them.
    fn add_stubs(&mut self) {
        let mut needed: BTreeSet<u32> =
            self.whole.shared.iter().copied().filter(|function| self.part(*function) > 0).collect();
        for (function, part) in (self.whole.imported()..).zip(self.part_of) {
            needed.extend(self.calls(function).filter(|called| ![0, *part].contains(&self.part(*called))));
        }
        self.places = vec![self.size];
        for part in 1..=self.last {
            self.places.push(self.size);
            let own: Vec<u32> =
                needed.iter().copied().filter(|function| self.part(*function) == part).collect();
            for function in own {
                self.stubs.insert(function, self.size);
                self.size += 1;
            }
        }
    }

    /// A few calls are shorter than a stub.
    fn directly_called(&self) -> BTreeSet<u32> {
        let mut callers: BTreeMap<u32, usize> = BTreeMap::new();
        for called in self.members(0).flat_map(|function| self.calls(function)) {
            *callers.entry(called).or_default() += 1;
        }
        let is_direct = |function: &u32| {
            let callers = callers.get(function).copied().unwrap_or_default();
            callers <= MOST_DIRECT && !self.whole.shared.contains(function)
        };
        self.stubs.keys().copied().filter(is_direct).collect()
    }

    /// Whether functions of `part` call this one through the table.
    fn is_direct(&self, part: u8, called: u32) -> bool {
        ![0, part].contains(&self.part(called)) && (part > 0 || self.direct.contains(&called))
    }

    /// The function of the first module that loads a part if needed.
    fn ensurer(&self, part: u8) -> u32 {
        number(self.whole.type_of.len()) + u32::from(part) - 1
    }

    fn imported_by(&self, part: u8) -> BTreeSet<u32> {
        if part == 0 {
            return BTreeSet::new();
        }
        let called = self.members(part).flat_map(|function| self.calls(function));
        let others = called.filter(|called| self.part(*called) != part);
        others
            .map(|called| if self.part(called) == 0 { called } else { self.ensurer(self.part(called)) })
            .collect()
    }

    /// The first module has all that no later part has.
    fn partition_data(&self, data: &[Datum], origins: &[u32]) -> Vec<Vec<Range<u32>>> {
        let users = self.users_of_data(data, origins);
        let has = |part: u8| {
            let own =
                data.iter().zip(&users).filter(move |(_, users)| *users & 1 == 0 && *users & (1 << part) > 0);
            own.map(|(datum, _)| datum.range.clone()).collect()
        };
        (0..=self.last).map(has).collect()
    }

    /// As bits. Data that nobody uses go to the last part.
    fn users_of_data(&self, data: &[Datum], origins: &[u32]) -> Vec<u32> {
        let references = References::new(self, origins);
        let mut users: Vec<u32> = data.iter().map(|datum| references.users(datum)).collect();
        // The optimizer may have moved an address to another function.
        let starts: Vec<u32> = data.iter().map(|datum| datum.range.start).collect();
        for (part, numbers) in self.part_of.iter().zip(&self.whole.numbers) {
            for number in numbers {
                let at = starts.partition_point(|start| start <= number).checked_sub(1);
                if let Some(own) = at.and_then(|at| users.get_mut(at)) {
                    *own |= 1 << part;
                }
            }
        }
        // A datum must be there whenever a datum with its address is.
        loop {
            let before = users.clone();
            for (datum, own) in data.iter().zip(&mut users) {
                *own =
                    datum.data.iter().filter_map(|user| before.get(*user)).fold(*own, |own, user| own | user);
            }
            if users == before {
                break;
            }
        }
        let last = 1 << self.last;
        users.into_iter().map(|own| if own == 0 { last } else { own }).collect()
    }
}

/// Functions or bytes, which always fit.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections;
    use wasm_encoder::{
        CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind, ExportSection,
        Function, FunctionSection, GlobalSection, GlobalType, ImportSection, Instruction, MemorySection,
        MemoryType, Module, NameMap, NameSection, RefType, TableSection, TableType, TypeSection, ValType,
    };

    /// `main` calls `rare`, which calls `shared` and `odd`. The table has `odd`.
    fn module() -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32], [ValType::I32]);
        types.ty().function([ValType::I32], []);
        let mut imports = ImportSection::new();
        imports.import("host", "load_part", EntityType::Function(1));
        let (mut functions, mut code, mut names) =
            (FunctionSection::new(), CodeSection::new(), NameMap::new());
        let bodies: [(&str, &[u32], i32); 4] =
            [("main", &[2, 4], 16), ("rare", &[3, 4], 24), ("odd", &[], 32), ("shared", &[], 16)];
        for ((name, called, constant), at) in bodies.into_iter().zip(1..) {
            functions.function(0);
            let mut body = Function::new([]);
            body.instruction(&Instruction::LocalGet(0));
            for function in called {
                body.instruction(&Instruction::Call(*function));
            }
            body.instruction(&Instruction::I32Const(constant)).instruction(&Instruction::I32Add);
            body.instruction(&Instruction::End);
            code.function(&body);
            names.append(at, name);
        }
        let mut tables = TableSection::new();
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            minimum: 2,
            maximum: Some(2),
            table64: false,
            shared: false,
        });
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut globals = GlobalSection::new();
        let global = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(global, &ConstExpr::i32_const(8));
        let mut exports = ExportSection::new();
        exports.export("main", ExportKind::Func, 1);
        let mut elements = ElementSection::new();
        elements.active(None, &ConstExpr::i32_const(1), Elements::Functions([3][..].into()));
        let mut data = DataSection::new();
        data.active(0, &ConstExpr::i32_const(16), *b"first...rare....odd.....");
        let mut naming = NameSection::new();
        naming.functions(&names);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&tables).section(&memories);
        module.section(&globals).section(&exports).section(&elements).section(&code).section(&data);
        module.section(&naming);
        module.finish()
    }

    fn datum(start: u32, functions: &[&str]) -> Datum {
        let functions = functions.iter().map(|name| ((*name).to_owned(), start)).collect();
        Datum { range: start..start + 8, is_constant: true, functions, data: Vec::new() }
    }

    fn parts(part_of: &[u8]) -> Vec<Vec<u8>> {
        let data = [datum(16, &["main", "shared"]), datum(24, &["rare"]), datum(32, &["odd"])];
        let parts = split(&module(), Placement { part_of, origins: &[] }, &data).unwrap();
        for part in &parts {
            wasmparser::validate(part).unwrap();
        }
        parts
    }

    fn data_of(module: &[u8]) -> Vec<(u32, Vec<u8>)> {
        let parts = sections::read(module).unwrap();
        parts.data.into_iter().map(|(address, range)| (address, module[range].to_vec())).collect()
    }

    #[test]
    fn functions_and_data_go_to_their_parts() {
        let parts = parts(&[0, 1, 2, 0]);
        assert_eq!(parts.len(), 3);
        assert_eq!(data_of(&parts[0]), [(16, b"first...".to_vec())]);
        assert_eq!(data_of(&parts[1]), [(24, b"rare....".to_vec())]);
        assert_eq!(data_of(&parts[2]), [(32, b"odd.....".to_vec())]);
        assert_eq!(sections::read(&parts[1]).unwrap().imported, 2);
        assert_eq!(sections::read(&parts[2]).unwrap().imported, 0);
    }

    #[test]
    fn shared_data_stay_in_the_first_module() {
        let data = [datum(16, &["main"]), datum(24, &["rare", "main"]), datum(32, &[""])];
        let parts = split(&module(), Placement { part_of: &[0, 1, 2, 0], origins: &[] }, &data).unwrap();
        assert_eq!(data_of(&parts[0]), [(16, b"first...rare....odd.....".to_vec())]);
    }

    #[test]
    fn data_of_gone_functions_follow_their_addresses() {
        let split_with = |last: Datum| {
            let data = [datum(16, &["main", "gone"]), datum(24, &["gone"]), last];
            let placement = Placement { part_of: &[0, 1, 2, 0], origins: &[] };
            split(&module(), placement, &data).unwrap().iter().map(|part| data_of(part)).collect::<Vec<_>>()
        };
        let [first, rare, odd] = [(16, "first..."), (24, "rare...."), (32, "odd.....")]
            .map(|(at, text)| (at, text.as_bytes().to_vec()));
        let parts = split_with(datum(32, &["gone"]));
        assert_eq!(parts, [vec![first.clone()], vec![rare.clone()], vec![odd]]);
        let outside = Datum { functions: vec![("gone".to_owned(), 31)], ..datum(32, &[]) };
        assert_eq!(split_with(outside)[2], []);
        // No function has an address in it.
        let unused = Datum { range: 33..40, ..datum(33, &["gone"]) };
        assert_eq!(split_with(unused)[2].last().unwrap(), &(33, b"dd.....".to_vec()));
    }

    #[test]
    fn references_follow_outlined_code() {
        let module = module();
        let whole = Whole::read(&module).unwrap();
        // As if `shared`, which contains 16 once, had been taken from `main`.
        let placement = Placement { part_of: &[0, 0, 0, 1], origins: &[1] };
        let partition = Partition::new(&whole, placement, &[]).unwrap();
        let users = |addresses: &[u32]| {
            let functions = addresses.iter().map(|address| ("main".to_owned(), *address)).collect();
            References::new(&partition, &[1]).users(&Datum { functions, ..datum(16, &[]) })
        };
        assert_eq!(users(&[16]), 0b10);
        assert_eq!(users(&[16, 16]), 0b01);
        assert_eq!(users(&[17]), 0b01);
    }

    #[test]
    fn any_partition_is_valid() {
        for at in 0..81u8 {
            let partition = [at % 3, at / 3 % 3, at / 9 % 3, at / 27 % 3];
            let last = partition.into_iter().max().unwrap_or_default();
            assert_eq!(parts(&partition).len(), usize::from(last) + 1);
        }
    }

    #[test]
    fn a_part_fits_its_own_build_only() {
        let builds = [[0, 1, 2, 0], [0, 2, 1, 0]].map(|part_of| parts(&part_of));
        let exported = builds.each_ref().map(|build| {
            let whole = Whole::read(&build[0]).unwrap();
            let memories =
                whole.exports.iter().filter(|(_, kind, _)| *kind == wasmparser::ExternalKind::Memory);
            memories.map(|(name, ..)| (*name).to_owned()).collect::<Vec<_>>()
        });
        assert_ne!(exported[0], exported[1]);
        for (build, names) in builds.iter().zip(exported) {
            let [name] = names.as_slice() else { panic!("{names:?}") };
            for part in &build[1..] {
                assert!(part.windows(name.len()).any(|bytes| bytes == name.as_bytes()), "{name}");
            }
        }
    }

    #[test]
    fn refuses_a_profile_of_another_module() {
        assert!(
            split(&module(), Placement { part_of: &[0, 1], origins: &[] }, &[])
                .unwrap_err()
                .sentence
                .contains("another module")
        );
    }
}
