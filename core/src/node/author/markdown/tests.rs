//! The table of spellings.

use super::*;
