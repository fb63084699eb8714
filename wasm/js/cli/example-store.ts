/** The package's examples. */
import { existsSync, readFileSync } from "node:fs";

/** In the package and in a checkout. */
const FOLDER = new URL("../../examples/", import.meta.url);

export interface Example {
  name: string;
  /** First sentence of the plan's comment. */
  summary: string;
  /** Arguments of an offline run. */
  run: string;
  plan: string;
  /** Null without tool and model calls. */
  stubs: string | null;
}

/** Commands in its comments name a copy whose path begins with `prefix`. */
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

function offlineRun(plan: string): string {
  const runs = [...plan.matchAll(/^# {3}npx stepgraph (run .*)$/gm)].map(([, words]) => words!);
  return runs.find((words) => words.includes(" --stubs ")) ?? runs[0]!;
}
