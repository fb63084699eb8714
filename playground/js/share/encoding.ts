/**
 * Compresses texts (`deflate-raw`) into base64url.
 *
 * Invariant: decompression respects its limit. Source: RFC 1951, RFC 4648 section 5, ISO 3309 for the checksum.
 */
import { ShareError } from "./errors.js";

/** Functions limit arguments. */
const CHUNK_SIZE = 0x8000;

export function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_SIZE)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_SIZE));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function fromBase64Url(letters: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(letters) || letters.length % 4 === 1) return null;
  const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export function checksum(text: string): string {
  let sum = ~0;
  for (const byte of new TextEncoder().encode(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (~sum >>> 0).toString(36).padStart(7, "0");
}

export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return toBase64Url(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/**
 * Decodes a text.
 *
 * @throws {ShareError} `link/garbage` if invalid, `link/large` above `most` bytes.
 */
export async function unpack(letters: string, most: number): Promise<string> {
  const bytes = fromBase64Url(letters);
  if (bytes === null) throw new ShareError("link/garbage");
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => Promise.reject(new ShareError("link/garbage")));
    if (done) break;
    length += value.length;
    if (length > most) {
      void reader.cancel().catch(() => undefined);
      throw new ShareError("link/large", String(most));
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await new Blob(parts).arrayBuffer());
  } catch {
    throw new ShareError("link/garbage");
  }
}
