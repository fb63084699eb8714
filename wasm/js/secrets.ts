/**
 * Secrets of a host's clients: keys, tokens and header values.
 *
 * Clients and their wrappers expose them under a symbol for redaction.
 */

/** The same in every entry of the package. */
export const SECRETS: unique symbol = Symbol.for("stepgraph.secrets") as never;

export interface SecretHolder {
  [SECRETS]?: () => string[];
}

/** They are about content. */
const PUBLIC_HEADERS = /^(accept|content|cache|user-agent|origin|referer|.*-(version|beta)$)/i;

export function secretTexts(key: string | undefined, headers: Record<string, string> | undefined): string[] {
  const values = Object.entries(headers ?? {}).flatMap(([name, value]) => (PUBLIC_HEADERS.test(name) ? [] : [value]));
  // A server may repeat `abc` of `Bearer abc`.
  return [key ?? "", ...values, ...values.map((value) => /^(?:bearer|basic|token) +(.+)$/i.exec(value)?.[1] ?? "")];
}

export function withSecretsOf(client: unknown, ...more: string[]): SecretHolder {
  return { [SECRETS]: () => [...secretsOfClient(client), ...more] };
}

function secretsOfClient(client: unknown): string[] {
  return (client as SecretHolder | null | undefined)?.[SECRETS]?.() ?? [];
}

export interface Clients {
  tools?: unknown;
  models?: Readonly<Record<string, unknown>> | undefined;
}

export function secretsOf({ tools, models = {} }: Clients): string[] {
  // Functions have no known secrets.
  return [...(Array.isArray(tools) ? tools : []), ...Object.values(models)].flatMap(secretsOfClient);
}

/** As it appears within longer texts: without padding, in both alphabets. */
export function base64(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const plain = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/=+$/, "");
  return [plain, plain.replaceAll("+", "-").replaceAll("/", "_")];
}
