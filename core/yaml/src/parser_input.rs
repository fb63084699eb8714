//! Parser input with a small lookahead.
//!
//! The parser reserves it for every scalar, and plans have short ones: the default of 128 would multiply the memory of
//! a tree.
//!
//! Source: `Input` of `saphyr-parser` 0.3.

use saphyr_parser::input::SkipTabs;
use saphyr_parser::{Input, StrInput};

/// Characters requested at once.
const LOOKAHEAD: usize = 16;

#[derive(Clone)]
pub(super) struct ParserInput<'t>(StrInput<'t>);

impl<'t> ParserInput<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self(StrInput::new(text))
    }
}

macro_rules! same {
    ($($name:ident(&self $(, $arg:ident: $type:ty)*) -> $out:ty;)*) => {
        $(#[inline] fn $name(&self $(, $arg: $type)*) -> $out { self.0.$name($($arg),*) })*
    };
    ($($name:ident(&mut self $(, $arg:ident: $type:ty)*) -> $out:ty;)*) => {
        $(#[inline] fn $name(&mut self $(, $arg: $type)*) -> $out { self.0.$name($($arg),*) })*
    };
}

impl Input for ParserInput<'_> {
    fn bufmaxlen(&self) -> usize {
        LOOKAHEAD
    }

    same! {
        buflen(&self) -> usize;
        buf_is_empty(&self) -> bool;
        peek(&self) -> char;
        peek_nth(&self, n: usize) -> char;
        peek_opt(&self) -> Option<char>;
        next_char_is(&self, c: char) -> bool;
        nth_char_is(&self, n: usize, c: char) -> bool;
        next_2_are(&self, c1: char, c2: char) -> bool;
        next_3_are(&self, c1: char, c2: char, c3: char) -> bool;
        next_is_document_indicator(&self) -> bool;
        next_is_document_start(&self) -> bool;
        next_is_document_end(&self) -> bool;
        next_can_be_plain_scalar(&self, in_flow: bool) -> bool;
        next_is_blank_or_break(&self) -> bool;
        next_is_blank_or_breakz(&self) -> bool;
        next_is_blank(&self) -> bool;
        next_is_break(&self) -> bool;
        next_is_breakz(&self) -> bool;
        next_is_z(&self) -> bool;
        next_is_flow(&self) -> bool;
        next_is_digit(&self) -> bool;
        next_is_alpha(&self) -> bool;
    }

    same! {
        lookahead(&mut self, count: usize) -> ();
        raw_read_ch(&mut self) -> char;
        raw_read_non_breakz_ch(&mut self) -> Option<char>;
        skip(&mut self) -> ();
        skip_n(&mut self, count: usize) -> ();
        look_ch(&mut self) -> char;
        skip_ws_to_eol(&mut self, skip_tabs: SkipTabs) -> (usize, Result<SkipTabs, &'static str>);
        skip_while_non_breakz(&mut self) -> usize;
        skip_while_blank(&mut self) -> usize;
        fetch_while_is_alpha(&mut self, out: &mut String) -> usize;
        fetch_while_is_yaml_non_space(&mut self, out: &mut String) -> usize;
    }
}
