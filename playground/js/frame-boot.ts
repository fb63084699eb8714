/**
 * Starts the page in a frame without an address, from its parent's files.
 *
 * The opaque origin shares nothing with the site. Files that show a plan come first. Sends `boot`, and `boot-failed`
 * with a `reason`. Source: `playground/js/plan-element.ts`.
 */

type PackedFiles = Readonly<Record<string, string>>;
type Waiting = (files: PackedFiles) => void;

const TYPES: Readonly<Record<string, string>> = { js: "text/javascript", wasm: "application/wasm", css: "text/css" };
/** Workers need file addresses as well. */
const WORKERS = ["worker.js", "run-worker.js"];

const urls: Record<string, string> = {};
const waiting: { take: Waiting; fail: (reason: string) => void }[] = [];
const [first, rest] = [nextFiles(), nextFiles()];

function nextFiles(): Promise<PackedFiles> {
  return new Promise((take, reject) => waiting.push({ take, fail: (reason) => reject(new Error(reason)) }));
}

/** Compressed, in Base64. */
function unpack(name: string, packed: string): Promise<Blob> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain";
  return new Response(stream, { headers: { "content-type": type } }).blob();
}

async function addFiles(files: PackedFiles): Promise<void> {
  const blobs = await Promise.all(
    Object.entries(files).map(async ([path, packed]) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      return [name, await unpack(name, packed)] as const;
    }),
  );
  for (const [name, blob] of blobs) if (!WORKERS.includes(name)) urls[name] = URL.createObjectURL(blob);
  const header = `globalThis.stepgraphFiles={urls:${JSON.stringify(urls)},rest:Promise.resolve()};`;
  for (const [name, blob] of blobs)
    if (WORKERS.includes(name)) urls[name] = URL.createObjectURL(new Blob([header, blob], { type: blob.type }));
}

function post(type: string, more: object = {}): void {
  parent.postMessage({ stepgraph: 1, type, ...more }, "*");
}

async function boot(): Promise<void> {
  await addFiles(await first);
  globalThis.stepgraphFiles = { urls, rest: rest.then(addFiles) };
  // The page reports failures.
  globalThis.stepgraphFiles.rest.catch(() => undefined);
  const { "page.css": styles = "", "boot.js": script = "" } = urls;
  const sheet = document.createElement("link");
  [sheet.rel, sheet.href] = ["stylesheet", styles];
  await new Promise((done) => {
    sheet.onload = sheet.onerror = done;
    document.head.append(sheet);
  });
  await import(script);
}

addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
  if (source !== parent || typeof data !== "object" || data === null) return;
  const { stepgraph, type, files, reason } = data as Record<string, unknown>;
  if (stepgraph !== 1) return;
  if (type === "files") waiting.shift()?.take(files as PackedFiles);
  else if (type === "files-failed") waiting.shift()?.fail(String(reason));
});
post("boot");
boot().catch((error: unknown) =>
  post("boot-failed", { reason: error instanceof Error ? error.message : String(error) }),
);
