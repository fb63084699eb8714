/**
 * Standard output belongs to the command: results, JSON, or the protocol of a server. A module of the user writes to
 * standard error instead.
 *
 * What a module writes to the file descriptor 1 is not redirected, nor is a program that it starts with
 * `stdio: "inherit"`.
 */
import { Console } from "node:console";
import { syncBuiltinESMExports } from "node:module";

/** The stream that only the command writes to. */
export const commandOutput = process.stdout;

/** Call it before a module of the user runs. */
export function redirectModuleOutput(): void {
  globalThis.console = new Console(process.stderr);
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => process.stderr });
  // For `import { stdout } from "node:process"`.
  syncBuiltinESMExports();
}
