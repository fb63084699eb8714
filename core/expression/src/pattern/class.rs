//! Character classes.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Class {
    ranges: Vec<(char, char)>,
    negated: bool,
}

impl Class {
    pub(super) fn of(ranges: &[(char, char)], negated: bool) -> Self {
        Self { ranges: ranges.to_vec(), negated }
    }

    pub(super) fn one(c: char) -> Self {
        Self::of(&[(c, c)], false)
    }

    pub(super) fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != self.negated
    }

    pub(super) fn add(&mut self, from: char, to: char) {
        self.ranges.push((from, to));
    }

    pub(super) fn join(&mut self, other: &Self) {
        if !other.negated {
            return self.ranges.extend(&other.ranges);
        }
        let mut next = '\0';
        // A class has few ranges.
        while let Some((from, to)) = other.ranges.iter().filter(|(_, to)| *to >= next).min() {
            if *from > next
                && let Some(end) = previous_char(*from)
            {
                self.ranges.push((next, end));
            }
            match next_char(*to) {
                Some(start) => next = start,
                None => return,
            }
        }
        self.ranges.push((next, char::MAX));
    }

    pub(super) fn negate(&mut self) {
        self.negated = !self.negated;
    }

    /// ASCII letters only.
    pub(super) fn fold_case(&mut self) {
        let mut more = Vec::new();
        for (from, to) in &self.ranges {
            for (low, high, shift) in [('a', 'z', -32), ('A', 'Z', 32)] {
                let (start, end) = ((*from).max(low), (*to).min(high));
                if start <= end {
                    more.push((shift_char(start, shift), shift_char(end, shift)));
                }
            }
        }
        self.ranges.append(&mut more);
    }

    /// Such as `\d`.
    pub(super) fn of_escape(c: char) -> Option<Self> {
        let ranges: &[(char, char)] = match c.to_ascii_lowercase() {
            'd' => &[('0', '9')],
            'w' => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
            's' => &[('\t', '\n'), ('\u{c}', '\r'), (' ', ' ')],
            _ => return None,
        };
        Some(Self::of(ranges, c.is_ascii_uppercase()))
    }

    /// Such as `alpha` in `[[:alpha:]]`.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let (name, negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        let ranges: &[(char, char)] = match name {
            "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
            "alpha" => &[('A', 'Z'), ('a', 'z')],
            "ascii" => &[('\0', '\u{7f}')],
            "blank" => &[('\t', '\t'), (' ', ' ')],
            "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
            "digit" => &[('0', '9')],
            "graph" => &[('!', '~')],
            "lower" => &[('a', 'z')],
            "print" => &[(' ', '~')],
            "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
            "space" => &[('\t', '\r'), (' ', ' ')],
            "upper" => &[('A', 'Z')],
            "word" => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
            "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
            _ => return None,
        };
        Some(Self::of(ranges, negated))
    }
}

fn shift_char(c: char, by: i32) -> char {
    u32::from(c).checked_add_signed(by).and_then(char::from_u32).unwrap_or(c)
}

/// The surrogates between U+D7FF and U+E000 are no characters.
fn previous_char(c: char) -> Option<char> {
    if c == '\u{e000}' { Some('\u{d7ff}') } else { u32::from(c).checked_sub(1).and_then(char::from_u32) }
}

fn next_char(c: char) -> Option<char> {
    if c == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(u32::from(c) + 1) }
}
