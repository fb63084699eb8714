//! Remembers what a product was made from, so that it is not made again.
//!
//! Invariant: the stamp goes before the product changes and comes back after it, so an interrupted build counts as none.

use super::Trouble;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A product that is made from some bytes.
#[derive(Debug)]
pub struct Stamp {
    file: PathBuf,
    key: String,
}

impl Stamp {
    /// The stamp of a product, kept in `file`, that is made from `parts` by this very program.
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

    /// Whether all products are there and were made from the same.
    pub fn is_fresh(&self, products: &[&Path]) -> bool {
        products.iter().all(|product| product.is_file())
            && fs::read_to_string(&self.file).is_ok_and(|key| key == self.key)
    }

    /// Makes the products by `make`, and remembers that.
    pub fn make(&self, make: impl FnOnce() -> Result<(), Trouble>) -> Result<(), Trouble> {
        if self.file.exists() {
            fs::remove_file(&self.file)?;
        }
        make()?;
        Ok(fs::write(&self.file, &self.key)?)
    }
}
