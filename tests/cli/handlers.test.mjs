// Tests `--handlers FILE` of `run` and `test`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { file, start, stepgraph } from "./stepgraph.mjs";

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

test("`test` calls the module's models, and a stub of the test comes before them", async () => {
  const tested = file(
    "models.yaml",
    `nodes: {a: {type: llm, input: hi}}
tests:
  - {name: module, expect: {last: from the model}}
  - {name: stub, stubs: {models: {default: {return: from a stub}}}, expect: {last: from a stub}}
`,
  );
  const { code, out } = await stepgraph(["test", tested, "--handlers", host()]);
  assert.equal(code, 0, out);
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
  [
    "a default export of all three",
    "export default { handlers: { price: () => 1 } };",
    /the default export of `wrong-host.mjs` is the map of handlers.*\n.*write `export const handlers = ...` instead/,
  ],
  [
    "a misspelt hint",
    "export const tools = { a: { annotations: { destructivHint: true }, run() {} } };",
    /`annotations` of `tools.a` of `wrong-host.mjs` takes no `destructivHint` \(did you mean `destructiveHint`\?\)/,
  ],
  [
    "a schema of no map",
    "export const tools = { a: { input: { type: 'string' }, run() {} } };",
    /`tools.a.input` of `wrong-host.mjs` takes the schema of a map, not of `string`/,
  ],
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

test("a handler and a tool of one name: the type calls the handler, and a warning says so", async () => {
  const module = file(
    "both.mjs",
    "export const handlers = { price: () => 1 };\nexport const tools = { price: { run: () => 2 } };",
  );
  const { code, out, err } = await stepgraph(["run", plan(), "--handlers", module]);
  assert.deepEqual([code, out], [0, "1\n"]);
  assert.match(err, /warning: `both.mjs` has a handler and a tool `price`: `type: price` calls the handler/);
});

test("a schema of the module that can't be read in full is the user's to correct", async () => {
  const text =
    "export const tools = { add: { input: { type: 'object', properties: { a: { type: 'nmber' } } }, run: () => 1 } };";
  const adds = file("adds.yaml", "nodes: {a: {type: add, input: {a: 1}}}\n");
  const { out } = await stepgraph(["check", adds, "--handlers", file("nmber.mjs", text)]);
  assert.match(out, /tool\/invalid-schema.*help: correct the schema, or report this to the operator of its server/s);
});

const ended = [
  [
    "a handler that never settles",
    "export const handlers = { price: () => new Promise(() => {}) };",
    /handler\/failed.*the handler `price` never settles.*--> endless.yaml:1:9: node `a`/s,
  ],
  [
    "a module that ends the process",
    "export const handlers = { price: () => process.exit(0) };",
    /error\[cli\/unfinished-module\]: a module ended the process/,
  ],
];
const endless = () => file("endless.yaml", "nodes: {a: {type: price}}\ntests: [{name: t, expect: {}}]\n");
for (const [name, text, message] of ended)
  test(`no success: ${name}`, async () => {
    const module = file("endless.mjs", text);
    for (const command of ["run", "test"]) {
      const { code, out, err } = await stepgraph([command, endless(), "--handlers", module]);
      assert.equal(code, 1);
      assert.match(out + err, message);
    }
  });

test("a call that never settles has its code and node in the JSON, and the plan can go on", async () => {
  const module = file("hangs.mjs", "export const handlers = { price: async () => { await new Promise(() => {}); } };");
  const failed = await stepgraph(["run", endless(), "--handlers", module, "--json"]);
  const { outcome, error } = JSON.parse(failed.out);
  assert.deepEqual([failed.code, outcome.code, outcome.node], [1, "handler/failed", "a"]);
  assert.deepEqual(error.place, { line: 1, column: 9 });
  const tools = file("hanging-tool.mjs", "export const tools = { look: { run: () => new Promise(() => {}) } };");
  const models = file("hanging-model.mjs", "export const models = { default: () => new Promise(() => {}) };");
  const asks = file("asks.yaml", "nodes: {a: {type: llm, input: hi}}\n");
  assert.match((await stepgraph(["run", asks, "--handlers", models])).err, /model\/failed.*`default` never settles/);
  const called = file("look.yaml", "nodes: {a: {type: look}}\n");
  assert.match((await stepgraph(["run", called, "--handlers", tools])).err, /tool\/failed.*`look` never settles/);
});

test("`test` ends a call that takes too long", async () => {
  const text = "setInterval(() => {}, 1000); export const handlers = { price: () => new Promise(() => {}) };";
  const { code, out } = await stepgraph(["test", endless(), "--handlers", file("live.mjs", text), "--timeout", "50"]);
  assert.equal(code, 1);
  assert.match(out, /node\/timeout: the handler `price` took longer than 50 ms; raise `--timeout`/);
});

const BUSY = {
  "a loop": "export const handlers = { price: () => { console.log('busy'); for (;;); } };",
  "a loop after an `await`":
    "export const handlers = { price: async () => { await 0; console.log('busy'); for (;;); } };",
};
for (const [name, text] of Object.entries(BUSY)) {
  test(`signals end a command whose handler blocks it: ${name}`, async () => {
    for (const [signal, command] of [
      ["SIGINT", "run"],
      ["SIGTERM", "run"],
      ["SIGTERM", "test"],
    ]) {
      const running = start([command, endless(), "--handlers", file("busy.mjs", text)]);
      await running.until("busy");
      const nagging = setInterval(() => running.child.kill(signal), 50);
      const { code } = await running.done;
      clearInterval(nagging);
      assert.equal(code, null);
      assert.equal(running.child.signalCode, signal);
    }
  });

  test(`a time limit ends a command whose handler blocks it: ${name}`, async () => {
    const limited = file("limited.yaml", "nodes:\n  a: { type: price, timeout_ms: 50 }\n");
    const module = file("busy.mjs", text);
    const shown = await stepgraph(["run", limited, "--handlers", module]);
    assert.equal(shown.code, 1);
    assert.match(shown.err, /node\/timeout.*`price` blocks the thread past its time limit of 50 ms/);
    assert.match(shown.err, /--> limited.yaml:2:3: node `a`\n$/);
    const { code, out } = await stepgraph(["run", limited, "--handlers", module, "--json"]);
    const { outcome } = JSON.parse(out);
    assert.deepEqual([code, outcome.code, outcome.node], [1, "node/timeout", "a"]);
    const tested = await stepgraph(["test", endless(), "--handlers", module, "--timeout", "50"]);
    assert.equal(tested.code, 1);
    assert.match(tested.err, /--> endless.yaml:1:9: node `a`/);
  });
}

test("a time limit ends a command whose tool blocks it", async () => {
  const module = file("busy-tool.mjs", "export const tools = { look: { run: () => { for (;;); } } };");
  const limited = file("limited-tool.yaml", "nodes:\n  a/b: { type: tool, tool: look, timeout_ms: 50 }\n");
  const { code, err } = await stepgraph(["run", limited, "--handlers", module]);
  assert.equal(code, 1);
  assert.match(err, /node\/timeout.*the tool `look` blocks the thread.*\n.*--> limited-tool.yaml:2:3: node `a\/b`/);
});

test("a blocked command recovers: signals cancel the run again", async () => {
  const text = `const busy = () => { const end = Date.now() + 1500; while (Date.now() < end); };
export const handlers = { price: async (_, { signal }) => {
  busy();
  setImmediate(() => console.log("free"));
  setInterval(() => {}, 1000);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
} };`;
  const running = start(["run", endless(), "--handlers", file("recovers.mjs", text)]);
  await running.until("free");
  running.child.kill("SIGINT");
  assert.equal((await running.done).code, 130);
});

const NOT_JSON = {
  "() => 5n": /it is a BigInt/,
  "() => NaN": /it is NaN/,
  "() => [1, { 'a b': -Infinity }]": /`\[1\]\["a b"\]` is -Infinity/,
  "() => ({ rows: [new Map()] })": /`rows\[0\]` is a Map/,
  "async () => ({ at: { look() {} } })": /`at.look` is a function/,
  "() => Symbol()": /it is a symbol/,
  "() => { const own = {}; own.own = own; return own; }": /`own` is an object that contains itself/,
  "() => new Error('no')": /it is an Error/,
  "() => { let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep]; return deep; }": /it is nested too deeply/,
  "() => ({ get at() { throw new Error('no'); } })": /reading it throws: no/,
  "(node, { write }) => write('seen', new Set())":
    /the output `seen` that .* writes can't be written as JSON: it is a Set/,
};
test("values that JSON can't hold fail the node, the same in each mode", async () => {
  const types = Object.keys(NOT_JSON).map((_, i) => `t${i}`);
  const module = file(
    "not-json.mjs",
    `export const handlers = { ${Object.keys(NOT_JSON).map((text, i) => `t${i}: ${text}`)} };`,
  );
  for (const [i, [, message]] of Object.entries(NOT_JSON).entries()) {
    const plan = file("not-json.yaml", `nodes: {a: {type: ${types[i]}}}\n`);
    const { code, out } = await stepgraph(["run", plan, "--handlers", module, "--json"]);
    const { outcome } = JSON.parse(out);
    assert.deepEqual([code, outcome.code, outcome.node], [1, "handler/not-json", "a"]);
    assert.match(outcome.message, message);
    assert.match(outcome.message, /the handler `t\d+` of node `a`/);
  }
  const plan = file("not-json.yaml", "nodes: {a: {type: t3}}\ntests: [{name: t, expect: {code: handler/not-json}}]\n");
  for (const args of [["-q"], ["--record", "c.ndjson"]])
    assert.match(
      (await stepgraph(["run", plan, "--handlers", module, ...args])).err,
      /handler\/not-json.*`rows\[0\]` is a Map/,
    );
  assert.equal((await stepgraph(["test", plan, "--handlers", module])).code, 0);
});

const CHANGED = `const later = (value) => (queueMicrotask(() => { value.self = value; }), value);
let reads = 0;
export const handlers = {
  input: ({ input }) => { input.self = input; return 1; },
  last: (node, { last }) => { last.self = last; return 1; },
  result: () => later({}),
  written: (node, { write }) => { write("more", later({})); return 1; },
  getter: () => ({ get a() { return reads++ === 0 ? 1 : 1n; } }),
};
`;
test("a value that a function changes after its check ends the command with a code, and no stack", async () => {
  const module = file("changed.mjs", CHANGED);
  for (const type of ["input", "last", "result", "written", "getter"]) {
    const plan = file("changed.yaml", `nodes: {a: {type: ${type}}}\n`);
    const { code, out, err } = await stepgraph(["run", plan, "--handlers", module, "--input", "i=1", "--json"]);
    const { outcome, path, counts } = JSON.parse(out);
    assert.deepEqual([code, err, outcome.type, outcome.code], [1, "", "failed", "handler/not-json"], type);
    assert.match(
      outcome.message,
      /^the report can't be written as JSON: `.*` is an? (object that contains itself|BigInt)$/,
    );
    assert.deepEqual([path, counts.calls], [["a"], 1]);
  }
  const { code, out, err } = await stepgraph(["run", "changed.yaml", "--handlers", module]);
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /error\[handler\/not-json\].*`last\.a` is a BigInt\n {2}= help: a function changed its input/);
});

test("a file that is no JavaScript is no module", async () => {
  const { code, err } = await stepgraph(["run", endless(), "--handlers", file("host.yaml", "handlers: {}")]);
  assert.equal(code, 2);
  assert.match(err, /`host\.yaml` is no JavaScript module\n {2}= help: name a file that ends in `\.js` or `\.mjs`/);
});

test("a value that is absent, shared or has `toJSON` is no mistake", async () => {
  const text = `class Item { constructor() { this.at = new Date(0); } }
const item = new Item();
export const handlers = { price: () => ({ a: item, b: [item, null], c: undefined }) };`;
  const { code, out } = await stepgraph(["run", endless(), "--handlers", file("shared.mjs", text)]);
  const at = "1970-01-01T00:00:00.000Z";
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(out), { a: { at }, b: [{ at }, null] });
});

const CAUSED = `function look() {
  throw new Error("can't look up", { cause: new TypeError("no\\nrow", { cause: "closed" }) });
}
export const handlers = { price: () => look() };
`;
test("an error shows its causes, in `run` and in `test`", async () => {
  const module = file("caused.mjs", CAUSED);
  for (const command of ["run", "test"]) {
    const { code, out, err } = await stepgraph([command, endless(), "--handlers", module]);
    assert.equal(code, 1);
    const text = command === "run" ? err : out;
    assert.match(text, /--> endless.yaml:1:9: node `a`\n +at look \(file:.*caused.mjs:2:9\)\n/);
    assert.match(text, /caused by: no.row\n +at look .*:2:45\)\n.*\n +caused by: closed\n/);
  }
  const ran = JSON.parse((await stepgraph(["run", endless(), "--handlers", module, "--json"])).out);
  const [tested] = JSON.parse((await stepgraph(["test", endless(), "--handlers", module, "--json"])).out).files;
  for (const { error } of [ran, tested.tests[0]]) {
    assert.deepEqual(error.place, { line: 1, column: 9 });
    assert.deepEqual(
      error.thrown.map(({ message }) => message),
      ["can't look up", "no\nrow", "closed"],
    );
    assert.match(error.thrown[0].frames[0], /^look \(file:.*caused.mjs:2:9\)$/);
  }
});

test("a module that can't be loaded shows the line", async () => {
  const load = async (text) => (await stepgraph(["run", plan(), "--handlers", file("broken.mjs", text)])).err;
  assert.match(await load("let a;\nexport const = 1;"), /--> .*broken.mjs:2\n {6}export const = 1;\n +\^\n/);
  assert.match(
    await load("await new Promise(() => {});"),
    /error\[cli\/unfinished-module\]: `broken.mjs` never ends loading: a top-level `await`/,
  );
  assert.match(await load('import { no } from "node:fs";'), /--> .*broken.mjs:1\n {6}import \{ no \}/);
  assert.match(
    await load("const f = () => x.y;\nf();"),
    /at f \(file:.*broken.mjs:1:\d+\)\n +at file:.*broken.mjs:2:1\n/,
  );
});
