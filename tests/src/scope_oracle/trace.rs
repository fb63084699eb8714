//! Events and their times.

use serde_json::Value as Json;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The position, from 1, at which each call is answered and each timer fires. An absent name never occurs.
///
/// The key of a call is its name. The timer of an attempt has the key `timeout:` and that name, and the wait after it
/// has `wait:` and that name. The timer of the whole run has the key `timeout:`.
pub type Order = HashMap<String, usize>;

/// A moment: an external event, and a turn among its consequences.
///
/// The consequences of an event happen in turns. The scope of the answer has the first turn. The graphs that it starts
/// follow in the order of their start, then the graphs that those start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    step: usize,
    turn: Vec<usize>,
}

impl Moment {
    /// Returns the moment of an event.
    pub fn of(step: usize) -> Self {
        Self { step, turn: Vec::new() }
    }

    /// Returns the moment that never comes.
    pub fn never() -> Self {
        Self::of(usize::MAX)
    }

    /// Returns whether the moment never comes.
    pub fn is_never(&self) -> bool {
        self.step == usize::MAX
    }

    /// Returns the turn of a graph that starts in this turn, by its position among them.
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

/// An event of a run. A scope is named by its path, which is empty for the run itself.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "fields are called what they are")]
pub enum OracleEvent {
    /// A scope entered a node.
    Entered { scope: String, node: String, visit: usize },
    /// A call started, with its name and input.
    Called { name: String, input: Json },
    /// A call was answered with this number of bytes, or failed.
    Answered { name: String, bytes: usize },
    /// A call was abandoned.
    Abandoned { name: String },
    /// A node completed with its output.
    Completed { scope: String, node: String, output: Json },
    /// A node failed.
    Failed { scope: String, node: String, code: String },
    /// An attempt failed, and another one follows.
    Retried { scope: String, node: String, attempt: usize, code: String },
    /// A node chose its next edge.
    EdgeTaken { scope: String, node: String, to: Option<String>, reason: String },
    /// A nested graph started, in its parent scope.
    ScopeStarted { scope: String, around: String, node: String },
    /// A nested graph ended: `completed`, `failed` or `abandoned`.
    ScopeEnded { scope: String, how: String },
}

/// The events, in order.
pub(super) type Log = Vec<(Moment, OracleEvent)>;

/// Cuts the log at `end`, and abandons the scopes and calls still open then.
pub(super) fn cut(log: &mut Log, end: &Moment) {
    log.sort_by(|(a, _), (b, _)| a.cmp(b));
    log.retain(|(moment, _)| moment <= end);
    let given_up = open(log);
    log.extend(given_up.into_iter().map(|happening| (end.clone(), happening)));
}

/// Removes the calls that start and are abandoned in the same step, because the machine never emits them.
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

/// Returns the events that abandon the open work of a log: each scope after its contents, in the order of their start.
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
    // The calls of the outermost scope remain.
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
