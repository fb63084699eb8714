//! Converts byte offsets to lines, columns and UTF-16 offsets.
//!
//! Invariants:
//! 1. Lines and columns count from 1. A column counts UTF-16 units, as in editors.
//! 2. A line ends with LF, CRLF or CR.
//! 3. An offset after the end means the end.

/// A small number speeds up counting, a large one saves memory.
const CHECKPOINT_BYTES: usize = 128;

/// The line starts of a text.
///
/// # Example
/// ```
/// use stepgraph_text::source::LineIndex;
/// let lines = LineIndex::new("a: ü\nb: 😀!\n");
/// assert_eq!(lines.line_col(6), (2, 1));
/// assert_eq!(lines.to_utf16(13), 10);
/// assert_eq!(lines.to_byte(10), 13);
/// ```
#[derive(Debug, Clone)]
pub struct LineIndex<'t> {
    text: &'t str,
    /// First bytes.
    starts: Vec<usize>,
    /// UTF-16 units before each block. Empty for ASCII, where bytes equal units.
    units: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    /// Indexes `text`.
    pub fn new(text: &'t str) -> Self {
        Self { text, starts: line_starts(text.as_bytes()), units: checkpoints(text) }
    }

    /// Counts lines. An empty text has one.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// A byte offset's line and UTF-16 column, from 1.
    pub fn line_col(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        (line, self.to_utf16(offset) - self.to_utf16(start) + 1)
    }

    /// A UTF-16 offset.
    pub fn to_utf16(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        match self.units.get(offset / CHECKPOINT_BYTES) {
            None => offset,
            Some(before) => {
                let block = self.text.as_bytes().get(offset - offset % CHECKPOINT_BYTES..offset);
                before + block.map_or(0, count_units)
            }
        }
    }

    /// A byte offset, at a character's start.
    pub fn to_byte(&self, utf16: usize) -> usize {
        if self.units.is_empty() {
            return utf16.min(self.text.len());
        }
        let block = self.units.partition_point(|before| *before <= utf16).saturating_sub(1);
        let mut units = self.units.get(block).copied().unwrap_or(0);
        let mut at = self.text.ceil_char_boundary(block * CHECKPOINT_BYTES);
        // A character counts in the block of its first byte.
        units += self.text.as_bytes().get(block * CHECKPOINT_BYTES..at).map_or(0, count_units);
        for c in self.text.get(at..).unwrap_or_default().chars() {
            units += c.len_utf16();
            if units > utf16 {
                break;
            }
            at += c.len_utf8();
        }
        at
    }
}

fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        let lone_return = *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        if *byte == b'\n' || lone_return {
            starts.push(at + 1);
        }
    }
    starts
}

fn checkpoints(text: &str) -> Vec<usize> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut units = Vec::with_capacity(text.len() / CHECKPOINT_BYTES + 2);
    let mut total = 0;
    units.push(0);
    for block in text.as_bytes().chunks(CHECKPOINT_BYTES) {
        total += count_units(block);
        units.push(total);
    }
    units
}

fn count_units(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| usize::from(*byte & 0xc0 != 0x80) + usize::from(*byte >= 0xf0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_counting() {
        let long = "aä€😀\r\n".repeat(200);
        for text in ["", "abc", "a\nb\r\nc\rd", "ä€😀\n😀", long.as_str()] {
            let lines = LineIndex::new(text);
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let before = text.get(..at).unwrap();
                let utf16 = before.encode_utf16().count();
                assert_eq!(lines.to_utf16(at), utf16, "{at}");
                assert_eq!(lines.to_byte(utf16), at, "{at}");
                if text.get(at..at + 1) == Some("\n") && before.ends_with('\r') {
                    continue;
                }
                let rows: Vec<String> =
                    before.replace("\r\n", "\n").split(['\n', '\r']).map(String::from).collect();
                let column = rows.last().unwrap().encode_utf16().count() + 1;
                assert_eq!(lines.line_col(at), (rows.len(), column), "{at}");
            }
            assert_eq!(lines.to_utf16(text.len() + 9), text.encode_utf16().count());
            assert_eq!(lines.to_byte(usize::MAX), text.len());
        }
    }
}
