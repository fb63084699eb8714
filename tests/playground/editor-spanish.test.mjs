// Tests that the text editor of a Spanish page explains and completes in Spanish.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as editor from "../../dist/editor/node.js";
import { root } from "../../scripts/lib/paths.mjs";
import { load } from "./scripts.mjs";

const { translateDetail, translateMarkdown, translateStep } = await load("spanish/engine-texts.ts");
const { functionDocs } = await load("spanish/function-docs.ts");
const { details, paragraphs, summaries, valueTypes } = await load("spanish/hovers.ts");
const docs = JSON.parse(readFileSync(join(root, "playground", "js", "spanish", "docs.json"), "utf8"));

const ENGLISH =
  /(?<![\p{L}-])(?:is|are|has|the|of|and|there|which|with|what|how|when|whether|required|tool|node|text|list|whole|number|map|run|by|returns|tests|for)(?![\p{L}-])/iu;

const HOST = {
  tools: [
    {
      name: "find",
      server: "shop",
      description: "Busca pedidos.",
      inputSchema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "integer", default: 1 },
          how: { enum: ["a", "b"] },
          deep: { type: ["object", "null"] },
        },
      },
      outputSchema: {
        type: "object",
        required: ["n"],
        properties: { n: { type: "number" }, when: { type: "string" } },
      },
    },
    { name: "drop", annotations: { destructiveHint: true } },
  ],
  types: ["own"],
  models: ["fast"],
};

const EXTRA = `
id: p
description: d
format: 1
start: a
inputs: {n: {type: integer, minimum: 1, description: Cuántos}, s: {type: string, format: email}, m: {type: array, items: {type: string}}}
servers: {shop: {url: "http://localhost:1"}}
limits: {visits: 3, steps: 9, calls: 4, timeout_ms: 5, tokens: 6, usd: 1, output_bytes: 7}
nodes:
  a: {type: find, input: {id: 1, how: a}, retry: {attempts: 2, backoff_ms: 1, factor: 2, max_ms: 3, on: tool/*}, timeout_ms: 9, visits: 2}
  b: {type: llm, with: {model: fast, system: x, schema: {type: object, properties: {k: {type: string, enum: [u, v]}}}, max_tokens: 5}}
  c: {type: own, description: para mí, metadata: {k: v}, id: cc}
  d: {type: parallel, branches: {x: {nodes: {q: {type: noop}}}}, with: {join: settled}}
  e: {type: map, input: "\${input.m}", do: {nodes: {q: {type: log, input: "\${item} \${index}"}}}}
  f: {type: other}
  g: {type: tool, tool: drop, input: {v: "\${output.a.n + 1} \${size(input.s)} \${input.m.map(x, x.size())} \${math.least(1, 2)}"}}
  h: {type: set, with: {values: {z: "\${output.b.k}", w: "\${last}", t: "\${timestamp(input.s).getHours()}"}}}
edges:
  - {from: a, to: b, condition: "output.a.n >= 2 && output.a.when == x"}
  - {from: a, to: g, condition: "!output.a.n.exists"}
  - {from: a, to: d, condition: "output.a.n > 1 || output.a.when==''"}
  - {from: a, to: e, condition: "output.a.when.contains:x && output.a.n<3"}
  - {from: a, to: h, condition: default}
  - {from: b, to: c}
  - {from: c, to: f, condition: "output.a.when!=x"}
tests:
  - name: una
    input: {n: 1, s: x}
    stubs: {tools: {find: {return: 1, delay_ms: 2}, drop: echo}, types: {own: input}, nodes: {a: last}, models: {default: {sequence: [{fail: x, code: model/failed}]}}}
    decisions: {a: approved}
    context: {user_email: x}
    expect: {outcome: completed, path: [a], last: 1, outputs: {a: 1}, code: x, node: a, calls: 1}
layout: {a: [1, 2]}
`;

const GALLERY = join(root, "examples", "gallery", "es");
const PLANS = [
  EXTRA,
  ...["agent", "errors", "plan-node"].map((name) => readFileSync(join(GALLERY, `${name}.yaml`), "utf8")),
];

/** Without code, names of a plan's own, and what a user wrote. */
function proseOf(markdown, plan) {
  const own = `${plan} ${JSON.stringify(HOST)}`;
  return markdown
    .replace(/``.*?``|`[^`]*`/gs, "")
    .split(/\n+/)
    .filter((line) => !own.includes(line.replaceAll("\\", "").trim()))
    .map((line) => line.replace(/ — .*$/, "").replace(/(?:herramienta|nodo\s+:|, )\s*[\w\\-]+/g, ""))
    .join("\n");
}

const wordsOf = (text) => text.replace(/^---$/gm, "").replace(/[\s\p{P}\p{S}\d]+/gu, "");

test("hovers of plans are in Spanish", () => {
  const left = new Map();
  let count = 0;
  for (const text of PLANS) {
    const document = new editor.PlanDocument(text, HOST);
    for (const { index } of text.matchAll(/[\w$]+/g)) {
      const hover = document.hover(index);
      if (!hover) continue;
      count++;
      const spanish = translateMarkdown(hover.markdown);
      const prose = proseOf(spanish, text);
      const isSame = spanish === hover.markdown && wordsOf(prose) !== "";
      if (isSame || ENGLISH.test(prose)) left.set(hover.markdown, spanish);
    }
  }
  assert.ok(count > 500, `${count}`);
  assert.deepEqual([...left.values()], []);
});

test("completions of plans are in Spanish", () => {
  const left = new Set();
  let count = 0;
  for (const text of [EXTRA]) {
    const document = new editor.PlanDocument(text, HOST);
    for (let at = 0; at <= text.length; at++) {
      if (/\w\w$/.test(text.slice(0, at))) continue;
      for (const { kind, label, detail, documentation } of document.complete(at)) {
        count++;
        const short = translateDetail(kind, detail ?? "");
        const isSignature = kind === "function" || /^\$?\{/.test(label);
        if (kind !== "node" && kind !== "root" && !isSignature && ENGLISH.test(short)) left.add(`${label}: ${short}`);
        if (documentation === null) continue;
        const spanish = translateMarkdown(documentation);
        if (ENGLISH.test(proseOf(spanish, text))) left.add(`${label}: ${spanish}`);
      }
    }
  }
  assert.ok(count > 1_000, `${count}`);
  assert.deepEqual([...left], []);
});

test("all documentation of expressions is in Spanish", () => {
  const table = readFileSync(join(root, "core", "expression", "src", "function", "table.rs"), "utf8");
  const rows = [...table.matchAll(/^ {4}\w+ (?:Operator|Function|Macro) ".*\n +"((?:[^"\\]|\\.)*)"/gm)].map(
    ([, doc]) => doc,
  );
  assert.ok(rows.length > 60);
  assert.deepEqual(Object.keys(functionDocs).sort(), [...new Set(rows)].sort());
});

test("all documentation of the language service is in Spanish", () => {
  const folder = join(root, "core", "authoring", "src", "language");
  const sources = ["complete/expressions.rs", "complete/values.rs", "complete/schemas.rs", "plan_format/maps.rs"];
  const texts = sources.flatMap((name) => {
    const source = readFileSync(join(folder, name), "utf8");
    return [...source.matchAll(/(?<!\/\/.*)"([A-Z][^"\\]*\.)"/g)].map(([, text]) => text);
  });
  assert.ok(texts.length > 100, `${texts.length}`);
  const english = texts.filter((text) => translateMarkdown(text) === text);
  assert.deepEqual(english, []);
});

test("both languages name the same code and the same slots", () => {
  const codeOf = (text) => [...text.matchAll(/`([^`]*)`/g)].map(([, part]) => part.replace(/\{\d?\}/g, "{}")).sort();
  const tables = { details, paragraphs, summaries, valueTypes, functionDocs };
  for (const [name, table] of Object.entries(tables))
    for (const [english, spanish] of Object.entries(table)) {
      assert.deepEqual(codeOf(spanish), codeOf(english), `${name}: ${spanish}`);
      const slots = [...english.matchAll(/\{(?:n|list|message)?\}/g)].map((_, at) => at + 1);
      assert.deepEqual([...spanish.matchAll(/\{(\d)\}/g)].map(([, one]) => Number(one)).sort(), slots, spanish);
    }
  for (const [english, spanish] of Object.entries(docs)) {
    const known = new Set(codeOf(english));
    assert.deepEqual(
      codeOf(spanish).filter((part) => !known.has(part)),
      [],
      spanish,
    );
  }
});

test("names and texts of a plan stay as they are", () => {
  for (const [english, spanish] of [
    ["node `map`: map\n\nNo edge leads here.", "nodo `map`: map\n\nNinguna arista llega aquí."],
    ["Whatever a person wrote", "Whatever a person wrote"],
    ["`last.a`: text or whole number\n\nA `note`", "`last.a`: texto o número entero\n\nA `note`"],
    ["`last.a`: text or map or list", "`last.a`: texto u objeto o lista"],
    ["Leads to `b` when `x when y`, `c` and 2 more.", "Lleva a `b` si `x when y`, `c` y 2 más."],
    ["- `a`: map, always there — the thing", "- `a`: objeto, siempre existe — the thing"],
    ["How the run ends. Required.", `${docs["How the run ends."]} Obligatorio.`],
    [
      "From `a` to `b` when `n` is at most 1.5 and (`x` is there or `y` is empty text).",
      "De `a` a `b` cuando `n` es como máximo 1,5 y (`x` existe o `y` es un texto vacío).",
    ],
    [
      "**`graph/unknown-tool`** there is no tool \\`a\\_b\\`\n\nWhy it is so.\n\n---\n\nnode type `log`",
      "**`graph/unknown-tool`** no hay ninguna herramienta `a_b`\n\n---\n\ntipo de nodo `log`",
    ],
  ])
    assert.equal(translateMarkdown(english), spanish);
  assert.equal(translateDetail("node", "map"), "map");
  assert.equal(translateDetail("key", "whole number, required"), "número entero, obligatorio");
  assert.equal(translateDetail("tool", "tool of shop"), "herramienta de shop");
  assert.equal(translateDetail("root", "llm, perhaps not run"), "llm, quizá no ejecutado");
});

test("long hovers take little time", () => {
  for (const part of ["`a` is `b` and ", "(", " or ", "- `a`: ", "`a` when ", "\n\n"]) {
    const start = performance.now();
    translateMarkdown(`From \`a\` to \`b\` when ${part.repeat(100_000 / part.length)}.`);
    translateMarkdown(part.repeat(2_000 / part.length));
    assert.ok(performance.now() - start < 2_000, part);
  }
});

test("steps of undo have Spanish names", () => {
  const folder = join(root, "playground", "src");
  const sources = readdirSync(folder, { recursive: true }).filter((name) => /\.rs$/.test(name) && !/tests/.test(name));
  const names = sources.flatMap((name) => {
    const source = readFileSync(join(folder, name), "utf8");
    const calls = source.matchAll(
      /(?:apply_all|apply_or_notify|apply_edits|set_positions|apply_text_edits)\([^;]*?, "([a-z]{2,})"/g,
    );
    return [...calls].map(([, step]) => step);
  });
  assert.ok(new Set(names).size > 15, `${new Set(names).size}`);
  assert.deepEqual(
    [...new Set(names)].filter((name) => translateStep(name) === name),
    [],
  );
  assert.equal(translateStep("typing"), "escritura");
});
