/** `stepgraph lsp`, in a bundle that no other command loads. */
import { version } from "../version.js";
import type { Io } from "../io.js";
import type { Arguments } from "../options.js";
import { Server } from "./server.js";

/** The client ends the process: exit code 0 after `shutdown`, else 1. */
export async function lspCommand(_args: Arguments, _io: Io): Promise<number> {
  // Stray output would mix with protocol messages.
  console.log = console.info = console.debug = console.error;
  new Server(process.stdin, process.stdout, version()).listen();
  return new Promise(() => undefined);
}
