//! Consent to run the open plan.
//!
//! An untrusted plan runs, connects and sends data only after the user has reviewed and accepted its permissions.
//! Consent covers the plan's hash in this session. Edits need no new consent unless they require more permissions.
//!
//! Invariant: an untrusted plan with a permission that was not accepted cannot run.
//!
//! Source: `docs/security.md`.

use super::review::Review;
use std::collections::HashSet;

/// Origin of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// Written in this browser.
    #[default]
    Own,
    /// Part of the page.
    Gallery,
    /// Contained in a link.
    Link,
    /// Loaded from a URL.
    Url,
    /// A local file.
    File,
    /// Embedded by another page.
    Embed,
}

impl Origin {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Own, "own"),
        (Self::Gallery, "gallery"),
        (Self::Link, "link"),
        (Self::Url, "url"),
        (Self::File, "file"),
        (Self::Embed, "embed"),
    ];

    /// Returns the stored name.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(origin, _)| *origin == self).map_or("own", |(_, word)| word)
    }

    /// Parses a stored name. Unknown names are untrusted.
    pub fn parse(word: &str) -> Self {
        Self::ALL.iter().find(|(_, known)| *known == word).map_or(Self::Url, |(origin, _)| *origin)
    }

    /// Returns true for plans of the user or the page.
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::Own | Self::Gallery)
    }
}

/// Consent of this session.
#[derive(Debug, Clone, Default)]
pub struct Consent {
    origin: Origin,
    agreed: HashSet<String>,
    /// Accepted permissions of the open plan.
    permissions: Option<HashSet<String>>,
}

impl Consent {
    /// Restores consent from hashes after a page reload.
    pub fn with_agreed(hashes: impl IntoIterator<Item = String>) -> Self {
        Self { agreed: hashes.into_iter().collect(), ..Self::default() }
    }

    /// Opens another plan.
    pub fn open(&mut self, origin: Origin) {
        self.origin = origin;
        self.permissions = None;
    }

    /// Returns the origin of the open plan.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns true if the open plan may run.
    pub fn may_run(&mut self, hash: impl FnOnce() -> String, review: &Review) -> bool {
        if self.origin.is_trusted() || review.is_harmless() {
            return true;
        }
        // Hashing a large plan is slow, and usually no hash has consent.
        if !self.agreed.is_empty() && self.agreed.contains(&hash()) {
            self.permissions.get_or_insert_with(|| review.permissions().collect());
            return true;
        }
        self.permissions
            .as_ref()
            .is_some_and(|powers| review.permissions().all(|power| powers.contains(&power)))
    }

    /// Records consent.
    pub fn agree(&mut self, hash: &str, review: &Review) {
        self.agreed.insert(hash.to_owned());
        self.permissions = Some(review.permissions().collect());
    }

    /// Returns the hashes to store for the session.
    pub fn hashes(&self) -> impl Iterator<Item = &str> {
        self.agreed.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::graph::PlanGraph;
    use stepgraph_core::source::Format;

    fn known(text: &str) -> (String, Review) {
        let plan = PlanGraph::parse(text, Format::Auto).graph.unwrap();
        (plan.hash(), Review::of_plan(&plan, None))
    }

    const CALLS_MODEL: &str = "nodes: {a: {type: llm, input: hi}}";

    #[test]
    fn untrusted_plans_need_consent() {
        let (hash, review) = known(CALLS_MODEL);
        for (origin, word) in Origin::ALL {
            assert_eq!((Origin::parse(word), origin.as_str()), (origin, word));
            let mut consent = Consent::default();
            consent.open(origin);
            assert_eq!(
                consent.may_run(|| hash.clone(), &review),
                matches!(word, "own" | "gallery"),
                "{word}"
            );
        }
        assert!(!Origin::parse("else").is_trusted());
        let mut consent = Consent::default();
        consent.open(Origin::Link);
        let (hash, review) = known("nodes: {a: {type: log, input: hi}}");
        assert!(consent.may_run(|| hash.clone(), &review), "it asks for nothing");
    }

    #[test]
    fn consent_covers_edits_without_new_permissions() {
        let mut consent = Consent::default();
        consent.open(Origin::Link);
        let (hash, review) = known(CALLS_MODEL);
        consent.agree(&hash, &review);
        assert!(consent.may_run(|| hash.clone(), &review));
        let (edited, less) = known("nodes: {a: {type: llm, input: other}}");
        assert!(consent.may_run(|| edited.clone(), &less));
        let (grown, more) =
            known("servers: {s: {url: \"https://s.example\"}}\nnodes: {a: {type: llm, input: hi}}");
        assert!(!consent.may_run(|| grown.clone(), &more), "a server was added");
        consent.open(Origin::Url);
        assert!(!consent.may_run(|| edited.clone(), &less), "another plan");
        let mut again = Consent::with_agreed(consent.hashes().map(str::to_owned).collect::<Vec<_>>());
        again.open(Origin::Link);
        assert!(
            again.may_run(|| hash.clone(), &review)
                && again.may_run(|| edited.clone(), &less)
                && !again.may_run(|| grown.clone(), &more)
        );
    }
}
