// Tests when a call needs approval, for all annotations × ways to choose a call × values of `allow`, as
// docs/security.md shows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { check, effectOf, review } from "../../dist/node.js";
import { DRIVERS } from "./drivers.mjs";
import { calling, parsed, table, tool, worldOf } from "./attack-world.mjs";

const { rows, allow, chosen } = table("asking.yaml");

const shapes = Object.entries(chosen).flatMap(([who, plans]) =>
  Object.entries(plans).map(([name, plan]) => ({ who, name, graph: parsed(plan) })),
);

const createWorld = (row) =>
  worldOf({
    servers: { shop: [tool("wipe", "says" in row ? { annotations: row.says } : {})] },
    say: [calling({ name: "wipe", arguments: { id: "one" } }), "done"],
    decide: () => "approved",
  });

async function requestsApproval(drive, row, { graph, name }, given) {
  const there = createWorld(row);
  // A model may see a tool under another name than the plan uses.
  const report = await drive(graph, there, given);
  const about = `${JSON.stringify(row)} × ${name} × ${JSON.stringify(given)}`;
  assert.equal(report.outcome.type, "completed", `${about}: ${report.outcome.message}`);
  assert.deepEqual(
    there.called.map(({ args }) => args),
    [{ id: "one" }],
    about,
  );
  assert.ok(there.asked.length <= 1, about);
  return [there.asked.length === 1, about];
}

test(`${rows.length} annotations × ${shapes.length} ways to choose × every \`allow\``, async () => {
  for (const row of rows)
    for (const shape of shapes) {
      for (const value of allow["nobody is asked"]) {
        const [asked, about] = await requestsApproval(DRIVERS.run, row, shape, { allow: value });
        assert.equal(asked, false, about);
      }
      for (const value of [undefined, ...allow["asked as before"]]) {
        const [asked, about] = await requestsApproval(
          DRIVERS.run,
          row,
          shape,
          value === undefined ? {} : { allow: value },
        );
        assert.equal(asked, row[shape.who] === "asks", about);
      }
    }
});

for (const [driver, drive] of Object.entries(DRIVERS).filter(([name]) => name !== "run"))
  test(`${driver}: the same`, async () => {
    for (const row of rows)
      for (const shape of shapes) {
        const [asked, about] = await requestsApproval(drive, row, shape, {});
        assert.equal(asked, row[shape.who] === "asks", about);
        const [allowed] = await requestsApproval(drive, row, shape, { allow: ["wipe"] });
        assert.equal(allowed, false, about);
      }
  });

test("the review of a tool follows the same policy", () => {
  const graph = parsed({ nodes: { a: { type: "tool", tool: "wipe", input: {} } } });
  for (const row of rows) {
    const [listed] = createWorld(row).clients;
    const told = tool("wipe", { server: listed.name, ...("says" in row && { annotations: row.says }) });
    const effect = effectOf(told);
    assert.equal(row.plan === "asks", effect === "destroys", JSON.stringify(row));
    assert.equal(row.model === "asks", effect === "destroys" || effect === "unknown", JSON.stringify(row));
    assert.equal(review(graph, { tools: [told] }).tools[0].effect, effect);
    assert.deepEqual(
      check(graph, { tools: [told] }).filter(({ severity }) => severity === "error"),
      [],
    );
  }
});

function* mixes() {
  const said = [undefined, null, true, false, "true", 7];
  for (let seed = 0; seed < said.length ** 4; seed++) {
    const names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    const hints = names.map((name, at) => [name, said[Math.floor(seed / said.length ** at) % said.length]]);
    yield Object.fromEntries(hints.filter(([, value]) => value !== undefined));
  }
}

test("`effectOf` and the engine judge every mix of the four hints alike", async () => {
  const ways = ["plan", "model"].map((who) => shapes.find((shape) => shape.who === who));
  for (const says of mixes()) {
    const effect = effectOf(tool("wipe", { annotations: says }));
    const wanted = [effect === "destroys", effect === "destroys" || effect === "unknown"];
    for (const [at, shape] of ways.entries()) {
      const [asked, about] = await requestsApproval(DRIVERS.run, { says }, shape, {});
      assert.equal(asked, wanted[at], `${effect}: ${about}`);
    }
    const hints = Object.values(says).filter((hint) => hint !== null);
    if (says.destructiveHint === true || hints.some((hint) => typeof hint !== "boolean"))
      assert.equal(effect, "destroys", JSON.stringify(says));
  }
});

test("docs/security.md shows this table", () => {
  const text = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  const describeAnnotations = (row) => ("says" in row ? `\`${JSON.stringify(row.says)}\`` : "no annotations");
  const lines = rows.map(
    (row) => `| ${describeAnnotations(row)} | ${row.plan} | ${row.model} | ${row.because ?? ""} |`,
  );
  const missing = lines.filter((line) => !text.includes(`${line.replace("|  |", "| |")}\n`));
  assert.deepEqual(missing, [], `write:\n${lines.join("\n")}`);
});
