//! A host in Rust that runs a plan with its tools and node types.
//!
//! `cargo run -p stepgraph-core --example host`. Any executor works. This one is a loop, because the host never waits.

use serde_json::{Value as Json, json};
use std::error::Error;
use std::future::Future;
use std::io::Write as _;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::driver;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::host::{Host, State};
use stepgraph_core::machine::{Answer, Call, Failure, Options};
use stepgraph_core::model::{ChatReply, ChatRequest};
use stepgraph_core::source::Format;
use stepgraph_core::stub::Stubs;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};

const PLAN: &str = "
start: look_up
nodes:
  look_up: {type: tool, tool: get_order, input: {id: '${input.order}'}}
  shout: {type: shout, input: 'Your order costs ${last.total}.'}
edges: [{from: look_up, to: shout}]
";

type Value = Arc<Json>;

struct Shop;

impl Host<Value> for Shop {
    // Return your clock's milliseconds, for timeouts and the trace.
    fn now_ms(&self) -> f64 {
        0.0
    }

    // This plan has no timers. If yours has some, await your executor's.
    async fn wait_ms(&self, _: f64) {}

    async fn handle(
        &self,
        name: &str,
        call: &Call<Value>,
        _: &State<'_, Value>,
    ) -> Result<Answer<Value>, Failure> {
        match (name, call.input.as_str()) {
            ("shout", Some(text)) => Ok(Answer::Value(Arc::new(json!(text.to_uppercase())), Vec::new())),
            _ => Err(Failure::new("handler/failed", format!("`{name}` needs a text"))),
        }
    }

    async fn call_tool(&self, name: &str, arguments: &Value, _: &str) -> Result<Answer<Value>, Failure> {
        match name {
            "get_order" => {
                Ok(Answer::Value(Arc::new(json!({"id": arguments.get("id"), "total": 12})), Vec::new()))
            }
            _ => Err(Failure::new("tool/unknown", format!("there is no tool `{name}`"))),
        }
    }

    async fn ask_model(&self, _: &ChatRequest, _: &str) -> Result<ChatReply, Failure> {
        Err(Failure::new("model/unknown", "there is no model"))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    writeln!(std::io::stdout(), "{}", run()?)?;
    Ok(())
}

fn run() -> Result<Value, Box<dyn Error>> {
    let parsed = PlanGraph::parse(PLAN, Format::Yaml);
    let graph = parsed.graph.ok_or("the text is no plan")?;
    let tool = json!({
        "name": "get_order",
        "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        "annotations": {"readOnlyHint": true},
    });
    let capabilities = Capabilities {
        types: Some(["shout".to_owned()].into_iter().collect()),
        tools: Some(ToolRegistry::new(ToolInfo::from_json(&tool))),
        ..Capabilities::default()
    };
    let options = Options::new(Arc::new(json!({"order": "17"})));
    let running = driver::run(&graph, &Shop, &capabilities, Stubs::default(), options, ());
    let report =
        complete(running).map_err(|found| found.iter().map(ToString::to_string).collect::<String>())?;
    Ok(Arc::clone(report.run.last()))
}

fn complete<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

#[test]
fn the_plan_runs_with_the_hosts_tool() {
    assert_eq!(*run().expect("it completes"), json!("YOUR ORDER COSTS 12."));
}
