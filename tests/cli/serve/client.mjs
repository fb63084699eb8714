// Official clients of `stepgraph serve`, for both transports and eras.

import { createRequire } from "node:module";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { folder, program } from "../stepgraph.mjs";
import { npmPackages } from "../../servers/install.mjs";

const installed = await npmPackages("mcp-client-2.4.0", ["@modelcontextprotocol/client@2.4.0"]);
const load = createRequire(join(installed, "package.json"));
export const { Client, StreamableHTTPClientTransport, ProtocolError } = load("@modelcontextprotocol/client");
const { StdioClientTransport } = load("@modelcontextprotocol/client/stdio");

export const ERAS = { "2025-11-25": { mode: "legacy" }, "2026-07-28": { mode: { pin: "2026-07-28" } } };

/** Advertises elicitation and sampling only if `elicit` and `sample` exist. */
export function createClient({ era = "2026-07-28", elicit, sample } = {}) {
  const capabilities = { ...(elicit && { elicitation: { form: {} } }), ...(sample && { sampling: {} }) };
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation: ERAS[era] });
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  if (sample) client.setRequestHandler("sampling/createMessage", ({ params }) => sample(params));
  return client;
}

export async function overStdio(args, options = {}) {
  const client = createClient(options);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "serve", ...args],
    cwd: folder,
    env: { PATH: process.env.PATH, ...options.env },
    stderr: "pipe",
  });
  transport.stderr?.on("data", (part) => (options.stderr ?? process.stderr).write(part));
  await client.connect(transport);
  return client;
}

export async function overHttp(args, env = {}) {
  const child = spawn(process.execPath, [program, "serve", "--http", ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const killServer = () => child.kill("SIGKILL");
  process.on("exit", killServer);
  let [err, out] = ["", ""];
  child.stdout.on("data", (part) => (out += part));
  const url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (part) => {
      err += part;
      const [found] = /http:\S+\/mcp/.exec(err) ?? [];
      if (found) resolve(found);
    });
    child.on("close", (code) => reject(new Error(`it ended with ${code}: ${err}`)));
  });
  const stop = async (signal = "SIGTERM") => {
    process.off("exit", killServer);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, "close");
    }
    return { code: child.exitCode, out, err };
  };
  const connect = async ({ headers, ...options } = {}) => {
    const client = createClient(options);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), headers ? { requestInit: { headers } } : {}));
    return client;
  };
  return { url, pid: child.pid, stop, connect };
}

export const textOf = ({ content }) => content.map(({ text }) => text).join("\n");
