// The page's runner without a page: requests go in as lines, and its messages are collected.

import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as engine from "../../dist/node.js";
import { root } from "../../scripts/lib/paths.mjs";

const { build } = createRequire(import.meta.url)("esbuild");

/** They import the built package. */
export async function scripts(...names) {
  const outdir = mkdtempSync(join(tmpdir(), "stepgraph-page-"));
  process.on("exit", () => rmSync(outdir, { recursive: true }));
  // Not bundled, because its wasm module lies next to it.
  const engine = {
    name: "engine",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^stepgraph\/web$/ }, () => ({
        path: pathToFileURL(join(root, "dist", "node.js")).href,
        external: true,
      })),
  };
  await build({
    entryPoints: names.map((name) => join(root, "playground", "js", name)),
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
    plugins: [engine],
  });
  const modules = await Promise.all(
    names.map((name) => import(pathToFileURL(join(outdir, `${name.split("/").at(-1).replace(/\.ts$/, "")}.mjs`)))),
  );
  return Object.assign({}, ...modules);
}

const { Runner } = await scripts("run/runner.ts");

/** `until` waits for a message. */
export function runner() {
  const told = [];
  let wake = () => {};
  const post = (message) => {
    told.push(typeof message === "string" ? JSON.parse(message) : structuredClone(message));
    wake();
  };
  const made = new Runner(engine, post);
  const sendRequest = (request) => made.receive(structuredClone(request));
  let heard = 0;
  async function until(wanted) {
    for (;;) {
      for (; heard < told.length; heard++) {
        const one = told[heard];
        if (wanted(one)) {
          heard++;
          return one;
        }
      }
      await new Promise((resolve) => (wake = resolve));
    }
  }
  const events = () => told.flatMap((one) => (one.type === "events" ? one.events : []));
  return {
    told,
    ask: sendRequest,
    until,
    events,
    ended: () => until(({ type }) => type === "ended"),
    paused: () => until(({ type, state }) => type === "state" && state === "paused"),
    lines: () => told.flatMap((one) => (one.type === "lines" ? one.lines : [])),
    short: () =>
      events()
        .filter(({ type }) => type.startsWith("node-"))
        .map(
          ({ type, lane, nodePath, visit }) =>
            `${type.slice(5, 8)} ${lane === "" ? "" : `${lane}|`}${nodePath}${visit > 1 ? `#${visit}` : ""}`,
        ),
  };
}
