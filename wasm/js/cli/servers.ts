/**
 * How models are reached, as flags and environment say.
 */
import { openai } from "../node.js";
import type { ModelClient } from "../types.js";
import type { Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { readTimeout } from "./values.js";

/**
 * The model, when flags or environment say where one is. A server of one's own often has one model only and asks for no name; a key
 * with a name and no address is OpenAI's.
 */
export function readModel(args: Arguments, env: Io["env"]): ModelClient | null {
  const url = args.one("model-url") ?? env.STEPGRAPH_MODEL_URL;
  const model = args.one("model") ?? env.STEPGRAPH_MODEL;
  const apiKey = env.OPENAI_API_KEY;
  if (args.has("model") && !url && !apiKey) throw new UsageError("`--model` names a model, but not where it is", "add `--model-url URL`, or set OPENAI_API_KEY");
  const baseUrl = url ?? (model && apiKey ? "https://api.openai.com/v1" : null);
  if (!baseUrl) return null;
  const key = apiKey ? { apiKey } : {};
  return openai({ baseUrl: address("the model's endpoint", baseUrl), model: model ?? "default", ...key, ...readTimeout(args.one("timeout")) });
}

/** An address that can be asked; a slip in it is better told now than by the first call. */
export function address(what: string, url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`${what}: \`${shown(url)}\` is not an address`, "write it like `http://127.0.0.1:3001/mcp`");
  }
  return url;
}

/** As much of what was typed as can hold no key. */
function shown(url: string): string {
  return url.replace(/^([a-z]+:\/\/)?[^/]*@/, "$1").replace(/[?#].*$/s, "?…").slice(0, 100);
}
