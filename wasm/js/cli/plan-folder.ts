/** Reads plans with their files. */
import { dirname } from "node:path";
import { type ParsedPlan, PlanGraph } from "../node.js";
import { type KnownFiles, readMissingSync } from "../package-internals.js";
import { folderReader } from "./folder-reader.js";

/** Its files are beside `file`, or in the current folder for standard input. */
export function parsePlanFile(file: string, text: string | Uint8Array): ParsedPlan & { files: KnownFiles } {
  const format = file.endsWith(".json") ? "json" : "auto";
  const read = folderReader(file === "-" ? "." : dirname(file));
  let parsed: ParsedPlan | null = null;
  const files = readMissingSync(read, (known) => {
    parsed?.graph?.free();
    const { missing, ...rest } = PlanGraph.parseWith(text, format, known);
    parsed = rest;
    return missing;
  });
  return { ...parsed!, files };
}
