//! Makes the parts of a module: a first one, which all its users need, and others for rarer work.
//!
//! A profile decides: a script does typical work with counters. A function that does not run there goes to a
//! part by its name. Code that does not run in a function that does becomes a function of a later part.
//!
//! Invariant: the profile decides only when a function loads, never the module's behaviour.

use super::Trouble;
use super::split::Placement;
use super::whole::Whole;
use super::{counters, data, outline, sections, shrink, split};
use std::fs;
use std::path::Path;
use std::process::Command;

const DID_NOT_RUN: u8 = u8::MAX;

/// How a module is divided.
#[derive(Debug)]
pub struct Division<'a> {
    /// The whole module's file.
    pub whole: &'a str,
    /// The parts' files: first the one that is always loaded, last that of code that did not run.
    pub parts: &'a [&'a str],
    /// Writes one byte for each function and block: its part.
    pub script: &'a str,
    /// Rust modules with the parts of their functions that did not run.
    pub named: &'a [(&'a str, u8)],
}

impl Division<'_> {
    fn rest(&self) -> u8 {
        u8::try_from(self.parts.len().saturating_sub(1)).unwrap_or(u8::MAX)
    }

    fn part_of(&self, name: &str) -> u8 {
        let name = name.trim_start_matches('<');
        let named = self.named.iter().find(|(module, _)| name.starts_with(module));
        named.map_or(self.rest(), |(_, part)| *part)
    }
}

/// Optimizes the module in `folder` and writes its parts. `linked` is the linker's module, with relocations.
pub fn make(root: &Path, folder: &Path, division: &Division<'_>, linked: &[u8]) -> Result<(), Trouble> {
    let whole = folder.join(division.whole);
    shrink::reduce_with_names(root, &whole)?;
    let named = fs::read(&whole)?;
    shrink::refuse_unwanted(&named)?;
    let profile = profile(root, folder, division, &named)?;
    let outlined = outline::outline(&named, &profile.functions, &profile.blocks)?;
    let placement = Placement { part_of: &outlined.part_of, origins: &outlined.origins };
    let parts = split::split(&outlined.module, placement, &data::read(linked)?)?;
    if parts.len() != division.parts.len() {
        return Err(Trouble::new(format!(
            "the profile has {} parts and not {}",
            parts.len(),
            division.parts.len()
        )));
    }
    for (name, part) in division.parts.iter().zip(parts) {
        let file = folder.join(name);
        fs::write(&file, part)?;
        shrink::arrange_part(root, &file)?;
    }
    shrink::arrange(root, &whole, &[])
}

/// The part of each function, and of each block in it.
struct Profile {
    functions: Vec<u8>,
    blocks: Vec<Vec<u8>>,
}

fn profile(root: &Path, folder: &Path, division: &Division<'_>, named: &[u8]) -> Result<Profile, Trouble> {
    let blocks = outline::blocks(named)?;
    let counted = counters::with_counters(named, &blocks)?;
    let file = |ending: &str| folder.join(format!(".{}.{ending}", division.whole));
    let (module, result) = (file("counted"), file("profile"));
    fs::write(&module, &counted.module)?;
    let numbers = [counted.address.to_string(), counted.counters.to_string()];
    let done = Command::new("node")
        .arg(root.join(division.script))
        .arg(&module)
        .args(numbers)
        .arg(&result)
        .output()?;
    if !done.status.success() {
        return Err(Trouble::of(
            format!("the profile of `{}` failed", division.whole),
            String::from_utf8_lossy(&done.stderr),
        ));
    }
    let ran = fs::read(&result)?;
    fs::remove_file(&module)?;
    fs::remove_file(&result)?;
    let names = sections::own_names(named)?;
    let (functions, mut rest) = ran.split_at_checked(names.len()).unwrap_or_default();
    let mut profile = Profile { functions: Vec::new(), blocks: Vec::new() };
    for (part, name) in functions.iter().zip(&names) {
        profile.functions.push(if *part == DID_NOT_RUN { division.part_of(name) } else { *part });
    }
    for own in &blocks {
        let (parts, others) = rest.split_at_checked(own.len()).unwrap_or_default();
        profile.blocks.push(parts.iter().map(|part| (*part).min(division.rest())).collect());
        rest = others;
    }
    for (blocks, name) in profile.blocks.iter_mut().zip(&names) {
        if BY_ADDRESS.iter().any(|part| name.contains(part)) {
            blocks.fill(0);
        }
    }
    pin_comparisons(named, &names, &mut profile)?;
    Ok(profile)
}

/// What runs in these depends on addresses, so their blocks stay together.
const BY_ADDRESS: &[&str] = &["dlmalloc", "hashbrown"];

/// Moves the comparisons of hash tables, with all that they call, to the first module. They run when hashes
/// collide, which depends on addresses, so the profile can't show which ones are needed.
fn pin_comparisons(named: &[u8], names: &[String], profile: &mut Profile) -> Result<(), Trouble> {
    let whole = Whole::read(named)?;
    let is_comparison =
        |name: &String| name.contains("hashbrown::raw::RawTable") && name.contains("::find::{{closure}}");
    let mut pinned: Vec<usize> =
        names.iter().enumerate().filter(|(_, name)| is_comparison(name)).map(|(at, _)| at).collect();
    while let Some(at) = pinned.pop() {
        profile.blocks.get_mut(at).map_or(&mut [][..], |blocks| blocks).fill(0);
        if let Some(part) = profile.functions.get_mut(at).filter(|part| **part > 0) {
            *part = 0;
            let called = whole.calls.get(at).into_iter().flatten();
            pinned.extend(
                called.filter_map(|called| called.checked_sub(whole.imported())).map(|own| own as usize),
            );
        }
    }
    Ok(())
}
