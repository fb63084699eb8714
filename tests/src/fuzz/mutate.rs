//! Mutates inputs, ignoring their meaning: bytes, words, lines and bracketed parts.
//!
//! The same numbers give the same mutations.

/// A deterministic generator of pseudo-random numbers (splitmix64).
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// Creates a seeded generator.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.draw() % bound).unwrap_or(0)
    }

    /// Chooses one.
    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> Option<&'a T> {
        of.get(self.below(of.len())).copied()
    }
}

const MAX_INPUT_BYTES: usize = 4096;

const CHARACTERS: [&str; 16] = [
    "\0",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{1b}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "é",
    "\u{2028}",
    "\u{feff}",
    "\u{fffd}",
    "\u{1f600}",
    "e\u{301}",
    "\u{200b}",
];

const NUMBERS: [&str; 16] = [
    "0",
    "-0",
    "1",
    "-1",
    "1.5",
    "1e3",
    "1E400",
    "-1e-400",
    "00",
    "0x1F",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "99999999999999999999999",
    "0.1e1",
];

/// Mutates `input`, also with parts of `other` and `words`.
pub fn mutate(input: &[u8], other: &[u8], words: &[&str], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = input.to_vec();
    // Single changes are most common, because they show the cause of a new outcome.
    let changes = [1, 1, 1, 2, 3, 5][numbers.below(6)];
    for _ in 0..changes {
        change(&mut bytes, other, words, numbers);
    }
    bytes.truncate(MAX_INPUT_BYTES);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], words: &[&str], numbers: &mut Numbers) {
    match numbers.below(16) {
        0 => {
            let at = numbers.below(bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << numbers.below(8);
            }
        }
        1 => {
            let byte = numbers.draw().to_le_bytes()[0];
            insert_part(bytes, &[byte], numbers);
        }
        2 | 3 => drop(bytes.drain(range(bytes, numbers))),
        4 => {
            let part = bytes[range(bytes, numbers)].to_vec();
            insert_part(bytes, &part, numbers);
        }
        5..=7 => insert_part(bytes, numbers.one(words).unwrap_or("").as_bytes(), numbers),
        8 => {
            let word = numbers.one(words).unwrap_or("").bytes();
            drop(bytes.splice(range(bytes, numbers), word));
        }
        9 => {
            let number = NUMBERS[numbers.below(NUMBERS.len())].bytes();
            drop(bytes.splice(run_of(bytes, u8::is_ascii_digit, numbers), number));
        }
        10 => insert_part(bytes, CHARACTERS[numbers.below(CHARACTERS.len())].as_bytes(), numbers),
        11 => {
            let part = other[range(other, numbers)].to_vec();
            drop(bytes.splice(range(bytes, numbers), part));
        }
        12 => {
            let (head, tail) = (random_offset(bytes, numbers), random_offset(other, numbers));
            bytes.truncate(head);
            bytes.extend_from_slice(&other[tail..]);
        }
        13 => {
            let mut part = range(bytes, numbers);
            part.end = part.end.min(part.start + 8);
            let times = 2 + numbers.below(200);
            let repeated = bytes[part].repeat(times);
            insert_part(bytes, &repeated, numbers);
        }
        14 => lines(bytes, other, numbers),
        _ => {
            let from = if numbers.below(2) == 0 { other.to_vec() } else { bytes.clone() };
            let part = from[bracketed_range(&from, numbers)].to_vec();
            drop(bytes.splice(bracketed_range(bytes, numbers), part));
        }
    }
}

fn insert_part(bytes: &mut Vec<u8>, part: &[u8], numbers: &mut Numbers) {
    let at = random_offset(bytes, numbers);
    drop(bytes.splice(at..at, part.iter().copied()));
}

/// Half of the offsets move to the end of the word.
fn random_offset(bytes: &[u8], numbers: &mut Numbers) -> usize {
    let at = numbers.below(bytes.len() + 1);
    if numbers.below(2) == 0 {
        return at;
    }
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    at + bytes[at..].iter().take_while(|byte| inside(byte)).count()
}

fn range(bytes: &[u8], numbers: &mut Numbers) -> std::ops::Range<usize> {
    let start = random_offset(bytes, numbers);
    let longest = [2, 8, 32, bytes.len() + 1][numbers.below(4)];
    let end = (start + numbers.below(longest)).min(bytes.len());
    start..end
}

fn run_of(bytes: &[u8], kind: fn(&u8) -> bool, numbers: &mut Numbers) -> std::ops::Range<usize> {
    let from = numbers.below(bytes.len() + 1);
    let start = bytes[from..].iter().position(kind).map_or(bytes.len(), |at| from + at);
    start..start + bytes[start..].iter().take_while(|byte| kind(byte)).count()
}

fn bracketed_range(bytes: &[u8], numbers: &mut Numbers) -> std::ops::Range<usize> {
    let from = numbers.below(bytes.len() + 1);
    let Some(at) = bytes[from..].iter().position(|byte| b"([{\"'".contains(byte)) else { return from..from };
    let start = from + at;
    let open = bytes[start];
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        quote => quote,
    };
    let mut depth = 0_usize;
    for (i, byte) in bytes[start + 1..].iter().enumerate() {
        if *byte == close && depth == 0 {
            return start..start + i + 2;
        }
        depth = if *byte == open { depth + 1 } else { depth - usize::from(*byte == close) };
    }
    start..bytes.len()
}

fn lines(bytes: &mut Vec<u8>, other: &[u8], numbers: &mut Numbers) {
    let mut own: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let foreign: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
    let (a, b) = (numbers.below(own.len()), numbers.below(own.len()));
    let line = match numbers.below(5) {
        0 if !own.is_empty() => {
            own.swap(a, b);
            Vec::new()
        }
        1 if !own.is_empty() => {
            own.remove(a);
            Vec::new()
        }
        2 => own.get(b).map(|line| line.to_vec()).unwrap_or_default(),
        3 => [b"  ", own.get(b).copied().unwrap_or_default()].concat(),
        _ => foreign.get(numbers.below(foreign.len())).map(|line| line.to_vec()).unwrap_or_default(),
    };
    let at = a.min(own.len());
    own.insert(at, &line);
    *bytes = own.concat();
}
