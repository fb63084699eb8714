// An editor for tests, by the protocol's own library. It records all messages.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { program } from "../stepgraph.mjs";

/** Visual Studio Code's main capabilities, for pushed diagnostics. */
export const PUSH_CAPABILITIES = {
  textDocument: {
    publishDiagnostics: { relatedInformation: true, tagSupport: { valueSet: [1, 2] } },
    completion: {
      completionItem: {
        snippetSupport: true,
        documentationFormat: ["markdown"],
        insertTextModeSupport: { valueSet: [1, 2] },
      },
    },
    hover: { contentFormat: ["markdown", "plaintext"] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source"] } } },
    foldingRange: { lineFoldingOnly: true },
    rename: { prepareSupport: true },
  },
  workspace: { workspaceEdit: { documentChanges: true } },
};

/** `asked` answers the server's requests, by method. */
export function editor({ files = {}, asked = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-lsp-"));
  const writeText = (name, text) => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) writeText(name, text);
  const child = spawn(process.execPath, [program, "lsp", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  let complaints = "";
  child.stderr.on("data", (part) => (complaints += part));
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const told = [];
  const waiting = [];
  const log = [];
  connection.onNotification((method, params) => {
    log.push(["<--", method, params]);
    const at = waiting.findIndex((one) => one.method === method);
    if (at >= 0) waiting.splice(at, 1)[0].resolve(params);
    else told.push({ method, params });
  });
  connection.onRequest((method, params) => {
    log.push(["<--", `${method}, a request`, params]);
    told.push({ method, params });
    return asked[method]?.(params) ?? null;
  });
  connection.listen();
  /** A notification that already arrived counts. */
  const next = (method) => {
    const at = told.findIndex((one) => one.method === method);
    if (at >= 0) return Promise.resolve(told.splice(at, 1)[0].params);
    return new Promise((resolve) => waiting.push({ method, resolve }));
  };
  const uri = (name) => pathToFileURL(join(folder, name)).href;
  const ended = new Promise((resolve) => child.on("close", (code) => resolve({ code, complaints })));
  const sendRequest = async (method, params, token) => {
    log.push(["-->", `${method}, a request`, params]);
    try {
      const result = await (token
        ? connection.sendRequest(method, params, token)
        : connection.sendRequest(method, params));
      log.push(["<--", `${method}, its result`, result]);
      return result;
    } catch (error) {
      log.push(["<--", `${method}, its error`, { code: error.code, message: error.message }]);
      throw error;
    }
  };
  const sendNotification = (method, params) => {
    log.push(["-->", method, params]);
    return connection.sendNotification(method, params);
  };
  const initialize = (capabilities = PUSH_CAPABILITIES, more = {}) =>
    sendRequest("initialize", {
      processId: process.pid,
      clientInfo: { name: "test" },
      rootUri: pathToFileURL(folder).href,
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "plans" }],
      capabilities,
      ...more,
    }).then(async (result) => (await sendNotification("initialized", {}), result));
  const open = (name, text, { language = "yaml", version = 1 } = {}) =>
    sendNotification("textDocument/didOpen", { textDocument: { uri: uri(name), languageId: language, version, text } });
  const change = (name, version, ...contentChanges) =>
    sendNotification("textDocument/didChange", { textDocument: { uri: uri(name), version }, contentChanges });
  const end = async () => {
    await sendRequest("shutdown");
    await sendNotification("exit");
    return ended;
  };
  const rejectPending = () => {
    connection.dispose();
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    child,
    connection,
    folder,
    uri,
    write: writeText,
    ask: sendRequest,
    tell: sendNotification,
    next,
    told,
    log,
    initialize,
    open,
    change,
    end,
    ended,
    gone: rejectPending,
  };
}

export function transcript({ log, folder }) {
  const at = pathToFileURL(folder).href;
  const tidy = (value) =>
    JSON.parse(
      JSON.stringify(value ?? null)
        .replaceAll(at, "file:///plans")
        .replaceAll(`"processId":${process.pid}`, '"processId":1'),
    );
  return log
    .map(([way, what, value]) => `${way} ${what}\n${value === undefined ? "" : `${printed(tidy(value), "    ")}\n`}`)
    .join("\n");
}

const WIDTH = 150;

function printed(value, indent) {
  const whole = `${indent}${inline(value)}`;
  if (whole.length <= WIDTH || typeof value !== "object" || value === null) return whole;
  if (Array.isArray(value) && value.every((item) => typeof item === "number")) return tokens(value, indent);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Object.entries(value).map(([key, part]) => {
    const head = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    return `${indent}  ${head}${printed(part, `${indent}  `).trimStart()}`;
  });
  return `${indent}${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/** A token has five numbers. */
function tokens(numbers, indent) {
  const groups = Array.from({ length: Math.ceil(numbers.length / 5) }, (_, at) =>
    numbers.slice(at * 5, at * 5 + 5).join(","),
  );
  const lines = [];
  for (const group of groups) {
    if (lines.length > 0 && lines.at(-1).length + group.length < WIDTH - indent.length - 4)
      lines[lines.length - 1] += `,  ${group}`;
    else lines.push(group);
  }
  return `${indent}[\n${lines.map((line) => `${indent}  ${line}`).join(",\n")}\n${indent}]`;
}

function inline(value) {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, part]) => `${JSON.stringify(key)}: ${inline(part)}`)
    .join(", ")}}`;
}
