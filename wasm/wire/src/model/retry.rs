//! Decides when to retry a failed request, by status and headers. The host passes the time.
//!
//! Source: the retry rules of the providers' own clients.

use crate::http::HttpHead;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::parse_float;

pub(super) const MAX_RETRIES: u32 = 2;
pub(super) const MAX_WAIT_MS: u64 = 60_000;

/// Returns how long to wait before a retry, or `None` for no retry.
///
/// `attempt` counts from 1. Status 0 means no response. The caller must add jitter, so that clients don't
/// retry all at once.
///
/// # Source
/// `x-should-retry` decides. If it is missing, 408, 409, 429, 5xx and lost connections allow a retry. The pause
/// comes from `retry-after-ms`, then `retry-after`, else half a second, doubled for each attempt. Above
/// [`MAX_WAIT_MS`] there is no retry: an earlier one ignores the server, and a later one looks like a hang.
pub(super) fn retry_after(head: &HttpHead, attempt: u32, now_ms: u64) -> Option<u64> {
    if attempt > MAX_RETRIES || !is_transient(head) {
        return None;
    }
    let wish = parse_whole(head.header("retry-after-ms")).or_else(|| {
        let value = head.header("retry-after")?;
        let seconds = parse_float::parse(value.trim()).map(|seconds| milliseconds(seconds * 1000.0));
        seconds.unwrap_or_else(|| http_date_ms(value).and_then(|at| at.checked_sub(now_ms)))
    });
    let own = 500 << attempt.saturating_sub(1).min(4);
    Some(wish.filter(|wish| *wish > 0).unwrap_or(own)).filter(|delay| *delay <= MAX_WAIT_MS)
}

fn is_transient(head: &HttpHead) -> bool {
    match head.header("x-should-retry") {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(head.status, 0 | 408 | 409 | 429 | 500..),
    }
}

fn parse_whole(value: Option<&str>) -> Option<u64> {
    milliseconds(parse_float::parse(value?.trim())?)
}

/// `None` for negative numbers and NaN. Large values saturate.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn milliseconds(value: f64) -> Option<u64> {
    (value >= 0.0).then_some(value as u64)
}

/// Parses dates such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date_ms(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once(", ")?;
    let [day, month, year, time, "GMT"] = rest.split_whitespace().collect_vec()[..] else {
        return None;
    };
    let [hour, minute, second] = time.split(':').collect_vec()[..] else { return None };
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|name| *name == month)? as u64;
    let year: u64 = year.parse().ok().filter(|year| (1970..10_000).contains(year))?;
    let number = |text: &str, below: u64| text.parse::<u64>().ok().filter(|n| *n < below);
    let days = days_before(year, month) + number(day, 32)?.checked_sub(1)?;
    Some((((days * 24 + number(hour, 24)?) * 60 + number(minute, 60)?) * 60 + number(second, 61)?) * 1000)
}

/// Months count from 0.
fn days_before(year: u64, month: u64) -> u64 {
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let is_leap = leaps(year) > leaps(year - 1);
    let in_year = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let before = in_year.get(usize::try_from(month).unwrap_or_default()).copied().unwrap_or_default();
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969) + before + u64::from(is_leap && month > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries() {
        let now = 784_111_777_000;
        for (status, headers, attempt, expect) in [
            (429, &[][..], 1, Some(500)),
            (429, &[], 2, Some(1000)),
            (429, &[], 3, None),
            (0, &[], 1, Some(500)),
            (408, &[], 1, Some(500)),
            (409, &[], 1, Some(500)),
            (500, &[], 1, Some(500)),
            (529, &[], 1, Some(500)),
            (400, &[], 1, None),
            (401, &[], 1, None),
            (200, &[], 1, None),
            (500, &[("x-should-retry", "false")], 1, None),
            (400, &[("X-Should-Retry", "true")], 1, Some(500)),
            (400, &[("x-should-retry", "true")], 3, None),
            (429, &[("retry-after-ms", "1234.9"), ("retry-after", "9")], 1, Some(1234)),
            (429, &[("retry-after", "2")], 1, Some(2000)),
            (429, &[("retry-after", "0.25")], 1, Some(250)),
            (429, &[("retry-after", "0")], 1, Some(500)),
            (429, &[("retry-after", "-1")], 1, Some(500)),
            (429, &[("retry-after", "NaN")], 1, Some(500)),
            (429, &[("retry-after", "60")], 1, Some(60_000)),
            (429, &[("retry-after", "61")], 1, None),
            (429, &[("retry-after", "1e30")], 1, None),
            (429, &[("retry-after", "Mon, 07 Nov 1994 08:49:37 GMT")], 1, None),
            (429, &[("retry-after", "soon")], 1, Some(500)),
            (429, &[("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT")], 1, Some(3000)),
            (429, &[("retry-after", "Sun, 06 Nov 1994 08:49:30 GMT")], 1, Some(500)),
        ] {
            let head = headers
                .iter()
                .fold(HttpHead::new(status), |head, (name, value)| head.with_header(name, value));
            assert_eq!(retry_after(&head, attempt, now), expect, "{status} {headers:?} {attempt}");
        }
        assert_eq!(retry_after(&HttpHead::new(500), 0, 0), Some(500));
    }

    #[test]
    fn dates() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Tue, 29 Feb 2000 12:00:00 GMT", Some(951_825_600)),
            ("Wed, 01 Mar 2000 00:00:00 GMT", Some(951_868_800)),
            ("Sat, 21 Nov 2026 22:35:11 GMT", Some(1_795_300_511)),
            ("Sat, 00 Nov 2026 22:35:11 GMT", None),
            ("Sat, 21 Nov 0000 22:35:11 GMT", None),
            ("Sat, 21 Nov 2026 22:35 GMT", None),
            ("Sat, 21 Nov 2026 22:35:11 CET", None),
            ("Saturday", None),
            ("", None),
        ] {
            assert_eq!(http_date_ms(text), seconds.map(|s: u64| s * 1000), "{text}");
        }
    }
}
