//! Values that stay on JavaScript's side.
//!
//! Decides how a value is known here: by its slot in a table of JavaScript. Looking into it is one call with numbers;
//! nothing is converted unless a template or a model needs its text.
//!
//! Invariants:
//! 1. a slot is given to another value only after a sweep found that the run does not hold it;
//! 2. JavaScript never sees a slot that it was not told of.
//!
//! Source: the figures in `tests/bench/README.md`.

use serde_json::Value as Json;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use stepgraph_core::value::{Path, TextView, Value, View};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "../dist/values.js")]
extern "C" {
    /// What stands at the end of a path: a kind, or 16 and up for a text that is the literal of that number.
    fn view(table: u32, slot: u32, path: u32) -> u32;
    /// The number that `view` saw.
    fn seen_number() -> f64;
    /// Puts the value at the end of a path into another slot.
    fn put_at(into: u32, slot: u32, table: u32, from: u32, path: u32) -> bool;
    /// Puts what a JSON text says into a slot.
    fn put_json(table: u32, slot: u32, json: &str);
    /// Puts a list of values, pairs of table and slot, into a slot.
    fn put_list(table: u32, slot: u32, values: &[u32]);
    /// Puts a map of values into a slot; keys are a JSON list.
    fn put_map(table: u32, slot: u32, keys: &str, values: &[u32]);
    /// The text at the end of a path.
    fn text_at(table: u32, slot: u32, path: u32) -> Option<String>;
    /// The JSON text of what stands at the end of a path.
    fn json_at(table: u32, slot: u32, path: u32) -> Option<String>;
    /// Whether the text at the end of a path has the literal of that number in it.
    fn text_contains_at(table: u32, slot: u32, path: u32, literal: u32) -> bool;
    /// What stands at a position of the list that `view` saw last; as `view`, or [`PAST_END`].
    fn view_element(table: u32, index: u32) -> u32;
    /// How many elements a list has.
    fn list_length(table: u32, slot: u32) -> u32;
    /// Puts an element of a list into another slot.
    fn put_item(into: u32, slot: u32, table: u32, from: u32, index: u32) -> bool;
    /// How many bytes the JSON text of a value has.
    fn json_bytes(table: u32, slot: u32) -> f64;
    fn weight_at(table: u32, slot: u32) -> f64;
    /// Whether the map at the end of a path has a key.
    fn has_key_at(table: u32, slot: u32, path: u32, key: &str) -> bool;
}

/// The slots of one table.
///
/// Handles are not counted: that would cost every step of every run. Slots that nobody holds are found by a sweep now and
/// then, which asks the run what it holds.
#[derive(Debug)]
pub struct Table {
    number: u32,
    /// How many slots there are.
    size: Cell<u32>,
    /// Slots that a sweep found unused.
    free: RefCell<Vec<u32>>,
    /// How large the table may grow before the next sweep.
    limit: Cell<u32>,
}

/// Tables smaller than this are not worth a sweep.
const MIN_SWEEP_SIZE: u32 = 256;

impl Table {
    /// An empty table; JavaScript knows it by `number`.
    pub fn new(number: u32) -> Rc<Self> {
        Rc::new(Self {
            number,
            size: Cell::new(0),
            free: RefCell::default(),
            limit: Cell::new(MIN_SWEEP_SIZE),
        })
    }

    /// A slot that nobody uses.
    pub fn allocate(&self) -> Handle {
        let slot = self.free.borrow_mut().pop().unwrap_or_else(|| self.size.replace(self.size.get() + 1));
        Handle { table: self.number, slot }
    }

    /// Whether so many slots were taken that a sweep pays.
    pub fn is_full(&self) -> bool {
        self.size.get() >= self.limit.get() && self.free.borrow().is_empty()
    }

    /// Frees every slot but those of `held`.
    pub fn sweep<'a>(&self, held: impl Iterator<Item = &'a Handle>) {
        let size = self.size.get() as usize;
        let mut used = vec![false; size];
        for handle in held.filter(|handle| handle.table == self.number) {
            if let Some(used) = used.get_mut(handle.slot as usize) {
                *used = true;
            }
        }
        let unused = used.iter().enumerate().filter(|(_, used)| !**used);
        // From the top down, so that the lowest is taken next and the table stays dense.
        let free: Vec<u32> = unused.filter_map(|(slot, _)| u32::try_from(slot).ok()).rev().collect();
        // At least as many slots are taken before the next sweep as this one looked at.
        let live = u32::try_from(size - free.len()).unwrap_or(u32::MAX);
        self.limit.set(live.saturating_mul(2).max(MIN_SWEEP_SIZE));
        self.free.replace(free);
    }

    /// The number by which JavaScript knows it.
    pub fn number(&self) -> u32 {
        self.number
    }
}

/// A value, known by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    table: u32,
    slot: u32,
}

impl Handle {
    /// Its slot, in the table of that number.
    pub fn address(self) -> (u32, u32) {
        (self.table, self.slot)
    }
}

/// What [`view`] answers, in the order of `wasm/js/values.ts`.
const FIRST_LITERAL: u32 = 16;
const PAST_END: u32 = 8;

fn view_of(kind: u32) -> View<'static> {
    match kind {
        0 => View::Missing,
        1 => View::Null,
        2 => View::Bool(false),
        3 => View::Bool(true),
        4 => View::Number(seen_number()),
        5 => View::Text(TextView::Elsewhere),
        6 => View::List,
        7 => View::Map,
        literal => View::Text(TextView::Literal(literal.saturating_sub(FIRST_LITERAL))),
    }
}

impl Value for Handle {
    type Arena = Rc<Table>;

    fn from_json(space: &Rc<Table>, json: &Json) -> Self {
        let handle = space.allocate();
        put_json(space.number, handle.slot, &json.to_string());
        handle
    }

    fn list(space: &Rc<Table>, items: Vec<Self>) -> Self {
        let handle = space.allocate();
        put_list(space.number, handle.slot, &addresses(&items));
        handle
    }

    fn map(space: &Rc<Table>, entries: Vec<(String, Self)>) -> Self {
        let handle = space.allocate();
        let (keys, values): (Vec<String>, Vec<Self>) = entries.into_iter().unzip();
        put_map(space.number, handle.slot, &Json::from(keys).to_string(), &addresses(&values));
        handle
    }

    fn view(&self, path: &Path) -> View<'_> {
        view_of(view(self.table, self.slot, path.number))
    }

    fn text_contains(&self, path: &Path, _: &str, literal: u32) -> bool {
        text_contains_at(self.table, self.slot, path.number, literal)
    }

    fn element(&self, _: &Path, index: u32) -> Option<View<'_>> {
        match view_element(self.table, index) {
            PAST_END => None,
            kind => Some(view_of(kind)),
        }
    }

    fn length(&self) -> usize {
        list_length(self.table, self.slot) as usize
    }

    fn item(&self, space: &Rc<Table>, index: u32) -> Option<Self> {
        let handle = space.allocate();
        put_item(space.number, handle.slot, self.table, self.slot, index).then_some(handle)
    }

    fn bytes(&self) -> f64 {
        json_bytes(self.table, self.slot)
    }

    fn weight(&self) -> f64 {
        weight_at(self.table, self.slot)
    }

    fn identity(&self) -> u64 {
        (u64::from(self.table) << 32) | u64::from(self.slot)
    }

    fn get(&self, space: &Rc<Table>, path: &Path) -> Option<Self> {
        if path.number == 0 {
            return Some(*self);
        }
        let handle = space.allocate();
        put_at(space.number, handle.slot, self.table, self.slot, path.number).then_some(handle)
    }

    fn text(&self, path: &Path) -> Option<String> {
        text_at(self.table, self.slot, path.number)
    }

    fn json(&self, path: &Path) -> Option<Json> {
        stepgraph_core::json::parse(&json_at(self.table, self.slot, path.number)?)
    }

    fn has_key(&self, path: &Path, key: &str) -> bool {
        has_key_at(self.table, self.slot, path.number, key)
    }
}

fn addresses(values: &[Handle]) -> Vec<u32> {
    values.iter().flat_map(|value| [value.table, value.slot]).collect()
}
