// Tests that the TypeScript of a JSON Schema allows every value that the validator accepts.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../../dist/node.js";
import { checkBySchema, PlanGraph, planDeclaration, review } from "../../dist/package-internals.js";
import { compile } from "./compile.mjs";
import { file } from "./stepgraph.mjs";

function typeOf(schema) {
  const graph = PlanGraph.load(JSON.stringify({ inputs: { it: schema }, nodes: { a: { type: "noop" } } }));
  const text = planDeclaration({ graph, review: review(graph) });
  graph.free();
  const [, type] = /export type Input = \{\n {2}(?:\/\*\*.*\n {2})?it\??: ([^]*?);\n\};\n/.exec(text);
  return type.replace(/\s+/g, " ");
}

const object = (properties, more = {}) => ({ type: "object", properties, ...more });
const text = { type: "string" };
const whole = { type: "integer" };
const tree = object({ kids: { type: "array", items: { $ref: "#/$defs/tree" } } });

const table = [
  [{}, "unknown"],
  [true, "unknown"],
  [text, "string"],
  [{ type: ["integer", "null"] }, "number | null"],
  [{ type: "string", nullable: true }, "string | null"],
  [{ enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
  [{ const: { a: [1, "b"] } }, '{ a: [1, "b"]; }'],
  [{ enum: [-0.5, 1e300] }, "-0.5 | 1e+300"],
  [{ type: "array", items: { type: ["string", "number"] } }, "(string | number)[]"],
  [{ type: "array" }, "unknown[]"],
  [{ type: "array", prefixItems: [text, whole], minItems: 1, items: false }, "[string, number?]"],
  [{ type: "array", prefixItems: [text], items: { enum: [1, 2] } }, "[string?, ...(1 | 2)[]]"],
  [object({}), "Record<string, unknown>"],
  [object({}, { additionalProperties: false }), "Record<string, never>"],
  [object({}, { additionalProperties: whole }), "{ [name: string]: number; }"],
  [object({ a: text, b: whole }, { required: ["a", "c"] }), "{ a: string; b?: number; c: unknown; }"],
  [
    object({ a: text, b: whole }, { required: ["a"], additionalProperties: { type: "boolean" } }),
    "{ a: string; b?: number; [name: string]: boolean | string | number | undefined; }",
  ],
  [object({ a: text }, { patternProperties: { "^x": whole } }), "{ a?: string; [name: string]: unknown; }"],
  [{ anyOf: [text, whole] }, "string | number"],
  [{ anyOf: [text, {}] }, "unknown"],
  [{ oneOf: [text, { type: "array", items: text }] }, "string | string[]"],
  [{ allOf: [object({ a: text }), object({ b: whole })] }, "{ a?: string; } & { b?: number; }"],
  [{ type: "object", anyOf: [{ required: ["a"] }, { properties: { b: whole } }] }, "{ a: unknown; } | { b?: number; }"],
  // The validator ignores `properties` for other values than maps.
  [{ properties: { a: text } }, "unknown"],
  [{ $ref: "#/$defs/a", $defs: { a: text } }, "string"],
  [{ $ref: "#/$defs/a~1b", $defs: { "a/b": whole } }, "number"],
  [{ $ref: "#/$defs/tree", $defs: { tree } }, "{ kids?: unknown[]; }"],
  [{ not: text }, "unknown"],
  [{ type: "string", minLength: 3, format: "email" }, "string"],
  [object({ "it's": text, 1: text, constructor: text }), '{ "1"?: string; "it\'s"?: string; constructor?: string; }'],
];
for (const [schema, type] of table) test(JSON.stringify(schema), () => assert.equal(typeOf(schema), type));

test("schemas that grow without end are cut", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      object({ a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } }),
    ]),
  );
  $defs.d40 = text;
  assert.ok(typeOf({ $ref: "#/$defs/d0", $defs }).length < 200_000);
  let deep = text;
  for (let at = 0; at < 60; at++) deep = { type: "array", items: deep };
  assert.match(typeOf(deep), /^unknown(\[\])+$/);
});

test("random schemas: each value that the validator accepts is one of the type", () => {
  const random = generator(7);
  const lines = [];
  for (let at = 0; at < 500; at++) {
    const schema = randomSchema(random, 3);
    const values = [...Array.from({ length: 12 }, () => randomValue(random, 3)), ...examplesOf(schema, random)];
    const { errors, reports } = checkBySchema(schema, values);
    assert.deepEqual(errors, [], JSON.stringify(schema));
    const valid = values.filter((_, index) => reports[index].violations.length === 0);
    if (valid.length === 0) continue;
    lines.push(`// ${JSON.stringify(schema)}`, `type T${at} = ${typeOf(schema)};`);
    // JSON is also the syntax of types.
    valid.forEach((value, index) => {
      lines.push(`export const v${at}_${index} = (it: ${JSON.stringify(value)}): T${at} => it;`);
    });
  }
  const checked = lines.filter((line) => line.startsWith("export")).length;
  assert.ok(checked > 1000, `${checked}`);
  // The compiler suspects a mistake if a map has none of the optional names.
  compile([file("random.ts", `${lines.join("\n")}\n`)], { except: "TS2559" });
});

function generator(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const KINDS = ["string", "number", "integer", "boolean", "null", "array", "object"];
const NAMES = ["a", "b", "c"];

function randomSchema(random, depth) {
  const schema = {};
  const inner = () => (random(8) === 0 ? random(2) === 0 : randomSchema(random, depth - 1));
  const list = () => Array.from({ length: 1 + random(2) }, inner);
  if (random(5) > 0) schema.type = random(3) > 0 ? KINDS[random(7)] : [KINDS[random(7)], "null"].filter(unique);
  if (random(6) === 0) schema.enum = Array.from({ length: 1 + random(3) }, () => randomValue(random, 1));
  if (depth === 0) return schema;
  if (random(2) === 0) schema.properties = Object.fromEntries(NAMES.slice(random(3)).map((name) => [name, inner()]));
  if (random(2) === 0) schema.required = [NAMES[random(3)]];
  if (random(3) === 0) schema.additionalProperties = inner();
  if (random(3) === 0) schema.items = inner();
  if (random(5) === 0) Object.assign(schema, { prefixItems: list(), minItems: random(2) });
  if (random(5) === 0) schema.anyOf = list();
  if (random(8) === 0) schema.oneOf = list();
  if (random(8) === 0) schema.allOf = list();
  if (random(12) === 0) schema.not = inner();
  return schema;
}

function unique(item, at, all) {
  return all.indexOf(item) === at;
}

function randomValue(random, depth) {
  const simple = ["x", "", 0, 1, -1.5, true, false, null];
  const kind = random(depth > 0 ? 4 : 2);
  if (kind < 2) return simple[random(simple.length)];
  if (kind === 2) return Array.from({ length: random(3) }, () => randomValue(random, depth - 1));
  return Object.fromEntries(NAMES.filter(() => random(2) === 0).map((name) => [name, randomValue(random, depth - 1)]));
}

function examplesOf(schema, random) {
  const properties = Object.entries(schema.properties ?? {});
  const map = () =>
    Object.fromEntries([
      ...properties.map(([name, inner]) => [name, examplesOf(Object(inner), random)[0] ?? "x"]),
      ...(schema.required ?? [])
        .filter((name) => !Object.hasOwn(schema.properties ?? {}, name))
        .map((name) => [name, 1]),
    ]);
  const kinds = [schema.type ?? KINDS].flat();
  const some = { string: "x", number: 1.5, integer: 2, boolean: true, null: null, array: [], object: map() };
  return [...(schema.enum ?? []), ...kinds.map((kind) => some[kind])];
}
