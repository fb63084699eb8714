/**
 * Calls the planners of the package as functions: plan and gather, and ReAct. It needs no network: the models return
 * the texts below, and the shop is a list.
 *
 *   npm run build && node examples/flows.mjs
 *
 * For a server and a model of your own, write `tools: [mcp(url)]` and
 * `models: { default: openai({ baseUrl, apiKey, model }) }`.
 */
import { flows, run } from "../dist/node.js";

const say = (line) => process.stdout.write(`${line}\n`);

const TOOLS = {
  get_orders: {
    schema: { properties: { user_email: { type: "string" } }, required: ["user_email"] },
    call: ({ user_email }) => [{ id: 7, of: user_email, state: "sent" }],
  },
  track: {
    schema: { properties: { order: { type: "integer" } }, required: ["order"] },
    call: ({ order }) => ({ order, at: "the depot in Bergen" }),
  },
  today: { schema: {}, call: () => "2026-11-22" },
};
const shop = {
  name: "shop",
  list: async () =>
    Object.entries(TOOLS).map(([name, { schema }]) => ({
      name,
      input_schema: { type: "object", ...schema },
      // A tool without this hint needs an approval before each call that a model chose.
      annotations: { readOnlyHint: true },
    })),
  call: async (name, args) => ({ value: TOOLS[name].call(args), isError: false }),
  close: async () => {},
};

/** A model that returns the given replies in order. */
const scripted =
  (...said) =>
  () =>
    said.shift();
const calls = (...tool_calls) => ({ text: "", tool_calls, finish: "tool_calls", usage: null });

say("1. plan and gather: a model plans the calls, the engine makes them");
const plan = {
  tool_calls: [
    { tool_name: "get_orders", parameters: {}, reasoning: "to know the order" },
    { tool_name: "track", parameters: { order: "${call[0][0].id}" }, reasoning: "to know where it is" },
  ],
  response_strategy: "say where it is",
};
const found = await flows.planGather("Where is my order?", {
  tools: [shop],
  // The run fills the address from its context. No model sees or writes it.
  context: { user_email: "ana@example.org" },
  models: { plan: scripted("Hm.", JSON.stringify(plan)), answer: scripted("It is at the depot in Bergen.") },
});
say(`   ${found.status}: ${found.answer}`);
for (const { tool_name, parameters, success } of found.results)
  say(`   ${tool_name} ${JSON.stringify(parameters)} ${success ? "succeeded" : "failed"}`);

say("2. reason and act: tools first, then a plan of what to look up");
const options = {
  tools: [shop],
  models: {
    planning_agent: scripted(
      calls({ id: "1", name: "today", arguments: {} }),
      calls({
        id: "2",
        name: "SubmitPlan",
        arguments: { query: ["strikes in Bergen, November 2026"], rationale: "a strike would hold the order up" },
      }),
    ),
    default: scripted("There is no strike.", "Nothing holds it up."),
  },
};
const looked = await flows.react("Will my order be late?", options);
say(`   ${looked.route}: ${looked.plan?.query.join(", ")}`);
say(`   ${looked.answer}`);
say(`   ${looked.report.path.join(" → ")}`);

say("3. the same loop with a node of your own, run as any other plan");
const graph = flows.react.graph({ maxTurns: 3 });
const report = await run(graph, {
  input: "What day is it?",
  tools: [shop],
  models: { default: scripted(calls({ id: "1", name: "today", arguments: {} }), "It is Sunday.") },
  byId: { execute_tools: ({ input }) => input.map(({ tool_name }) => `${tool_name} says: Sunday`) },
});
say(`   ${report.last} (${report.path.join(" → ")})`);
say(`   the plan has ${graph.nodes.length} nodes; its text begins "${flows.react.source.split("\n")[0].slice(2, 24)}"`);
