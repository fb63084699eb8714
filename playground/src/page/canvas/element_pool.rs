//! Mounts elements in view, in scene order, and reuses others.

use crate::page::dom::pixels;
use leptos::web_sys::{Element, HtmlElement};
use wasm_bindgen::JsCast;

pub(super) trait PooledElement {
    fn create() -> Option<Self>
    where
        Self: Sized;
    fn root(&self) -> &HtmlElement;
}

#[derive(Debug)]
pub(super) struct ElementPool<T> {
    mounted: Vec<(usize, T)>,
    free: Vec<T>,
}

impl<T> Default for ElementPool<T> {
    fn default() -> Self {
        Self { mounted: Vec::new(), free: Vec::new() }
    }
}

impl<T: PooledElement> ElementPool<T> {
    /// `wanted` is sorted.
    pub(super) fn mount(&mut self, wanted: &[usize], layer: &Element) {
        let is_wanted = |number: &usize| wanted.binary_search(number).is_ok();
        if self.mounted.iter().any(|(number, _)| !is_wanted(number)) {
            let (kept, removed): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.mounted).into_iter().partition(|(number, _)| is_wanted(number));
            self.mounted = kept;
            for (_, removed) in removed {
                removed.root().remove();
                self.free.push(removed);
            }
        }
        if self.mounted.len() == wanted.len() {
            return;
        }
        let mut known = std::mem::take(&mut self.mounted).into_iter().peekable();
        for number in wanted {
            if let Some(known) = known.next_if(|(known, _)| known == number) {
                self.mounted.push(known);
                continue;
            }
            let Some(new) = self.free.pop().or_else(T::create) else { continue };
            let next = known.peek().map(|(_, next)| next.root().clone().unchecked_into());
            drop(layer.insert_before(new.root(), next.as_ref()));
            self.mounted.push((*number, new));
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        self.mounted.iter_mut().map(|(number, one)| (*number, one))
    }

    pub(super) fn get(&self, number: usize) -> Option<&T> {
        let at = self.mounted.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.mounted.get(at).map(|(_, one)| one)
    }
}

pub(super) fn element(tag: &str, class: &str) -> Option<HtmlElement> {
    let element = leptos::prelude::document().create_element(tag).ok()?;
    element.set_class_name(class);
    element.dyn_into().ok()
}

pub(super) fn child_element(parent: &HtmlElement, tag: &str, class: &str) -> Option<HtmlElement> {
    let element = element(tag, class)?;
    parent.append_child(&element).ok()?;
    Some(element)
}

pub(super) fn set_attribute(element: &Element, name: &str, value: &str) {
    drop(element.set_attribute(name, value));
}

/// `None` removes it.
pub(super) fn set_or_remove(element: &Element, name: &str, value: Option<&str>) {
    match value {
        Some(value) => set_attribute(element, name, value),
        None => drop(element.remove_attribute(name)),
    }
}

pub(super) fn set_style(element: &HtmlElement, name: &str, value: &str) {
    drop(element.style().set_property(name, value));
}

pub(super) fn move_to(element: &HtmlElement, at: crate::geometry::Point) {
    set_style(element, "transform", &["translate(", &pixels(at.x), ",", &pixels(at.y), ")"].concat());
}
