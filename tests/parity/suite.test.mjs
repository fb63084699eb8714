// Runs every case of the suite with every driver: each must match the expectations and the Rust machine.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { byClient, cases, differences, drivers, comparableParts, textual } from "./suite.mjs";
import { program } from "./programs.mjs";

/** No other output contains measured values. */
function withoutDurations({ trace, state }) {
  const without = (text) => text?.replaceAll(/"(duration_ms|total_execution_time_ms)":[\d.]+/g, '"$1":0');
  return { trace: without(trace), state: without(state) };
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const all = cases();
const machine = new Map();
let compared = 0;

before(async () => {
  const { stdout } = await promisify(execFile)(await program("traces"), [], { cwd: root, maxBuffer: 1 << 28 });
  for (const { suite, id, trace, state } of JSON.parse(stdout)) machine.set(`${suite}/${id}`, { trace, state });
});

after(() => console.log(`${compared} runs gave the machine's trace and end, byte for byte`));

test("Rust and JavaScript read the same cases", () => {
  assert.deepEqual(all.map(({ suite, id }) => `${suite}/${id}`).sort(), [...machine.keys()].sort());
  assert.ok(all.length >= 106, `only ${all.length} cases were found`);
});

for (const one of all) {
  test(`${one.suite}/${one.id}: ${one.name}`, async () => {
    for (const [name, drive] of Object.entries(drivers)) {
      const ended = await drive(one);
      assert.deepEqual(differences(ended, one.expect), [], name);
      assert.deepEqual(
        withoutDurations(comparableParts(ended)),
        withoutDurations(machine.get(`${one.suite}/${one.id}`)),
        `${name}: trace and state are not the machine's`,
      );
      compared++;
    }
  });
}

test("a server's tool accepts only a map", async () => {
  for (const one of all.filter(({ id }) => textual.includes(id))) {
    const { report, diagnostics } = await byClient(one);
    const codes = report === null ? diagnostics.map(({ code }) => code) : [report.outcome.code];
    assert.ok(codes.includes("tool/invalid-arguments"), one.id);
  }
});
