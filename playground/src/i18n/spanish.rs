//! Spanish texts. The page fetches them when it is Spanish (`playground/js/spanish`), so that nobody else does. Tests
//! compile them in, and one writes the file that the page fetches.

use super::{Announcement, Canvas, Inspector, Lang, NodeTypes, Run, Share, Shell, Text};

/// A table's texts, in its order.
pub trait Table {
    /// Not in the page's module.
    #[cfg(not(target_arch = "wasm32"))]
    const SPANISH: &'static [&'static str];
}

/// Where a table begins among all texts.
pub trait First {
    /// The index of its first text.
    const FIRST: usize;
}

macro_rules! tables {
    ($first:ident $($rest:ident)*) => {
        impl First for $first {
            const FIRST: usize = 0;
        }
        tables!(@after $first $($rest)*);

        #[cfg(not(target_arch = "wasm32"))]
        const SPANISH: &[&[&str]] = &[<$first as Table>::SPANISH, $(<$rest as Table>::SPANISH),*];
    };
    (@after $before:ident $name:ident $($rest:ident)*) => {
        impl First for $name {
            const FIRST: usize = $before::FIRST + $before::ALL.len();
        }
        tables!(@after $name $($rest)*);
    };
    (@after $last:ident) => {
        const COUNT: usize = $last::FIRST + $last::ALL.len();
    };
}

tables!(Announcement Canvas Inspector NodeTypes Run Share Shell Text);

/// English until the texts are loaded.
pub fn in_language(lang: Lang, english: &'static str, index: usize) -> &'static str {
    match lang {
        Lang::En => english,
        Lang::Es => text(index).unwrap_or(english),
    }
}

#[cfg(target_arch = "wasm32")]
pub use loaded::{example, load, text};
#[cfg(not(target_arch = "wasm32"))]
pub use native::text;

#[cfg(target_arch = "wasm32")]
mod loaded {
    use super::COUNT;
    use std::sync::OnceLock;

    static TEXTS: OnceLock<Vec<&'static str>> = OnceLock::new();

    /// Takes all texts, then a first visit's plan and its stubs, each after a NUL. A reader of JSON would make the page
    /// 4 kB larger. False if they belong to another version.
    pub fn load(texts: String) -> bool {
        let texts: Vec<&'static str> = texts.leak().split('\0').skip(1).collect();
        texts.len() == COUNT + 2 && TEXTS.get_or_init(|| texts).len() > COUNT
    }

    /// `None` before the texts are loaded.
    pub fn text(index: usize) -> Option<&'static str> {
        TEXTS.get().and_then(|texts| texts.get(index)).copied()
    }

    /// The plan of a first visit, and its stubs.
    pub fn example() -> Option<[&'static str; 2]> {
        Some([text(COUNT)?, text(COUNT + 1)?])
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::{COUNT, SPANISH};

    /// The text at an index.
    pub fn text(index: usize) -> Option<&'static str> {
        debug_assert!(index < COUNT, "{index}");
        SPANISH.iter().copied().flatten().nth(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::{Lang, Localized};
    use std::path::Path;

    #[test]
    fn each_table_finds_its_own_texts() {
        assert_eq!(Announcement::Whole.text(Lang::Es), "Lienzo, {}, {}");
        assert_eq!(Shell::LanguageSwitch.text(Lang::Es), "English");
        assert_eq!(NodeTypes::Graph.text(Lang::Es), "Ejecuta un grafo anidado");
        assert_eq!(Text::ALL.last().map(|word| word.index() + 1), Some(COUNT));
    }

    #[test]
    fn the_file_of_the_page_has_all_texts() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/spanish/texts.json");
        let texts: Vec<_> = SPANISH.iter().copied().flatten().collect();
        let expected = serde_json::to_string_pretty(&texts).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &expected).unwrap();
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(found == expected, "run `UPDATE=1 cargo test -p stepgraph-playground spanish`");
    }
}
