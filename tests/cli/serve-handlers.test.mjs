// Tests `stepgraph serve --handlers FILE`: a module's handlers, tools and models.
import assert from "node:assert/strict";
import { test } from "node:test";
import { overStdio } from "./serve/client.mjs";
import { file } from "./stepgraph.mjs";

const host = file(
  "served.mjs",
  `console.log("on standard error");
export const handlers = {
  price: ({ input, call }, { context, last, write }) => {
    write("seen", { call, user: context.user, last });
    return { item: input.item, price: 3 };
  },
  peek: (node, state) => state.output("a"),
  throws: () => {
    throw new Error("no such item");
  },
  loop: () => { const own = {}; own.own = own; return own; },
  wait: (node, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(1))),
};
export const tools = { twice: { annotations: { readOnlyHint: true }, run: ({ a }) => 2 * a } };
export const models = { default: () => "from the model" };
`,
);
let log = "";
let wake = () => {};
const stderr = {
  write(part) {
    log += part;
    wake();
  },
};
/** Standard error is another pipe than the answers', so it may arrive later. */
async function logged(pattern) {
  while (!pattern.test(log)) await new Promise((resolve) => (wake = resolve));
}
const client = await overStdio(["--handlers", host, "--context", "user=Ada", "--limit", "timeout_ms=20000"], {
  stderr,
});
test.after(() => client.close());
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;

test("plans call the module's handlers, tools and model", async () => {
  const plan = `nodes:
  a: { type: price, input: { item: tea } }
  b: { type: twice, input: { a: "\${last.price}" } }
  c: { type: llm, input: hi }
edges: [{ from: a, to: b }, { from: b, to: c }]
`;
  assert.deepEqual(
    [(await call("check_plan", { plan })).ok, (await call("run_plan", { plan })).status],
    [true, "completed"],
  );
  const { outputs } = await call("run_plan", { plan });
  assert.deepEqual(outputs.a, { item: "tea", price: 3 });
  assert.deepEqual(outputs.seen, { call: "a:1:1", user: "Ada", last: null });
  assert.deepEqual([outputs.b, outputs.c], [6, "from the model"]);
});

test("the checker knows the types", async () => {
  const { ok, diagnostics } = await call("check_plan", { plan: "nodes: {a: {type: prize}}" });
  assert.deepEqual([ok, diagnostics[0].code], [false, "graph/unknown-type"]);
});

for (const [type, message] of [
  ["peek", /does not see the output `a`/],
  ["loop", /handler\/not-json.*`own` is an object that contains itself/],
])
  test(`a handler that can't work there fails its node: ${type}`, async () => {
    const { status, ...rest } = await call("run_plan", { plan: `nodes: {a: {type: ${type}}}` });
    assert.equal(status, "failed");
    assert.match(JSON.stringify(rest), message);
  });

test("the operator sees the frames of an error, the client does not", async () => {
  const failed = await call("run_plan", { plan: "nodes: {a: {type: throws}}" });
  assert.match(JSON.stringify(failed), /handler\/failed.*no such item/);
  assert.doesNotMatch(JSON.stringify(failed), /served.mjs/);
  await logged(/the handler `throws` of node `a` failed: no such item\n +at throws \(file:.*served.mjs:9:11\)\n/);
});

test("a timed-out handler is aborted", async () => {
  const rest = await call("run_plan", { plan: "nodes: {a: {type: wait, with: {ms: 1}, timeout_ms: 20}}" });
  assert.match(JSON.stringify(rest), /node\/timeout/);
});
