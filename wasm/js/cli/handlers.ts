/** Handlers of a plan, from a module that the user names. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Handler } from "../types.js";
import { moduleQuery } from "./file-reads.js";
import { errorReason, readBytes } from "./io.js";
import { UsageError } from "./options.js";

/**
 * Imports the module and returns its `handlers`, or its default export. The module runs with the rights of the user.
 *
 * Throws {@link UsageError}.
 */
export async function readHandlers(file: string): Promise<Record<string, Handler>> {
  // Reports a missing file as for all other files.
  readBytes(file);
  let module: { handlers?: unknown; default?: unknown };
  try {
    module = (await import(pathToFileURL(resolve(file)).href + moduleQuery())) as typeof module;
  } catch (error) {
    const { code } = error as { code?: string };
    const isTypeScript = code === "ERR_UNKNOWN_FILE_EXTENSION" && /\.[cm]?tsx?$/.test(file);
    throw new UsageError(
      `can't load \`${file}\`: ${errorReason(error)}`,
      isTypeScript ? "TypeScript needs Node 22.18 or later; or compile it to a `.mjs` file" : "mend the module",
    );
  }
  const handlers = module.handlers ?? module.default;
  if (typeof handlers !== "object" || handlers === null)
    throw new UsageError(
      `\`${file}\` exports no handlers`,
      "write `export const handlers = { price: (node) => ... }`, by node type",
    );
  const [wrong] = Object.entries(handlers).find(([, handler]) => typeof handler !== "function") ?? [];
  if (wrong !== undefined)
    throw new UsageError(`the handler \`${wrong}\` of \`${file}\` is no function`, "write `(node, state) => output`");
  return handlers as Record<string, Handler>;
}
