//! Compiles Rust for WebAssembly with cargo. Invariant: a module contains no path of this machine.

use super::Trouble;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// A crate to compile.
#[derive(Debug)]
pub struct Crate {
    /// The package's name.
    pub package: &'static str,
    /// The module's file name, without its ending.
    pub module: &'static str,
    /// The profile in `Cargo.toml`.
    pub profile: &'static str,
    /// Selects target and features.
    pub select: &'static [&'static str],
    /// For this crate and its dependencies.
    pub flags: &'static [&'static str],
    /// For the last step alone: dependencies are shared with other builds.
    pub last: &'static [&'static str],
}

/// Compiles a crate and returns its module's path, which only cargo knows.
pub fn compile(root: &Path, made: &Crate) -> Result<PathBuf, Trouble> {
    let mut command = Command::new("cargo");
    command.args(["rustc", "--package", made.package, "--profile", made.profile, "--target", TARGET]);
    command.args(made.select).args(["--message-format", "json-render-diagnostics"]);
    // In CI the lock file must fit. At home cargo updates it.
    if std::env::var_os("CI").is_some() {
        command.arg("--locked");
    }
    if !made.last.is_empty() {
        command.arg("--").args(made.last);
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags(root, made.flags)).current_dir(root);
    let done = command.output()?;
    if !done.status.success() {
        let printed = String::from_utf8_lossy(&done.stderr);
        return Err(Trouble::of(format!("compiling `{}` failed", made.package), printed));
    }
    artifact(&String::from_utf8_lossy(&done.stdout), made.module)
        .ok_or_else(|| Trouble::new(format!("cargo made no `{}.wasm`", made.module)))
}

/// Panics contain the path of their source file. Each is replaced by a short one that is the same on every
/// machine.
fn flags(root: &Path, own: &[&str]) -> String {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let crates = home.join("registry").join("src");
    let remapped = [
        format!("--remap-path-prefix={}=crates", crates.display()),
        format!("--remap-path-prefix={}=stepgraph", root.display()),
    ];
    let own = own.iter().map(|flag| (*flag).to_owned());
    remapped.into_iter().chain(own).collect::<Vec<_>>().join("\u{1f}")
}

/// Cargo prints a JSON object a line.
fn artifact(said: &str, module: &str) -> Option<PathBuf> {
    let file = format!("{module}.wasm");
    let messages = said.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let names = messages.flat_map(|message| {
        let names = message.get("filenames").and_then(|names| names.as_array().cloned());
        names.unwrap_or_default()
    });
    let paths = names.filter_map(|name| name.as_str().map(PathBuf::from));
    let own = paths.filter(|path| path.file_name().is_some_and(|name| name == file.as_str()));
    own.reduce(|_, last| last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_last_artifact_of_a_name() {
        let said = "{\"filenames\":[\"a/other.wasm\"]}\nnot json\n{\"filenames\":[\"a/m.wasm\",\"a/m.d\"]}\n{\"filenames\":[\"b/m.wasm\"]}";
        assert_eq!(artifact(said, "m"), Some(PathBuf::from("b/m.wasm")));
        assert_eq!(artifact(said, "x"), None);
    }

    #[test]
    fn remaps_paths_of_this_machine() {
        let flags = flags(Path::new("checkout"), &["--cfg=a"]);
        let parts: Vec<&str> = flags.split('\u{1f}').collect();
        assert_eq!(parts.len(), 3);
        assert!(parts[0].ends_with("=crates"));
        assert_eq!(&parts[1..], ["--remap-path-prefix=checkout=stepgraph", "--cfg=a"]);
    }
}
