//! Builds the package's modules: the engine, compiled for size but for the crate `stepgraph-engine`, and the
//! editor's, compiled for speed. Each has its own copy of the core.

use std::fs;
use std::path::Path;
use stepgraph_tools::Trouble;
use stepgraph_tools::cargo::{self, Crate};
use stepgraph_tools::parts::{self, Names};
use stepgraph_tools::shrink::{self, Aim};
use stepgraph_tools::stamp::Stamp;
use wasm_bindgen_cli_support::Bindgen;

/// A loop instead of 64 copies: 2 kB less, gzipped.
const COMPACT_HASH: &str = "--cfg=sha2_backend_soft=\"compact\"";
/// Functions with large frames are not inlined: 1.5 kB less, gzipped, and no slower.
const SMALL_FRAMES: &str = "-Cllvm-args=-inline-max-stacksize=32";
/// Views that know their parts only as views are compiled once: 116 kB less, gzipped. Only Leptos reads this,
/// so engine and page share their other dependencies.
const ERASED: &str = "--cfg=erase_components";

pub(crate) const FOR_SIZE: &[&str] = &[COMPACT_HASH, SMALL_FRAMES, ERASED];

/// The linker keeps its relocations, which tell what data each function uses.
const ENGINE: Crate = Crate {
    package: "stepgraph-wasm",
    module: "stepgraph_wasm",
    profile: "release",
    select: &["--lib"],
    flags: FOR_SIZE,
    last: &["--crate-type=cdylib", "-Clink-arg=--emit-relocs", "-Cstrip=none"],
};
/// The first part is always loaded.
const ENGINE_FILES: Names<'_> = Names {
    whole: "stepgraph_wasm_bg.wasm",
    parts: &[
        "stepgraph_first.wasm",
        "stepgraph_calls.wasm",
        "stepgraph_mistakes.wasm",
        "stepgraph_language.wasm",
        "stepgraph_planners.wasm",
        "stepgraph_rest.wasm",
    ],
};

/// The first client loads it.
pub(crate) const WIRE: Crate = Crate {
    package: "stepgraph-wire",
    module: "stepgraph_wire",
    profile: "release",
    select: &["--lib"],
    flags: FOR_SIZE,
    last: &["--crate-type=cdylib"],
};

pub(crate) const EDITOR: Crate = Crate {
    package: "stepgraph-editor",
    module: "stepgraph_editor",
    profile: "editor",
    select: &["--lib"],
    flags: &[COMPACT_HASH],
    last: &["--crate-type=cdylib"],
};

/// Builds glue, whole module and parts into `wasm/pkg`.
pub(crate) fn engine(root: &Path) -> Result<(), Trouble> {
    let linked = fs::read(cargo::compile(root, &ENGINE)?)?;
    let folder = root.join("wasm").join("pkg");
    let profile = |name: &str| fs::read(root.join("scripts").join("lib").join(name));
    let (script, plans) = (profile("profile.mjs")?, profile("profile-plans.mjs")?);
    let mistakes = profile("profile-mistakes.mjs")?;
    let stamp = Stamp::new(&[&linked, &script, &plans, &mistakes, &optimizer(root)?])?;
    let file = folder.join(".stepgraph_wasm.stamp");
    if stamp.is_fresh(&file) {
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    let glue_files = ["stepgraph_wasm_bg.wasm.d.ts", "stepgraph_wasm.js", "stepgraph_wasm.d.ts"];
    let products = [&[ENGINE_FILES.whole], ENGINE_FILES.parts, &glue_files].concat();
    stamp.make(&file, &products, || {
        let mut bindgen = Bindgen::new();
        // The splitter finds functions by the linker's names.
        bindgen.input_bytes(ENGINE.module, linked.clone()).demangle(false);
        bindgen.typescript(true).omit_default_module_path(true);
        glue(&mut bindgen, &folder)?;
        parts::make(root, &folder, &ENGINE_FILES, &linked)
    })
}

/// Builds a module and its glue into `wasm/pkg`.
pub(crate) fn package(root: &Path, made: &Crate) -> Result<(), Trouble> {
    let compiled = cargo::compile(root, made)?;
    let bytes = fs::read(&compiled)?;
    shrink::refuse_unwanted(&bytes)?;
    let folder = root.join("wasm").join("pkg");
    let product = folder.join(format!("{}_bg.wasm", made.module));
    let stamp = Stamp::new(&[&bytes, &optimizer(root)?])?;
    let file = folder.join(format!(".{}.stamp", made.module));
    if stamp.is_fresh(&file) {
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    let products =
        ["_bg.wasm", "_bg.wasm.d.ts", ".js", ".d.ts"].map(|ending| format!("{}{ending}", made.module));
    stamp.make(&file, &products.each_ref().map(String::as_str), || {
        let mut bindgen = Bindgen::new();
        bindgen.input_bytes(made.module, bytes.clone()).typescript(true).omit_default_module_path(true);
        glue(&mut bindgen, &folder)?;
        shrink::shrink(root, &product, Aim::Speed)
    })
}

pub(crate) fn glue(bindgen: &mut Bindgen, folder: &Path) -> Result<(), Trouble> {
    let written = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    written.map_err(|error| Trouble::new(format!("wasm-bindgen failed: {error:#}")))
}

/// Another wasm-opt makes another module.
pub(crate) fn optimizer(root: &Path) -> Result<Vec<u8>, Trouble> {
    Ok(fs::read(root.join("node_modules").join("binaryen").join("package.json"))?)
}
