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
