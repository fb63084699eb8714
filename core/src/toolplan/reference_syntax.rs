//! Decides whether `${` in a planned call is a reference or literal text.
//!
//! Parameters may be commands or programs, where `${HOME}` is no reference. Text that resembles one counts, so that
//! typos are reported, not sent to tools.
//!
//! Source: `docs/planning.md`.

use crate::diagnostic::closest_name;
use crate::expression::is_key_char;

pub(super) fn is_reference(text: &str, at: usize) -> bool {
    let inner = text.get(at + 2..).unwrap_or_default().trim_start();
    let word = inner.get(..inner.find(|c| !is_key_char(c)).unwrap_or(inner.len())).unwrap_or_default();
    let after = inner.get(word.len()..).unwrap_or_default();
    let goes_on = after.starts_with(['.', '[']);
    let item = after.strip_prefix('[').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let item = item.filter(|_| !after.starts_with("[]"));
    let misspelt = word.eq_ignore_ascii_case("calls") || word.eq_ignore_ascii_case("call");
    if word == "call" || goes_on && misspelt || item.is_some() && closest_name(word, ["call"]).is_some() {
        return true;
    }
    // A whole text is a reference, unless it is a shell variable, `{{` or `!`.
    let whole = at == 0 && text.find('}').is_none_or(|end| end + 1 == text.len());
    if whole {
        return match word {
            "" => !after.starts_with(['{', '!', ':']),
            word => goes_on || word.chars().any(char::is_lowercase),
        };
    }
    // Within a text, `${steps[0].name}` is very likely a reference.
    item.is_some_and(|rest| rest.starts_with("]."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_reference() {
        for (text, expect) in [
            ("${call[0].x}", true),
            ("${ call[0] }", true),
            ("${call}", true),
            ("${call[0", true),
            ("${}", true),
            ("id ${cal[0].x}", true),
            ("id ${calls[0].x}", true),
            ("id ${Call.0.x}", true),
            ("${last.x}", true),
            ("about ${output.a.b}", false),
            ("`${cell.value}`", false),
            ("${user_id}", true),
            ("${steps[0].id}", true),
            ("at ${steps[0].id}", true),
            ("${weather.city}", true),
            ("${HOME}", false),
            ("${HOME}/bin", false),
            ("echo ${file} > ${out}", false),
            ("for f in ${files[@]}; do echo ${files[0]}; done", false),
            ("${{ secrets.KEY }}", false),
            ("on ${{ matrix.os }}", false),
            ("arn:${var.region}", false),
            ("Hello ${name}", false),
            ("`${user.name} is here`", false),
            ("${!x}", false),
            ("a${}b", false),
        ] {
            assert_eq!(is_reference(text, text.find("${").unwrap()), expect, "{text}");
        }
    }
}
