//! Suggestions for misspelt names. A typo is an extra, missing or wrong character, or two swapped neighbours.

/// The first most similar name, with at most two typos, fewer for short names.
pub fn closest_name<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut names = names.into_iter();
    closest(wrong, &mut || names.next())
}

/// Not generic, so it compiles once.
fn closest<'a>(wrong: &str, next: &mut dyn FnMut() -> Option<&'a str>) -> Option<&'a str> {
    let limit = match wrong.chars().take(5).count() {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    };
    std::iter::from_fn(next)
        .filter(|name| *name != wrong)
        .filter_map(|name| {
            let in_other_case = name.eq_ignore_ascii_case(wrong).then_some(1);
            in_other_case.or_else(|| distance(wrong, name, limit)).map(|d| (d, name))
        })
        .min_by_key(|(d, _)| *d)
        .map(|(_, name)| name)
}

/// Whether `wrong` is surely misspelt: it has one typo, or another case. Other numbers are other names.
pub fn is_typo(wrong: &str, meant: &str) -> bool {
    let letters = |name: &'_ str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    letters(wrong) != letters(meant)
        && (wrong.eq_ignore_ascii_case(meant) || wrong.len() > 2 && distance(wrong, meant, 1).is_some())
}

/// Longer names are not compared.
const MAX_NAME_BYTES: usize = 128;

/// `None` above `limit`.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    // A character has at most four bytes.
    if a.len().abs_diff(b.len()) > 4 * limit || a.len().max(b.len()) > MAX_NAME_BYTES {
        return None;
    }
    // A typo adds or removes at most two characters.
    if (char_set(a) ^ char_set(b)).count_ones() as usize > 2 * limit {
        return None;
    }
    let (a, b) = without_common_ends(a, b);
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let far = limit + 1;
    let mut before = vec![far; b.len() + 1];
    let mut row: Vec<usize> = (0..=b.len()).map(|at| at.min(far)).collect();
    let mut next = vec![far; b.len() + 1];
    for (i, x) in a.iter().enumerate() {
        // Only cells near the diagonal can be within the limit. Those beside them stay far.
        let from = i.saturating_sub(limit);
        let band = b.iter().enumerate().take(i + limit + 1).skip(from);
        let mut left = if from == 0 { i + 1 } else { far };
        let mut least = left;
        set(&mut next, from, left);
        for (j, y) in band {
            let cost = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(far);
            let mut best = (cost(&row, j) + usize::from(x != y)).min(cost(&row, j + 1) + 1).min(left + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(cost(&before, j - 1) + 1);
            }
            left = best.min(far);
            least = least.min(left);
            set(&mut next, j + 1, left);
        }
        // The next rows have no smaller cell, also if neighbours are swapped.
        if least > limit {
            return None;
        }
        std::mem::swap(&mut before, &mut row);
        std::mem::swap(&mut row, &mut next);
    }
    row.last().copied().filter(|d| *d <= limit)
}

fn set(row: &mut [usize], at: usize, value: usize) {
    if let Some(cell) = row.get_mut(at) {
        *cell = value;
    }
}

/// Several characters may share a bit.
fn char_set(word: &str) -> u64 {
    word.chars().fold(0, |set, c| set | 1 << (u32::from(c) % 64))
}

fn without_common_ends<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let same = |(x, y): &(char, char)| x == y;
    let from: usize = a.chars().zip(b.chars()).take_while(same).map(|(x, _)| x.len_utf8()).sum();
    let (a, b) = (a.get(from..).unwrap_or(""), b.get(from..).unwrap_or(""));
    let to: usize = a.chars().rev().zip(b.chars().rev()).take_while(same).map(|(x, _)| x.len_utf8()).sum();
    (a.get(..a.len() - to).unwrap_or(""), b.get(..b.len() - to).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        for (wrong, names, expect) in [
            ("stpe-1", &["step-1", "other"][..], Some("step-1")),
            ("conditon", &["condition", "input"], Some("condition")),
            ("ab", &["ac"], None),
            ("typ", &["type"], Some("type")),
            ("nothing", &["start"], None),
            ("step-21", &["step-12", "step-2"], Some("step-12")),
            ("aab", &["aba"], Some("aba")),
            ("añob", &["año"], Some("año")),
            ("step-1", &["step-2", "step-3"], Some("step-2")),
        ] {
            assert_eq!(closest_name(wrong, names.iter().copied()), expect, "{wrong}");
        }
    }

    #[test]
    fn the_band_changes_no_distance() {
        let mut words = vec![String::new()];
        for at in 0..120 {
            words.push(format!("{}{}", words[at], "abc".chars().nth(at % 3).unwrap()));
            words.push(format!("{}{}", "cab".chars().nth(at % 3).unwrap(), words[at]));
        }
        for (a, b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            let whole = whole_distance(a, b);
            for limit in 0..=2 {
                assert_eq!(distance(a, b, limit), Some(whole).filter(|d| *d <= limit), "{a} {b} {limit}");
            }
        }
    }

    fn whole_distance(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                rows[i][j] = match (i, j) {
                    (0, at) | (at, 0) => at,
                    _ => {
                        let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                        let best = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                        let swaps = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                        if swaps { best.min(rows[i - 2][j - 2] + 1) } else { best }
                    }
                };
            }
        }
        rows[a.len()][b.len()]
    }
}
