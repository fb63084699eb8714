// Tests that all drivers agree on random plans. `node tests/parity/drivers.mjs 5000` or `STEPGRAPH_SEARCH` searches
// longer.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Counts } from "./drivers/counts.mjs";
import { checkCase } from "./drivers/examine.mjs";
import { createFixture, search } from "./drivers/search.mjs";

const PLANS = 110;

let at;
before(async () => (at = await createFixture()));
after(() => at.remove());

test("random plans have the same result with every driver", async () => {
  const count = Math.ceil(PLANS * Number(process.env.STEPGRAPH_SEARCH ?? 1));
  const counts = await search({ count, at });
  console.log(`${counts}`);
  assert.equal(counts.types.size, 19, "a type of node did not run");
  assert.equal(counts.joins.size, 6, "a join did not run");
  assert.ok(counts.runs > 40 * counts.plans, "there are fewer ways than there were");
});

const branch = (id, node) => ({ start: id, nodes: { [id]: node }, edges: [] });
const parallelNode = (join, branches, more = {}) => ({ type: "parallel", with: { join }, branches, ...more });
const logNode = { type: "log", input: "at once" };
// Only the run finds out that this is no list.
const fails = { type: "map", input: '${memory.list ?? "no list"}', do: branch("h9", logNode) };
const singleNodeCase = (node, input = null) => ({
  seed: 1,
  isRace: false,
  cancelAt: 1,
  input,
  plan: branch("h1", node),
});

/**
 * One step makes and abandons these calls. Recordings, audits and durable runs once ended with `Unexpected end of JSON
 * input`.
 */
const ABANDONED = {
  "an llm, by a sibling that is done at once, join any": singleNodeCase(
    parallelNode("any", { a: branch("l2", { type: "llm" }), b: branch("h3", logNode) }),
  ),
  "an agent, by a sibling that is done at once, join any": singleNodeCase(
    parallelNode("any", { a: branch("a2", { type: "agent" }), b: branch("h3", logNode) }),
  ),
  "an agent that may call anything, by the third of three": singleNodeCase(
    parallelNode("any", {
      a: branch("a2", { type: "agent", with: { max_turns: 2 } }),
      b: branch("h3", { type: "tool", tool: "drop" }),
      c: branch("h4", logNode),
    }),
  ),
  "an llm, by a failure at once, join all": singleNodeCase(
    parallelNode("all", { a: branch("l2", { type: "llm" }), b: branch("h3", fails) }),
  ),
  "every kind of call, by a failure at once, with another try": singleNodeCase(
    parallelNode(
      "all",
      {
        a: branch("p2", { type: "plan", input: "go" }),
        b: branch("g3", { type: "gather", input: { tool_calls: [{ tool_name: "get", parameters: {} }] } }),
        c: branch("r4", { type: "react", input: "go" }),
        d: branch("h5", { type: "greet", timeout_ms: 5 }),
        e: branch("h6", { type: "approve" }),
        f: branch("h7", fails),
      },
      { retry: { attempts: 2, backoff_ms: 3 } },
    ),
  ),
  "what one element of a map asks, by another that fails at once": singleNodeCase(
    {
      type: "map",
      input: [1, 2, 3],
      do: {
        start: "h2",
        nodes: { h2: { type: "decision" }, l3: { type: "llm" }, h4: fails },
        edges: [
          { from: "h2", to: "h4", condition: "last==3" },
          { from: "h2", to: "l3" },
        ],
      },
    },
    [1, 2, 3],
  ),
};

for (const [name, abandoned] of Object.entries(ABANDONED)) {
  test(`a call abandoned in the step that requests it: ${name}`, async () => {
    const plain = await checkCase(
      { ...abandoned, plan: { ...abandoned.plan, limits: { timeout_ms: 1000 } } },
      at,
      new Counts(),
    );
    assert.notEqual(plain.report.outcome.code, "run/invalid-plan");
    assert.deepEqual(plain.host.made, [], "somebody was asked");
  });
}
