//! The page's texts. Languages stand side by side. Plan contents and codes are never translated.
//!
//! The tables are 24 kB smaller than a library. The page's module has only the English texts: see [`spanish`].

mod announcements;
mod canvas;
mod inspector;
mod node_types;
mod run;
mod share;
mod shell;
pub mod spanish;
mod text;

pub use announcements::Announcement;
pub use canvas::Canvas;
pub use inspector::Inspector;
pub use node_types::{NODE_TYPES, NodeTypes};
pub use run::Run;
pub use share::{Share, error_message};
pub use shell::Shell;
pub use text::Text;

/// Page languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
}

impl Lang {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::En, Self::Es];

    /// `en`, `es`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
        }
    }

    /// English if unsupported.
    pub fn from_tag(tag: &str) -> Self {
        if tag.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("es")) { Self::Es } else { Self::En }
    }

    /// The first of the visitor's languages that is this one in a region. Otherwise one for all regions.
    pub fn locale(self, languages: impl IntoIterator<Item = String>) -> String {
        let is_own = |tag: &String| {
            let (language, region) = tag.split_once('-').unwrap_or_default();
            let is_tag = region.chars().all(|char| char.is_ascii_alphanumeric() || char == '-');
            !region.is_empty() && is_tag && language.eq_ignore_ascii_case(self.tag())
        };
        let found = languages.into_iter().find(is_own);
        // By itself, `en` is the English of the United States.
        found.unwrap_or_else(|| if self == Self::En { "en-GB" } else { self.tag() }.to_owned())
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Es => "Español",
        }
    }
}

/// Text by language.
pub trait Localized: Copy + 'static {
    /// Its text.
    fn text(self, lang: Lang) -> &'static str;

    /// Its English text.
    fn english(self) -> &'static str;

    /// Its place among all texts of all tables.
    fn index(self) -> usize;
}

/// Defines `Name: "English", "Español";`.
macro_rules! messages {
    ($(#[$about:meta])* $name:ident { $($word:ident: $en:literal, $es:literal;)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = $en] $word,)*
        }

        impl $name {
            /// In table order.
            pub const ALL: &'static [Self] = &[$(Self::$word),*];
        }

        impl $crate::i18n::spanish::Table for $name {
            #[cfg(not(target_arch = "wasm32"))]
            const SPANISH: &'static [&'static str] = &[$($es),*];
        }

        impl $crate::i18n::Localized for $name {
            // In each of hundreds of callers, it makes the page 5 kB larger.
            #[inline(never)]
            fn text(self, lang: $crate::i18n::Lang) -> &'static str {
                $crate::i18n::spanish::in_language(lang, self.english(), self.index())
            }

            fn english(self) -> &'static str {
                match self {
                    $(Self::$word => $en,)*
                }
            }

            fn index(self) -> usize {
                <Self as $crate::i18n::spanish::First>::FIRST + self as usize
            }
        }
    };
}

pub(crate) use messages;

/// Fills each `{}`.
pub fn format_message(text: &str, with: &[&str]) -> String {
    let mut parts = text.split("{}");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    let mut with = with.iter();
    for part in parts {
        filled.push_str(with.next().copied().unwrap_or_default());
        filled.push_str(part);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_languages_by_tag() {
        for (tag, lang) in
            [("es", Lang::Es), ("ES-mx", Lang::Es), ("en-GB", Lang::En), ("", Lang::En), ("é", Lang::En)]
        {
            assert_eq!(Lang::from_tag(tag), lang, "{tag}");
        }
    }

    #[test]
    fn dates_use_the_visitors_region() {
        for (languages, english, spanish) in [
            ("en-US,en,es-MX", "en-US", "es-MX"),
            ("es,en-IE", "en-IE", "es"),
            ("de-DE,EN-ca", "EN-ca", "es"),
            ("en,en-US@posix,en-", "en-GB", "es"),
            ("est-EE,es-419", "en-GB", "es-419"),
            ("", "en-GB", "es"),
        ] {
            let locale = |lang: Lang| lang.locale(languages.split(',').map(str::to_owned));
            assert_eq!((locale(Lang::En), locale(Lang::Es)), (english.to_owned(), spanish.to_owned()));
        }
    }

    #[test]
    fn every_message_exists_in_each_language() {
        for lang in Lang::ALL {
            let shell = Shell::ALL.iter().map(|word| word.text(lang));
            let heard = Announcement::ALL.iter().map(|word| word.text(lang));
            let kinds = NodeTypes::ALL.iter().map(|word| word.text(lang));
            assert!(shell.chain(heard).chain(kinds).all(|text| !text.trim().is_empty()));
        }
        assert_eq!(format_message("from {} to {}", &["a", "b"]), "from a to b");
        assert_eq!(format_message("{}: {}", &["a"]), "a: ");
    }
}
