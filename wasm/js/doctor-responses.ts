/** Builds the doctor's requests, and reads responses and errors. */

const MAX_RESPONSE = 65536;

export interface ProbeResponse {
  status: number;
  type: ResponseType;
  headers: Headers;
  text: string;
  json: Json;
}
export interface ProbeFailure {
  timeout: boolean;
  reason: string;
}
interface Json {
  result?: Record<string, unknown>;
  error?: { code?: number; message?: string; data?: { supported?: unknown } };
}

export const isFailure = (seen: ProbeResponse | ProbeFailure): seen is ProbeFailure => "timeout" in seen;

export function formatRequest(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

/** `safe` runs before the cut: a cut key would go unnoticed. */
export async function readResponse(response: Response, safe: (text: string) => string): Promise<ProbeResponse> {
  const { status, type, headers } = response;
  let text = "";
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    while (reader && text.length < MAX_RESPONSE) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      if (parseMessage(text).result ?? parseMessage(text).error) break;
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
  text = safe(text);
  return { status, type, headers, text, json: parseMessage(text) };
}

function parseMessage(text: string): Json {
  for (const part of [text, ...[...text.matchAll(/^data:(.*)$/gm)].map(([, data]) => data ?? "")]) {
    try {
      const value = JSON.parse(part) as Json | null;
      if (typeof value === "object" && value !== null && (value.result ?? value.error)) return value;
    } catch {
      // Incomplete, or not JSON.
    }
  }
  return {};
}

export function stringList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Formats `a`, `a and b`, `a, b and c`. */
export function listNames(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return [quoted.slice(0, -1).join(", "), quoted.at(-1)].filter(Boolean).join(" and ");
}

export function briefText(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

export function reasonOf(error: unknown, safe: (text: string) => string): string {
  const { cause = error } = (error ?? {}) as { cause?: unknown };
  const { code = "", message = "" } = (cause ?? {}) as { code?: unknown; message?: unknown };
  return briefText(safe([String(code), String(message)].filter(Boolean).join(": ") || String(cause)));
}
