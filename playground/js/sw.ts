/**
 * Makes the page work offline.
 *
 * Files are cached by content hash, so updates fetch only changes. A new version waits until old pages close or the
 * user agrees, so an open page finds its own files. Source: Service Workers, W3C.
 */

/** Hashes by path, from the build. */
declare const FILES: Record<string, string>;
declare const VERSION: string;

interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Extendable {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Worker {
  readonly location: Location;
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", work: (event: Extendable) => void): void;
  addEventListener(type: "fetch", work: (event: Fetching) => void): void;
  addEventListener(type: "message", work: (event: Extendable & { readonly data: unknown }) => void): void;
}

const worker = self as unknown as Worker;
const scope = worker.registration.scope;
const NAME = `stepgraph-${VERSION}`;
/** Its security policy differs. */
const EMBED = "index.html?embed";

/** Versions share unchanged files. */
const cacheKey = (path: string, hash: string): string =>
  `${new URL(path, scope).href}${path.includes("?") ? "&" : "?"}${hash}`;
const fileHashes = new Map(Object.entries(FILES));
const pageHash = fileHashes.get("index.html");
if (pageHash !== undefined) fileHashes.set(EMBED, pageHash);

async function install(): Promise<void> {
  const cache = await caches.open(NAME);
  await Promise.all(
    [...fileHashes].map(async ([path, hash]) => {
      const key = cacheKey(path, hash);
      const known = await caches.match(key);
      const response = known ?? (await fetch(new URL(path, scope), { cache: "no-cache" }));
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      await cache.put(key, response);
    }),
  );
}

/** Pages of the previous version may be open. */
async function deleteOldCaches(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith("stepgraph-") && name !== NAME);
  await Promise.all(names.slice(0, -1).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Null outside the page. */
function pathOf(request: Request): string | null {
  if (request.method !== "GET" || !request.url.startsWith(scope)) return null;
  const url = new URL(request.url);
  const path = decodeURIComponent(url.pathname.slice(new URL(scope).pathname.length));
  const file = path === "" ? "index.html" : path;
  return file === "index.html" && url.searchParams.has("embed") ? EMBED : file;
}

async function respond(path: string, hash: string, request: Request): Promise<Response> {
  return (await caches.match(cacheKey(path, hash))) ?? fetch(request);
}

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(deleteOldCaches()));
worker.addEventListener("fetch", (event) => {
  const path = pathOf(event.request);
  const hash = path === null ? undefined : fileHashes.get(path);
  if (path !== null && hash !== undefined) event.respondWith(respond(path, hash, event.request));
});
worker.addEventListener("message", (event) => {
  if (event.data === "now") event.waitUntil(worker.skipWaiting());
});
