//! Nodes with a bar per visit. Only visible rows are elements. Up and Down move, plus and minus zoom, Shift with an
//! arrow scrolls.

use super::super::dom::pixels;
use super::super::icon::{self, icon};
use super::super::store::{Store, t};
use super::bars::{Bars, VisibleTime};
use super::cost::RunCost;
use super::history::RunHistoryView;
use super::outcome::RunOutcomeView;
use super::questions::{Questions, reveal_new_questions};
use super::run_input::RunInputFields;
use super::scrubber::Scrubber;
use super::trace::RecordedRunButton;
use super::visit_detail::TimelineDetail;
use super::visit_status::{show_visit, shown_visit, status_icon, status_id, status_text};
use crate::i18n::{Localized, Run as W};
use crate::outline::visible_range;
use crate::run::{TimelineRow, VisitStatus, duration};
use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{self, HtmlElement};

/// Pixels, as in the styles.
const ROW_HEIGHT: f64 = 28.0;
const ROW_PIXELS: i32 = 28;

/// Run tab.
#[component]
pub fn RunTab(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let is_empty = Memo::new(move |_| {
        let has_nothing = store.runs.with(|run, _| run.is_empty() && run.outcome().is_none());
        has_nothing && !store.runs.is_active()
    });
    let contents = move || {
        if is_empty.get() {
            return view! { <div class="empty"><p>{t(store, W::NoRun)}</p><RecordedRunButton store/></div> }
                .into_any();
        }
        view! {
            <Scrubber store/>
            <RunOutcomeView store/>
            <div class="split"><Timeline store/><TimelineDetail store/></div>
        }
        .into_any()
    };
    reveal_new_questions(store);
    view! {
        <div class="run">
            <Questions store/>
            <RunInputFields store/>
            {contents}
            <RunCost store/>
            <RunHistoryView store/>
        </div>
    }
}

/// Visible rows.
#[derive(Clone, Copy)]
pub struct VisibleRows {
    store: Store,
    rows: Memo<Vec<usize>>,
    /// Focused now or next.
    at: RwSignal<usize>,
    scrolled: RwSignal<f64>,
    height: RwSignal<f64>,
    /// Visible time.
    pub span: RwSignal<VisibleTime>,
    table: NodeRef<Div>,
}

impl std::fmt::Debug for VisibleRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VisibleRows")
    }
}

#[component]
fn Timeline(store: Store) -> impl IntoView {
    let lines = VisibleRows {
        store,
        rows: Memo::new(move |_| store.runs.with(crate::run::Run::rows)),
        at: RwSignal::new(0),
        scrolled: RwSignal::new(0.0),
        height: RwSignal::new(400.0),
        span: RwSignal::new(VisibleTime::default()),
        table: NodeRef::new(),
    };
    let seen = Memo::new(move |_| {
        visible_range(lines.rows.with(Vec::len), lines.scrolled.get(), lines.height.get(), ROW_HEIGHT)
    });
    let scrolled = move |_| {
        if let Some(table) = lines.table.get_untracked() {
            lines.scrolled.set(f64::from(table.scroll_top()));
            lines.height.set(f64::from(table.client_height()));
        }
    };
    let pad = move |count: usize| pixels(ROW_HEIGHT * f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
    let body = move || {
        let (first, last) = seen.get();
        let count = lines.rows.with(Vec::len);
        let shown =
            (first..last).filter_map(|line| Some((line, lines.rows.with(|rows| rows.get(line).copied())?)));
        view! {
            <div class="pad" role="presentation" style:height=pad(first)></div>
            {shown.map(|(line, row)| view! { <Line lines line row/> }).collect_view()}
            <div class="pad" role="presentation" style:height=pad(count.saturating_sub(last))></div>
        }
    };
    view! {
        <div class="timeline">
            <Tools lines/>
            <div
                class="rows"
                role="table"
                aria-label=t(store, W::Timeline)
                aria-rowcount=move || (lines.rows.with(Vec::len) + 1).to_string()
                node_ref=lines.table
                on:scroll=scrolled
                on:keydown=move |event| on_key(lines, &event)
            >
                <Head store/>
                <div role="rowgroup">{body}</div>
            </div>
        </div>
    }
}

#[component]
fn Head(store: Store) -> impl IntoView {
    let names =
        [("name", W::Node), ("state", W::State), ("from", W::Began), ("took", W::Took), ("bars", W::Bars)];
    let cell = move |(class, word): (&'static str, W)| view! { <div class=class role="columnheader">{t(store, word)}</div> };
    view! { <div class="line head" role="row" aria-rowindex="1">{names.map(cell).into_iter().collect_view()}</div> }
}

#[component]
fn Tools(lines: VisibleRows) -> impl IntoView {
    let store = lines.store;
    let button = move |name: W, path: &'static str, change: fn(VisibleTime) -> VisibleTime| {
        let press = move |_| lines.span.update(|span| *span = change(*span));
        view! { <button type="button" class="only" aria-label=t(store, name) title=t(store, name) on:click=press>{icon(path)}</button> }
    };
    view! {
        <div class="zoom">
            {button(W::ZoomIn, icon::PLUS, |span| span.zoomed(2.0))}
            {button(W::ZoomOut, icon::MINUS, |span| span.zoomed(0.5))}
        </div>
    }
}

#[component]
fn Line(lines: VisibleRows, line: usize, row: usize) -> impl IntoView {
    let store = lines.store;
    let about = Memo::new(move |_| store.runs.with(|run, at| run.row_at(row, at).map(ComparedRow)));
    let with = move |read: fn(&TimelineRow) -> String| {
        about.with(|row| row.as_ref().map(|row| read(&row.0)).unwrap_or_default())
    };
    let status = move || about.with(|row| row.as_ref().map_or(VisitStatus::Abandoned, |row| row.0.status));
    let choose = move |_| {
        lines.at.set(line);
        if let Some((node_path, visit)) =
            about.with_untracked(|row| row.as_ref().map(|row| (row.0.node_path.to_string(), row.0.last)))
        {
            show_visit(store, &node_path, visit);
        }
    };
    let is_selected = move || {
        let visit = shown_visit(store);
        about.with(|row| {
            row.as_ref().is_some_and(|row| {
                visit.is_some_and(|id| {
                    store.runs.read(|run, _| {
                        run.visit(id).is_some_and(|visit| {
                            visit.node_path == row.0.node_path && visit.lane == row.0.lane
                        })
                    })
                })
            })
        })
    };
    let name = move || with(|row| row.node_path.rsplit('/').next().unwrap_or_default().to_owned());
    let lane = move || with(|row| lane_label(&row.lane).to_owned());
    let count = move || {
        with(|row| if row.visits > 1 { ["×", &row.visits.to_string()].concat() } else { String::new() })
    };
    view! {
        <div class="line" role="row" aria-rowindex=(line + 2).to_string() aria-current=move || is_selected().then_some("true") data-fate=move || status_id(status())>
            <div class="name" role="rowheader" style:--depth=move || with(|row| row.depth.to_string())>
                <button type="button" data-line=line.to_string() tabindex=move || if lines.at.get() == line { "0" } else { "-1" } on:click=choose>
                    <span class="dot" aria-hidden="true">{move || status_icon(status())}</span>
                    <span>{name}</span>
                    <small>{lane}" "{count}</small>
                </button>
            </div>
            <div class="state" role="cell">{move || status_text(status()).text(store.lang.get())}</div>
            <div class="from" role="cell">{move || with(|row| duration(row.start_ms))}</div>
            <div class="took" role="cell">{move || with(took)}</div>
            <div class="bars" role="cell" aria-hidden="true"><Bars span=lines.span store row/></div>
        </div>
    }
}

/// An open visit has no duration yet: time passes between events, too.
fn took(row: &TimelineRow) -> String {
    if row.status.is_open() { String::new() } else { duration(row.duration_ms) }
}

/// Rows are equal if they look equal.
struct ComparedRow(TimelineRow);

impl PartialEq for ComparedRow {
    fn eq(&self, other: &Self) -> bool {
        let read = |row: &TimelineRow| {
            (row.visits, row.last, row.status, row.duration_ms.to_bits(), row.start_ms.to_bits())
        };
        read(&self.0) == read(&other.0)
    }
}

/// A branch, or a list index.
fn lane_label(lane: &str) -> &str {
    lane.rsplit('/').next().filter(|part| !part.contains(':')).unwrap_or_default()
}

fn on_key(lines: VisibleRows, event: &web_sys::KeyboardEvent) {
    let count = lines.rows.with_untracked(Vec::len);
    let now = lines.at.get_untracked();
    let next = match (event.key().as_str(), event.shift_key()) {
        ("ArrowDown", _) => (now + 1).min(count.saturating_sub(1)),
        ("ArrowUp", _) => now.saturating_sub(1),
        ("Home", _) => 0,
        ("End", _) => count.saturating_sub(1),
        (key, shift) => {
            if let Some(span) = lines.span.get_untracked().after_key(key, shift) {
                event.prevent_default();
                event.stop_propagation();
                lines.span.set(span);
            }
            return;
        }
    };
    event.prevent_default();
    event.stop_propagation();
    lines.at.set(next);
    scroll_to(lines, next);
}

fn scroll_to(lines: VisibleRows, line: usize) {
    let Some(table) = lines.table.get_untracked() else { return };
    let row = i32::try_from(line).unwrap_or(i32::MAX).saturating_mul(ROW_PIXELS);
    let (top, height) = (table.scroll_top(), table.client_height() - 2 * ROW_PIXELS);
    if row < top || row > top + height {
        table.set_scroll_top(row.saturating_sub(height / 2).max(0));
    }
    request_animation_frame(move || {
        let found =
            table.query_selector(&["[data-line=\"", &line.to_string(), "\"]"].concat()).ok().flatten();
        if let Some(button) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
            drop(button.focus());
        }
    });
}
