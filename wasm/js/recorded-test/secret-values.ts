/**
 * Keeps secrets out of a test, a part of the plan.
 *
 * A cassette has no values under secret names, but its texts may hold tokens and context values.
 */
import type { Cassette } from "../cassette.js";
import { isMap } from "../guards.js";
import { isSecret, REDACTED, Redactor } from "../redact.js";

type Context = Record<string, unknown>;

/** Tokens with a known form. */
const TOKENS = [
  /\bgh[oprsu]_\w{20,}/,
  /\bgithub_pat_\w{20,}/,
  /\bglpat-[\w-]{20,}/,
  /\bnpm_\w{30,}/,
  /\bxox[abeoprs]-[\w-]{10,}/,
  /\b(?:sk|rk|pk)[-_][\w-]{20,}/,
  /\bAIza[\w-]{30,}/,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/,
  /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
  // User and password of a URL.
  /(?<=\b[A-Za-z][A-Za-z\d+.-]{1,20}:\/\/)[^\s/?#@:"']*:[^\s/?#"']+(?=@)/,
];
const TOKEN = new RegExp(TOKENS.map(({ source }) => source).join("|"), "g");

/** In a context, names that end in `key` are secret too. */
export function publicContext(context: Context): Context {
  return mapped(context, withoutTokens, isSecretName) as Context;
}

function isSecretName(name: string): boolean {
  return isSecret(name) || /key$/i.test(name);
}

export function withoutSecrets({ head, lines }: Cassette, context: Context = {}): Cassette {
  const redactor = new Redactor(secretValues(context));
  const text = (given: string) => withoutTokens(withoutNamed(given, redactor));
  const plain = <T>(value: T): T => mapped(redactor.value(value), text, () => false) as T;
  const { input, outputs, memory } = head;
  return {
    head: { ...head, ...plain({ input, ...(outputs && { outputs }), memory }) },
    lines: lines.map(plain),
  };
}

function secretValues(context: Context): unknown[] {
  const found: unknown[] = [];
  const collect = (name: string, value: unknown) => {
    if (isSecretName(name)) found.push(value);
    return false;
  };
  mapped(context, String, collect);
  return found;
}

function withoutTokens(text: string): string {
  return text.replace(TOKEN, REDACTED);
}

/** Models answer with JSON as text. Its secrets are removed from later texts too. */
function withoutNamed(text: string, redactor: Redactor): string {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    const value = JSON.parse(text) as unknown;
    const plain = redactor.text(value);
    return plain === JSON.stringify(value) ? text : plain;
  } catch {
    return text;
  }
}

function mapped(
  value: unknown,
  text: (given: string) => string,
  hides: (name: string, value: unknown) => boolean,
): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((inner) => mapped(inner, text, hides));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      withoutTokens(name),
      tells(inner) && hides(name, inner) ? REDACTED : mapped(inner, text, hides),
    ]),
  );
}

function tells(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== "boolean";
}
