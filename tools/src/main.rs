//! The build tool: makes the WebAssembly modules of the package and of the page.
//!
//! Invariants: 1. The same sources give the same bytes. 2. An unchanged module is not built again. 3. A
//! failure names the step and shows its output.

mod page;
mod recipe;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use stepgraph_tools::Trouble;

const USAGE: &str = "usage: stepgraph-tools engine|wire|editor|page|page-quick|--version";
/// The scripts ask for it before they use a cached tool.
const VERSION: &str = concat!("stepgraph-tools ", env!("CARGO_PKG_VERSION"));

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match work(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble { sentence, printed }) => {
            // A closed stream can't show an error either.
            drop(writeln!(
                std::io::stderr(),
                "{printed}{}{sentence}",
                if printed.is_empty() { "" } else { "\n" }
            ));
            ExitCode::FAILURE
        }
    }
}

fn work(arguments: &[String]) -> Result<(), Trouble> {
    if arguments == ["--version"] {
        return Ok(writeln!(std::io::stdout(), "{VERSION}")?);
    }
    let root = root()?;
    match arguments {
        [what] => match what.as_str() {
            "engine" => recipe::engine(&root),
            "wire" => recipe::wire(&root),
            "editor" => recipe::package(&root, &recipe::EDITOR),
            "page" => page::build(&root, page::Form::Small),
            "page-quick" => page::build(&root, page::Form::Quick),
            _ => Err(Trouble::new(USAGE)),
        },
        _ => Err(Trouble::new(USAGE)),
    }
}

/// The nearest parent folder with a lock file.
fn root() -> Result<PathBuf, Trouble> {
    let here = std::env::current_dir()?;
    let root = here.ancestors().find(|folder| folder.join("Cargo.lock").is_file());
    root.map(PathBuf::from)
        .ok_or_else(|| Trouble::new("run this inside a checkout: there is no Cargo.lock above"))
}
