/** The entry `stepgraph/ag-ui`: runs as AG-UI events, and decisions in AG-UI requests. */
import { type Decision, internals, PlanError } from "stepgraph";
import type { Kinds } from "../options.js";
import { assertEvents, convert } from "./chat/convert.js";
import type { ChatFailure, ResponseOptions, RunEvents } from "./chat/events.js";
import type { KnownCall } from "./chat/chat-reader.js";
import { eventResponse, RESPONSE } from "./chat/sse.js";
import { AgUiConverter } from "./ag-ui/converter.js";
import type { AgUiEvent, AgUiInput, AgUiResume } from "./ag-ui/types.js";

export type { AgUiEvent, AgUiInput, AgUiInterrupt, AgUiMessage, AgUiOutcome, AgUiResume } from "./ag-ui/types.js";
export type { ChatFailure, ResponseOptions, RunEvents } from "./chat/events.js";

/** Options of {@link toAgUi}. */
export interface AgUiOptions {
  /** Its messages are part of the snapshots. */
  input: AgUiInput;
  /** Nodes whose text a chat shows. Default: all models, else the run's last output. */
  textNodes?: readonly string[];
  /** Shows models' thoughts. Default: true. */
  reasoning?: boolean;
  /** Sends nodes' inputs and outputs, and the run's result. Default: false. */
  content?: boolean;
  /** Default: the code. The message may name parts of your system. */
  errorText?: (failure: ChatFailure) => string;
}

const OPTIONS: Kinds<AgUiOptions> = {
  input: "map",
  textNodes: "[]text",
  reasoning: "flag",
  content: "flag",
  errorText: "function",
};

/**
 * Converts a run to AG-UI events. Leaving the loop cancels the run.
 *
 * @example
 * for await (const event of toAgUi(run.stream(graph, { ...options, updates: true }), { input })) send(event);
 */
export function toAgUi(events: RunEvents, options: AgUiOptions): AsyncIterableIterator<AgUiEvent> {
  internals.assertOptions("toAgUi", options, OPTIONS);
  return convertRun("toAgUi", events, options);
}

/**
 * Creates the response to an AG-UI client. A client that leaves cancels the run.
 *
 * If the driver fails, the user sees an error, and the stream's `report` rejects.
 */
export function toAgUiResponse(events: RunEvents, options: AgUiOptions & ResponseOptions): Response {
  internals.assertOptions("toAgUiResponse", options, { ...OPTIONS, ...RESPONSE });
  const { status, headers, ...rest } = options;
  const items = convertRun("toAgUiResponse", events, rest);
  return eventResponse(items, { ...(status !== undefined && { status }), ...(headers && { headers }) });
}

function convertRun(of: string, events: RunEvents, options: AgUiOptions): AsyncIterableIterator<AgUiEvent> {
  assertInput(of, options.input);
  assertEvents(of, events);
  return convert(
    events,
    new AgUiConverter({ ...options, runId: events.runId, waiting: events.waiting }, knownCalls(options.input)),
  );
}

/** Decided calls are open. */
function knownCalls({ messages, resume = [] }: AgUiInput): Map<string, KnownCall> {
  const decided = new Map(
    resume.map(({ interruptId }) => {
      const { call } = internals.readApprovalId(interruptId);
      return [call.replace(/\/approval$/, ""), call];
    }),
  );
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
  return new Map(calls.map((id) => [id, { open: decided.has(id), approval: decided.get(id) }]));
}

/**
 * Returns a request's decisions, which `run` takes only with the snapshot. A cancelled answer is a rejection.
 *
 * @throws PlanError `api/bad-option` for an answer of another form than the interrupt asked for.
 */
export function decisionsOf(input: AgUiInput): Record<string, Decision> {
  assertInput("decisionsOf", input);
  const decided = (input.resume ?? []).map((entry): [string, Decision] => [entry.interruptId, toDecision(entry)]);
  return internals.decisionsFromClient(decided);
}

function toDecision({ interruptId, status, payload }: AgUiResume): Decision {
  if (status === "cancelled") return "rejected";
  const given = typeof payload === "boolean" ? { approved: payload } : (Object(payload) as Record<string, unknown>);
  const { approved } = given;
  if (status !== "resolved" || typeof approved !== "boolean")
    throw new PlanError(
      "api/bad-option",
      `the answer to \`${interruptId}\` has no \`approved\`: send \`{ "approved": true }\` or \`{ "approved": false }\``,
    );
  if (!approved) return "rejected";
  const value = "editedArgs" in given ? given.editedArgs : given.value;
  return value === undefined ? "approved" : { value };
}

/** The client's input may be anything. */
function assertInput(of: string, input: AgUiInput): void {
  const { threadId, runId, messages, resume = [] } = Object(input) as Record<keyof AgUiInput, unknown>;
  internals.assertKind(of, "input.threadId", threadId, "text");
  internals.assertKind(of, "input.runId", runId, "text");
  internals.assertKind(of, "input.messages", messages, "[]map");
  internals.assertKind(of, "input.resume", resume, "[]map");
  for (const { interruptId } of resume as AgUiResume[])
    internals.assertKind(of, "input.resume[].interruptId", interruptId, "text");
  for (const { toolCalls = [] } of messages as AgUiInput["messages"])
    internals.assertKind(of, "input.messages[].toolCalls", toolCalls, "[]map");
}
