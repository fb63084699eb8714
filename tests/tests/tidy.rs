//! The architecture as a test: forbidden and required things in the project's files.
//!
//! The rules read all files that git knows, even those that no compiler reads. Each rule returns sentences that state
//! the problem and the remedy. Each is tested on a file that breaks it, so none stops working unnoticed.

use std::path::{Path, PathBuf};
use std::process::Command;

struct File {
    /// Path from the root, with `/`.
    path: String,
    text: String,
}

type Found = Vec<String>;

struct Rule {
    check: fn(&[File]) -> Found,
    broken: (&'static str, &'static str),
}

const RULES: &[Rule] = &[
    Rule {
        check: modules_import_downwards,
        broken: ("core/src/node/agent.rs", "use crate::machine::Run;\n"),
    },
    Rule { check: core_is_pure, broken: ("core/src/graph.rs", "use std::time::Instant;") },
    Rule { check: only_the_driver_waits, broken: ("core/src/machine.rs", "async fn step() {}") },
    Rule { check: wires_are_pure, broken: ("wasm/wire/src/mcp/session.rs", "use web_sys::Request;") },
    Rule {
        check: modules_outside_the_page_are_pure,
        broken: ("playground/src/gesture.rs", "use leptos::ev;"),
    },
    Rule {
        check: only_commands_change_the_plan,
        broken: ("playground/src/page/canvas.rs", "use stepgraph_authoring::edit;"),
    },
    Rule { check: only_node_entries_name_node, broken: ("wasm/js/run.ts", "import { x } from \"node:fs\";") },
    Rule { check: files_are_short, broken: ("core/src/long.rs", LONG) },
    Rule { check: code_is_narrow, broken: ("wasm/js/wide.ts", WIDE) },
    Rule { check: modules_say_what_they_decide, broken: ("core/src/graph.rs", "use std::fmt;") },
    Rule {
        check: nothing_is_printed_for_programmers,
        broken: ("core/src/a.rs", concat!("format!(\"{text:", "?}\")")),
    },
    Rule { check: no_test_is_skipped, broken: ("tests/cli/a.test.mjs", "test.skip('x', f)") },
    Rule { check: nothing_sleeps, broken: ("core/src/a.rs", "std::thread::sleep(second)") },
    Rule { check: nothing_is_left_to_do, broken: ("core/src/a.rs", "fn later() { todo!() }") },
    Rule {
        check: dependencies_have_reasons,
        broken: ("Cargo.toml", "[workspace.dependencies]\nleft-pad = \"1\"\n"),
    },
    Rule { check: wasm_bindgen_is_pinned, broken: ("Cargo.toml", "wasm-bindgen = \"0.2\"\n") },
    Rule { check: lock_files_name_no_hosts, broken: ("package-lock.json", "\"resolved\": \"x\"") },
    Rule { check: no_registry_is_named, broken: ("README.md", concat!("from registry.", "npmjs.", "org")) },
    Rule { check: no_machine_is_named, broken: ("README.md", concat!("see `/ho", "me/me/plan.yaml`")) },
    Rule { check: links_lead_somewhere, broken: ("README.md", "[plan](examples/not-there.yaml)") },
    Rule { check: everything_has_its_place, broken: ("utils/helpers.rs", "") },
];

/// 401 lines.
const LONG: &str = text(&[b'\n'; 401]);
/// 121 characters.
const WIDE: &str = text(&[b'x'; 121]);

const fn text<const N: usize>(letters: &'static [u8; N]) -> &'static str {
    match std::str::from_utf8(letters) {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[test]
fn the_project_is_tidy() {
    let files = project();
    assert!(files.len() > 10, "git lists the files of the project; is this a checkout?");
    let found: Found = RULES.iter().flat_map(|rule| (rule.check)(&files)).collect();
    assert!(found.is_empty(), "{} to tidy:\n  {}", found.len(), found.join("\n  "));
}

#[test]
fn every_rule_finds_its_breach() {
    for Rule { check, broken: (path, text) } in RULES {
        let file = File { path: (*path).to_owned(), text: (*text).to_owned() };
        assert_eq!(check(&[file]).len(), 1, "{path}: {text}");
    }
}

/// Modules of each crate from the bottom up. Each may import only those before it. Cargo orders the crates.
const ORDERS: &[(&str, &[&str])] = &[
    ("core/plan/src/", &["secret_names", "key", "kind", "stub", "graph"]),
    (
        "core/src/",
        &[
            "flows",
            "tool",
            "model",
            "failure",
            "capabilities",
            "toolplan",
            "partial_condition",
            "node",
            "check",
            "machine",
            "stub",
            "trace_json",
            "cassette",
            "host",
            "driver",
            "replay",
        ],
    ),
    ("core/authoring/src/", &["edit", "interop", "compare", "language"]),
];

/// A reader can then go from the bottom up.
fn modules_import_downwards(files: &[File]) -> Found {
    let rust = files.iter().filter(|file| is(file, &["rs"]) && !file.path.ends_with("/tests.rs"));
    rust.flat_map(imports_upwards).collect()
}

/// Also reports modules with no place in the order.
fn imports_upwards(file: &File) -> Found {
    let Some((inside, order)) =
        ORDERS.iter().find_map(|(folder, order)| Some((file.path.strip_prefix(folder)?, order)))
    else {
        return Found::new();
    };
    let own = inside.split('/').next().unwrap_or_default().trim_end_matches(".rs");
    if own == "lib" {
        return Found::new();
    }
    let Some(place) = order.iter().position(|module| *module == own) else {
        return vec![format!("{}: give the module a place in `ORDERS`", file.path)];
    };
    let above = order.get(place + 1..).unwrap_or_default();
    let paths: Vec<String> = above.iter().map(|module| format!("crate::{module}")).collect();
    let mut words: Vec<&str> = paths.iter().map(String::as_str).collect();
    words.push("crate::{");
    mentions(
        file,
        &words,
        "import only modules that stand before this one in `ORDERS`, each by a line of its own",
    )
}

/// The host provides clock, files and browser.
fn core_is_pure(files: &[File]) -> Found {
    const FOREIGN: &[&str] = &[
        "wasm_bindgen",
        "js_sys",
        "web_sys",
        "tokio",
        "std::time",
        "std::fs",
        "std::env",
        "std::net",
        "std::thread",
        "rand::",
        "tsify",
    ];
    let words = |file| {
        mentions(file, FOREIGN, "the core has no clock, files, randomness or JavaScript; pass the value in")
    };
    core(files).flat_map(words).collect()
}

/// Decisions and waits belong in different files.
fn only_the_driver_waits(files: &[File]) -> Found {
    let waits = |path: &str| path.ends_with("/driver.rs") || path.ends_with("/host.rs");
    let advice = "only `driver` and `host` wait; return a command and take the answer as an event";
    core(files)
        .filter(|file| !waits(&file.path))
        .flat_map(|file| mentions(file, &["async", ".await"], advice))
        .collect()
}

/// Wire formats convert values to bytes and back. Another file sends them.
fn wires_are_pure(files: &[File]) -> Found {
    const PURE: &[&str] = &[
        "wasm/wire/src/sse",
        "wasm/wire/src/http",
        "wasm/wire/src/mcp/message",
        "wasm/wire/src/mcp/session",
        "wasm/wire/src/model/",
    ];
    let pure = |file: &&File| PURE.iter().any(|start| file.path.starts_with(start));
    let advice = "wire formats send nothing; leave it to the host";
    files.iter().filter(pure).flat_map(|file| mentions(file, &["fetch", "web_sys"], advice)).collect()
}

/// Modules outside the page run their tests with no browser.
fn modules_outside_the_page_are_pure(files: &[File]) -> Found {
    let room = |file: &&File| {
        let page =
            |file: &File| file.path.starts_with("playground/src/page/") || file.path.ends_with("src/page.rs");
        file.path.starts_with("playground/src/") && !page(file)
    };
    let words = ["leptos", "web_sys", "js_sys", "wasm_bindgen"];
    let advice = "the page calls what is decided here; a browser belongs below `page`";
    files.iter().filter(room).flat_map(|file| mentions(file, &words, advice)).collect()
}

/// Gestures, keys and forms go through `plan_editor`, so that each change can be undone.
fn only_commands_change_the_plan(files: &[File]) -> Found {
    let component = |file: &&File| file.path.starts_with("playground/src/page/");
    let advice = "components change the plan by `Store::change` and what `plan_editor` offers";
    files
        .iter()
        .filter(component)
        .flat_map(|file| lines_with(file, &["stepgraph_authoring::edit"], advice))
        .collect()
}

fn only_node_entries_name_node(files: &[File]) -> Found {
    let anywhere = |file: &&File| {
        file.path.starts_with("wasm/js/")
            && !file.path.starts_with("wasm/js/cli/")
            && !file.path.contains("/node/")
            && ![
                "wasm/js/node.ts",
                "wasm/js/module-files.ts",
                "wasm/js/node-modules.ts",
                "wasm/js/editor/node.ts",
                "wasm/js/integrations/audit/node.ts",
                "wasm/js/integrations/store/node.ts",
            ]
            .contains(&file.path.as_str())
    };
    let advice =
        "browsers load this file; move what needs Node to a `node.ts`, to a folder `node` or to `cli/`";
    files.iter().filter(anywhere).flat_map(|file| lines_with(file, &["\"node:"], advice)).collect()
}

/// Without tests.
const MAX_LINES: usize = 400;

fn files_are_short(files: &[File]) -> Found {
    let source = |file: &&File| {
        [
            "core/",
            "wasm/",
            "tests/src/",
            "tools/src/",
            "playground/src/",
            "playground/js/",
            "editors/",
            "scripts/",
        ]
        .iter()
        .any(|start| file.path.starts_with(start))
            && !file.path.ends_with("/tests.rs")
            && is(file, &["rs", "ts", "mjs", "js"])
    };
    let long = |file: &File| {
        let lines = without_tests(&file.text).lines().count();
        (lines > MAX_LINES)
            .then(|| format!("{}: {lines} lines of at most {MAX_LINES}; split it by topic", file.path))
    };
    files.iter().filter(source).filter_map(long).collect()
}

/// The formatter breaks code but no literals, so only these may exceed 120 characters.
fn code_is_narrow(files: &[File]) -> Found {
    const WIDTH: usize = 120;
    let scripts = files.iter().filter(|file| is(file, &["mjs", "js", "ts"]));
    let wide = |file: &File| {
        let code = without_literals(&file.text);
        let lines = code.lines().enumerate().filter(|(_, line)| line.chars().count() > WIDTH);
        let place =
            |(number, _)| format!("{}:{}: more than {WIDTH} characters of code", file.path, number + 1);
        lines.map(place).collect::<Found>()
    };
    scripts.flat_map(wide).collect()
}

fn modules_say_what_they_decide(files: &[File]) -> Found {
    let opening = |file: &File| {
        let wanted = match Path::new(&file.path).extension()?.to_str()? {
            "rs" => "//!",
            "mjs" | "ts" if !file.path.starts_with("tests/") => "/**",
            _ => return None,
        };
        // A crate's front page is its README.
        let page = "#![doc = include_str!(\"../README.md\")]\n";
        let text = ["#!/usr/bin/env node\n", page].iter().find_map(|head| file.text.strip_prefix(head));
        let text = text.unwrap_or(&file.text);
        (!text.starts_with(wanted))
            .then(|| format!("{}: begin with `{wanted}` and what the file decides", file.path))
    };
    files.iter().filter_map(opening).collect()
}

/// The build tool empties `Debug` implementations in WebAssembly.
fn nothing_is_printed_for_programmers(files: &[File]) -> Found {
    let shipped = |file: &&File| {
        ["core/", "wasm/", "playground/src/"].iter().any(|start| file.path.starts_with(start))
            && is(file, &["rs"])
            && !file.path.contains("tests")
    };
    let advice = "use `Display` or `json_text`: the module has no `Debug`";
    let print = |file: &File| {
        let lines = without_tests(&file.text).lines().enumerate();
        let hits = lines.filter(|(_, line)| line.contains(concat!(":", "?}")) && !line.contains("write!(f,"));
        hits.map(|(number, _)| format!("{}:{}: {advice}", file.path, number + 1)).collect::<Found>()
    };
    files.iter().filter(shipped).flat_map(print).collect()
}

/// Assert the wrong behaviour with a note instead of skipping.
fn no_test_is_skipped(files: &[File]) -> Found {
    let rust = ["#[ignore", "#[should_panic"];
    let script = ["test.skip", "it.skip", "describe.skip", ".only(", "skip: true", "todo: true"];
    let advice = "tests run, all of them; assert what is so, with a note";
    by_language(files, &rust, &script, advice)
}

/// A fixed delay is too short or too long. Wait for the event, for example by polling a server.
fn nothing_sleeps(files: &[File]) -> Found {
    const SLEEPS: &[&str] = &["setTimeout(resolve", "setTimeout(done", "setTimeout(r,", "timers/promises"];
    let advice = "wait for what is to happen, not for a time";
    let tests = files.iter().filter(|file| file.path.ends_with(".test.mjs"));
    let tests = tests.flat_map(|file| lines_with(file, SLEEPS, advice));
    tests.chain(by_language(files, &["thread::sleep"], &[], advice)).collect()
}

/// File an issue instead.
fn nothing_is_left_to_do(files: &[File]) -> Found {
    by_language(
        files,
        &["todo!(", "unimplemented!(", "dbg!("],
        &["console.debug("],
        "finish it or file an issue",
    )
}

fn dependencies_have_reasons(files: &[File]) -> Found {
    let Some(manifest) = named(files, "Cargo.toml") else { return Found::new() };
    let section = manifest.text.split("[workspace.dependencies]").nth(1).unwrap_or_default();
    let mut reasoned = false;
    let mut found = Found::new();
    for line in section.lines().skip(1).take_while(|line| !line.starts_with('[')) {
        if line.starts_with('#') || line.is_empty() {
            reasoned = line.starts_with('#');
        } else if !reasoned && !line.contains("path = ") {
            found.push(format!("Cargo.toml: `{line}`: write in a comment above it why it is needed"));
        }
    }
    found
}

/// The `wasm-bindgen` crate, the library that generates the glue, and trunk's version must match exactly.
fn wasm_bindgen_is_pinned(files: &[File]) -> Found {
    let places = [
        ("Cargo.toml", "wasm-bindgen = "),
        ("tools/Cargo.toml", "wasm-bindgen-cli-support = "),
        ("playground/Trunk.toml", "wasm_bindgen = "),
    ];
    let lines = places.iter().filter_map(|(path, start)| {
        let file = named(files, path)?;
        Some((path, file.text.lines().find(|line| line.starts_with(start))?))
    });
    let version = |line: &str| {
        let part = |c: char| c.is_ascii_digit() || c == '.';
        let texts = line.split('"').map(|text| text.trim_start_matches('='));
        let mut versions = texts.filter(|text| text.chars().all(part) && text.matches('.').count() == 2);
        versions.next().map(str::to_owned)
    };
    let found: Vec<_> = lines.map(|(path, line)| (path, line, version(line))).collect();
    let wanted = found.first().and_then(|(.., version)| version.clone());
    let loose = |(path, line, version): &(&&str, &str, Option<String>)| {
        let is_pinned = line.contains("\"=") || path.ends_with("Trunk.toml");
        !is_pinned || *version != wanted
    };
    let say = |(path, line, _): (&&str, &str, Option<String>)| {
        format!("{path}: `{line}`: pin it with `=`, and to one version everywhere")
    };
    found.into_iter().filter(loose).map(say).collect()
}

/// A lock file must work behind mirrors.
fn lock_files_name_no_hosts(files: &[File]) -> Found {
    let lock = |file: &&File| file.path.ends_with("package-lock.json");
    let advice = "make it anew with `npm install --package-lock-only`; `.npmrc` leaves the hosts out";
    let npm = files.iter().filter(lock).flat_map(|file| lines_with(file, &["\"resolved\":"], advice));
    let cargo = named(files, "Cargo.lock")
        .into_iter()
        .flat_map(|file| lines_with(file, &["git+"], "use a released version"));
    npm.chain(cargo).collect()
}

/// A fixed host fails for everybody behind a mirror.
fn no_registry_is_named(files: &[File]) -> Found {
    const HOSTS: &[&str] = &[
        concat!("registry.", "npmjs."),
        concat!("index.crates", ".io"),
        concat!("static.crates", ".io"),
        concat!("files.python", "hosted."),
        concat!("deb.", "debian."),
        concat!("/releases", "/download/"),
    ];
    files
        .iter()
        .flat_map(|file| lines_with(file, HOSTS, "name the package, not the host it comes from"))
        .collect()
}

/// Committed paths exist on every machine.
fn no_machine_is_named(files: &[File]) -> Found {
    const FOLDERS: &[&str] = &[
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("/Us", "ers/"),
        concat!("/t", "mp/"),
        concat!("/wo", "rk/"),
    ];
    let begins = |line: &str, at: usize| {
        line.get(..at)
            .and_then(|before| before.chars().last())
            .is_none_or(|c| !c.is_alphanumeric() && !"._-~$}/*".contains(c))
    };
    let absolute =
        |line: &str| FOLDERS.iter().any(|folder| line.match_indices(folder).any(|(at, _)| begins(line, at)));
    let place = |file: &File, (number, _): (usize, &str)| {
        format!("{}:{}: a path of one machine; use a relative one", file.path, number + 1)
    };
    let check = |file: &File| {
        file.text
            .lines()
            .enumerate()
            .filter(|(_, line)| absolute(line))
            .map(|line| place(file, line))
            .collect::<Found>()
    };
    files.iter().flat_map(check).collect()
}

fn links_lead_somewhere(files: &[File]) -> Found {
    let markdown = files.iter().filter(|file| is(file, &["md"]));
    markdown.flat_map(|file| links(&file.text).into_iter().filter_map(|link| dead(file, link))).collect()
}

fn dead(file: &File, link: &str) -> Option<String> {
    let target =
        link.split(['#', '?', ' ']).next().filter(|target| !target.is_empty() && !target.contains(':'))?;
    let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
    let there = root().join(folder).join(target.trim_start_matches('/')).exists();
    (!there).then(|| format!("{}: the link to `{target}` leads nowhere", file.path))
}

/// Ignores code blocks.
fn links(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split(')').next()).collect()
}

/// The top-level folders are the project's map. A new one is a decision that belongs here.
fn everything_has_its_place(files: &[File]) -> Found {
    const FOLDERS: &[&str] =
        &[".ci", "core", "docs", "editors", "examples", "playground", "scripts", "tests", "tools", "wasm"];
    let lost = |file: &&File| file.path.split_once('/').is_some_and(|(top, _)| !FOLDERS.contains(&top));
    let advice = "a new folder at the top belongs in the design's layout and in this list";
    files.iter().filter(lost).map(|file| format!("{}: {advice}", file.path)).collect()
}

fn core(files: &[File]) -> impl Iterator<Item = &File> {
    files
        .iter()
        .filter(|file| file.path.starts_with("core/") && file.path.contains("/src/") && is(file, &["rs"]))
}

/// This file names all words, so it is excluded.
fn by_language(files: &[File], rust: &[&str], script: &[&str], advice: &str) -> Found {
    let rusty = files.iter().filter(|file| is(file, &["rs"]) && !file.path.ends_with("/tidy.rs"));
    let scripts =
        files.iter().filter(|file| is(file, &["mjs", "js", "ts"]) && file.path.starts_with("tests/"));
    let rusty = rusty.flat_map(|file| lines_with(file, rust, advice));
    rusty.chain(scripts.flat_map(|file| lines_with(file, script, advice))).collect()
}

/// Searches for whole words outside comments and tests.
fn mentions(file: &File, words: &[&str], advice: &str) -> Found {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let lines = without_tests(&file.text).lines().map(code).enumerate();
    let hits = lines.filter_map(|(number, line)| {
        words.iter().find(|word| stands_alone(&line, word)).map(|word| (number, *word))
    });
    hits.map(|(number, word)| format!("{}:{}: `{word}`: {advice}", file.path, number + 1)).collect()
}

fn lines_with(file: &File, words: &[&str], advice: &str) -> Found {
    let hits = file.text.lines().enumerate();
    let hits = hits.filter_map(|(number, line)| {
        words.iter().find(|word| line.contains(**word)).map(|word| (number, *word))
    });
    hits.map(|(number, word)| format!("{}:{}: `{word}`: {advice}", file.path, number + 1)).collect()
}

fn stands_alone(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().last());
        let after = line.get(at + word.len()..).and_then(|text| text.chars().next());
        let joined =
            |edge: Option<char>, next: Option<char>| edge.is_some_and(part) && next.is_some_and(part);
        !joined(word.chars().next(), before) && !joined(word.chars().last(), after)
    })
}

/// Removes strings, templates and regular expressions. A `${}` goes with its template.
fn without_literals(script: &str) -> String {
    let mut kept = String::new();
    // Open constructs by first character. A comment is `*` or a line break.
    let mut open: Vec<char> = Vec::new();
    // After one of these, `/` starts a regular expression.
    let (mut last, before_regex) = ('\n', "\n(,=:[!&|?{;>");
    let mut letters = script.chars().peekable();
    let is_literal = |open: &[char]| open.iter().any(|by| matches!(by, '"' | '\'' | '`' | '/'));
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        let was_literal = is_literal(&open);
        match (open.last().copied(), letter) {
            (Some('\n'), '\n') => drop(open.pop()),
            (Some('*'), '/') if last == '*' => drop(open.pop()),
            (Some('\n' | '*'), _) => {}
            (Some('"' | '\'' | '`' | '/' | '['), '\\') => drop(letters.next()),
            (Some('['), ']') => drop(open.pop()),
            (Some('/'), '[') => open.push('['),
            (Some('`'), '$') if next == Some('{') => open.extend(letters.next()),
            (Some(by @ ('"' | '\'' | '`' | '/')), _) if by == letter => drop(open.pop()),
            (Some('"' | '\'' | '`' | '/' | '['), _) => {}
            (_, '}') => drop(open.pop()),
            (_, '{' | '"' | '\'' | '`') => open.push(letter),
            (_, '/') if next == Some('/') => open.push('\n'),
            (_, '/') if next == Some('*') => open.push('*'),
            (_, '/') if before_regex.contains(last) => open.push('/'),
            (_, '/') if !was_literal && kept.ends_with("return ") => open.push('/'),
            _ => {}
        }
        if letter == '\n' || !was_literal && !is_literal(&open) {
            kept.push(letter);
        }
        if !letter.is_whitespace() && open.last() != Some(&'\n') {
            last = letter;
        }
    }
    kept
}

fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\n").next().unwrap_or(text)
}

fn is(file: &File, endings: &[&str]) -> bool {
    Path::new(&file.path)
        .extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| endings.contains(&ending))
}

fn named<'a>(files: &'a [File], path: &str) -> Option<&'a File> {
    files.iter().find(|file| file.path == path)
}

fn project() -> Vec<File> {
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let listed = Command::new("git")
        .args(arguments)
        .current_dir(root())
        .output()
        .map(|done| done.stdout)
        .unwrap_or_default();
    let names = String::from_utf8_lossy(&listed).into_owned();
    let read = |path: &str| {
        std::fs::read_to_string(root().join(path)).ok().map(|text| File { path: path.to_owned(), text })
    };
    names.split('\0').filter(|path| !path.is_empty()).filter_map(read).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
