/** Which version of the package this is. */
import { readFileSync } from "node:fs";

/** The version, as its manifest says. */
export function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
