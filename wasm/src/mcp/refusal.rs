//! What a refusal really means: a session that is gone, a token that is wanted, another revision, another era.
//!
//! Decides whether there is something to be tried after it. Knows nothing of operations: whoever asks tries it.
//!
//! Source: specification 2026-07-28 (basic/versioning, basic/authorization) and 2025-11-25 (basic/transports); the answers of real servers.

use super::answer::{Body, Reply};
use super::opening::names;
use super::session::Link;
use super::shared::Shared;
use super::{LEGACY, MODERN};
use serde_json::Value;

/// Whether there is another revision to be tried, or the same once more because the server names it.
pub(super) fn renegotiates(shared: &mut Shared, link: &Link, generation: u64, data: &Value) -> bool {
    let modern = names(data, "supported", MODERN) && shared.wants(MODERN);
    if *link == Link::Modern && modern {
        return true;
    }
    let legacy = LEGACY.iter().any(|version| names(data, "supported", version) && shared.wants(version));
    if modern || legacy {
        shared.known_legacy = !modern;
        shared.lose(generation);
    }
    modern || legacy
}

/// Whether the server was taken for a modern one because it once was, and now answers like none; or a page's browser lets nothing through.
pub(super) fn mistakes_era(shared: &mut Shared, generation: u64, reply: &Reply) -> bool {
    let blocked = reply.head.status == 0 && matches!(&reply.body, Body::Failed(failure) if !failure.timeout);
    let wrong = shared.assumed && (blocked || matches!(reply.head.status, 400 | 404 | 405));
    shared.assumed = false;
    if wrong {
        shared.known_legacy = false;
        shared.lose(generation);
    }
    wrong
}

/// Whether the server refuses for want of a token that it would take.
pub(super) fn wants_token(reply: &Reply) -> bool {
    let scope =
        || reply.head.header("www-authenticate").is_some_and(|text| text.contains("insufficient_scope"));
    reply.head.status == 401 || reply.head.status == 403 && scope()
}

/// Whether the server does not know the session that the request named. The specification says 404; some say 400 and
/// explain it in words.
pub(super) fn forgets_session(link: &Link, reply: &Reply) -> bool {
    if link.session().is_none() {
        return false;
    }
    let said = match &reply.body {
        Body::Error(error) => &error.message,
        Body::Garbage(text) => text,
        _ => "",
    };
    let said = said.to_ascii_lowercase();
    match reply.head.status {
        404 => true,
        400 => said.contains("session") || said.contains("not initialized"),
        _ => false,
    }
}
