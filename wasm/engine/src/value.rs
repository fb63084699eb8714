//! Values that remain in JavaScript. A handle names a slot of a table there. Only a template or a model needs a text.
//!
//! Invariants:
//! 1. A slot gets another value only after a sweep found that the run does not hold it.
//! 2. JavaScript knows only the slots that it received.
//!
//! Source: the figures in `tests/bench/README.md`.

use serde_json::Value as Json;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use stepgraph_core::expression::{TextTest, ValueId, ValueSource};
use stepgraph_core::value::{Path, TextView, Value, View};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "../dist/values.js")]
extern "C" {
    /// Returns a value's kind, or 16 plus the number of the literal that its text equals.
    fn view(table: u32, slot: u32, path: u32) -> u32;
    /// The number that `view` read last.
    fn seen_number() -> f64;
    fn put_at(into: u32, slot: u32, table: u32, from: u32, path: u32) -> bool;
    fn put_json(table: u32, slot: u32, json: &str);
    /// `values` are pairs of table and slot.
    fn put_list(table: u32, slot: u32, values: &[u32]);
    /// `keys` is a JSON list.
    fn put_map(table: u32, slot: u32, keys: &str, values: &[u32]);
    fn text_at(table: u32, slot: u32, path: u32) -> Option<String>;
    fn json_at(table: u32, slot: u32, path: u32) -> Option<String>;
    /// Tests for the literal with this number: 0 contains, 1 starts with, 2 ends with. Returns the length of
    /// the text, or -1 minus the length if the test fails.
    fn test_text_at(table: u32, slot: u32, path: u32, literal: u32, test: u32) -> f64;
    fn list_has_text(table: u32, literal: u32) -> bool;
    /// Like `view`, for the list that it read last. May return [`PAST_END`].
    fn view_element(table: u32, index: u32) -> u32;
    /// Like `view`, from a list element on.
    fn view_item(table: u32, slot: u32, index: u32, path: u32) -> u32;
    fn list_length(table: u32, slot: u32) -> u32;
    fn put_item(into: u32, slot: u32, table: u32, from: u32, index: u32) -> bool;
    /// A list's keys consist of digits.
    fn put_entry(into: u32, slot: u32, table: u32, from: u32, key: &str) -> bool;
    fn count_at(table: u32, slot: u32) -> u32;
    /// As a JSON list.
    fn keys_at(table: u32, slot: u32) -> String;
    /// Size of the JSON text.
    fn json_bytes(table: u32, slot: u32) -> f64;
    fn weight_at(table: u32, slot: u32) -> f64;
    fn has_key_at(table: u32, slot: u32, path: u32, key: &str) -> bool;
}

/// The slots of one table.
///
/// Counting references would slow every step. An occasional sweep frees all slots but those that the run
/// holds.
#[derive(Debug)]
pub struct Table {
    number: u32,
    size: Cell<u32>,
    /// As the last sweep found them.
    free: RefCell<Vec<u32>>,
    /// Slots of parts that the current evaluation visits.
    scratch: RefCell<Vec<u32>>,
    /// The size at which the next sweep is due.
    limit: Cell<u32>,
}

const MIN_SWEEP_SIZE: u32 = 256;

impl Table {
    /// JavaScript knows the table by this number.
    pub fn new(number: u32) -> Rc<Self> {
        Rc::new(Self {
            number,
            size: Cell::new(0),
            free: RefCell::default(),
            scratch: RefCell::default(),
            limit: Cell::new(MIN_SWEEP_SIZE),
        })
    }

    /// Forgets all slots.
    pub fn clear(&self) {
        self.size.set(0);
        self.free.borrow_mut().clear();
        self.scratch.borrow_mut().clear();
        self.limit.set(MIN_SWEEP_SIZE);
    }

    /// Returns an unused slot.
    pub fn allocate(&self) -> Handle {
        let slot = self.free.borrow_mut().pop().unwrap_or_else(|| self.size.replace(self.size.get() + 1));
        Handle { table: self.number, slot }
    }

    fn allocate_scratch(&self) -> Handle {
        let handle = self.allocate();
        self.scratch.borrow_mut().push(handle.slot);
        handle
    }

    fn free_scratch(&self) {
        // Frees in reverse, so that the table stays dense: the next value takes the lowest slot.
        self.free.borrow_mut().extend(self.scratch.borrow_mut().drain(..).rev());
    }

    /// Whether a sweep is due.
    pub fn is_full(&self) -> bool {
        self.size.get() >= self.limit.get() && self.free.borrow().is_empty()
    }

    /// Frees every slot except those in `held`.
    pub fn sweep<'a>(&self, held: impl Iterator<Item = &'a Handle>) {
        let size = self.size.get() as usize;
        let mut used = vec![false; size];
        for handle in held.filter(|handle| handle.table == self.number) {
            if let Some(used) = used.get_mut(handle.slot as usize) {
                *used = true;
            }
        }
        let unused = used.iter().enumerate().filter(|(_, used)| !**used);
        let free: Vec<u32> = unused.filter_map(|(slot, _)| u32::try_from(slot).ok()).rev().collect();
        // Keeps sweeps rare: before the next, the run takes at least as many slots as this one kept.
        let live = u32::try_from(size - free.len()).unwrap_or(u32::MAX);
        self.limit.set(live.saturating_mul(2).max(MIN_SWEEP_SIZE));
        self.free.replace(free);
    }

    /// Returns its number.
    pub fn number(&self) -> u32 {
        self.number
    }
}

/// A value's table and slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    table: u32,
    slot: u32,
}

impl Handle {
    /// Returns table and slot.
    pub fn address(self) -> (u32, u32) {
        (self.table, self.slot)
    }
}

/// As in `wasm/js/values.ts`.
const FIRST_LITERAL: u32 = 16;
const PAST_END: u32 = 8;

fn view_of(kind: u32) -> View<'static> {
    match kind {
        0 => View::Missing,
        1 => View::Null,
        2 => View::Bool(false),
        3 => View::Bool(true),
        4 => View::Number(seen_number()),
        5 => View::Text(TextView::Remote),
        6 => View::List,
        7 => View::Map,
        literal => View::Text(TextView::Literal(literal.saturating_sub(FIRST_LITERAL))),
    }
}

impl Value for Handle {
    type Arena = Rc<Table>;
    type Source<'a> = SlotSource<'a>;

    fn source<'a>(space: &'a Rc<Table>, roots: &'a dyn Fn(u32) -> Option<&'a Self>) -> SlotSource<'a> {
        SlotSource { space, roots, values: RefCell::default() }
    }

    fn share(space: &Rc<Table>, host: &SlotSource<'_>, id: ValueId) -> Self {
        // The evaluation may free the value's slot.
        let (handle, from) = (space.allocate(), host.get(id));
        put_at(space.number, handle.slot, from.table, from.slot, 0);
        handle
    }

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
        test_text_at(self.table, self.slot, path.number, literal, test_number(TextTest::Contains)) >= 0.0
    }

    fn has_text(&self, _: &Path, _: &str, literal: u32) -> bool {
        list_has_text(self.table, literal)
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

fn test_number(test: TextTest) -> u32 {
    match test {
        TextTest::Contains => 0,
        TextTest::StartsWith => 1,
        TextTest::EndsWith => 2,
    }
}

fn addresses(values: &[Handle]) -> Vec<u32> {
    values.iter().flat_map(|value| [value.table, value.slot]).collect()
}

/// An evaluation's values. It frees the slots of visited parts.
pub struct SlotSource<'a> {
    space: &'a Rc<Table>,
    roots: &'a dyn Fn(u32) -> Option<&'a Handle>,
    values: RefCell<Vec<Handle>>,
}

/// Roots need no entry in the list of values. Most conditions visit nothing else.
const ROOT: ValueId = 1 << 31;

impl SlotSource<'_> {
    fn get(&self, id: ValueId) -> Handle {
        let found = if id & ROOT == 0 {
            self.values.borrow().get(id as usize).copied()
        } else {
            (self.roots)(id & !ROOT).copied()
        };
        found.unwrap_or(Handle { table: self.space.number, slot: u32::MAX })
    }

    fn add(&self, handle: Handle) -> Option<ValueId> {
        let mut values = self.values.borrow_mut();
        values.push(handle);
        u32::try_from(values.len() - 1).ok().filter(|id| id & ROOT == 0)
    }

    /// `put` returns whether the part exists.
    fn part(&self, put: impl FnOnce(Handle) -> bool) -> Option<ValueId> {
        let handle = self.space.allocate_scratch();
        put(handle).then(|| self.add(handle))?
    }
}

impl Drop for SlotSource<'_> {
    fn drop(&mut self) {
        self.space.free_scratch();
    }
}

impl fmt::Debug for SlotSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlotSource").field("values", &self.values).finish_non_exhaustive()
    }
}

impl ValueSource for SlotSource<'_> {
    fn root(&self, root: u32) -> Option<ValueId> {
        (self.roots)(root).map(|_| ROOT | root)
    }

    fn view(&self, id: ValueId, path: &Path) -> View<'_> {
        let Handle { table, slot } = self.get(id);
        view_of(view(table, slot, path.number))
    }

    fn child(&self, id: ValueId, path: &Path) -> Option<ValueId> {
        if path.number == 0 {
            return Some(id);
        }
        let Handle { table, slot } = self.get(id);
        self.part(|into| put_at(into.table, into.slot, table, slot, path.number))
    }

    fn element(&self, id: ValueId, index: u32) -> Option<ValueId> {
        let Handle { table, slot } = self.get(id);
        self.part(|into| put_item(into.table, into.slot, table, slot, index))
    }

    fn element_view(&self, id: ValueId, index: u32, path: &Path) -> View<'_> {
        let Handle { table, slot } = self.get(id);
        view_of(view_item(table, slot, index, path.number))
    }

    fn entry(&self, id: ValueId, key: &str) -> Option<ValueId> {
        let Handle { table, slot } = self.get(id);
        self.part(|into| put_entry(into.table, into.slot, table, slot, key))
    }

    fn count(&self, id: ValueId) -> usize {
        let Handle { table, slot } = self.get(id);
        count_at(table, slot) as usize
    }

    fn keys(&self, id: ValueId) -> Vec<String> {
        let Handle { table, slot } = self.get(id);
        let Some(Json::Array(keys)) = stepgraph_core::json::parse(&keys_at(table, slot)) else {
            return Vec::new();
        };
        keys.into_iter()
            .filter_map(|key| if let Json::String(key) = key { Some(key) } else { None })
            .collect()
    }

    fn text(&self, id: ValueId, path: &Path) -> Option<Cow<'_, str>> {
        let Handle { table, slot } = self.get(id);
        text_at(table, slot, path.number).map(Cow::Owned)
    }

    fn test_text(
        &self,
        id: ValueId,
        path: &Path,
        test: TextTest,
        (_, literal): (&str, u32),
    ) -> (bool, usize) {
        let Handle { table, slot } = self.get(id);
        let found = test_text_at(table, slot, path.number, literal, test_number(test));
        let length = if found < 0.0 { -1.0 - found } else { found };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the length of a text")]
        (found >= 0.0, length as usize)
    }

    fn json(&self, id: ValueId) -> Option<Cow<'_, Json>> {
        let Handle { table, slot } = self.get(id);
        stepgraph_core::json::parse(&json_at(table, slot, 0)?).map(Cow::Owned)
    }

    fn copied(&self, _: ValueId) -> usize {
        0
    }

    fn weight(&self, id: ValueId) -> f64 {
        let Handle { table, slot } = self.get(id);
        weight_at(table, slot)
    }
}
