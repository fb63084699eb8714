import assert from "node:assert/strict";
import { test } from "node:test";
import { erase, LiveRegion } from "../../dist/cli/live-region.js";
import { file, stepgraph } from "./stepgraph.mjs";
import { plain, coloured } from "../../dist/terminal/style.js";
import { RunDisplay } from "../../dist/cli/run-display.js";
import { columnsForNames, summaryLine, RunLines, transitionReason } from "../../dist/cli/run-lines.js";

const options = (more = {}) => ({ style: plain, columns: () => 60, verbose: false, names: 6, ...more });
const comparedValue = (reference, value) => (value === undefined ? { reference, missing: true } : { reference, value });
const verdict = (condition, holds, ...facts) => ({ edge: 0, condition, holds, saw: facts });
const transitionEvent = (reason, to, ...verdicts) => ({
  type: "edge-decided",
  atMs: 3,
  node: "a",
  from: "a",
  to,
  edge: null,
  reason,
  verdicts,
});

const RUN = [
  { type: "run-started", atMs: 0, input: "hola" },
  { type: "node-started", atMs: 1, node: "greet", visit: 1, input: "hola" },
  { type: "node-completed", atMs: 3, node: "greet", visit: 1, output: { long: "x".repeat(90) }, durationMs: 2 },
  transitionEvent(
    "condition",
    "again",
    verdict("last==no", false, comparedValue("last", 1)),
    verdict("last.long.exists", true, comparedValue("last.long", "x")),
  ),
  { type: "node-started", atMs: 4, node: "greet", visit: 2, input: null },
  { type: "node-failed", atMs: 9, node: "greet", visit: 2, code: "tool/failed", message: "no\nway", durationMs: 5 },
  { type: "run-ended", atMs: 9, outcome: { type: "failed", code: "tool/failed", message: "no\nway", node: "greet" } },
];

test("the view prints one line for each ended node, with the transition", () => {
  const view = new RunLines(options());
  assert.deepEqual(
    RUN.flatMap((event) => view.take(event, 0)),
    [
      '✓ greet     2.0 ms  {"long": "xxxxxxxxxxxxxxxxxxxxxxxxxxxx…',
      '  → again  since last.long.exists (last.long is "x")',
      "✗ greet ×2    5.0 ms  tool/failed: no␊way",
    ],
  );
});

test("verbose: inputs, every condition, and when", () => {
  const view = new RunLines(options({ verbose: true, columns: () => 80 }));
  assert.deepEqual(
    RUN.slice(0, 4).flatMap((event) => view.take(event, 0)),
    [
      '   0.0 ms  ▸ run  starts with "hola"',
      '   1.0 ms  ▸ greet   receives "hola"',
      '   3.0 ms  ✓ greet     2.0 ms  {"long": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…',
      "               no  last==no (last is 1)",
      '               yes last.long.exists (last.long is "x")',
      "             → again  since last.long.exists",
    ],
  );
});

test("verbose: a condition shows all its operands, sizes and failures", () => {
  const lines = (columns, ...verdicts) =>
    new RunLines(options({ verbose: true, columns: () => columns }))
      .take(transitionEvent("fallback", "b", ...verdicts), 0)
      .map((line) => line.slice("   0.0 ms  ".length));
  const urgent = [{ id: "a long id of an urgent message" }, { id: "b" }];
  const condition = "size(last.urgent) >= input.threshold || last.vip";
  const operands = [
    comparedValue("last.urgent", urgent),
    comparedValue("input.threshold", 3),
    comparedValue("last.vip"),
  ];
  assert.deepEqual(lines(140, verdict(condition, false, ...operands)), [
    `    no  ${condition} (size(last.urgent) is 2, input.threshold is 3, last.vip is missing)`,
    "  → b  since no condition held",
  ]);
  // An operand that is more than its size is shown too.
  const both = "last.l.size() > 1 && 'x' in last.l";
  assert.equal(
    lines(100, verdict(both, false, comparedValue("last.l", ["a", "b"])))[0],
    `    no  ${both} (last.l.size() is 2, last.l is ["a", "b"])`,
  );
  // Long values are cut, and short ones are not.
  const texts = [
    comparedValue("last.a", "x".repeat(90)),
    comparedValue("last.n", 12),
    comparedValue("last.b", "y".repeat(90)),
  ];
  assert.equal(
    lines(100, verdict("last.a == last.b", false, ...texts))[0],
    '    no  last.a == last.b (last.a is "xxxxxxxxxx…, last.n is 12, last.b is "yyyyyyyyyy…)',
  );
  // A long condition leaves room for the values.
  const long = lines(100, verdict(`${"last.n > 1 && ".repeat(20)}true`, false, comparedValue("last.n", 1)))[0];
  assert.match(long, /^ {4}no {2}last\.n > 1 && .*… \(last\.n is 1\)$/);
  assert.equal(
    lines(100, { ...verdict("last.a < 3", false, comparedValue("last.a", "x")), failed: true })[0],
    '    failed last.a < 3 (last.a is "x")',
  );
});

test("without a limit of columns nothing is cut", () => {
  const long = "x".repeat(30_000);
  const deep = JSON.parse("[".repeat(100) + "]".repeat(100));
  const name = "n".repeat(60);
  const view = new RunLines(options({ verbose: true, columns: () => Infinity }));
  const facts = Array.from({ length: 12 }, (_, at) => comparedValue(`last.v${at}`, `${at}${"y".repeat(90)}`));
  const condition = facts.map(({ reference }) => `${reference} == "no"`).join(" || ");
  const text = [
    { type: "node-started", atMs: 1, node: name, visit: 1, input: { long }, scope: `${name}:1/${name}` },
    { type: "node-completed", atMs: 2, node: name, visit: 1, output: deep, durationMs: 1, scope: `${name}:1/${name}` },
    { type: "node-failed", atMs: 3, node: "f", visit: 1, code: "tool/failed", message: long, durationMs: 1 },
    { type: "tool-asked", atMs: 3, call: "c", tool: name, arguments: { long } },
    transitionEvent("fallback", "b", verdict(condition, false, ...facts)),
  ]
    .flatMap((event) => view.take(event, 0))
    .join("\n");
  assert.ok(!text.includes("…"));
  assert.equal(text.split(long).length, 4);
  assert.ok(text.includes("]".repeat(100)));
  for (const { reference, value } of facts) assert.ok(text.includes(`${reference} is "${value}"`), reference);
});

test("a pipe gets the lines of `run --verbose` whole, and short ones without it", async () => {
  const long = "word ".repeat(60);
  const plan = file(
    "long.yaml",
    "start: a\nnodes: {a: {type: noop}, b: {type: noop}}\nedges: [{from: a, to: b, condition: last != 1}]\n",
  );
  const whole = await stepgraph(["run", plan, "--verbose", "--prompt", long]);
  assert.equal(whole.err.split(long).length, 7, whole.err);
  const brief = await stepgraph(["run", plan, "--prompt", long]);
  assert.equal(brief.code, 0, brief.err);
  assert.ok(brief.err.split("\n").every((line) => line.length <= 120));
});

test("the view explains each transition", () => {
  const cases = [
    [
      transitionEvent("condition", "b", verdict("last==x", true, comparedValue("last", "x"))),
      '→ b  since last==x (last is "x")',
    ],
    [transitionEvent("fallback", "b"), "→ b"],
    [
      transitionEvent("fallback", "b", verdict("last==x", false, comparedValue("last"))),
      "→ b  since no condition held (last is missing)",
    ],
    [
      transitionEvent("no-match", null, verdict("last==x", false, comparedValue("last", 2))),
      "■ ends, since no condition held (last is 2)",
    ],
    [
      transitionEvent("no-match", null, { ...verdict("last<3", false, comparedValue("last", "x")), failed: true }),
      '■ ends, since a condition failed (last is "x")',
    ],
    [transitionEvent("terminal", null), "■ ends, since no edge leaves it"],
  ];
  for (const [event, sentence] of cases) assert.equal(transitionReason(event), sentence);
});

test("the view shows running nodes with their time until they or the run end", () => {
  const view = new RunLines(options());
  view.take({ type: "node-started", atMs: 1, node: "slow", visit: 1, input: null }, 100);
  assert.deepEqual(view.running(1300, 0), ["⠋ slow       1.2 s"]);
  assert.deepEqual(view.take({ type: "run-ended", atMs: 5, outcome: { type: "cancelled" } }, 0), [
    "– slow    abandoned",
  ]);
});

test("no line is wider than the terminal", () => {
  for (const columns of [20, 40, 80]) {
    const view = new RunLines(options({ columns: () => columns, names: 3 }));
    const lines = RUN.flatMap((event) => [...view.take(event, 0), ...view.running(9, 1)]);
    if (columns >= 40)
      assert.ok(
        lines.every((line) => line.length < columns),
        lines.join("\n"),
      );
    assert.ok(lines.every((line) => line.length < columns + 20));
  }
});

test("the last line shows the outcome and the totals", () => {
  const report = (outcome, counts) => ({
    outcome,
    durationMs: 12,
    counts: { steps: 1, calls: 2, retries: 0, ...counts },
  });
  assert.equal(summaryLine(report({ type: "completed" }), plain), "completed in 12.0 ms: 1 step, 2 calls");
  assert.equal(
    summaryLine(report({ type: "failed" }, { retries: 1, tokens: 9 }), plain),
    "failed in 12.0 ms: 1 step, 2 calls, 1 retry, 9 tokens",
  );
});

function stream(more) {
  const written = [];
  return { written, write: (text) => written.push(text), ...more };
}

test("a pipe gets plain lines at once, without running nodes", () => {
  const out = stream();
  const painter = new LiveRegion(out, {}, () => ["running"]);
  painter.add(["one"]);
  painter.add(["two", "three"]);
  painter.end();
  assert.deepEqual(out.written, ["one\n", "two\nthree\n"]);
});

test("on a terminal finished lines scroll and running ones are rewritten below", () => {
  const out = stream({ isTTY: true, columns: 80, rows: 24 });
  const painter = new LiveRegion(out, {}, () => ["running"]);
  painter.add(["one"]);
  for (let index = 0; index < 1000; index++) painter.add([`line ${index}`]);
  painter.end();
  assert.equal(out.written[0], "one\nrunning\n");
  assert.equal(out.written[1].slice(0, 8), "\x1b[1A\r\x1b[J");
  assert.ok(out.written.length < 100, "many lines are few writes");
  assert.ok(out.written.join("").includes("line 999\n"));
});

test("more running nodes than rows are counted, not shown", () => {
  const out = stream({ isTTY: true, columns: 80, rows: 5 });
  const painter = new LiveRegion(out, {}, () => ["a", "b", "c", "d"]);
  painter.add([]);
  painter.end();
  assert.equal(out.written[0], "a\nb\n… and 2 more\n");
});

test("the view clears lines that a narrower terminal wrapped", () => {
  assert.equal(erase([coloured.red("x".repeat(25)), "y"], 10), "\x1b[4A\r\x1b[J");
  assert.equal(erase([], 10), "");
});

test("a display buffers events and draws when the run waits or ends", async () => {
  const err = stream();
  const screen = new RunDisplay({ out: stream(), err, env: {} }, new RunLines(options()));
  for (const event of RUN.slice(0, 3)) screen.take(event);
  assert.deepEqual(err.written, []);
  await new Promise(setImmediate);
  assert.match(err.written.join(""), /^✓ greet .*\n$/);
  for (const event of RUN.slice(3)) screen.take(event);
  screen.end();
  assert.equal(err.written.join("").split("\n").length, 4);
});

test("a screen does not keep all events of a run that never waits", () => {
  const err = stream();
  const screen = new RunDisplay({ out: stream(), err, env: {} }, new RunLines(options()));
  for (let index = 0; index < 1500; index++) screen.take(RUN[2]);
  assert.equal(err.written.join("").split("\n").length - 1, 1000);
  screen.end();
});

test("names leave space for the visit number in a loop", () => {
  const nodes = ["a", "long"].map((id) => ({ key: id, id }));
  assert.equal(columnsForNames({ nodes, edges: [{ from: "a", to: "long" }] }), 4);
  assert.equal(
    columnsForNames({
      nodes,
      edges: [
        { from: "a", to: "long" },
        { from: "long", to: "a" },
      ],
    }),
    7,
  );
});

test("nested nodes are indented after the branch's name, with attempts and abandoned calls", () => {
  const view = new RunLines(options({ names: 4 }));
  const started = (node, scope) => ({
    type: "node-started",
    atMs: 0,
    node,
    visit: 1,
    input: null,
    ...(scope && { scope }),
  });
  const events = [
    started("fan"),
    { type: "scope-started", atMs: 0, scope: "fan:1/a", node: "fan", input: null },
    started("x", "fan:1/a"),
    {
      type: "node-retried",
      atMs: 5,
      node: "x",
      visit: 1,
      attempt: 1,
      code: "tool/busy",
      message: "later",
      delayMs: 400,
      scope: "fan:1/a",
    },
    { type: "scope-started", atMs: 5, scope: "fan:1/b/each:1/0", node: "each", input: 1 },
    started("y", "fan:1/b/each:1/0"),
  ];
  assert.deepEqual(
    events.flatMap((event) => view.take(event, 0)),
    ["│ ↻ a › x  attempt 2 in 400 ms  tool/busy: later"],
  );
  assert.deepEqual(view.running(1000, 0), [
    "⠋ fan      1.0 s",
    "│ ⠋ a › x     1.0 s  attempt 2",
    "│ │ ⠋ each 0 › y     1.0 s",
  ]);
  assert.deepEqual(view.take({ type: "scope-ended", atMs: 9, scope: "fan:1/a", status: "abandoned" }, 0), [
    "│ – a › x  abandoned",
    "└ a  abandoned",
  ]);
  assert.deepEqual(view.running(1000, 0).length, 2);
});
