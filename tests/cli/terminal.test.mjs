// Tests the display on a terminal: scrolled and rewritten lines, a question, and progress.

import assert from "node:assert/strict";
import { test } from "node:test";
import { everything } from "../servers/servers.mjs";
import { example, file, stepgraph } from "./stepgraph.mjs";
import { onTerminal } from "./terminal.mjs";

const FAN_OUT = ["run", example("fan-out.yaml"), "--prompt", "tea", "--stubs", example("fan-out.stubs.yaml")];
const withoutTimes = (lines) =>
  lines
    .map((line) =>
      line
        .replace(/\d+(\.\d)? (ms|s)\b/g, "_")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => line !== "");

test("after a run the screen shows the output of a pipe, without rewritten lines", async () => {
  const { out, err, code } = await stepgraph(FAN_OUT);
  assert.equal(code, 0, err);
  const plain = withoutTimes(`${err}${out}`.split("\n"));
  const seen = await onTerminal(FAN_OUT, { columns: 120 });
  assert.equal(seen.code, 0);
  assert.deepEqual(withoutTimes(seen.screen).sort(), plain.sort());
  assert.ok(!seen.screen.join("").match(/[⠀-⣿]/), "a spinner is left");
});

test("the terminal shows one line with the elapsed time for each running node", async () => {
  for (const columns of [50, 120]) {
    const { screens } = await onTerminal(FAN_OUT, { columns });
    const running = screens.map((lines) => lines.filter((line) => /[⠀-⣿]/.test(line)));
    assert.ok(
      running.some((lines) => lines.length >= 3),
      "several at once",
    );
    assert.ok(running.some((lines) => lines.some((line) => /web/.test(line))));
    for (const lines of running)
      assert.equal(
        new Set(withoutTimes(lines).map((line) => line.replace(/[⠀-⣿]/, "").replace(/_.*/, ""))).size,
        lines.length,
        lines.join("\n"),
      );
    assert.ok(screens.flat().every((line) => line.length <= columns));
  }
});

test("a small terminal counts the nodes without space and clears its lines", async () => {
  const { screens, screen } = await onTerminal(FAN_OUT, { columns: 80, rows: 5 });
  assert.ok(screens.some((lines) => lines.some((line) => /^… and \d+ more$/.test(line.trim()))));
  assert.ok(!screen.join("\n").match(/[⠀-⣿]|… and \d+ more/), screen.join("\n"));
});

test("the terminal asks the user and reads the answer", async () => {
  const plan = file(
    "asks.yaml",
    'nodes: {ask: {type: approve, input: {total: 5}}, done: {type: log, input: "${last}"}}\nedges: [{from: ask, to: done}]',
  );
  const answers = ["perhaps\r", "y\r"];
  const typed = (screen) =>
    screen.split("approve? [y]es").length > 3 - answers.length && answers.length > 0 ? answers.shift() : "";
  const { code, screen } = await onTerminal(["run", plan], { typed });
  const text = screen.join("\n");
  assert.equal(code, 0, text);
  assert.match(
    text,
    /ask:1:1 asks for approval:[^]*"total": 5[^]*that is neither `y`, `n`, `l` nor JSON[^]*✓ done[^]*completed in[^]*approved$/,
  );
});

for (const [how, keys] of [
  ["`l`", "l\r"],
  ["Ctrl-D", "\x04"],
])
  test(`${how} leaves the decision for later, and the printed command continues the run`, async () => {
    const plan = file("later.yaml", "nodes: {ask: {type: approve}, done: {type: log}}\nedges: [{from: ask, to: done}]");
    let isAnswered = false;
    const typed = (screen) => (!isAnswered && /JSON to continue/.test(screen) ? ((isAnswered = true), keys) : "");
    const args = ["run", plan, "--snapshot", "later.json"];
    const { code, screen } = await onTerminal(args, { typed, env: { npm_command: "exec" }, columns: 140 });
    assert.equal(code, 4, screen.join("\n"));
    const [, words] = /resume: npx stepgraph (run .*--approve ask:1:1)/.exec(screen.join("\n"));
    assert.equal((await stepgraph(words.trim().split(" "))).code, 0);
    // The run has ended, so a second one can't repeat its calls.
    const again = await stepgraph(words.trim().split(" "));
    assert.equal(again.code, 2);
    assert.match(again.err, /can't read `later.json`: there is no such file/);
  });

test("a run that Ctrl-C ended at a question can be resumed with a decision", async () => {
  const plan = file("asked.yaml", "nodes: {ask: {type: approve}}");
  let pressed = false;
  const typed = (screen) => (!pressed && /JSON to continue/.test(screen) ? ((pressed = true), "\x03") : "");
  const { code, screen } = await onTerminal(["run", plan, "--snapshot", "asked.json"], { typed, columns: 140 });
  assert.equal(code, 130, screen.join("\n"));
  assert.match(screen.join("\n"), /resume: stepgraph run asked.yaml --snapshot asked.json --resume asked.json/);
  const resumed = await stepgraph(["run", plan, "--resume", "asked.json", "--approve", "ask:1:1"]);
  assert.equal(resumed.code, 0, resumed.err);
});

test("Ctrl-C ends a run, which reports its progress", async () => {
  const plan = file(
    "slow.yaml",
    "nodes: {first: {type: log, input: 1}, slow: {type: wait}}\nedges: [{from: first, to: slow}]",
  );
  const stubs = file("slow.stubs.yaml", "types: {wait: {return: 1, delay_ms: 60000}}");
  let pressed = false;
  const typed = (screen) => (!pressed && /[⠀-⣿] slow/.test(screen) ? ((pressed = true), "\x03") : "");
  const { code, screen } = await onTerminal(["run", plan, "--stubs", stubs], { typed });
  assert.equal(code, 130, screen.join("\n"));
  assert.match(screen.join("\n"), /✓ first[^]*– slow +abandoned[^]*cancelled in/);
});

test("the terminal shows a tool's progress only while the tool runs", async (context) => {
  const server = await everything();
  context.after(() => server.stop());
  const plan = file(
    "long.yaml",
    "nodes: {long: {type: tool, tool: trigger-long-running-operation, input: {duration: 2, steps: 4}}}",
  );
  const { code, screen, screens } = await onTerminal(["run", plan, "--server", server.url]);
  assert.equal(code, 0, screen.join("\n"));
  assert.ok(
    screens.some((lines) => lines.some((line) => /[⠀-⣿] long .*(2\/4|2 of 4|50 ?%)/.test(line))),
    screens.map((lines) => lines.join("\n")).join("\n---\n"),
  );
  assert.match(screen.join("\n"), /✓ long .*Long running operation completed/);
  assert.ok(!screen.join("\n").match(/[⠀-⣿]/));
});

test("with --watch a change takes back the question, and the next run asks again", async () => {
  const asks = (total) => `nodes: {ask: {type: approve, input: {total: ${total}}}}`;
  const plan = file("asks-again.yaml", asks(5));
  const steps = [
    ["approve? [y]es", () => void file("asks-again.yaml", asks(7))],
    ['"total": 7', () => "y\r"],
    ["Ctrl-C ends", () => "\x03"],
  ];
  const typed = (screen) => (steps.length > 0 && screen.includes(steps[0][0]) ? (steps.shift()[1]() ?? "") : "");
  const { code, screen } = await onTerminal(["run", plan, "--watch"], { typed });
  assert.equal(code, 130);
  const text = screen.join("\n");
  assert.match(text, /cancelled[^]*asks-again\.yaml changed[^]*"total": 7[^]*completed[^]*approved[^]*watching/);
});
