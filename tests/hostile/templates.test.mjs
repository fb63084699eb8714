// Tests that data from outside is always a value: it adds no arguments and is never parsed as a template.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError } from "../../dist/node.js";
import { DRIVERS } from "./drivers.mjs";
import { calling, parsed, reads, table, tool, worldOf } from "./attack-world.mjs";

const tables = table("templates.yaml");
const context = { key: "SECRET" };
const memory = { key: "SECRET" };

const createWorld = (text, decide = () => "approved") =>
  worldOf({
    servers: { shop: ["send", "look", "broken"].map((name) => tool(name, { annotations: reads })) },
    say: [],
    decide,
    answer: (name) => {
      if (name === "broken") throw new CallError("tool/failed", text);
      return name === "look" ? text : { ok: true };
    },
  });

const sentArguments = ({ called }) => called.filter(({ tool: name }) => name === "send").map(({ args }) => args);

/** A fork repeats only failed calls. */
const expectedSends = (driver, calls) => (driver === "fork" ? calls.slice(0, 1) : calls);

for (const { input, given, sends } of tables.arguments)
  test(`${JSON.stringify(input)} with ${JSON.stringify(given)}`, async () => {
    const graph = parsed({ nodes: { a: { type: "tool", tool: "send", input } } });
    for (const [driver, drive] of Object.entries(DRIVERS)) {
      const there = createWorld("");
      await drive(graph, there, { input: given, context });
      assert.deepEqual(expectedSends(driver, sentArguments(there)), sends === undefined ? [] : [sends], driver);
    }
  });

for (const [way, plan] of Object.entries(tables.ways))
  test(`texts that look like templates by ${way}`, async () => {
    const graph = parsed(plan);
    for (const text of tables.texts)
      for (const [driver, drive] of Object.entries(DRIVERS)) {
        const there = createWorld(text, () => ({ value: text }));
        let turn = 0;
        there.host.models.default = ({ tools }) => {
          if (!tools?.length) return text;
          return turn++ > 0 ? "done" : calling({ name: "send", arguments: { to: text } });
        };
        await drive(graph, there, { input: text, context, memory });
        const about = `${driver}: ${text}`;
        const wanted = way === "part of a text" ? `<${text}>` : text;
        const [{ to } = {}] = sentArguments(there);
        assert.equal(to, wanted, about);
        assert.ok(!JSON.stringify(there.called).includes("SECRET"), about);
        for (const question of there.asked) assert.ok(!JSON.stringify(question.input).includes("SECRET"), about);
      }
  });

test("a plan of a model refers to its own calls, and to nothing else", async () => {
  const graph = parsed({ nodes: { a: { type: "gather", input: "${input}" } } });
  for (const text of tables.texts)
    for (const [driver, drive] of Object.entries(DRIVERS)) {
      const there = createWorld("seen");
      const input = { tool_calls: [{ tool_name: "look" }, { tool_name: "send", parameters: { to: text } }] };
      await drive(graph, there, { input, context, memory });
      assert.ok(!JSON.stringify(there.called).includes("SECRET"), `${driver}: ${text}`);
    }
});

test("a model receives its input, and no trusted value", async () => {
  const graph = parsed({ nodes: { a: { type: "agent", input: "${input}", with: { system: "say ${input}" } } } });
  for (const text of tables.texts)
    for (const [driver, drive] of Object.entries(DRIVERS)) {
      const there = createWorld(text);
      const told = [];
      there.host.models.default = ({ messages }) => (told.push(...messages), "done");
      await drive(graph, there, { input: text, context, memory });
      assert.deepEqual(
        told.slice(0, 2).map(({ content }) => content),
        [`say ${text}`, text],
        `${driver}: ${text}`,
      );
    }
});
