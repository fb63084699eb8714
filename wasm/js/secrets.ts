/**
 * What a host gives to its clients in confidence: keys, tokens and the values of headers.
 *
 * Clients tell it under a symbol, so that what is written of a run can be without it; whatever stands around a client
 * hands it on. Decides which headers hold no secret: those by which content is agreed on.
 */

/** Equal in every entry of the package. */
export const SECRETS: unique symbol = Symbol.for("stepgraph.secrets") as never;

/** A client that was given something in confidence. */
export interface SecretHolder {
  [SECRETS]?: () => string[];
}

/** Headers that say how to talk, and not who talks. */
const PUBLIC_HEADERS = /^(accept|content|cache|user-agent|origin|referer|.*-(version|beta)$)/i;

/** What a client was given, from its key or token and its headers. */
export function secretTexts(key: string | undefined, headers: Record<string, string> | undefined): string[] {
  const values = Object.entries(headers ?? {}).flatMap(([name, value]) => (PUBLIC_HEADERS.test(name) ? [] : [value]));
  // `Bearer abc` is as secret as `abc`, which alone may be repeated.
  return [key ?? "", ...values, ...values.map((value) => /^(?:bearer|basic|token) +(.+)$/i.exec(value)?.[1] ?? "")];
}

/** The same for whatever stands around a client; with more that it must not tell. */
export function withSecretsOf(client: unknown, ...more: string[]): SecretHolder {
  return { [SECRETS]: () => [...secretsOfClient(client), ...more] };
}

function secretsOfClient(client: unknown): string[] {
  return (client as SecretHolder | null | undefined)?.[SECRETS]?.() ?? [];
}

/** A host's clients. */
export interface Clients {
  tools?: readonly unknown[] | undefined;
  models?: Readonly<Record<string, unknown>> | undefined;
}

/** What the clients of a host were given. */
export function secretsOf({ tools = [], models = {} }: Clients): string[] {
  return [...tools, ...Object.values(models)].flatMap(secretsOfClient);
}

/** A text in Base64 as it may be found within more of it, in both alphabets. */
export function base64(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const plain = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/=+$/, "");
  return [plain, plain.replaceAll("+", "-").replaceAll("/", "_")];
}
