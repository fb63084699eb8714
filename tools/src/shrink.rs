//! Makes a module small and fast with wasm-opt.
//!
//! Source of the passes: measured with gzip at its best level, see `tests/bench/README.md`.

use super::Trouble;
use super::{order, panics};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The standard library's printer and reader of floats: one `{}` brings in 20 kB.
const UNWANTED: &[&str] = &["flt2dec", "dec2flt"];

/// The goal of optimization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// For engine and editors.
    Speed,
    /// For the page: saves 4 kB of 400.
    Size,
}

/// Inlining is off: two small functions compress better than one large one, which saves 16 kB, gzipped.
/// The lowest kilobyte of memory belongs to the stack and contains no data.
const OPTIMIZATIONS: &[&str] = &[
    "--low-memory-unused",
    "--one-caller-inline-max-function-size=0",
    "--always-inline-max-function-size=0",
    "--flexible-inline-max-function-size=0",
    "--reorder-functions-by-name",
];
/// Needs functions named after their places.
const ORDERING: &[&str] = &["--reorder-functions-by-name", "--generate-stack-ir", "--optimize-stack-ir"];
/// Rust's WebAssembly target uses these today. wasm-opt refuses others.
const FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Removes panic messages, optimizes and orders.
pub fn shrink(root: &Path, file: &Path, aim: Aim) -> Result<(), Trouble> {
    let level = if aim == Aim::Speed { "-O3" } else { "-Oz" };
    reduce(root, file, &[level])?;
    arrange(root, file, &[])
}

/// Optimizes for speed, and keeps the names.
pub(crate) fn reduce_with_names(root: &Path, file: &Path) -> Result<(), Trouble> {
    reduce(root, file, &["-O3", "--debuginfo"])
}

fn reduce(root: &Path, file: &Path, first: &[&str]) -> Result<(), Trouble> {
    fs::write(file, panics::without_panics(&fs::read(file)?)?)?;
    optimize(root, file, &[first, OPTIMIZATIONS].concat())
}

/// What the splitter moved out of a function takes and returns more than it needs: 1.7 kB, gzipped.
pub(crate) fn arrange_part(root: &Path, file: &Path) -> Result<(), Trouble> {
    arrange(root, file, &[&["-O3"], OPTIMIZATIONS].concat())
}

/// Each run of wasm-opt reads the module anew, which costs half a kilobyte, so the passes come in one.
pub(crate) fn arrange(root: &Path, file: &Path, passes: &[&str]) -> Result<(), Trouble> {
    optimize(root, file, &[&["--remove-unused-module-elements"], passes].concat())?;
    fs::write(file, order::named_by_likeness(&fs::read(file)?)?)?;
    optimize(root, file, ORDERING)
}

/// npm's wasm-opt is WebAssembly itself, so it runs wherever Node does.
fn optimize(root: &Path, file: &Path, passes: &[&str]) -> Result<(), Trouble> {
    let program = root.join("node_modules").join("binaryen").join("bin").join("wasm-opt");
    let mut command = Command::new("node");
    let done = command.arg(program).args(passes).args(FEATURES).arg(file).arg("-o").arg(file).output()?;
    if done.status.success() {
        return Ok(());
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Err(Trouble::of(format!("wasm-opt failed on `{name}`"), String::from_utf8_lossy(&done.stderr)))
}

/// Refuses the standard library's float printer and reader.
pub fn refuse_unwanted(module: &[u8]) -> Result<(), Trouble> {
    let holds = |name: &&&str| module.windows(name.len()).any(|bytes| bytes == name.as_bytes());
    match UNWANTED.iter().find(holds) {
        None => Ok(()),
        Some(name) => Err(Trouble::new(format!(
            "the module holds `{name}`, which is large: use `parse_float` and `value::number_text`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_module_that_prints_floats() {
        let told = refuse_unwanted(b"..core::num::flt2dec::x..").unwrap_err();
        assert!(told.sentence.contains("`flt2dec`"));
        assert!(refuse_unwanted(b"core::num").is_ok());
    }
}
