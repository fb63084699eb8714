// Handlers of a module: `--handlers FILE` of `run` and `test`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { file, stepgraph } from "./stepgraph.mjs";

const plan = () => file("price.yaml", "nodes:\n  a: { type: price, input: { item: tea } }\n");
const PRICE = "({ input }) => ({ item: input.item, price: 3 })";

test("`run` calls the handlers of a module", async () => {
  for (const text of [`export const handlers = { price: ${PRICE} };`, `export default { price: async ${PRICE} };`]) {
    const module = file(`handlers-${text.length}.mjs`, text);
    const { code, out } = await stepgraph(["run", plan(), "--handlers", module]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), { item: "tea", price: 3 });
  }
});

test("an error of a handler fails its node", async () => {
  const module = file("throws.mjs", 'export const handlers = { price() { throw new Error("no such item"); } };');
  const { code, err } = await stepgraph(["run", plan(), "--handlers", module]);
  assert.equal(code, 1);
  assert.match(err, /handler\/failed.*no such item/);
});

test("`test` calls them for types without a stub", async () => {
  const tested = file(
    "tested.yaml",
    `nodes: {a: {type: price, input: {item: tea}}}
tests:
  - { name: handled, expect: { last: { item: tea, price: 3 } } }
  - { name: stubbed, stubs: { types: { price: { return: 7 } } }, expect: { last: 7 } }
`,
  );
  const module = file("priced.mjs", `export const handlers = { price: ${PRICE} };`);
  const { code, out } = await stepgraph(["test", tested, "--handlers", module]);
  assert.equal(code, 0, out);
  assert.match(out, /2 passed, 0 failed/);
});

test("without a handler, the help names the option", async () => {
  const { code, err } = await stepgraph(["run", plan()]);
  assert.equal(code, 2);
  assert.match(err, /name the module that exports its handler by `--handlers FILE`/);
});

const mistakes = [
  ["no file", null, /can't read `nowhere.mjs`/],
  ["a module that does not parse", "export const =", /can't load `bad.mjs`/],
  ["a module that throws", 'throw new Error("no database");', /can't load `bad.mjs`: no database/],
  ["no handlers", "export const x = 1;", /`bad.mjs` exports no handlers/],
  ["a handler that is no function", "export const handlers = { price: 1 };", /the handler `price` of `bad.mjs` is no/],
];
for (const [name, text, message] of mistakes)
  test(`refused: ${name}`, async () => {
    const module = text === null ? "nowhere.mjs" : file("bad.mjs", text);
    for (const command of ["run", "test"]) {
      const { code, err } = await stepgraph([command, plan(), "--handlers", module]);
      assert.equal(code, 2);
      assert.match(err, message);
    }
  });

const HOST = `
const look = (item) => item.price.amount;
const schema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };
console.log("loaded");
export const handlers = { price: ({ input }) => look(input), own: () => "own" };
export const tools = {
  twice: { description: "Doubles.", input: schema, annotations: { readOnlyHint: true }, run: ({ a }) => 2 * a },
};
export const models = { default: () => "from the model" };
`;
const host = () => file("host.mjs", HOST);
const whole = () =>
  file(
    "whole.yaml",
    `nodes:
  two: { type: twice, input: { a: 4 } }
  say: { type: llm, input: hi }
  last: { type: own }
edges: [{ from: two, to: say }, { from: say, to: last }]
`,
  );

test("a module provides tools and models", async () => {
  const { code, out, err } = await stepgraph(["run", whole(), "--handlers", host(), "--json"]);
  assert.equal(code, 0, err);
  const { outputs } = JSON.parse(out);
  assert.deepEqual([outputs.two, outputs.say, outputs.last], [8, "from the model", "own"]);
  // Standard output is the command's own.
  assert.match(err, /^loaded/);
});

test("`check` knows the module's types and tools", async () => {
  assert.equal((await stepgraph(["check", whole(), "--handlers", host()])).code, 0);
  const wrong = file("wrong.yaml", "nodes: {a: {type: twise, input: {a: 1}}}");
  const { code, out } = await stepgraph(["check", wrong, "--handlers", host()]);
  assert.equal(code, 2);
  assert.match(out, /graph\/unknown-type.*twise/);
  assert.match(out, /did you mean `twice`/);
  const badly = file("badly.yaml", "nodes: {a: {type: twice, input: {b: 1}}}");
  assert.match((await stepgraph(["check", badly, "--handlers", host()])).out, /tool\/invalid-arguments/);
});

test("`test` calls the module's tools", async () => {
  const tested = file(
    "tools.yaml",
    "nodes: {a: {type: twice, input: {a: 4}}}\ntests: [{name: t, expect: {last: 8}}]\n",
  );
  assert.equal((await stepgraph(["test", tested, "--handlers", host()])).code, 0);
});

test("an error shows its place in the plan and the frames of the module", async () => {
  const plan = file("fails.yaml", "nodes:\n  a: { type: price, input: {} }\n");
  const { code, err } = await stepgraph(["run", plan, "--handlers", host()]);
  assert.equal(code, 1);
  assert.match(
    err,
    /--> fails.yaml:2:3: node `a`\n {6}at look \(file:.*host.mjs:2:35\)\n {6}at price \(file:.*host.mjs/,
  );
  assert.doesNotMatch(err, /at .*dist/);
});

const wrongHosts = [
  ["a misspelt export", "export const handler = {};", /did you mean `handlers` by `handler`/],
  [
    "a tool without a function",
    "export const tools = { a: {} };",
    /`tools.a` of `wrong-host.mjs` takes an object with `run/,
  ],
  ["a misspelt key of a tool", "export const tools = { a: { inptu: 1, run() {} } };", /did you mean `input`/],
  ["a model that is none", "export const models = { default: 5 };", /`models.default` of `wrong-host.mjs` takes/],
];
for (const [name, text, message] of wrongHosts)
  test(`refused: ${name}`, async () => {
    for (const command of [["run", whole()], ["check", whole()], ["test", whole()], ["serve"]]) {
      const { code, err } = await stepgraph([...command, "--handlers", file("wrong-host.mjs", text)]);
      assert.equal(code, 2, err);
      assert.match(err, message);
    }
  });

const endless = [
  [
    "a handler that never settles",
    "export const handlers = { price: () => new Promise(() => {}) };",
    /a call never ends/,
  ],
  [
    "a module that ends the process",
    "export const handlers = { price: () => process.exit(0) };",
    /a module ended the process/,
  ],
  [
    "a result without JSON",
    "export const handlers = { price: () => 5n };",
    /can't be written as JSON: it contains a BigInt/,
  ],
];
for (const [name, text, message] of endless)
  test(`no success: ${name}`, async () => {
    const module = file("endless.mjs", text);
    const tested = file("endless.yaml", "nodes: {a: {type: price}}\ntests: [{name: t, expect: {}}]\n");
    for (const command of ["run", "test"]) {
      const { code, out, err } = await stepgraph([command, tested, "--handlers", module]);
      assert.equal(code, 1);
      assert.match(out + err, message);
    }
  });
