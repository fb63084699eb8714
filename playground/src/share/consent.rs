//! Consent to run.
//!
//! It covers the plan's hash in this session, and edits that require no more permissions. Invariant: an untrusted plan
//! runs, connects and sends only with accepted permissions.
//!
//! Source: `docs/security.md`.

use super::review::Review;
use std::collections::HashSet;

/// A plan's origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// This browser.
    #[default]
    Own,
    /// The page.
    Gallery,
    /// A link.
    Link,
    /// A URL.
    Url,
    /// A file.
    File,
    /// Another page.
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

    /// Stored name.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(origin, _)| *origin == self).map_or("own", |(_, word)| word)
    }

    /// Unknown names are untrusted.
    pub fn parse(word: &str) -> Self {
        Self::ALL.iter().find(|(_, known)| *known == word).map_or(Self::Url, |(origin, _)| *origin)
    }

    /// The user's or page's.
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::Own | Self::Gallery)
    }
}

/// This session's.
#[derive(Debug, Clone, Default)]
pub struct Consent {
    origin: Origin,
    agreed: HashSet<String>,
    permissions: Option<HashSet<String>>,
}

impl Consent {
    /// After a reload.
    pub fn with_agreed(hashes: impl IntoIterator<Item = String>) -> Self {
        Self { agreed: hashes.into_iter().collect(), ..Self::default() }
    }

    /// Another plan.
    pub fn open(&mut self, origin: Origin) {
        self.origin = origin;
        self.permissions = None;
    }

    /// Current origin.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// May run now.
    pub fn may_run(&mut self, hash: impl FnOnce() -> String, review: &Review) -> bool {
        if self.origin.is_trusted() || review.is_harmless() {
            return true;
        }
        // Hashing large plans is slow, and usually none has consent.
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

    /// Hashes to store.
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
