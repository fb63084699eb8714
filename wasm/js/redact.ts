/**
 * What must not be written into a file that people hand on: values that stand under the name of a secret.
 *
 * Decides by the key alone, without looking at the value, and compares keys without case, `-`, `_` and blanks. The same
 * list stands in `core/src/cassette/redact.rs`; one fixture holds both to it. What a secret says inside a text is not
 * found, but for what a tool gave: a model is told that as text, and nothing that was redacted there may stand here.
 */

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

const NAMES = new Set([
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "token",
  "credentials",
  "passwd",
  "pwd",
]);
const ENDINGS = [
  "apikey",
  "password",
  "passphrase",
  "secret",
  "privatekey",
  "secretkey",
  "secretaccesskey",
  "accesstoken",
  "refreshtoken",
  "authtoken",
  "bearertoken",
  "sessiontoken",
  "idtoken",
];

/** What was found of keys: the same few stand in every event of a run. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 1000;

/** Whether a key says that a secret stands under it. */
export function isSecret(key: string): boolean {
  let secret = known.get(key);
  if (secret === undefined) {
    secret = tellsSecret(key);
    if (known.size < MOST_KNOWN && key.length < 100) known.set(key, secret);
  }
  return secret;
}

function tellsSecret(key: string): boolean {
  const plain = key.toLowerCase().replace(/[-_ ]/g, "");
  return NAMES.has(plain) || ENDINGS.some((ending) => plain.endsWith(ending));
}

/** JSON text without secrets. What JSON does not have is null; yes, no and null tell nothing and stay. */
export function redactedText(value: unknown): string {
  try {
    return JSON.stringify(value, replace) ?? "null";
  } catch {
    // What holds itself has no JSON; to the machine it is absent.
    return "null";
  }
}

/** Whether something was taken out. */
export function hasRedacted(value: unknown): boolean {
  return redactedText(value).includes(`"${REDACTED}"`);
}

function replace(this: unknown, key: string, value: unknown): unknown {
  if (key === "content" && typeof value === "string" && (this as { role?: unknown }).role === "tool")
    return result(value);
  if (typeof value === "bigint") return isSecret(key) ? REDACTED : Number(value);
  const telling = value !== null && value !== undefined && typeof value !== "boolean";
  return telling && isSecret(key) ? REDACTED : value;
}

/** What a tool gave, as text without secrets. */
function result(text: string): string {
  if (!/^[{[]/.test(text)) return text;
  try {
    const value = JSON.parse(text) as unknown;
    const plain = redactedText(value);
    return plain === JSON.stringify(value) ? text : plain;
  } catch {
    return text;
  }
}
