/** Values of options. */
import { basename } from "node:path";
import type { PlanGraph } from "../graph.js";
import type { Fingerprint, Limits } from "../types.js";
import { coerceText } from "./coerce-text.js";
import { decode, readBytes } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError } from "./options.js";

/** `key=text` is text, `key:=JSON` any value. */
export function readPairs(option: string, pairs: string[]): Record<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const pair of pairs) {
    const [key, value] = readPair(option, pair);
    if (entries.has(key))
      throw new UsageError("cli/extra-argument", `\`--${option}\` sets \`${key}\` twice`, "leave one of them out");
    entries.set(key, value);
  }
  return Object.fromEntries(entries);
}

function readPair(option: string, pair: string): [string, unknown] {
  const at = pair.indexOf("=");
  if (at <= 0)
    throw new UsageError("cli/bad-value", `\`--${option} ${pair}\` is not KEY=VALUE`, pairHelp(option, pair));
  if (pair[at - 1] !== ":") return [pair.slice(0, at), pair.slice(at + 1)];
  const key = pair.slice(0, at - 1);
  const text = pair.slice(at + 1);
  try {
    return [key, JSON.parse(text)];
  } catch {
    throw new UsageError(
      "cli/bad-value",
      `\`--${option} ${pair}\`: \`${text}\` is not JSON`,
      `write \`--${option} ${key}=${text}\` for text`,
    );
  }
}

function pairHelp(option: string, pair: string): string {
  if (pair.startsWith("=")) return `write \`--${option} KEY${pair}\``;
  if (/^[{[]/.test(pair)) return `write \`--${option} KEY:=JSON\` for each key of the map`;
  return `write \`--${option} ${pair === "" ? "KEY" : pair}=...\``;
}

/** If there are pairs, the input is a map, and the prompt its key `prompt`. */
export function readInput(prompt: string | undefined, pairs: string[]): unknown {
  if (pairs.length === 0) return prompt ?? null;
  const map = readPairs("input", pairs);
  if (prompt === undefined) return map;
  if ("prompt" in map)
    throw new UsageError(
      "cli/extra-argument",
      "the prompt is set twice, by `--prompt` and by `--input`",
      "leave one of them out",
    );
  return { prompt, ...map };
}

/** Converts `key=text` to types of the plan's `inputs`. */
export function coerceInput(input: unknown, pairs: string[], plan: PlanGraph): unknown {
  const texts = pairs.map((pair) => pair.slice(0, pair.indexOf("="))).filter((key) => !key.endsWith(":"));
  if (texts.length === 0 || typeof input !== "object" || input === null) return input;
  const { inputs } = plan.toJSON() as { inputs?: Record<string, { type?: unknown } | null> | null };
  const typed = new Map(Object.entries(input));
  for (const key of texts) typed.set(key, coerceText(typed.get(key), ownValue(inputs, key)?.type));
  return Object.fromEntries(typed);
}

function ownValue<T>(map: Record<string, T> | null | undefined, key: string): T | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}

export function readTimeout(text: string | undefined): { timeoutMs?: number } {
  if (text === undefined) return {};
  const timeoutMs = Number(text);
  // Node's timers fire at once for longer delays.
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs >= 2 ** 31) {
    throw new UsageError(
      "cli/bad-value",
      `\`--timeout ${text}\` is not a number of milliseconds`,
      "write `--timeout 5000` for five seconds",
    );
  }
  return { timeoutMs };
}

export function readRetries(text: string | undefined): number {
  const retries = text === undefined ? 2 : Number(text);
  if (text === "" || !Number.isInteger(retries) || retries < 0 || retries > 20) {
    throw new UsageError(
      "cli/bad-value",
      `\`--retries ${text}\` is not a number of retries`,
      "write a whole number up to 20; 0 means no retries",
    );
  }
  return retries;
}

export function readHeaders(fields: string[]): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf(":");
      if (at <= 0)
        throw new UsageError(
          "cli/bad-value",
          "a `--header` is not NAME: VALUE",
          'write it like `--header "Authorization: Bearer ..."`',
        );
      return [field.slice(0, at).trim(), field.slice(at + 1).trim()];
    }),
  );
}

export function readJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("cli/bad-value", `\`${flag} ${text}\` is not JSON`, `write \`${flag} '"..."'\` for text`);
  }
}

export function readUsd(flag: string, text: string): number {
  const usd = Number(text);
  if (text.trim() !== "" && Number.isFinite(usd) && usd >= 0) return usd;
  const sign = flag.startsWith("--limit") ? "=" : " ";
  throw new UsageError(
    "cli/bad-value",
    `\`${flag}${sign}${text}\` is no amount of US dollars`,
    `write a number from 0 up, as in \`${flag}${sign}0.50\``,
  );
}

const LIMITS = ["visits", "steps", "calls", "timeout_ms", "tokens", "output_bytes"];
/** For runs that know prices. */
export const PRICED_LIMITS: readonly string[] = [...LIMITS, "usd"];

export function readLimits(pairs: string[], known: readonly string[] = LIMITS): Limits {
  const limits: Record<string, number> = {};
  for (const pair of pairs) {
    const [name = "", text = ""] = pair.split("=", 2);
    if (!known.includes(name)) {
      const suggestion = closestName(name, known);
      throw new UsageError(
        "cli/bad-value",
        `there is no limit \`${name}\``,
        suggestion ? `did you mean \`${suggestion}\`?` : `use ${known.map((limit) => `\`${limit}\``).join(", ")}`,
      );
    }
    const number = name === "usd" ? readUsd("--limit usd", text) : Number(text);
    if (name !== "usd" && (text === "" || !Number.isInteger(number) || number < 1 || number > 2 ** 32 - 1))
      throw new UsageError(
        "cli/bad-value",
        `\`--limit ${pair}\` is not a limit`,
        `write a whole number from 1 up, as in \`--limit ${name}=100\``,
      );
    if (name in limits)
      throw new UsageError("cli/extra-argument", `the limit \`${name}\` is set twice`, "leave one of them out");
    limits[name] = number;
  }
  return limits;
}

/** A hash, or a file with the output of `check --json`. */
export function readPlanHash(text: string, plan: string): string | Fingerprint {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  const advice = "give a hash that `stepgraph check` printed, or a file with what `check --json` printed";
  let json: unknown;
  try {
    json = JSON.parse(decode(readBytes(text)));
  } catch (error) {
    if (error instanceof UsageError)
      throw new UsageError("cli/bad-value", `\`--plan-hash ${text}\` is neither a hash nor a file`, advice);
    throw new UsageError("cli/bad-value", `\`${text}\` is not JSON`, advice);
  }
  const { files = [], hash } = (json ?? {}) as {
    files?: { file?: string; fingerprint?: Fingerprint }[];
    hash?: unknown;
  };
  if (typeof hash === "string") return json as Fingerprint;
  const reviewed = files.filter(({ fingerprint }) => typeof fingerprint?.hash === "string");
  const found =
    reviewed.length === 1
      ? reviewed[0]
      : (reviewed.find(({ file }) => file === plan) ??
        reviewed.find(({ file }) => basename(file ?? "") === basename(plan)));
  if (found === undefined)
    throw new UsageError("cli/not-found", `\`${text}\` has no plan \`${basename(plan)}\``, advice);
  return found.fingerprint!;
}
