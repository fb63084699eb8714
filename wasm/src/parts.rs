//! Loads the parts of a split module.
//!
//! The build splits the engine's module by when its functions run. The splitter writes the calls of `load_part`, so no
//! Rust code calls it.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "../dist/parts.js")]
extern "C" {
    /// Loads a part, and all earlier ones.
    fn load_part(part: u32);
}

/// Loads a part before a function needs it. Keeps the import in the module.
#[wasm_bindgen]
pub fn require_part(part: u32) {
    load_part(part);
}
