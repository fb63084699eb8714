/**
 * Pins outputs and adds missing stubs.
 *
 * The page applies the entries (`playground/src/run/stubs_file.rs`), so the user's text is never rewritten.
 */
import type * as Engine from "stepgraph/web";
import { joinPath } from "./node-paths.js";
import type { RunnerRequest, StubEntry, RunnerMessage } from "./protocol.js";

type StubsRequest = Extract<RunnerRequest, { type: "stubs" }>;
type StubGroups = Record<string, Record<string, unknown> | null | undefined>;

/** Returns changed entries and pinned nodes. */
export function updateStubs(engine: typeof Engine, { stubs, plan, pin, fill }: StubsRequest): RunnerMessage {
  const { value, diagnostics } = engine.readYaml(stubs.trim() === "" ? "{}" : stubs);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (wrong)
    return { type: "stubs", changes: [], pinned: [], problem: `${wrong.message} (${wrong.line}:${wrong.column})` };
  const groups = Object(value) as StubGroups;
  const { graph } = engine.PlanGraph.parse(plan);
  try {
    const changes = [
      ...(pin === undefined ? [] : [pinEntry(pin)]),
      ...(fill && graph !== null ? missingStubs(groups, engine.review(graph)) : []),
    ];
    const ids = new Set(Object.keys(groups.nodes ?? {}));
    for (const { name, behaviour } of changes.filter(({ group }) => group === "nodes"))
      behaviour === undefined ? ids.delete(name) : ids.add(name);
    const pinned = (graph?.nodes ?? [])
      .filter(({ id }) => ids.has(id))
      .map(({ key, scope = "" }) => joinPath(scope, key));
    return { type: "stubs", changes, pinned };
  } finally {
    graph?.free();
  }
}

function pinEntry({ node, value }: NonNullable<StubsRequest["pin"]>): StubEntry {
  return { group: "nodes", name: node, ...(value !== undefined && { behaviour: { return: value } }) };
}

/** Adds `echo` for anything unstubbed. */
function missingStubs(groups: StubGroups, { handlers, tools, models }: Engine.Review): StubEntry[] {
  const wanted: [StubEntry["group"], string[]][] = [
    ["types", handlers.map(({ type }) => type)],
    ["tools", tools.map(({ name }) => name).filter((name) => name !== "*")],
    ["models", models.map(({ name }) => name)],
  ];
  return wanted.flatMap(([group, names]) =>
    names
      .filter((name) => !Object.hasOwn(groups[group] ?? {}, name))
      .map((name) => ({ group, name, behaviour: "echo" })),
  );
}
