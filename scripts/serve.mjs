/** Serves the page on this machine with a strict content security policy. */
import { once } from "node:events";
import { createReadStream, readFileSync, realpathSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { UserError } from "./lib/command.mjs";

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
const PLAIN = "text/plain; charset=utf-8";
const EVENTS = "text/event-stream";

/** Servers that the user names need TLS, or run on this machine. */
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

/** Only the same origin may frame it. */
export const POLICY = policyFor(false);

/** Any page may frame an embedded page. */
export function policyFor(embedded) {
  return [...RULES, `frame-ancestors ${embedded ? "*" : "'self'"}`].join("; ");
}

function headersFor(type, { embedded = false, cache = "no-store" } = {}) {
  return {
    "content-type": type,
    "content-security-policy": policyFor(embedded),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": cache,
  };
}

/**
 * Serves a folder, and others next to it: `beside: { examples: "…" }` as `/examples/`.
 *
 * A development server passes `made` (scripts by path), `streams` (event streams by path) and `edit`, which changes the
 * document. Browsers store data per origin, so another port is used only if `port` is busy.
 */
export async function serve(folder, { port = 0, beside = {}, made = {}, streams = {}, edit } = {}) {
  const server = createServer((request, response) =>
    respond({ folder, beside, made, streams, edit }, request, response),
  );
  await listen(server, port).catch((error) => {
    if (port === 0) throw error;
    if (error.code === "EADDRINUSE") return listen(server, 0);
    throw new UserError(`Port ${port} can't be used (${error.code}): choose another one, such as \`--port 8080\`.`);
  });
  const close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  const { port: found } = server.address();
  return { url: `http://127.0.0.1:${found}/`, port: found, close };
}

export function portTaken(server, port, command) {
  if (port === 0 || server.port === port) return "";
  return (
    `\nPort ${port} is taken, so this is port ${server.port}. Plans that your browser keeps for port ${port} are not ` +
    `here.\nTo choose a port, run \`${command} -- --port 8080\`.\n`
  );
}

async function listen(server, port) {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

function respond(site, request, response) {
  const isHead = request.method === "HEAD";
  const send = (status, headers, body) => response.writeHead(status, headers).end(isHead ? undefined : body);
  if (request.method !== "GET" && !isHead)
    return send(405, { ...headersFor(PLAIN), allow: "GET, HEAD" }, "only files are given here");
  const path = request.url.split("?")[0];
  if (Object.hasOwn(site.made, path)) return send(200, headersFor(TYPES[".js"]), site.made[path]);
  if (Object.hasOwn(site.streams, path)) {
    if (isHead) return send(200, headersFor(EVENTS));
    return site.streams[path](response.writeHead(200, headersFor(EVENTS)));
  }
  const found = resolveFile(site, request.url);
  if (found === null) return send(404, headersFor(PLAIN), "there is no such file");
  if (found.isDocument && site.edit) {
    const headers = headersFor(TYPES[".html"], found);
    return send(200, headers, site.edit(readFileSync(found.file, "utf8")));
  }
  sendFile(found, request, response);
}

/** Answers 304 for a cached file. */
function sendFile({ file, size, mtimeMs, embedded }, request, response) {
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  const type = TYPES[extname(file)] ?? "application/octet-stream";
  const headers = { ...headersFor(type, { embedded, cache: "no-cache" }), etag };
  if (request.headers["if-none-match"] === etag) response.writeHead(304, headers).end();
  else if (request.method === "HEAD") response.writeHead(200, { ...headers, "content-length": size }).end();
  else
    createReadStream(file)
      .on("error", () => response.destroy())
      .pipe(response.writeHead(200, { ...headers, "content-length": size }));
}

/** Serves nothing outside the folders, even through links. */
function resolveFile({ folder, beside }, address) {
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
      ? { file, size, mtimeMs, embedded: searchParams.has("embed"), isDocument: file === join(base, "index.html") }
      : null;
  } catch {
    return null;
  }
}
