// A real Visual Studio Code in the browser: code-server, with the packed extension.
//
// It is installed once into the user's cache folder, without its native modules: they need a compiler, and only
// terminals, the search and log files need them.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { npm } from "../../scripts/lib/command.mjs";
import { node22 } from "../package/toolchains.mjs";
import { npmPackages } from "../servers/install.mjs";

/** It has Visual Studio Code 1.112, and is the last version for Node 22. */
const VERSION = "4.112.0";
const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "telemetry.telemetryLevel": "off",
};

/** Returns the script that starts the editor. */
async function install() {
  const prepare = async (folder) => {
    const editor = join(folder, "node_modules", "code-server", "lib", "vscode");
    const [program, args] = npm(["install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]);
    for (const cwd of [editor, join(editor, "extensions")]) await promisify(execFile)(program, args, { cwd });
    symlinkSync("node_modules", join(editor, "node_modules.asar"));
  };
  const options = { flags: ["--ignore-scripts"], prepare };
  const folder = await npmPackages(`code-server-${VERSION}`, [`code-server@${VERSION}`], options);
  return join(folder, "node_modules", "code-server", "out", "node", "entry.js");
}

/** Opens a folder with `files` in the editor. Returns its address, and a function that ends it. */
export async function openEditor(vsix, files) {
  const [node, entry] = [await node22(), await install()];
  const home = mkdtempSync(join(tmpdir(), "stepgraph-editor-"));
  const [data, extensions, workspace] = ["data", "extensions", "workspace"].map((name) => join(home, name));
  for (const folder of [join(data, "User"), extensions, workspace]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(data, "User", "settings.json"), JSON.stringify(SETTINGS));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
  const folders = ["--user-data-dir", data, "--extensions-dir", extensions];
  // The editor must not read the user's settings.
  const env = { ...process.env, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
  await promisify(execFile)(node, [entry, ...folders, "--install-extension", vsix], { env });
  const port = await freePort();
  const flags = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
  const server = spawn(node, [entry, ...folders, ...flags, "--bind-addr", `127.0.0.1:${port}`, workspace], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(server, "exit");
  const close = async () => {
    server.kill();
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  };
  await listening(server, ended);
  return { url: `http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`, workspace, close };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function listening(server, ended) {
  let output = "";
  const ready = new Promise((resolve) => {
    for (const stream of [server.stdout, server.stderr])
      stream.on("data", (part) => {
        output += part;
        if (output.includes("HTTP server listening")) resolve(true);
      });
  });
  if ((await Promise.race([ready, ended])) !== true) throw new Error(`the editor ended: ${output}`);
}
