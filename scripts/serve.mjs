/**
 * Serves the page on this machine, with the policy that a careful site has: nothing inline, nothing evaluated but WebAssembly.
 */
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".wasm": "application/wasm", ".json": "application/json",
  ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json", ".yaml": "text/yaml; charset=utf-8",
};

/**
 * What the page may do. It talks to servers that a person names, over TLS or on this very machine; everything else is its own.
 */
export const POLICY = [
  "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "img-src 'self' data: blob:", "font-src 'self'",
  "connect-src 'self' https: http://127.0.0.1:* http://localhost:*", "worker-src 'self'", "manifest-src 'self'", "frame-src 'self'",
  "base-uri 'none'", "form-action 'none'",
].join("; ");

/** Serves a folder on a free port of this machine; gives its address and how to end it. */
export async function serve(folder, { port = 0 } = {}) {
  const server = createServer((request, response) => answer(folder, request, response)).listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = () => new Promise((resolve) => {
    server.closeAllConnections();
    server.close(resolve);
  });
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

function answer(folder, request, response) {
  const file = find(folder, request.url);
  if (file === null) {
    response.writeHead(404, { "content-type": "text/plain" }).end("there is no such file");
    return;
  }
  response.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-security-policy": POLICY,
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-cache",
  });
  if (request.method === "HEAD") response.end();
  else createReadStream(file).pipe(response);
}

/** The file that an address means; nothing outside the folder. */
function find(folder, address) {
  try {
    const path = normalize(decodeURIComponent(new URL(address, "http://host").pathname));
    const file = join(folder, path.endsWith(sep) ? join(path, "index.html") : path);
    return file.startsWith(join(folder, sep)) && statSync(file).isFile() ? file : null;
  } catch {
    return null;
  }
}
