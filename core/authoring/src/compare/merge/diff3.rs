//! Merges three texts line by line. [`super::merge`] uses the result only if it means the same as its own.
//!
//! Source: Myers, "An O(ND) difference algorithm and its variations" (1986), between lines that are unique in
//! both texts.

use std::collections::HashMap;
use stepgraph_core::collect::CollectVec;

/// Different lines between two unique matches.
const MAX_DIFFERENCES: usize = 2_000;

/// Equal lines have equal numbers.
struct NumberedLines<'t> {
    texts: Vec<&'t str>,
    numbers: Vec<usize>,
}

/// `None` if both changed the same lines.
pub(super) fn merge(texts: [&str; 3]) -> Option<String> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let [base, ours, theirs] = texts.map(|text| {
        let texts: Vec<&str> = text.split_inclusive('\n').collect_vec();
        let mut numbers = Vec::with_capacity(texts.len());
        for line in &texts {
            let next = known.len();
            numbers.push(*known.entry(line).or_insert(next));
        }
        NumberedLines { texts, numbers }
    });
    let (own, new) =
        (matching_lines(&base.numbers, &ours.numbers)?, matching_lines(&base.numbers, &theirs.numbers)?);
    let mut out = String::new();
    let (mut at, mut in_ours, mut in_theirs) = (0, 0, 0);
    loop {
        let same = (at..base.texts.len()).find_map(|line| Some((line, *own.get(&line)?, *new.get(&line)?)));
        let (line, ours_line, theirs_line) =
            same.unwrap_or((base.texts.len(), ours.texts.len(), theirs.texts.len()));
        let part = |lines: &NumberedLines<'_>, from: usize, to: usize| {
            lines.texts.get(from..to).unwrap_or_default().concat()
        };
        let old = part(&base, at, line);
        let (a, b) = (part(&ours, in_ours, ours_line), part(&theirs, in_theirs, theirs_line));
        match (a == old, b == old) {
            (_, true) => out.push_str(&a),
            (true, false) => out.push_str(&b),
            (false, false) if a == b => out.push_str(&a),
            (false, false) => return None,
        }
        if same.is_none() {
            return Some(out);
        }
        out.push_str(base.texts.get(line)?);
        (at, in_ours, in_theirs) = (line + 1, ours_line + 1, theirs_line + 1);
    }
}

/// `None` if the texts differ too much.
fn matching_lines(old: &[usize], new: &[usize]) -> Option<HashMap<usize, usize>> {
    let mut found = HashMap::new();
    let mut anchors = unique_matches(old, new);
    anchors.push((old.len(), new.len()));
    let (mut i, mut j) = (0, 0);
    for (to_i, to_j) in anchors {
        let (a, b) = (old.get(i..to_i)?, new.get(j..to_j)?);
        for (x, y) in shortest_edit(a, b)? {
            found.insert(i + x, j + y);
        }
        if to_i < old.len() {
            found.insert(to_i, to_j);
        }
        (i, j) = (to_i + 1, to_j + 1);
    }
    Some(found)
}

fn unique_matches(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let once = |lines: &[usize]| {
        let mut seen: HashMap<usize, Option<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            seen.entry(*line).and_modify(|place| *place = None).or_insert(Some(at));
        }
        seen
    };
    let (a, b) = (once(old), once(new));
    let both = old.iter().enumerate().filter_map(|(i, line)| {
        a.get(line).copied().flatten()?;
        Some((i, b.get(line).copied().flatten()?))
    });
    longest_increasing(&both.collect_vec())
}

fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best subsequence of each length, and each pair's predecessor.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    let height = |at: usize| pairs.get(at).map_or(0, |pair| pair.1);
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| height(*end) < pair.1);
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut run = Vec::new();
    let mut at = ends.last().copied();
    while let Some(place) = at {
        run.extend(pairs.get(place).copied());
        at = before.get(place).copied().flatten();
    }
    run.reverse();
    run
}

fn shortest_edit(old: &[usize], new: &[usize]) -> Option<Vec<(usize, usize)>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (a, b) = (old.get(head..old.len() - tail)?, new.get(head..new.len() - tail)?);
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect_vec();
    pairs.extend(diff_between(a, b)?.into_iter().map(|(i, j)| (i + head, j + head)));
    pairs.extend((0..tail).rev().map(|at| (old.len() - 1 - at, new.len() - 1 - at)));
    Some(pairs)
}

fn diff_between(a: &[usize], b: &[usize]) -> Option<Vec<(usize, usize)>> {
    if a.is_empty() || b.is_empty() {
        return Some(Vec::new());
    }
    let bound = (a.len() + b.len()).min(MAX_DIFFERENCES);
    // On each diagonal, from left to right.
    let mut far: Vec<usize> = vec![0; 2 * bound + 3];
    let mut steps: Vec<Vec<usize>> = Vec::new();
    for step in 0..=bound {
        steps.push(far.get(bound + 1 - step..bound + 2 + step)?.to_vec());
        for turn in 0..=step {
            // The offset `bound` makes the index of diagonal `2 * turn - step` positive.
            let place = bound + 1 + 2 * turn - step;
            let (left, right) = (*far.get(place - 1)?, *far.get(place + 1)?);
            let down = turn == 0 || (turn != step && left < right);
            let mut i = if down { right } else { left + 1 };
            let mut j = (i + step).checked_sub(2 * turn)?;
            while i < a.len() && j < b.len() && a.get(i) == b.get(j) {
                (i, j) = (i + 1, j + 1);
            }
            *far.get_mut(place)? = i;
            if i >= a.len() && j >= b.len() {
                return Some(backtrack(&steps, a.len(), b.len()));
            }
        }
    }
    None
}

fn backtrack(steps: &[Vec<usize>], a: usize, b: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut i, mut j) = (a, b);
    for (step, far) in steps.iter().enumerate().rev() {
        // Diagonal 0 is in its middle.
        let reach = |turned: usize| far.get(turned).copied().unwrap_or(0);
        let turn = (i + step - j) / 2;
        let (left, right) = (if turn == 0 { 0 } else { reach(2 * turn - 1) }, reach(2 * turn + 1));
        let down = turn == 0 || (turn != step && left < right);
        let start = if step == 0 {
            0
        } else if down {
            right
        } else {
            left + 1
        };
        while i > start && j > 0 {
            (i, j) = (i - 1, j - 1);
            pairs.push((i, j));
        }
        if step == 0 {
            break;
        }
        if down { j -= 1 } else { i -= 1 }
    }
    pairs.reverse();
    pairs
}
