//! One run of a program.
//!
//! Decides the walk: where a run goes, when it waits, when it ends.

mod walk;

use super::event::{
    Answer, CallId, Command, Counts, Event, Failure, Outcome, Sink, Step, StepError, TraceEvent,
};
use super::fill::Scope;
use super::program::{Look, Program, Source};
use crate::graph::Limits;
use crate::model::ChatReply;
use crate::names::Names;
use crate::node::{Action, llm};
use crate::value::{Path, Value};
use std::sync::Arc;

/// What a run is given.
#[derive(Debug, Clone)]
pub struct Options<V> {
    /// Its input: `input` and, at the start, `last`.
    pub input: V,
    /// Outputs that are there from the start.
    pub outputs: Vec<(String, V)>,
    /// What the host remembers.
    pub memory: Option<V>,
    /// The host's trusted values, a map.
    pub context: Option<V>,
    /// Bounds instead of the plan's own.
    pub limits: Option<Limits>,
    /// Whether anybody wants the trace.
    pub observe: bool,
}

impl<V> Options<V> {
    /// A run of `input`, observed, with nothing else.
    pub fn new(input: V) -> Self {
        Self { input, outputs: Vec::new(), memory: None, context: None, limits: None, observe: true }
    }
}

/// Where a run is.
#[derive(Debug)]
enum State {
    Ready,
    Waiting { call: CallId, node: u32 },
    Finished(Outcome),
}

/// A run: feed it events, carry out its commands.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use stepgraph_core::graph::PlanGraph;
/// use stepgraph_core::host::Capabilities;
/// use stepgraph_core::machine::{self, Command, Event, Options, Outcome, Reason, Run};
/// use stepgraph_core::source::Format;
///
/// let graph = PlanGraph::parse("nodes: {hello: {type: log, input: hi}}", Format::Auto).graph.unwrap();
/// let (program, _) = machine::bind(&graph, &Capabilities::default(), &()).unwrap();
/// let mut run = Run::new(Arc::new(program), (), Options::new(Arc::new(serde_json::Value::Null)));
/// let step = run.step(Event::Start { at_ms: 0.0 }).unwrap();
/// assert!(matches!(step.commands[..], [Command::Finish(Outcome::Completed(Reason::Terminal))]));
/// assert_eq!(**run.last(), serde_json::json!("hi"));
/// ```
#[derive(Debug)]
pub struct Run<V: Value> {
    program: Arc<Program<V>>,
    space: V::Space,
    limits: Limits,
    observe: bool,
    state: State,
    input: V,
    memory: Option<V>,
    context: Option<V>,
    error: Option<V>,
    last: V,
    /// By position in the program's names.
    outputs: Vec<Option<V>>,
    /// Outputs whose names the program does not mention.
    others: Vec<(String, V)>,
    /// Where each of those names stands.
    other_names: Names,
    visits: Vec<u32>,
    path: Vec<u32>,
    counts: Counts,
    started_ms: f64,
    ended_ms: f64,
    node_started_ms: f64,
}

impl<V: Value> Run<V> {
    /// A run that was not started yet.
    pub fn new(program: Arc<Program<V>>, space: V::Space, options: Options<V>) -> Self {
        let mut run = Self {
            limits: options.limits.unwrap_or(program.limits),
            observe: options.observe,
            state: State::Ready,
            last: options.input.clone(),
            input: options.input,
            memory: options.memory,
            context: options.context,
            error: None,
            outputs: vec![None; program.names.items().len()],
            others: Vec::new(),
            other_names: Names::default(),
            visits: vec![0; program.nodes.len()],
            path: Vec::new(),
            counts: Counts::default(),
            started_ms: 0.0,
            ended_ms: 0.0,
            node_started_ms: 0.0,
            space,
            program,
        };
        for (name, value) in options.outputs {
            run.write(name, value);
        }
        run
    }

    /// Takes one event and gives back all its consequences.
    ///
    /// # Errors
    /// An event that makes no sense now; nothing has changed then.
    pub fn step(&mut self, event: Event<V>) -> Result<Step<V>, StepError> {
        let mut step = Step::default();
        self.step_into(event, &mut step)?;
        Ok(step)
    }

    /// The same, with the consequences passed on as they come.
    pub fn step_into(&mut self, event: Event<V>, sink: &mut impl Sink<V>) -> Result<(), StepError> {
        let program = Arc::clone(&self.program);
        match (&self.state, event) {
            (State::Finished(_), _) => Err(StepError::Finished),
            (State::Ready, Event::Start { at_ms }) => {
                self.start(&program, at_ms, sink);
                Ok(())
            }
            (State::Waiting { .. }, Event::Start { .. }) => Err(StepError::AlreadyStarted),
            (State::Waiting { call, node }, Event::CallDone { call: answered, result, at_ms })
                if *call == answered =>
            {
                let node = *node;
                self.answered(&program, node, result, at_ms, sink);
                Ok(())
            }
            (State::Waiting { .. }, Event::CallDone { call, .. }) => Err(StepError::UnknownCall(call)),
            (State::Ready, Event::CallDone { .. }) => Err(StepError::NotStarted),
            (_, Event::Cancel { at_ms }) => {
                if let State::Waiting { call, .. } = self.state {
                    sink.command(Command::Abandon(call));
                }
                self.finish(Outcome::Cancelled, at_ms, sink);
                Ok(())
            }
        }
    }

    fn start(&mut self, program: &Program<V>, at_ms: f64, sink: &mut impl Sink<V>) {
        self.started_ms = at_ms;
        if self.observe {
            sink.happened(TraceEvent::RunStarted { at_ms, input: self.input.clone() });
        }
        self.walk(program, program.start, at_ms, sink);
    }

    fn answered(
        &mut self,
        program: &Program<V>,
        node: u32,
        result: Result<Answer<V>, Failure>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) {
        let value = match result {
            Ok(Answer::Value(value, writes)) => {
                for (name, value) in writes {
                    self.write(name, value);
                }
                Ok(value)
            }
            Ok(Answer::Reply(reply)) => self.reply(node, &reply),
            Err(failure) => Err(failure),
        };
        let next = match value {
            Ok(value) => self.complete(program, node, value, at_ms, sink),
            Err(failure) => self.fail(program, node, failure, at_ms, sink),
        };
        if let Some(next) = next {
            self.walk(program, next, at_ms, sink);
        }
    }

    /// What a model's answer becomes.
    fn reply(&mut self, node: u32, reply: &ChatReply) -> Result<V, Failure> {
        if let Some(usage) = &reply.usage {
            self.counts.tokens += usage.input + usage.output;
        }
        let code = self.program.nodes.get(node as usize);
        let structured = matches!(code.map(|code| &code.action), Some(Action::Llm(Some(with))) if with.get("schema").is_some());
        let json =
            llm::output(reply, structured).map_err(|message| Failure::new("model/bad-reply", message))?;
        Ok(V::from_json(&self.space, &json))
    }

    /// Sets a named output; the reserved names can't be set.
    fn write(&mut self, name: String, value: V) {
        if matches!(name.as_str(), "input" | "memory") {
            return;
        }
        let known = self.program.names.get(&name);
        if let Some(slot) = known.and_then(|known| self.outputs.get_mut(known as usize)) {
            *slot = Some(value);
        } else if let Some((_, other)) =
            self.other_names.get(&name).and_then(|at| self.others.get_mut(at as usize))
        {
            *other = value;
        } else {
            self.other_names.number(name.clone());
            self.others.push((name, value));
        }
    }

    fn finish(&mut self, outcome: Outcome, at_ms: f64, sink: &mut impl Sink<V>) {
        self.ended_ms = at_ms;
        if self.observe {
            sink.happened(TraceEvent::RunEnded { at_ms, outcome: outcome.clone() });
        }
        sink.command(Command::Finish(outcome.clone()));
        self.state = State::Finished(outcome);
    }

    /// The program that is run.
    pub fn program(&self) -> &Arc<Program<V>> {
        &self.program
    }

    /// Where the run's own values live.
    pub fn space(&self) -> &V::Space {
        &self.space
    }

    /// The output of the node before.
    pub fn last(&self) -> &V {
        &self.last
    }

    /// The outputs whose names the program knows, by the position of the name, and those that it does not.
    pub fn outputs_by_number(&self) -> (&[Option<V>], &[(String, V)]) {
        (&self.outputs, &self.others)
    }

    /// Every value that the run holds; a host that keeps values in a table of its own can clear all others.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        let single = [
            Some(&self.input),
            Some(&self.last),
            self.memory.as_ref(),
            self.context.as_ref(),
            self.error.as_ref(),
        ];
        let outputs = self.outputs.iter().filter_map(Option::as_ref);
        single.into_iter().flatten().chain(outputs).chain(self.others.iter().map(|(_, value)| value))
    }

    /// The run's input, and what the host remembers.
    pub fn given(&self) -> (&V, Option<&V>) {
        (&self.input, self.memory.as_ref())
    }

    /// Every output that is there, by name, `input` first.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, &V)> {
        let memory = self.memory.as_ref().map(|memory| ("memory", memory));
        let named = self.program.names.iter().zip(&self.outputs);
        let others = self.others.iter().map(|(name, value)| (name.as_str(), value));
        let given = [("input", &self.input)].into_iter().chain(memory);
        given.chain(named.filter_map(|(name, value)| Some((name, value.as_ref()?)))).chain(others)
    }

    /// One output by its name.
    pub fn output(&self, name: &str) -> Option<&V> {
        self.outputs().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The nodes that ran, in order, by position.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// What was counted.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How long the run has taken, as far as events told.
    pub fn duration_ms(&self) -> f64 {
        self.ended_ms - self.started_ms
    }

    /// How it ended, if it did.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            State::Finished(outcome) => Some(outcome),
            _ => None,
        }
    }
}

impl<V: Value> Scope<V> for Run<V> {
    fn space(&self) -> &V::Space {
        &self.space
    }

    fn root(&self, look: Look) -> Option<&V> {
        match look.source {
            Source::Last => Some(&self.last),
            Source::Input => Some(&self.input),
            Source::Memory => self.memory.as_ref(),
            Source::Context => self.context.as_ref(),
            Source::Error => self.error.as_ref(),
            Source::Output(name) => self.outputs.get(name as usize)?.as_ref(),
            Source::Nowhere => None,
        }
    }

    fn path(&self, look: Look) -> &Path {
        static WHOLE: Path = Path { number: 0, segments: Vec::new() };
        self.program.paths.get(look.path as usize).unwrap_or(&WHOLE)
    }

    fn available(&self) -> String {
        let outputs = self.outputs().filter(|(name, _)| !matches!(*name, "input" | "memory"));
        let shown: Vec<String> = outputs.take(8).map(|(name, _)| format!("`output.{name}`")).collect();
        if shown.is_empty() {
            "`last` and `input`".to_owned()
        } else {
            format!("`last`, `input`, {}", shown.join(", "))
        }
    }
}
