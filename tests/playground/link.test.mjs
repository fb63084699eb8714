// Tests plans as links: a written link parses, other text does not, and links never contain keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { script } from "./script.mjs";

const {
  createLink,
  readLink,
  isLink,
  checksum,
  pack,
  MAX_BYTES,
  registerSecret,
  removeSecrets,
  removeSecretsFromData,
} = await script("share/link", "share/encoding", "share/redact");

const PLAN = "# ñandú 🦤\nnodes:\n  a: {type: log, input: hi}\n";
const FULL_LINK = {
  text: PLAN,
  name: "mi plan",
  view: '{"open":["a"]}',
  stubs: "types: {tool: echo}",
  cassette: '{"type":"cassette","format":1}\n{"type":"end"}\n',
};
const code = (found) => (error) => error.code === found || assert.fail(`${error.code} is not ${found}`);
const signed = (data) => `#plan=${data}.${checksum(data)}`;

test("a written link reads back unchanged", async () => {
  for (const shared of [
    FULL_LINK,
    { ...FULL_LINK, view: "", stubs: "", cassette: "" },
    { ...FULL_LINK, text: "a: 1\n".repeat(100_000) },
  ]) {
    const { fragment, length, removed } = await createLink(shared);
    assert.match(fragment, /^plan=1\.[\w-]+\.[0-9a-z]{7}$/);
    assert.equal(length, fragment.length);
    assert.equal(removed, 0);
    assert.deepEqual(await readLink(`#${fragment}`), shared);
  }
});

test("a link survives changes by mail programs", async () => {
  const { fragment } = await createLink(FULL_LINK);
  const broken = fragment.replace(/(.{60})/g, "$1\r\n ");
  for (const text of [
    `#${broken}`,
    `#${fragment}.`,
    `#${fragment})`,
    `#${encodeURIComponent(fragment)}`,
    `#${fragment}>,`,
  ])
    assert.deepEqual(await readLink(text), FULL_LINK, text);
});

test("a truncated link is reported as incomplete, wherever it was cut", async () => {
  const { fragment } = await createLink(FULL_LINK);
  for (let end = "plan=".length + 2; end < fragment.length; end++)
    await assert.rejects(readLink(fragment.slice(0, end)), code("link/cut"));
});

test("every changed character of a link is detected", async () => {
  const { fragment } = await createLink(FULL_LINK);
  for (let at = "plan=1.".length; at < fragment.length; at += 3) {
    const other = fragment[at] === "a" ? "b" : "a";
    if (fragment[at] === ".") continue;
    await assert.rejects(readLink(fragment.slice(0, at) + other + fragment.slice(at + 1)), code("link/changed"));
  }
});

test("a text that is no link is rejected with a reason", async () => {
  const rawLink = async (text) => signed(`1.${await pack(text)}`);
  const bomb = Buffer.from(deflateRawSync(Buffer.alloc(MAX_BYTES * 20, 97), { level: 9 })).toString("base64url");
  const bad = Buffer.from(deflateRawSync(Buffer.from([0x22, 0xff, 0xfe, 0x22]))).toString("base64url");
  const cases = [
    [signed("2.abc"), "link/version"],
    ["#plan=17.whatever", "link/version"],
    ["#plan=x.y.z", "link/garbage"],
    ["#plan=1.a.b.c", "link/garbage"],
    ["#else", "link/garbage"],
    [signed("1.AAAA"), "link/garbage"],
    [signed("1.!!!!"), "link/garbage"],
    [signed("1.a"), "link/garbage"],
    ["#plan=1.", "link/cut"],
    ["#plan=1.abcd", "link/cut"],
    [signed(`1.${bomb}`), "link/large"],
    [signed(`1.${bad}`), "link/garbage"],
    [await rawLink("no JSON"), "link/garbage"],
    [await rawLink("null"), "link/garbage"],
    [await rawLink("[]"), "link/empty"],
    [await rawLink('{"t":7}'), "link/garbage"],
    [await rawLink('{"t":"  "}'), "link/empty"],
    [await rawLink('{"__proto__":{"t":"nodes: {}"}}'), "link/empty"],
    [await rawLink('{"t":"a","c":{}}'), "link/garbage"],
    ["#plan=1.%E0%A4%A.0000000", "link/changed"],
  ];
  for (const [text, expected] of cases) await assert.rejects(readLink(text), code(expected), text.slice(0, 40));
  assert.deepEqual([isLink("#plan=1"), isLink("plan=1"), isLink("#a"), isLink("")], [true, true, false, false]);
});

test("keys are in no link", async () => {
  registerSecret("hunter2-the-key");
  registerSecret("abc");
  const secrets = [
    "hunter2-the-key",
    "sk-ant-api03-AbCdEf0123456789AbCdEf",
    "ghp_0123456789abcdefghij0123",
    "AIza0123456789012345678901234567890",
    "AKIAABCDEFGHIJKLMNOP",
  ];
  for (const secret of secrets) {
    const { fragment, removed } = await createLink({
      text: `nodes: {a: {type: log, input: "x ${secret} y"}}`,
      name: secret,
      stubs: `{"return": "${secret}"}`,
      cassette: `{"x":"${secret}"}`,
    });
    const back = await readLink(fragment);
    assert.equal(removed, 4, secret);
    assert.ok(!JSON.stringify(back).includes(secret), secret);
  }
  const data = await createLink({
    text: "a: 1",
    name: "",
    stubs: '{"return":{"password":"p","apiKey":"k","fine":"f"}}',
    cassette: '{"x":{"authorization":"a"}}\n{"y":{"token":"t"}}',
  });
  const { stubs, cassette } = await readLink(data.fragment);
  assert.deepEqual(
    [stubs, cassette, data.removed],
    [
      '{"return":{"password":"[redacted]","apiKey":"[redacted]","fine":"f"}}',
      '{"x":{"authorization":"[redacted]"}}\n{"y":{"token":"[redacted]"}}',
      4,
    ],
  );
});

test("addresses lose their credentials, and other texts stay", () => {
  const cases = [
    ["url: https://me:pw@example.com/mcp", "url: https://example.com/mcp"],
    ["url: https://example.com/mcp?api_key=0123456789&x=1", "url: https://example.com/mcp?api_key=[redacted]&x=1"],
    ["Authorization: Bearer 0123456789abcdef", "Authorization: Bearer [redacted]"],
  ];
  for (const [text, expected] of cases) assert.deepEqual(removeSecrets(text), { text: expected, count: 1 });
  const plain = [
    PLAN,
    "to: a@b.example, see https://example.com?q=a@b.c",
    "Bearer ${context.token}",
    "?key=${input}",
    "tokens: 100",
    "a risk-free disk-cache",
    "abc",
    "task-0123456789abcdef0123",
  ];
  for (const text of plain) assert.deepEqual(removeSecrets(text), { text, count: 0 });
  assert.equal(removeSecretsFromData("not: json").count, 0);
});
