//! Builds the page's module: a first part, and the lazy part that the code marks with `lazy!`.
//!
//! The lazy part's name contains a hash, so that parts of two builds never meet.

use super::recipe::{FOR_SIZE, glue, optimizer};
use std::fs;
use std::path::{Path, PathBuf};
use stepgraph_tools::Trouble;
use stepgraph_tools::cargo::{self, Crate};
use stepgraph_tools::names;
use stepgraph_tools::shrink::{self, Aim};
use stepgraph_tools::stamp::Stamp;
use wasm_bindgen_cli_support::Bindgen;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For visitors.
    Small,
    /// One unoptimized module, for development.
    Quick,
}

/// The linker keeps its relocations: the splitter reads from them what code and data each function uses.
const SMALL: Crate = Crate {
    package: "stepgraph-playground",
    module: "stepgraph-playground",
    profile: "release",
    select: &["--bin", "stepgraph-playground", "--features", "split"],
    flags: FOR_SIZE,
    last: &["-Clink-arg=--emit-relocs", "-Cstrip=none"],
};
const QUICK: Crate = Crate {
    package: "stepgraph-playground",
    module: "stepgraph-playground",
    profile: "page",
    select: &["--bin", "stepgraph-playground"],
    flags: &[],
    last: &[],
};

const NAME: &str = "stepgraph-playground";
/// Contains function names. It is outside the module's folder, which is shipped.
const NAMED: &str = "../named.wasm";
/// In the module's folder.
const STAMP: &str = ".stamp";
/// Loads the lazy part synchronously, as the page needs it. It replaces the splitter's asynchronous loader.
const LOADER: &str = "./js/bridge.js";

/// The old module stays until the new one is complete.
pub(crate) fn build(root: &Path, form: Form) -> Result<(), Trouble> {
    let made = if form == Form::Small { &SMALL } else { &QUICK };
    let bytes = fs::read(cargo::compile(root, made)?)?;
    let name = if form == Form::Small { "module" } else { "quick" };
    let generated = root.join("playground").join("generated");
    let (folder, next) = (generated.join(name), generated.join(format!("{name}.next")));
    let stamp = Stamp::new(&[&bytes, &optimizer(root)?])?;
    if stamp.is_fresh(&folder.join(STAMP)) {
        return Ok(());
    }
    remove(&next)?;
    fs::create_dir_all(&next)?;
    let (main, script) = (format!("{NAME}_bg.wasm"), format!("{NAME}.js"));
    let rest = format!("{NAME}_rest-{}.wasm", stamp.short());
    let products: &[&str] =
        if form == Form::Small { &[&main, &script, &rest, NAMED] } else { &[&main, &script] };
    stamp.make(&next.join(STAMP), products, || match form {
        Form::Quick => glue(bindgen().input_bytes(NAME, bytes.clone()), &next),
        Form::Small => small(root, &bytes, &next.join(&main), &next.join(&rest)),
    })?;
    remove(&folder)?;
    Ok(fs::rename(next, folder)?)
}

fn remove(folder: &Path) -> Result<(), Trouble> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

fn bindgen() -> Bindgen {
    let mut bindgen = Bindgen::new();
    bindgen.typescript(false).omit_default_module_path(true);
    bindgen
}

/// Writes `main` with its glue, and `rest`.
fn small(root: &Path, module: &[u8], main: &Path, rest: &Path) -> Result<(), Trouble> {
    let folder = main.parent().unwrap_or(root);
    let first = split(folder, module, rest)?;
    let mut bindgen = bindgen();
    // The lazy part imports memory, function table and stack pointer by these names.
    bindgen.input_path(&first).out_name(NAME).keep_lld_exports(true);
    glue(&mut bindgen, folder)?;
    // This copy keeps the names: it shows the contents of the first load.
    fs::rename(first, folder.join(NAMED))?;
    shrink::shrink(root, rest, Aim::Size)?;
    shrink::shrink(root, main, Aim::Size)?;
    // The bridge knows the exports.
    let script = folder.join(format!("{NAME}.js"));
    let (module, text) = names::short_imports(&fs::read(main)?, &fs::read_to_string(&script)?)?;
    fs::write(main, module)?;
    Ok(fs::write(script, text)?)
}

/// Returns the first part's path.
fn split(folder: &Path, module: &[u8], rest: &Path) -> Result<PathBuf, Trouble> {
    let first = folder.join("first.wasm");
    let main = format!("./{NAME}.js");
    let mut options = wasm_split_cli_support::Options::new(module);
    options.output_dir = folder;
    options.main_out_path = &first;
    options.main_module = &main;
    options.link_name = LOADER;
    fs::create_dir_all(folder.join("js"))?;
    let done = wasm_split_cli_support::transform(options);
    let done = done.map_err(|error| Trouble::new(format!("splitting the page failed: {error:#}")))?;
    fs::remove_dir_all(folder.join("js"))?;
    let [lazy] = done.split_modules.as_slice() else {
        return Err(Trouble::new(format!(
            "the page has {} lazy parts and not one",
            done.split_modules.len()
        )));
    };
    fs::rename(lazy, rest)?;
    Ok(first)
}
