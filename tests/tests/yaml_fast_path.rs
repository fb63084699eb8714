//! Plain YAML takes a fast path with no parser, and gives the same result.
//!
//! The inputs are random texts, this repository's texts, and mutations of both. `STEPGRAPH_SEARCH=n` multiplies their
//! number by n.

use stepgraph_core::source::{Format, parse, parse_with_parser};
use stepgraph_tests::files::{files_below, folder};
use stepgraph_tests::fuzz::mutate::Numbers;
use stepgraph_tests::search;
use stepgraph_tests::yaml::written;

/// Pieces that often change a text's meaning.
const PIECES: [&str; 46] = [
    " ", "  ", "\t", "\n", "\r", "\r\n", "\n\n", ":", ": ", "-", "- ", "\n- ", "#", " #", "# ", "'", "\"",
    "''", "\\", "{", "}", "[", "]", ",", "|", ">", "|-\n", "|+\n", "&a ", "*a", "!", "!!str ", "? ", "%",
    "@", "`", "~", "---", "\n---\n", "\n...\n", "é", "\u{feff}", "\u{85}", "a", "0", "a: b",
];

fn agrees(text: &str) -> bool {
    let (quick, careful) = (parse(text, Format::Yaml), parse_with_parser(text));
    assert!(quick == careful, "the readings differ: {text:?}\n{quick:#?}\n{careful:#?}");
    careful.root.is_some() && careful.diagnostics.is_empty()
}

fn changed(text: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for _ in 0..=numbers.below(2) {
        if lines.is_empty() {
            break;
        }
        let at = numbers.below(lines.len());
        let mut line = lines.remove(at);
        let places: Vec<usize> = line.char_indices().map(|(place, _)| place).collect();
        let place = places.get(numbers.below(places.len().max(1))).copied().unwrap_or(0);
        match numbers.below(8) {
            0 => continue,
            1 => line.insert_str(0, &" ".repeat(1 + numbers.below(3))),
            2 if line.starts_with(' ') => drop(line.remove(0)),
            3 if !line.is_empty() => drop(line.remove(place)),
            4 => {
                let to = numbers.below(lines.len() + 1);
                lines.insert(to, line);
                continue;
            }
            _ => line.insert_str(place, PIECES.get(numbers.below(PIECES.len())).copied().unwrap_or("x")),
        }
        lines.insert(at, line);
    }
    lines.concat()
}

#[test]
fn random_texts() {
    let (mut sound, mut broken) = (0, 0);
    for seed in 0..search::tries(3_000) as u64 {
        let mut numbers = Numbers::new(seed);
        let text = written(&mut numbers);
        assert!(agrees(&text), "{text}");
        for _ in 0..6 {
            let ok = agrees(&changed(&text, &mut numbers));
            (sound, broken) = (sound + usize::from(ok), broken + usize::from(!ok));
        }
    }
    assert!(sound > 1_000 && broken > 1_000, "{sound} {broken}");
}

#[test]
fn texts_of_this_repository() {
    let folders = ["examples", "tests/suite", "core/flows", "tests/source"];
    let files = folders.iter().flat_map(|name| files_below(&folder(name), &["yaml", "txt"]));
    let files: Vec<_> = files.collect();
    assert!(files.len() > 20);
    for (seed, file) in files.iter().enumerate() {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        agrees(&text);
        let mut numbers = Numbers::new(seed as u64);
        let parts: Vec<&str> = text.split("\n\n").collect();
        for _ in 0..search::tries(100) {
            // A whole large file would mostly repeat itself.
            let part = parts.get(numbers.below(parts.len())).copied().unwrap_or_default();
            agrees(part);
            agrees(&changed(part, &mut numbers));
        }
    }
}
