// Tests the inbox of `stepgraph serve --http --store`, in Chromium and by raw requests.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { findShell } from "../../scripts/chromium.mjs";
import { createSqliteFolder } from "../servers/sqlite.mjs";

const TIMEOUT = { timeout: 120_000 };
let fixture, server, page, browser, store, library;
const errors = [];

before(async () => {
  fixture = await createSqliteFolder();
  library = await fixture.library();
  const { openStore } = await import(new URL("integrations/store/node.js", fixture.entry()).href);
  store = await openStore(fixture.path("runs.db"));
  writeFileSync(fixture.path("host.mjs"), "export const handlers = {};");
  server = await serve("--store", "runs.db");
  browser = await chromium.launch({
    executablePath: await findShell(),
    headless: true,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  page = await browser.newPage({ viewport: { width: 900, height: 700 } });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
}, TIMEOUT);
after(async () => {
  await browser?.close();
  await store?.close();
  server?.child.kill();
  await server?.done;
  fixture?.remove();
});

async function serve(...args) {
  const program = join(fixture.folder, "node_modules/stepgraph/dist/cli/main.js");
  const started = fixture.node([program, "serve", "--http", ...args]);
  let err = "";
  started.child.stderr.on("data", (part) => (err += part));
  while (!err.includes("#key=")) await once(started.child.stderr, "data");
  return { ...started, address: /approvals at (\S+)/.exec(err)[1] };
}

const plan = (node) =>
  library.PlanGraph.load(JSON.stringify({ id: "order", nodes: { ask: { type: "approve", ...node } } }));
const waiting = (runId, node) => store.run(plan(node), { runId });

test("a person sees what waits, and decides", TIMEOUT, async () => {
  await page.goto(server.address);
  await page.getByText("Nothing waits for a decision.").waitFor();
  await waiting("o <b>17", {
    input: { item: "<img src=x onerror=alert(1)>", turn: "a\u202eb" },
    timeout_ms: undefined,
  });
  await waiting("o 18", { input: "second" });
  await page.reload();
  const card = page.locator("article").first();
  await card.waitFor();
  assert.equal(await page.title(), "(2) Approvals");
  assert.match(await card.innerText(), /o <b>17 · ask:1:1\s+asked \d+ s ago\s/);
  assert.match(await card.locator("pre").innerText(), /"<img src=x onerror=alert\(1\)>",\s+"turn": "a\\u202eb"/);
  await page.getByLabel("Your name").fill("Ada");
  await card.getByRole("button", { name: "Approve" }).click();
  await page.getByText("ask:1:1 of o <b>17: decided.").waitFor();
  const [first] = await store.approvals({ run: "o <b>17", open: false });
  assert.deepEqual([first.decision, first.decidedBy], ["approved", "Ada"]);
  await page.getByText("Continue with another value").click();
  const area = page.getByLabel("Other value, as JSON");
  assert.equal(await area.inputValue(), '"second"');
  await area.fill("{");
  await page.getByRole("button", { name: "Continue with this" }).click();
  await page.getByText("That is not JSON.").waitFor();
  await area.fill('{"total": 5}');
  await page.getByRole("button", { name: "Continue with this" }).click();
  await page.getByText("ask:1:1 of o 18: decided.").waitFor();
  const [second] = await store.approvals({ run: "o 18", open: false });
  assert.deepEqual(second.decision, { value: { total: 5 } });
  await page.locator("article").first().waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
});

test("a decision that comes too late is shown", TIMEOUT, async () => {
  await waiting("late", { input: 1 });
  await page.reload();
  await page.locator("article").waitFor();
  await store.decide("late", "ask:1:1", "rejected", "Bob");
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByText("it was decided by Bob").waitFor();
  errors.length = 0;
});

test("the page has no violations of accessibility", TIMEOUT, async () => {
  await waiting("axe", { input: { a: 1 } });
  await page.reload();
  await page.locator("article").waitFor();
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  const context = await browser.newContext({ bypassCSP: true });
  const checked = await context.newPage();
  await checked.goto(server.address);
  await checked.locator("article").waitFor();
  await checked.addScriptTag({ path: axe });
  const { violations } = await checked.evaluate(() => globalThis.axe.run());
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes[0].html]),
    [],
  );
  await context.close();
});

test("only the key opens the data", async () => {
  const { origin, hash } = new URL(server.address);
  const key = hash.slice("#key=".length);
  const ask = async (path, { method = "GET", headers = {}, body } = {}) =>
    fetch(`${origin}${path}`, { method, headers, ...(body && { body }) });
  const bearer = { authorization: `Bearer ${key}` };
  const json = { ...bearer, "content-type": "application/json" };
  const { approvals } = await (await ask("/approvals/list", { headers: bearer })).json();
  const { askedMs } = approvals.find(({ run }) => run === "axe");
  const decision = JSON.stringify({ run: "axe", call: "ask:1:1", askedMs, decision: "approved" });
  for (const [path, init, status] of [
    ["/approvals", {}, 200],
    ["/approvals/list", {}, 401],
    ["/approvals/list", { headers: { authorization: "Bearer x" } }, 401],
    ["/approvals/list", { headers: bearer }, 200],
    ["/approvals/list", { headers: { ...bearer, origin: "https://evil.example" } }, 403],
    ["/approvals/nothing", { headers: bearer }, 404],
    ["/approvals/decide", { method: "POST", headers: { "content-type": "application/json" }, body: decision }, 401],
    [
      "/approvals/decide",
      { method: "POST", headers: { ...bearer, "content-type": "text/plain" }, body: decision },
      415,
    ],
    ["/approvals/decide", { method: "POST", headers: json, body: "{" }, 400],
    [
      "/approvals/decide",
      { method: "POST", headers: json, body: '{"run":"axe","call":"ask:1:1","askedMs":1,"decision":"yes"}' },
      409,
    ],
    ["/approvals/decide", { method: "POST", headers: json, body: `{"run":"${"x".repeat(2_000_000)}"}` }, 409],
    ["/approvals/decide", { method: "POST", headers: json, body: decision }, 204],
    ["/approvals/decide", { method: "POST", headers: json, body: decision }, 409],
  ]) {
    const answer = await ask(path, init);
    await answer.arrayBuffer();
    assert.equal(answer.status, status, `${path} ${JSON.stringify(init).slice(0, 200)}`);
  }
  const policy = (await ask("/approvals")).headers.get("content-security-policy");
  assert.match(policy, /default-src 'none'; script-src 'nonce-\S+'; .*frame-ancestors 'none'/);
});

test("without a store there is no inbox, and without HTTP no page", async () => {
  const { code, err } = await fixture.command(["serve", "--store", "runs.db"]);
  assert.deepEqual([code, /`--store` is for a server over HTTP/.test(err)], [2, true]);
});
