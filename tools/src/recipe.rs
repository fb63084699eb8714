//! Builds the package's modules: the engine, compiled for size but for the crate `stepgraph-engine`, the
//! wire's, compiled for size, and the editor's, compiled for speed. Each has its own copy of the core.

use std::fs;
use std::path::Path;
use stepgraph_tools::Trouble;
use stepgraph_tools::cargo::{self, Crate};
use stepgraph_tools::names;
use stepgraph_tools::parts::{self, Division};
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

/// The linker keeps its relocations, which tell what data each function uses. `parts.ts` sets the stack pointer after
/// an exception.
const DIVIDED: &[&str] = &[
    "--crate-type=cdylib",
    "-Clink-arg=--emit-relocs",
    "-Clink-arg=--export=__stack_pointer",
    "-Cstrip=none",
];

const ENGINE: Crate = Crate {
    package: "stepgraph-wasm",
    module: "stepgraph_wasm",
    profile: "release",
    select: &["--lib"],
    flags: FOR_SIZE,
    last: DIVIDED,
};
const ENGINE_PARTS: Division<'_> = Division {
    whole: "stepgraph_wasm_bg.wasm",
    parts: &[
        "stepgraph_first.wasm",
        "stepgraph_open_calls.wasm",
        "stepgraph_calls.wasm",
        "stepgraph_common.wasm",
        "stepgraph_plans.wasm",
        "stepgraph_agents.wasm",
        "stepgraph_history.wasm",
        "stepgraph_mistakes.wasm",
        "stepgraph_hints.wasm",
        "stepgraph_language.wasm",
        "stepgraph_planners.wasm",
        "stepgraph_rest.wasm",
    ],
    script: "scripts/lib/profile.mjs",
    // Only nodes with planners run these.
    named: &[
        ("stepgraph_core::node::author", 10),
        ("stepgraph_core::node::gather", 10),
        ("stepgraph_core::node::guard", 10),
        ("stepgraph_core::node::plan", 10),
        ("stepgraph_core::node::react", 10),
        ("stepgraph_core::machine::gather_state", 10),
        ("stepgraph_core::machine::run::conversation::react", 10),
        ("stepgraph_core::machine::run::gather", 10),
        ("stepgraph_core::toolplan", 10),
    ],
};

/// The first client loads it.
const WIRE: Crate = Crate {
    package: "stepgraph-wire",
    module: "stepgraph_wire",
    profile: "release",
    select: &["--lib"],
    flags: FOR_SIZE,
    last: DIVIDED,
};
const WIRE_PARTS: Division<'_> = Division {
    whole: "stepgraph_wire_bg.wasm",
    parts: &[
        "stepgraph_wire_first.wasm",
        "stepgraph_wire_providers.wasm",
        "stepgraph_wire_auth.wasm",
        "stepgraph_wire_rest.wasm",
    ],
    script: "scripts/lib/profile-wire.mjs",
    named: &[
        ("stepgraph_wire::model::anthropic", 1),
        ("stepgraph_wire::model::gemini", 1),
        ("stepgraph_wire::model::openai_responses", 1),
        ("stepgraph_wire::mcp::auth", 2),
        ("stepgraph_wire::bindings::auth", 2),
    ],
};

pub(crate) const EDITOR: Crate = Crate {
    package: "stepgraph-editor",
    module: "stepgraph_editor",
    profile: "editor",
    select: &["--lib"],
    flags: &[COMPACT_HASH],
    last: &["--crate-type=cdylib"],
};

pub(crate) fn engine(root: &Path) -> Result<(), Trouble> {
    divided(root, &ENGINE, &ENGINE_PARTS)
}

pub(crate) fn wire(root: &Path) -> Result<(), Trouble> {
    divided(root, &WIRE, &WIRE_PARTS)
}

/// Builds glue, whole module and parts into `wasm/pkg`.
fn divided(root: &Path, made: &Crate, division: &Division<'_>) -> Result<(), Trouble> {
    let linked = fs::read(cargo::compile(root, made)?)?;
    let folder = root.join("wasm").join("pkg");
    let scripts = scripts(root)?;
    let mut inputs: Vec<&[u8]> = scripts.iter().map(Vec::as_slice).collect();
    let optimizer = optimizer(root)?;
    inputs.extend([linked.as_slice(), &optimizer]);
    let stamp = Stamp::new(&inputs)?;
    let file = folder.join(format!(".{}.stamp", made.module));
    if stamp.is_fresh(&file) {
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    let glue_files = ["_bg.wasm.d.ts", ".js", ".d.ts"].map(|ending| format!("{}{ending}", made.module));
    let glue_files = glue_files.each_ref().map(String::as_str);
    let products = [&[division.whole], division.parts, &glue_files].concat();
    stamp.make(&file, &products, || {
        let mut bindgen = Bindgen::new();
        // The splitter finds functions by the linker's names.
        bindgen.input_bytes(made.module, linked.clone()).demangle(false);
        bindgen.typescript(true).omit_default_module_path(true);
        glue(&mut bindgen, &folder)?;
        give_codes(&folder, made.module)?;
        shorten_names(&folder, made.module)?;
        parts::make(root, &folder, division, &linked)
    })
}

/// The profiles' scripts.
fn scripts(root: &Path) -> Result<Vec<Vec<u8>>, Trouble> {
    let folder = root.join("scripts").join("lib");
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Trouble>>()?;
    files.retain(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("profile")));
    files.sort();
    files.iter().map(|file| Ok(fs::read(file)?)).collect()
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
        give_codes(&folder, made.module)?;
        shrink::shrink(root, &product, Aim::Speed)
    })
}

pub(crate) fn glue(bindgen: &mut Bindgen, folder: &Path) -> Result<(), Trouble> {
    let written = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    written.map_err(|error| Trouble::new(format!("wasm-bindgen failed: {error:#}")))
}

/// How the glue throws errors of Rust's side, such as that an object is in use.
const THROWN: &str = "throw new Error(getStringFromWasm0(arg0, arg1));";

/// Users tell errors apart by their codes, and those of the glue have none. The script of the wire has no
/// copy of the class of errors.
fn give_codes(folder: &Path, module: &str) -> Result<(), Trouble> {
    let maker = if module == WIRE.module { "wire-loader" } else { "glue-error" };
    let file = folder.join(format!("{module}.js"));
    let text = fs::read_to_string(&file)?;
    if text.matches(THROWN).count() != 1 {
        return Err(Trouble::new(format!("the glue of `{module}` throws errors in another way")));
    }
    let text = text.replace(THROWN, "throw glueError(getStringFromWasm0(arg0, arg1));");
    Ok(fs::write(file, format!("import {{ glueError }} from \"../dist/{maker}.js\";\n{text}"))?)
}

/// In the glue's types, `InitOutput` still lists the long names. The library uses only its memory.
fn shorten_names(folder: &Path, module: &str) -> Result<(), Trouble> {
    let (binary, glue) = (folder.join(format!("{module}_bg.wasm")), folder.join(format!("{module}.js")));
    let (bytes, text) = names::shortened(&fs::read(&binary)?, &fs::read_to_string(&glue)?)?;
    fs::write(binary, bytes)?;
    Ok(fs::write(glue, text)?)
}

/// Another wasm-opt makes another module.
pub(crate) fn optimizer(root: &Path) -> Result<Vec<u8>, Trouble> {
    Ok(fs::read(root.join("node_modules").join("binaryen").join("package.json"))?)
}
