/**
 * Standard output belongs to the command, so modules of the user write to standard error. Descriptor 1 and programs
 * with `stdio: "inherit"` are not redirected.
 */
import { Console } from "node:console";
import { syncBuiltinESMExports } from "node:module";

export const commandOutput = process.stdout;

/** Call it before the module runs. */
export function redirectModuleOutput(): void {
  globalThis.console = new Console(process.stderr);
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => process.stderr });
  // For `import { stdout } from "node:process"`.
  syncBuiltinESMExports();
}
