/** Nodes and the run's state, as handlers see them. */
import type { EngineRun } from "./engine-run.js";
import type { Node, NodeInfo, RunOptions, State } from "./types.js";

/** Escapes the separators of call names. */
function escapeId(id: string): string {
  return id.includes("/") || id.includes("%") ? id.replaceAll("%", "%25").replaceAll("/", "%2F") : id;
}

export function callId(scope: string, node: string, visit: number, attempt: number): string {
  return `${scope === "" ? "" : `${scope}/`}${escapeId(node)}:${visit}:${attempt}`;
}

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

export class RunState implements State {
  // Created by every call: `#private` names would be slow.
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
    return this.options.signal ?? ownSignal(this.run);
  }

  /** Bound for destructuring. */
  get output(): State["output"] {
    return (name) => this.run.output(this.scope, name);
  }

  get write(): State["write"] {
    return (name, value) => this.run.write(this.scope, this.serial, name, value);
  }
}

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

const signals = /* @__PURE__ */ new WeakMap<EngineRun, AbortSignal>();

/** Never aborted, but of one run only: handlers may keep listeners on it. Most handlers never read it. */
function ownSignal(run: EngineRun): AbortSignal {
  let own = signals.get(run);
  if (own === undefined) signals.set(run, (own = new AbortController().signal));
  return own;
}
