//! Icons and colours of node types and the page.
//!
//! Invariants: 1. each type also has its own icon and name, not just a colour. 2. text has a contrast of 4.5:1,
//! meaningful lines 3:1.
//!
//! Source: WCAG 2.2, 1.4.1, 1.4.3 and 1.4.11.

use stepgraph_authoring::interop::NodeStyle as Kind;

/// Colour theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// CSS colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colours {
    /// Page background.
    pub paper: &'static str,
    /// Node background.
    pub card: &'static str,
    /// Group background.
    pub group: &'static str,
    /// Text.
    pub ink: &'static str,
    /// Secondary text.
    pub faint: &'static str,
    /// Node borders.
    pub border: &'static str,
    /// Emphasis and focus.
    pub strong: &'static str,
    /// Edges.
    pub edge: &'static str,
    /// Failures.
    pub failure: &'static str,
}

const LIGHT: Colours = Colours {
    paper: "#f7f7f9",
    card: "#ffffff",
    group: "#f0f0f5",
    ink: "#1a1b25",
    faint: "#5c5e6e",
    border: "#85879a",
    strong: "#4a4fd0",
    edge: "#6b6d80",
    failure: "#c0263c",
};

const DARK: Colours = Colours {
    paper: "#14151c",
    card: "#20222c",
    group: "#191a23",
    ink: "#ececf3",
    faint: "#a9abbd",
    border: "#6d7085",
    strong: "#9aa0ff",
    edge: "#9396ab",
    failure: "#ff7d8c",
};

impl Theme {
    /// Colours of the theme.
    pub fn colours(self) -> &'static Colours {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

/// Style of a node type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeAppearance {
    /// Contains no graphs.
    Plain(Kind),
    /// Contains graphs.
    Group,
}

impl NodeAppearance {
    /// Style of a type.
    pub fn for_type(kind: &str) -> Self {
        match kind {
            "graph" | "parallel" | "map" => Self::Group,
            kind => Self::Plain(Kind::for_type(kind)),
        }
    }

    /// SVG path in a 20 × 20 box.
    pub fn icon(self) -> &'static str {
        match self {
            Self::Plain(Kind::Tool) => {
                "M12.5 3.5a4 4 0 0 0-4.8 5.2L3 13.4a1.9 1.9 0 0 0 2.7 2.7l4.7-4.7a4 4 0 0 0 5.2-4.8l-2.4 2.4-2.3-.6-.6-2.3z"
            }
            Self::Plain(Kind::Model) => {
                "M10 2.5l1.7 4.3a2.5 2.5 0 0 0 1.5 1.5l4.3 1.7-4.3 1.7a2.5 2.5 0 0 0-1.5 1.5L10 17.5l-1.7-4.3a2.5 2.5 0 0 0-1.5-1.5L2.5 10l4.3-1.7a2.5 2.5 0 0 0 1.5-1.5z"
            }
            Self::Plain(Kind::Decision) => "M10 2.5l7.5 7.5-7.5 7.5L2.5 10z",
            Self::Plain(Kind::Pass) => "M3 10h13M11.5 5.5L16 10l-4.5 4.5",
            Self::Plain(Kind::Log) => "M4 4h12v9H9l-3.5 3v-3H4z",
            Self::Plain(Kind::Set) => "M4 7h12M4 13h12",
            Self::Plain(Kind::Wait) => "M10 2.5a7.5 7.5 0 1 1 0 15a7.5 7.5 0 0 1 0-15zM10 5.500V10l3 2",
            Self::Plain(Kind::Approval) => {
                "M10 3a3.2 3.2 0 1 1 0 6.4A3.2 3.2 0 0 1 10 3zM3.8 17c.6-3.4 3-5.2 6.2-5.2s5.600 1.800 6.200 5.200"
            }
            Self::Group => "M3 3h6v6H3zM11 11h6v6h-6zM9 6h3a2 2 0 0 1 2 2v3",
            Self::Plain(Kind::Other) => "M7 4L2.500 10L7 16M13 4l4.500 6L13 16",
        }
    }

    /// Colour behind the icon.
    pub fn tint(self, theme: Theme) -> &'static str {
        let (light, dark) = match self {
            Self::Plain(Kind::Tool) => ("#dbeafe", "#1d3354"),
            Self::Plain(Kind::Model) => ("#ede4ff", "#352a57"),
            Self::Plain(Kind::Decision) => ("#fef0cd", "#463714"),
            Self::Plain(Kind::Pass | Kind::Other) => ("#e8e8ee", "#33353f"),
            Self::Plain(Kind::Log) => ("#d9f5e5", "#173f2c"),
            Self::Plain(Kind::Set) => ("#d8f3ee", "#143d37"),
            Self::Plain(Kind::Wait) => ("#fdeada", "#472e17"),
            Self::Plain(Kind::Approval) => ("#ffe3da", "#4d2a1e"),
            Self::Group => ("#dff3f7", "#173b44"),
        };
        if theme == Theme::Light { light } else { dark }
    }

    /// Icon colour.
    pub fn ink(self, theme: Theme) -> &'static str {
        let (light, dark) = match self {
            Self::Plain(Kind::Tool) => ("#1d4fa8", "#9cc4ff"),
            Self::Plain(Kind::Model) => ("#6236c4", "#c9b3ff"),
            Self::Plain(Kind::Decision) => ("#855900", "#f5cc6b"),
            Self::Plain(Kind::Pass | Kind::Other) => ("#4f5160", "#c4c6d4"),
            Self::Plain(Kind::Log) => ("#14683f", "#84dfae"),
            Self::Plain(Kind::Set) => ("#0f665a", "#7fdccd"),
            Self::Plain(Kind::Wait) => ("#8f4a0d", "#f7bd85"),
            Self::Plain(Kind::Approval) => ("#a63c17", "#ffb298"),
            Self::Group => ("#0e6478", "#86d7e8"),
        };
        if theme == Theme::Light { light } else { dark }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linearizes two digits of `#rrggbb` (WCAG).
    fn channel(colour: &str, at: usize) -> f64 {
        let digits = colour.get(at..at + 2).unwrap();
        let value = f64::from(u8::from_str_radix(digits, 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    }

    fn luminance(colour: &str) -> f64 {
        0.2126 * channel(colour, 1) + 0.7152 * channel(colour, 3) + 0.0722 * channel(colour, 5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn colours_have_enough_contrast_in_both_themes() {
        for theme in [Theme::Light, Theme::Dark] {
            let found = theme.colours();
            for behind in [found.paper, found.card, found.group] {
                for text in [found.ink, found.faint, found.failure] {
                    assert!(
                        contrast(text, behind) >= 4.5,
                        "{theme:?} {text} on {behind}: {}",
                        contrast(text, behind)
                    );
                }
                for line in [found.border, found.strong, found.edge] {
                    assert!(
                        contrast(line, behind) >= 3.0,
                        "{theme:?} {line} on {behind}: {}",
                        contrast(line, behind)
                    );
                }
            }
            for kind in ["tool", "llm", "decision", "noop", "log", "set", "wait", "approve", "map", "mine"] {
                let appearance = NodeAppearance::for_type(kind);
                assert!(
                    contrast(appearance.ink(theme), appearance.tint(theme)) >= 4.5,
                    "{theme:?} {appearance:?}"
                );
            }
        }
    }
}
