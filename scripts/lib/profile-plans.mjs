/**
 * The plans of the engine's profile. A function that runs here is in the first module, or in the part of its group. A
 * feature that most plans use belongs here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { MISTAKES } from "./profile-mistakes.mjs";

const examples = join(root, "examples");
const read = (name) => readFileSync(join(examples, name), "utf8");
const expressions = readdirSync(join(examples, "expressions")).map((name) => `expressions/${name}`);

/** These plans need only handlers. */
const PLANS = [
  // Values of every kind, flow collections, comments, block texts.
  `# A comment
id: shop
description: |
  Two lines
  of text.
start: ask
nodes:
  ask:
    type: ask
    description: asks
    input: {q: "\${input}", n: 3, list: [1, 2.5, -3, true, null], deep: {a: {b: "c"}}}
    metadata: {team: a}
    retry: {attempts: 2, backoff_ms: 1, factor: 2, max_ms: 5}
    timeout_ms: 5000
  rate: {type: rate, input: "\${last.items[0].name} costs \${output.ask.items[0].price ?? 'nothing'}", visits: 9}
  count:
    type: set
    with:
      values:
        total: \${output.ask.items.map(i, i.price).size() + 1}
        cheap: \${output.ask.items.filter(i, i.price < 5 && i.name != "x")}
        text: \${string(1 + 2) + "a"}
  decide: {type: decision}
  say: {type: log, input: "done: \${output.count ?? null}"}
  none: {type: noop}
  sorry: {type: log, input: "\${error.code}: \${error.message}"}
edges:
  - {from: ask, to: sorry, condition: error.exists}
  - {from: ask, to: rate, condition: "last.kind == 'x' && last.items[0].price >= 2 && size(last.items) > 1"}
  - {from: ask, to: count, condition: "last.kind==y || last.items.exists(i, i.price > 2)"}
  - {from: ask, to: none}
  - {from: rate, to: ask, condition: "last.again == true && output.ask.n < 3"}
  - {from: rate, to: count, condition: "last.contains:ok"}
  - {from: rate, to: count, condition: "last.tags.contains:new"}
  - {from: rate, to: count, condition: default}
  - {from: count, to: decide}
  - {from: decide, to: say, condition: "!output.ask.nothing.exists && input!=null"}
  - {from: decide, to: none, condition: "input.prompt.startsWith('z')"}
`,
  `nodes:
  fan:
    type: parallel
    branches:
      a: {nodes: {x: {type: ask, input: "\${input}"}}}
      b: {nodes: {x: {type: rate}, y: {type: log}}, edges: [{from: x, to: y}]}
  each:
    type: map
    input: "\${output.fan.a.items}"
    with: {concurrency: 2}
    do: {nodes: {one: {type: rate, input: {item: "\${item.name}", at: "\${index}"}}}}
  some: {type: map, input: [1, 2, 3], with: {join: settled}, do: {nodes: {one: {type: shaky}}}}
  sub: {type: graph, graph: {start: a, nodes: {a: {type: ask}, b: {type: log}}, edges: [{from: a, to: b, condition: "last.n > 100"}]}}
edges:
  - {from: fan, to: each}
  - {from: each, to: some}
  - {from: some, to: sub}
`,
  // Graphs inside graphs, and lists without elements.
  `nodes:
  each:
    type: map
    input: [x, y]
    do: {nodes: {sub: {type: graph, input: own, graph: {nodes: {a: {type: log, input: "\${input} \${last}"}}}}}}
  none: {type: map, input: [], with: {join: settled}, do: {nodes: {one: {type: noop}}}}
  empty: {type: map, input: [], do: {nodes: {one: {type: rate}}}}
  own: {type: graph, input: own, graph: {nodes: {b: {type: log, input: "\${input} \${last} \${output.input}"}}}}
edges:
  - {from: each, to: none}
  - {from: none, to: empty}
  - {from: empty, to: own}
`,
  // `last` has two types, because two edges lead to one node.
  `nodes:
  a: {type: ask}
  b: {type: rate}
  c: {type: log, input: "\${last.n ?? last.ok ?? 'nothing'}: \${output.a.n + 1} \${output.a.n * 2 - 4 / 2}"}
  d: {type: log, input: "\${output.a.items.all(i, i.price > 0) ? output.a.items[0] : {'k': [1, -1]}}"}
edges:
  - {from: a, to: b, condition: "last.n > 1 && last.kind == \\"x\\""}
  - {from: a, to: c, condition: "last.n <= 1 || last.n < -1 || last.n != 3"}
  - {from: a, to: d, condition: "last.kind in ['x', 'y'] && !(last.items.size() == 0)"}
  - {from: a, to: d, condition: "output.a.kind.contains:x && last.kind.contains('x') && last.none==null"}
  - {from: b, to: c, condition: "last.ok == true || output.a.n >= output.a.n"}
  - {from: c, to: d, condition: "has(output.a.n) && last != ''"}
`,
  `start: a
nodes: {a: {type: ask}, b: {type: log}, c: {type: log}, d: {type: log}, e: {type: noop}}
edges:
  - {from: a, to: b, condition: last.n==7}
  - {from: a, to: c, condition: last.n==8}
  - {from: a, to: d, condition: last.kind==y}
  - {from: a, to: d, condition: last.n > 8}
  - {from: a, to: e, condition: last.n==2}
  - {from: a, to: b}
`,
  `start: work
nodes:
  work:
    type: work
  check:
    type: check
edges:
  - from: work
    to: check
  - from: check
    to: work
    condition: last.again==true
`,
];

/** So many nodes that tables replace lists. */
function longPlan() {
  const names = Array.from({ length: 60 }, (_, at) => `n${at}`);
  const edges = names.slice(1).map((to, at) => ({ from: names[at], to, condition: `last.n==${at}` }));
  const more = names.slice(1).map((to, at) => ({ from: names[at], to }));
  return JSON.stringify({
    start: "n0",
    nodes: Object.fromEntries(names.map((name) => [name, { type: "work" }])),
    edges: [...edges, ...more],
  });
}

function handlers() {
  let rounds = 0;
  let failures = 0;
  return {
    ask: (node) => ({
      kind: "x",
      n: 2,
      items: [
        { name: "tea", price: 3 },
        { name: "jam", price: 7 },
      ],
      got: node.input,
    }),
    rate: async () => (await Promise.resolve(), { again: rounds++ < 1, tags: ["new"] }),
    shaky: () => {
      if (failures++ === 1) throw new Error("kaput");
      return failures;
    },
    work: (node) => ({ got: node.input, n: 1 }),
    check: () => ({ again: rounds++ < 4 }),
  };
}

/** A plan that ends otherwise would give a wrong profile. */
function look(report, expected = "completed") {
  const { type, message } = report.outcome;
  if (type !== expected) throw new Error(`a plan of the profile ${type}: ${message}`);
  JSON.stringify(report);
  for (const event of report.trace) JSON.stringify(event);
}

function readProperties(graph) {
  const own = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(graph));
  return Object.keys(own).filter((name) => own[name].get !== undefined && graph[name] !== undefined);
}

async function runPlan({ PlanGraph, check, run }, text, options, expected) {
  const { graph, diagnostics } = PlanGraph.parse(text);
  diagnostics.push(...check(graph, { handlers: options.handlers ?? {} }));
  // Messages of mistakes belong to the rest.
  if (diagnostics.length > 0) throw new Error(`a plan of the profile: ${diagnostics[0].message}`);
  readProperties(graph);
  look(await run(graph, options), expected);
  graph.free();
}

const fail = () => {
  throw new Error("no");
};

async function withHandlers(library) {
  const { PlanGraph, run } = library;
  const json = (text) => {
    const { value } = library.readYaml(text);
    return JSON.stringify(value);
  };
  await runPlan(library, PLANS[0], { input: { prompt: "q" }, handlers: { ...handlers(), ask: fail } });
  for (const text of [...PLANS, ...PLANS.map(json), longPlan()]) {
    for (const input of [{ prompt: "qq" }, { prompt: "tea" }]) {
      await runPlan(library, text, { input, handlers: handlers() });
      await runPlan(library, text, { input, handlers: handlers(), trace: false, context: { user: "a" }, memory: [1] });
      await runPlan(library, text, { input, handlers: handlers(), onEvent: () => {}, limits: { steps: 100 } });
    }
    const plan = PlanGraph.load(text);
    for await (const _ of run.stream(plan, { input: { prompt: "a" }, handlers: handlers() }));
    plan.free();
  }
}

const client = {
  name: "shop",
  list: async () => [
    {
      name: "price",
      annotations: { readOnlyHint: true },
      description: "The price of an item",
      input_schema: {
        type: "object",
        properties: { item: { type: "string", minLength: 1 }, n: { type: "integer" } },
        required: ["item"],
        additionalProperties: false,
      },
      output_schema: { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
    },
    {
      name: "echo",
      annotations: { readOnlyHint: true },
      input_schema: { type: "object", properties: { message: { type: "string" } } },
    },
  ],
  call: async (name) => ({ value: name === "price" ? { price: 4 } : "hm", isError: false }),
};

const asServer = {
  ...client,
  name: "127.0.0.1:80",
  list: async () =>
    (await client.list()).map((tool) => ({ description: null, output_schema: null, server: "shop", ...tool })),
};

const CALLS = [
  `nodes:
  look: {type: tool, tool: price, input: {item: "\${input}", n: 1}}
  tell: {type: llm, input: "Say \${last.price}", with: {system: Be short., max_tokens: 20, temperature: 0}}
  pick:
    type: llm
    input: "\${last}"
    with: {schema: {type: object, properties: {n: {type: number}}, required: [n]}}
  end: {type: tool, tool: echo, input: {message: "n is \${output.pick.n}"}}
edges:
  - {from: look, to: tell, condition: "last.price > 2"}
  - {from: tell, to: pick}
  - {from: pick, to: end}
`,
  `nodes:
  find:
    type: agent
    input: "\${input}"
    with: {system: You look things up., tools: [price, echo], max_turns: 4, conversation: c}
  write: {type: llm, input: "And \${last}", with: {conversation: c}}
edges: [{from: find, to: write}]
`,
];

const suite = (library, name) => library.readYaml(readFileSync(join(root, "tests", "suite", name), "utf8")).value;

/** The conformance suite's valid ones. */
async function withConditions(library) {
  const { PlanGraph, run } = library;
  for (const name of ["explicit-planner.yaml", "explicit-planner-more.yaml", "expressions.yaml"]) {
    for (const { condition, last = null, outputs: { input = null, ...outputs } = {}, expect } of suite(library, name)
      .conditions) {
      if (typeof expect !== "boolean") continue;
      const edges = [{ from: "a", to: "b", condition }];
      const graph = PlanGraph.load(
        JSON.stringify({ start: "a", nodes: { a: { type: "a" }, b: { type: "noop" } }, edges }),
      );
      look(await run(graph, { input, outputs, handlers: { a: () => last } }));
      graph.free();
    }
  }
}

async function withRuns(library, name) {
  const { PlanGraph, run } = library;
  for (const one of suite(library, name).runs) {
    const { expect = {}, plan, input = null, outputs = {}, context, stubs = {} } = one;
    if (plan === undefined || expect.diagnostics || expect.warnings || (expect.outcome ?? "completed") !== "completed")
      continue;
    const { graph } = PlanGraph.parse(JSON.stringify(plan));
    JSON.stringify(await run(graph, { input, outputs, stubs, ...(context && { context }) }));
    graph.free();
  }
}

async function withFailures({ PlanGraph, run }) {
  for (const text of PLANS) {
    for (const isAborted of [false, true]) {
      const stop = new AbortController();
      const ask = () => {
        if (isAborted) stop.abort();
        throw new Error("no");
      };
      const { graph } = PlanGraph.parse(text);
      JSON.stringify(
        await run(graph, { input: { prompt: "" }, handlers: { ...handlers(), ask, work: ask }, signal: stop.signal }),
      );
      graph.free();
    }
  }
}

async function withLanguage(library) {
  const { PlanGraph, review, Run, runTests } = library;
  await withConditions(library);
  await withFailures(library);
  await withRuns(library, "agent.yaml");
  for (const name of [
    "explicit-planner",
    "explicit-planner-more",
    "expressions",
    "set-and-wait",
    "concurrency",
    "limits",
  ])
    await withRuns(library, `${name}.yaml`);
  for (const name of ["hello.yaml", "fan-out.yaml", "retry-loop.yaml", "triage.yaml", ...expressions]) {
    const graph = PlanGraph.load(read(name));
    review(graph);
    await runTests(graph);
    graph.free();
  }
  const plan = PlanGraph.load(PLANS.at(-1));
  const machine = new Run(plan, { input: null, types: ["work", "check"] });
  machine.step({ type: "start", atMs: 0 });
  machine.free();
  plan.free();
}

async function withPlanners(library) {
  const { PlanGraph, run } = library;
  for (const name of ["planning.yaml", "react.yaml"]) await withRuns(library, name);
  const graph = PlanGraph.load(read("plan-gather.yaml"));
  const stubs = library.readYaml(read("plan-gather.stubs.yaml")).value;
  look(await run(graph, { input: "How do my applications stand?", stubs }));
  graph.free();
}

async function withCalls(library) {
  const { PlanGraph, check, run } = library;
  for (const text of CALLS) {
    const graph = PlanGraph.load(text);
    check(graph, { tools: await client.list() });
    let turn = 0;
    const chat = async (request) => {
      turn++;
      const usage = { input_tokens: 3, output_tokens: 2 };
      if (request.tools?.length && turn === 1)
        return {
          text: "",
          tool_calls: [{ id: "1", name: "price", arguments: { item: "tea" } }],
          finish: "tool_calls",
          usage,
        };
      return { text: request.schema ? '{"n": 4}' : "four", finish: "stop", usage };
    };
    look(await run(graph, { input: "tea", tools: [client], models: { default: { name: "m", chat } } }));
    turn = 0;
    look(await run(graph, { input: "tea", tools: [asServer], models: { default: { name: "m", chat } } }));
    const model = async () => '{"n": 4}';
    look(await run(graph, { input: "tea", tools: [client], models: { default: model }, onEvent: () => {} }));
    graph.free();
  }
}

async function withMistakes({ PlanGraph, check, formatDiagnostics, run }) {
  for (const text of MISTAKES) {
    const { graph, diagnostics } = PlanGraph.parse(text);
    if (graph) diagnostics.push(...check(graph, { handlers: { work: fail } }));
    if (diagnostics.length === 0) throw new Error(`no mistake in the profile's plan ${text}`);
    formatDiagnostics(diagnostics, { text });
    if (graph) JSON.stringify(await run(graph, { handlers: { work: fail } }));
    graph?.free();
  }
}

/** The first module, calls, mistakes, the rest of the language, planners. */
export const groups = [withHandlers, withCalls, withMistakes, withLanguage, withPlanners];
