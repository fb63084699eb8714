/** The files that a plan may run, given at once or read when they become known. */
import type { PlanFileText, PlanFiles, ReadPlanFile } from "./plan-types.js";

/** @internal */
export type MissingFile = { unreadable: string } | { outside: true };

/** @internal */
export type KnownFiles = Record<string, PlanFileText | MissingFile>;

/** @internal Empty for most plans. */
export function encodeFiles(files: KnownFiles | undefined): string {
  if (files === undefined) return "";
  const entries = Object.entries(files).map(([path, file]) => [path, textOf(file)] as const);
  return entries.length === 0 ? "" : JSON.stringify(Object.fromEntries(entries));
}

/** @internal */
export function fileTexts(files: KnownFiles): Record<string, string> {
  const texts = Object.entries(files).map(([path, file]) => [normalize(path), textOf(file)] as const);
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** As in diagnostics. */
function normalize(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  for (let at = parts.indexOf(".."); at > 0; at = parts.indexOf("..")) parts.splice(at - 1, 2);
  return parts.join("/");
}

function textOf(file: PlanFileText | MissingFile): string | MissingFile {
  if (!(file instanceof Uint8Array)) return file;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file);
  } catch {
    return { unreadable: "it is not UTF-8 text" };
  }
}

/** @internal `parse` returns the paths that it still needs. */
export async function readMissing(
  known: PlanFiles | undefined,
  read: ReadPlanFile,
  parse: (files: KnownFiles) => readonly string[],
): Promise<KnownFiles> {
  const files: KnownFiles = { ...known };
  for (let missing = parse(files); missing.length > 0; missing = parse(files)) {
    const texts = await Promise.all(missing.map((path) => readOne(path, read)));
    missing.forEach((path, at) => Object.assign(files, { [path]: texts[at]! }));
  }
  return files;
}

async function readOne(path: string, read: ReadPlanFile): Promise<PlanFileText | MissingFile> {
  try {
    const text = await read(path);
    if (typeof text === "string" || text instanceof Uint8Array) return text;
    return { unreadable: text == null ? "there is no such file" : "`read` gave neither text nor bytes" };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
}

/** @internal */
export function readMissingSync(
  read: (path: string) => PlanFileText | MissingFile,
  parse: (files: KnownFiles) => readonly string[],
): KnownFiles {
  const files: KnownFiles = {};
  for (let missing = parse(files); missing.length > 0; missing = parse(files))
    for (const path of missing) files[path] = read(path);
  return files;
}
