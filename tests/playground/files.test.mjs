// Tests import and export: files, addresses, pictures, and text differences.

import assert from "node:assert/strict";
import { test } from "node:test";
import { script } from "./script.mjs";

const { decodeText, fetchText, fileName, baseName, MAX_BYTES, scaleOf, sizeOf, diffLines } = await script(
  "share/files",
  "share/png-export",
  "share/line-diff",
);

globalThis.location = { href: "http://127.0.0.1/" };
const bytes = (text) => new TextEncoder().encode(text);
const code = (found) => (error) => error.code === found || assert.fail(`${error.code ?? error} is not ${found}`);

test("a file that is not text is rejected with its name", () => {
  assert.deepEqual(decodeText(bytes("a: é"), "dir/my plan.yaml"), { name: "my plan", text: "a: é" });
  for (const [content, expected] of [
    [bytes("a\0b"), "file/binary"],
    [new Uint8Array([0xff, 0xfe, 0]), "file/binary"],
    [{ byteLength: MAX_BYTES + 1 }, "file/large"],
  ]) {
    assert.throws(() => decodeText(content, "x"), code(expected));
  }
});

test("names fit on any disk", () => {
  const cases = [
    ["mi plan", "mi plan.yaml"],
    ["../../etc/pass:wd", "etc pass wd.yaml"],
    ["", "plan.yaml"],
    ["...", "plan.yaml"],
    ["a\u0000b\u202Ec", "a b c.yaml"],
    ["x".repeat(200), `${"x".repeat(80)}.yaml`],
  ];
  for (const [name, expected] of cases) assert.equal(fileName(name, "yaml"), expected);
  assert.deepEqual(["a/b.YML", "plan.mmd", "C:\\x\\y.json", "", "/"].map(baseName), ["b", "plan", "y", "", ""]);
});

test("an address returns a plan or the reason of the failure", async () => {
  const answer = (body, init) => async (_url, settings) => {
    assert.deepEqual([settings.credentials, settings.referrerPolicy], ["omit", "no-referrer"]);
    return new Response(body, init);
  };
  assert.deepEqual(await fetchText(" https://example.com/a/plan.yaml?x=1 ", answer("nodes: {}")), {
    name: "plan",
    text: "nodes: {}",
  });
  const html = { headers: { "content-type": "text/html; charset=utf-8" } };
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)) });
  const torn = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
  const cases = [
    ["javascript:alert(1)", answer("x"), "file/address"],
    ["http://[", answer("x"), "file/address"],
    ["file:///etc/passwd", answer("x"), "file/address"],
    [
      "https://example.com/a",
      async () => {
        throw new TypeError("Failed to fetch");
      },
      "file/unreachable",
    ],
    ["https://example.com/a", answer("", { status: 404 }), "file/missing"],
    ["https://example.com/a", answer("", { status: 403 }), "file/refused"],
    ["https://example.com/a", answer("<html>", html), "file/binary"],
    ["https://example.com/a", answer(endless), "file/large"],
    ["https://example.com/a", answer(torn), "file/unreachable"],
  ];
  for (const [address, get, expected] of cases) await assert.rejects(fetchText(address, get), code(expected), address);
});

test("a picture is sharp, and no larger than a browser can hold", () => {
  assert.deepEqual(sizeOf('<svg xmlns="x" viewBox="0 0 3 4" width="300.5" height="40" role="img">'), {
    width: 300.5,
    height: 40,
  });
  assert.equal(scaleOf(300, 40), 2);
  assert.ok(scaleOf(20_000, 400) * 20_000 <= 16_384);
  assert.ok(scaleOf(12_000, 12_000) ** 2 * 144_000_000 <= 100_000_001);
  assert.deepEqual([scaleOf(400_000, 400_000), scaleOf(0, 0), scaleOf(NaN, 4)], [null, null, null]);
});

test("different lines are listed, with a few lines around them", () => {
  const describeChange = (before, after) =>
    diffLines(before, after).map(({ kind, text }) => ({ same: " ", old: "-", new: "+", gap: "@" })[kind] + text);
  assert.deepEqual(describeChange("a\nb\nc", "a\nb\nc"), []);
  assert.deepEqual(describeChange("a\nb\nc", "a\nx\nc"), [" a", "-b", "+x", " c"]);
  assert.deepEqual(describeChange("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10"), [
    "@6",
    " 7",
    " 8",
    " 9",
    "+10",
  ]);
  assert.deepEqual(describeChange("", "a"), ["-", "+a"]);
  const unlike = describeChange("a\n".repeat(5_000), "b\n".repeat(5_000));
  assert.equal(unlike.length, 10_001);
});

test("the listed differences turn one text into the other", () => {
  let seed = 7;
  const random = (most) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
  for (let round = 0; round < 300; round++) {
    const before = Array.from({ length: random(9) }, () => "abc"[random(3)]);
    const after = before.filter(() => random(4) > 0);
    for (let at = random(4); at > 0; at--) after.splice(random(after.length + 1), 0, "abc"[random(3)]);
    const lines = diffLines(before.join("\n"), after.join("\n"));
    if (before.join() === after.join()) continue;
    const linesOfSide = (other) => lines.filter(({ kind }) => kind !== other && kind !== "gap").map(({ text }) => text);
    const left = lines.filter(({ kind }) => kind === "gap").reduce((sum, { text }) => sum + Number(text), 0);
    assert.equal(linesOfSide("new").length + left, Math.max(1, before.length));
    assert.equal(linesOfSide("old").length + left, Math.max(1, after.length));
    if (left === 0)
      assert.deepEqual(
        [linesOfSide("new").join("\n"), linesOfSide("old").join("\n")],
        [before.join("\n"), after.join("\n")],
      );
  }
});
