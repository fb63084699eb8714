/** Compares a locked tool with today's. */
import { effectOf } from "../review.js";
import type { ToolInfo } from "../types.js";
import { sortedText } from "../value-hash.js";
import { quotedText } from "./canonical.js";
import { own } from "../records.js";
import { compareSchemas, pathText, type SchemaChange, type Side } from "./schema-changes.js";
import type { ShapeBudget } from "./schema-shape.js";
import type { ToolPart } from "../lock-types.js";

/** Its effect on plans is unknown. */
export interface RawChange {
  part: ToolPart;
  path: string;
  message: string;
  schema?: SchemaChange;
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

export function compareTools(locked: ToolInfo, today: ToolInfo, budget: ShapeBudget): RawChange[] {
  if (today.unavailable !== undefined)
    return [{ part: "tool", path: "", message: `the tool can't be called: ${today.unavailable}` }];
  return [
    ...movedTool(locked, today),
    ...schemaChanges("input", locked.input_schema, today.input_schema, budget),
    ...outputChanges(locked.output_schema, today.output_schema, budget),
    ...annotationChanges(locked, today),
    ...descriptionChanges(locked, today),
  ];
}

/** Functions and own lists need no server. */
function movedTool({ server: before }: ToolInfo, { server: after }: ToolInfo): RawChange[] {
  if (before === undefined || after === undefined || before === after) return [];
  return [{ part: "tool", path: "", message: `the server is \`${after}\`, no longer \`${before}\`` }];
}

function schemaChanges(part: Side, before: unknown, after: unknown, budget: ShapeBudget): RawChange[] {
  const changes = compareSchemas(before ?? {}, after ?? {}, part, budget);
  return changes.map((schema) => ({ part, path: pathText(schema.path), message: schema.message, schema }));
}

/** A server answers with data instead of text once it declares a schema. */
function outputChanges(before: unknown, after: unknown, budget: ShapeBudget): RawChange[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined)
    return [{ part: "output", path: "", message: "the output has a schema now", schema: whole("changed", after) }];
  if (after === undefined)
    return [{ part: "output", path: "", message: "the output has no schema anymore", schema: whole("widened", {}) }];
  return schemaChanges("output", before, after, budget);
}

function whole(kind: SchemaChange["kind"], after: unknown): SchemaChange {
  return { path: [], kind, message: "", after };
}

function annotationChanges(locked: ToolInfo, today: ToolInfo): RawChange[] {
  const names = HINTS.filter((name) => sortedText(hint(locked, name)) !== sortedText(hint(today, name)));
  const say = (value: unknown) => (value === undefined ? "not set" : `\`${sortedText(value).slice(0, 40)}\``);
  const changes = names.map((name): RawChange => {
    const message = `\`${name}\` is ${say(hint(today, name))}, and was ${say(hint(locked, name))}`;
    return { part: "annotations", path: name, message };
  });
  const isUnread = changes.length === 0 && effectOf(locked) !== effectOf(today);
  return isUnread ? [{ part: "annotations", path: "", message: "the annotations can't be read anymore" }] : changes;
}

function hint({ annotations }: ToolInfo, name: string): unknown {
  return own(annotations, name);
}

function descriptionChanges({ description: before }: ToolInfo, { description: after }: ToolInfo): RawChange[] {
  if (before === after) return [];
  return [
    {
      part: "description",
      path: "",
      message: `the description is ${quotedText(after)}, no longer ${quotedText(before)}`,
    },
  ];
}
