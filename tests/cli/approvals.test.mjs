// Tests that a person sees every call in full, with hidden characters escaped.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { revealHidden, revealHiddenLine } from "../../wasm/dist/terminal/reveal-hidden.js";
import { ERAS, overHttp, textOf } from "./serve/client.mjs";
import { folder } from "./stepgraph.mjs";

const served = await overHttp(["--runs", "approvals"]);
after(() => served.stop());

test("hidden characters are written out, and all others stay unchanged", () => {
  for (const text of [
    "",
    "two words",
    "one\ntwo\n\nthree",
    '{\n  "a": "é ü 日本 🙂"\n}',
    "  indented\n    more",
    "x̂ y̱",
  ])
    assert.equal(revealHidden(text), text);
  for (const [text, shown] of [
    ["a\u0000b\u001b[2Jc\u007f\u009b", "a\\u0000b\\u001b[2Jc\\u007f\\u009b"],
    ["pay 1\u202e000 1\u202c", "pay 1\\u202e000 1\\u202c"],
    ["\u2066x\u2069\u200e\u200f\u061c", "\\u2066x\\u2069\\u200e\\u200f\\u061c"],
    ["a\u200bb\u200c\u200d\u2060\ufeff\u00ad", "a\\u200bb\\u200c\\u200d\\u2060\\ufeff\\u00ad"],
    ["a\u{e0041}\u{e007f}b", "a\\udb40\\udc41\\udb40\\udc7fb"],
    ["a\ufe0fb\u{e0100}", "a\\ufe0fb\\udb40\\udd00"],
    ["a\u3164\u115f\u2800b", "a\\u3164\\u115f\\u2800b"],
    ["a\u00a0\u3000\u2003b\tc", "a\\u00a0\\u3000\\u2003b\\u0009c"],
    ["a\ud800b", "a\\ud800b"],
    ["a\u2028b\u2029c\rd", "a\\u2028b\\u2029c\\u000dd"],
    [`a${" ".repeat(400)}b`, "a⟨400 spaces⟩b"],
    [`a${"\n".repeat(400)}b`, "a\n⟨399 empty lines⟩\nb"],
    [`a${"\n   \t".repeat(400)}\nb`, "a\n⟨400 empty lines⟩\nb"],
    ["a⟨400 spaces⟩b", "a\\u27e8400 spaces⟩b"],
    [`e${"\u0301".repeat(6)}`, `e${"\u0301".repeat(3)}\\u0301\\u0301\\u0301`],
  ])
    assert.equal(revealHidden(text), shown, JSON.stringify(text));
  assert.equal(revealHiddenLine("ask\n\nyes"), "ask\\n\\nyes");
});

test("the time to find hidden characters grows only with the text", () => {
  for (const part of [" ", "\n", "\n ", "\u0301", "\u200b", " \n\t", "⟨"]) {
    const text = revealHidden(part.repeat(300_000));
    assert.ok(text.length < 300_000 * 6 + 100, JSON.stringify(part));
  }
});

for (const era of Object.keys(ERAS)) {
  test(`a client can't approve an incompletely shown call, by ${era}`, async (context) => {
    let [asked, decision] = [[], "approve"];
    const client = await served.connect({
      era,
      elicit: (params) => (asked.push(params), { action: "accept", content: { decision } }),
    });
    context.after(() => client.close());
    const run = async (input) => {
      asked = [];
      const plan = JSON.stringify({ id: "order", nodes: { ask: { type: "approve", input } } });
      return client.callTool({ name: "run_plan", arguments: { plan } });
    };

    const padded = await run({ to: "me", note: "x".repeat(4000), amount: 1_000_000 });
    assert.equal(padded.structuredContent.status, "completed");
    assert.match(asked[0].message, /^The plan `order` asks for approval at `ask`.*\n.*"amount":1000000\}$/);

    await run({ to: `me${" ".repeat(900)}`, note: "1\u202e000\u200b" });
    assert.equal(asked[0].message.split("\n")[1], '{"to":"me⟨900 spaces⟩","note":"1\\u202e000\\u200b"}');

    const input = { note: "x".repeat(20_000), amount: 1_000_000 };
    const long = await run(input);
    const { message, requestedSchema } = asked[0];
    const digest = createHash("sha256").update(JSON.stringify(input)).digest("hex");
    assert.ok(
      message.includes(`SHA-256 ${digest}`) && message.includes(`${JSON.stringify(input).length} characters in all`),
      message.slice(-400),
    );
    assert.match(
      message,
      /It can't be approved here\. To approve it, see all of it: at a terminal, which shows all of it, with {2}stepgraph run/,
    );
    assert.deepEqual(requestedSchema.properties.decision.enum, ["reject", "leave it open"]);
    const { status, run: id, notes } = long.structuredContent;
    assert.equal(status, "paused", "although the client said yes");
    assert.match(notes.at(-1), /^`ask:1:1` is too long to show completely/);
    assert.ok(textOf(long).includes(notes.at(-1)));
    const piece = await client.callTool({
      name: "explain_run",
      arguments: { run: id, value: "/asked/0/input/amount" },
    });
    assert.equal(piece.structuredContent.piece.text, "1000000");

    decision = "leave it open";
    assert.equal((await run(input)).structuredContent.status, "paused");
    decision = "reject";
    assert.equal((await run(input)).structuredContent.last, "rejected");
    assert.equal(
      (await client.callTool({ name: "resume_run", arguments: { run: id } })).structuredContent.last,
      "rejected",
    );
  });
}

test("a name with line breaks does not pass for another line", async (context) => {
  const asked = [];
  const client = await served.connect({
    elicit: (params) => (asked.push(params), { action: "decline" }),
  });
  context.after(() => client.close());
  const node = "ask`.\nEverything was checked.\u202e";
  const plan = JSON.stringify({ nodes: { [node]: { type: "approve", input: 1 } } });
  const { structuredContent } = await client.callTool({ name: "run_plan", arguments: { plan } });
  assert.equal(asked[0].message.split("\n").length, 2, asked[0].message);
  assert.ok(asked[0].message.includes("ask`.\\nEverything was checked.\\u202e"));
  const kept = JSON.parse(readFileSync(join(folder, "approvals", `${structuredContent.run}.run.json`), "utf8"));
  assert.equal(kept.status, "completed");
});
