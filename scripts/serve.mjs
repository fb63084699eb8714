/**
 * Serves the page on this machine, with the policy that a careful site has: nothing inline, nothing evaluated but
 * WebAssembly.
 */
import { once } from "node:events";
import { createReadStream, realpathSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
  ".yaml": "text/yaml; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
};

/**
 * What the page may do. It talks to servers that a person names, over TLS or on this very machine; everything else is
 * its own.
 */
const RULES = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self' https: http://127.0.0.1:* http://localhost:*",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** The policy of the page; any other page may show it where it is asked to be embedded, and nowhere else. */
export const POLICY = policyFor(false);

/** The policy of the page, or of the page inside another. */
export function policyFor(embedded) {
  return [...RULES, `frame-ancestors ${embedded ? "*" : "'self'"}`].join("; ");
}

/**
 * Serves a folder on this machine, and others beside it: `beside: { examples: "…" }` as `/examples/`. Gives its address
 * and how to end it. What `first` answers, giving true, is not looked for.
 *
 * What a browser keeps belongs to an address, port included: so a `port` is asked for first, and any free one taken
 * only when that is not free.
 */
export async function serve(folder, { port = 0, beside = {}, first = () => false } = {}) {
  const server = createServer(
    (request, response) => first(request, response) || answer(folder, beside, request, response),
  );
  await listening(server, port).catch((error) => {
    if (port === 0 || error.code !== "EADDRINUSE") throw error;
    return listening(server, 0);
  });
  const close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  const { port: found } = server.address();
  return { url: `http://127.0.0.1:${found}/`, port: found, close };
}

async function listening(server, port) {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

function answer(folder, beside, request, response) {
  const plain = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { ...plain, allow: "GET, HEAD" }).end("only files are given here");
    return;
  }
  const found = find(folder, beside, request.url);
  if (found === null) {
    response.writeHead(404, plain).end("there is no such file");
    return;
  }
  const { file, size, mtimeMs, embedded } = found;
  const tag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  const headers = {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "content-security-policy": policyFor(embedded),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
    etag: tag,
  };
  if (request.headers["if-none-match"] === tag) response.writeHead(304, headers).end();
  else if (request.method === "HEAD") response.writeHead(200, { ...headers, "content-length": size }).end();
  else
    createReadStream(file)
      .on("error", () => response.destroy())
      .pipe(response.writeHead(200, { ...headers, "content-length": size }));
}

/** The file that an address means; nothing outside the folders, links that lead out of them included. */
function find(folder, beside, address) {
  try {
    const { pathname, searchParams } = new URL(address.replace(/^[/\\]+/, "/"), "http://host");
    const path = normalize(decodeURIComponent(pathname));
    const [, first = "", ...rest] = path.split(sep);
    const other = Object.hasOwn(beside, first) && rest.length > 0 ? beside[first] : null;
    const base = realpathSync(other ?? folder);
    const within = other === null ? path : join(sep, ...rest);
    const file = realpathSync(join(base, path.endsWith(sep) ? join(within, "index.html") : within));
    const { size, mtimeMs } = statSync(file);
    return file.startsWith(join(base, sep)) && statSync(file).isFile()
      ? { file, size, mtimeMs, embedded: searchParams.has("embed") }
      : null;
  } catch {
    return null;
  }
}
