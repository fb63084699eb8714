//! Fuzzes the engine's readers:
//! `cargo run -p stepgraph-tests --bin fuzz -- [--runs N] [--seconds N] [--seed 1] [--keep FILE] [TARGET ...]`.
//!
//! The search shortens a failing input and stores it in `tests/suite/fuzz`, which every test run tries again.
//! `--runs` defaults to the usual number times `STEPGRAPH_SEARCH`. `--seconds` replaces it. `--keep` writes
//! each input to a file first, for inputs that kill the process.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use stepgraph_tests::fuzz::search::{Search, folder, run_target, shortest};
use stepgraph_tests::fuzz::{TARGETS, Target};
use stepgraph_tests::search;

/// A slower input counts as a bug.
const INPUT_TIMEOUT: Duration = Duration::from_secs(20);
/// 15 000 inputs take 14 s of CPU for all targets, 50 000 would take 46 s.
const RUNS: usize = 15_000;
/// WebAssembly gives a little less stack.
const STACK: usize = 2 * 1024 * 1024;

#[derive(Debug, Clone)]
struct Options {
    /// Replaces `runs`.
    seconds: Option<u64>,
    seed: u64,
    runs: usize,
    keep: Option<String>,
    targets: Vec<String>,
}

fn options() -> Result<Options, String> {
    let mut found =
        Options { seconds: None, seed: 1, runs: search::tries(RUNS), keep: None, targets: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        let number = |text: String| text.parse().map_err(|_| format!("{text} is no number"));
        match word.as_str() {
            "--seconds" => found.seconds = Some(number(value()?)?),
            "--seed" => found.seed = number(value()?)?,
            "--runs" => found.runs = value()?.parse().map_err(|_| "--runs wants a number")?,
            "--keep" => found.keep = Some(value()?),
            name if TARGETS.iter().any(|target| target.name == name) => found.targets.push(word),
            other => return Err(format!("{other} is neither a setting nor a target")),
        }
    }
    Ok(found)
}

fn main() -> ExitCode {
    // `report` prints the shortest failing input once.
    std::panic::set_hook(Box::new(|_| {}));
    let options = match options() {
        Ok(options) => options,
        Err(error) => {
            print_line(&error);
            return ExitCode::from(2);
        }
    };
    let chosen =
        |target: &&Target| options.targets.is_empty() || options.targets.iter().any(|n| n == target.name);
    let broken = TARGETS.iter().filter(chosen).filter(|target| !survives(target, &options)).count();
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn survives(target: &'static Target, options: &Options) -> bool {
    let current = Arc::new(Mutex::new(Vec::new()));
    let (done, waits) = mpsc::channel();
    let (shared, own) = (Arc::clone(&current), options.clone());
    let worker =
        std::thread::Builder::new().stack_size(STACK).spawn(move || search(target, &own, &shared, &done));
    if worker.is_err() {
        print_line("no thread can be made");
        return false;
    }
    loop {
        match waits.recv_timeout(INPUT_TIMEOUT) {
            Ok(Progress::Alive) => {}
            Ok(Progress::Ended(survived)) => return survived,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let input = current.lock().map(|input| input.clone()).unwrap_or_default();
                report(target, &input, "it takes too long");
                return false;
            }
        }
    }
}

enum Progress {
    Alive,
    Ended(bool),
}

fn search(
    target: &'static Target,
    options: &Options,
    current: &Mutex<Vec<u8>>,
    done: &mpsc::Sender<Progress>,
) {
    let mut hunt = Search::new(target, options.seed);
    let started = now();
    let mut told = started;
    let goes_on = |tried: usize| match options.seconds {
        Some(seconds) => started.elapsed() < Duration::from_secs(seconds),
        None => tried < options.runs,
    };
    while goes_on(hunt.tried) {
        let input = hunt.propose();
        if let Some(file) = &options.keep {
            // A failed write must not stop the search.
            let _ = std::fs::write(file, &input);
        }
        if let Ok(mut current) = current.lock() {
            current.clone_from(&input);
        }
        if hunt.attempt(&input).is_err() {
            let short = shortest(target, &input);
            let why = run_target(target, &short).err().unwrap_or_default();
            report(target, &short, &why);
            // The receiver lives until the process ends.
            let _ = done.send(Progress::Ended(false));
            return;
        }
        if told.elapsed() > Duration::from_secs(1) {
            told = now();
            let _ = done.send(Progress::Alive);
        }
    }
    let (tried, sights) = (hunt.tried, hunt.outcome_count());
    print_line(&format!("{}: {tried} inputs, {sights} kinds of outcome, nothing broke", target.name));
    let _ = done.send(Progress::Ended(true));
}

#[expect(clippy::disallowed_methods, reason = "how long to search is the runner's to decide")]
fn now() -> Instant {
    Instant::now()
}

fn report(target: &Target, input: &[u8], why: &str) {
    let name = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let folder = folder(target.name);
    let path = folder.join(format!("{name:016x}"));
    let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input));
    let place = kept.map_or_else(|error| error.to_string(), |()| path.display().to_string());
    print_line(&format!("{}: {why}\n  {:?}\n  kept in {place}", target.name, String::from_utf8_lossy(input)));
}

fn print_line(text: &str) {
    // A closed output can't be reported anywhere.
    let _ = writeln!(io::stdout().lock(), "{text}");
}
