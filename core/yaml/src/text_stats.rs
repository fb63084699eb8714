//! Statistics of unparsed text.
//!
//! Source: YAML 1.2.2 chapter 5.

/// Text statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextStats {
    /// First control character, except tab and line break.
    pub control_char: Option<usize>,
    /// Commas and opening brackets.
    pub separators: usize,
    /// Whether byte order marks or document ends make positions unreliable.
    pub is_odd: bool,
}

impl TextStats {
    /// Counts a leading byte order mark.
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
