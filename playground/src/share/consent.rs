//! Whether the plan that is open may run.
//!
//! Decides that a plan that somebody else wrote runs, connects and sends nothing before the person has seen what it asks for and agreed.
//! What was agreed to is known by the plan's hash, for this session only; what the person then edits needs no second word as long as the
//! plan asks for nothing more.
//!
//! Invariant: a plan from elsewhere whose list has a line that nobody agreed to may not run.
//!
//! Source: `docs/security.md`.

use super::review::Review;
use std::collections::HashSet;

/// Where a plan came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// Written here.
    #[default]
    Own,
    /// One that comes with the page.
    Gallery,
    /// A link holds it.
    Link,
    /// It was read from an address.
    Url,
    /// A file of the person's.
    File,
    /// Another page shows it here.
    Embed,
}

impl Origin {
    /// All of them, with how they are written down.
    const ALL: [(Self, &'static str); 6] = [
        (Self::Own, "own"),
        (Self::Gallery, "gallery"),
        (Self::Link, "link"),
        (Self::Url, "url"),
        (Self::File, "file"),
        (Self::Embed, "embed"),
    ];

    /// How it is written down.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(origin, _)| *origin == self).map_or("own", |(_, word)| word)
    }

    /// What a word stands for; a stranger's for one that is unknown.
    pub fn parse(word: &str) -> Self {
        Self::ALL.iter().find(|(_, known)| *known == word).map_or(Self::Url, |(origin, _)| *origin)
    }

    /// Whether the person, or the page itself, wrote it.
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::Own | Self::Gallery)
    }
}

/// What was agreed to in this session.
#[derive(Debug, Clone, Default)]
pub struct Consent {
    origin: Origin,
    agreed: HashSet<String>,
    /// What the plan that is open asked for when the person agreed.
    permissions: Option<HashSet<String>>,
}

impl Consent {
    /// With hashes that were agreed to before the page was loaded again.
    pub fn with_agreed(hashes: impl IntoIterator<Item = String>) -> Self {
        Self { agreed: hashes.into_iter().collect(), ..Self::default() }
    }

    /// Another plan is open.
    pub fn open(&mut self, origin: Origin) {
        self.origin = origin;
        self.permissions = None;
    }

    /// Where the plan that is open came from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether the plan that is open may run.
    pub fn may_run(&mut self, hash: impl FnOnce() -> String, review: &Review) -> bool {
        if self.origin.is_trusted() || review.is_harmless() {
            return true;
        }
        // To know a large plan's hash takes a while, and mostly nothing was agreed to yet.
        if !self.agreed.is_empty() && self.agreed.contains(&hash()) {
            self.permissions.get_or_insert_with(|| review.permissions().collect());
            return true;
        }
        self.permissions
            .as_ref()
            .is_some_and(|powers| review.permissions().all(|power| powers.contains(&power)))
    }

    /// The person agrees.
    pub fn agree(&mut self, hash: &str, review: &Review) {
        self.agreed.insert(hash.to_owned());
        self.permissions = Some(review.permissions().collect());
    }

    /// The hashes, to be kept for the session.
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
