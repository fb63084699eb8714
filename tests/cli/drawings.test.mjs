// Tests drawings with Mermaid and Graphviz: they must show the whole plan, even with hostile names.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, test } from "node:test";
import { toDot, toMermaid } from "../../dist/editor/node.js";
import { reviewChange } from "../../dist/integrations/review.js";
import { PlanGraph } from "../../dist/node.js";
import { cases } from "../parity/suite.mjs";
import { visit } from "../package/pages.mjs";
import { npmPackages } from "../servers/install.mjs";
import { example, file, stepgraph } from "./stepgraph.mjs";

const TIMEOUT = { timeout: 300_000 };
const LONG_TEXT = "x".repeat(10_000);
const HOSTILE = [
  'a"];evil',
  "end",
  "%%{init: x}%%",
  "`md` **bold** _it_ __init__ 1. x",
  "1. first",
  "- dash",
  "# head",
  "> quoted",
  "style a: #34; x",
  "classDef:#x;",
  "אבג مرحبا 😀",
  "several\nlines\r\nand\ttabs",
  "&amp;<script>alert(1)</script>",
  "back\\slash\\",
  "ﬂ°°39¶ß",
  "graph subgraph end",
  "\u202Eturned",
  "a --> b",
  "|x|",
  "{{x}}",
  "((x))",
  "[x]",
  "%% x",
  "click a",
  "#quot;#35;",
  "$$x^2$$",
  "\\N\\G\\l",
  "</svg>",
  "javascript:x",
  "x:::y",
  LONG_TEXT,
  "~~~",
  "@{ shape: x }",
  "&",
  ";",
  "·",
  "n1",
  "start",
  "finish",
];

/** The names become node ids, types, tools, branches and strings in conditions. */
function hostile(names) {
  const node = (name, at) =>
    [
      () => ({ type: name }),
      () => ({ type: "tool", tool: name }),
      () => ({
        type: "parallel",
        branches: { [name]: { nodes: { [name]: { type: "noop" } } }, other: { nodes: { x: { type: "decision" } } } },
      }),
      () => ({ type: "llm", input: "x" }),
    ][at % 4]();
  const condition = (name, at) =>
    at % 3 === 0
      ? `last == ${JSON.stringify(name)}`
      : at % 3 === 1
        ? `error.code == ${JSON.stringify(name)}`
        : "last.a.exists";
  const unique = names.filter((name) => name !== "input");
  return {
    id: names[0],
    start: unique[0],
    nodes: Object.fromEntries(unique.map((name, at) => [name, node(name, at)])),
    edges: unique.slice(1).flatMap((name, at) => [
      { from: unique[at], to: name, condition: condition(name, at) },
      { from: unique[at], to: unique[(at * 7) % unique.length] },
    ]),
  };
}

function plans() {
  const examples = readdirSync(new URL("../../examples/", import.meta.url)).filter(
    (name) => name.endsWith(".yaml") && !name.endsWith(".stubs.yaml"),
  );
  const texts = [
    ...examples.map((name) => [name, readFileSync(example(name), "utf8")]),
    ...cases().map((one) => [`${one.suite}/${one.id}`, one.source ?? JSON.stringify(one.plan ?? null)]),
    ["hostile", JSON.stringify(hostile(HOSTILE))],
    ["hostile, turned around", JSON.stringify(hostile([...HOSTILE].reverse()))],
  ];
  const read = texts.map(([name, text]) => ({ name, text, graph: PlanGraph.parse(text).graph }));
  // Hundreds of condition cases share the same small graph.
  const kinds = new Map(
    read
      .filter(({ graph }) => graph?.valid)
      .map((one) => [
        JSON.stringify([
          one.graph.nodes.map(({ type, scope }) => [type, scope]),
          one.graph.edges.length,
          one.name.includes("hostile"),
        ]),
        one,
      ]),
  );
  return [...kinds.values()];
}

function expectedElements({ graph }) {
  const hasChildren = (node) => node.holds?.length > 0;
  const written = graph.toJSON();
  const count = { nodes: 0, frames: 0, edges: 0, failures: 0 };
  const walk = (inner) => {
    for (const node of Object.values(inner.nodes)) {
      const inside = [
        ...(node.graph ? [["", node.graph]] : []),
        ...Object.entries(node.branches ?? {}),
        ...(node.do ? [["", node.do]] : []),
      ];
      if (inside.length === 0) count.nodes++;
      else count.frames += 1 + inside.filter(([name]) => inside.length > 1 || name !== "").length;
      inside.forEach(([, one]) => walk(one));
    }
    for (const { condition } of inner.edges ?? []) {
      count.edges++;
      if (/\berror\b/.test(String(condition ?? "").replace(/"(\\.|[^"])*"|'(\\.|[^'])*'/g, ""))) count.failures++;
    }
  };
  walk(written);
  return { count, holds: hasChildren };
}

/** Mermaid and Graphviz parse labels differently. */
const onOneLine = (text) =>
  text
    .replace(/<br\s*\/?>/g, " ")
    .replace(/\\n/g, " ")
    .replace(/\s+/g, " ")
    .trim();
/** Names have one line of at most 60 characters, without control and bidirectional characters. */
function expected(name) {
  const line = [...name.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\s]+/gu, " ").trim()];
  return line.length > 60 ? `${line.slice(0, 59).join("")}…` : line.join("");
}

const all = plans();
let folder, graphviz;
before(async () => {
  folder = await npmPackages("mermaid-11.17.2", ["mermaid@11.17.2", "@viz-js/viz@3.31.0"]);
  const { instance } = await import(createRequire(join(folder, "x.js")).resolve("@viz-js/viz"));
  graphviz = await instance();
}, TIMEOUT);

test("the examples contain enough elements", () => assert.ok(all.length > 60, `${all.length} plans`));

async function parsedByMermaid(texts) {
  const script = `
    const { mermaid } = globalThis;
    mermaid.initialize({ startOnLoad: false, maxTextSize: 1e7, maxEdges: 1e6 });
    const texts = await (await fetch("/texts")).json();
    const found = [];
    for (const text of texts) {
      try {
        const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
        const label = (value) => (value ?? "").replace(/ﬂ°°(\\d+)¶ß/g, (_, code) => String.fromCodePoint(code));
        const vertices = [...(db.getVertices() instanceof Map ? db.getVertices().values() : Object.values(db.getVertices()))];
        found.push({
          nodes: vertices.map(({ id, text, type }) => ({ id, text: label(text), type })),
          edges: db.getEdges().map(({ start, end, text, stroke }) => ({ start, end, text: label(text), stroke })),
          frames: db.getSubGraphs().map(({ id, title, nodes }) => ({ id, title: label(title), nodes })),
        });
      } catch (error) { found.push({ error: String(error.message ?? error) }); }
    }
    await tell(JSON.stringify(found));
  `;
  const { told, close } = await visit(
    join(folder, "node_modules/mermaid/dist"),
    { mermaid: "/page.js" },
    async (request, response) => {
      const send = (type, body) => response.writeHead(200, { "content-type": type }).end(body);
      if (request.url === "/texts") return send("application/json", JSON.stringify(texts)), true;
      if (request.url === "/page.js")
        return (
          send(
            "text/javascript",
            `const script = document.createElement("script");
      script.src = "/mermaid.min.js";
      await new Promise((resolve) => { script.onload = resolve; document.head.append(script); });
      ${script}`,
          ),
          true
        );
      return false;
    },
  );
  const found = JSON.parse(await told.mermaid);
  await close();
  return found;
}

test("Mermaid understands every drawing as the plan", TIMEOUT, async () => {
  const texts = all.map(({ text }) => toMermaid(text).text);
  const found = await parsedByMermaid(texts);
  for (const [at, one] of all.entries()) {
    const drawing = found[at];
    assert.equal(drawing.error, undefined, `${one.name}:\n${texts[at]}`);
    const { count } = expectedElements(one);
    const isMark = ({ id }) => /^(start|finish|n\d+_(in|out))$/.test(id);
    const marks = new Set(drawing.nodes.filter(isMark).map(({ id }) => id));
    const real = drawing.edges.filter(
      ({ start, end }) => !(start === "start" || /_in$/.test(start) || end === "finish" || /_out$/.test(end)),
    );
    assert.deepEqual(
      { nodes: drawing.nodes.length - marks.size, frames: drawing.frames.length, edges: real.length },
      { nodes: count.nodes, frames: count.frames, edges: count.edges },
      one.name,
    );
    assert.equal(real.filter(({ stroke }) => stroke === "dotted").length, count.failures, `${one.name}: failures`);
    const labels = drawing.nodes.filter((node) => !isMark(node)).map(({ text }) => onOneLine(text).replace(/^·$/, ""));
    const keys = one.graph.nodes.filter(({ key }) => key);
    for (const { key } of keys) {
      const name = expected(key) || "·";
      const titles = [...labels, ...drawing.frames.map(({ title }) => onOneLine(title))];
      assert.ok(
        titles.some((label) => label === name || label.startsWith(`${name} `)),
        `${one.name}: ${JSON.stringify(key)} in ${JSON.stringify(titles)}`,
      );
    }
  }
});

test("Graphviz understands every drawing as the plan", TIMEOUT, () => {
  for (const one of all) {
    const text = toDot(one.text).text;
    const drawing = JSON.parse(graphviz.renderString(text, { format: "json0" }));
    const { count } = expectedElements(one);
    const objects = drawing.objects ?? [];
    const frames = objects.filter(({ name }) => name.startsWith("cluster_"));
    const nodes = objects.filter(({ name }) => !name.startsWith("cluster_"));
    const real = nodes.filter(({ name }) => !/^(start|finish|n\d+_(in|out))$/.test(name));
    const edges = (drawing.edges ?? []).filter((edge) => edge.class !== "way");
    assert.deepEqual(
      { nodes: real.length, frames: frames.length, edges: edges.length },
      { nodes: count.nodes, frames: count.frames, edges: count.edges },
      one.name,
    );
    assert.equal(edges.filter((edge) => edge.class === "failure").length, count.failures, `${one.name}: failures`);
    const titles = objects.map(({ label }) =>
      onOneLine(label ?? "")
        .replace(/\\(["\\])/g, "$1")
        .replaceAll("&amp;", "&"),
    );
    for (const { key } of one.graph.nodes) {
      const name = expected(key) || "·";
      assert.ok(
        titles.some((label) => label === name || label.startsWith(`${name} `)),
        `${one.name}: ${JSON.stringify(key)} in ${JSON.stringify(titles)}`,
      );
    }
  }
});

test("graph writes both formats in every direction, and lists the formats", async () => {
  file("nested.yaml", "start: a\nnodes: {a: {type: map, do: {nodes: {b: {type: noop}}}}}\n");
  const [right, dotted, wrong, nowhere] = await Promise.all(
    [
      ["--direction", "lr"],
      ["-o", "dot", "-d", "LR"],
      ["-o", "svg"],
      ["-d", "up"],
    ].map((more) => stepgraph(["graph", "nested.yaml", ...more])),
  );
  assert.match(right.out, /^flowchart LR\n[^]*subgraph n0\["a #?.*map"\]\n/);
  assert.match(dotted.out, /rankdir=LR[^]*subgraph cluster_n0 \{\n\s+label="a · map";/);
  assert.deepEqual([wrong.code, nowhere.code], [2, 2]);
  assert.match(nowhere.err, /there is no direction `UP`/);
});

test("a plan with errors is not drawn", () => {
  const { text, diagnostics } = toMermaid("nodes: {a: {}}");
  assert.deepEqual([text, diagnostics.map(({ code }) => code)], [null, ["graph/missing-type"]]);
  assert.match(toMermaid({ nodes: { a: { type: "noop" } } }, { direction: "RL" }).text, /^flowchart RL\n/);
});

test("Mermaid understands drawings of changes, with marks and hostile names", TIMEOUT, async () => {
  const [one, other] = [hostile(HOSTILE), hostile([...HOSTILE].slice(0, 20).reverse())];
  const simple = { nodes: { a: { type: "noop" }, b: { type: "noop" } }, edges: [{ from: "a", to: "b" }] };
  const grown = {
    nodes: { a: { type: "log" }, c: { type: "llm", input: "hi" } },
    edges: [{ from: "a", to: "c", condition: 'last == "x|y"' }],
  };
  const pairs = [
    [one, other],
    [null, one],
    [other, null],
    [simple, grown],
  ];
  const texts = [];
  for (const [before, after] of pairs) {
    const version = (plan) => plan && { text: JSON.stringify(plan) };
    texts.push((await reviewChange(version(before), version(after), { file: "plan.json" })).drawing);
  }
  const found = await parsedByMermaid(texts);
  for (const [at, { error }] of found.entries()) assert.equal(error, undefined, texts[at]);
  const labels = ({ nodes }) => nodes.map(({ text }) => onOneLine(text));
  assert.deepEqual(labels(found[3]), ["~ a log", "+ c llm", "− b noop"]);
  assert.deepEqual(
    found[3].edges.map(({ text }) => onOneLine(text)),
    ['+ last == "x|y"', "−"],
  );
  const shown = expectedElements({ graph: PlanGraph.parse(JSON.stringify(one)).graph }).count;
  assert.equal(found[1].edges.length, shown.edges);
});
