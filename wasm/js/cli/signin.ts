/**
 * Prints the sign-in URL and listens for the redirect, on a fixed port if free, because servers only redirect to the
 * registered URI.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { OAuthOptions, OAuthStore } from "../auth.js";
import { renderOptions, errorReason, type Io } from "./io.js";
import { UsageError } from "./options.js";
import { writePrivate } from "./private-files.js";
import { visible } from "../terminal/text.js";

const PORT = 41_237;
const SIGN_IN_TIMEOUT_MS = 10 * 60_000;
const RESPONSE_HEADERS = { "content-type": "text/plain; charset=utf-8" };

/** `tokens` is the file that stores them. */
export function signIn(io: Io, tokens: string | undefined): OAuthOptions {
  const callbacks = new CallbackServer(io);
  return {
    redirectUri: () => callbacks.open(),
    authorize: (url, { signal }) => callbacks.visit(url, signal),
    ...(tokens === undefined ? {} : { store: fileStore(tokens) }),
  };
}

/** `state` distinguishes concurrent sign-ins. */
class CallbackServer {
  #server: Promise<Server> | undefined;
  readonly #waiting = new Map<string, (address: string) => void>();

  constructor(readonly io: Io) {}

  async open(): Promise<string> {
    const server = await (this.#server ??= this.#listen(PORT).catch(() => this.#listen(0)));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  }

  async visit(url: string, signal: AbortSignal): Promise<string> {
    const own = await this.open();
    const state = new URL(url).searchParams.get("state") ?? "";
    const { style } = renderOptions(this.io.err, this.io);
    this.io.err.write(`${style.bold("to sign in")}, visit this address; it waits for ten minutes:\n${visible(url)}\n`);
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        this.#waiting.delete(state);
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        act();
      };
      const stop = () => end(() => reject(signal.reason));
      const timer = setTimeout(
        () => end(() => reject(new Error("no redirect arrived within ten minutes"))),
        SIGN_IN_TIMEOUT_MS,
      );
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.set(state, (address) => end(() => resolve(new URL(address, own).href)));
    });
  }

  async #listen(port: number): Promise<Server> {
    // Few runs sign in, and the server takes as long to load as a small run.
    const { createServer } = await import("node:http");
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
      const back =
        pathname === "/callback" && request.method === "GET"
          ? this.#waiting.get(searchParams.get("state") ?? "")
          : undefined;
      // An unknown `state` is not ours.
      if (back === undefined) return void response.writeHead(404, RESPONSE_HEADERS).end("no sign-in waits for this\n");
      response
        .writeHead(200, { ...RESPONSE_HEADERS, connection: "close" })
        .end("Done. You can close this page and return to the terminal.\n", () => back(request.url!));
    });
    // An open listener must not keep the command running.
    server.listen(port, "127.0.0.1").unref();
    await once(server, "listening");
    return server;
  }
}

function fileStore(file: string): OAuthStore {
  const read = (): Record<string, string> => {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return {};
      throw new UsageError(
        "cli/unreadable-file",
        `can't read the tokens in \`${file}\`: ${errorReason(error)}`,
        "name another file, or remove this one",
      );
    }
  };
  return {
    load: (server) => read()[server],
    save(server, text) {
      try {
        writePrivate(file, `${JSON.stringify({ ...read(), [server]: text })}\n`);
      } catch (error) {
        throw new UsageError(
          "cli/unwritable-file",
          `can't write \`${file}\`: ${errorReason(error)}`,
          "name a file in an existing folder",
        );
      }
    },
  };
}
