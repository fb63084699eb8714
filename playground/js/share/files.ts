/**
 * Plans that come in as files, from addresses and from the clipboard, and go out the same way.
 *
 * Decides what is taken for text at all, and what is said when a browser, a server or a person's settings stand in the
 * way. Invariants: nothing larger than a plan may be is read to its end; a request carries neither cookies nor where it
 * came from.
 */
import { ShareError } from "./errors.js";

/** No plan is larger. */
export const MAX_BYTES = 16_000_000;
/** What the file dialog offers first. */
const ACCEPTED_FILES = ".yaml,.yml,.json,.mmd,.mermaid,.txt,.md";

/** A text and what it is called. */
export interface NamedText {
  name: string;
  text: string;
}

/** Bytes as text, if they are any. @throws {ShareError} `file/large`, `file/binary`. */
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

/** The name of a file without folders and without what says its kind. */
export function baseName(name: string): string {
  const last = name.split(/[/\\]/).filter(Boolean).at(-1) ?? "";
  return last.replace(/\.(?:ya?ml|json|mmd|mermaid|txt|md)$/i, "").slice(0, 120);
}

/** A name that any disk takes. */
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

/** Asks the person for a file; null when there is none after all. */
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

/** Tells of files that are dropped on the page. `setHovering` says whether one hangs above it. */
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
 * Reads a plan from an address.
 *
 * @throws {ShareError} `file/address` for what is none, `file/unreachable` when there was no answer that this page may
 * read, `file/refused`.
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
    // A browser tells no page why: the server may be gone, or may let no other site read it.
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
    // Said below.
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

/** Hands a file to the person. */
export function download(name: string, content: Blob | string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken it by the time that it says so; there is no event that tells when.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Puts a text on the clipboard. @throws {ShareError} `clipboard/denied`. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new ShareError("clipboard/denied");
  }
}

/** The text on the clipboard. @throws {ShareError} `clipboard/denied`, `clipboard/empty`. */
export async function readClipboard(): Promise<string> {
  const text = await navigator.clipboard.readText().catch(() => Promise.reject(new ShareError("clipboard/denied")));
  if (text.trim() === "") throw new ShareError("clipboard/empty");
  return text;
}
