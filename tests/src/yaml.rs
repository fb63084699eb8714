//! Random valid YAML as people write it: any style, odd indentation, comments everywhere.
//!
//! The same numbers give the same text.

use crate::fuzz::mutate::Numbers;

struct Writer<'n> {
    numbers: &'n mut Numbers,
    out: String,
    newline: &'static str,
    step: usize,
    /// Whether lists are indented only as deep as their keys.
    flush: bool,
    comments: usize,
    anchors: Vec<String>,
}

const KEYS: [&str; 14] = [
    "a",
    "b",
    "id",
    "nodes",
    "edges",
    "with",
    "x-y",
    "input",
    "\"q k\"",
    "'s'",
    "42",
    "long_key_name",
    "true",
    "ñ",
];
const SCALARS: [&str; 18] = [
    "1",
    "x",
    "two words",
    "\"double \\\" quoted\"",
    "'single '' quoted'",
    "~",
    "null",
    "true",
    "3.5",
    "-7",
    "0x1f",
    "last==1",
    "\"${a}\"",
    "'# no comment'",
    "http://127.0.0.1:1/x",
    "héllo",
    "a-b_c",
    "\"\"",
];

/// Generates a map.
pub fn written(numbers: &mut Numbers) -> String {
    let newline = if numbers.below(6) == 0 { "\r\n" } else { "\n" };
    let (step, flush) = (1 + numbers.below(4), numbers.below(2) == 0);
    let mut writer =
        Writer { numbers, out: String::new(), newline, step, flush, comments: 0, anchors: Vec::new() };
    writer.comment(0);
    writer.map(0, 0, false);
    let mut out = writer.out;
    if numbers.below(5) == 0 {
        out.truncate(out.trim_end().len());
    }
    out
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn chance(&mut self, one_of: usize) -> bool {
        self.numbers.below(one_of) == 0
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of.get(self.numbers.below(of.len())).copied().unwrap_or("x")
    }

    fn comment(&mut self, column: usize) {
        while self.chance(4) {
            self.out.push_str(&" ".repeat(column));
            self.comments += 1;
            self.put(&format!("# comment {}", self.comments));
            self.out.push_str(self.newline);
        }
        if self.chance(6) {
            self.out.push_str(self.newline);
        }
    }

    fn end(&mut self) {
        if self.chance(5) {
            self.comments += 1;
            self.put(&format!(" # beside {}", self.comments));
        }
        self.out.push_str(self.newline);
    }

    fn keys(&mut self) -> Vec<&'static str> {
        let mut keys = Vec::new();
        for _ in 0..=self.numbers.below(4) {
            let key = self.pick(&KEYS);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// If `compact`, the first entry continues the line.
    fn map(&mut self, column: usize, depth: usize, compact: bool) {
        for (at, key) in self.keys().into_iter().enumerate() {
            if at > 0 || !compact {
                self.comment(column);
                self.out.push_str(&" ".repeat(column));
            }
            self.out.push_str(key);
            self.out.push(':');
            self.value(column, depth + 1, false);
        }
    }

    fn list(&mut self, column: usize, depth: usize, compact: bool) {
        for at in 0..=self.numbers.below(3) {
            if at > 0 || !compact {
                self.comment(column);
                self.out.push_str(&" ".repeat(column));
            }
            self.out.push('-');
            self.value(column, depth + 1, true);
        }
    }

    /// Ends the line, too.
    fn value(&mut self, column: usize, depth: usize, dash: bool) {
        let anchored = self.chance(12);
        let inner = column + self.step;
        match self.numbers.below(if depth > 4 { 6 } else { 10 }) {
            0 => self.end(),
            1 if !self.anchors.is_empty() => {
                let at = self.numbers.below(self.anchors.len());
                let name = self.anchors.get(at).cloned().unwrap_or_default();
                self.put(&format!(" *{name}"));
                self.end();
            }
            2 => {
                let header = self.pick(&["|", "|-", ">", ">-", "|+"]);
                self.put(&format!(" {header}{}", self.newline));
                for _ in 0..=self.numbers.below(2) {
                    self.put(&format!("{}some text # as it is{}", " ".repeat(inner), self.newline));
                    if self.chance(4) {
                        self.out.push_str(self.newline);
                    }
                }
            }
            3 => {
                self.anchor(anchored);
                self.out.push(' ');
                self.flow(column, 0);
                self.end();
            }
            4..=6 => {
                self.anchor(anchored);
                let scalar = self.pick(&SCALARS);
                self.put(&format!(" {scalar}"));
                self.end();
            }
            kind => {
                let compact = dash && !anchored && self.chance(2);
                let before = self.anchors.len();
                self.anchor(anchored);
                // An alias inside its own anchor would be invalid.
                let own = (self.anchors.len() > before).then(|| self.anchors.pop()).flatten();
                if compact {
                    self.out.push(' ');
                    if kind == 7 {
                        self.list(column + 2, depth, true);
                    } else {
                        self.map(column + 2, depth, true);
                    }
                } else {
                    self.end();
                    if kind == 7 {
                        let inner = if self.flush && !dash { column } else { inner };
                        self.list(inner, depth, false);
                    } else {
                        self.map(inner, depth, false);
                    }
                }
                self.anchors.extend(own);
            }
        }
    }

    fn anchor(&mut self, anchored: bool) {
        if anchored {
            let name = format!("n{}", self.anchors.len());
            if !self.out.contains(&format!("&{name}")) {
                self.put(&format!(" &{name}"));
                self.anchors.push(name);
            }
        }
    }

    fn flow(&mut self, column: usize, depth: usize) {
        let (tall, map) = (self.chance(4), self.chance(2));
        let inner = column + self.step + 1;
        let between = if tall { format!("{}{}", self.newline, " ".repeat(inner)) } else { String::new() };
        self.out.push(if map { '{' } else { '[' });
        let keys = self.keys();
        let count = if self.chance(5) { 0 } else { keys.len() };
        for (at, key) in keys.into_iter().take(count).enumerate() {
            if at > 0 {
                self.out.push(',');
                if tall && self.chance(4) {
                    self.comments += 1;
                    self.put(&format!(" # after {}", self.comments));
                }
                self.out.push(' ');
            }
            self.out.push_str(&between);
            if map {
                self.put(&format!("{key}: "));
            }
            if depth < 2 && self.chance(4) {
                self.flow(inner, depth + 1);
            } else {
                let scalar = self.pick(&SCALARS);
                self.out.push_str(scalar);
            }
        }
        if count > 0 && self.chance(6) {
            self.out.push_str(", ");
        }
        if tall {
            self.put(&format!("{}{}", self.newline, " ".repeat(column + 1)));
        }
        self.out.push(if map { '}' } else { ']' });
    }
}
