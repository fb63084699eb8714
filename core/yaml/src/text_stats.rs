//! One look at a whole text before it is read.
//!
//! Decides nothing: it counts.
//!
//! Source: YAML 1.2.2 chapter 5.

/// What a text has in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextStats {
    /// Where the first control character stands that is neither a tab nor a line break.
    pub control_char: Option<usize>,
    /// How many commas and opening brackets there are.
    pub separators: usize,
    /// Whether there are marks after which places are not where they seem: byte order marks, ends of documents.
    pub is_odd: bool,
}

impl TextStats {
    /// Looks at a text. A byte order mark at its beginning is one like any other.
    pub fn of(text: &str) -> Self {
        let mut stats = Self { is_odd: text.starts_with("..."), ..Self::default() };
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b',' | b'[' | b'{' => stats.separators += 1,
                b'\n' | 0xef => stats.is_odd = stats.is_odd || is_odd(text, at),
                0..b' ' if !matches!(byte, b'\t' | b'\r') => {
                    stats.control_char = stats.control_char.or(Some(at));
                }
                _ => {}
            }
        }
        stats
    }
}

fn is_odd(text: &str, at: usize) -> bool {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    rest.starts_with(b"\n...") || rest.starts_with("\u{feff}".as_bytes())
}
