//! Remembers the inputs of a build step, so that an unchanged step is skipped.
//!
//! Invariant: the stamp is deleted before the step and written after it. An interrupted step therefore runs again.

use super::Trouble;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The stamp of a build step.
#[derive(Debug)]
pub struct Stamp {
    file: PathBuf,
    key: String,
}

impl Stamp {
    /// A stamp in `file` for a step that this program performs on `parts`.
    pub fn new(file: PathBuf, parts: &[&[u8]]) -> Result<Self, Trouble> {
        let mut hash = Sha256::new();
        hash.update(fs::read(std::env::current_exe()?)?);
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut key = String::new();
        for byte in hash.finalize() {
            // Writing into a text can't fail.
            write!(key, "{byte:02x}").unwrap_or_default();
        }
        Ok(Self { file, key })
    }

    /// A short name for the inputs: the same inputs have the same name.
    pub fn short(&self) -> &str {
        self.key.get(..12).unwrap_or(&self.key)
    }

    /// Whether all products exist and have the same inputs.
    pub fn is_fresh(&self, products: &[&Path]) -> bool {
        products.iter().all(|product| product.is_file())
            && fs::read_to_string(&self.file).is_ok_and(|key| key == self.key)
    }

    /// Runs the step and writes the stamp.
    pub fn make(&self, make: impl FnOnce() -> Result<(), Trouble>) -> Result<(), Trouble> {
        if self.file.exists() {
            fs::remove_file(&self.file)?;
        }
        make()?;
        Ok(fs::write(&self.file, &self.key)?)
    }
}
