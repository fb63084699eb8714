/**
 * The same program for every runtime, in the language alone. It returns text by section. `wire` is the network part.
 */
import { canonical, canonicalText } from "./canonical.mjs";
import { branching, cassette, everywhere, hello, tapes } from "./material.mjs";

const describeReport = ({ outcome, last, outputs, path, counts, planHash }) =>
  canonicalText({ outcome, last, outputs, path, counts, planHash });

export async function job(stepgraph, editor) {
  const { PlanGraph, run } = stepgraph;
  const parse = (text) => PlanGraph.parse(text).graph;
  return {
    reading: reading(PlanGraph),
    editing: editing(stepgraph, editor),
    running: await running(parse, run),
    ...(await live(parse(everywhere), run)),
    replay: await replayed(parse(everywhere), run),
    tapes: await replayRecordings(parse(tapes.plan), run),
    pausing: await pausing(parse(everywhere), run),
    misuse: misuse(stepgraph),
  };
}

/** Offsets must be correct for every kind of string. */
function reading(PlanGraph) {
  const wrong = PlanGraph.parse('nodes:\n  {"🥵é": {type: log, input: hi}, b: {typ: log}}');
  const right = PlanGraph.parse(hello);
  return [canonicalText(wrong.diagnostics), canonicalText(right.graph.toJSON()), right.graph.hash].join("\n");
}

/** The editor's module starts separately. Its errors are the same `PlanError`. */
function editing({ PlanError }, editor) {
  const { PlanDocument, editPlan } = editor;
  const text = 'nodes:\n  "🥵é": {type: log, input: hi} # 🥵\n  b: {type: log}\nedges: []\n';
  const document = new PlanDocument(text, { types: [] });
  const said = [];
  const recordDocument = () =>
    said.push(document.text, canonicalText(document.diagnostics()), canonicalText(document.diagram()));
  document.change([{ span: { start: text.indexOf("[]"), end: text.indexOf("[]") + 2 }, text: "[{from: 🥵é, to: c}]" }]);
  recordDocument();
  const at = document.text.indexOf("to: c") + 4;
  said.push(canonicalText(document.complete(at).map(({ label }) => label)));
  document.change([{ span: { start: at, end: at + 1 }, text: "b" }]);
  recordDocument();
  said.push(canonicalText([document.references(at), document.definition(at)]));
  const renamed = document.rename(document.text.indexOf("é"), "hot 🔥");
  said.push(renamed.text, canonicalText(renamed.changes));
  const { text: edited, undo } = editPlan(document.text, [{ op: "set_input", node: "b", input: "Grüße" }]);
  said.push(edited, canonicalText(undo));
  document.free();
  for (const misuse of [
    () => document.diagnostics(),
    () => new PlanDocument("").change([{ span: { start: 1, end: 0 }, text: "" }]),
  ]) {
    try {
      misuse();
    } catch (error) {
      said.push(
        `${error instanceof editor.PlanError && error instanceof PlanError} ${error.name} ${error.code}: ${error.message}`,
      );
    }
  }
  return said.join("\n");
}

async function running(parse, run) {
  const told = [];
  const recordReport = (report) => told.push(canonical(report.trace), describeReport(report));
  for (const input of ["Ada", null]) recordReport(await run(parse(hello), { input }));
  for (const city of ["Lima", "Oslo"]) recordReport(await run(parse(branching), { input: { city }, handlers: cities }));
  for await (const { type } of run.stream(parse(branching), { input: { city: "Oslo" }, handlers: cities }))
    told.push(type);
  return told.join("\n");
}

const cities = {
  measure: (node) => ({ city: node.input, degrees: node.input === "Lima" ? 27.5 : -3, tags: ["dry"] }),
  later: async (node) => {
    await null;
    return node.input;
  },
  broken: () => {
    throw Object.assign(new Error("out of order"), { code: "shop/closed" });
  },
};

/** Deterministic. It answers immediately or a little later. */
export function host() {
  const tool = {
    name: "find",
    input_schema: {
      type: "object",
      properties: { q: { type: "string", pattern: "^\\p{L}+$" }, api_key: { type: "string" } },
      required: ["q"],
    },
  };
  const items = [
    { name: "tea", price: 3.5 },
    { name: "Ünïcödé 🥵", price: 0.1 },
    { name: "water", price: 1e21 },
  ];
  return {
    input: { q: "Tee", api_key: "k-123" },
    handlers: {
      double: (node) => node.input * 2,
      later: async (node, state) => {
        await null;
        state.write("seen", state.last);
        return node.input;
      },
      flaky: (node) => {
        if (node.attempt < 3) throw new Error(`try ${node.attempt}`);
        return node.call;
      },
      broken: () => {
        throw Object.assign(new Error("out of order"), { code: "shop/closed" });
      },
    },
    tools: [
      {
        name: "shop",
        list: async () => [tool],
        call: async (_name, { q }) => ({ value: { q, items }, isError: false }),
        close: async () => {},
      },
    ],
    models: {
      default: ({ messages }) => ({
        text: `said: ${messages.at(-1).content}`,
        finish: "stop",
        usage: { input: 3, output: 4, cached_input: 1 },
      }),
    },
    onApproval: (approval) => ({ value: { text: approval.input.said } }),
  };
}

/** The recording must equal the cassette except for times, and the clock must be right. */
async function live(graph, run) {
  const lines = [];
  const report = await run(graph, { ...host(), record: (line) => lines.push(line) });
  const late = Math.abs(Date.now() - report.trace[0].atMs);
  return {
    live: `${canonical(report.trace)}${describeReport(report)}\nthe clock is ${late < 60_000 ? "right" : `wrong by ${late} ms`}`,
    recording: timeless(lines).join("\n"),
  };
}

/** Times differ between recordings. The native driver knows no date. */
export const timeless = (lines) =>
  lines.map((line) => line.replace(/"atMs":[\d.e+]+/g, '"atMs":0').replace(/,"epochMs":[\d.e+]+/, ""));

async function replayed(graph, run) {
  const report = await run(graph, { replay: cassette });
  return canonicalText(JSON.parse(JSON.stringify(report)));
}

async function replayRecordings(graph, run) {
  const told = [];
  for (const { name, lines, trace } of tapes.recorded) {
    const report = await run(graph, { replay: lines });
    told.push(
      `${name}: ${canonical(report.trace) === trace ? "the very trace" : `another trace: ${canonicalText(report.outcome)}`}`,
    );
  }
  return told.join("\n");
}

async function pausing(graph, run) {
  const { onApproval: _, ...options } = host();
  const paused = await run(graph, options);
  const snapshot = JSON.parse(JSON.stringify(paused.snapshot));
  const ended = await run(graph, { ...options, snapshot, decisions: { "ask:1:1": "rejected" } });
  const stop = new AbortController();
  const cancelled = await run(graph, {
    ...options,
    signal: stop.signal,
    onEvent: ({ type }) => type === "scope-started" && stop.abort(),
  });
  return [describeReport(paused), describeReport(ended), canonical(ended.trace), canonicalText(cancelled.outcome)].join(
    "\n",
  );
}

function misuse({ PlanGraph, PlanError, CallError }) {
  const { graph } = PlanGraph.parse("nodes: {a: {type: noop}}");
  graph.free();
  try {
    graph.toJSON();
    return "no error";
  } catch (error) {
    return `${error instanceof PlanError && error instanceof Error && !(error instanceof CallError)} ${error.name} ${error.code}: ${error.message}`;
  }
}

/**
 * Tool servers are listed, called from a plan, made to fail, and report progress. Each provider answers with and
 * without streaming.
 */
export async function wire(stepgraph, servers) {
  const { PlanGraph, run, mcp } = stepgraph;
  const sections = {};
  for (const [name, { url, version, tool, input, slow }] of Object.entries(servers.tools)) {
    const client = mcp(url, { name, ...(version ? { version } : {}) });
    const listed = await client.list();
    const { graph } = PlanGraph.parse(JSON.stringify({ nodes: { ask: { type: "tool", tool, input } } }));
    const { outcome, last, counts } = await run(graph, { tools: [client] });
    const failed = await client.call("no-such-tool", {}).then(
      ({ isError }) => (isError ? "told by the server" : "no error"),
      ({ code }) => code,
    );
    const progress = [];
    if (slow) await client.call(...slow, { onProgress: ({ progress: far, total }) => progress.push([far, total]) });
    const spoken = client.about().version;
    await client.close();
    sections[name] = canonicalText({
      spoken,
      tools: listed.map((tool) => tool.name),
      outcome,
      last,
      calls: counts.calls,
      failed,
      progress,
    });
  }
  for (const [name, baseUrl] of Object.entries(servers.models)) {
    const { graph } = PlanGraph.parse("nodes: {say: {type: llm, input: greet us}}");
    const model = stepgraph[name]({ baseUrl, model: "m", apiKey: "k" });
    const pieces = [];
    const { outcome, last } = await run(graph, {
      models: { default: model },
      onUpdate: ({ delta }) => pieces.push(delta.text),
    });
    const whole = await run(graph, { models: { default: model } });
    sections[name] = canonicalText({ outcome, last, whole: whole.last, pieces: pieces.length > 1 && pieces.join("") });
  }
  return sections;
}

export async function told(stepgraph, editor, servers) {
  return JSON.stringify({ ...(await job(stepgraph, editor)), ...(await wire(stepgraph, servers)) });
}
