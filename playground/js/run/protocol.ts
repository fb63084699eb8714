/**
 * The protocol between page and runner.
 *
 * The page sends {@link RunnerRequest} and receives {@link RunnerMessage}. A worker can't open sign-in windows, so it
 * sends {@link HostRequest} and receives {@link HostResponse}.
 *
 * Only messages for the page's module are JSON text. Invariants: values are truncated, in full on request. Events are
 * sent once, in order.
 */
import type { Decision, Limits } from "stepgraph/web";

/** The provider's name of a model, for prices. */
export interface ModelName {
  name: string;
  provider?: string;
}

export interface StartOptions {
  plan: string;
  input?: unknown;
  context?: Record<string, unknown>;
  memory?: unknown;
  /** A stubs file. */
  stubs?: string;
  limits?: Limits;
  /** Destructive tools that need no approval. */
  allow?: boolean | string[];
  /** A test, with its input and stubs. */
  test?: string;
  /** Tool clients and models on the page's thread. */
  host?: { tools: string[]; models: string[]; names?: Record<string, ModelName> };
  breakpoints?: string[];
  /** Before the first node. */
  paused?: boolean;
  /** Minimum milliseconds per node. */
  pace?: number;
}

/** A call's new result. If empty, the failed call repeats. */
export interface ForkChange {
  call?: string;
  output?: unknown;
  error?: { code?: string; message: string };
  decision?: Decision;
}

export type RunnerRequest =
  | ({ type: "start" } & StartOptions)
  | ({ type: "fork"; cassette: string[]; change: ForkChange } & StartOptions)
  | ({ type: "replay"; cassette: string } & StartOptions)
  | { type: "tests"; plan: string; filter?: string }
  /** Pins or unpins an output, or adds missing stubs. */
  | { type: "stubs"; stubs: string; plan: string; pin?: { node: string; value?: unknown }; fill?: boolean }
  | { type: "pause" }
  | { type: "resume" }
  /** `over` stops in the same graph or an outer one. */
  | { type: "step"; over?: boolean }
  | { type: "run-to"; nodePath: string }
  | { type: "breakpoints"; nodePaths: string[] }
  | { type: "pace"; ms: number }
  | { type: "stop" }
  | { type: "decide"; call: string; decision: Decision }
  | { type: "value"; id: number; event: number }
  | { type: "file"; which: "report" | "trace" }
  | CostRequest
  | TestRequest;

export interface CostRequest {
  type: "cost";
  plan: string;
  /** Cassettes of this plan. */
  cassettes: string[];
  host?: StartOptions["host"];
}

/** The maximum, or why there is none, and statistics of recorded runs. */
export interface CostAmount {
  name: string;
  most: number | null;
  kind?: "unbounded" | "unknown";
  mean: number | null;
  max: number | null;
}

/** For the plan if `into`, else as a file. */
export interface TestRequest {
  type: "to-test";
  plan: string;
  cassette: string;
  /** As in `testFromRun`. */
  expect: string[];
  into?: boolean;
}

/** JSON, truncated if `cut`. */
export interface TruncatedValue {
  text: string;
  cut?: true;
}

export interface ConditionResult {
  edge: number;
  condition: string;
  holds: boolean;
  /** Its evaluation failed. */
  failed?: true;
  saw: { reference: string; value?: TruncatedValue; missing?: true }[];
}

/** `lane` is the run's scope. */
interface EventLocation {
  at: number;
  nodePath: string;
  lane: string;
}

export type RunnerEvent =
  | { type: "run-started"; at: number; value: TruncatedValue }
  | ({ type: "node-started"; visit: number; value: TruncatedValue } & EventLocation)
  | ({ type: "node-completed"; visit: number; value: TruncatedValue; ms: number } & EventLocation)
  | ({ type: "node-failed"; visit: number; code: string; message: string; ms: number } & EventLocation)
  | ({
      type: "node-retried";
      visit: number;
      attempt: number;
      code: string;
      message: string;
      delay: number;
    } & EventLocation)
  | ({ type: "logged"; value: TruncatedValue } & EventLocation)
  /** `scope` contains the edge. */
  | ({
      type: "edge-decided";
      scope: string;
      edge: number | null;
      to: string | null;
      reason: string;
      verdicts: ConditionResult[];
    } & EventLocation)
  /** A nested graph started. `parentLane` is its node's scope. */
  | ({ type: "scope-started"; parentLane: string; value: TruncatedValue } & EventLocation)
  | { type: "scope-ended"; at: number; lane: string; status: string }
  /** `part` is an agent's sub-call. */
  | ({
      type: "call-started";
      call: string;
      kind: string;
      tool?: string;
      visit: number;
      attempt: number;
      part: string;
      value: TruncatedValue;
    } & EventLocation)
  | {
      type: "call-answered";
      at: number;
      call: string;
      value?: TruncatedValue;
      code?: string;
      message?: string;
      /** `microUsd` is missing without a price. */
      usage?: { input: number; output: number; cached: number; microUsd?: number };
    }
  | { type: "run-ended"; at: number; outcome: string; code?: string; message?: string; nodePath?: string };

export interface Problem {
  code: string;
  severity: string;
  message: string;
  help: string | null;
  location: string | null;
  start: number | null;
  end: number | null;
}

export interface RunOutcome {
  outcome: string;
  reason?: string;
  code?: string;
  message?: string;
  nodePath?: string;
  last: TruncatedValue;
  ms: number;
  steps: number;
  calls: number;
  retries: number;
  tokens: number | null;
  problems: Problem[];
}

/** If `behaviour` is missing, removes the entry. */
export interface StubEntry {
  group: "nodes" | "types" | "tools" | "models";
  name: string;
  behaviour?: unknown;
}

export type RunnerMessage =
  /** A chosen file. */
  | { type: "cassette"; text: string }
  | { type: "events"; events: RunnerEvent[] }
  | {
      type: "state";
      state: "running" | "paused" | "ended";
      nodePath?: string;
      lane?: string;
      why?: "breakpoint" | "step" | "pause";
    }
  | {
      type: "updates";
      updates: {
        call: string;
        text?: string;
        thinking?: string;
        progress?: number;
        total?: number;
        message?: string;
      }[];
    }
  | { type: "lines"; lines: string[] }
  | {
      type: "approval";
      call: string;
      nodePath: string;
      lane: string;
      tool: string | null;
      input: unknown;
      title: string | null;
      /** The call for which the approval of an `approve` node counts, too. */
      next: { tool: string; arguments: unknown } | null;
    }
  /** A question from a server. */
  | {
      type: "question";
      call: string;
      nodePath: string;
      tool: null;
      server: string;
      input: unknown;
      schema: unknown;
      title: string;
    }
  | { type: "settled"; call: string }
  /** Also lists the nodes pinned afterwards. */
  | { type: "stubs"; changes: StubEntry[]; pinned: string[]; problem?: string }
  | ({ type: "ended" } & RunOutcome)
  /** No amounts: the plan has errors, or calls nothing. */
  | { type: "cost"; runs: number; amounts: CostAmount[]; why: string[] }
  /** If short. */
  | { type: "recording"; cassette: string }
  /** The test, or the problem. */
  | { type: "test-made"; test?: unknown; problem?: string }
  | { type: "test-results"; results: TestResult[]; problem?: string }
  | { type: "value"; id: number; text: string; cut: boolean }
  | { type: "file"; name: string; kind: string; text: string };

export interface TestResult {
  name: string;
  passed: boolean;
  ms: number;
  outcome: string;
  differences: { path: string; expected: TruncatedValue; got: TruncatedValue }[];
}

export type HostRequest =
  | { method: "list"; id: number; client: string; call?: string }
  | {
      method: "call";
      id: number;
      client: string;
      name: string;
      arguments: Record<string, unknown>;
      call?: string;
      progress: boolean;
    }
  | { method: "chat"; id: number; model: string; chat: unknown; call?: string; deltas: boolean }
  | { method: "abort"; id: number };

/** May be partial. */
export type HostResponse =
  | { result: "value"; id: number; value: unknown }
  | { result: "error"; id: number; code: string | null; message: string }
  | { result: "delta"; id: number; delta: unknown }
  | { result: "progress"; id: number; progress: unknown };

/** Read by scripts. */
export type ScriptMessage = Extract<RunnerMessage, { type: "lines" | "file" | "ended" }>;

export type FileMessage = Extract<RunnerMessage, { type: "file" }>;

/** JSON text goes to the module. */
export type RunnerOutput = string | ScriptMessage | HostRequest;

export type RunnerInput = RunnerRequest | HostResponse;
