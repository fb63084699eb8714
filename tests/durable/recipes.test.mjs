// Tests the recipes of docs/durable.md against the documented rules of engines that cannot run here: Temporal and
// Inngest.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import vm from "node:vm";
import { executeCall, promiseJournal, runDurable } from "../../dist/integrations/durable.js";
import { PlanGraph } from "../../dist/node.js";
import { root } from "../../scripts/lib/paths.mjs";
import { withoutTimes } from "./kills.mjs";

const source = readFileSync(new URL("plans/order.yaml", import.meta.url), "utf8");
const { graph } = PlanGraph.parse(source);

function createHost() {
  const made = new Map();
  const call = async (name, args, { call }) => {
    made.set(call, (made.get(call) ?? 0) + 1);
    if (name === "shaky" && call.endsWith(":1")) throw Object.assign(new Error("later"), { code: "tool/busy" });
    return {
      value: name === "list" ? { items: [3, 5, 8] } : name === "price" ? { price: args.of * 10 } : { name, args },
      isError: false,
    };
  };
  const names = ["list", "shaky", "price", "left", "right", "book"];
  const tools = [
    {
      name: "world",
      list: async () => names.map((name) => ({ name, input_schema: { type: "object" } })),
      call,
      close: async () => {},
    },
  ];
  return {
    made,
    host: { tools, handlers: { note: (node, state) => (made.set(node.call, 1), state.write("noted", node.input), 1) } },
  };
}

// ---- Inngest: calls the function again for each step and remembers finished steps by id.

/** As documented: one step per request, all others wait forever. */
async function inngest(work, decide) {
  const memory = new Map();
  for (let requests = 1; ; requests++) {
    const found = [];
    const step = {
      run: (id, todo) => cachedStep(id, todo),
      sleep: (id, _ms) => cachedStep(id, async () => null),
      waitForEvent: (id, options) => cachedStep(id, async () => decide(options)),
    };
    const cachedStep = (id, todo) => {
      if (memory.has(id)) return Promise.resolve(JSON.parse(memory.get(id)));
      found.push([id, todo]);
      return new Promise(() => {});
    };
    const ended = work(step).then((value) => ({ value }));
    const idle = new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const done = await Promise.race([ended, idle]);
    if (done !== undefined) return { report: done.value, requests, ids: [...memory.keys()] };
    assert.ok(found.length > 0, "the function waits for what is no step");
    const [id, todo] = found[Math.floor(found.length / 2)];
    memory.set(id, JSON.stringify((await todo()) ?? null));
  }
}

test("Inngest: steps that are remembered by their names", async () => {
  const { made, host } = createHost();
  const run = async (step) => {
    const journal = promiseJournal({
      answer: (asked) => {
        if (asked.kind === "timer") return step.sleep(asked.name, asked.afterMs);
        if (asked.kind === "call") return step.run(asked.name, asked.work);
        const wait = { event: "plan/decided", timeout: "30d", if: `async.data.call == ${JSON.stringify(asked.name)}` };
        return step
          .waitForEvent(asked.name, wait)
          .then((event) => event?.data ?? { error: { code: "approval/failed", message: "nobody has decided" } });
      },
      keep: (name, work) => step.run(name, work),
    });
    return runDurable(graph, journal, { input: { shop: "x" }, ...host });
  };
  const decide = ({ if: condition }) => ({
    data: { call: JSON.parse(condition.split("== ")[1]), decision: "approved" },
  });
  const { report, ids } = await inngest(run, decide);
  assert.deepEqual([report.outcome.type, report.path.at(-1), report.counts.calls], ["completed", "book", 11]);
  assert.ok([...made.values()].every((times) => times === 1));
  assert.equal(new Set(ids).size, ids.length);
});

// ---- Temporal: a sandbox whose only asynchrony is the worker's activations.

/** As Temporal does: one script that contains the module's bytes. */
function workflowBundle() {
  const { buildSync } = createRequire(join(root, "package.json"))("esbuild");
  const dist = (name) => join(root, "dist", name);
  const { outputFiles } = buildSync({
    stdin: { contents: readFileSync(new URL("temporal-workflow.mjs", import.meta.url), "utf8"), resolveDir: root },
    bundle: true,
    ignoreAnnotations: true,
    target: "es2022",
    write: false,
    format: "iife",
    globalName: "workflow",
    platform: "neutral",
    loader: { ".wasm": "binary" },
    alias: {
      "temporal-globals": join(root, "tests/durable/temporal-globals.mjs"),
      "stepgraph/engine.wasm": join(root, "pkg/stepgraph_wasm_bg.wasm"),
      "stepgraph/durable": dist("integrations/durable.js"),
      stepgraph: dist("module.js"),
    },
  });
  return outputFiles[0].text;
}

/** Scheduled commands are answered between activations. There is no other input. */
function sandbox(script) {
  const open = new Map();
  let [handler, at] = [undefined, 0];
  // Temporal's worker provides time and randomness. Here they throw, to prove that the workflow never uses them.
  const context = vm.createContext(
    {
      TextEncoder,
      TextDecoder,
      AbortController,
      WebAssembly,
      console,
      FinalizationRegistry: () => {
        throw new Error("FinalizationRegistry cannot be used in workflows");
      },
      temporal: {
        now: () => at,
        activity: (call) => new context.Promise((resolve) => open.set(`activity ${call.call}`, { resolve, call })),
        sleep: (ms) => new context.Promise((resolve) => open.set(`timer ${ms} ${open.size}`, { resolve, ms })),
        onDecision: (given) => (handler = given),
      },
    },
    { microtaskMode: "afterEvaluate" },
  );
  context.Promise = vm.runInContext("Promise", context);
  vm.runInContext(
    "Date.now = () => { throw new Error('the clock was read'); }; Math.random = () => { throw new Error('chance was asked'); };",
    context,
  );
  vm.runInContext(script, context);
  const activate = (what) => {
    context.activation = what;
    vm.runInContext("activation()", context);
  };
  return {
    context,
    open,
    activate,
    pass: (ms) => (at += ms),
    decide: (call, decision) => activate(() => handler(call, decision)),
  };
}

async function temporal(script, host, history = null) {
  const box = sandbox(script);
  const { context, open, activate } = box;
  const answers = [];
  let report;
  context.done = (text) => (report = JSON.parse(text));
  context.text = source;
  activate(() =>
    vm.runInContext(
      "workflow.order(text, { shop: 'x' }).then((report) => done(JSON.stringify(report)), (error) => done(JSON.stringify({ error: String(error && error.stack) })))",
      context,
    ),
  );
  for (let asked = false; report === undefined; ) {
    const recorded = history?.[answers.length];
    const [name, { resolve, call, ms }] = recorded
      ? [recorded.name, open.get(recorded.name) ?? {}]
      : ([...open].at(-1) ?? [undefined, {}]);
    if (name === undefined || (recorded && recorded.name === "decision")) {
      assert.ok(!asked, "the workflow waits for nothing");
      asked = true;
      answers.push({ name: "decision" });
      box.decide("ask:1:1", "approved");
      continue;
    }
    assert.ok(resolve, `the history answers ${name}, and the workflow has not asked it`);
    open.delete(name);
    const value = recorded
      ? recorded.value
      : ms === undefined
        ? await executeCall(call, { ...host, now: () => 1000 + answers.length })
        : null;
    answers.push({ name, value });
    box.pass(ms ?? 1);
    activate(() => resolve(value === null ? undefined : vm.runInContext(`(${JSON.stringify(value)})`, context)));
  }
  assert.equal(report.error, undefined, report.error);
  return { report, answers };
}

test("Temporal: the engine starts from inlined bytes, and a replay requests the same calls", async () => {
  const script = workflowBundle();
  const { made, host } = createHost();
  const { report, answers } = await temporal(script, host);
  assert.deepEqual([report.outcome.type, report.path.at(-1), report.counts.calls], ["completed", "book", 11]);
  assert.ok([...made.values()].every((times) => times === 1));
  const nobody = { tools: [], handlers: {} };
  for (const kept of [0, 3, 7, answers.length]) {
    const again = await temporal(script, kept === answers.length ? nobody : host, answers.slice(0, kept));
    assert.deepEqual(withoutTimes(again.report).state, withoutTimes(report).state);
  }
});
