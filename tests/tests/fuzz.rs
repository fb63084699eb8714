//! Fuzzing within the tests: all regressions, and the search on a target that breaks.
//!
//! The binary `fuzz` searches for longer: see `docs/fuzzing.md`.

use std::collections::BTreeSet;
use stepgraph_tests::fuzz::search::{Search, regressions, run_target, shortest};
use stepgraph_tests::fuzz::{TARGETS, Target};
use stepgraph_tests::search;

#[test]
fn what_broke_once_holds() {
    for target in &TARGETS {
        for (path, bytes) in regressions(target.name) {
            assert_eq!(run_target(target, &bytes).err(), None, "{}", path.display());
        }
    }
}

#[test]
fn every_target_survives_its_seeds_and_some_changes() {
    for target in &TARGETS {
        let mut hunt = Search::new(target, 7);
        let seeds = (target.seeds)().len();
        assert!(seeds >= 3, "{} begins with {seeds} inputs", target.name);
        for _ in 0..seeds + search::tries(300) {
            let input = hunt.propose();
            let text = String::from_utf8_lossy(&input).into_owned();
            assert_eq!(hunt.attempt(&input), Ok(()), "{}: {text:?}", target.name);
        }
        assert!(hunt.outcome_count() > 3, "{} comes to {} things only", target.name, hunt.outcome_count());
    }
}

/// No seed combines these two tokens.
fn breaks(bytes: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(bytes);
    assert!(!(text.contains("&&") && text.contains(".exists")), "it breaks");
    u64::from(text.contains("&&"))
}

#[test]
fn the_search_finds_what_breaks_and_makes_it_short() {
    let seeds = || vec![b"last==a && last==b".to_vec(), b"last.exists || last==c".to_vec()];
    let target = Target { name: "none", check: breaks, seeds, words: &["(", ")", "x"] };
    let search = |seed: u64| {
        let mut hunt = Search::new(&target, seed);
        (0..2000).find_map(|_| {
            let input = hunt.propose();
            hunt.attempt(&input).is_err().then_some((input, hunt.tried))
        })
    };
    let (input, tried) = search(1).expect("it is found");
    assert_eq!(search(1), Some((input.clone(), tried)), "the same seed gives the same search");
    assert_eq!(run_target(&target, &input), Err("it breaks".to_owned()));
    let mut short = shortest(&target, &input);
    short.sort_unstable();
    assert_eq!(String::from_utf8(short).unwrap(), "&&.eisstx");
}

#[test]
fn every_folder_of_regressions_belongs_to_a_target() {
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/fuzz");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(names.contains(&name), "tests/suite/fuzz/{name} is no target");
    }
}
