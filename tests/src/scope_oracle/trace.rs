//! What happens and when.

use serde_json::Value as Json;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// When each call is answered and each timer fires: its position in the order of answers, from 1. What is not there never comes.
///
/// A call goes by its name, the timer of a try by `timeout:` and that name, the wait after it by `wait:` and that name, the
/// timer of the whole run by `timeout:`.
pub type Order = HashMap<String, usize>;

/// A moment: an event from outside, and a turn within what follows from it.
///
/// What follows from an event happens in turns: that of the scope that was answered, then those of the graphs begun by it, in
/// the order of beginning, then those begun by these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    step: usize,
    turn: Vec<usize>,
}

impl Moment {
    /// The moment of an event.
    pub fn of(step: usize) -> Self {
        Self { step, turn: Vec::new() }
    }

    /// A moment that never comes.
    pub fn never() -> Self {
        Self::of(usize::MAX)
    }

    /// Whether it never comes.
    pub fn is_never(&self) -> bool {
        self.step == usize::MAX
    }

    /// The turn of what is begun in this one, at a position among what is.
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

/// What can be told of a run. Scopes go by their paths, empty for the run itself.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "fields are called what they are")]
pub enum OracleEvent {
    /// A scope came to a node.
    Entered { scope: String, node: String, visit: usize },
    /// A call was made: its name and input.
    Called { name: String, input: Json },
    /// A call was answered with so many bytes, or failed.
    Answered { name: String, bytes: usize },
    /// A call was given up.
    Abandoned { name: String },
    /// A node gave its output.
    Completed { scope: String, node: String, output: Json },
    /// A node failed.
    Failed { scope: String, node: String, code: String },
    /// A try failed, and there is another.
    Retried { scope: String, node: String, attempt: usize, code: String },
    /// The way on was chosen.
    EdgeTaken { scope: String, node: String, to: Option<String>, reason: String },
    /// A graph inside a node began, in the scope around it.
    ScopeStarted { scope: String, around: String, node: String },
    /// A graph inside a node ended: `completed`, `failed` or `abandoned`.
    ScopeEnded { scope: String, how: String },
}

/// What happened, in order.
pub(super) type Log = Vec<(Moment, OracleEvent)>;

/// What would have happened had nobody given up, but only until `end`; then the scopes and calls still open are given up.
pub(super) fn cut(log: &mut Log, end: &Moment) {
    log.sort_by(|(a, _), (b, _)| a.cmp(b));
    log.retain(|(moment, _)| moment <= end);
    let given_up = open(log);
    log.extend(given_up.into_iter().map(|happening| (end.clone(), happening)));
}

/// Takes out what was asked and given up in one step: nobody was asked.
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

/// What a log leaves open, as it is given up: each scope after what is inside it, in the order of beginning.
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
    // What the outermost scope asked.
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
