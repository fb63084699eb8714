// Tests the parts of the text pane that need no page: tokens, line states, offsets, indentation, templates.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { root } from "../../scripts/lib/paths.mjs";

const parts = await load();

async function load() {
  const names = ["lexer", "line-states", "line-endings", "folding", "complete", "edit-queue"];
  const contents =
    names.map((name) => `export * from "./${name}.ts";`).join("\n") +
    'export { ChangeSet, Text } from "@codemirror/state";';
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "playground", "js", "editor") },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["stepgraph/*"],
    logLevel: "silent",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** As `kind:word`, one entry per line. */
function tokenList(text) {
  let state = parts.PLAIN;
  return text.split("\n").map((line) => {
    const found = [];
    let end = 0;
    state = parts.line(line, state, (from, to, kind) => {
      assert.ok(from >= end && to >= from && to <= line.length, `${kind} from ${from} to ${to} in ${line}`);
      end = to;
      found.push(`${kind}:${line.slice(from, to)}`);
    });
    return found.join(" ");
  });
}

const CASES = [
  ["a key and its value", "type: log # says it", ["key:type mark:: string:log comment:# says it"]],
  [
    "numbers and words with a meaning",
    "a: 1\nb: -2.5e3\nc: true\nd: ~\ne: 1a",
    [
      "key:a mark:: number:1",
      "key:b mark:: number:-2.5e3",
      "key:c mark:: atom:true",
      "key:d mark:: atom:~",
      "key:e mark:: string:1a",
    ],
  ],
  [
    "templates in texts",
    'input: "so ${last.x} and $${kept}"',
    ['key:input mark:: string:"so  template:${last.x} string: and $${kept}"'],
  ],
  ["a template that is not closed", "input: ${last", ["key:input mark:: template:${last"]],
  [
    "flow maps",
    "- {from: a, to: b, n: 1}",
    ["mark:- mark:{ key:from mark:: string:a mark:, key:to mark:: string:b mark:, key:n mark:: number:1 mark:}"],
  ],
  [
    "JSON",
    '{"a": {"b": [1, "x", null]},\n"c": "d"}',
    [
      'mark:{ key:"a" mark:: mark:{ key:"b" mark:: mark:[ number:1 mark:, string:"x" mark:, atom:null mark:] mark:} mark:,',
      'key:"c" mark:: string:"d" mark:}',
    ],
  ],
  [
    "a block of text ends where less is indented",
    "say: |\n  key: no\n\n  # no\nkey: yes",
    ["key:say mark:: mark:|", "string:key: no", "", "string:# no", "key:key mark:: string:yes"],
  ],
  [
    "a block of text below a key in an item",
    "- a: >-\n    text\n  b: 1",
    ["mark:- key:a mark:: mark:>-", "string:text", "key:b mark:: number:1"],
  ],
  [
    "quotes over several lines",
    'a: "x\n b: c"\nd: 1',
    ['key:a mark:: string:"x', 'string: b: c"', "key:d mark:: number:1"],
  ],
  ["quotes that are doubled", "a: 'it''s' # yes", ["key:a mark:: string:'it''s' comment:# yes"]],
  ["what is no comment", "a: b#c", ["key:a mark:: string:b#c"]],
  ["colons within words", "at: 10:30:http://x", ["key:at mark:: string:10:30:http://x"]],
  ["marks of YAML", "--- # begin\na: &x !t *y", ["meta:--- comment:# begin", "key:a mark:: meta:&x meta:!t meta:*y"]],
  ["é and 😀", '"é😀": "😀"', ['key:"é😀" mark:: string:"😀"']],
];

for (const [name, text, expected] of CASES) {
  test(`words: ${name}`, () => assert.deepEqual(tokenList(text), expected));
}

test("tokens: a broken text keeps all of its characters", () => {
  for (const text of [
    "{",
    "}}",
    '"',
    "'",
    "- - -",
    "? : -",
    ": :",
    "|",
    "a: |9",
    "&",
    "*",
    "!",
    "\t",
    "${",
    "a: [b: {",
    "\u0000",
    "-",
    "[,,]",
    "%",
    "#",
  ])
    tokenList(`${text}\n${text}\n`);
  tokenList(`a: "${"x".repeat(100_000)}"`);
});

test("states: a change re-lexes only the affected lines, with the same result as the whole text", () => {
  const random = seeded(7);
  const pieces = ["a: |\n", "  text\n", 'b: "x\n', '"\n', "c: {\n", "}\n", "d: 1\n", "\n"];
  for (let round = 0; round < 60; round++) {
    let doc = parts.Text.of(
      Array.from({ length: 40 }, () => pieces[random(pieces.length)])
        .join("")
        .split("\n"),
    );
    const states = new parts.LineStates();
    for (let step = 0; step < 12; step++) {
      if (random(3) > 0) states.stateBefore(doc, 1 + random(doc.lines));
      const from = random(doc.length + 1);
      const to = Math.min(doc.length, from + random(12));
      const changes = parts.ChangeSet.of(
        {
          from,
          to,
          insert: parts.Text.of(
            Array.from({ length: random(3) }, () => pieces[random(pieces.length)])
              .join("")
              .split("\n"),
          ),
        },
        doc.length,
      );
      const next = changes.apply(doc);
      states.change(changes, doc, next);
      doc = next;
      const fresh = new parts.LineStates();
      for (const number of [1 + random(doc.lines), doc.lines])
        assert.equal(
          states.stateBefore(doc, number),
          fresh.stateBefore(doc, number),
          `line ${number} of ${JSON.stringify(doc.toString())}`,
        );
    }
  }
});

test("offsets: every position converts to the engine's offset and back, with all line endings", () => {
  for (const [text, end] of [
    ["a\nbé😀\n", "\n"],
    ["a\r\nbé😀\r\n\r\nc", "\r\n"],
    ["", "\n"],
    ["\r\n", "\r\n"],
  ]) {
    assert.equal(parts.lineEndingOf(text), end);
    const doc = parts.toText(text);
    for (let at = 0; at <= doc.length; at++)
      assert.equal(parts.toEditorOffset(doc, parts.toFileOffset(doc, at, end), end), at);
    for (let at = 0; at <= text.length; at++) {
      const expected = text.slice(0, at).endsWith("\r") ? at - 1 : at;
      assert.equal(
        parts.toFileOffset(doc, parts.toEditorOffset(doc, at, end), end),
        expected,
        JSON.stringify([text, at]),
      );
    }
    assert.equal(parts.toEditorOffset(doc, 999, end), doc.length);
  }
});

test("offsets: edits use the text's own line endings", () => {
  const doc = parts.toText("a\r\nb\r\n");
  const changes = parts.ChangeSet.of({ from: 2, to: 3, insert: parts.Text.of(["x", "y"]) }, doc.length);
  assert.deepEqual(parts.toFileEdits(changes, doc, "\r\n"), [{ start: 3, end: 4, text: "x\r\ny" }]);
  const [{ from, to, insert }] = parts.toEditorChanges([{ start: 3, end: 4, text: "x\r\ny" }], doc, "\r\n");
  assert.deepEqual([from, to, insert.toString()], [2, 3, "x\ny"]);
});

test("offsets: half a surrogate pair converts to the replacement character", () => {
  const doc = parts.toText("");
  const changes = parts.ChangeSet.of({ from: 0, insert: parts.Text.of(["a\ud83d b 😀 \ude00"]) }, 0);
  assert.equal(parts.toFileEdits(changes, doc, "\n")[0].text, "a\ufffd b 😀 \ufffd");
});

test("lines: nested lines fold, and a new line takes the indentation of the line above", () => {
  const doc = parts.toText("nodes:\n  a:\n    type: log\n\n  # said\nedges:\n- from: a\n  to: b\nlast: 1");
  assert.deepEqual(parts.foldRange(doc, 0), { from: 6, to: doc.line(5).to });
  assert.deepEqual(parts.foldRange(doc, doc.line(6).from), { from: doc.line(6).to, to: doc.line(8).to });
  assert.equal(parts.foldRange(doc, doc.line(9).from), null);
  for (const [before, expected] of [
    ["nodes:", 2],
    ["  a:", 4],
    ["    type: log", 4],
    ["- from: a", 2],
    ["  - from: a", 4],
    ["- a", 0],
    ["  say: |", 4],
    ["x: {", 2],
    ["  a: # why", 4],
    ["    ", 4],
    ["- a:", 4],
    ["-", 2],
  ]) {
    assert.equal(parts.indentation(before, 2), expected, before);
  }
});

test("templates: snippets of language servers convert to the editor's form", () => {
  for (const [stops, indent, expected] of [
    ["tests:\n  - $0", "", "tests:\n  - ${99:}"],
    ["  a:\n    type: ${1:log}", "  ", "  a:\n  type: ${1:log}"],
    ["x: \\${last}", "", "x: $\\{last\\}"],
    ["a:\nb: 1", "  ", null],
  ])
    assert.equal(parts.asTemplate(stops, indent), expected, stops);
});

function seeded(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
