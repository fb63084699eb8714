/**
 * The choice that the demo model can plan: what to do with one order, by its state, as in "If it is late, refund it
 * after I approve, otherwise thank the customer".
 *
 * Invariant: a request that asks for more has no such choice, and the planner says what it can't do.
 */
import { asksApproval } from "../../../wasm/js/request-review/approval-words.js";
import { canDo, type Action } from "../../../wasm/js/request-review/demand-actions.js";
import { readSigns } from "../../../wasm/js/request-review/demand-signs.js";
import { detectLanguage } from "../../../wasm/js/request-review/language.js";
import { clauses } from "../../../wasm/js/request-review/sentences.js";
import { extractEntities, isMutating, requestedCalls } from "./demo-intents.js";
import type { OfferedTool, RequestedCall } from "./demo-intents.js";

export interface PlannedCall extends RequestedCall {
  /** Numbers of the sentences that ask for it. */
  step: string;
}

/** `approval` is the question to the person who must agree to the call. */
export interface Branch {
  call: PlannedCall;
  approval: { question: string; step: string } | null;
}

export interface OrderChoice {
  reads: PlannedCall[];
  condition: string;
  then: Branch;
  otherwise: Branch | null;
}

/** The planner replaces values by placeholders. */
const ORDER_NUMBER = /\$\{order_id\}|\bA-\d{3,5}\b/i;
const ORDER = String.raw`(?:the |that |el |ese )?(?:order|parcel|package|pedido|paquete)(?: \S+)?`;
const IS = "(?:is|was|has been|got|arrives|está|va|llega|lleva|se ha|ha sido)";
const CHOICE = new RegExp(
  String.raw`^(?:if|si) (?:(?:it|${ORDER}) )?${IS} (?<state>[^,]+?)(?:,\s*(?:then |entonces )?| then | entonces )(?<action>.+)$`,
  "iu",
);
const OTHERWISE =
  /^(?:otherwise|else|if not|de lo contrario|si no|en otro caso|en caso contrario),?\s+(?<action>.+)$/iu;
const THANKS =
  /^(?:(?:just )?(?:thank|say thanks to) (?:the )?(?:customer|buyer|client|them)|(?:agrad\p{L}+|d[aeé]\p{L}* las gracias) al? (?:la )?(?:client[ea]|comprador)a?)$/iu;
/** Where the words of an approval may begin after an action, and end before one. */
const APPROVAL_BEGINS =
  /,?\s+(?=(?:but|only|after|once|when|if|with|as soon as|ask|pero|sol[oa]|sólo|tras|después|cuando|si|con|previa|previo|una vez|en cuanto|pide|pídeme|pregúntame)\s)/giu;
const APPROVAL_ENDS = /(?:,\s*| and then | and | y después | y luego | y )/giu;

const STATUSES: Readonly<Record<string, RegExp>> = {
  lost: /^(?:lost|perdido)$/iu,
  delivered: /^(?:(?:already )?delivered|entregado)$/iu,
  shipped: /^(?:(?:already )?(?:shipped|on its way)|enviado|en camino)$/iu,
  processing: /^(?:(?:still )?(?:processing|being processed)|en preparación|preparándose)$/iu,
};
const LATE = /^(?:late|delayed|overdue|retrasado|atrasado|tarde|(?:con )?retraso)$/iu;

/** Null unless the request is about one order: what to look up, a choice by its state, and nothing after it. */
export function findChoice(request: string, tools: readonly OfferedTool[]): OrderChoice | null {
  const all = clauses(request);
  const at = all.findIndex((one) => CHOICE.test(one));
  if (at < 0) return null;
  const { state = "", action = "" } = CHOICE.exec(all[at]!)?.groups ?? {};
  const order = ORDER_NUMBER.exec(request)?.[0];
  if (order === undefined || extractEntities(request).order_id.length > 1) return null;
  const condition = conditionOf(state.trim());
  const reads = readsOf(all.slice(0, at), order, condition, tools);
  const rest = all.slice(at + 1);
  const then = branch(action, at + 1, rest, order, tools);
  const first = rest.length;
  const other = OTHERWISE.exec(rest.shift() ?? "")?.groups?.action;
  const otherwise = other === undefined ? null : branch(other, all.length - rest.length, rest, order, tools);
  const isWhole = rest.length === 0 && (first === 0 || otherwise !== null);
  if (condition === null || reads === null || then === null || !isWhole) return null;
  const numbered = (call: RequestedCall, step: number): PlannedCall => ({ ...call, step: String(step) });
  return {
    reads: reads.map((call) => numbered(call, call.name.endsWith("get_order") ? Math.max(at, 1) : at + 1)),
    condition,
    then,
    otherwise,
  };
}

/** `rest` loses its first sentence if that is the approval of this action, as in "but ask me first". */
function branch(
  action: string,
  step: number,
  rest: string[],
  order: string,
  tools: readonly OfferedTool[],
): Branch | null {
  const isAsked = rest[0] !== undefined && asksApproval(rest[0]) && plainActions(rest[0], true)?.length === 0;
  const own = splitApproval(action);
  if (own === null || (isAsked && own.approval !== "")) return null;
  const call = actionCall(own.action, order, tools);
  const question = isAsked ? rest.shift() : own.approval === "" ? undefined : action;
  if (call === null || (question !== undefined && !tools.some(({ name }) => name === "approve"))) return null;
  const approval = question === undefined ? null : { question, step: String(isAsked ? step + 1 : step) };
  return { call: { ...call, step: String(step) }, approval };
}

/** "Refund it after I approve" is an action and an approval. Null if it can't be told which words are which. */
function splitApproval(text: string): { action: string; approval: string } | null {
  if (!asksApproval(text)) return { action: text, approval: "" };
  for (const { index, 0: gap } of text.matchAll(APPROVAL_BEGINS)) {
    const [action, approval] = [text.slice(0, index), text.slice(index + gap.length)];
    if (!asksApproval(action) && plainActions(approval, true)?.length === 0) return { action, approval };
  }
  for (const { index, 0: gap } of text.matchAll(APPROVAL_ENDS)) {
    const [approval, action] = [text.slice(0, index), text.slice(index + gap.length)];
    if (!asksApproval(action) && plainActions(approval, true)?.length === 0) return { action, approval };
  }
  return null;
}

function conditionOf(state: string): string | null {
  const order = "output.get_order";
  if (LATE.test(state))
    return `${order}.status == "lost" || (${order}.eta != null && ${order}.eta < output.today.date)`;
  const status = Object.keys(STATUSES).find((name) => STATUSES[name]!.test(state));
  return status === undefined ? null : `${order}.status == "${status}"`;
}

/** Null if the sentences before the choice ask for more than the order. */
function readsOf(
  before: readonly string[],
  order: string,
  condition: string | null,
  tools: readonly OfferedTool[],
): RequestedCall[] | null {
  const asked = before.length > 0 ? requestedCalls(before.join(". "), tools) : requestedCalls(order, tools);
  if (before.some((one) => plainActions(one)?.length !== 0)) return null;
  if (asked.length !== 1 || !asked[0]!.name.endsWith("get_order")) return null;
  if (!condition?.includes("output.today")) return asked;
  const today = tools.find(({ name }) => name.endsWith("today"));
  return today ? [...asked, { name: today.name, arguments: {} }] : null;
}

/** The only call of an action. "It" is the order. */
function actionCall(action: string, order: string, tools: readonly OfferedTool[]): RequestedCall | null {
  const message = tools.find(({ name }) => name.endsWith("send_message"));
  const es = detectLanguage(action) === "es";
  if (THANKS.test(action) && message)
    return {
      name: message.name,
      arguments: es
        ? { to: "cliente", text: "Gracias por su pedido." }
        : { to: "customer", text: "Thank you for your order." },
    };
  const actions = plainActions(action);
  if (actions === null) return null;
  const calls = requestedCalls(`${action} (${order})`, tools).filter((call) => isMutating(toolOf(call, tools)));
  const isDone = actions.every((wanted) => calls.some((call) => canDo(toolOf(call, tools), wanted)));
  const [call] = calls;
  if (call === undefined || calls.length > 1 || actions.length === 0 || !isDone) return null;
  const text = action.charAt(0).toUpperCase() + action.slice(1);
  return call.arguments.text === "" ? { ...call, arguments: { ...call.arguments, text } } : call;
}

/** What a sentence does. Null if it asks for more than that, and for an approval unless it `asks` for one. */
function plainActions(sentence: string, asks = false): Action[] | null {
  const signs = readSigns(sentence);
  if (signs === null || signs.condition || signs.each || signs.loop || signs.wait || signs.parallel) return null;
  return signs.schedule || signs.approval !== asks ? null : signs.actions;
}

function toolOf(call: RequestedCall, tools: readonly OfferedTool[]): OfferedTool {
  return tools.find(({ name }) => name === call.name) ?? { name: call.name, input_schema: {} };
}
