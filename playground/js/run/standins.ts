/**
 * Stand-ins as a text that a person can keep: outputs that are pinned, and somebody for everything that nobody has connected.
 *
 * Decides how they are written: as the stubs file that the command takes, too. Invariant: what stands in the text already stays in it; its
 * comments do not.
 */
import type * as Engine from "stepgraph/web";
import type { Ask, Told } from "./protocol.js";

type Asked = Extract<Ask, { type: "stubs" }>;
type Groups = Record<string, Record<string, unknown>>;

/** Carries out what is asked of stand-ins; gives the text and whose outputs it pins. */
export function standIns(engine: typeof Engine, { stubs, plan, pin, fill }: Asked): Told {
  const { value, diagnostics } = engine.readYaml(stubs.trim() === "" ? "{}" : stubs);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (wrong) return { type: "stubs", text: stubs, pinned: [], problem: `${wrong.message} (${wrong.line}:${wrong.column})` };
  const groups = { ...(Object(value) as Groups) };
  if (pin !== undefined) pinned(groups, pin);
  const { graph } = engine.PlanGraph.parse(plan);
  try {
    if (fill && graph !== null) filled(groups, engine.review(graph));
    const text = pin === undefined && !fill ? stubs : written(engine, groups);
    const ids = new Set(Object.keys(groups["nodes"] ?? {}));
    const places = (graph?.nodes ?? []).filter(({ id }) => ids.has(id)).map(({ key, scope }) => (scope === undefined ? key : `${scope}/${key}`));
    return { type: "stubs", text, pinned: places };
  } finally {
    graph?.free();
  }
}

function pinned(groups: Groups, { node, value }: NonNullable<Asked["pin"]>): void {
  const nodes = { ...groups["nodes"] };
  if (value === undefined) delete nodes[node];
  else nodes[node] = { return: value };
  groups["nodes"] = nodes;
}

/** Whoever has nobody gets an echo. */
function filled(groups: Groups, { handlers, tools, models }: Engine.Review): void {
  const wanted: [string, string[]][] = [
    ["types", handlers.map(({ type }) => type)], ["tools", tools.map(({ name }) => name).filter((name) => name !== "*")], ["models", models.map(({ name }) => name)],
  ];
  for (const [group, names] of wanted) {
    for (const name of names) if (!Object.hasOwn(groups[group] ?? {}, name)) groups[group] = { ...groups[group], [name]: "echo" };
  }
}

function written(engine: typeof Engine, groups: Groups): string {
  const some = Object.entries(groups).filter(([, group]) => typeof group !== "object" || Object.keys(group ?? {}).length > 0);
  return some.length === 0 ? "" : engine.PlanGraph.print(Object.fromEntries(some));
}
