// Ports for programs that need a fixed one.

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ephemeral ports, and above the ports that browsers block. */
const [FIRST_PORT, END_PORT] = [20_000, 32_768];

/**
 * The port stays free: a concurrent process could get an ephemeral port before the program starts or while it restarts.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", (error) => (["EADDRINUSE", "EACCES"].includes(error.code) ? resolve(false) : reject(error)));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
