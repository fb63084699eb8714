// Tests that a Spanish page shows each message of the engine in Spanish.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { engineMessages } from "./engine-messages.mjs";
import { load } from "./scripts.mjs";

const { TABLES, translateMessage, translateTitle } = await load("spanish/translate.ts");
const { kinds } = await load("spanish/kinds.ts");
const { FINDINGS } = await load("../../wasm/js/doctor-findings.ts");

/** Messages that stay English, with the reason. */
const EXCEPTIONS = new Map([]);

const messages = await engineMessages();

const SLOT = /\{(?:n|kind|list|message)?\}/g;
const tables = Object.entries({ ...TABLES, kinds });
const spanishOf = ({ code, text }) => (code === "title" ? translateTitle(text) : translateMessage(code, text));

test("each message, help and title of the suite's plans is in Spanish", () => {
  assert.ok(messages.length > 2_000, `${messages.length}`);
  const english = messages.filter((one) => spanishOf(one) === one.text && !EXCEPTIONS.has(one.text));
  assert.deepEqual(english, []);
  const said = new Set(messages.map(({ text }) => text));
  assert.deepEqual(
    [...EXCEPTIONS.keys()].filter((text) => !said.has(text)),
    [],
    "an exception is not needed",
  );
});

test("no translation keeps a part in English", () => {
  const words = /(?<![\p{L}-])(?:is|are|has|the|of|and|there|write|add|remove|with|which|expected)(?![\p{L}-])/u;
  const texts = messages.filter(({ text }) => !text.startsWith("no node serves requirements"));
  const mixed = texts.map(spanishOf).filter((spanish) => words.test(spanish.replace(/`[^`]*`|«[^»]*»/g, "")));
  assert.deepEqual(mixed, []);
});

/** Only tests in Rust, or hosts other than a page, report these. Each with a message from the source. */
const UNSEEN_CODES = {
  "file/too-many": "the plan runs more than 100 files",
  "file/too-large": "the plan and its files are larger than 16 MiB, or hold too many values",
  "file/invalid-input": "the input `n` of `a.yaml` is a number, not text",
  "run/unknown-allowed": "`pay` is allowed, and there is no such tool",
  "expression/too-long": "the expression is too long",
  "plan/too-many-calls": "the plan has 200 calls, and 100 are the most",
  "plan/invalid-context": "the run's value for `user` does not match the schema of `find`, in `call[0]`",
  "plan/untrusted-value": "the value of `call[0]` for `user` is discarded: the run sets it",
  "edit/not-in-place": "the notation of this text does not allow the change",
  "author/left-out": "the plan in prose uses `approve`, and no node of the workflow does",
  "author/unguarded": "`pay` may run without the approval that the plan in prose puts before it",
  "author/unserved-step": "no node serves a requirement: 2. Pay",
  "author/unread-value": "no node reads `repo`, which is `a/b` in the request",
};

test("the suite's plans have each code of a diagnostic", () => {
  const source = readFileSync(join(root, "wasm", "js", "codes.ts"), "utf8");
  const codes = [...source.matchAll(/\| "([^"]+)"/g)].map(([, code]) => code);
  const seen = new Set(messages.map(({ code }) => code));
  assert.ok(codes.length > 100);
  assert.deepEqual(
    codes.filter((code) => !seen.has(code)),
    codes.filter((code) => code in UNSEEN_CODES),
  );
  for (const [code, text] of Object.entries(UNSEEN_CODES)) assert.notEqual(translateMessage(code, text), text, text);
});

test("both languages have the same placeholders", () => {
  for (const [name, table] of tables)
    for (const [english, spanish] of Object.entries(table)) {
      const count = english.match(SLOT)?.length ?? 0;
      const numbers = [...spanish.matchAll(/\{(\d)\}/g)].map(([, number]) => Number(number));
      const expected = Array.from({ length: count }, (_, at) => at + 1);
      assert.deepEqual([...new Set(numbers)].sort(), expected, `${name}: ${english}`);
      assert.equal(SLOT.test(spanish), false, `${name}: ${spanish}`);
    }
});

test("Spanish keeps the marks of English", () => {
  // Without the order of slots.
  const marked = (text) => [...text.matchAll(/`([^`]*)`/g)].map(([, part]) => part.replace(/\{\d?\}/g, "{}")).sort();
  for (const [name, table] of tables)
    for (const [english, spanish] of Object.entries(table))
      assert.deepEqual(marked(spanish), marked(english), `${name}: ${spanish}`);
});

test("messages say usted", () => {
  const familiar =
    /(?<!\p{L})(?:tú|ti|tu|tus|tuyo|contigo|puedes|quieres|tienes|debes|quisiste|escribe tú|añade|pon|haz|elige)(?!\p{L})/iu;
  for (const [name, table] of tables)
    for (const spanish of Object.values(table)) assert.equal(familiar.test(spanish), false, `${name}: ${spanish}`);
});

test("names and values of a user are copied as they are", () => {
  for (const [english, spanish] of [
    ["there is no node `a list`", "no hay ningún nodo `a list`"],
    ["there is no node `$1 {1} {}`", "no hay ningún nodo `$1 {1} {}`"],
    ["`{1}` is a list, not text", "`{1}` es una lista, no un texto"],
    ["`a` is text, not `$&`", "`a` es un texto, no `$&`"],
    ["`{2}` has no `{1}`", "`{2}` no tiene `{1}`"],
    ["write one of `a`, `b and c` and `d`", "escriba uno de estos: `a`, `b and c` y `d`"],
    ["there is no node ``", "no hay ningún nodo ``"],
  ])
    assert.equal(translateMessage("graph/unknown-node", english), spanish);
});

test("parts of sentences are translated, too", () => {
  for (const [code, english, spanish] of [
    [
      "run/invalid-input",
      "the run's input: `/id` is a number, expected text; the plan declares no input `sise` (did you mean `size`?)",
      "la entrada de la ejecución: `/id` es un número, se esperaba un texto; el plan no declara ninguna entrada `sise` " +
        "(¿quiso decir `size`?)",
    ],
    [
      "tool/invalid-arguments",
      "`/to` is a number, expected nothing or true or false or text",
      "`/to` es un número, se esperaba null o true o false o un texto",
    ],
    [
      "run/usd-limit",
      "models cost 0.006 USD, and 0.005 are allowed",
      "los modelos costaron 0,006 USD, y se permiten 0,005",
    ],
    [
      "condition/never-true",
      "`input.n` is from 0.5 to 10, and never `11.5`",
      "`input.n` está entre 0,5 y 10, y nunca es `11.5`",
    ],
    ["template/missing", "in `input`: `last.a` and `last.b` is not there; available are `last`, `input`", undefined],
  ])
    if (spanish) assert.equal(translateMessage(code, english), spanish);
    else assert.notEqual(translateMessage(code, english), english);
});

test("messages of connections are in Spanish", () => {
  for (const text of [
    "`host:1/mcp` could not be reached: Failed to fetch",
    "`host:1/v1/` could not be reached: no way; if it runs, it has to allow this page's origin and the headers x, y",
    "`host:1/mcp` answered with status 500: oops: no",
    "`host:1/mcp` refused the key, or requires one (status 401)",
    "`host:1/mcp` lists `drop`, which can't be called: it runs only as a task of MCP, and this client starts none",
    "the browser's language model is not available on this device",
  ])
    assert.notEqual(translateMessage("model/unreachable", text), text, text);
});

test("each finding about a connection is in Spanish", () => {
  const known = { place: "host/mcp", origin: "https://a.example", status: "404", reason: ": `x`", missing: "`a`, `b`" };
  const filled = (text) => text.replace(/\{(\w+)\}/g, (_, name) => known[name] ?? "all");
  const texts = Object.values(FINDINGS).flat().map(filled);
  assert.ok(texts.length > 40);
  assert.deepEqual(
    // This help is the same in both languages.
    texts.filter((text) => translateMessage("connect/ok", text) === text && text !== "use `all`"),
    [],
  );
});

test("other texts stay as they are", () => {
  for (const text of [
    "",
    "kaput",
    "a message of a tool",
    "there is no spoon",
    "the run took longer than two ms",
    "El plan",
  ]) {
    assert.equal(translateMessage("tool/failed", text), text);
    assert.equal(translateMessage("", text), text);
    assert.equal(translateTitle(text), text);
  }
});

test("long and hostile texts take little time", () => {
  const parts = [
    "; ",
    ": ",
    "`x` is ",
    "`a` of `b`: ",
    " or ",
    ", and ",
    " (",
    "in `x`: ",
    "`",
    "a list or ",
    "`x`, ",
    "«",
  ];
  const wraps = [
    (text) => text,
    (text) => `\`f\` of \`g\`: ${text}`,
    (text) => `\`x\` is ${text}, and never \`y\``,
    (text) => `${text}; and 3 more`,
    (text) => `write one of ${text}`,
    (text) => `${text} (a list)`,
  ];
  for (const part of parts)
    for (const wrap of wraps)
      for (const length of [1_900, 200_000]) {
        const text = wrap(part.repeat(length / part.length));
        const start = performance.now();
        translateMessage("plan/invalid-type", text);
        assert.ok(performance.now() - start < 2_000, `${JSON.stringify(part)} ${length}`);
      }
});

test("only Spanish pages load the Spanish script", () => {
  const imports = /from "\.\/spanish\/|from "\.\.\/spanish\//;
  const sources = readdirSync(join(root, "playground", "js"), { recursive: true }).filter((name) =>
    name.endsWith(".ts"),
  );
  const eager = sources.filter((name) => imports.test(readFileSync(join(root, "playground", "js", name), "utf8")));
  assert.deepEqual(eager, []);
});
