//! Merges and orders diagnostics. The first of every code precedes any second, so that no check hides another.

use super::super::text::text_field;
use crate::collect::CollectVec;
use serde_json::Value as Json;

const MAX_PATHS: usize = 5;

/// Only paths may differ.
pub(super) fn merge_diagnostics(found: Vec<Json>) -> Vec<Json> {
    let mut all: Vec<(Json, Vec<String>)> = Vec::new();
    for problem in found {
        let is_same = |(one, _): &&mut (Json, Vec<String>)| {
            ["code", "message"].iter().all(|key| one.get(*key) == problem.get(*key))
        };
        let node_path = text_field(&problem, "place");
        match all.iter_mut().find(is_same) {
            Some((_, places)) if !places.contains(&node_path) => places.push(node_path),
            Some(_) => {}
            None => all.push((problem, vec![node_path])),
        }
    }
    let placed = |(mut problem, places): (Json, Vec<String>)| {
        let named = places.iter().filter(|node_path| !node_path.is_empty());
        let shown = named.take(MAX_PATHS).map(String::as_str).collect_vec().join(", ");
        if let Some(place) = problem.get_mut("place").filter(|_| places.len() > 1) {
            *place = Json::from(shown);
        }
        problem
    };
    interleave_codes(all.into_iter().map(placed).collect_vec())
}

fn interleave_codes(mut all: Vec<Json>) -> Vec<Json> {
    let mut ordered = Vec::new();
    while !all.is_empty() {
        let mut seen: Vec<String> = Vec::new();
        let mut later = Vec::new();
        for problem in all {
            let code = text_field(&problem, "code");
            if seen.contains(&code) {
                later.push(problem);
            } else {
                seen.push(code);
                ordered.push(problem);
            }
        }
        all = later;
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn problems_are_told_once_and_in_turn() {
        let of = |code: &str, message: &str, node_path: &str| json!({"code": code, "message": message, "place": node_path});
        let all = vec![
            of("a", "1", "x"),
            of("a", "2", "x"),
            of("a", "1", "y"),
            of("b", "1", ""),
            of("a", "1", "x"),
            of("a", "3", "x"),
            of("b", "1", ""),
        ];
        let told = [of("a", "1", "x, y"), of("b", "1", ""), of("a", "2", "x"), of("a", "3", "x")];
        assert_eq!(merge_diagnostics(all), told);
    }
}
