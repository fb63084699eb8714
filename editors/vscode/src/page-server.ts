/**
 * Serves Stepgraph's page to the drawing, on the loopback interface only.
 *
 * A webview can't frame its own files, so the page needs a server. The random path keeps other programs and pages out.
 */
import { randomBytes } from "node:crypto";
import { createReadStream, realpathSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, sep } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

/**
 * The drawing connects to no server. There is no `frame-ancestors`, because the frames above have schemes of the editor
 * that vary by platform. The random path protects the page instead.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

export class PageServer {
  readonly #server: Server;
  readonly #root: string;
  readonly #path = `/${randomBytes(16).toString("hex")}/`;

  private constructor(folder: string) {
    this.#root = realpathSync(folder);
    this.#server = createServer((request, response) => this.#answer(request, response));
    // An open drawing does not keep the extension's process alive.
    this.#server.unref();
  }

  static async start(folder: string): Promise<PageServer> {
    const server = new PageServer(folder);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen(0, "127.0.0.1", resolve);
    });
    return server;
  }

  /** The address of the page. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#path}`;
  }

  dispose(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const file = this.#fileOf(request);
    if (file === null) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    if (request.method === "HEAD") response.end();
    else
      createReadStream(file)
        .on("error", () => response.destroy())
        .pipe(response);
  }

  #fileOf({ method, url = "" }: IncomingMessage): string | null {
    if (method !== "GET" && method !== "HEAD") return null;
    const [path = ""] = url.split(/[?#]/, 1);
    if (!path.startsWith(this.#path)) return null;
    try {
      const name = decodeURIComponent(path.slice(this.#path.length)) || "index.html";
      // Resolves links too, so the file is really inside the folder.
      const file = realpathSync(join(this.#root, name));
      return file.startsWith(this.#root + sep) && statSync(file).isFile() ? file : null;
    } catch {
      return null;
    }
  }
}
