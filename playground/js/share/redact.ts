/**
 * Removes secrets from exports and links.
 *
 * The library redacts data under names such as `password`, the page redacts plans. Invariant: nothing shared contains
 * an entered key. Source: `docs/security.md`.
 */
import { REDACTED, redactedText } from "../../../wasm/js/redact.js";

/** Shorter ones could be words. */
const MIN_LENGTH = 6;

/** Entered keys, in memory only. */
const secrets = new Set<string>();

/** Known keys and URL credentials. */
const SECRET_PATTERNS: readonly [RegExp, string][] = [
  [/\b(?:sk|pk|rk)[-_](?:[\w-]+[-_])?[A-Za-z0-9]{16,}[\w-]*/g, REDACTED],
  [/\b(?:ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs])[-_][\w-]{16,}/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
  [/\bAKIA[A-Z0-9]{16}\b/g, REDACTED],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g, REDACTED],
  [/\b(Bearer|Basic) +(?!\$\{)[\w+/.~-]{12,}=*/gi, `$1 ${REDACTED}`],
  [/\b(https?:\/\/)[^\s/?#@"'<>]+@/gi, "$1"],
  [
    /([?&](?:api[-_]?key|key|access[-_]?token|token|auth|secret|password|sig|signature)=)(?!\$\{)[^&\s"'#)\]}]{8,}/gi,
    `$1${REDACTED}`,
  ],
];

export function registerSecret(secret: string): void {
  if (secret.length >= MIN_LENGTH) secrets.add(secret);
}

export function removeSecrets(text: string): { text: string; count: number } {
  let count = 0;
  let out = text;
  for (const secret of secrets) {
    const parts = out.split(secret);
    count += parts.length - 1;
    out = parts.join(REDACTED);
  }
  for (const [shape, instead] of SECRET_PATTERNS) {
    out = out.replace(shape, (found: string, prefix: unknown) => {
      const now = instead.replace("$1", typeof prefix === "string" ? prefix : "");
      if (now !== found) count += 1;
      return now;
    });
  }
  return { text: out, count };
}

/** Other text than JSON or NDJSON loses only secrets. */
export function removeSecretsFromData(text: string): { text: string; count: number } {
  const whole = redactedJson(text);
  const lines =
    whole ??
    text
      .split("\n")
      .map((line) => redactedJson(line) ?? line)
      .join("\n");
  const { text: out, count } = removeSecrets(lines);
  return { text: out, count: count + countRedactions(lines) - countRedactions(text) };
}

function redactedJson(text: string): string | null {
  try {
    return redactedText(JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

function countRedactions(text: string): number {
  return text.split(REDACTED).length - 1;
}
