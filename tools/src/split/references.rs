//! Finds the parts that refer to a datum.
//!
//! The linker's relocations name functions as they were before outlining. A reference belongs to an outlined
//! function if all of its addresses occur there.

use super::super::data::Datum;
use super::Partition;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

pub(super) struct References<'a> {
    partition: &'a Partition<'a>,
    functions: HashMap<&'a str, u32>,
    /// The functions that were taken from a function.
    outlined: BTreeMap<u32, Vec<u32>>,
}

impl<'a> References<'a> {
    pub(super) fn new(partition: &'a Partition<'a>, origins: &[u32]) -> Self {
        let whole = partition.whole;
        let functions = whole.names.iter().map(|(function, name)| (*name, *function)).collect();
        let end = super::number(whole.type_of.len());
        let mut outlined: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (function, origin) in (end - super::number(origins.len())..).zip(origins) {
            outlined.entry(*origin).or_default().push(function);
        }
        Self { partition, functions, outlined }
    }

    /// As bits.
    pub(super) fn users(&self, datum: &Datum) -> u32 {
        let is_used = !(datum.functions.is_empty() && datum.data.is_empty());
        if !(datum.is_constant && is_used) {
            return 1;
        }
        let mut addresses: BTreeMap<&str, BTreeMap<u32, usize>> = BTreeMap::new();
        for (name, address) in &datum.functions {
            *addresses.entry(name).or_default().entry(*address).or_default() += 1;
        }
        let users_in = |(name, own): (&&str, &BTreeMap<u32, usize>)| self.users_in(name, own, &datum.range);
        addresses.iter().map(users_in).fold(0, |users, own| users | own)
    }

    /// The optimizer inlines nothing. So a function that is gone was never called, or equals another one, which has
    /// the same addresses. One with an ambiguous name may be anywhere.
    fn users_in(&self, name: &str, addresses: &BTreeMap<u32, usize>, datum: &Range<u32>) -> u32 {
        let Some(function) = self.functions.get(name) else {
            let is_gone = !name.is_empty() && addresses.keys().all(|address| datum.contains(address));
            return u32::from(!is_gone);
        };
        self.moved(*function, addresses).unwrap_or(1 << self.partition.part(*function))
    }

    /// Returns `None` if the function itself may still refer to an address.
    fn moved(&self, function: u32, addresses: &BTreeMap<u32, usize>) -> Option<u32> {
        let outlined = self.outlined.get(&function)?;
        let mut users = 0;
        for (address, wanted) in addresses {
            let mut found = 0;
            for outlined in outlined {
                let own = outlined.checked_sub(self.partition.whole.imported())? as usize;
                let numbers = self.partition.whole.numbers.get(own)?;
                let count = numbers.iter().filter(|number| *number == address).count();
                if count > 0 {
                    users |= 1 << self.partition.part(*outlined);
                }
                found += count;
            }
            if found < *wanted {
                return None;
            }
        }
        Some(users)
    }
}
