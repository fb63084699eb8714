//! Values that stay on JavaScript's side.
//!
//! Decides how a value is known here: by its slot in a table of JavaScript. Looking into it is one call with numbers;
//! nothing is converted unless a template or a model needs its text.
//!
//! Invariants:
//! 1. a slot is in use as long as a [`Handle`] to it lives, and is given to another value only then;
//! 2. JavaScript never sees a slot that it was not told of.
//!
//! Source: design section 6; the figures behind it are in `tests/bench/README.md`.

use serde_json::Value as Json;
use std::cell::RefCell;
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
    /// Whether the map at the end of a path has a key.
    fn has_key_at(table: u32, slot: u32, path: u32, key: &str) -> bool;
}

/// Which slots of one table are in use.
#[derive(Debug)]
pub struct Table {
    number: u32,
    /// Whether slots are used once only; then nobody needs to count.
    keeps: bool,
    slots: RefCell<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    /// How many handles there are to each slot.
    uses: Vec<u32>,
    free: Vec<u32>,
    /// How many slots were taken, where they are used once only.
    taken: u32,
}

impl Table {
    /// An empty table; JavaScript knows it by `number`.
    pub fn new(number: u32) -> Rc<Self> {
        Rc::new(Self { number, keeps: false, slots: RefCell::default() })
    }

    /// An empty table in which every value stays.
    pub fn keeping(number: u32) -> Rc<Self> {
        Rc::new(Self { number, keeps: true, slots: RefCell::default() })
    }

    /// A slot that nobody uses.
    pub fn take(self: &Rc<Self>) -> Handle {
        let mut slots = self.slots.borrow_mut();
        if self.keeps {
            slots.taken += 1;
            return Handle { table: Rc::clone(self), slot: slots.taken - 1 };
        }
        let slot = slots.free.pop().unwrap_or_else(|| {
            slots.uses.push(0);
            u32::try_from(slots.uses.len() - 1).unwrap_or(u32::MAX)
        });
        if let Some(uses) = slots.uses.get_mut(slot as usize) {
            *uses = 1;
        }
        Handle { table: Rc::clone(self), slot }
    }

    /// The number by which JavaScript knows it.
    pub fn number(&self) -> u32 {
        self.number
    }
}

/// A value, known by its place.
#[derive(Debug)]
pub struct Handle {
    table: Rc<Table>,
    slot: u32,
}

impl Handle {
    /// Its slot, in the table of that number.
    pub fn place(&self) -> (u32, u32) {
        (self.table.number, self.slot)
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        if !self.table.keeps
            && let Some(uses) = self.table.slots.borrow_mut().uses.get_mut(self.slot as usize)
        {
            *uses += 1;
        }
        Self { table: Rc::clone(&self.table), slot: self.slot }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.table.keeps {
            return;
        }
        let mut slots = self.table.slots.borrow_mut();
        let Some(uses) = slots.uses.get_mut(self.slot as usize) else { return };
        *uses -= 1;
        if *uses == 0 {
            slots.free.push(self.slot);
        }
    }
}

/// What [`view`] answers, in the order of `wasm/js/values.ts`.
const FIRST_LITERAL: u32 = 16;

impl Value for Handle {
    type Space = Rc<Table>;

    fn from_json(space: &Rc<Table>, json: &Json) -> Self {
        let handle = space.take();
        put_json(space.number, handle.slot, &json.to_string());
        handle
    }

    fn list(space: &Rc<Table>, items: Vec<Self>) -> Self {
        let handle = space.take();
        put_list(space.number, handle.slot, &places(&items));
        handle
    }

    fn map(space: &Rc<Table>, entries: Vec<(String, Self)>) -> Self {
        let handle = space.take();
        let (keys, values): (Vec<String>, Vec<Self>) = entries.into_iter().unzip();
        put_map(space.number, handle.slot, &Json::from(keys).to_string(), &places(&values));
        handle
    }

    fn view(&self, path: &Path) -> View<'_> {
        match view(self.table.number, self.slot, path.number) {
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

    fn get(&self, path: &Path) -> Option<Self> {
        if path.number == 0 {
            return Some(self.clone());
        }
        let handle = self.table.take();
        put_at(self.table.number, handle.slot, self.table.number, self.slot, path.number).then_some(handle)
    }

    fn text(&self, path: &Path) -> Option<String> {
        text_at(self.table.number, self.slot, path.number)
    }

    fn json(&self, path: &Path) -> Option<Json> {
        serde_json::from_str(&json_at(self.table.number, self.slot, path.number)?).ok()
    }

    fn has_key(&self, path: &Path, key: &str) -> bool {
        has_key_at(self.table.number, self.slot, path.number, key)
    }
}

fn places(values: &[Handle]) -> Vec<u32> {
    values.iter().flat_map(|value| [value.table.number, value.slot]).collect()
}
