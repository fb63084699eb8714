// Tests what retries cost with prompt caches (`tests/bench/cache-cost.mjs`), on real requests of three generations.
//
// `UPDATE=1` writes the table into `docs/planning.md`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { before, test } from "node:test";
import { startSync } from "../../dist/package-internals.js";
import { anthropicCache, cost, describe, measured, openaiCache, PRICES, recorded } from "../bench/cache-cost.mjs";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

const docs = new URL("../../docs/planning.md", import.meta.url);

// covers: 004-bound-cache
test("retries cost at most 40 % of their cost without a cache, for every provider's multipliers", async () => {
  const all = await measured();
  assert.equal(all.length, 3);
  for (const { name, rows, retries } of all) {
    assert.equal(rows.length, 4, name);
    assert.ok(retries.share <= 0.4, `${name}: ${retries.share}`);
    // Each request extends the previous one, so at least 90 % of that is cached.
    for (const [at, row] of rows.entries())
      if (at > 0) assert.ok(row.read > 0.9 * rows[at - 1].tokens, `${name}: ${JSON.stringify(rows)}`);
  }
  const text = readFileSync(docs, "utf8");
  const held = /(?<=<!-- cost -->\n\n)[^]*?(?=\n\n<!-- -->)/;
  if (process.env.UPDATE)
    return writeFileSync(
      docs,
      text.replace(held, () => describe(all)),
    );
  // The claimed percentages must hold even if prompts change.
  const claimed = [...held.exec(text)[0].matchAll(/\*\*(\d+) %\*\*/g)].map(([, share]) => Number(share));
  assert.equal(claimed.length, 3);
  for (const [at, share] of claimed.entries())
    assert.ok(
      Math.abs(share - 100 * all[at].retries.share) < 8,
      `the table says ${share} %, now it is ${100 * all[at].retries.share}: UPDATE=1 writes it`,
    );
});

test("the computation matches the flow's requests", async () => {
  const { bodies, report } = await recorded("anthropic");
  assert.deepEqual(
    [report.outcome.type, report.last.status, report.last.generations],
    ["completed", "planned", 3],
    JSON.stringify(report.last),
  );
  assert.equal(bodies.length, 7);
  for (const body of bodies.slice(3)) {
    const marks = JSON.stringify(body).split('"cache_control"').length - 1;
    assert.ok(marks >= 2 && marks <= 4, `${marks} marks`);
    assert.deepEqual(body.system[0].cache_control, { type: "ephemeral" });
  }
  const { bodies: own } = await recorded("openai");
  const keys = own.slice(3).map((body) => body.prompt_cache_key);
  assert.deepEqual([new Set(keys).size, typeof keys[0]], [1, "string"]);
});

test("the simulated caches behave as documented", () => {
  const block = (text, marked) => ({ type: "text", text, ...(marked && { cache_control: { type: "ephemeral" } }) });
  const body = (...blocks) => ({
    system: [block("s".repeat(8000), true)],
    messages: [{ role: "user", content: blocks }],
  });
  const long = "x".repeat(4000);
  const rules = { least: 1024 };
  const [first, again, more, other, short] = anthropicCache(
    [
      body(block(long, true)),
      body(block(long, true)),
      body(block(long), block("y", true)),
      { ...body(block("z", true)), system: [block("t".repeat(8000), true)] },
      { messages: [{ role: "user", content: [block("hi", true)] }] },
    ],
    rules,
  );
  assert.deepEqual([first.read, first.written], [0, first.tokens]);
  assert.deepEqual([again.read, again.written], [again.tokens, 0]);
  assert.deepEqual([more.read, more.written], [first.tokens, more.tokens - first.tokens]);
  assert.equal(other.read, 0);
  assert.deepEqual([short.read, short.written], [0, 0], "too short to be kept");
  // Only marked blocks are cached, and a lookup reaches back at most twenty blocks.
  const manyBlocks = (marked) => ({
    messages: [
      {
        role: "user",
        content: [
          block(long + long, marked),
          ...Array.from({ length: 25 }, (_, at) => block(`${at}`)),
          block("end", true),
        ],
      },
    ],
  });
  assert.equal(
    anthropicCache([body(block(long)), manyBlocks(false), manyBlocks(false)].slice(1), rules)[1].read > 0,
    true,
  );
  assert.equal(
    anthropicCache([{ messages: [{ role: "user", content: [block(long + long, true)] }] }, manyBlocks(false)], rules)[1]
      .read,
    0,
  );

  const chat = (text, key) => ({ messages: [{ role: "user", content: text }], prompt_cache_key: key });
  const played = openaiCache(
    [chat(long + long, "a"), chat(`${long}${long}!`, "a"), chat(`${long}${long}!`, "b"), chat("hi", "a")],
    { least: 1024, step: 128 },
  );
  assert.deepEqual(
    played.map(({ read }) => read),
    [0, 1024 + 7 * 128, 0, 0],
  );
  assert.deepEqual([played[3].written, cost({ tokens: 100, read: 50, written: 40 }, PRICES.anthropic)], [0, 65]);
});
