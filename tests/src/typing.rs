//! Random edits as in an editor, ignoring meaning: typing, deleting, pasting, moving and indenting lines.
//!
//! The same numbers give the same edits.

use crate::fuzz::mutate::Numbers;
use stepgraph_core::diagnostic::{Span, TextEdit};

/// Mostly harmless texts, and some that change the meaning of everything around them.
const TYPED: [&str; 72] = [
    "a",
    "x",
    "1",
    "-",
    "_",
    " ",
    "  ",
    "\n",
    "\n  ",
    "\n    ",
    "\n      ",
    "\r\n",
    "\r",
    "\t",
    "\n\t",
    "\"",
    "'",
    "#",
    " #",
    "# c\n",
    ":",
    ": ",
    ":\n",
    "k: v",
    "k: v\n",
    "\nk: v\n",
    "- ",
    "\n- ",
    "-\n",
    "? ",
    "|",
    ">",
    ": |\n",
    ": >-\n  ",
    "|+\n\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    "{a: b}",
    "[1, 2]",
    "\"a\": ",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "<<: *a",
    "---",
    "---\n",
    "\n---\n",
    "...\n",
    "%",
    "%YAML 1.2\n",
    "ü",
    "😀",
    "é: ü\n",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{1}",
    "~",
    "null",
    "true",
    ".inf",
    "0x1f",
    "${output.a}",
    "${",
    "\\",
    "last==1",
    "type: log",
    "input",
];

/// Returns one edit, or several that belong together.
pub fn edits(text: &str, numbers: &mut Numbers) -> Vec<TextEdit> {
    match numbers.below(20) {
        0..=6 => vec![typed(text, numbers)],
        7..=9 => vec![deleted(text, numbers)],
        10 => vec![pasted(text, numbers)],
        11 => vec![line_deleted(text, numbers)],
        12 => line_moved(text, numbers),
        13 | 14 => indented(text, numbers),
        15 => vec![break_deleted(text, numbers)],
        16 => vec![rewritten(text, numbers)],
        17 => vec![at_an_end(text, numbers)],
        _ => {
            let mut both = vec![typed(text, numbers), deleted(text, numbers)];
            both.sort_by_key(|edit| (edit.span.start, edit.span.end));
            if both.first().zip(both.last()).is_some_and(|(a, b)| a.span.end > b.span.start) {
                both.truncate(1);
            }
            both
        }
    }
}

fn place(text: &str, numbers: &mut Numbers) -> usize {
    let any = numbers.below(text.len() + 1);
    let rest = text.get(text.floor_char_boundary(any)..).unwrap_or_default();
    let at = text.len() - rest.len();
    let found = match numbers.below(6) {
        0 => rest.find('\n'),
        1 => rest.find('\n').map(|at| at + 1),
        2 => rest.find(": ").map(|at| at + 2),
        3 => rest.find([':', '"', '\'', '-', '#', '{', '[']),
        4 => {
            rest.find('\n').and_then(|at| rest.get(at + 1..)?.find(|c| c != ' ').map(|blank| at + 1 + blank))
        }
        _ => None,
    };
    at + found.unwrap_or(0)
}

fn replace(start: usize, end: usize, text: &str) -> TextEdit {
    TextEdit { span: Span::new(start, end), text: text.to_owned() }
}

fn typed(text: &str, numbers: &mut Numbers) -> TextEdit {
    let at = place(text, numbers);
    replace(at, at, numbers.one(&TYPED).unwrap_or("x"))
}

fn deleted(text: &str, numbers: &mut Numbers) -> TextEdit {
    let start = place(text, numbers);
    let length = if numbers.below(6) == 0 { numbers.below(60) } else { 1 + numbers.below(3) };
    let end = text.ceil_char_boundary((start + length).min(text.len()));
    replace(start, end, "")
}

fn rewritten(text: &str, numbers: &mut Numbers) -> TextEdit {
    TextEdit { text: typed(text, numbers).text, ..deleted(text, numbers) }
}

fn line(text: &str, numbers: &mut Numbers) -> Span {
    let at = text.floor_char_boundary(numbers.below(text.len() + 1));
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |line| line + 1);
    let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |line| at + line + 1);
    Span::new(start, end)
}

fn of(text: &str, span: Span) -> &str {
    text.get(span.start..span.end).unwrap_or_default()
}

fn pasted(text: &str, numbers: &mut Numbers) -> TextEdit {
    let (from, to) = (line(text, numbers), line(text, numbers));
    let end = if numbers.below(2) == 0 {
        from.end
    } else {
        text.ceil_char_boundary((from.end + 80).min(text.len()))
    };
    replace(to.start, to.start, of(text, Span::new(from.start, end)))
}

fn line_deleted(text: &str, numbers: &mut Numbers) -> TextEdit {
    let from = line(text, numbers);
    replace(from.start, from.end, "")
}

fn line_moved(text: &str, numbers: &mut Numbers) -> Vec<TextEdit> {
    let (from, to) = (line(text, numbers), line(text, numbers));
    let put = replace(to.start, to.start, of(text, from));
    let cut = replace(from.start, from.end, "");
    if to.start <= from.start { vec![put, cut] } else { vec![cut, put] }
}

fn indented(text: &str, numbers: &mut Numbers) -> Vec<TextEdit> {
    let mut at = line(text, numbers).start;
    let (lines, by, less) = (1 + numbers.below(4), 1 + numbers.below(4), numbers.below(2) == 0);
    let mut edits = Vec::new();
    for _ in 0..lines {
        let rest = text.get(at..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let cut = if less { blanks.min(by) } else { 0 };
        let put = if less { 0 } else { by };
        edits.push(replace(at, at + cut, &" ".repeat(put)));
        match rest.find('\n') {
            Some(end) => at += end + 1,
            None => break,
        }
    }
    edits
}

fn break_deleted(text: &str, numbers: &mut Numbers) -> TextEdit {
    let line = line(text, numbers);
    let start = of(text, line).trim_end_matches(['\n', '\r']).len() + line.start;
    replace(start, line.end, "")
}

fn at_an_end(text: &str, numbers: &mut Numbers) -> TextEdit {
    let put = numbers.one(&TYPED).unwrap_or("x");
    match numbers.below(4) {
        0 => replace(0, 0, put),
        1 => replace(text.len(), text.len(), put),
        2 => replace(0, text.ceil_char_boundary(text.len().min(1 + numbers.below(3))), ""),
        _ => {
            replace(text.floor_char_boundary(text.len().saturating_sub(1 + numbers.below(3))), text.len(), "")
        }
    }
}
