// Tests retries by the plan's timers, or by a host with the plan's settings.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { PlanGraph, Run } from "../../dist/node.js";
import { createVirtualTime } from "./virtual-world.mjs";

const { clock, stop } = createVirtualTime();
after(stop);

const { graph } = PlanGraph.parse(readFileSync(new URL("plans/hosted.yaml", import.meta.url)));
const tool = (name) => ({ name, input_schema: { type: "object" } });
const tools = ["flaky", "broken", "refused", "slow"].map(tool);

function createHost() {
  const made = new Map();
  const call = async (name, _args, { call, signal }) => {
    const asked = call.split(":")[0];
    made.set(call, (made.get(call) ?? 0) + 1);
    const times = [...made].filter(([name]) => name.startsWith(`${asked}:`)).reduce((sum, [, n]) => sum + n, 0);
    if (name === "slow")
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));
    if (name === "flaky" && times === 3) return { value: "there", isError: false };
    throw Object.assign(new Error("no"), { code: name === "flaky" ? "tool/busy" : `tool/${name}` });
  };
  return { made, tools: [{ name: "t", list: async () => tools, call, close: async () => {} }] };
}

for (const [retries, made, counted] of [
  [
    "plan",
    [
      ["flaky:1:1", 1],
      ["flaky:1:2", 1],
      ["flaky:1:3", 1],
      ["broken:1:1", 1],
      ["broken:1:2", 1],
      ["refused:1:1", 1],
      ["slow:1:1", 1],
      ["slow:1:2", 1],
    ],
    4,
  ],
  [
    "host",
    [
      ["flaky:1:1", 3],
      ["broken:1:1", 2],
      ["refused:1:1", 1],
      ["slow:1:1", 2],
    ],
    0,
  ],
]) {
  test(`a run has the same result if the ${retries} retries`, async () => {
    const given = createHost();
    const journal = new MemoryJournal({ clock });
    const report = await runDurable(graph, journal, { tools: given.tools, retries, now: () => clock.now() });
    assert.deepEqual(
      [report.outcome.type, report.last, report.counts.retries],
      ["completed", { flaky: "there", code: "node/timeout" }, counted],
    );
    assert.deepEqual([...given.made], made);
    const timers = journal.lines.filter((line) => JSON.parse(line).name.endsWith(".timer"));
    assert.equal(timers.length, retries === "plan" ? 6 : 0);
    // A run keeps its first setting, even if the options change.
    const again = await runDurable(graph, new MemoryJournal({ lines: journal.lines }), {
      tools: given.tools,
      retries: retries === "plan" ? "host" : "plan",
    });
    assert.deepEqual(again.toJSON(), report.toJSON());
  });
}

test("the machine passes the plan's call settings to a host and sets no timers for them", () => {
  const steps = (retries) => {
    const machine = new Run(graph, { tools, ...(retries && { retries }) });
    const { commands } = machine.step({ type: "start", atMs: 0 });
    const failed = machine.step({ type: "call-failed", call: "flaky:1:1", code: "tool/busy", message: "no", atMs: 1 });
    return [...commands, ...failed.commands].map(
      ({ nodePath: _nodePath, node: _node, arguments: _arguments, tool: _tool, ...command }) => command,
    );
  };
  assert.deepEqual(steps(), [
    { type: "call-tool", call: "flaky:1:1" },
    { type: "set-timer", timer: "retry:flaky:1:2", afterMs: 20 },
  ]);
  assert.deepEqual(steps("host"), [
    { type: "call-tool", call: "flaky:1:1", retry: { attempts: 4, backoffMs: 20, factor: 2, maxMs: 60000, on: [] } },
    { type: "finish", outcome: { type: "failed", code: "tool/busy", message: "no", node: "flaky" } },
  ]);
  const { retry, timeoutMs } = graph.nodes.find(({ key }) => key === "slow");
  assert.deepEqual([retry.attempts, timeoutMs], [2, 50]);
});

test("agents and nested graphs keep their retries in the plan", () => {
  const { graph: fan } = PlanGraph.parse(`
nodes:
  fan: {type: parallel, retry: {attempts: 2, backoff_ms: 5}, timeout_ms: 100, branches: {a: {nodes: {think: {type: agent, input: hi, retry: {attempts: 2, backoff_ms: 7}, timeout_ms: 50}}}}}
`);
  const machine = new Run(fan, { models: ["default"], retries: "host" });
  const { commands } = machine.step({ type: "start", atMs: 0 });
  assert.deepEqual(commands.map(({ type }) => type).sort(), ["call-model", "set-timer", "set-timer"]);
  assert.equal(commands.find(({ type }) => type === "call-model").retry, undefined);
  const { commands: next } = machine.step({
    type: "call-failed",
    call: commands.find(({ call }) => call).call,
    code: "model/failed",
    message: "no",
    atMs: 1,
  });
  assert.deepEqual(
    next.filter(({ type }) => type === "set-timer").map(({ afterMs }) => afterMs),
    [7],
  );
});
