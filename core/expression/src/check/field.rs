//! Checks fields of values.

use super::Checker;
use crate::ast::{Expr, Index, Kind, Literal, Name};
use crate::base::{closest_name, list_index, shorten_name};
use crate::error::{Error, UNKNOWN_FIELD};
use crate::function::Function;
use crate::types::{Object, Type};

impl Checker<'_> {
    pub(super) fn field(&mut self, operand: &Type, field: &Name, expr: &Expr) -> Type {
        if field.text.is_empty() {
            return Type::Dyn;
        }
        let mut found: Option<Type> = None;
        for member in operand.members() {
            if let Some(kind) = known_field(member, &field.text, self.optional == 0) {
                found = Some(kind.join(found));
            }
        }
        if let Some(found) = found {
            return found;
        }
        let error = unknown_field(&operand.without_null(), field, expr);
        self.errors.push(error);
        Type::Dyn
    }

    /// Whether a path leads to a value in all data, and the value is not `null`.
    #[inline(never)]
    pub(super) fn is_given(&self, path: &Expr) -> bool {
        self.given(path)
            .is_some_and(|kind| !kind.members().iter().any(|it| matches!(it, Type::Dyn | Type::Null)))
    }

    /// The type of a value that is always there.
    fn given(&self, path: &Expr) -> Option<Type> {
        let (operand, name) = match &path.kind {
            Kind::Ident(name) => {
                let variable = self.variable(&name.text).and_then(|at| self.variables.get(at));
                return variable.map_or_else(|| (self.root)(&name.text), |known| Some(known.kind.clone()));
            }
            Kind::Select(select) => (&select.operand, &select.field.text),
            Kind::Index(Index { operand, index }) => match &index.kind {
                Kind::Literal(Literal::Text(key)) => (operand, key),
                _ => return None,
            },
            _ => return None,
        };
        let Type::Object(object) = self.given(operand)? else { return None };
        let mut fields = object.fields.iter();
        fields.find(|field| field.required && field.name == *name).map(|field| field.kind.clone())
    }
}

/// `None` if the type certainly has no such field.
fn known_field(kind: &Type, name: &str, is_needed: bool) -> Option<Type> {
    match kind {
        Type::Dyn => Some(Type::Dyn),
        Type::Map(value) => Some(Type::clone(value)),
        Type::List(element) => list_index(name).map(|_| Type::clone(element)),
        Type::Object(object) => match object.fields.iter().find(|field| field.name == name) {
            Some(field) => Some(field.kind.clone()),
            // A similar name is a typo, even if the object allows other names.
            None if object.is_complete && is_needed => None,
            None if object.open && closest_field(object, name).is_none() => Some(Type::Dyn),
            None => None,
        },
        _ => None,
    }
}

/// Whether a function of that name follows such a value.
fn is_method(kind: &Type, name: &str) -> bool {
    let receiver = if matches!(kind, Type::List(_)) { "list" } else { "string" };
    let fits = |function: Function| function.receivers().any(|known| known.starts_with(receiver));
    Function::named(name).is_some_and(fits) && matches!(kind, Type::List(_) | Type::String)
}

fn needs_nothing(name: &str) -> bool {
    let accepts = |function: Function| function.signatures().any(|it| it.receiver.is_some() && it.accepts(0));
    Function::named(name).is_some_and(accepts)
}

/// What stands between the parentheses of a call.
fn arguments(name: &str) -> &'static str {
    match Function::named(name) {
        Some(Function::Map | Function::SortBy) => "x, value",
        Some(function) if function.is_comprehension() => "x, condition",
        _ if needs_nothing(name) => "",
        _ => "…",
    }
}

fn closest_field<'o>(object: &'o Object, name: &str) -> Option<&'o str> {
    closest_name(name, object.fields.iter().map(|field| field.name.as_str()))
}

fn unknown_field(kind: &Type, field: &Name, expr: &Expr) -> Error {
    let (name, span) = (shorten_name(&field.text), field.span);
    let operand = match &expr.kind {
        Kind::Select(select) => select.operand.to_string(),
        Kind::Index(index) => index.operand.to_string(),
        _ => String::new(),
    };
    let is_plain = matches!(kind, Type::List(_) | Type::String);
    let has_size = is_plain || matches!(kind, Type::Map(_) | Type::Object(_));
    let means_size = matches!(name.as_str(), "length" | "len" | "size" | "count")
        // Fields of a map may have similar names.
        || is_plain && closest_name(&field.text, ["length"]).is_some();
    if has_size && means_size {
        let error = Error::new(UNKNOWN_FIELD, span, &format!("{} has no field `{name}`", kind.describe()));
        let call = format!("size({operand})");
        return error.help(&format!("write `{call}`")).fix(expr.span, &call);
    }
    let Type::Object(object) = kind else {
        let error = Error::new(UNKNOWN_FIELD, span, &format!("{} has no field `{name}`", kind.describe()));
        return match kind {
            _ if is_method(kind, &field.text) => {
                let call = format!("{operand}.{name}({})", arguments(&field.text));
                let error = error.help(&format!("write `{call}` for the function"));
                if needs_nothing(&field.text) { error.fix(expr.span, &call) } else { error }
            }
            Type::List(element)
                if element.members().iter().any(|kind| known_field(kind, &field.text, false).is_some()) =>
            {
                error.help(&format!("write `{operand}[0].{name}`, or `{operand}.map(x, x.{name})` for all"))
            }
            Type::List(_) => error.help("write `list[0]` for an element, or `list.map(x, x)` for all"),
            _ => error.help("only maps have fields"),
        };
    };
    let error = Error::new(UNKNOWN_FIELD, span, &format!("there is no field `{name}`"));
    if let Some(other) = closest_field(object, &field.text) {
        let text =
            if matches!(expr.kind, Kind::Index(_)) { format!("\"{other}\"") } else { other.to_owned() };
        return error.help(&format!("did you mean `{other}`?")).fix(span, &text);
    }
    if let Some((left, right)) = field.text.split_once('-')
        && object.fields.iter().any(|field| field.name == left)
    {
        let text = format!("{left} - {right}");
        return error.help(&format!("write `{text}` with blanks to subtract")).fix(span, &text);
    }
    let names: Vec<String> = object.fields.iter().take(8).map(|field| format!("`{}`", field.name)).collect();
    if names.is_empty() {
        error.help("it has no fields")
    } else {
        error.help(&format!("the fields are {}", names.join(", ")))
    }
}
