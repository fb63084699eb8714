/** Cloudflare Workflows in workerd under miniflare. A restart keeps its stored state. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/lib/paths.mjs";
import * as kits from "../package/toolchains.mjs";

export async function bundleWorker(entry, folder) {
  const { build } = createRequire(join(root, "package.json"))("esbuild");
  const dist = (name) => join(root, "dist", name);
  await build({
    entryPoints: [entry],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    conditions: ["workerd"],
    external: ["cloudflare:*"],
    loader: { ".wasm": "copy", ".yaml": "text" },
    assetNames: "[name]",
    logLevel: "silent",
    alias: {
      "stepgraph/engine.wasm": join(root, "pkg/stepgraph_wasm_bg.wasm"),
      "stepgraph/workflows": dist("integrations/workflows.js"),
      stepgraph: dist("module.js"),
    },
  });
  const names = (await readdir(folder))
    .filter((name) => /\.(js|wasm)$/.test(name))
    .sort((a) => (a === "worker.js" ? -1 : 1));
  return Promise.all(
    names.map(async (name) => ({
      type: name.endsWith(".js") ? "ESModule" : "CompiledWasm",
      path: join(folder, name),
      contents: await readFile(join(folder, name)),
    })),
  );
}

async function children() {
  const threads = await readdir("/proc/self/task");
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/self/task/${thread}/children`, "utf8").catch(() => "")),
  );
  return new Set(lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number)));
}

/** `kill` ends workerd as a crash does. */
export async function workflows(world) {
  const { Log, Miniflare } = await import(pathToFileURL(await kits.miniflare()));
  const folder = await mkdtemp(join(tmpdir(), "workflows-"));
  const built = await bundleWorker(join(root, "tests/durable/worker/worker.mjs"), folder);
  let [running, pids] = [];
  const it = {
    async start(plans) {
      const before = await children();
      running = new Miniflare({
        modules: built,
        modulesRoot: folder,
        compatibilityDate: "2026-01-01",
        log: new Log(0),
        bindings: { WORLD: world.url, PLANS: plans },
        workflows: { ORDER: { name: "order", className: "Order" } },
        workflowsPersist: join(folder, "state"),
      });
      await running.ready;
      pids = [...(await children())].filter((pid) => !before.has(pid));
    },
    async kill() {
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await running.dispose();
    },
    async ask(what, id, more = {}) {
      const response = await running.dispatchFetch("http://worker/", {
        method: "POST",
        body: JSON.stringify({ what, id, ...more }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return JSON.parse(text);
    },
    async stop() {
      await running?.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return it;
}
