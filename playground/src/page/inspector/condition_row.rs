//! A condition's row: value, operator, and a value or expression.

use super::condition_rows::{ConditionTable, default_reference};
use super::expression_field::{ExpressionField, Written, about_option, expression_field};
use super::field_input::FieldInput;
use super::operand_cell::{OperandCell, operand_cell};
use super::text_selection::{focus, keep_focus};
use crate::form::condition::{OperandKind, Operator, Row, RowIndex, Rows, Shape};
use crate::i18n::Inspector as W;
use crate::plan_editor::ConditionCheck;
use leptos::prelude::*;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::Condition;

#[derive(Clone, Copy)]
pub(super) struct RowCell {
    pub(super) table: ConditionTable,
    pub(super) row: Memo<Option<Row>>,
    pub(super) at: RowIndex,
    /// Starts at 1.
    pub(super) number: Memo<String>,
}

impl RowCell {
    pub(super) fn set(self, change: impl FnOnce(&mut Row)) {
        self.table.change(|rows| {
            if let Some(row) = rows.row_mut(self.at) {
                row.change(change);
            }
        });
    }

    fn operator(self) -> Operator {
        self.row.with(|row| row.as_ref().map_or(Operator::Equals, |row| row.operator))
    }

    fn is_expression(self) -> bool {
        self.operator() == Operator::Expression || self.table.expressions.with(|all| all.contains(&self.at))
    }

    pub(super) fn part_id(self, name: &str) -> String {
        let (part, row) = self.at;
        self.table.draft.part_id(&[name, &part.to_string(), "-", &row.to_string()].concat())
    }

    fn label(self, word: W) -> String {
        self.table.draft.ctx.format(word, &[&self.number.get()])
    }

    fn shape(self) -> Shape {
        let left = self.row.with(|row| row.as_ref().map(|row| row.left.clone())).unwrap_or_default();
        self.table.options.with(|options| {
            options.iter().find(|option| option.text == left).map(|option| option.shape).unwrap_or_default()
        })
    }

    /// In context of the text around it.
    fn check(self, before: &str, (text, cursor): (String, usize), after: &str) -> ConditionCheck {
        let Some((scope, edge)) = self.table.edge() else { return ConditionCheck::default() };
        let whole = [before, &text, after].concat();
        let store = self.table.draft.ctx.store;
        let mut check =
            store.read(|editor| editor.check_condition(&scope, edge, &whole, before.len() + cursor));
        check.proposals.retain_mut(|proposal| {
            let (start, end) = (proposal.span.start, proposal.span.end);
            let is_inside = before.len() <= start && end <= before.len() + text.len();
            proposal.span = Span::new(start.saturating_sub(before.len()), end.saturating_sub(before.len()));
            is_inside
        });
        check
    }
}

pub(super) fn row_view(table: ConditionTable, at: RowIndex) -> AnyView {
    let row = Memo::new(move |_| table.row(at));
    let number = Memo::new(move |_| {
        let place = table
            .rows
            .with(|rows| rows.as_ref().and_then(|rows| rows.rows().position(|(place, _)| place == at)));
        (place.unwrap_or_default() + 1).to_string()
    });
    let cell = RowCell { table, row, at, number };
    let is_expression = Memo::new(move |_| cell.is_expression());
    let left = move || {
        if is_expression.get() {
            whole_field(cell)
        } else {
            operand_cell(OperandCell { cell, of_left: true })
        }
    };
    view! {
        <div class="row" role="group" aria-label=move || cell.label(W::Row)>
            {left}
            {operator_select(cell, is_expression)}
            {right_side(cell, is_expression)}
            {row_tools(cell)}
        </div>
    }
    .into_any()
}

fn operator_select(cell: RowCell, is_expression: Memo<bool>) -> impl IntoView {
    let ctx = cell.table.draft.ctx;
    let selected =
        Memo::new(move |_| if is_expression.get() { Operator::Expression } else { cell.operator() });
    let shape = Memo::new(move |_| cell.shape());
    let options = move || {
        let shape = shape.get();
        let chosen = selected.get();
        let option = |one: Operator| {
            view! { <option value=one.id() selected=one == chosen>{ctx.text(operator_text(one))}</option> }
        };
        let group = |(word, operators): (W, &'static [Operator])| {
            let fits = |one: &Operator| *one == chosen || one.suits(shape);
            let list: Vec<_> = operators.iter().copied().filter(fits).map(option).collect();
            (!list.is_empty()).then(|| view! { <optgroup label=ctx.text(word)>{list}</optgroup> })
        };
        let groups = GROUPS.into_iter().map(group).collect_view();
        view! { {groups}{option(Operator::Expression)} }
    };
    let choose = move |event| {
        if let Some(operator) = Operator::from_id(&event_target_value(&event)) {
            choose_operator(cell, operator);
        }
    };
    view! {
        <select class="operator" aria-label=move || cell.label(W::Operator) prop:value=move || selected.get().id() on:change=choose>{options}</select>
    }
}

const GROUPS: [(W, &[Operator]); 4] = [
    (
        W::Compare,
        &[
            Operator::Equals,
            Operator::NotEquals,
            Operator::Less,
            Operator::AtMost,
            Operator::Greater,
            Operator::AtLeast,
            Operator::In,
        ],
    ),
    (
        W::Content,
        &[
            Operator::Contains,
            Operator::NotContains,
            Operator::StartsWith,
            Operator::EndsWith,
            Operator::Matches,
        ],
    ),
    (W::Presence, &[Operator::Exists, Operator::Missing, Operator::IsTrue, Operator::IsFalse]),
    (
        W::Size,
        &[
            Operator::SizeEquals,
            Operator::SizeLess,
            Operator::SizeAtMost,
            Operator::SizeGreater,
            Operator::SizeAtLeast,
        ],
    ),
];

fn choose_operator(cell: RowCell, operator: Operator) {
    let table = cell.table;
    let before = untrack(|| cell.row.get());
    if operator == Operator::Expression {
        // Verbatim until the user changes it.
        table.expressions.update(|all| all.push(cell.at));
        let id = cell.part_id("expression");
        request_animation_frame(move || focus(&id));
        return;
    }
    table.expressions.update(|all| all.retain(|at| *at != cell.at));
    let left = before.filter(|row| row.operator == Operator::Expression).map(|row| {
        let found = Condition::parse(&row.left).ok();
        let first = found.and_then(|found| found.references().next().map(|(first, _)| first.to_string()));
        first.unwrap_or_else(|| default_reference(table))
    });
    cell.set(|row| {
        row.operator = operator;
        row.left = left.unwrap_or_else(|| row.left.clone());
        let is_number = row.right.parse::<f64>().is_ok();
        if operator.needs_number() && row.kind != OperandKind::Value && !is_number {
            (row.right, row.kind) = ("0".to_owned(), OperandKind::Literal);
        }
    });
}

fn right_side(cell: RowCell, is_expression: Memo<bool>) -> impl IntoView {
    let ctx = cell.table.draft.ctx;
    let has_operand = Memo::new(move |_| !is_expression.get() && cell.operator().has_operand());
    let is_value = Memo::new(move |_| {
        cell.row.with(|row| row.as_ref().is_some_and(|row| row.kind == OperandKind::Value))
    });
    let choose = move |event| {
        if event_target_value(&event) == "value" {
            let other = other_reference(cell);
            cell.set(|row| (row.right, row.kind) = (other, OperandKind::Value));
        } else {
            cell.set(|row| {
                row.kind = OperandKind::Literal;
                row.right = if row.operator.needs_number() { "0".to_owned() } else { String::new() };
            });
        }
        let id = cell.part_id("right");
        request_animation_frame(move || focus(&id));
    };
    let kind = move || {
        view! {
            <select class="kind" aria-label=move || cell.label(W::OperandKind) prop:value=move || if is_value.get() { "value" } else { "fixed" } on:change=choose>
                <option value="fixed" selected=move || !is_value.get()>{move || ctx.text(W::FixedValue)}</option>
                <option value="value" selected=move || is_value.get()>{move || ctx.text(W::OtherValue)}</option>
            </select>
        }
    };
    let operand = move || {
        if is_value.get() { value_field(cell) } else { operand_cell(OperandCell { cell, of_left: false }) }
    };
    move || has_operand.get().then(|| view! { {kind}{operand} })
}

fn other_reference(cell: RowCell) -> String {
    let left = untrack(|| cell.row.get()).map(|row| row.left).unwrap_or_default();
    let shape = untrack(|| cell.shape());
    let options = cell.table.options.get_untracked();
    let others = || options.iter().filter(|option| option.text != left);
    let fitting = others().find(|option| option.shape == shape && option.text.contains('.'));
    fitting.or_else(|| others().next()).map_or_else(|| "input".to_owned(), |option| option.text.clone())
}

fn whole_field(cell: RowCell) -> AnyView {
    let text = move || {
        let shown = |row: &Row| match row.operator {
            Operator::Expression => row.left.clone(),
            _ => row.to_text(),
        };
        cell.row.with(|row| row.as_ref().map(shown)).unwrap_or_default()
    };
    let write = move |(text, leaves): (String, bool)| {
        let row = Row::new(text.trim(), Operator::Expression, "");
        if !row.is_complete() {
            return Written::No;
        }
        let next = cell.table.changed(|rows| {
            if let Some(old) = rows.row_mut(cell.at) {
                old.change(|old| *old = row.clone());
            }
        });
        let Some(next) = next else { return Written::No };
        let lengths = |rows: &Rows| {
            let of_part = |part: usize| rows.rows().filter(|((at, _), _)| *at == part).count();
            (0..rows.parts.len()).map(of_part).collect::<Vec<_>>()
        };
        let before = cell.table.rows.with_untracked(|rows| rows.as_ref().map(lengths));
        // Becoming several rows waits, because the field would disappear.
        let is_same = Rows::parse(&next).as_ref().map(lengths) == before;
        if !is_same && !leaves {
            return Written::Later;
        }
        let is_known = cell.table.expressions.with_untracked(|all| all.contains(&cell.at));
        if is_same && !is_known {
            cell.table.expressions.update(|all| all.push(cell.at));
        } else if !is_same {
            cell.table.expressions.set(Vec::new());
        }
        cell.table.draft.text_typed(&next);
        Written::Yes
    };
    expression_field(ExpressionField {
        ctx: cell.table.draft.ctx,
        id: StoredValue::new(cell.part_id("expression")),
        name: Signal::derive(move || cell.label(W::Expression)),
        text: Signal::derive(text),
        check: Callback::new(move |typed| cell.check("", typed, "")),
        write: Callback::new(write),
        options: None,
        about: Signal::derive(|| None),
    })
}

fn value_field(cell: RowCell) -> AnyView {
    let text = move || cell.row.with(|row| row.as_ref().map(|row| row.right.clone())).unwrap_or_default();
    let write = move |(text, _): (String, bool)| {
        let Some(mut row) = untrack(|| cell.row.get()) else { return Written::No };
        text.trim().clone_into(&mut row.right);
        if !row.is_value() {
            return Written::No;
        }
        cell.set(|old| old.right = row.right);
        Written::Yes
    };
    let check = move |typed| {
        let (before, after) = untrack(|| cell.row.get()).map(|row| row.frame()).unwrap_or_default();
        cell.check(&before, typed, after)
    };
    let about = move || {
        let text = text();
        let known = |option: &&crate::form::reference_options::ReferenceOption| option.text == text;
        let about = cell.table.options.with(|options| options.iter().find(known).map(about_option));
        about.filter(|about| !about.is_empty())
    };
    expression_field(ExpressionField {
        ctx: cell.table.draft.ctx,
        id: StoredValue::new(cell.part_id("right")),
        name: Signal::derive(move || cell.label(W::Right)),
        text: Signal::derive(text),
        check: Callback::new(check),
        write: Callback::new(write),
        options: Some(cell.table.options),
        about: Signal::derive(about),
    })
}

fn row_tools(cell: RowCell) -> impl IntoView {
    let RowCell { table, at, number, .. } = cell;
    let FieldInput { ctx, .. } = table.draft;
    let alternative = move |_| {
        let left = table.row(at).filter(|row| row.operator != Operator::Expression).map(|row| row.left);
        let left = left.unwrap_or_else(|| default_reference(table));
        table.add_row(&left, Some(at.0));
    };
    let remove = move |_| {
        table.restructure(|rows| rows.remove(at));
        keep_focus(vec![table.draft.part_id("add-row")]);
    };
    let other = move || cell.label(W::AddAlternative);
    let removed = move || cell.label(W::RemoveRow);
    let mark = move || {
        let position: usize = number.get().parse().ok()?;
        let holds = table.results.with(|holds| holds.get(position - 1).copied().flatten())?;
        let (class, sign, word) =
            if holds { ("truth yes", "✓", W::Holds) } else { ("truth no", "✗", W::Fails) };
        Some(
            view! { <span class=class role="img" aria-label=ctx.text(word) title=ctx.text(word)>{sign}</span> },
        )
    };
    view! {
        <span class="tools">
            {mark}
            <button type="button" class="icon" title=other aria-label=other on:click=alternative>"∥"</button>
            <button type="button" class="icon" title=removed aria-label=removed on:click=remove>"×"</button>
        </span>
    }
}

fn operator_text(operator: Operator) -> W {
    match operator {
        Operator::Equals => W::Equals,
        Operator::NotEquals => W::Differs,
        Operator::Contains => W::Contains,
        Operator::NotContains => W::Lacks,
        Operator::Exists => W::Exists,
        Operator::Missing => W::Missing,
        Operator::IsTrue => W::IsTrue,
        Operator::IsFalse => W::IsFalse,
        Operator::Less => W::Less,
        Operator::AtMost => W::AtMost,
        Operator::Greater => W::Greater,
        Operator::AtLeast => W::AtLeast,
        Operator::In => W::IsOneOf,
        Operator::StartsWith => W::StartsWith,
        Operator::EndsWith => W::EndsWith,
        Operator::Matches => W::Matches,
        Operator::SizeEquals => W::SizeEquals,
        Operator::SizeLess => W::SizeLess,
        Operator::SizeAtMost => W::SizeAtMost,
        Operator::SizeGreater => W::SizeGreater,
        Operator::SizeAtLeast => W::SizeAtLeast,
        Operator::Expression => W::AsExpression,
    }
}
