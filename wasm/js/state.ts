/** What a handler is told: the node it answers for, and what it may read of the run. */
import type { Session } from "./session.js";
import type { Node, NodeInfo, RunOptions, State } from "./types.js";

/** A call's name, the same on every replay: node, visit and attempt. */
export function callId(node: string, visit: number): string {
  return `${node}:${visit}:1`;
}

/** One visit of a node. */
export class NodeCall implements Node {
  readonly id: string;
  readonly type: string;
  readonly tool: string | null;
  readonly input: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, unknown>>;
  readonly visit: number;

  constructor(info: NodeInfo, input: unknown, visit: number) {
    this.id = info.id;
    this.type = info.type;
    this.tool = info.tool;
    this.input = input;
    this.metadata = info.metadata;
    this.with = info.with;
    this.visit = visit;
  }

  get call(): string {
    return callId(this.id, this.visit);
  }
}

/** The run, as far as handlers see it. */
export class RunState implements State {
  readonly #session: Session;
  readonly #options: RunOptions;
  #never: AbortSignal | undefined;

  constructor(session: Session, options: RunOptions) {
    this.#session = session;
    this.#options = options;
  }

  get last(): unknown {
    return this.#session.last;
  }

  get input(): unknown {
    return this.#session.input;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.#options.context ?? {};
  }

  get signal(): AbortSignal {
    return this.#options.signal ?? (this.#never ??= new AbortController().signal);
  }

  output(name: string): unknown {
    return this.#session.output(name);
  }

  write(name: string, value: unknown): void {
    this.#session.write(name, value);
  }
}
