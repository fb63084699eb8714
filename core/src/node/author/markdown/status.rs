//! Reads the status of a plan: from a label, a tag, JSON, another label, or a lone word.
//!
//! A negated FEASIBLE is IMPOSSIBLE, unless a status word without a negation follows. Words struck out, in questions
//! (`FEASIBLE? No`) or hypothetical (`whether it is feasible`) don't count.

use super::{Status, StatusField, strip_markdown};
use crate::collect::CollectVec;
use crate::node::author::text::parse_object;
use serde_json::Value as Json;

const NEGATIONS: &str = "NOT ISNT NEVER NEITHER NOR CANT CANNOT WONT WOULDNT COULDNT SHOULDNT ARENT WASNT DOESNT AINT UNLIKELY \
    IMPROBABLE HARDLY BARELY SCARCELY NOWHERE NUNCA TAMPOCO APENAS";
/// After a negating `no`: `no longer feasible`, `no es factible`.
const AFTER_NO: &str = "LONGER WAY MEANS ES ESTA ESTá SERá SERIA SERíA PARECE RESULTA";
/// Cancel a negation: `not only feasible`.
const LIMITERS: &str = "ONLY JUST MERELY";
const COMPLETENESS_WORDS: &str =
    "FULLY ENTIRELY COMPLETELY WHOLLY TOTALLY TOTALMENTE COMPLETAMENTE PLENAMENTE TODO";
const CLAUSE_WORDS: &str = "BUT HOWEVER SO RATHER ALTHOUGH THOUGH HENCE PERO SINO AUNQUE INSTEAD AND Y";
/// Allowed in a line with only a status.
const FILLERS: &str = "IS IT ITS THIS THAT BE TO THE A MY PLAN REQUEST TASK STATUS VERDICT ANSWER FINAL OVERALL FROM AT LONGER NO YES \
    SEEMS LOOKS ES EL LA ESTO ESTADO SOLICITUD VERY SIMPLY CONCLUSION";
const OTHER_LABELS: &str = "verdict|final verdict|conclusion|assessment|feasibility assessment|decision|outcome|result|feasible|\
    estado|viabilidad|factibilidad|veredicto";

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

fn status_word(word: &str) -> Option<Status> {
    match word {
        "FEASIBLE" | "FACTIBLE" | "VIABLE" => Some(Status::Feasible),
        "PARTIAL" | "PARTIALLY" | "PARTLY" | "PARCIAL" | "PARCIALMENTE" => Some(Status::Partial),
        "IMPOSSIBLE" | "INFEASIBLE" | "UNFEASIBLE" | "NONFEASIBLE" | "IMPOSIBLE" | "INVIABLE"
        | "UNVIABLE" => Some(Status::Impossible),
        _ => None,
    }
}

/// Includes clause and following punctuation.
struct Word<'a> {
    text: &'a str,
    clause: usize,
    sign: char,
}

fn split_words(upper: &str) -> Vec<Word<'_>> {
    let (mut found, mut clause, mut from): (Vec<Word<'_>>, usize, Option<usize>) = (Vec::new(), 0, None);
    for (at, c) in upper.char_indices().chain([(upper.len(), ' ')]) {
        match (from, c.is_alphabetic()) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                let text = upper.get(start..at).unwrap_or_default();
                clause += usize::from(is_in(CLAUSE_WORDS, text));
                found.push(Word { text, clause, sign: ' ' });
                from = None;
            }
            _ => {}
        }
        let sign = matches!(c, ',' | ';' | '.' | ':' | '(' | ')' | '?' | '!' | '—' | '–' | '=' | '|' | '/');
        let dash = c == '-' && upper.get(at + 1..).is_some_and(|rest| rest.starts_with(' '));
        if sign || dash {
            clause += 1;
            if let Some(last) = found.last_mut().filter(|last| last.sign == ' ') {
                last.sign = c;
            }
        }
    }
    found
}

#[derive(PartialEq)]
enum Polarity {
    Affirmed,
    Negated,
    Hypothetical,
}

fn polarity(words: &[Word<'_>], at: usize) -> Polarity {
    let Some(word) = words.get(at) else { return Polarity::Affirmed };
    let next = words.get(at + 1).map(|next| next.text);
    if matches!(word.sign, '?' | ':' | '=')
        && next.is_some_and(|next| matches!(next, "NO" | "NOT" | "NOPE" | "FALSE"))
    {
        return Polarity::Negated;
    }
    if word.sign == '?' && !next.is_some_and(|next| matches!(next, "YES" | "SI" | "Sí" | "TRUE")) {
        return Polarity::Hypothetical;
    }
    let before = words.get(..at).unwrap_or_default();
    let clause =
        before.iter().rev().take_while(|one| one.clause == word.clause && status_word(one.text).is_none());
    let mut after = word.text;
    for one in clause.take(6) {
        if matches!(one.text, "WHETHER" | "IF" | "UNCLEAR" | "UNSURE" | "UNCERTAIN" | "SURE" | "MAYBE") {
            return Polarity::Hypothetical;
        }
        let negates = match one.text {
            "NO" => after == word.text || is_in(AFTER_NO, after),
            "NON" | "UN" => after == word.text,
            "FAR" => after == "FROM",
            _ => false,
        };
        if negates || (is_in(NEGATIONS, one.text) && !is_in(LIMITERS, after)) {
            return Polarity::Negated;
        }
        after = one.text;
    }
    Polarity::Affirmed
}

pub(super) fn status(value: &str) -> StatusField {
    let upper = without_struck_text(value).to_ascii_uppercase().replace(['’', '\''], "");
    let words = split_words(&upper);
    let mut found: Option<(usize, Status)> = None;
    let mut denied = None;
    for (at, word) in words.iter().enumerate() {
        let Some(known) = status_word(word.text) else { continue };
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", |word| word.text);
        let known = match (known, polarity(&words, at)) {
            (_, Polarity::Hypothetical) => continue,
            (known, Polarity::Affirmed) => known,
            (Status::Feasible, Polarity::Negated) if is_in(COMPLETENESS_WORDS, before) => Status::Partial,
            (Status::Feasible, Polarity::Negated) => {
                denied = Some(Status::Impossible);
                continue;
            }
            (_, Polarity::Negated) => continue,
        };
        match found {
            None => found = Some((at, known)),
            // Repeats the prompt's three words.
            Some((first, earlier)) if earlier != known && is_alternative(&words, first, at, &upper) => {
                return StatusField::Unknown(value.to_owned());
            }
            Some(_) => break,
        }
    }
    match found.map(|(_, status)| status).or(denied) {
        Some(status) => StatusField::Known(status),
        None if words.is_empty() => StatusField::Missing,
        None => StatusField::Unknown(value.to_owned()),
    }
}

fn is_alternative(words: &[Word<'_>], first: usize, at: usize, upper: &str) -> bool {
    let between = words.get(first + 1..at).unwrap_or_default();
    let is_choice =
        upper.contains('|') || upper.contains('/') || upper.contains(" OR ") || upper.contains(',');
    is_choice && between.iter().all(|word| word.text == "OR")
}

fn without_struck_text(value: &str) -> String {
    let pieces: Vec<&str> = value.split("~~").collect_vec();
    if pieces.len() < 3 {
        return value.to_owned();
    }
    pieces.iter().step_by(2).copied().collect_vec().join(" ")
}

/// Reads an answer that lacks the usual label.
pub(super) fn unlabelled(answer: &str) -> StatusField {
    let lines: Vec<String> = answer.lines().map(strip_markdown).filter(|line| !line.is_empty()).collect_vec();
    let first = |of: fn(&str) -> StatusField| {
        // The last one counts.
        lines.iter().rev().map(|line| of(line)).find(|field| matches!(field, StatusField::Known(_)))
    };
    in_json(answer)
        .or_else(|| first(other_label_status))
        .or_else(|| first(bare_status))
        .unwrap_or_else(|| capitals_status(&lines))
}

fn in_json(answer: &str) -> Option<StatusField> {
    fn search(json: &Json) -> Option<StatusField> {
        let map = json.as_object()?;
        let is_status =
            |key: &str| matches!(key.to_ascii_lowercase().as_str(), "status" | "feasibility" | "verdict");
        let here = map.iter().filter(|(key, _)| is_status(key)).find_map(|(_, value)| value.as_str());
        let here = here.map(status).filter(|field| matches!(field, StatusField::Known(_)));
        here.or_else(|| map.values().find_map(search))
    }
    parse_object(answer).as_ref().and_then(search)
}

fn other_label_status(line: &str) -> StatusField {
    let Some((label, value)) = line.split_once([':', '=', '–', '—', '→', '|']) else {
        return StatusField::Missing;
    };
    let label = label.trim().to_ascii_lowercase();
    if !OTHER_LABELS.split('|').any(|known| known == label) {
        return StatusField::Missing;
    }
    if label == "feasible" { status(&format!("feasible? {value}")) } else { status(value) }
}

/// Reads a line that contains only a status.
fn bare_status(line: &str) -> StatusField {
    let upper = line.to_ascii_uppercase().replace(['’', '\''], "");
    let is_part = |word: &Word<'_>| {
        status_word(word.text).is_some()
            || matches!(word.text, "FAR" | "NON")
            || is_in(NEGATIONS, word.text)
            || is_in(AFTER_NO, word.text)
            || is_in(COMPLETENESS_WORDS, word.text)
            || is_in(FILLERS, word.text)
    };
    if split_words(&upper).iter().all(is_part) { status(line) } else { StatusField::Missing }
}

fn capitals_status(lines: &[String]) -> StatusField {
    let is_loud = |line: &&String| {
        line.split(|c: char| !c.is_alphabetic()).any(|word| {
            matches!(word, "FEASIBLE" | "PARTIAL" | "IMPOSSIBLE" | "INFEASIBLE" | "FACTIBLE" | "IMPOSIBLE")
        })
    };
    let mut said = lines.iter().filter(is_loud).map(|line| status(line));
    let Some(first) = said.next().filter(|first| matches!(first, StatusField::Known(_))) else {
        return StatusField::Missing;
    };
    if said.all(|other| other == first) { first } else { StatusField::Missing }
}
