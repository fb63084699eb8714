/**
 * What the page and the runner say to each other, as JSON text.
 *
 * The page asks ({@link RunnerRequest}) and is told ({@link RunnerMessage}). The runner may stand in a worker, where
 * neither windows nor sign-ins are: what it needs of the world outside it asks for ({@link HostRequest}) and is given
 * ({@link HostResponse}) by the page's own thread. Invariants: everything is JSON; values are told shortened, and in
 * full to who asks; events are told in order, each once.
 */
import type { Decision, Limits } from "stepgraph/web";

/** What a run is given, whichever way it begins. */
export interface StartOptions {
  /** The plan's text. */
  plan: string;
  input?: unknown;
  context?: Record<string, unknown>;
  memory?: unknown;
  /** Stand-ins, as the text of a stubs file. */
  stubs?: string;
  limits?: Limits;
  /** Tools that may destroy something and are called without asking. */
  allow?: boolean | string[];
  /** Begins as one of the tests beside the plan: its input and stand-ins. */
  test?: string;
  /** Whom the page's own thread has: names of tool clients and of models. */
  host?: { tools: string[]; models: string[] };
  breakpoints?: string[];
  /** Stops before the first node. */
  paused?: boolean;
  /** How long each node is shown before the next; 0 for at once. */
  pace?: number;
}

/** What a fork changes: the name of a call and what it gave instead. Nothing: what failed is asked again. */
export interface ForkChange {
  call?: string;
  output?: unknown;
  error?: { code?: string; message: string };
  decision?: Decision;
}

/** From the page. */
export type RunnerRequest =
  | ({ type: "start" } & StartOptions)
  | ({ type: "fork"; cassette: string[]; change: ForkChange } & StartOptions)
  | ({ type: "replay"; cassette: string } & StartOptions)
  | { type: "tests"; plan: string; filter?: string }
  /** Stand-ins: what they pin, and changed: an output pinned or no longer, somebody for everybody who is missing. */
  | { type: "stubs"; stubs: string; plan: string; pin?: { node: string; value?: unknown }; fill?: boolean }
  | { type: "pause" }
  | { type: "resume" }
  /** One node further; with `over` one in the same graph or around it. */
  | { type: "step"; over?: boolean }
  /** Goes on to a node. */
  | { type: "to"; place: string }
  | { type: "breakpoints"; places: string[] }
  | { type: "pace"; ms: number }
  | { type: "stop" }
  | { type: "decide"; call: string; decision: Decision }
  /** A value of an event in full. */
  | { type: "value"; id: number; event: number }
  | { type: "file"; which: "report" | "trace" };

/** A value as far as it is shown: JSON, cut off where `size` says how long it would be at least. */
export interface TruncatedValue {
  text: string;
  cut?: true;
}

/** What a condition saw. */
export interface ConditionResult {
  edge: number;
  condition: string;
  holds: boolean;
  saw: { reference: string; value?: TruncatedValue; missing?: true }[];
}

/** Where a node is: by keys in the plan, and in which of the graphs that run. */
interface EventLocation {
  at: number;
  place: string;
  lane: string;
}

/** What happened, in order. */
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
  /** `scope` is the graph whose edge it is. */
  | ({
      type: "edge-decided";
      scope: string;
      edge: number | null;
      to: string | null;
      reason: string;
      verdicts: ConditionResult[];
    } & EventLocation)
  /** A node began to run one of its graphs; `lane` is the new one, `around` the one in which the node runs. */
  | ({ type: "scope-started"; around: string; value: TruncatedValue } & EventLocation)
  | { type: "scope-ended"; at: number; lane: string; status: string }
  /** Somebody is asked. `part` is what of the name is only an agent's own. */
  | ({
      type: "asked";
      call: string;
      kind: string;
      tool?: string;
      visit: number;
      attempt: number;
      part: string;
      value: TruncatedValue;
    } & EventLocation)
  | {
      type: "answered";
      at: number;
      call: string;
      value?: TruncatedValue;
      code?: string;
      message?: string;
      usage?: { input: number; output: number; cached: number };
    }
  | { type: "run-ended"; at: number; outcome: string; code?: string; message?: string; place?: string };

/** A problem of the plan, as far as it is shown. */
export interface Problem {
  code: string;
  severity: string;
  message: string;
  help: string | null;
  place: string | null;
  start: number | null;
  end: number | null;
}

/** How a run ended. */
export interface RunOutcome {
  outcome: string;
  reason?: string;
  code?: string;
  message?: string;
  place?: string;
  last: TruncatedValue;
  ms: number;
  steps: number;
  calls: number;
  retries: number;
  tokens: number | null;
  problems: Problem[];
}

/** One entry of a stubs file: what it is to be; without a behaviour it goes. */
export interface StubEntry {
  group: "nodes" | "types" | "tools" | "models";
  name: string;
  behaviour?: unknown;
}

/** To the page. */
export type RunnerMessage =
  | { type: "events"; events: RunnerEvent[] }
  | {
      type: "state";
      state: "running" | "paused" | "ended";
      place?: string;
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
  /** What was recorded. */
  | { type: "lines"; lines: string[] }
  | {
      type: "approval";
      call: string;
      place: string;
      lane: string;
      tool: string | null;
      input: unknown;
      title: string | null;
    }
  /** A server asks, while its tool works. */
  | { type: "question"; call: string; place: string; tool: null; input: unknown; schema: unknown; title: string }
  | { type: "settled"; call: string }
  /** What is to be changed in the text of the stand-ins, and the places that they pin after it. */
  | { type: "stubs"; changes: StubEntry[]; pinned: string[]; problem?: string }
  | ({ type: "ended" } & RunOutcome)
  /** The recording of a run that has ended, when it is short. */
  | { type: "recorded"; cassette: string }
  | { type: "tested"; results: TestResult[]; problem?: string }
  | { type: "value"; id: number; text: string; cut: boolean }
  | { type: "file"; name: string; kind: string; text: string };

/** What came of a test beside the plan. */
export interface TestResult {
  name: string;
  passed: boolean;
  ms: number;
  outcome: string;
  differences: { place: string; expected: TruncatedValue; got: TruncatedValue }[];
}

/** What the runner needs of the page's own thread. */
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

/** What comes of it. */
export type HostResponse =
  | { result: "value"; id: number; value: unknown }
  | { result: "error"; id: number; code: string | null; message: string }
  | { result: "delta"; id: number; delta: unknown }
  | { result: "progress"; id: number; progress: unknown };

/** How a side posts a line to the other. */
export type PostLine = (line: string) => void;
