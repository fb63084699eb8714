//! Typed fields of a snapshot.

use super::RestoreError;
use crate::machine::event::Counts;
use crate::machine::timer::Timer;
use serde_json::Value as Json;

pub(super) type RestoreResult<T> = Result<T, RestoreError>;

pub(super) fn pairs<'a>(
    json: &'a Json,
    key: &str,
) -> RestoreResult<impl Iterator<Item = (&'a Json, &'a Json)>> {
    let list = list(json, key)?;
    if list.len() % 2 == 1 {
        return Err(RestoreError::new(format!("`{key}` is no list of pairs")));
    }
    Ok(list.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.last()?))))
}

pub(super) fn field<'a>(json: &'a Json, key: &str) -> RestoreResult<&'a Json> {
    json.get(key).ok_or_else(|| RestoreError::new(format!("`{key}` is not there")))
}

pub(super) fn number(json: &Json, key: &str) -> RestoreResult<f64> {
    field(json, key)?.as_f64().ok_or_else(|| RestoreError::new(format!("`{key}` is no number")))
}

pub(super) fn to_u32(json: &Json) -> RestoreResult<u32> {
    let number = json.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| RestoreError::new("a count is no count"))
}

pub(super) fn count(json: &Json, key: &str) -> RestoreResult<u32> {
    to_u32(field(json, key)?)
}

pub(super) fn list<'a>(json: &'a Json, key: &str) -> RestoreResult<&'a Vec<Json>> {
    field(json, key)?.as_array().ok_or_else(|| RestoreError::new(format!("`{key}` is no list")))
}

pub(super) fn map<'a>(json: &'a Json, key: &str) -> RestoreResult<&'a serde_json::Map<String, Json>> {
    field(json, key)?.as_object().ok_or_else(|| RestoreError::new(format!("`{key}` is no map")))
}

pub(super) fn pair(json: &Json) -> RestoreResult<(u32, u32)> {
    match json.as_array().map(Vec::as_slice) {
        Some([first, second]) => Ok((to_u32(first)?, to_u32(second)?)),
        _ => Err(RestoreError::new("a pair is no pair")),
    }
}

pub(super) fn timer(json: &Json) -> RestoreResult<Timer> {
    Timer::from_json(json).map_err(RestoreError::new)
}

pub(super) fn counts(state: &Json) -> RestoreResult<Counts> {
    let counts = field(state, "counts")?;
    // Null is unknown.
    let unreported = |key: &str| match counts.get(key) {
        None => Ok(0.0),
        Some(Json::Null) => Ok(f64::INFINITY),
        Some(_) => number(counts, key),
    };
    Ok(Counts {
        steps: count(counts, "steps")?,
        calls: count(counts, "calls")?,
        retries: count(counts, "retries")?,
        tokens: number(counts, "tokens")?,
        // Missing in snapshots of older releases.
        micro_usd: counts.get("micro_usd").map_or(Ok(0.0), |_| number(counts, "micro_usd"))?,
        unpriced: counts.get("unpriced").map_or(Ok(0), |_| count(counts, "unpriced"))?,
        uncounted: counts.get("uncounted").map_or(Ok(0), |_| count(counts, "uncounted"))?,
        unreported: counts.get("unreported").map_or(Ok(0), |_| count(counts, "unreported"))?,
        unreported_tokens: unreported("unreported_tokens")?,
        unreported_micro_usd: unreported("unreported_micro_usd")?,
        output_bytes: number(counts, "output_bytes")?,
    })
}
