/**
 * `stepgraph lsp`: the language server, over standard input and output.
 *
 * Bundled with the library of the protocol into one file, which is loaded by nothing else.
 */
import { version } from "../version.js";
import type { Io } from "../io.js";
import type { Arguments } from "../options.js";
import { Server } from "./server.js";

/**
 * Serves until the client ends it: the process ends then, as the protocol says, with 0 after `shutdown` and with 1
 * without.
 */
export async function lspCommand(_args: Arguments, _io: Io): Promise<number> {
  // What is printed by mistake must not come between messages.
  console.log = console.info = console.debug = console.error;
  new Server(process.stdin, process.stdout, version()).listen();
  return new Promise(() => undefined);
}
