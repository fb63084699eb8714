/** Validates values against JSON Schema. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted } from "./engine.js";

/** @internal */
export interface SchemaError {
  /** JSON pointer into the schema. */
  path: string;
  message: string;
}

/** @internal */
export interface Violation {
  instancePath: string;
  keyword: string;
  /** JSON pointer into the schema. */
  schemaPath: string;
  message: string;
}

/** @internal `unfinished`: a limit ended the validation. */
export interface SchemaReport {
  violations: Violation[];
  more: number;
  unfinished: boolean;
}

/**
 * @internal Draft 2020-12. Invalid schemas validate nothing. References resolve within them or in `resources`, never
 * over the network.
 */
export function checkBySchema(
  schema: unknown,
  values: readonly unknown[],
  resources: Record<string, unknown> = {},
): { errors: SchemaError[]; reports: SchemaReport[] } {
  assertStarted();
  const text = wasm.schema_reports(JSON.stringify(schema), JSON.stringify(values), JSON.stringify(resources));
  const [errors, reports] = JSON.parse(text) as [[string, string][], [number, boolean, string[][]][]];
  return {
    errors: errors.map(([path, message]) => ({ path, message })),
    reports: reports.map(([more, unfinished, violations]) => ({
      violations: violations.map(violation),
      more,
      unfinished,
    })),
  };
}

function violation(parts: string[]): Violation {
  const [instancePath = "", keyword = "", schemaPath = "", message = ""] = parts;
  return { instancePath, keyword, schemaPath, message };
}
