/**
 * The caller of a tool.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "Elicitation", "Sampling", "Progress".
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
  type InputResponseView,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { CallError } from "../../node.js";
import type { ChatReply, ChatRequest, Decision, Message, ModelClient } from "../../types.js";
import { parseDecision } from "../approvals.js";
import { revealHiddenLine } from "../../terminal/reveal-hidden.js";
import { UnansweredError, type CallerPrompt } from "./multi-round-trip.js";
import type { ApprovalView } from "./approval-view.js";

/** May be requests that the client must answer first. */
export type Answer = CallToolResult | InputRequiredResult;

/** For the client's model. */
const DEFAULT_MAX_TOKENS = 8192;

export function callerFeatures(server: McpServer, ctx: ServerContext): { elicits: boolean; samples: boolean } {
  const declared = ((ctx.mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
    server.server.getClientCapabilities() ??
    {}) as ClientCapabilities;
  const { elicitation, sampling } = declared;
  const form = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  return { elicits: form, samples: sampling !== undefined };
}

export function parentTrace({ mcpReq: { _meta, envelope } }: ServerContext): {
  parent?: { traceparent: string; tracestate?: string };
} {
  const { traceparent, tracestate } = { ..._meta, ...envelope } as { traceparent?: unknown; tracestate?: unknown };
  if (typeof traceparent !== "string") return {};
  return { parent: { traceparent, ...(typeof tracestate === "string" ? { tracestate } : {}) } };
}

/** Notifies only if requested. */
export function progressReporter(ctx: ServerContext): Progress {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  let sent = Promise.resolve();
  const notifyProgress = (message: string, progress: number) => {
    if (progressToken === undefined) return;
    // A lost connection does not fail the run.
    const notified = ctx.mcpReq
      .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
      .catch(() => undefined);
    sent = sent.then(() => notified);
  };
  return { tell: notifyProgress, sent: () => sent };
}

/** The result must wait for `sent`. */
export interface Progress {
  tell: (message: string, progress: number) => void;
  sent: () => Promise<void>;
}

/** An incomplete message can only be rejected here, or approved `elsewhere`. */
export function approvalQuestion({ call, message, whole }: ApprovalView, elsewhere: string): InputRequest {
  const instead = {
    type: "string" as const,
    title: "Instead",
    description: "JSON to continue with instead; leave it empty to approve it unchanged",
  };
  const which = revealHiddenLine(call).slice(0, 200);
  const words = whole ? ["approve", "reject"] : ["reject", "leave it open"];
  const advice = elsewhere === "" ? "" : ` To approve it, see all of it${elsewhere}`;
  return inputRequired.elicit({
    message: whole ? message : `${message} It can't be approved here.${advice}`,
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          description: whole ? `approve or reject ${which}` : `reject ${which}, or leave it open`,
          enum: words,
        },
        ...(whole ? { instead } : {}),
      },
      required: ["decision"],
    },
  });
}

/** Null if there is none, or for approving an incomplete message. */
export function decisionOf(view: InputResponseView, whole: boolean): Decision | null {
  if (view.kind !== "elicit" || view.action === "cancel") return null;
  if (view.action === "decline") return "rejected";
  const { decision, instead } = view.content ?? {};
  if (decision === "reject") return "rejected";
  if (decision !== "approve" || !whole) return null;
  return typeof instead === "string" && instead.trim() !== ""
    ? (parseDecision(`${instead.trim()}`) ?? { value: instead })
    : "approved";
}

/** Offers no tools, because few clients support that. */
export function samplingModel(prompt: CallerPrompt): ModelClient {
  return {
    name: "the client's model",
    chat: async (request) => {
      if (request.tools?.length)
        throw new CallError(
          "model/refused",
          "the client's model can't be offered tools; start the server with `--model`",
        );
      let view: InputResponseView;
      try {
        view = await prompt.ask(samplingQuestion(request));
      } catch (error) {
        if (!(error instanceof UnansweredError)) throw error;
        throw new CallError("model/unreachable", `the client's model returned no answer: ${error.message}`);
      }
      if (view.kind !== "sampling")
        throw new CallError("model/refused", "the client rejected the request to its model");
      return replyOf(view.result);
    },
  };
}

function samplingQuestion({ messages, schema, max_tokens, temperature }: ChatRequest): InputRequest {
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  if (schema !== null)
    system.push(
      `Answer with JSON alone, without a word around it, that fits this JSON Schema:\n${JSON.stringify(schema)}`,
    );
  const conversation = messages.filter(({ role }) => role !== "system").map(toSamplingMessage);
  return inputRequired.createMessage({
    messages: conversation,
    maxTokens: max_tokens ?? DEFAULT_MAX_TOKENS,
    ...(system.length > 0 ? { systemPrompt: system.join("\n\n") } : {}),
    ...(temperature === undefined ? {} : { temperature }),
  });
}

function toSamplingMessage({ role, content, tool }: Message): {
  role: "user" | "assistant";
  content: { type: "text"; text: string };
} {
  const text = role === "tool" ? `The result of \`${tool ?? "the tool"}\`:\n${content}` : content;
  return { role: role === "assistant" ? "assistant" : "user", content: { type: "text", text } };
}

function replyOf(result: Extract<InputResponseView, { kind: "sampling" }>["result"]): ChatReply {
  const parts = Array.isArray(result.content) ? result.content : [result.content];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text === "") throw new CallError("model/bad-reply", "the client's model answered with no text");
  return { text: stripFences(text), finish: result.stopReason === "maxTokens" ? "length" : "stop", usage: null };
}

/** Models add fences even when told to reply with JSON only. */
function stripFences(text: string): string {
  return /^\s*```(?:json)?\s*\n([^]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}
