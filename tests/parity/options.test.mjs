// Tests that every public function refuses unknown and wrongly typed options, which it lists itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fork, mcp, openai, PlanGraph, Run, review, run } from "stepgraph";
import { MemoryJournal, runDurable } from "stepgraph/durable";
import { ENTRIES, RETURNED_OBJECTS, graph, FUNCTIONS, WITHOUT_OPTIONS, SECOND_OPTIONS } from "./options-table.mjs";

function* functionsOf(from) {
  for (
    let of = from;
    of !== null && of !== Object.prototype && of !== Function.prototype;
    of = Object.getPrototypeOf(of)
  )
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(of)))
      if (typeof value === "function" && name !== "constructor") yield [name, value];
}

function publicFunctions() {
  const found = new Set();
  const add = (name, value) => {
    if (typeof value === "function") found.add(name);
    for (const [member, one] of functionsOf(value)) add(`${name}.${member}`, one);
    for (const [member] of functionsOf(value.prototype ?? {})) found.add(`${name}.${member}`);
  };
  // Internals that other entries share are not public.
  for (const entry of Object.values(ENTRIES))
    for (const [name, value] of Object.entries(entry))
      if (name !== "internals" && name !== "tokenKinds") add(name, value);
  for (const [name, value] of Object.entries(RETURNED_OBJECTS))
    for (const [member] of functionsOf(value)) found.add(`${name}.${member}`);
  return found;
}

test("the table lists every public function, and nothing else", () => {
  const errors = /^(Call|Plan|Run|Audit|Expression)Error\./;
  const found = [...publicFunctions()].filter((name) => !errors.test(name)).sort();
  const known = [...Object.keys(FUNCTIONS), ...WITHOUT_OPTIONS].sort();
  assert.deepEqual(found, known, "say in options-table.mjs whether it takes options");
});

const REFUSED = /^api\/(unknown-option|bad-option|bad-limit)$/;

async function refusal({ call, later }, options) {
  let given;
  try {
    given = call(options);
  } catch (error) {
    assert.ok(!later, `it throws where it should reject: ${error.message}`);
    return error;
  }
  // A function that refuses synchronously must not reject instead.
  const rejected = await Promise.resolve(given?.report ?? given).then(
    () => null,
    (error) => error,
  );
  assert.ok(later || !REFUSED.test(rejected?.code), `it rejects where it should throw: ${rejected?.message}`);
  return rejected;
}

const all = [
  ...Object.entries(FUNCTIONS),
  ...Object.entries(SECOND_OPTIONS).map(([name, one]) => [`${name} too`, one]),
];
/** Only options of any type accept this. */
const WRONG = Symbol("wrong");

/** Reads the options from the error message. */
async function optionsOf(one, place = (options) => options) {
  const error = await refusal(one, place({ "no such option": 1 }));
  assert.equal(error?.code, "api/unknown-option", String(error));
  assert.match(error.message, /takes no `no such option`; it takes [\w, ]+$/);
  return / it takes (.*)$/.exec(error.message)[1].split(", ");
}

for (const [name, one] of all) {
  test(`${name} rejects unknown options and options of the wrong type`, async () => {
    for (const options of [null, 5, "text", [], new Map()])
      assert.equal((await refusal(one, options))?.code, "api/bad-option");
    const known = await optionsOf(one);
    for (const option of known) {
      const error = await refusal(one, { [option]: WRONG });
      if (one.free.includes(option)) assert.doesNotMatch(String(error?.code), /unknown-option/, option);
      else assert.equal(error?.code, "api/bad-option", `${option}: ${error}`);
    }
    assert.doesNotMatch(String((await refusal(one, { nothing: undefined }))?.code), REFUSED);
    for (const option of one.nested) {
      assert.ok(known.includes(option), option);
      for (const inner of await optionsOf(one, (options) => ({ [option]: options }))) {
        const error = await refusal(one, { [option]: { [inner]: WRONG } });
        assert.equal(error?.code, option === "limits" ? "api/bad-limit" : "api/bad-option", `${option}.${inner}`);
      }
      assert.doesNotMatch(String((await refusal(one, { [option]: { nothing: undefined } }))?.code), REFUSED);
    }
  });
}

const RUNS = {
  run: async (options) => run(graph, options),
  fork: FUNCTIONS.fork.call,
  runDurable: FUNCTIONS.runDurable.call,
  Run: async (options) => new Run(graph, options).free(),
};

test("limits that are no bounds are refused", async () => {
  for (const [name, runs] of Object.entries(RUNS)) {
    for (const limits of [{ stepss: 5 }, { timeoutMs: 1 }])
      await assert.rejects(runs({ limits }), { code: "api/unknown-option" }, name);
    for (const limits of [{ steps: -1 }, { steps: NaN }, { calls: 1.5 }, { tokens: "5" }, { timeout_ms: Infinity }])
      await assert.rejects(runs({ limits }), { code: "api/bad-limit" }, name);
    await assert.rejects(runs({ limits: 5 }), { code: "api/bad-option" }, name);
    await runs({ limits: { steps: 5, timeout_ms: 1000.5 } });
  }
});

test("a message names the option, the expected and the actual value", async () => {
  const assertMessage = async (call, message) => assert.rejects(async () => call(), { message });
  const client = { list: async () => [], call: async () => null };
  for (const [options, message] of [
    [{ limit: {} }, /^`run` takes no `limit` \(did you mean `limits`\?\); it takes input, outputs, /],
    [{ limits: { step: 1 } }, /^`limits` of `run` takes no `step` \(did you mean `steps`\?\); it takes visits, /],
    [{ limits: { steps: -1 } }, "`limits.steps` of `run` takes a whole number from 0 up, not -1"],
    [{ handlers: { h: 5 } }, "`handlers.h` of `run` takes a function, not a number"],
    [{ handlers: { h: undefined } }, "`handlers.h` of `run` takes a function, not `undefined`"],
    [
      { tools: client },
      /^`tools` of `run` takes a list whose items are each an object with `list\(\)` and `call\(\)`, not /,
    ],
    [{ tools: { add: {} } }, "`tools.add` of `run` takes an object with `run()`, not an object without `run()`"],
    [{ tools: [client, { list() {} }] }, /^`tools\[1\]` of `run` takes .*, not an object without `call\(\)`$/],
    [
      { models: { default: {} } },
      /^`models.default` of `run` takes a function or .*, not an object without `chat\(\)`$/,
    ],
    [{ allow: ["a", 5] }, "`allow[1]` of `run` takes text, not a number"],
    [{ signal: new EventTarget() }, "`signal` of `run` takes an `AbortSignal`, not an object"],
    [null, "`options` of `run` takes a map, not `null`"],
    [
      { decisions: { "ask:1:1": "aproved" } },
      "`decisions` of `run` takes `approved`, `rejected` or `{ value }` for `ask:1:1`, not `aproved`",
    ],
  ])
    await assertMessage(() => run(graph, options), message);
  await assertMessage(
    () => new Run(graph, { retries: "hosts" }),
    "`retries` of `Run` takes `plan` or `host`, not `hosts`",
  );
  await assertMessage(() => fork(graph, {}), /^`cassette` of `fork` takes text or a list .*, not `undefined`$/);
});

test("a message shows nothing that may be secret", () => {
  const secret = 987654321;
  const errorText = (call) =>
    assert.throws(call, ({ code, message }) => code === "api/bad-option" && !message.includes("98"));
  errorText(() => mcp("http://127.0.0.1:9", { key: secret }));
  errorText(() => mcp("http://127.0.0.1:9", { headers: { authorization: secret } }));
  errorText(() => mcp("http://127.0.0.1:9", { headers: `${secret}` }));
  // A `Headers` object would look like an empty map, without the key.
  errorText(() => mcp("http://127.0.0.1:9", { headers: new Headers({ authorization: `${secret}` }) }));
  errorText(() => openai({ apiKey: secret }));
});

test("a value that is no plan is rejected with a hint", async () => {
  const { graph: none } = PlanGraph.parse("nodes: {a: {type: tool}}, edges: 5");
  for (const wrong of [none, undefined, "nodes: {}", {}, { nodes: {} }])
    for (const call of [
      () => run(wrong),
      () => run.stream(wrong),
      () => fork(wrong, { cassette: [] }),
      () => new Run(wrong),
      () => review(wrong),
      () => runDurable(wrong, new MemoryJournal()),
    ])
      await assert.rejects(async () => call(), { code: "api/invalid-plan", message: /`PlanGraph.parse`/ });
});

test("a misspelt filter deletes nothing", () => {
  assert.throws(() => FUNCTIONS["AuditStore.prune"].call({ untill: 5 }), {
    code: "api/unknown-option",
    message: /did you mean `until`\?/,
  });
});

test("a durable run names a remedy for unsupported options", async () => {
  for (const name of ["signal", "stubs", "decisions", "record", "replay", "clock", "onCall", "onApproval"])
    await assert.rejects(RUNS.runDurable({ [name]: {} }), { code: "api/unknown-option", message: new RegExp(name) });
});

test("empty settings count as missing", () => {
  const parsed = PlanGraph.parse("nodes: {a: {type: llm, with: }}");
  assert.deepEqual(
    review(parsed.graph).models.map(({ name }) => name),
    ["default"],
  );
});
