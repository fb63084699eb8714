//! The list of problems, updated a frame after the canvas.

use super::dom::after_next_frame;
use super::language::engine_text;
use super::store::{Store, t};
use crate::history::ChangeSource;
use crate::i18n::{Localized, Text as W, format_message};
use crate::problems::{Counts, Row, problem_rows, split_code};
use leptos::prelude::*;
use stepgraph_core::diagnostic::{Severity, Span, Target, TextEdit};
use stepgraph_lazy::lazy;

/// Problems tab.
#[component]
pub fn Problems(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let list = RwSignal::new(Vec::new());
    after_next_frame(
        move || store.text_version.track(),
        move || {
            let found = store.read(|editor| problem_rows(editor.document()));
            if list.with_untracked(|list| *list != found) {
                list.set(found);
            }
        },
    );
    let counts = Memo::new(move |_| store.with_text(|editor| Counts::from_document(editor.document())));
    let lines = move || {
        store.lang.track();
        list.get().into_iter().map(|row| view! { <Line store row/> }).collect_view()
    };
    view! {
        <p class="problem-counts">{move || summary(store, counts.get())}</p>
        <ul class="problem-list" aria-label=t(store, W::List)>{lines}</ul>
        {move || more_problems(store, counts.get().all().saturating_sub(list.with(Vec::len)))}
    }
}

fn summary(store: Store, counts: Counts) -> String {
    let lang = store.lang.get();
    if counts.all() == 0 {
        return W::None.text(lang).to_owned();
    }
    let kinds = [
        (counts.errors, W::OneError, W::Errors),
        (counts.warnings, W::OneWarning, W::Warnings),
        (counts.hints, W::OneHint, W::Hints),
    ];
    let said = kinds.into_iter().filter(|(count, ..)| *count > 0).map(|(count, one, several)| {
        if count == 1 {
            one.text(lang).to_owned()
        } else {
            format_message(several.text(lang), &[&count.to_string()])
        }
    });
    said.collect::<Vec<_>>().join(", ")
}

fn more_problems(store: Store, count: usize) -> Option<impl IntoView> {
    let said = move || format_message(W::More.text(store.lang.get()), &[&count.to_string()]);
    (count > 0).then(|| view! { <p class="problem-more">{said}</p> })
}

#[component]
fn Line(store: Store, row: Row) -> impl IntoView {
    let (class, severity, icon) = match row.severity {
        Severity::Error => ("problem-line is-error", W::Error, "✕"),
        Severity::Warning => ("problem-line is-warning", W::Warning, "!"),
        Severity::Hint => ("problem-line is-hint", W::Hint, "i"),
    };
    let place = row.position.map(|(line, column)| {
        let said = move || {
            format_message(W::Place.text(store.lang.get()), &[&line.to_string(), &column.to_string()])
        };
        view! { <span class="problem-place">{said}</span> }
    });
    let lang = store.lang.get_untracked();
    let fix = (!row.fix.is_empty()).then(|| {
        let edits = row.fix.clone();
        let message = engine_text(lang, row.code, &row.message);
        let name = format_message(W::FixOf.text(lang), &[&message]);
        view! { <button type="button" class="problem-fix" aria-label=name on:click=move |_| apply_fix(store, &edits, &message)>{t(store, W::Fix)}</button> }
    });
    let [message, help] = [&row.message, &row.help].map(|text| with_code(&engine_text(lang, row.code, text)));
    view! {
        <li class=class>
            <button type="button" class="problem-go" on:click=move |_| go_to_problem(store, &row)>
                <span class="problem-icon" aria-hidden="true">{icon}</span>
                <span class="unseen">{t(store, severity)} ": "</span>
                <span class="problem-text"><span class="problem-message">{message}</span> " " <span class="problem-help">{help}</span></span>
                <span class="problem-code">{row.code}</span>
                {place}
            </button>
            {fix}
        </li>
    }
}

/// Shows backticks as code.
pub fn with_code(text: &str) -> impl IntoView + use<> {
    let part = |(text, is_code): &(&str, bool)| {
        let text = (*text).to_owned();
        if *is_code { view! { <code>{text}</code> }.into_any() } else { text.into_any() }
    };
    split_code(text).iter().map(part).collect_view()
}

lazy! {
    fn go_to_problem(store: Store, row: &Row) = select_and_reveal;

    /// One undo step.
    fn apply_fix(store: Store, edits: &[TextEdit], message: &str) = write_fix;
}

fn select_and_reveal(store: Store, row: &Row) {
    match &row.target {
        Target::Node(node_path) => store.update_selection(|editor| editor.select_node(node_path, false)),
        Target::Edge(scope, edge) | Target::Condition(scope, edge) => {
            store.update_selection(|editor| editor.select_edge(scope, *edge, false));
        }
        Target::Document | Target::Call(_) => {}
    }
    store.reveal_span.set(row.span);
}

fn write_fix(store: Store, edits: &[TextEdit], message: &str) {
    let done = store.change(|editor, at_ms| {
        editor.apply_text_edits(edits, ChangeSource::Command, "fix", at_ms);
        editor.refresh();
        Ok(edits.to_vec())
    });
    if done {
        // The button disappears, so the text gets the focus.
        store.reveal_span.set(edits.first().map(|edit| Span::at(edit.span.start)));
        store.announce(format_message(W::Fixed.text(store.lang.get_untracked()), &[message]));
    }
}
