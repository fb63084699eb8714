// Tests the language server with the protocol's own client. `UPDATE=1` rewrites the committed transcript of a session.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { CancellationTokenSource, ErrorCodes, LSPErrorCodes } from "vscode-languageserver-protocol/node";
import { editor, PUSH_CAPABILITIES, transcript } from "./lsp/client.mjs";

const SESSION = fileURLToPath(new URL("lsp/session.txt", import.meta.url));

const editors = [];
after(() => editors.forEach((one) => one.gone()));
function opened(options) {
  const one = editor(options);
  editors.push(one);
  return one;
}

async function ready(options = {}, ...more) {
  const one = opened(options);
  const { capabilities } = await one.initialize(...more);
  return { ...one, capabilities };
}

const diagnostics = "textDocument/publishDiagnostics";
const documentParams = (one, name) => ({ textDocument: { uri: one.uri(name) } });
const textPosition = (one, name, line, character) => ({ ...documentParams(one, name), position: { line, character } });
const codes = ({ diagnostics: found }) => found.map(({ code }) => code);
const rejectionOf = (promise) =>
  promise.then(
    () => assert.fail("it was answered"),
    ({ code }) => code,
  );

const TOOLS = {
  servers: [
    {
      name: "shop",
      url: "http://127.0.0.1:3001/mcp",
      tools: [
        {
          name: "find_order",
          description: "Finds an order by its number.",
          input_schema: {
            type: "object",
            properties: {
              number: { type: "string", description: "As it stands on the bill." },
              exact: { type: "boolean" },
            },
            required: ["number"],
          },
          output_schema: {
            type: "object",
            properties: { state: { enum: ["open", "sent"] }, items: { type: "array", items: { type: "string" } } },
            required: ["state"],
          },
        },
      ],
    },
  ],
};

const PLAN = `# Answers a question about an order.
nodes:
  find: {type: tool, tool: find_order, input: {number: "\${input}"}}
  tell:
    type: log
    input: "It is \${output.find.state} 📦"
  sorry: {tpye: log, input: "no such order"}
edges:
  - {from: find, to: tell, condition: output.find.state == open}
  - {from: find, to: sory}
`;

test("a session", async () => {
  const one = opened({ files: { "stepgraph.tools.json": JSON.stringify(TOOLS) } });
  await one.initialize();
  await one.open("order.yaml", PLAN);
  await one.next(diagnostics);
  const line = (text) => PLAN.split("\n").findIndex((each) => each.includes(text));
  const at = (text, word = text, skip = 0) => ({
    line: line(text),
    character: PLAN.split("\n")[line(text)].indexOf(word) + skip,
  });
  const ask = (method, more) => one.ask(`textDocument/${method}`, { ...documentParams(one, "order.yaml"), ...more });
  const range = (from, to) => ({ start: from, end: to });

  const actions = await ask("codeAction", { range: range(at("tpye"), at("tpye")), context: { diagnostics: [] } });
  assert.ok(actions.some(({ kind }) => kind === "quickfix"));
  await one.change("order.yaml", 2, { range: range(at("tpye"), at("tpye", "tpye", 4)), text: "type" });
  await one.next(diagnostics);
  await one.change("order.yaml", 3, { range: range(at("sory"), at("sory", "sory", 4)), text: "s" });
  await one.next(diagnostics);
  const nodes = await ask("completion", { position: at("sory", "sory", 1) });
  assert.ok(nodes.items.some(({ label }) => label === "sorry"));
  await one.change("order.yaml", 4, { range: range(at("sory"), at("sory", "sory", 1)), text: "sorry" });
  assert.deepEqual((await one.next(diagnostics)).diagnostics, []);
  // The catalogue provides the types of the values.
  const states = await ask("completion", { position: at("condition:", "state") });
  assert.deepEqual(
    states.items
      .map(({ label }) => label)
      .slice(0, 2)
      .sort(),
    ["items", "state"],
  );
  await ask("hover", { position: at("tool: find_order", "find_order") });
  await ask("hover", { position: at("condition:", "state") });
  await ask("definition", { position: at("condition:", "find.state") });
  await ask("references", { position: at("  find:", "find"), context: { includeDeclaration: true } });
  await ask("documentHighlight", { position: at("  tell:", "tell") });
  await ask("prepareRename", { position: at("  find:", "find") });
  await ask("rename", { position: at("  find:", "find"), newName: "look up" });
  await rejectionOf(ask("rename", { position: at("  find:", "find"), newName: "tell" }));
  await ask("documentSymbol");
  await ask("foldingRange");
  await ask("semanticTokens/full");
  await ask("semanticTokens/range", { range: range({ line: 5, character: 0 }, { line: 6, character: 0 }) });
  await ask("formatting", { options: { tabSize: 2, insertSpaces: true } });
  await one.open("compose.yaml", "services:\n  web: {image: nginx}\n");
  assert.equal(await one.ask("textDocument/hover", textPosition(one, "compose.yaml", 0, 2)), null);
  await one.tell("textDocument/didClose", documentParams(one, "order.yaml"));
  await one.next(diagnostics);
  assert.equal((await one.end()).code, 0);

  const actual = transcript(one);
  if (process.env.UPDATE) writeFileSync(SESSION, actual);
  assert.equal(actual, readFileSync(SESSION, "utf8"), "read the transcript with UPDATE=1 and a diff");
});

test("the life of a server is the protocol's", async () => {
  const one = opened();
  assert.equal(
    await rejectionOf(one.ask("textDocument/hover", textPosition(one, "a.yaml", 0, 0))),
    ErrorCodes.ServerNotInitialized,
  );
  await one.open("a.yaml", "nodes: {");
  await one.initialize();
  assert.equal(await rejectionOf(one.ask("initialize", { capabilities: {} })), ErrorCodes.InvalidRequest);
  assert.equal(
    await one.ask("textDocument/hover", textPosition(one, "a.yaml", 0, 0)),
    null,
    "what was opened too early is not open",
  );
  assert.equal(await one.ask("shutdown"), null);
  assert.equal(
    await rejectionOf(one.ask("textDocument/hover", textPosition(one, "a.yaml", 0, 0))),
    ErrorCodes.InvalidRequest,
  );
  await one.tell("exit");
  assert.deepEqual(await one.ended, { code: 0, complaints: "" });
});

test("a server without a shutdown request exits with an error code", async () => {
  const rude = await ready();
  await rude.tell("exit");
  assert.equal((await rude.ended).code, 1);
  const gone = await ready();
  gone.child.stdin.end();
  assert.equal((await gone.ended).code, 1);
});

test("the server answers invalid messages with protocol errors and continues", async () => {
  const one = await ready();
  await one.open("a.yaml", "nodes: {a: {type: log}}\n");
  await one.next(diagnostics);
  const cases = [
    ["workspace/nonsense", {}, ErrorCodes.MethodNotFound],
    ["textDocument/hover", null, ErrorCodes.InvalidParams],
    ["textDocument/hover", { textDocument: {} }, ErrorCodes.InvalidParams],
    ["textDocument/hover", documentParams(one, "a.yaml"), ErrorCodes.InvalidParams],
    ["textDocument/hover", textPosition(one, "a.yaml", -1, 0), ErrorCodes.InvalidParams],
    ["textDocument/completion", textPosition(one, "a.yaml", 0.5, 0), ErrorCodes.InvalidParams],
    ["textDocument/rename", textPosition(one, "a.yaml", 0, 8), ErrorCodes.InvalidParams],
    ["textDocument/rename", { ...textPosition(one, "a.yaml", 0, 0), newName: "b" }, LSPErrorCodes.RequestFailed],
    [
      "textDocument/codeAction",
      { ...documentParams(one, "a.yaml"), context: { diagnostics: [] } },
      ErrorCodes.InvalidParams,
    ],
  ];
  for (const [method, params, code] of cases) assert.equal(await rejectionOf(one.ask(method, params)), code, method);
  for (const params of [
    null,
    {},
    { ...documentParams(one, "a.yaml"), contentChanges: [{ range: 3, text: "x" }] },
    { ...documentParams(one, "a.yaml"), contentChanges: "x" },
  ]) {
    await one.tell("textDocument/didChange", params);
  }
  await one.tell("textDocument/didOpen", { textDocument: { uri: 1 } });
  await one.tell("textDocument/didClose", documentParams(one, "never-opened.yaml"));
  await one.tell("$/unknown", {});
  await one.change("never-opened.yaml", 2, { text: "x" });
  for (const [line, character] of [
    [0, 9999],
    [9999, 0],
  ])
    await one.ask("textDocument/hover", textPosition(one, "a.yaml", line, character));
  await one.change("a.yaml", 2, { text: "nodes: {}\n" });
  assert.deepEqual(codes(await one.next(diagnostics)), ["graph/no-nodes"]);
  assert.equal((await one.end()).complaints, "");
});

test("the server answers a cancelled request as cancelled, and ignores the close of an unopened file", async () => {
  const one = await ready();
  await one.open("a.yaml", `nodes:\n${Array.from({ length: 2000 }, (_, at) => `  n${at}: {type: log}\n`).join("")}`);
  await one.next(diagnostics);
  const stop = new CancellationTokenSource();
  const asked = Array.from({ length: 20 }, () =>
    one.ask("textDocument/documentSymbol", documentParams(one, "a.yaml"), stop.token).catch(({ code }) => code),
  );
  stop.cancel();
  const told = await Promise.all(asked);
  assert.ok(
    told.every((answer) => answer === LSPErrorCodes.RequestCancelled || Array.isArray(answer)),
    "an answer or the cancelling",
  );
  const late = one.ask("textDocument/documentSymbol", documentParams(one, "a.yaml"));
  await one.tell("textDocument/didClose", documentParams(one, "a.yaml"));
  assert.ok(Array.isArray(await late));
  assert.equal(await one.ask("textDocument/documentSymbol", documentParams(one, "a.yaml")), null);
  await one.end();
});

test("the server counts positions in the editor's encoding", async () => {
  for (const [wished, encoding, character] of [
    [undefined, "utf-16", 11],
    [["utf-8", "utf-16"], "utf-8", 16],
    [["utf-32"], "utf-32", 10],
    [["utf-7"], "utf-16", 11],
  ]) {
    const one = await ready({}, { ...PUSH_CAPABILITIES, general: wished ? { positionEncodings: wished } : {} });
    assert.equal(one.capabilities.positionEncoding, encoding);
    // Before the error stand characters of two, three and four bytes. The last is two UTF-16 units.
    await one.open("a.yaml", "nodes:\n  'ü€📦': {tpye: log}\n  b: {type: log}\n");
    const { diagnostics: found } = await one.next(diagnostics);
    const typo = found.find(({ code }) => code === "graph/missing-type");
    assert.deepEqual(typo.range.start, { line: 1, character }, encoding);
    await one.change("a.yaml", 2, { range: typo.range, text: "type" });
    assert.ok(!codes(await one.next(diagnostics)).includes("graph/missing-type"));
    await one.end();
  }
});

test("the server applies several changes of one notification in order", async () => {
  const one = await ready();
  await one.open("a.yaml", "nodes:\n  a: {type: log}\n");
  await one.next(diagnostics);
  const insert = (line, character, text, end = character) => ({
    range: { start: { line, character }, end: { line, character: end } },
    text,
  });
  // Editors with several cursors send changes from bottom to top. In the other order, each is relative to the previous
  // one.
  await one.change("a.yaml", 2, insert(1, 15, ", x: 1"), insert(1, 2, "b", 3));
  assert.deepEqual(codes(await one.next(diagnostics)), ["graph/unknown-key"]);
  await one.change(
    "a.yaml",
    3,
    insert(0, 0, "# 1\n# 2\n"),
    insert(3, 15, "", 21),
    { text: "nodes: {c: {type: log}}\n" },
    insert(0, 0, "\n"),
    insert(1, 8, "d", 9),
  );
  assert.deepEqual(codes(await one.next(diagnostics)), []);
  assert.deepEqual(
    (await one.ask("textDocument/documentSymbol", documentParams(one, "a.yaml"))).map(({ name, range }) => [
      name,
      range.start,
    ]),
    [["d", { line: 1, character: 8 }]],
  );
  await one.end();
});

test("only plans are spoken of", async () => {
  const one = await ready();
  const cases = [
    ["a.yaml", "yaml", "nodes: {a: {type: log}}\n", true],
    ["b.yaml", "yaml", "# plans\nnodes:\n\n  # first\n  a: {type: log}\n", true],
    ["c.json", "json", '{"id": "x", "nodes": {"a": {"type": "log"}}}', true],
    ["d.txt", "stepgraph", "", true],
    ["e.plan.yaml", "yaml", "\n", true],
    ["f.yaml", "yaml", "# yaml-language-server: $schema=./stepgraph.schema.json\n", true],
    ["g.yaml", "yaml", "kind: Cluster\nnodes:\n- role: control-plane\n", false],
    ["h.yaml", "yaml", "apiVersion: v1\nnodes: {a: {type: log}}\n", false],
    ["i.yaml", "yaml", "a:\n  nodes: {a: {type: log}}\n", false],
    ["j.json", "json", '{"a": {"nodes": {"b": {}}}, "nodes": []}', false],
    ["k.json", "json", '{"a": "nodes\\": {", "b": [1, {"nodes": {}}]}', false],
    ["l.stubs.yaml", "yaml", "nodes: {a: echo}\n", false],
    ["m.yaml", "yaml", "", false],
  ];
  for (const [name, language, text, expected] of cases) {
    await one.open(name, text, { language });
    assert.equal((await one.ask("textDocument/foldingRange", documentParams(one, name))) !== null, expected, name);
  }
  const spoken = one.told.filter(({ method }) => method === diagnostics).map(({ params }) => params.uri);
  assert.deepEqual(
    spoken,
    cases.filter(([, , , expected]) => expected).map(([name]) => one.uri(name)),
  );
  // A file becomes a plan when its text does, and remains one even with syntax errors.
  one.told.length = 0;
  await one.change("m.yaml", 2, { text: "nodes:\n" });
  assert.equal((await one.next(diagnostics)).uri, one.uri("m.yaml"));
  await one.change("m.yaml", 3, { text: "[" });
  assert.deepEqual(codes(await one.next(diagnostics)), ["source/syntax"]);
  await one.end();
});

test("a server with pull diagnostics pushes none", async () => {
  const pulls = { ...PUSH_CAPABILITIES, textDocument: { ...PUSH_CAPABILITIES.textDocument, diagnostic: {} } };
  const one = await ready({}, pulls);
  assert.ok(one.capabilities.diagnosticProvider);
  await one.open("a.yaml", "nodes: {a: {tpye: log}}\n");
  const report = await one.ask("textDocument/diagnostic", documentParams(one, "a.yaml"));
  assert.deepEqual([report.kind, report.items.length > 0], ["full", true]);
  assert.deepEqual(await one.ask("textDocument/diagnostic", documentParams(one, "none.yaml")), {
    kind: "full",
    items: [],
  });
  assert.deepEqual(
    one.told.filter(({ method }) => method === diagnostics),
    [],
  );
  await one.end();
});

const CALLS =
  "nodes: {a: {type: tool, tool: find_order, input: {number: 1}}, b: {type: tool, tool: other}}\nedges: [{from: a, to: b}]\n";
const STUBS =
  "tools:\n  find_order: {return: {}, input_schema: {type: object, properties: {number: {type: string}}}}\n";

test("the server reads tools from tool lists and stub files, and reloads them after a notification", async () => {
  const watches = {
    ...PUSH_CAPABILITIES,
    workspace: { ...PUSH_CAPABILITIES.workspace, didChangeWatchedFiles: { dynamicRegistration: true } },
  };
  const one = await ready({}, watches);
  await one.open("a.yaml", CALLS);
  assert.deepEqual(codes(await one.next(diagnostics)), [], "of tools nothing is known");
  const watch = one.told.find(({ method }) => method === "client/registerCapability");
  assert.deepEqual(
    watch.params.registrations.map(({ method }) => method),
    ["workspace/didChangeWatchedFiles"],
  );

  one.write("a.stubs.yaml", STUBS);
  await one.tell("workspace/didChangeWatchedFiles", { changes: [{ uri: one.uri("a.stubs.yaml"), type: 1 }] });
  const guessed = (await one.next(diagnostics)).diagnostics;
  assert.deepEqual(
    guessed.map(({ code, severity }) => [code, severity]),
    [
      ["tool/invalid-arguments", 1],
      ["graph/unknown-tool", 3],
    ],
    "of what stubs lack nobody knows",
  );

  one.write("stepgraph.tools.json", JSON.stringify(TOOLS));
  await one.tell("workspace/didChangeWatchedFiles", { changes: [{ uri: one.uri("stepgraph.tools.json"), type: 1 }] });
  const known = (await one.next(diagnostics)).diagnostics;
  assert.deepEqual(
    known.map(({ code, severity }) => [code, severity]),
    [
      ["tool/invalid-arguments", 1],
      ["graph/unknown-tool", 1],
    ],
  );

  rmSync(join(one.folder, "a.stubs.yaml"));
  one.write("stepgraph.tools.json", "{");
  await one.tell("workspace/didChangeWatchedFiles", { changes: [] });
  assert.deepEqual(codes(await one.next(diagnostics)), []);
  assert.match(
    (await one.next("window/showMessage")).message,
    /stepgraph\.tools\.json/,
    "and what can't be used is told",
  );
  await one.end();
});

test("settings come at the beginning, and from the editor's configuration", async () => {
  const tool = TOOLS.servers[0].tools[0];
  const early = await ready({}, PUSH_CAPABILITIES, { initializationOptions: { tools: [tool, 3, null], models: "x" } });
  await early.open("a.yaml", CALLS);
  assert.deepEqual(codes(await early.next(diagnostics)), ["tool/invalid-arguments", "graph/unknown-tool"]);
  await early.tell("workspace/didChangeConfiguration", {
    settings: { stepgraph: { tools: [tool, { name: "other", input_schema: {} }] } },
  });
  assert.deepEqual(codes(await early.next(diagnostics)), ["tool/invalid-arguments"]);
  await early.end();

  const asked = {
    "workspace/configuration": ({ items }) =>
      items.map(({ section }) => (section === "stepgraph" ? { tools: ["shop.json"] } : null)),
  };
  const configures = { ...PUSH_CAPABILITIES, workspace: { ...PUSH_CAPABILITIES.workspace, configuration: true } };
  const late = await ready({ files: { "shop.json": JSON.stringify(TOOLS) }, asked }, configures);
  await late.open("a.yaml", CALLS);
  let found = codes(await late.next(diagnostics));
  // The configuration may arrive before or after the first diagnostics.
  if (found.length === 0) found = codes(await late.next(diagnostics));
  assert.deepEqual(found, ["tool/invalid-arguments", "graph/unknown-tool"]);
  await late.end();
});
