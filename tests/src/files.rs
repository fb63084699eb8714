//! Finds the repository's files that tests read.

use std::path::{Path, PathBuf};

/// Returns a folder's path.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// Returns a folder's sorted files with these extensions, none if it is missing.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| ends(path, endings)).collect()
}

/// Does as [`files`], with subfolders.
pub fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let below = |path: PathBuf| {
        if path.is_dir() { files_below(&path, endings) } else { vec![path] }
    };
    let all = entries(folder).into_iter().flat_map(below);
    all.filter(|path| ends(path, endings)).collect()
}

/// Returns names and texts, skipping files that are not UTF-8.
pub fn texts(files: impl IntoIterator<Item = PathBuf>) -> Vec<(String, String)> {
    let text = |path: PathBuf| Some((path.display().to_string(), std::fs::read_to_string(&path).ok()?));
    files.into_iter().filter_map(text).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

fn ends(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending))
}
