/** The examples of the package: plans with tests and stubs, described by their first lines. */
import { existsSync, readFileSync } from "node:fs";

/** In the package and in a checkout. */
const FOLDER = new URL("../../examples/", import.meta.url);

export interface Example {
  name: string;
  /** The first sentence of the plan's comment. */
  summary: string;
  /** The arguments of a run that needs no network. */
  run: string;
  plan: string;
  /** Null if the plan calls no tool and no model. */
  stubs: string | null;
}

/** Reads an example. The commands in its comments are for a copy whose path begins with `prefix`. */
export function readExample(name: string, prefix = ""): Example {
  const stubsFile = new URL(`${name}.stubs.yaml`, FOLDER);
  const stubs = existsSync(stubsFile) ? readFileSync(stubsFile, "utf8") : null;
  const text = readFileSync(new URL(`${name}.yaml`, FOLDER), "utf8");
  const plan = text.replaceAll(`examples/${name}.`, `${prefix}${name}.`);
  return { name, summary: firstSentence(plan), run: offlineRun(plan), plan, stubs };
}

function firstSentence(plan: string): string {
  return /^# (.*?[.:])(?: [A-Z]|$)/m.exec(plan)?.[1] ?? "";
}

/** Returns the first run with stubs, or the first one if the example has none. */
function offlineRun(plan: string): string {
  const runs = [...plan.matchAll(/^# {3}npx stepgraph (run .*)$/gm)].map(([, words]) => words!);
  return runs.find((words) => words.includes(" --stubs ")) ?? runs[0]!;
}
