/**
 * Moves plans by files, URLs and the clipboard.
 *
 * Invariants: reading stops at the size limit. Requests send no cookies or referrer.
 */
import { ShareError } from "./errors.js";

export const MAX_BYTES = 16_000_000;
const ACCEPTED_FILES = ".yaml,.yml,.json,.mmd,.mermaid,.txt,.md";

export interface NamedText {
  name: string;
  text: string;
}

/** Decodes a file. @throws {ShareError} `file/large`, `file/binary`. */
export function decodeText(bytes: ArrayBuffer | Uint8Array, name: string): NamedText {
  if (bytes.byteLength > MAX_BYTES) throw new ShareError("file/large", name);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.includes("\0")) throw new Error("not text");
    return { name: baseName(name), text };
  } catch {
    throw new ShareError("file/binary", name);
  }
}

/** Omits folders and extension. */
export function baseName(name: string): string {
  const last = name.split(/[/\\]/).filter(Boolean).at(-1) ?? "";
  return last.replace(/\.(?:ya?ml|json|mmd|mermaid|txt|md)$/i, "").slice(0, 120);
}

/** Valid on all systems. */
export function fileName(name: string, ending: string): string {
  const safe = name
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\\/:*?"<>|]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+|[. ]+$/g, "")
    .slice(0, 80);
  return `${safe || "plan"}.${ending}`;
}

async function readFile(file: File): Promise<NamedText> {
  if (file.size > MAX_BYTES) throw new ShareError("file/large", file.name);
  return decodeText(await file.arrayBuffer(), file.name);
}

export function pickFile(): Promise<NamedText | null> {
  const input = document.createElement("input");
  [input.type, input.accept, input.hidden] = ["file", ACCEPTED_FILES, true];
  document.body.append(input);
  return new Promise<File | null>((resolve) => {
    input.addEventListener("change", () => resolve(input.files?.[0] ?? null));
    input.addEventListener("cancel", () => resolve(null));
    input.click();
  })
    .then((file) => (file ? readFile(file) : null))
    .finally(() => input.remove());
}

/** `setHovering`: a file is over the page. */
export function onDrop(setHovering: (hangs: boolean) => void, dropped: (work: Promise<NamedText>) => void): void {
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setHovering(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) setHovering(false);
  });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setHovering(false);
    const file = event.dataTransfer?.files[0];
    if (file) dropped(readFile(file));
  });
}

/**
 * Fetches a plan.
 *
 * @throws {ShareError} `file/address` for an invalid URL, `file/unreachable` without a readable response,
 * `file/missing` or `file/refused` for server errors.
 */
export async function fetchText(address: string, get: typeof fetch = fetch): Promise<NamedText> {
  const url = parseUrl(address);
  let response: Response;
  try {
    response = await get(url, {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "follow",
      headers: { accept: "text/yaml, application/json, text/plain, */*" },
    });
  } catch {
    // Browsers hide the reason: no server, or CORS.
    throw new ShareError("file/unreachable", url.host);
  }
  if (!response.ok)
    throw new ShareError(response.status === 404 ? "file/missing" : "file/refused", `${url.host}: ${response.status}`);
  if (/^text\/html\b/i.test(response.headers.get("content-type") ?? "")) throw new ShareError("file/binary", url.href);
  return decodeText(await readLimited(response, url.host), url.pathname);
}

function parseUrl(address: string): URL {
  try {
    const url = new URL(address.trim(), location.href);
    if (url.protocol === "https:" || url.protocol === "http:") return url;
  } catch {
    // Handled below.
  }
  throw new ShareError("file/address", address.slice(0, 200));
}

async function readLimited(response: Response, host: string): Promise<ArrayBuffer> {
  const reader = response.body?.getReader();
  if (!reader) return response.arrayBuffer();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => Promise.reject(new ShareError("file/unreachable", host)));
    if (done) return new Blob(parts).arrayBuffer();
    length += value.length;
    parts.push(value as Uint8Array<ArrayBuffer>);
    if (length > MAX_BYTES) {
      void reader.cancel().catch(() => undefined);
      throw new ShareError("file/large", host);
    }
  }
}

export function download(name: string, content: Blob | string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // No event reports a download's end.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @throws {ShareError} `clipboard/denied`. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new ShareError("clipboard/denied");
  }
}

/** @throws {ShareError} `clipboard/denied`, `clipboard/empty`. */
export async function readClipboard(): Promise<string> {
  const text = await navigator.clipboard.readText().catch(() => Promise.reject(new ShareError("clipboard/denied")));
  if (text.trim() === "") throw new ShareError("clipboard/empty");
  return text;
}
