//! Statistics of a text before it is parsed.
//!
//! Source: YAML 1.2.2 chapter 5.

/// Statistics of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextStats {
    /// The position of the first control character other than tab and line break.
    pub control_char: Option<usize>,
    /// The number of commas and opening brackets.
    pub separators: usize,
    /// Whether there are byte order marks or document ends, after which positions are unreliable.
    pub is_odd: bool,
}

impl TextStats {
    /// Scans a text. A byte order mark at the start counts too.
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
