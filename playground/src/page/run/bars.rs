//! A timeline row's bars.

use super::super::store::Store;
use super::visit_status::status_id;
use crate::run::{Bar, BarKind};
use leptos::prelude::*;
use stepgraph_core::value::number_text;

/// Fraction of the row, about a pixel.
const MIN_BAR_WIDTH: f64 = 0.002;

/// Visible run time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VisibleTime {
    /// Fraction of the whole.
    middle: f64,
    /// Whole divided by visible.
    zoom: f64,
}

impl Default for VisibleTime {
    fn default() -> Self {
        Self { middle: 0.5, zoom: 1.0 }
    }
}

impl VisibleTime {
    /// Zooms in.
    #[must_use]
    pub fn zoomed(self, times: f64) -> Self {
        Self { zoom: (self.zoom * times).clamp(1.0, 65_536.0), ..self }.clamped()
    }

    /// `None` for other keys.
    pub fn after_key(self, key: &str, shift: bool) -> Option<Self> {
        let by = 0.25 / self.zoom;
        match (key, shift) {
            ("+" | "=", _) => Some(self.zoomed(2.0)),
            ("-" | "_", _) => Some(self.zoomed(0.5)),
            ("ArrowLeft", true) => Some(Self { middle: self.middle - by, ..self }.clamped()),
            ("ArrowRight", true) => Some(Self { middle: self.middle + by, ..self }.clamped()),
            _ => None,
        }
    }

    fn clamped(self) -> Self {
        let half = 0.5 / self.zoom;
        Self { middle: self.middle.clamp(half, 1.0 - half), ..self }
    }

    fn to_row(self, part: f64) -> f64 {
        (part - self.middle).mul_add(self.zoom, 0.5)
    }
}

/// A row's bars.
#[component]
pub fn Bars(
    /// Visible time.
    span: RwSignal<VisibleTime>,
    /// Page state.
    store: Store,
    /// Row number.
    row: usize,
) -> impl IntoView {
    move || {
        let span = span.get();
        store.runs.with(|run, at| {
            // Earlier run positions keep the whole run's scale.
            let whole = run.time(run.len()).max(0.001);
            let fine = whole * MIN_BAR_WIDTH / span.zoom;
            let seen = |bar: &Bar| (span.to_row(bar.start_ms / whole), span.to_row(bar.end_ms / whole));
            let bars = run.bars(row, at, fine).into_iter().filter_map(|bar| {
                let (from, to) = seen(&bar);
                (to >= 0.0 && from <= 1.0).then(|| bar_view(bar.kind, from.max(0.0), to.min(1.0)))
            });
            bars.collect_view()
        })
    }
}

fn bar_view(shape: BarKind, from: f64, to: f64) -> impl IntoView {
    let percent = |part: f64| [&number_text((part * 10_000.0).round() / 100.0), "%"].concat();
    let shape = match shape {
        BarKind::Visit(status) => status_id(status),
        BarKind::FailedAttempt => "try",
        BarKind::Wait => "wait",
        BarKind::Merged => "many",
    };
    view! { <i data-shape=shape style:left=percent(from) style:width=percent((to - from).max(MIN_BAR_WIDTH))></i> }
}
