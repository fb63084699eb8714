//! Events and their times.

use serde_json::Value as Json;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Position, from 1, of each answer and timer. An absent name never occurs.
///
/// A call's key is its name. Its attempt's timer is `timeout:` and that name, the wait after it `wait:` and that name.
/// The run's timer is `timeout:`.
pub type Order = HashMap<String, usize>;

/// An external event, and a turn among its consequences.
///
/// The answer's scope has the first turn. The graphs that it starts follow in order, then those that these start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    step: usize,
    turn: Vec<usize>,
}

impl Moment {
    /// Returns an event's moment.
    pub fn of(step: usize) -> Self {
        Self { step, turn: Vec::new() }
    }

    /// Returns the moment that never comes.
    pub fn never() -> Self {
        Self::of(usize::MAX)
    }

    /// Returns whether it never comes.
    pub fn is_never(&self) -> bool {
        self.step == usize::MAX
    }

    /// Returns the turn of a graph that starts in this turn, by position.
    #[must_use]
    pub fn then(&self, position: usize) -> Self {
        let mut turn = self.turn.clone();
        turn.push(position);
        Self { step: self.step, turn }
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |moment: &Self| (moment.step, moment.turn.len());
        key(self).cmp(&key(other)).then_with(|| self.turn.cmp(&other.turn))
    }
}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An event of a run. The run's own scope has an empty path.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "fields are called what they are")]
pub enum OracleEvent {
    /// Scope entered a node.
    Entered { scope: String, node: String, visit: usize },
    /// Call started, with its input.
    Called { name: String, input: Json },
    /// Call failed, or was answered with this number of bytes.
    Answered { name: String, bytes: usize },
    /// Call abandoned.
    Abandoned { name: String },
    /// Node completed.
    Completed { scope: String, node: String, output: Json },
    /// A node failed.
    Failed { scope: String, node: String, code: String },
    /// Attempt failed, another follows.
    Retried { scope: String, node: String, attempt: usize, code: String },
    /// Node chose its next edge.
    EdgeTaken { scope: String, node: String, to: Option<String>, reason: String },
    /// Nested graph started, in its parent scope.
    ScopeStarted { scope: String, around: String, node: String },
    /// Nested graph ended: `completed`, `failed` or `abandoned`.
    ScopeEnded { scope: String, how: String },
}

pub(super) type Log = Vec<(Moment, OracleEvent)>;

pub(super) fn cut(log: &mut Log, end: &Moment) {
    log.sort_by(|(a, _), (b, _)| a.cmp(b));
    log.retain(|(moment, _)| moment <= end);
    let given_up = open(log);
    log.extend(given_up.into_iter().map(|happening| (end.clone(), happening)));
}

/// Removes calls that start and are abandoned in one step, because the machine never emits them.
pub(super) fn withdraw(log: &mut Log) {
    let asked: HashMap<String, usize> = log
        .iter()
        .filter_map(|(moment, happening)| match happening {
            OracleEvent::Called { name, .. } => Some((name.clone(), moment.step)),
            _ => None,
        })
        .collect();
    let withdrawn: HashSet<String> = log
        .iter()
        .filter_map(|(moment, happening)| match happening {
            OracleEvent::Abandoned { name } if asked.get(name) == Some(&moment.step) => Some(name.clone()),
            _ => None,
        })
        .collect();
    log.retain(|(_, happening)| match happening {
        OracleEvent::Called { name, .. } | OracleEvent::Abandoned { name } => !withdrawn.contains(name),
        _ => true,
    });
}

/// Abandons the open work of a log: each scope after its contents, in starting order.
pub(super) fn open(log: &[(Moment, OracleEvent)]) -> Vec<OracleEvent> {
    let mut scopes: Vec<(&str, &str)> = Vec::new();
    let mut calls: Vec<&str> = Vec::new();
    for (_, happening) in log {
        match happening {
            OracleEvent::ScopeStarted { scope, around, .. } => scopes.push((scope, around)),
            OracleEvent::ScopeEnded { scope, .. } => scopes.retain(|(open, _)| open != scope),
            OracleEvent::Called { name, .. } => calls.push(name),
            OracleEvent::Answered { name, .. } | OracleEvent::Abandoned { name } => {
                calls.retain(|open| open != name);
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    let inner: Vec<&str> = scopes.iter().map(|(scope, _)| *scope).collect();
    for (scope, around) in &scopes {
        if !inner.contains(around) {
            give_up(scope, &scopes, &calls, &mut found);
        }
    }
    for name in calls {
        if !found.iter().any(|known| matches!(known, OracleEvent::Abandoned { name: known } if known == name))
        {
            found.push(OracleEvent::Abandoned { name: name.to_owned() });
        }
    }
    found
}

fn give_up(scope: &str, scopes: &[(&str, &str)], calls: &[&str], found: &mut Vec<OracleEvent>) {
    for name in calls.iter().filter(|name| name.rsplit_once('/').is_some_and(|(place, _)| place == scope)) {
        found.push(OracleEvent::Abandoned { name: (*name).to_owned() });
    }
    for (inner, _) in scopes.iter().filter(|(_, around)| *around == scope) {
        give_up(inner, scopes, calls, found);
    }
    found.push(OracleEvent::ScopeEnded { scope: scope.to_owned(), how: "abandoned".to_owned() });
}
