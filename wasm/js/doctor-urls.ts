/** The page's address, local addresses, and secrets in addresses. */
import type { DiagnoseOptions } from "./doctor.js";

export function pageOf(): { origin: string; host: string; secure: boolean; trusted: boolean } | undefined {
  const { isSecureContext, location } = globalThis as { isSecureContext?: boolean; location?: Location };
  if (typeof isSecureContext !== "boolean" || location === undefined) return undefined;
  // A worker made from a blob has the blob's location.
  const { origin, protocol, hostname } = new URL(location.protocol === "blob:" ? location.pathname : location.href);
  return { origin, host: hostname, secure: protocol === "https:", trusted: isSecureContext };
}

export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(host);
}

export function isLocal(host: string): boolean {
  return (
    isLoopback(host) || /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cd]|\[fe80)|\.local$/.test(host)
  );
}

/** All but host and path, longest first. */
export function secretsOf(url: URL, { key, headers = {} }: DiagnoseOptions): string[] {
  const values = Object.values(headers).flatMap((value) => [
    value,
    value.replace(/^\S+ /, ""),
    ...basicCredentials(value),
  ]);
  const written = url.search
    .slice(1)
    .split("&")
    .map((pair) => pair.replace(/^[^=]*=/, ""));
  const address = [url.username, url.password, url.hash.slice(1), ...written, ...url.searchParams.values()];
  const plain = [key ?? "", ...values, ...address].flatMap((value) => [value, percentDecode(value)]);
  return [...new Set(plain)].filter((value) => value.length >= 6).sort((a, b) => b.length - a.length);
}

/** In both encodings that servers use. */
function basicCredentials(value: string): string[] {
  const [, coded = ""] = /^basic +(\S+)$/i.exec(value) ?? [];
  try {
    const latin = atob(coded);
    const pairs = [latin, new TextDecoder().decode(Uint8Array.from(latin, (char) => char.charCodeAt(0)))];
    return pairs.flatMap((pair) => [pair, pair.replace(/:.*/s, ""), pair.replace(/^[^:]*:/, "")]);
  } catch {
    return [];
  }
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function displayUrl(url: URL, scheme = false): string {
  return (scheme ? `${url.protocol}//` : "") + url.host + url.pathname;
}
