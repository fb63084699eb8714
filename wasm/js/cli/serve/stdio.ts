/**
 * An MCP server over standard input and output: one client, of any revision, until it closes its end.
 *
 * Invariant: nothing but the protocol is written to standard output, whoever prints.
 *
 * Source: MCP 2026-07-28, "stdio".
 */
import { once } from "node:events";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** Serves until the client closes standard input or `signal` is aborted. */
export async function overStdio(
  factory: McpServerFactory,
  signal: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  console.log = console.info = console.debug = console.error;
  // Who stops reading has gone away, too; the runs that are under way have to be written before the process ends.
  const deaf = new Promise((resolve) => process.stdout.removeAllListeners("error").on("error", resolve));
  const ended = Promise.race([once(process.stdin, "end"), once(process.stdin, "close"), once(signal, "abort"), deaf]);
  const handle = serveStdio(factory, { onerror: onError });
  await ended;
  await handle.close();
}
