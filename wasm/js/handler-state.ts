/** What a handler is told: the node it answers for, and what it may read of the run. */
import type { EngineRun } from "./engine-run.js";
import type { Node, NodeInfo, RunOptions, State } from "./types.js";

/** A node's id as a part of a call's name: what separates the parts is written differently. */
function escapeId(id: string): string {
  return id.includes("/") || id.includes("%") ? id.replaceAll("%", "%25").replaceAll("/", "%2F") : id;
}

/** A call's name, the same on every replay: scope, node, visit and attempt. */
export function callId(scope: string, node: string, visit: number, attempt: number): string {
  return `${scope === "" ? "" : `${scope}/`}${escapeId(node)}:${visit}:${attempt}`;
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
  readonly attempt: number;
  readonly scope: string;

  constructor(info: NodeInfo, input: unknown, visit: number, attempt: number, scope: string) {
    this.id = info.id;
    this.type = info.type;
    this.tool = info.tool;
    this.input = input;
    this.metadata = info.metadata;
    this.with = info.with;
    this.visit = visit;
    this.attempt = attempt;
    this.scope = scope;
  }

  get call(): string {
    return callId(this.scope, this.id, this.visit, this.attempt);
  }
}

/** The run, as far as the handler of one call sees it. */
export class RunState implements State {
  // No `#private` names: one of these is made for every call.
  private readonly run: EngineRun;
  private readonly options: RunOptions;
  private readonly scope: number;
  private readonly serial: number;

  constructor(run: EngineRun, options: RunOptions, scope: number, serial: number) {
    this.run = run;
    this.options = options;
    this.scope = scope;
    this.serial = serial;
  }

  get last(): unknown {
    return this.run.last(this.scope);
  }

  get input(): unknown {
    return this.run.inputOf(this.scope);
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.options.context ?? {};
  }

  get signal(): AbortSignal {
    return this.options.signal ?? (neverAborted ??= new AbortController().signal);
  }

  output(name: string): unknown {
    return this.run.output(this.scope, name);
  }

  write(name: string, value: unknown): void {
    this.run.write(this.scope, this.serial, name, value);
  }
}

/** The same for a call that may be abandoned while others go on. */
export class AbortableState extends RunState {
  private readonly abortable: { readonly signal: AbortSignal };

  constructor(
    run: EngineRun,
    options: RunOptions,
    scope: number,
    serial: number,
    abortable: { readonly signal: AbortSignal },
  ) {
    super(run, options, scope, serial);
    this.abortable = abortable;
  }

  override get signal(): AbortSignal {
    return this.abortable.signal;
  }
}

/**
 * For those who listen where nothing will ever be aborted. Made when it is asked for: workerd refuses it while a module
 * is loaded.
 */
let neverAborted: AbortSignal | undefined;
