/**
 * What every tool of the server works with: the tool servers, the model, the plans and the runs, as the person who
 * started it said.
 *
 * Invariant: trusted values, leave to destroy, and who may decide come from the command line only; no argument of a
 * tool changes them.
 */
import { readdirSync, realpathSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { check, PlanGraph, stubTools } from "../../node.js";
import type { Diagnostic, Limits, Model, RunOptions, Stubs, ToolInfo } from "../../types.js";
import { remedy, type Connection } from "../connections.js";
import { decode, readBytes, reason } from "../io.js";
import { near } from "../near.js";
import { UsageError } from "../options.js";
import { isStubs } from "../plan.js";
import type { Runner } from "../telemetry.js";
import { Problem } from "./problem.js";
import type { Store } from "./store.js";

/** What the person who started the server decided. */
export interface Settings {
  servers: Connection[];
  model: Model | null;
  stubs: Stubs | null;
  context: Record<string, unknown>;
  allow: boolean | readonly string[];
  /** Bounds that hold whatever a plan says. */
  limits: Limits;
  /** The folder of plans, if there is one. */
  plans: string | null;
  /** Whether decisions of the caller count as a person's. */
  callerDecides: boolean;
  /** How runs are started: as the library does, or told of as traces. */
  runner: Runner;
  store: Store;
}

/** A server that did not list its tools. */
export interface Silent {
  server: string;
  place: string;
  problem: string;
  help: string;
}

/** A plan as it was given. */
export interface Given {
  text: string;
  path: string | null;
}

/** How many files of the folder of plans are known. */
const FILES = 2000;

/** How many runs may be under way at once. */
export const AT_ONCE = 64;

/** Bounds of runs whose plans come from models, unless the person sets others. */
export const BOUNDS: Limits = { steps: 10_000, calls: 2_000, timeout_ms: 60 * 60_000, output_bytes: 64 * 1024 * 1024 };

/** The host of all tools. */
export class Desk {
  readonly #underWay = new Set<{ done: Promise<unknown>; stop(): void }>();

  constructor(readonly settings: Settings) {}

  /** Takes note of work until it is done, so that nothing of it is lost when the server ends. */
  watch(work: { done: Promise<unknown>; stop(): void }): void {
    this.#underWay.add(work);
    void work.done.catch(() => undefined).then(() => this.#underWay.delete(work));
  }

  /** The tools that plans may use, and the servers that did not tell theirs. */
  async catalogue(signal?: AbortSignal): Promise<{ tools: ToolInfo[]; silent: Silent[] }> {
    const { servers, stubs } = this.settings;
    const lists = await Promise.all(
      servers.map(async (connection): Promise<ToolInfo[] | Silent> => {
        const { name, place, client } = connection;
        try {
          return (await client.list(signal)).map((tool) => ({ server: name, ...tool }));
        } catch (error) {
          return {
            server: name,
            place,
            problem: error instanceof Error ? error.message : String(error),
            help: remedy(connection, error),
          };
        }
      }),
    );
    const tools = lists.flatMap((list) => (Array.isArray(list) ? list : []));
    return {
      tools: [...tools, ...(stubs ? stubTools(stubs) : [])],
      silent: lists.filter((list): list is Silent => !Array.isArray(list)),
    };
  }

  /** A plan's text, from an argument or a file. Throws {@link Problem}. */
  plan(args: { plan?: unknown; path?: unknown }): Given {
    const { plan, path } = args;
    if (plan !== undefined && path !== undefined)
      throw new Problem("serve/no-plan", "`plan` and `path` can't stand together");
    if (typeof plan === "string") return { text: plan, path: null };
    // A model may well write the plan as the object that it is.
    if (typeof plan === "object" && plan !== null) return { text: JSON.stringify(plan, null, 2), path: null };
    if (typeof path !== "string") throw new Problem("serve/no-plan", "there is no plan to work with");
    return { text: this.#read(path), path };
  }

  /** The files of the folder of plans, as `path` names them. */
  files(): string[] {
    const { plans } = this.settings;
    if (plans === null) return [];
    try {
      return plansIn(plans).sort();
    } catch (error) {
      throw new Problem(
        "serve/unknown-plan",
        `can't read the folder of plans: ${reason(error)}`,
        "check the folder that `--plans` names",
      );
    }
  }

  /**
   * What is wrong with a plan, by the tools there are, and by whether there is any model. The graph is null when it
   * can't run at all; whoever gets one frees it.
   */
  checked(
    text: string,
    tools: ToolInfo[] | null,
    models = true,
  ): { graph: PlanGraph | null; diagnostics: Diagnostic[] } {
    const { graph, diagnostics } = PlanGraph.parse(text);
    if (graph === null || tools === null) return { graph, diagnostics };
    const { stubs } = this.settings;
    const known = { tools, handlers: stubs?.types ?? {}, byId: stubs?.nodes ?? {}, ...(models ? {} : { models: {} }) };
    const key = ({ code, span, message }: Diagnostic) => `${code} ${span?.start} ${message}`;
    const unique = new Map([...diagnostics, ...check(graph, known)].map((found) => [key(found), found]));
    return { graph, diagnostics: [...unique.values()].sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0)) };
  }

  /** What every run is given. */
  runOptions(graph: PlanGraph): RunOptions {
    const { servers, stubs, context, allow, limits } = this.settings;
    return {
      tools: servers.map(({ client }) => client),
      ...(stubs ? { stubs } : {}),
      context,
      allow,
      limits: tighter(limits, graph),
      trace: false,
    };
  }

  /** Gives up what is under way, waits until that is written, and lets the tool servers go. */
  async close(): Promise<void> {
    for (const work of this.#underWay) work.stop();
    await Promise.allSettled([...this.#underWay].map(({ done }) => done));
    await this.settings.runner.end();
    await Promise.allSettled(this.settings.servers.map(({ client }) => client.close()));
  }

  #read(path: string): string {
    const { plans } = this.settings;
    if (plans === null)
      throw new Problem(
        "serve/unknown-plan",
        "this server has no folder of plans",
        "give the plan's text as `plan`, or start the server with `--plans DIR`",
      );
    const files = this.files();
    const unknown = () => {
      const meant = near(path, files) ?? files.find((file) => file.slice(0, -extname(file).length) === path);
      const listed = files
        .slice(0, 20)
        .map((file) => `\`${file}\``)
        .join(", ");
      return new Problem(
        "serve/unknown-plan",
        `there is no plan \`${path.slice(0, 200)}\` in the folder of plans`,
        meant
          ? `did you mean \`${meant}\`?`
          : listed === ""
            ? "the folder holds no plans: give the plan's text as `plan`"
            : `use one of ${listed}`,
      );
    };
    if (!files.includes(path.split("/").join(sep))) throw unknown();
    try {
      const [folder, file] = [realpathSync(plans), realpathSync(join(plans, path))];
      // A link may lead out of the folder.
      if (relative(folder, file).startsWith("..")) throw unknown();
      return decode(readBytes(file));
    } catch (error) {
      if (error instanceof UsageError) throw new Problem("serve/unknown-plan", error.message, error.help);
      throw error;
    }
  }
}

/** The files of a folder that may be plans, by their paths in it. What is hidden or installed is not looked at. */
function plansIn(folder: string, inside = "", depth = 0, found: string[] = []): string[] {
  for (const entry of readdirSync(join(folder, inside), { withFileTypes: true })) {
    const name = join(inside, entry.name);
    if (found.length >= FILES || entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isDirectory() && depth < 8) plansIn(folder, name, depth + 1, found);
    else if (!entry.isDirectory() && /\.(ya?ml|json)$/.test(name) && !isStubs(name)) found.push(name);
  }
  return found;
}

/** The smaller of each bound: a plan may bound itself more than the server does, never less. */
function tighter(limits: Limits, graph: PlanGraph): Limits {
  const own = (graph.toJSON() as { limits?: Record<string, unknown> | null }).limits ?? {};
  const entries = Object.entries(limits) as [keyof Limits, number][];
  return Object.fromEntries(
    entries.map(([name, bound]) => [name, typeof own[name] === "number" ? Math.min(bound, own[name]) : bound]),
  );
}
