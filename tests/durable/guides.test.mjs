// Tests the files and commands of the guides for Restate and Cloudflare Workflows.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/lib/paths.mjs";
import * as kits from "../package/toolchains.mjs";
import { freePort } from "../servers/ports.mjs";
import { ended, IS_SUPPORTED, node22, restatePackages, restateServer, until } from "./restate.mjs";
import { bundleWorker } from "./workflows.mjs";

const skipOptions = { skip: IS_SUPPORTED ? false : "Restate has no server for this platform" };

function blocks(guide) {
  const text = readFileSync(join(root, "docs/guides", guide), "utf8");
  const found = [...text.matchAll(/```(\w+)[^\n]*\n([\s\S]*?)```/g)];
  return (language) => found.filter(([, name]) => name === language).map(([, , body]) => body);
}

function requests(commands) {
  const curl = /^curl (?:-X (?<method>\w+) )?(?<url>\S+)(?: --json '(?<body>.*)')?$/gm;
  return [...commands.replaceAll(/ \\\n */g, " ").matchAll(curl)].map(({ groups: { method, url, body } }) => {
    const options = { method: method ?? (body === undefined ? "GET" : "POST") };
    if (body !== undefined) Object.assign(options, { body, headers: { "content-type": "application/json" } });
    return { url: `http://${url}`, options };
  });
}

function emptyFolder(context, ...folders) {
  const folder = mkdtempSync(join(tmpdir(), "guide-"));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
  return folder;
}

test("the guide for Restate works as it is written", skipOptions, async (context) => {
  const part = blocks("restate.md");
  const folder = emptyFolder(context, "node_modules");
  symlinkSync(root, join(folder, "node_modules/stepgraph"));
  symlinkSync(join(await restatePackages(), "node_modules/@restatedev"), join(folder, "node_modules/@restatedev"));
  const [server, port] = [await restateServer(), await freePort()];
  context.after(() => server.stop());
  const real = (text) =>
    text
      .replaceAll("http://localhost:9070", server.admin)
      .replaceAll("http://localhost:8080", server.ingress)
      .replaceAll("localhost:9080", `127.0.0.1:${port}`);
  writeFileSync(join(folder, "order.yaml"), part("yaml")[0]);
  writeFileSync(join(folder, "server.mjs"), part("js")[0].replace("9080", port));
  const service = spawn(await node22(), ["server.mjs"], { cwd: folder, stdio: "ignore" });
  context.after(() => ended(service, "SIGTERM"));
  const commands = requests(part("sh").join("\n"));
  const ask = async ({ url, options }) => {
    const response = await fetch(real(url), { ...options, ...(options.body && { body: real(options.body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text === "" ? null : JSON.parse(text);
  };
  const [register, small, send, approvals, decide, attach, ...more] = commands;
  assert.deepEqual(more, []);
  await until("the service", () => ask(register).then(() => true), service);
  const { outcome, last } = await ask(small);
  assert.deepEqual([outcome.type, last], ["completed", "paid 20 as pay:1:1"]);
  await ask(send);
  const open = await until("the approval", async () => (await ask(approvals))[0], service);
  assert.equal(open.approval.input, "Pay 500 dollars?");
  await ask(decide);
  assert.equal((await ask(attach)).last, "paid 500 as pay:1:1");
});

test("the guide for Cloudflare Workflows works as it is written", skipOptions, async (context) => {
  const part = blocks("cloudflare.md");
  const folder = emptyFolder(context, "src", "bundle");
  writeFileSync(join(folder, "src/order.yaml"), part("yaml")[0]);
  writeFileSync(join(folder, "src/worker.js"), part("js")[0]);
  const settings = JSON.parse(part("json")[0]);
  const [{ name, binding, class_name: className }] = settings.workflows;
  const { Log, Miniflare } = await import(pathToFileURL(await kits.miniflare()));
  const worker = new Miniflare({
    modules: await bundleWorker(join(folder, settings.main), join(folder, "bundle")),
    modulesRoot: join(folder, "bundle"),
    compatibilityDate: settings.compatibility_date,
    log: new Log(0),
    workflows: { [binding]: { name, className } },
  });
  context.after(() => worker.dispose());
  const ask = async ({ url, options }) => {
    const response = await worker.dispatchFetch(url, options);
    return response.headers.get("content-type")?.includes("json") ? response.json() : response.text();
  };
  const [start, decide, show, ...more] = requests(part("sh").join("\n"));
  assert.deepEqual(more, []);
  assert.equal(await ask(start), "started\n");
  // The event may come before the run waits for it.
  assert.equal(await ask(decide), "decided\n");
  const { output } = await until("the report", async () => {
    const status = await ask(show);
    return status.status === "complete" && status;
  });
  assert.equal(output.last, "paid 500 as pay:1:1");
});
