/** Reads files below a folder. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { MissingFile } from "../package-internals.js";
import { errorReason } from "./error-reason.js";
import { noteRead } from "./file-reads.js";

/** The engine's limit. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Refuses links out of the folder. */
export function folderReader(folder: string): (path: string) => Uint8Array | MissingFile {
  return (path) => {
    noteRead(join(folder, path));
    try {
      const root = realpathSync(folder);
      const real = realpathSync(join(root, path));
      if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return { outside: true };
      const stats = statSync(real);
      if (stats.isDirectory()) return { unreadable: "it is a folder" };
      // A pipe would wait for a writer.
      if (!stats.isFile()) return { unreadable: "it is not a regular file" };
      if (stats.size > MAX_BYTES) return { unreadable: `it is larger than ${MAX_BYTES >> 20} MiB` };
      return readFileSync(real);
    } catch (error) {
      return { unreadable: errorReason(error) };
    }
  };
}
