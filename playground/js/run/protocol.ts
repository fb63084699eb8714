/**
 * The protocol between the page and the runner.
 *
 * The page sends {@link RunnerRequest} and receives {@link RunnerMessage}. A runner in a worker can't open windows for
 * sign-ins. So it sends a {@link HostRequest} to the page's thread, which answers with {@link HostResponse}.
 *
 * Scripts exchange objects. Messages for the page's module are JSON text, and only the module parses them.
 * Invariants: values are truncated, and in full on request. Events are sent once and in order.
 */
import type { Decision, Limits } from "stepgraph/web";

/** The name of a model at its provider, for prices. */
export interface ModelName {
  name: string;
  provider?: string;
}

export interface StartOptions {
  plan: string;
  input?: unknown;
  context?: Record<string, unknown>;
  memory?: unknown;
  /** The text of a stubs file. */
  stubs?: string;
  limits?: Limits;
  /** Destructive tools that run without approval. */
  allow?: boolean | string[];
  /** A test in the plan, which provides the input and stubs. */
  test?: string;
  /** Names of tool clients and models on the page's thread. */
  host?: { tools: string[]; models: string[]; names?: Record<string, ModelName> };
  breakpoints?: string[];
  /** Pauses before the first node. */
  paused?: boolean;
  /** The minimum time per node, in milliseconds. */
  pace?: number;
}

/** A call and its new result. If empty, the fork repeats the failed call. */
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
  /** With `over`, runs to the next node in the same graph or an outer one. */
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

/** Estimates the cost of a run. */
export interface CostRequest {
  type: "cost";
  plan: string;
  /** Recorded runs of the plan. */
  cassettes: string[];
  host?: StartOptions["host"];
}

/** An amount of a run: the most, or why there is none, and the mean and the maximum of recorded runs. */
export interface CostAmount {
  name: string;
  most: number | null;
  kind?: "unbounded" | "unknown";
  mean: number | null;
  max: number | null;
}

/** Makes a test of a recorded run: for the plan if `into`, otherwise as a file. */
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
  saw: { reference: string; value?: TruncatedValue; missing?: true }[];
}

/** `lane` is the scope of the run. */
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
  /** `scope` is the graph that contains the edge. */
  | ({
      type: "edge-decided";
      scope: string;
      edge: number | null;
      to: string | null;
      reason: string;
      verdicts: ConditionResult[];
    } & EventLocation)
  /** A composite node started a nested graph. `parentLane` is the scope of the node. */
  | ({ type: "scope-started"; parentLane: string; value: TruncatedValue } & EventLocation)
  | { type: "scope-ended"; at: number; lane: string; status: string }
  /** A call. `part` is the id of an agent's sub-call. */
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
      /** `microUsd` is missing for a model without a price. */
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

/** If `behaviour` is missing, the entry is removed. */
export interface StubEntry {
  group: "nodes" | "types" | "tools" | "models";
  name: string;
  behaviour?: unknown;
}

export type RunnerMessage =
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
    }
  /** An elicitation request of a server. */
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
  /** Changes of the stubs file, and the nodes that it pins afterwards. */
  | { type: "stubs"; changes: StubEntry[]; pinned: string[]; problem?: string }
  | ({ type: "ended" } & RunOutcome)
  /** No amounts: the plan has errors, or calls no tool and no model. */
  | { type: "cost"; runs: number; amounts: CostAmount[]; why: string[] }
  /** The cassette, if it is short. */
  | { type: "recording"; cassette: string }
  /** The test, or why there is none. */
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

/** The response to a request, or a part of it. */
export type HostResponse =
  | { result: "value"; id: number; value: unknown }
  | { result: "error"; id: number; code: string | null; message: string }
  | { result: "delta"; id: number; delta: unknown }
  | { result: "progress"; id: number; progress: unknown };

/** The messages that the page's scripts read. */
export type ScriptMessage = Extract<RunnerMessage, { type: "lines" | "file" | "ended" }>;

export type FileMessage = Extract<RunnerMessage, { type: "file" }>;

/** From the runner's thread to the page's. JSON text goes to the page's module. */
export type RunnerOutput = string | ScriptMessage | HostRequest;

/** From the page's thread to the runner's. */
export type RunnerInput = RunnerRequest | HostResponse;
