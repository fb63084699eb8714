// Tests that the review is red for a plan that misses a value, a recipient or a prohibition, and not for a whole plan.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { root } from "../../scripts/lib/paths.mjs";
import { load } from "./scripts.mjs";

const { demandsOf } = await load("../../wasm/js/request-review/demands.ts");
const { DEMO_TOOLS } = await load("connect/demo-tool-list.ts");
const cases = parse(readFileSync(join(root, "tests", "playground", "review-cases.yaml"), "utf8"));

/** `NAME: [TOOL, INPUT]`, or a whole node. The planner claims all nodes for each sentence. */
function planOf(nodes) {
  const ids = Object.keys(nodes);
  const whole = Object.entries(nodes).map(([id, node]) => [
    id,
    Array.isArray(node) ? { type: "tool", tool: node[0], input: node[1] } : node,
  ]);
  const edges = ids.slice(1).map((to, at) => {
    const from = ids[at];
    return { from, to, ...(nodes[from].type === "approve" && { condition: "last==approved" }) };
  });
  return { start: ids[0], nodes: Object.fromEntries(whole), edges };
}

for (const { request, params, plans } of cases)
  for (const { nodes, shows } of plans)
    test(`${request} → ${shows}: ${JSON.stringify(nodes).slice(0, 120)}`, () => {
      const coverage = [{ step: 1, text: request, nodes: Object.keys(nodes) }];
      const demands = demandsOf(request, { workflow: planOf(nodes), coverage, params }, DEMO_TOOLS);
      assert.equal(demands.map(({ why, isKept }) => why ?? (isKept ? "kept" : "met")).join(" "), shows);
    });
