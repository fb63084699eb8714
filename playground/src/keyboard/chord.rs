//! Reads, parses and prints shortcuts.
//!
//! `Mod` is Ctrl, or ⌘ on a Mac. Symbols ignore Shift and `AltGr`, which depend on the layout. Letters ignore case.
//!
//! Source: UI Events (`KeyboardEvent.key`), WCAG 2.2, 2.1.4.

use crate::i18n::Lang;

/// Key with modifiers.
///
/// # Example
/// ```
/// use stepgraph_playground::{keyboard::{Chord, KeyPress}, i18n::Lang};
/// let saved = Chord::parse("Mod+Shift+Z");
/// let pressed = KeyPress { key: "z", meta: true, shift: true, mac: true, ..KeyPress::default() };
/// assert_eq!(pressed.chord(), Some(saved.clone()));
/// assert_eq!((saved.label(true, Lang::En), saved.label(false, Lang::Es)), ("⇧⌘Z".into(), "Ctrl+Mayús+Z".into()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Chord {
    /// Browser name, with letters in upper case and `Space`.
    pub key: String,
    /// Ctrl or ⌘.
    pub main: bool,
    /// Alt.
    pub alt: bool,
    /// Shift.
    pub shift: bool,
}

/// Browser key event.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "this is what a browser reports: one truth for each key that is held"
)]
pub struct KeyPress<'a> {
    /// `KeyboardEvent.key`.
    pub key: &'a str,
    /// Control.
    pub ctrl: bool,
    /// ⌘ or Windows.
    pub meta: bool,
    /// Alt.
    pub alt: bool,
    /// Shift.
    pub shift: bool,
    /// Windows reports it as Control and Alt.
    pub alt_graph: bool,
    /// Whether the platform is a Mac.
    pub mac: bool,
}

impl KeyPress<'_> {
    /// `None` for lone modifiers, composed characters and other platforms' modifiers.
    pub fn chord(self) -> Option<Chord> {
        let idle = [
            "",
            "Shift",
            "Control",
            "Alt",
            "Meta",
            "AltGraph",
            "CapsLock",
            "Dead",
            "Process",
            "Unidentified",
        ];
        let foreign = if self.mac { self.ctrl } else { self.meta };
        if idle.contains(&self.key) || foreign {
            return None;
        }
        let is_sign = is_caseless(self.key);
        let typed = self.alt_graph || (is_sign && self.ctrl && self.alt);
        Some(Chord {
            key: key_name(self.key),
            main: !typed && if self.mac { self.meta } else { self.ctrl },
            alt: !typed && self.alt,
            shift: self.shift && !is_sign,
        })
    }
}

impl Chord {
    /// Such as `Mod+Shift+Z` or `+`.
    pub fn parse(text: &str) -> Self {
        let (held, key) = match text.rfind('+') {
            Some(at) if at + 1 < text.len() => {
                (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default())
            }
            Some(at) => (text.get(..at).unwrap_or_default(), "+"),
            None => ("", text),
        };
        let mut chord = Self { key: key_name(key), ..Self::default() };
        for held in held.split('+') {
            match held {
                "Mod" => chord.main = true,
                "Alt" => chord.alt = true,
                "Shift" => chord.shift = true,
                _ => {}
            }
        }
        chord
    }

    /// Single characters, which can be turned off and never work in text fields.
    pub fn is_single(&self) -> bool {
        !self.main && !self.alt && self.key.chars().count() == 1
    }

    /// As on keyboards.
    pub fn label(&self, mac: bool, lang: Lang) -> String {
        let spanish = lang == Lang::Es;
        let mut text = String::new();
        let mut held = |is: bool, sign: &str, name: &str| {
            if is {
                text.push_str(if mac { sign } else { name });
                if !mac {
                    text.push('+');
                }
            }
        };
        let shift = if spanish { "Mayús" } else { "Shift" };
        // Each platform has its own order.
        if mac {
            held(self.alt, "⌥", "");
            held(self.shift, "⇧", "");
            held(self.main, "⌘", "");
        } else {
            held(self.main, "", "Ctrl");
            held(self.alt, "", "Alt");
            held(self.shift, "", shift);
        }
        text.push_str(key_label(&self.key, spanish));
        text
    }

    /// For `aria-keyshortcuts`.
    pub fn aria(&self, mac: bool) -> String {
        let mut text = String::new();
        for (is, name) in
            [(self.main, if mac { "Meta+" } else { "Control+" }), (self.alt, "Alt+"), (self.shift, "Shift+")]
        {
            if is {
                text.push_str(name);
            }
        }
        // There `+` separates keys.
        text.push_str(match self.key.as_str() {
            "+" => "Plus",
            key => key,
        });
        text
    }
}

/// Symbols may need Shift or `AltGr`.
fn is_caseless(key: &str) -> bool {
    let mut letters = key.chars();
    let first = letters.next().filter(|_| letters.next().is_none());
    first.is_some_and(|c| !c.is_alphabetic() && c != ' ')
}

fn key_name(key: &str) -> String {
    if key == " " {
        return "Space".to_owned();
    }
    if key.chars().count() == 1 { key.to_uppercase() } else { key.to_owned() }
}

fn key_label(key: &str, spanish: bool) -> &str {
    match (key, spanish) {
        ("ArrowLeft", _) => "←",
        ("ArrowRight", _) => "→",
        ("ArrowUp", _) => "↑",
        ("ArrowDown", _) => "↓",
        ("Escape", _) => "Esc",
        ("Enter", true) => "Intro",
        ("Delete", false) => "Del",
        ("Delete", true) => "Supr",
        ("Space", true) => "Espacio",
        ("Backspace", true) => "Retroceso",
        ("Insert", false) => "Ins",
        ("Home", true) => "Inicio",
        ("End", true) => "Fin",
        ("PageUp", false) => "Page Up",
        ("PageUp", true) => "Re Pág",
        ("PageDown", false) => "Page Down",
        ("PageDown", true) => "Av Pág",
        (key, _) => key,
    }
}
