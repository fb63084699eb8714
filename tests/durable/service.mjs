/**
 * The process that the tests kill. It serves plans to Restate. Its tools send requests to the world, with the call's
 * name.
 */
import { readFileSync } from "node:fs";
import { planWorkflow } from "../../dist/integrations/restate.js";
import { CallError, PlanGraph } from "../../dist/node.js";

const { SDK, PORT, WORLD, PLAN, RETRIES } = process.env;
const restate = await import(SDK);

const plans = PLAN.split(",").map((name) => {
  const { graph, diagnostics } = PlanGraph.parse(readFileSync(new URL(`plans/${name}.yaml`, import.meta.url)));
  if (!graph?.valid) throw new Error(JSON.stringify(diagnostics));
  return graph;
});

const requestCall =
  (run) =>
  async (tool, args, { signal, call }) => {
    const response = await fetch(WORLD, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": call },
      body: JSON.stringify({ run, call, tool, args, by: process.pid }),
      signal,
    });
    const { value, code, message } = await response.json();
    if (code) throw new CallError(code, message);
    return value;
  };

const NAMES = ["list", "shaky", "price", "left", "right", "book", "flaky", "broken", "refused", "slow"];

const waitForever = (signal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));

const host = (run) => {
  const asked = requestCall(run);
  const tools = {
    name: "world",
    list: async () => NAMES.map((name) => ({ name, input_schema: { type: "object" } })),
    call: async (name, args, options) => ({
      value: await (name === "slow" ? waitForever(options.signal) : asked(name, args, options)),
      isError: false,
    }),
    close: async () => {},
  };
  const note = (node, state) => (
    state.write("noted", node.input),
    asked("note", { input: node.input, last: state.last }, { signal: state.signal, call: node.call })
  );
  return {
    tools: [tools],
    handlers: { note },
    trace: process.env.TRACE !== "off",
    ...(RETRIES && { retries: RETRIES }),
    ...(process.env.MOVES && { acceptChangedPlan: "proved" }),
  };
};

const announce = ({ key, approval }) =>
  requestCall(key)("announce", { call: approval.call }, { call: `${approval.call}.asked` });
const order = restate.workflow(
  planWorkflow(restate, {
    name: "order",
    plan: plans,
    options: (_input, key) => host(key),
    ...(process.env.ANNOUNCE && { onApproval: announce }),
  }),
);
await restate.serve({ services: [order], port: Number(PORT) });
process.stdout.write("ready\n");
