//! Remembers what a product was made from, so that it is not made again.
//!
//! Invariant: the stamp goes before the product changes and comes back after it, so an interrupted build counts as none.

use super::Trouble;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// A product that is made from some bytes.
#[derive(Debug)]
pub(crate) struct Stamp {
    file: PathBuf,
    key: String,
}

impl Stamp {
    /// The stamp of a product, kept in `file`, that is made from `parts` by this very program.
    pub(crate) fn new(file: PathBuf, parts: &[&[u8]]) -> Result<Self, Trouble> {
        let mut hash = Sha256::new();
        hash.update(fs::read(std::env::current_exe()?)?);
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let key = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { file, key })
    }

    /// Whether all products are there and were made from the same.
    pub(crate) fn is_fresh(&self, products: &[&Path]) -> bool {
        products.iter().all(|product| product.is_file())
            && fs::read_to_string(&self.file).is_ok_and(|key| key == self.key)
    }

    /// Makes the products by `make`, and remembers that.
    pub(crate) fn make(&self, make: impl FnOnce() -> Result<(), Trouble>) -> Result<(), Trouble> {
        if self.file.exists() {
            fs::remove_file(&self.file)?;
        }
        make()?;
        Ok(fs::write(&self.file, &self.key)?)
    }
}
