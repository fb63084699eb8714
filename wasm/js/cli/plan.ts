/**
 * Reads plans and stubs from files, and tells what is wrong with them.
 */
import { PlanGraph, readYaml } from "../node.js";
import { stubError } from "../inside.js";
import type { Diagnostic, Stubs } from "../types.js";
import { hasErrors, renderDiagnostics, Source, type Look } from "../terminal/diagnostics.js";
import { decode, nameOf, readBytes } from "./io.js";
import { near } from "./near.js";
import { UsageError } from "./options.js";

/** A plan as it was read. `graph` is null when it has errors. */
export interface Read {
  graph: PlanGraph | null;
  diagnostics: Diagnostic[];
  source: Source;
  /** Its text, made when somebody asks. */
  text?: () => string;
}

/** Reads a plan. The bytes go to the engine as they are, since only it decides what is too large or not text. */
export function readPlan(file: string): Read {
  const bytes = readBytes(file);
  const { graph, diagnostics } = PlanGraph.parse(bytes, file.endsWith(".json") ? { format: "json" } : {});
  const text = diagnostics.length > 0 ? decode(bytes) : "";
  return { graph, diagnostics, source: new Source(nameOf(file), text), text: () => decode(bytes) };
}

/** A source whose text is read again, for diagnostics that come later. */
export function sourceOf(file: string): Source {
  return new Source(file, file === "-" ? "" : decode(readBytes(file)));
}

/** Whether a file is one of stubs, by its name: they stand beside plans, and are checked along with them. */
export function isStubs(file: string): boolean {
  return /\.stubs\.(ya?ml|json)$/.test(file);
}

/** The stubs of a file; mistakes in it are thrown as what is shown. */
export function readStubs(file: string, look: Look): Stubs {
  const text = decode(readBytes(file));
  const { value, diagnostics } = readYaml(text);
  if (hasErrors(diagnostics))
    throw new UsageError(
      `\`${file}\` can't be read`,
      `\n${renderDiagnostics(diagnostics, new Source(file, text), look)}`,
    );
  const parts = ["types", "nodes", "tools", "models"];
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(
      `\`${file}\` holds no stubs`,
      `write a map with ${parts.map((part) => `\`${part}\``).join(", ")}`,
    );
  }
  for (const key of Object.keys(value)) {
    if (parts.includes(key)) continue;
    const meant = near(key, parts);
    throw new UsageError(
      `\`${file}\`: stubs have no \`${key}\``,
      meant ? `did you mean \`${meant}\`?` : `use ${parts.map((part) => `\`${part}\``).join(", ")}`,
    );
  }
  const error = stubError(value as Stubs);
  if (error) throw new UsageError(`\`${file}\`: \`${error.place}\` is no stub`, error.message);
  return value as Stubs;
}
