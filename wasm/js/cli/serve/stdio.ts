/**
 * Serves one client of any revision.
 *
 * Invariant: standard output carries only protocol messages.
 *
 * Source: MCP 2026-07-28, "stdio".
 */
import { once } from "node:events";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { commandOutput } from "../module-output.js";

/** Ends when the client closes standard input or `signal` aborts. */
export async function overStdio(
  factory: McpServerFactory,
  signal: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  console.log = console.info = console.debug = console.error;
  // A client that stops reading has disconnected. If nothing listens, the error ends the process before runs are
  // stored.
  const deaf = new Promise((resolve) => commandOutput.removeAllListeners("error").on("error", resolve));
  const ended = Promise.race([once(process.stdin, "end"), once(process.stdin, "close"), once(signal, "abort"), deaf]);
  const handle = serveStdio(factory, {
    onerror: onError,
    transport: new StdioServerTransport(process.stdin, commandOutput),
  });
  await ended;
  await handle.close();
}
