// Tests an engine that runs out of memory: the run fails with a code, and the next run works.
//
// The limit is patched into the module, because WebAssembly memory can't be limited from outside.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { init, PlanError, PlanGraph, Run, run } from "../../dist/module.js";

const MEMORY = 5;

function number(bytes, at) {
  let [value, length] = [0, 0];
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at + length++];
    value |= (byte & 127) << shift;
    if (byte < 128) return { value, length };
  }
}

function numbered(value) {
  const bytes = [];
  for (let left = value; ; left >>>= 7) {
    if (left < 128) return [...bytes, left];
    bytes.push((left & 127) | 128);
  }
}

/** Allows `more` pages of 64 kB above the initial size. */
function withMemoryLimit(bytes, more) {
  for (let at = 8; at < bytes.length; ) {
    const { value: size, length } = number(bytes, at + 1);
    const body = at + 1 + length;
    if (bytes[at] === MEMORY) {
      const { value: least } = number(bytes, body + 2);
      const section = [1, 1, ...numbered(least), ...numbered(least + more)];
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([MEMORY, ...numbered(section.length), ...section]),
        bytes.subarray(body + size),
      ]);
    }
    at = body + size;
  }
  assert.fail("the module has no memory");
}

init(withMemoryLimit(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url)), 8));
const { graph } = PlanGraph.parse(
  "nodes: {each: {type: map, with: {join: settled}, do: {nodes: {a: {type: log, input: '${input}'}}}}}",
);
const items = (length) => Array.from({ length }, (_, i) => i);
const assertMemoryError = (error) => {
  assert.ok(error instanceof PlanError, error?.stack);
  assert.equal(error.code, "api/engine-failed");
  return true;
};

test("a run without enough memory fails with a code, and others continue", async () => {
  for (let time = 0; time < 20; time++) {
    for (const length of [20_000, 200_000])
      await assert.rejects(run(graph, { input: items(length) }), assertMemoryError);
    const { outcome, last } = await run(graph, { input: items(3) });
    assert.deepEqual([outcome.type, last.length], ["completed", 3], `after ${time} that failed`);
  }
});

test("a hand-driven run and a parse without enough memory fail with a code, too", async () => {
  for (let time = 0; time < 5; time++) {
    const machine = new Run(graph, { input: items(200_000) });
    assert.throws(() => machine.step({ type: "start", atMs: 0 }), assertMemoryError);
    machine.free();
    const text = `nodes: {${items(40_000).map((i) => `n${i}: {type: log}`)}}`;
    assert.throws(() => PlanGraph.parse(text), assertMemoryError);
    assert.equal((await run(graph, { input: [1] })).outcome.type, "completed");
  }
});
