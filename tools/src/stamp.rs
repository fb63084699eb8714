//! Skips a build step if neither inputs nor outputs have changed, as `scripts/lib/stamps.mjs` does.
//!
//! A stamp is a file beside the products: the hash of the inputs, then hash and name of each product.
//! Invariant: it is deleted before the step and written after it, so an interrupted step runs again.

use super::Trouble;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A step's inputs.
#[derive(Debug)]
pub struct Stamp {
    key: String,
}

impl Stamp {
    /// `parts` are all inputs but this program.
    pub fn new(parts: &[&[u8]]) -> Result<Self, Trouble> {
        let own = fs::read(std::env::current_exe()?)?;
        Ok(Self { key: hash(std::iter::once(own.as_slice()).chain(parts.iter().copied())) })
    }

    /// A short name of the inputs.
    pub fn short(&self) -> &str {
        self.key.get(..12).unwrap_or(&self.key)
    }

    /// Whether these inputs made the present products.
    pub fn is_fresh(&self, file: &Path) -> bool {
        let Ok(text) = fs::read_to_string(file) else { return false };
        let mut lines = text.lines();
        let has_key = lines.next() == Some(&self.key);
        let mut products = lines.map(|line| line.split_once(' ').unwrap_or_default()).peekable();
        has_key
            && products.peek().is_some()
            && products.all(|(hash, name)| hash_of(file, name).is_ok_and(|now| now == hash))
    }

    /// Runs the step and writes the stamp. `products` are file names beside it.
    pub fn make(
        &self,
        file: &Path,
        products: &[&str],
        make: impl FnOnce() -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        if file.exists() {
            fs::remove_file(file)?;
        }
        make()?;
        let mut text = format!("{}\n", self.key);
        for name in products {
            let hash = hash_of(file, name)
                .map_err(|error| Trouble::new(format!("the step made no `{name}`: {error}")))?;
            // Writing into a text can't fail.
            writeln!(text, "{hash} {name}").unwrap_or_default();
        }
        Ok(fs::write(file, text)?)
    }
}

fn hash_of(file: &Path, name: &str) -> std::io::Result<String> {
    let bytes = fs::read(file.with_file_name(name))?;
    Ok(hash([bytes.as_slice()]))
}

/// Lengths tell apart lists that are the same when joined.
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    let mut text = String::new();
    for byte in sum.finalize() {
        // Writing into a text can't fail.
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    type Spoil = fn(&Path) -> std::io::Result<()>;

    #[test]
    fn reruns_a_step_when_inputs_or_outputs_change() -> Result<(), Trouble> {
        let folder = std::env::temp_dir().join(format!("stepgraph-stamp-{}", std::process::id()));
        fs::create_dir_all(folder.join("in"))?;
        let file = folder.join("in").join(".stamp");
        let stamp = Stamp::new(&[b"a", b"b"])?;
        assert!(!stamp.is_fresh(&file));
        let make = || {
            fs::write(folder.join("in").join("a.wasm"), "module")?;
            Ok(fs::write(folder.join("b.js"), "glue")?)
        };
        let products = ["a.wasm", "../b.js"];
        let spoils: [Spoil; 4] = [
            |product| fs::remove_file(product),
            |product| fs::write(product, ""),
            |product| fs::write(product, "modulf"),
            |product| fs::write(product, "module and more"),
        ];
        for name in products {
            for spoil in spoils {
                stamp.make(&file, &products, make)?;
                assert!(stamp.is_fresh(&file));
                spoil(&file.with_file_name(name))?;
                assert!(!stamp.is_fresh(&file), "{name}");
            }
        }
        stamp.make(&file, &products, make)?;
        assert!(!Stamp::new(&[b"ab"])?.is_fresh(&file));
        for text in ["", &stamp.key] {
            fs::write(&file, text)?;
            assert!(!stamp.is_fresh(&file), "{text}");
        }
        assert!(stamp.make(&file, &["none"], || Ok(())).is_err());
        assert!(!file.exists());
        Ok(fs::remove_dir_all(folder)?)
    }
}
