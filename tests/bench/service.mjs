// Measures how long an editor waits for the language service: `node service.mjs [--quick]`.
//
// Uses documents of 1 000, 10 000 and 50 000 lines and the built module for editors. Each keystroke inserts a character
// after a random word or removes it again, and requests all diagnostics. Other requests are at random words too. Times
// are in milliseconds and include the maximum, because a person notices it. Loops run as many rounds as fit into the
// time. The first three rounds are warm-up.
import { performance } from "node:perf_hooks";
import { reason } from "./engines/index.mjs";

const quick = process.argv.includes("--quick");
const SIZES = quick ? [1_000, 10_000] : [1_000, 10_000, 50_000];
const FRAME_MS = 16;

/** Builds a chain of about `lines` lines with realistic tools, inputs, templates and conditions. */
function plan(lines) {
  const nodes = Math.ceil(lines / 12);
  const node = (at) => `  step-${at}:
    type: tool
    tool: search
    input:
      query: "records of \${input.name}, part ${at}"
      limit: 10
    # what it is for
    metadata:
      title: Look up customer ${at}
`;
  const edge = (at) => `  - from: step-${at - 1}
    to: step-${at}${at % 2 ? "" : `\n    condition: output.step-${at - 1}.status==ok`}
`;
  const numbers = Array.from({ length: nodes }, (_, at) => at);
  return `id: customers\nstart: step-0\nnodes:\n${numbers.map(node).join("")}edges:\n${numbers.slice(1).map(edge).join("")}`;
}

/** A deterministic random number generator. */
function numbers(seed) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** Returns the offsets at which the words of a text end. */
function ends(text) {
  return Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), (word) => word.index + word[0].length);
}

function measured(rounds, budgetMs, work) {
  const times = [];
  const start = performance.now();
  for (let round = -3; round < rounds && (round < 3 || performance.now() - start < budgetMs); round++) {
    const before = performance.now();
    work(round);
    if (round >= 0) times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(part * times.length))];
  return { rounds: times.length, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: times.at(-1) };
}

function rows({ PlanDocument, formatPlan }, lines) {
  const text = plan(lines);
  const words = ends(text);
  const draw = numbers(lines);
  const randomWord = () => words[draw(words.length)];
  const [many, few, budgetMs] = quick ? [30, 3, 1_000] : [400, 20, 8_000];
  const tools = [
    {
      name: "search",
      inputSchema: { type: "object", properties: { query: { type: "string" }, limit: { type: "integer" } } },
    },
  ];
  const document = new PlanDocument(text, { tools });
  const typed = (put) => {
    let at = null;
    return () => {
      if (at === null) {
        at = randomWord();
        document.change([{ span: { start: at, end: at }, text: put }]);
      } else {
        document.change([{ span: { start: at, end: at + put.length }, text: "" }]);
        at = null;
      }
      document.diagnostics();
    };
  };
  const named = text.indexOf(`to: step-${Math.floor(lines / 24)}\n`) + 4;
  const found = {
    open: measured(few, budgetMs, () => {
      const opened = new PlanDocument(text, { tools });
      opened.diagnostics();
      opened.free();
    }),
    keystroke: measured(many, budgetMs, typed("x")),
    "keystroke, a quote": measured(many, budgetMs, typed('"')),
    "keystroke, a line": measured(many, budgetMs, typed("\n")),
  };
  document.setText(text);
  return {
    ...found,
    completion: measured(many, budgetMs, () => document.complete(randomWord())),
    hover: measured(many, budgetMs, () => document.hover(randomWord())),
    definition: measured(many, budgetMs, () => document.definition(named)),
    rename: measured(few, budgetMs, () => document.rename(named, "renamed")),
    tokens: measured(few, budgetMs, () => document.tokens()),
    symbols: measured(few, budgetMs, () => document.symbols()),
    format: measured(few, budgetMs, () => formatPlan(text)),
  };
}

const result = { frameMs: FRAME_MS, sizes: {} };
try {
  const editor = await import("../../dist/editor/node.js");
  for (const lines of SIZES) result.sizes[lines] = rows(editor, lines);
} catch (error) {
  result.unavailable = reason(error);
}
console.log(JSON.stringify(result));
