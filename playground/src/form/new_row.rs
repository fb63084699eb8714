//! A condition's new row. It starts with a comparison that the check accepts, because the user has typed nothing yet.

use super::condition::{Operator, Row, Rows};
use super::reference_options::ReferenceOption;

/// Compares with the first listed value that no row has. Other values depend on the kind.
pub fn new_row(options: &[ReferenceOption], rows: &Rows, left: &str) -> Row {
    let Some(option) = options.iter().find(|option| option.text == left) else {
        return Row::new(left, Operator::Equals, "");
    };
    let is_used = |value: &String| rows.rows().any(|(_, row)| row.left == left && row.right == *value);
    let shape = option.shape;
    if let Some(value) = option.values.iter().find(|value| !is_used(value)) {
        Row::new(left, Operator::Equals, value)
    } else if shape.is_number {
        Row::new(left, Operator::Equals, "0")
    } else if shape.is_boolean {
        Row::new(left, Operator::IsTrue, "")
    } else if shape.is_collection || !option.values.is_empty() {
        Row::new(left, Operator::Exists, "")
    } else {
        Row::new(left, Operator::Equals, "")
    }
}

/// The value that a new row compares: if possible one that always exists, that no row has, and with listed values.
pub fn new_reference(options: &[ReferenceOption], rows: Option<&Rows>) -> String {
    let is_used = |option: &ReferenceOption| {
        rows.is_some_and(|rows| rows.rows().any(|(_, row)| row.left == option.text))
    };
    let best =
        options.iter().min_by_key(|option| (!option.is_certain, is_used(option), option.values.is_empty()));
    best.map_or_else(|| "last".to_owned(), |option| option.text.clone())
}

#[cfg(test)]
mod tests {
    use super::super::condition::Shape;
    use super::*;

    fn option(text: &str, kind: &str, values: &[&str]) -> ReferenceOption {
        ReferenceOption {
            text: text.to_owned(),
            kind: kind.to_owned(),
            help: String::new(),
            is_certain: true,
            sample: None,
            values: values.iter().map(|&value| value.to_owned()).collect(),
            shape: Shape::of_types([kind]),
            schema: None,
        }
    }

    #[test]
    fn a_new_row_compares_with_a_value_of_its_kind() {
        let options = [
            option("last.name", "string", &[]),
            option("last.kind", "string", &["book", "toy"]),
            option("last.total", "number", &[]),
            option("last.paid", "boolean", &[]),
            option("last.lines", "array", &[]),
        ];
        let none = Rows::parse("").unwrap();
        let text = |left: &str, rows: &Rows| {
            let row = new_row(&options, rows, left);
            (row.operator, row.right)
        };
        assert_eq!(text("last.kind", &none), (Operator::Equals, "book".to_owned()));
        assert_eq!(text("last.total", &none), (Operator::Equals, "0".to_owned()));
        assert_eq!(text("last.paid", &none), (Operator::IsTrue, String::new()));
        assert_eq!(text("last.lines", &none), (Operator::Exists, String::new()));
        assert_eq!(text("last.name", &none), (Operator::Equals, String::new()));
        assert_eq!(text("input.other", &none), (Operator::Equals, String::new()));
        let used = Rows::parse("last.kind==book").unwrap();
        assert_eq!(text("last.kind", &used), (Operator::Equals, "toy".to_owned()));
        assert_eq!(new_reference(&options, Some(&none)), "last.kind");
        assert_eq!(new_reference(&options, Some(&used)), "last.name");
        assert_eq!(new_reference(&[], None), "last");
    }
}
