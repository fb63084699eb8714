//! Panes, splitters and saved settings.
//!
//! Invariants: 1. sizes stay within limits. 2. settings survive a text round trip.
//!
//! Source: the window splitter pattern of ARIA; WCAG 2.2, 2.5.7 (keyboard alternative to dragging).

use crate::appearance::Theme;
use crate::i18n::Lang;
use stepgraph_core::value::number_text;

const KEY_STEP: f64 = 16.0;

/// Narrow pages show one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Pane {
    /// Text editor.
    Text,
    /// Outline.
    Outline,
    /// Canvas.
    #[default]
    Canvas,
    /// Selection form.
    Inspector,
    /// Problems and runs.
    Panel,
}

impl Pane {
    /// Style name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Outline => "outline",
            Self::Canvas => "drawing",
            Self::Inspector => "form",
            Self::Panel => "panel",
        }
    }
}

/// Bottom panel tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Panel {
    /// Diagnostics of the plan.
    #[default]
    Problems,
    /// Run, timeline.
    Run,
    /// Run outputs.
    Values,
    /// Plan tests.
    Tests,
    /// Run trace.
    Trace,
}

/// Bottom panel state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PanelState {
    /// Closed.
    Closed,
    /// Opened by the page, for this visit.
    Shown,
    /// Opened by the user, and saved.
    Open,
}

/// Scheme setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Always light.
    Light,
    /// Always dark.
    Dark,
    /// The system's.
    #[default]
    System,
}

impl Scheme {
    /// `dark` is the system's preference.
    pub fn theme(self, dark: bool) -> Theme {
        match self {
            Self::Light => Theme::Light,
            Self::Dark => Theme::Dark,
            Self::System => {
                if dark {
                    Theme::Dark
                } else {
                    Theme::Light
                }
            }
        }
    }
}

/// Draggable splitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Splitter {
    /// Right of text.
    Left,
    /// Left of form.
    Right,
    /// Above panel.
    Bottom,
}

impl Splitter {
    /// Its pane's minimum and maximum.
    pub fn size_limits(self) -> (f64, f64) {
        match self {
            Self::Left => (200.0, 900.0),
            Self::Right => (220.0, 640.0),
            Self::Bottom => (96.0, 640.0),
        }
    }

    /// Its pane's default.
    pub fn default_size(self) -> f64 {
        match self {
            Self::Left => 400.0,
            Self::Right => 300.0,
            Self::Bottom => 220.0,
        }
    }
}

/// Saved settings, with sizes in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageLayout {
    left: f64,
    right: f64,
    below: f64,
    /// Bottom panel.
    pub panel: PanelState,
    /// Colour scheme.
    pub scheme: Scheme,
    /// If chosen. `js/page-language.ts` reads it, too.
    pub lang: Option<Lang>,
    /// Single-key shortcuts.
    pub has_single_keys: bool,
    /// Wraps long lines.
    pub wraps_text: bool,
    /// Otherwise Tab moves the focus.
    pub tab_indents: bool,
}

impl Default for PageLayout {
    fn default() -> Self {
        Self {
            left: Splitter::Left.default_size(),
            right: Splitter::Right.default_size(),
            below: Splitter::Bottom.default_size(),
            panel: PanelState::Open,
            scheme: Scheme::System,
            lang: None,
            has_single_keys: true,
            wraps_text: true,
            tab_indents: false,
        }
    }
}

impl PageLayout {
    /// Whether the bottom panel is open.
    pub fn has_open_panel(&self) -> bool {
        self.panel != PanelState::Closed
    }

    /// Opens the panel for this visit. Returns whether it was closed.
    pub fn show_panel(&mut self) -> bool {
        let opens = self.panel == PanelState::Closed;
        if opens {
            self.panel = PanelState::Shown;
        }
        opens
    }

    /// A pane's size.
    pub fn size(&self, splitter: Splitter) -> f64 {
        match splitter {
            Splitter::Left => self.left,
            Splitter::Right => self.right,
            Splitter::Bottom => self.below,
        }
    }

    /// Clamps to the limits.
    #[must_use]
    pub fn with_size(mut self, splitter: Splitter, size: f64) -> Self {
        let (min, max) = splitter.size_limits();
        let size = if size.is_finite() { size.clamp(min, max).round() } else { splitter.default_size() };
        match splitter {
            Splitter::Left => self.left = size,
            Splitter::Right => self.right = size,
            Splitter::Bottom => self.below = size,
        }
        self
    }

    /// `None` for other keys.
    #[must_use]
    pub fn after_key(self, splitter: Splitter, key: &str, far: bool) -> Option<Self> {
        let by = if far { KEY_STEP * 4.0 } else { KEY_STEP };
        // The splitter moves away as its pane grows.
        let size = self.size(splitter);
        let to = match (splitter, key) {
            (Splitter::Left, "ArrowRight")
            | (Splitter::Right, "ArrowLeft")
            | (Splitter::Bottom, "ArrowUp") => size + by,
            (Splitter::Left, "ArrowLeft")
            | (Splitter::Right, "ArrowRight")
            | (Splitter::Bottom, "ArrowDown") => size - by,
            (_, "Home") => splitter.size_limits().0,
            (_, "End") => splitter.size_limits().1,
            (_, "Enter") => splitter.default_size(),
            _ => return None,
        };
        Some(self.with_size(splitter, to))
    }

    /// As text.
    pub fn to_text(&self) -> String {
        let scheme = match self.scheme {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
            Scheme::System => "system",
        };
        let yes = |is: bool| if is { "yes" } else { "no" };
        let sizes = [self.left, self.right, self.below].map(number_text);
        let [left, right, below] = &sizes;
        let lang = self.lang.map_or("", Lang::tag);
        let open = yes(self.panel == PanelState::Open);
        let (keys, wraps, tab) = (yes(self.has_single_keys), yes(self.wraps_text), yes(self.tab_indents));
        [left, right, below, open, scheme, lang, keys, wraps, tab].join(" ")
    }

    /// Unreadable values become defaults.
    pub fn parse(text: &str) -> Self {
        let mut layout = Self::default();
        let mut words = text.split(' ');
        for splitter in [Splitter::Left, Splitter::Right, Splitter::Bottom] {
            if let Some(size) = words.next().and_then(|word| word.parse::<u32>().ok()).map(f64::from) {
                layout = layout.with_size(splitter, size);
            }
        }
        layout.panel = if words.next() == Some("no") { PanelState::Closed } else { PanelState::Open };
        layout.scheme = match words.next() {
            Some("light") => Scheme::Light,
            Some("dark") => Scheme::Dark,
            _ => Scheme::System,
        };
        layout.lang = words.next().filter(|tag| !tag.is_empty()).map(Lang::from_tag);
        layout.has_single_keys = words.next() != Some("no");
        layout.wraps_text = words.next() != Some("no");
        layout.tab_indents = words.next() == Some("yes");
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_through_text() {
        let layout = PageLayout {
            panel: PanelState::Closed,
            scheme: Scheme::Dark,
            lang: Some(Lang::Es),
            has_single_keys: false,
            wraps_text: false,
            tab_indents: true,
            ..PageLayout::default()
        };
        let layout = layout.with_size(Splitter::Left, 333.0).with_size(Splitter::Bottom, 1e9);
        assert_eq!(PageLayout::parse(&layout.to_text()), layout);
        assert_eq!(layout.to_text().split(' ').nth(5), Some("es"), "the script reads the language there");
        assert_eq!(PageLayout::parse(&PageLayout::default().to_text()), PageLayout::default());
        for unknown in ["", "x", "NaN inf -1 maybe purple klingon", "1 2 3 4 5 6 7 8 9", "é"] {
            let read = PageLayout::parse(unknown);
            for splitter in [Splitter::Left, Splitter::Right, Splitter::Bottom] {
                let (min, max) = splitter.size_limits();
                assert!((min..=max).contains(&read.size(splitter)), "{unknown}");
            }
        }
    }

    #[test]
    fn saves_a_panel_that_the_user_opened() {
        let mut layout = PageLayout { panel: PanelState::Closed, ..PageLayout::default() };
        layout.show_panel();
        assert!(layout.has_open_panel());
        assert_eq!(PageLayout::parse(&layout.to_text()).panel, PanelState::Closed, "the page opened it");
        layout.panel = PanelState::Open;
        layout.show_panel();
        assert_eq!(PageLayout::parse(&layout.to_text()).panel, PanelState::Open);
    }

    #[test]
    fn keys_move_splitters() {
        for (splitter, key, far, expected) in [
            (Splitter::Left, "ArrowRight", false, 416.0),
            (Splitter::Left, "ArrowLeft", true, 336.0),
            (Splitter::Right, "ArrowLeft", false, 316.0),
            (Splitter::Bottom, "ArrowUp", false, 236.0),
            (Splitter::Bottom, "Home", false, 96.0),
            (Splitter::Bottom, "End", false, 640.0),
            (Splitter::Left, "Enter", false, 400.0),
        ] {
            let layout = PageLayout::default().after_key(splitter, key, far).unwrap();
            assert!((layout.size(splitter) - expected).abs() < 1e-9, "{splitter:?} {key}");
        }
        assert!(PageLayout::default().after_key(Splitter::Left, "ArrowUp", false).is_none());
        assert_eq!(Scheme::System.theme(true), Theme::Dark);
        assert_eq!(Scheme::Light.theme(true), Theme::Light);
    }
}
