//! Gives the functions that a module and its glue exchange short names. wasm-bindgen ends names of imports in a
//! hash, which gzip can't compress.
//!
//! Invariant: the import that loads parts keeps its name. Its hash tells apart modules of other versions.

use super::Trouble;
use super::sections;
use super::split::LOADER;
use super::whole::{Whole, content};
use std::collections::HashMap;
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{ExportSection, ImportSection};
use wasmparser::{ExternalKind, Import, Parser, Payload};

const IMPORT: u8 = 2;
const EXPORT: u8 = 7;
/// In the glue, before each name of an export.
const EXPORTS: &str = "wasm.";

/// Returns the module and the glue with short names.
pub fn shortened(module: &[u8], glue: &str) -> Result<(Vec<u8>, String), Trouble> {
    let (module, glue) = short_imports(module, glue)?;
    let whole = Whole::read(&module)?;
    let exported = whole.exports.iter().filter(|(_, kind, _)| *kind == ExternalKind::Func);
    let exported: HashMap<&str, String> = exported.map(|(name, ..)| *name).zip(names()).collect();
    let section = exports(&whole, &exported)?;
    Ok((with_section(&module, EXPORT, &section)?, with_exports(&glue, &exported)))
}

/// Only what the module imports, if others know its exports.
pub fn short_imports(module: &[u8], glue: &str) -> Result<(Vec<u8>, String), Trouble> {
    let found = each_import(module)?;
    let found = found.iter().map(|import| import.name);
    let imported: HashMap<&str, String> =
        found.filter(|name| is_hashed(name) && !name.contains(LOADER)).zip(names()).collect();
    let mut text = glue.to_owned();
    for (old, new) in &imported {
        let key = format!(" {old}: ");
        if text.matches(&key).count() != 1 {
            return Err(Trouble::new(format!("the glue writes the import `{old}` in another way")));
        }
        text = text.replace(&key, &format!(" {new}: "));
    }
    Ok((with_section(module, IMPORT, &imports(module, &imported)?)?, text))
}

fn with_section(module: &[u8], kind: u8, section: &[u8]) -> Result<Vec<u8>, Trouble> {
    let parts = sections::read(module)?;
    Ok(sections::rewritten(module, &parts, |id, _| Some((id == kind).then(|| section.to_vec()))))
}

/// wasm-bindgen's own functions have no hash, or one that the glue counts.
fn is_hashed(name: &str) -> bool {
    let hash = name.strip_prefix("__wbg_").and_then(|name| name.rsplit_once('_'));
    hash.is_some_and(|(_, hash)| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `a` to `z`, `ba` and so on.
fn names() -> impl Iterator<Item = String> {
    (0u32..).map(|at| {
        let (mut name, mut left) = (String::new(), at);
        loop {
            name.insert(0, char::from_digit(left % 26 + 10, 36).unwrap_or('_'));
            left /= 26;
            if left == 0 {
                return name;
            }
        }
    })
}

fn with_exports(glue: &str, exported: &HashMap<&str, String>) -> String {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let mut pieces = glue.split(EXPORTS);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_at(piece.find(|letter| !is_part(letter)).unwrap_or(piece.len()));
        // Another word may end in `wasm`.
        let is_other = text.ends_with(is_part);
        text.push_str(EXPORTS);
        text.push_str(exported.get(name).filter(|_| !is_other).map_or(name, String::as_str));
        text.push_str(rest);
    }
    text
}

fn each_import(module: &[u8]) -> Result<Vec<Import<'_>>, Trouble> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::ImportSection(imports) = payload.map_err(|error| unreadable(&error))? {
            for import in imports.into_imports() {
                found.push(import.map_err(|error| unreadable(&error))?);
            }
        }
    }
    Ok(found)
}

fn imports(module: &[u8], names: &HashMap<&str, String>) -> Result<Vec<u8>, Trouble> {
    let mut section = ImportSection::new();
    for import in each_import(module)? {
        let kind = RoundtripReencoder.entity_type(import.ty).map_err(|error| unreadable(&error))?;
        section.import(import.module, names.get(import.name).map_or(import.name, String::as_str), kind);
    }
    Ok(content(&section))
}

fn exports(whole: &Whole<'_>, names: &HashMap<&str, String>) -> Result<Vec<u8>, Trouble> {
    let mut section = ExportSection::new();
    for (name, kind, index) in &whole.exports {
        let kind = RoundtripReencoder.export_kind(*kind).map_err(|error| unreadable(&error))?;
        section.export(names.get(name).map_or(name, String::as_str), kind, *index);
    }
    Ok(content(&section))
}

fn unreadable(error: &impl std::fmt::Display) -> Trouble {
    Trouble::new(format!("a module's names can't be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        CodeSection, EntityType, ExportKind, Function, FunctionSection, Instruction, Module, TypeSection,
    };

    #[test]
    fn shortens_names_in_module_and_glue() {
        let hash = "0123456789abcdef";
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        for name in
            [format!("__wbg_view_{hash}"), format!("__wbg_load_part_{hash}"), "__wbindgen_x".to_owned()]
        {
            imports.import("glue", &name, EntityType::Function(0));
        }
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut exports = ExportSection::new();
        exports.export("graph_check", ExportKind::Func, 3);
        let mut code = CodeSection::new();
        let mut body = Function::new([]);
        body.instruction(&Instruction::End);
        code.function(&body);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&exports).section(&code);
        let glue = format!(
            "{{ __wbg_view_{hash}: f, __wbg_load_part_{hash}: g }}; wasm.graph_check(); my_wasm.graph_check(); wasm.memory"
        );
        let (module, glue) = shortened(&module.finish(), &glue).unwrap();
        wasmparser::validate(&module).unwrap();
        let whole = Whole::read(&module).unwrap();
        assert_eq!(whole.imports, ["a", &format!("__wbg_load_part_{hash}"), "__wbindgen_x"]);
        assert_eq!(whole.exports.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), ["a"]);
        let expected =
            format!("{{ a: f, __wbg_load_part_{hash}: g }}; wasm.a(); my_wasm.graph_check(); wasm.memory");
        assert_eq!(glue, expected);
    }

    #[test]
    fn refuses_glue_that_lacks_an_import() {
        let mut imports = ImportSection::new();
        let mut types = TypeSection::new();
        types.ty().function([], []);
        imports.import("glue", "__wbg_view_0123456789abcdef", EntityType::Function(0));
        let mut module = Module::new();
        module.section(&types).section(&imports);
        let refused = shortened(&module.finish(), "").unwrap_err();
        assert!(refused.sentence.contains("`__wbg_view_0123456789abcdef`"));
    }

    #[test]
    fn names_differ() {
        let some: Vec<String> = names().take(800).collect();
        assert_eq!(
            [&some[0], &some[25], &some[26], &some[51], &some[52], &some[676]],
            ["a", "z", "ba", "bz", "ca", "baa"]
        );
        assert_eq!(some.iter().collect::<std::collections::HashSet<_>>().len(), 800);
    }
}
