/**
 * Values from the command line: `key=text` and `key:=JSON`.
 */
import { UsageError } from "./options.js";

/**
 * A map from pairs. `key=text` is always text, so no value changes its kind by what it looks like; `key:=JSON` is any value.
 */
export function readPairs(option: string, pairs: string[]): Record<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const pair of pairs) {
    const [key, value] = readPair(option, pair);
    if (entries.has(key)) throw new UsageError(`\`--${option}\` gives \`${key}\` twice`, "leave one of them out");
    entries.set(key, value);
  }
  return Object.fromEntries(entries);
}

function readPair(option: string, pair: string): [string, unknown] {
  const at = pair.indexOf("=");
  if (at <= 0) throw new UsageError(`\`--${option} ${pair}\` is not KEY=VALUE`, `write \`--${option} ${pair.replace("=", "") || "key"}=...\``);
  if (pair[at - 1] !== ":") return [pair.slice(0, at), pair.slice(at + 1)];
  const key = pair.slice(0, at - 1);
  const text = pair.slice(at + 1);
  try {
    return [key, JSON.parse(text)];
  } catch {
    throw new UsageError(`\`--${option} ${pair}\`: \`${text}\` is not JSON`, `write \`--${option} ${key}=${text}\` for text`);
  }
}

/** The run's input: the prompt alone is text; with further values it is a map, the prompt in it under `prompt`. */
export function readInput(prompt: string | undefined, pairs: string[]): unknown {
  if (pairs.length === 0) return prompt ?? null;
  const map = readPairs("input", pairs);
  if (prompt === undefined) return map;
  if ("prompt" in map) throw new UsageError("the prompt is given twice, by `--prompt` and by `--input`", "leave one of them out");
  return { prompt, ...map };
}

/** How long one answer may take, if anybody said so. */
export function readTimeout(text: string | undefined): { timeoutMs?: number } {
  if (text === undefined) return {};
  const timeoutMs = Number(text);
  // Timers can't wait longer than this: they would fire at once.
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs >= 2 ** 31) {
    throw new UsageError(`\`--timeout ${text}\` is no number of milliseconds`, "write `--timeout 5000` for five seconds");
  }
  return { timeoutMs };
}

/** Header fields from `Name: value`. */
export function readHeaders(fields: string[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => {
    const at = field.indexOf(":");
    if (at <= 0) throw new UsageError("a `--header` is not NAME: VALUE", 'write it like `--header "Authorization: Bearer ..."`');
    return [field.slice(0, at).trim(), field.slice(at + 1).trim()];
  }));
}
