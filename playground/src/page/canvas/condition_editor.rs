//! Edits an edge's condition inline. Enter or leaving writes it, Escape discards it.
//!
//! Source: WCAG 3.3.1, 3.3.3.

use super::canvas_view::CanvasView;
use crate::i18n::{Canvas as W, Localized, format_message};
use crate::page::dom::pixels;
use crate::page::proposals::{insert_proposal, typed_text};
use crate::page::store::t;
use crate::plan_editor::{ConditionCheck, PlanEditor, Proposal};
use crate::scene::SceneEdge;
use leptos::prelude::*;
use leptos::web_sys::KeyboardEvent;

const MIN_WIDTH: f64 = 240.0;
const MAX_PROPOSALS: usize = 8;

pub(super) fn condition_editor(view: CanvasView) -> impl IntoView {
    view! {
        <Show when=move || view.edited_condition.get().is_some()>
            {editor_field(view)}
        </Show>
    }
}

fn with_edge<T>(
    editor: &PlanEditor,
    edge: &(String, usize),
    read: impl FnOnce(&SceneEdge) -> T,
) -> Option<T> {
    let is_it = |scene_edge: &&SceneEdge| scene_edge.scope == edge.0 && scene_edge.index == edge.1;
    editor.scene().edges.iter().find(is_it).map(read)
}

fn editor_field(view: CanvasView) -> impl IntoView {
    let store = view.store;
    let edge = view.edited_condition.get_untracked().unwrap_or_default();
    let before = store
        .read(|editor| with_edge(editor, &edge, |scene_edge| scene_edge.label.clone()))
        .unwrap_or_default();
    let (check, at) = (RwSignal::new(ConditionCheck::default()), RwSignal::new(None::<usize>));
    let input = NodeRef::<leptos::html::Input>::new();
    let look = {
        let edge = edge.clone();
        move || {
            let Some(field) = input.try_get_untracked().flatten() else { return };
            let (text, cursor) = typed_text(&field);
            check.set(store.read(|editor| editor.check_condition(&edge.0, edge.1, &text, cursor)));
            at.set(None);
        }
    };
    let begin = look.clone();
    let shown = before.clone();
    Effect::new(move || {
        if let Some(field) = input.get() {
            field.set_value(&shown);
            drop(field.focus());
            field.select();
            begin();
        }
    });
    let commit = {
        let edge = edge.clone();
        move || {
            let Some(field) = input.try_get_untracked().flatten() else { return };
            let text = field.value();
            view.edited_condition.set(None);
            if text.trim() != before {
                store.change(|editor, now| editor.set_condition(&edge.0, edge.1, &text, now));
            }
        }
    };
    let pick = {
        let look = look.clone();
        move |number: usize| {
            let found = check.with_untracked(|check| check.proposals.get(number).cloned());
            if let (Some(field), Some(proposal)) = (input.try_get_untracked().flatten(), found) {
                insert_proposal(&field, &proposal);
                look();
            }
        }
    };
    let on_key = key_pressed(view, at, check, pick.clone(), commit.clone());
    let place = {
        let edge = edge.clone();
        move || field_position(view, &edge)
    };
    let name = store.read(|editor| end_titles(editor, &edge));
    view! {
        <div class="condition over" style:left={ let place = place.clone(); move || pixels(place().0) } style:top=move || pixels(place().1)>
            <input node_ref=input type="text" role="combobox" aria-autocomplete="list" aria-controls="proposals" spellcheck="false" autocomplete="off"
                aria-expanded=move || if check.with(|check| check.proposals.is_empty()) { "false" } else { "true" }
                aria-activedescendant=move || at.get().map(|at| ["proposal-", &at.to_string()].concat())
                aria-invalid=move || if check.with(|check| check.problems.is_empty()) { "false" } else { "true" }
                aria-describedby="condition-problem"
                aria-label=move || format_message(W::Condition.text(store.lang.get()), &[&name.0, &name.1])
                placeholder=t(store, W::ConditionEmpty)
                on:input=move |_| look() on:keydown=on_key on:blur=move |_| commit() />
            <p id="condition-problem" class="wrong" hidden=move || check.with(|check| check.problems.is_empty())>
                {move || check.with(|check| check.problems.join("\n"))}
            </p>
            {proposal_list(view, at, check, Callback::new(pick))}
        </div>
    }
}

fn key_pressed(
    view: CanvasView,
    at: RwSignal<Option<usize>>,
    check: RwSignal<ConditionCheck>,
    pick: impl Fn(usize) + 'static,
    commit: impl Fn() + 'static,
) -> impl Fn(KeyboardEvent) + 'static {
    move |event: KeyboardEvent| {
        let count = check.with_untracked(|check| check.proposals.len().min(MAX_PROPOSALS));
        match (event.key().as_str(), at.get_untracked()) {
            ("ArrowDown", now) if count > 0 => at.set(Some(now.map_or(0, |now| (now + 1) % count))),
            ("ArrowUp", now) if count > 0 => {
                at.set(Some(now.map_or(count - 1, |now| (now + count - 1) % count)));
            }
            ("Enter" | "Tab", Some(now)) => pick(now),
            ("Enter", None) => {
                commit();
                view.focus_changed();
            }
            ("Escape", Some(_)) => at.set(None),
            ("Escape", None) => {
                view.edited_condition.set(None);
                if let Some(root) = view.with_state(|state| state.root.clone()).flatten() {
                    drop(root.focus());
                }
                view.focus_changed();
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

fn proposal_list(
    view: CanvasView,
    at: RwSignal<Option<usize>>,
    check: RwSignal<ConditionCheck>,
    take: Callback<usize>,
) -> impl IntoView {
    let rows = move || {
        let proposals =
            check.with(|check| check.proposals.iter().take(MAX_PROPOSALS).cloned().collect::<Vec<_>>());
        let row = |(number, proposal): (usize, Proposal)| {
            view! {
                <li role="option" id=["proposal-", &number.to_string()].concat()
                    aria-selected=move || if at.get() == Some(number) { "true" } else { "false" }
                    on:pointerdown=move |event| event.prevent_default() on:click=move |_| take.run(number)>
                    <span class="title">{proposal.label}</span>
                    <span class="detail">{proposal.detail}</span>
                </li>
            }
        };
        proposals.into_iter().enumerate().map(row).collect_view()
    };
    view! {
        <ul id="proposals" role="listbox" aria-label=t(view.store, W::Proposals)
            hidden=move || check.with(|check| check.proposals.is_empty())>{rows}</ul>
    }
}

fn field_position(view: CanvasView, edge: &(String, usize)) -> (f64, f64) {
    let area = view.store.with_scene(|editor| {
        with_edge(editor, edge, |scene_edge| {
            let middle = scene_edge.curve.middle();
            if scene_edge.label.is_empty() {
                crate::geometry::Rect::between(middle, middle)
            } else {
                scene_edge.label_box
            }
        })
    });
    let area = view.on_screen(&area.unwrap_or_default());
    let screen = view.store.screen.get();
    let left = (area.centre().x - MIN_WIDTH / 2.0).min(screen.width - MIN_WIDTH - 8.0).max(8.0);
    (left, (area.centre().y - 15.0).min(screen.height - 60.0).max(8.0))
}

fn end_titles(editor: &PlanEditor, edge: &(String, usize)) -> (String, String) {
    let title =
        |node: usize| editor.scene().nodes.get(node).map(|node| node.title.clone()).unwrap_or_default();
    with_edge(editor, edge, |scene_edge| (title(scene_edge.from), title(scene_edge.to))).unwrap_or_default()
}
