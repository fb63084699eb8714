// Tests for every plan shape and driver that a destructive call needs an approval.
//
// The call happens only if a person said `approved`, with exactly the shown or replaced arguments.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError } from "../../dist/node.js";
import { DRIVERS, NEVER } from "./drivers.mjs";
import { broken, calling, destroys, parsed, reads, table, tool, worldOf } from "./attack-world.mjs";

const { shapes, answers } = table("approvals.yaml");

const INPUT_SCHEMA = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

const DOES = {
  "gives nothing": () => undefined,
  "gives an object": () => new String("approved"),
  throws: () => {
    throw new CallError("approval/failed", "the form is broken");
  },
  "throws later": async () => {
    throw new Error("the form is broken");
  },
  "never answers": () => NEVER,
};

function createWorld({ extra = [], say = [] }, { answer, does }) {
  const own = ["wipe", "flaky", ...extra].map((name) =>
    tool(name, { annotations: destroys, input_schema: INPUT_SCHEMA }),
  );
  const replies = say.map((reply) => (typeof reply === "string" ? reply : calling(...reply)));
  return worldOf({
    servers: { shop: [...own, tool("read", { annotations: reads })], other: [tool("look", { annotations: reads })] },
    say: replies,
    decide: does === undefined ? () => answer : DOES[does],
    answer: (name, args) => {
      if (name === "flaky") throw new CallError("tool/failed", "not now");
      return { ok: true, id: args.id };
    },
  });
}

const isDestructive = ({ tool: name }) => name !== "read" && name !== "look";

const graphs = new Map(Object.entries(shapes).map(([shape, { plan }]) => [shape, parsed(plan)]));

let runs = 0;

for (const [driver, drive] of Object.entries(DRIVERS)) {
  test(`${driver}: ${Object.keys(shapes).length} shapes, ${Object.keys(answers).length} answers`, async () => {
    for (const [shape, attack] of Object.entries(shapes))
      for (const [what, answer] of Object.entries(answers)) {
        const about = `${shape} × ${what}`;
        const there = createWorld(attack, answer);
        const { input } = attack;
        const report = await drive(graphs.get(shape), there, input === undefined ? {} : { input });
        runs++;
        assert.deepEqual(broken(there, isDestructive), [], about);
        assert.ok(there.asked.length > 0, `${about}: nobody was asked`);
        assert.ok(report.outcome.code !== "run/invalid-plan", `${about}: ${report.outcome.message}`);
        const made = there.called.filter(isDestructive).map(({ args }) => args);
        compare(made, expectedCalls(attack, answer), driver, about);
      }
  });
}

test("the table contains all shapes", () => {
  assert.ok(runs >= 4000, `${runs} runs`);
});

function expectedCalls({ calls }, { answer, calls: how }) {
  if (how === "as shown") return calls;
  return how === "as decided" ? calls.map(() => answer.value) : [];
}

/** A fork repeats the calls that failed in the recording. */
function compare(made, expected, driver, about) {
  const sorted = (calls) => calls.map((args) => JSON.stringify(args)).sort();
  if (driver !== "fork") return assert.deepEqual(sorted(made), sorted(expected), about);
  assert.deepEqual([...new Set(sorted(made))], [...new Set(sorted(expected))], about);
}
