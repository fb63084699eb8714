// Ports for programs that must be told one.

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below those that systems give out by themselves, to whoever listens at any and to whoever connects; above those that
 * browsers connect to nobody at.
 */
const [FIRST, AFTER] = [20_000, 32_768];

/**
 * A port that is free, and stays so: other tests run at the same time, and a port of those that the system gives out
 * could be somebody else's before the program has started, or while it is ended and started again.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST, AFTER);
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
