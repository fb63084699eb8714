/** The user's module: handlers, function tools, models. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { internals, PlanError } from "../node.js";
import type { Handler, Model, ToolClient, ToolInfo, ToolSources } from "../types.js";
import type { Connection } from "./connections.js";
import { guardExit, noteLoading } from "./exit-guard.js";
import { watchThread } from "./blocked-thread.js";
import { failOpenCalls, guardHandlers, guardModels, guardTools } from "./host-calls.js";
import { moduleQuery } from "./file-reads.js";
import { errorReason, readBytes } from "./io.js";
import { redirectModuleOutput } from "./module-output.js";
import { UsageError } from "./options.js";
import { catchStrayErrors } from "./stray-errors.js";
import { visible } from "../terminal/text.js";
import { closestName } from "./suggest.js";
import { thrownLines } from "./thrown-lines.js";

/** Other exports are ignored. */
export interface HostModule {
  handlers?: Record<string, Handler>;
  tools?: ToolSources;
  models?: Record<string, Model>;
}

const EXPORTS = ["handlers", "tools", "models"] as const;
const EXAMPLE = "write `export const handlers = { price: (node) => ... }`, by node type";

export async function readHostOption(args: { single(name: string): string | undefined }): Promise<HostModule> {
  const file = args.single("handlers");
  return file === undefined ? {} : readHostModule(file);
}

/** A default export counts as handlers. The module has the user's rights. */
export async function readHostModule(file: string): Promise<HostModule> {
  // Reports missing files like others.
  readBytes(file);
  redirectModuleOutput();
  catchStrayErrors();
  await guardOnce();
  const module = await importModule(file);
  const exports: Record<string, unknown> = { ...(module.default !== undefined && { handlers: module.default }) };
  for (const name of EXPORTS) if (module[name] !== undefined) exports[name] = module[name];
  if (Object.keys(exports).length === 0) throw noExports(file, Object.keys(module));
  assertHandlers(file, exports.handlers, module.default === exports.handlers);
  const { handlers, tools, models } = internals.runKinds;
  try {
    internals.assertOptions(file, exports, { handlers, tools, models });
    internals.toolClients(exports.tools as ToolSources | undefined, file);
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw new UsageError("cli/invalid-file", error.message, "fix the module");
  }
  warnAboutNames(file, exports as HostModule);
  return guarded(exports as HostModule);
}

/** A node type calls its handler. `type: tool` calls the tool. */
function warnAboutNames(file: string, { handlers = {}, tools = {} }: HostModule): void {
  const both = isList(tools) ? [] : Object.keys(tools).filter((name) => Object.hasOwn(handlers, name));
  for (const name of both.map(visible))
    console.warn(`warning: \`${file}\` has a handler and a tool \`${name}\`: \`type: ${name}\` calls the handler`);
}

function guarded(module: HostModule): HostModule {
  const { handlers, tools, models } = module;
  return {
    ...module,
    ...(handlers && { handlers: guardHandlers(handlers) }),
    ...(models && { models: guardModels(models) }),
    ...(tools && { tools: isList(tools) ? tools : guardTools(tools) }),
  };
}

function isList(tools: ToolSources): tools is readonly ToolClient[] {
  return Array.isArray(tools);
}

let isGuarded = false;
/** A watched command loads the module each round. */
async function guardOnce(): Promise<void> {
  if (!isGuarded) guardExit(failOpenCalls);
  isGuarded = true;
  await watchThread();
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  noteLoading(file);
  try {
    return (await import(pathToFileURL(resolve(file)).href + moduleQuery())) as Record<string, unknown>;
  } catch (error) {
    const { code } = error as { code?: string };
    const lines = thrownLines(error);
    const isOther = code === "ERR_UNKNOWN_FILE_EXTENSION";
    if (isOther && !/\.[cm]?[jt]sx?$/.test(file) && /\.\w+$/.test(file))
      throw new UsageError(
        "cli/invalid-file",
        `\`${file}\` is no JavaScript module`,
        "name a file that ends in `.js` or `.mjs`",
      );
    const isTypeScript = isOther && /\.[cm]?tsx?$/.test(file);
    throw new UsageError(
      "cli/invalid-file",
      `can't load \`${file}\`: ${errorReason(error)}`,
      isTypeScript
        ? "TypeScript needs Node 22.18 or later; or compile it to a `.mjs` file"
        : "fix the module, or the one that it imports",
      error instanceof SyntaxError ? await syntaxLines(file, error) : lines,
    );
  } finally {
    noteLoading(null);
  }
}

/** Node only prints where a syntax error is. */
async function syntaxLines(file: string, { stack = "" }: SyntaxError): Promise<string[]> {
  // For missing exports, the stack begins with the place.
  const text = stack.startsWith("file:") ? stack : await checkSyntax(file);
  const [place, code, mark] = text.split("\n");
  return /^\S.*:\d+$/.test(place ?? "")
    ? [`  --> ${visible(place!)}`, ...[code!, mark!].map((line) => `      ${visible(line)}`)]
    : [];
}

async function checkSyntax(file: string): Promise<string> {
  const { spawnSync } = await import("node:child_process");
  return spawnSync(process.execPath, ["--check", resolve(file)]).stderr.toString();
}

function noExports(file: string, names: readonly string[]): UsageError {
  const meant = names.find((name) => closestName(name, [...EXPORTS]) !== null);
  const guess = meant === undefined ? null : closestName(meant, [...EXPORTS]);
  return new UsageError(
    "cli/invalid-file",
    `\`${file}\` exports no handlers, tools or models`,
    guess === null ? EXAMPLE : `did you mean \`${guess}\` by \`${meant}\`?`,
  );
}

function assertHandlers(file: string, handlers: unknown, isDefault: boolean): void {
  if (handlers === undefined) return;
  if (typeof handlers !== "object" || handlers === null)
    throw new UsageError("cli/invalid-file", `\`handlers\` of \`${file}\` is no map of functions`, EXAMPLE);
  const [wrong] = Object.entries(handlers).find(([, handler]) => typeof handler !== "function") ?? [];
  if (isDefault && EXPORTS.some((name) => name === wrong))
    throw new UsageError(
      "cli/invalid-file",
      `the default export of \`${file}\` is the map of handlers, and has \`${wrong}\` in it`,
      `write \`export const ${wrong} = ...\` instead of \`export default { ${wrong} }\``,
    );
  if (wrong !== undefined)
    throw new UsageError(
      "cli/invalid-file",
      `the handler \`${wrong}\` of \`${file}\` is no function`,
      "write `(node, state) => output`",
    );
}

export async function listModuleTools({ tools }: HostModule): Promise<ToolInfo[]> {
  const lists = (internals.toolClients(tools) ?? []).map(async (client) =>
    (await client.list()).map((tool) => ({ ...tool, server: client.name })),
  );
  return (await Promise.all(lists)).flat();
}

export function moduleConnections({ tools }: HostModule, file: string | undefined): Connection[] {
  return (internals.toolClients(tools) ?? []).map((client) => ({
    name: client.name,
    place: file ?? client.name,
    client,
    failure: null,
    advice: null,
    credential: null,
  }));
}
