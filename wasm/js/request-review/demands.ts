/**
 * Maps each demand of a request to the nodes that meet it.
 *
 * The request is the source, because a planner may forget a demand. A planner may also claim a demand for a node that
 * does not meet it, so the plan itself must show what the sentence asks for. Invariant: a demand is met only if each of
 * its signs is found in the plan.
 */
import { namesActor } from "./actor-words.js";
import { canDo, stems, type Action, type ToolText } from "./demand-actions.js";
import { canLook, isThinking, type Look, readSigns, withoutProhibition, type Signs } from "./demand-signs.js";
import { withVerbs } from "./continued.js";
import { normalize } from "./normalize.js";
import { followsDone, orderOf, sequenceIn } from "./demand-order.js";
import { ValueCheck } from "./value-check.js";
import { isReceivedBy, receiverFields } from "./recipients.js";
import { isKnownLanguage } from "./language.js";
import { placedNodes, reachability, type PlacedNode } from "./plan-structure.js";
import { asksApproval, speaksOfOtherApproval } from "./approval-words.js";
import { clauses } from "./sentences.js";

/** Why a demand is unmet. Each is a message of the page and of the command. */
export type UnmetReason =
  | "unmet"
  | "unmetApproval"
  | "unmetAction"
  | "unmetThought"
  | "unmetCondition"
  | "unmetLimit"
  | "unmetLoop"
  | "unmetSchedule"
  | "unmetWait"
  | "unmetParallel"
  | "unmetValue"
  | "unmetRecipient"
  | "unmetOrder"
  | "unmetProhibition"
  | "unclear"
  | "unresolved";

/** The plan does it, but not as the sentence says. */
const IS_PARTLY_MET: ReadonlySet<UnmetReason> = new Set([
  "unmetCondition",
  "unmetLimit",
  "unmetLoop",
  "unmetParallel",
  "unmetValue",
  "unmetRecipient",
  "unmetOrder",
]);

const BAN = /^(?:but |pero )?(?:never|do ?n['o’]t|do not|nunca|jamás|no)\b/iu;

export interface Demand {
  text: string;
  /** Paths of nodes. For a broken prohibition those that break it. If a part is missing, those that do the rest. */
  nodes: string[];
  /** Absent if the demand is met. */
  why?: UnmetReason;
  /** The user agreed to omit it. */
  isLeftOut?: true;
  /** A prohibition that no node breaks. */
  isKept?: true;
}

/** The part of the planner's result that the review reads. */
export interface PlannedWorkflow {
  workflow: unknown;
  /** Values of the plan's inputs. */
  params?: Readonly<Record<string, unknown>>;
  coverage: readonly { step: number; text: string; nodes: readonly string[] }[];
  unresolved?: readonly { code: string; message: string }[];
}

/** `leftOut`: demands that the user agreed to omit. */
export function demandsOf(
  request: string,
  plan: PlannedWorkflow,
  tools: readonly ToolText[],
  leftOut: readonly string[] = [],
): Demand[] {
  const found = clauses(request);
  const texts = found.length > 0 ? found : [request.trim()];
  const steps = plan.coverage.map(({ text }) => text);
  const served = texts.map((text, at) => plan.coverage[stepOf(text, at, texts.length, steps)]?.nodes ?? []);
  const read = withVerbs(request, texts);
  const review = new Review(plan, tools, orderOf(request, texts), read, served);
  const isRead = isKnownLanguage(request);
  const demands = texts.map((text, at): Demand => {
    const demand: Demand = isRead ? { ...review.demand(read[at]!, at), text } : { text, nodes: [], why: "unclear" };
    const isLeftOut =
      demand.why !== undefined && leftOut.some((one) => isSameDemand(text, one)) && !review.acts(read[at]!, at);
    return { ...demand, ...(isLeftOut && { isLeftOut }) };
  });
  return [...demands, ...unresolvedDemands(plan, demands)];
}

/** What the planner itself could not resolve. A demand that is unmet already says the same as an unserved step. */
function unresolvedDemands({ unresolved = [] }: PlannedWorkflow, demands: readonly Demand[]): Demand[] {
  const isKnown = demands.some(({ why }) => why !== undefined);
  return unresolved
    .filter(({ code }) => !(isKnown && code === "author/unserved-step"))
    .map(({ message }) => ({ text: message, nodes: [], why: "unresolved" }));
}

class Review {
  readonly #nodes: PlacedNode[];
  readonly #tools: ReadonlyMap<string, ToolText>;
  readonly #served: readonly (readonly string[])[];
  readonly #claimed: ReadonlySet<string>;
  /** With several, each approval needs a node that the planner gave to it. */
  readonly #hasOneApproval: boolean;
  readonly #texts: readonly string[];
  /** Pairs of demands, the first of which must be done first. */
  readonly #pairs: readonly [number, number][];
  readonly #values: ValueCheck;
  readonly #reaches: (first: string, then: string) => boolean;

  constructor(
    plan: PlannedWorkflow,
    tools: readonly ToolText[],
    pairs: readonly [number, number][],
    texts: readonly string[],
    served: readonly (readonly string[])[],
  ) {
    this.#nodes = placedNodes(plan.workflow);
    this.#values = new ValueCheck(plan, this.#nodes, (one, actions) => this.#doing([one], actions).length > 0);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#served = served;
    this.#texts = texts;
    this.#pairs = pairs;
    this.#reaches = reachability(plan.workflow);
    this.#hasOneApproval = texts.filter(asksApproval).length < 2;
    this.#claimed = new Set(plan.coverage.flatMap(({ nodes }) => nodes));
  }

  demand(text: string, at: number): Demand {
    const signs = readSigns(text);
    if (signs === null) return { text, nodes: [], why: "unclear" };
    const offenders = this.#doing(this.#nodes, signs.forbidden ?? []).filter(
      (one) =>
        this.#isOfChannel(one, signs) &&
        (signs.forbiddenRecipients.length === 0 || signs.forbiddenRecipients.some((who) => this.#isFor(one, who))),
    );
    const nodes = (found: readonly PlacedNode[]) => [...new Set(found.map(({ path }) => path))];
    if (offenders.length > 0) return { text, nodes: nodes(offenders), why: "unmetProhibition" };
    if (signs.forbidden?.length === 0) return { text, nodes: [], why: "unclear" };
    if (signs.forbidden !== null && withoutProhibition(text).length < 4)
      return signs.isUnclearBan ? { text, nodes: [], why: "unclear" } : { text, nodes: [], isKept: true };
    // "Never send it without my approval" asks for no message.
    const isBan = signs.isExcepted || (signs.approval && BAN.test(text));
    if (isBan && signs.actions.length > 0 && this.#doing(this.#nodes, signs.actions).length === 0)
      return { text, nodes: [], isKept: true };
    const own = this.#own(at, signs);
    const acting = this.#doing(signs.approval ? this.#nodes : own, signs.actions);
    const asking = this.#hasOneApproval ? this.#nodes : own;
    const serving = signs.approval ? asking.filter(({ isGuard }) => isGuard) : this.#serving(at);
    const why =
      signs.approval && !this.#isGuarded(serving, acting, signs.approvalFirst ? 0 : at)
        ? "unmetApproval"
        : (this.#missing(text, signs, own, acting, serving) ??
          (this.#isInOrder(text, at, signs, own) ? null : "unmetOrder"));
    if (why !== null) return { text, nodes: IS_PARTLY_MET.has(why) ? nodes([...serving, ...acting]) : [], why };
    const isDoubtful =
      this.#isUnrelated(text, signs, serving) ||
      (!signs.approval &&
        !speaksOfOtherApproval(text) &&
        namesActor(text) &&
        !serving.some(({ type }) => type === "approve"));
    return { text, nodes: nodes([...serving, ...acting]), ...(isDoubtful && { why: "unclear" as const }) };
  }

  /** "Send no fax" leaves other messages alone. A tool that says nothing of itself may send one. */
  #isOfChannel(one: PlacedNode, { forbidden, forbiddenChannel: channel }: Signs): boolean {
    if (channel === null || forbidden?.some((action) => action !== "send")) return true;
    const speaksOf = ({ name, description }: ToolText) =>
      description === undefined || normalize(`${name} ${description}`).includes(channel);
    return this.#toolsOf(one).some(speaksOf);
  }

  /** Whether only changes serve a sentence that names none of them, neither by its verbs nor by words of the tools. */
  #isUnrelated(text: string, signs: Signs, serving: readonly PlacedNode[]): boolean {
    if (signs.actions.length + signs.looks.length > 0 || signs.approval || signs.thought) return false;
    const words = stems(text);
    const isForeign = (tool: ToolText) =>
      canDo(tool, "any") &&
      !stems(`${tool.name.replace(/[_.-]/g, " ")} ${tool.description ?? ""}`).some((one) => words.includes(one));
    return serving.length > 0 && serving.every((one) => isToolNode(one) && this.#toolsOf(one).every(isForeign));
  }

  /** Whether the plan does what the sentence names, for no other sentence. */
  acts(text: string, at: number): boolean {
    const isServed = (path: string) => this.#served.some((paths, other) => other !== at && paths.includes(path));
    return this.#doing(this.#nodes, readSigns(text)?.actions ?? []).some(({ path }) => !isServed(path));
  }

  #missing(
    text: string,
    signs: Signs,
    own: readonly PlacedNode[],
    acting: readonly PlacedNode[],
    serving: readonly PlacedNode[],
  ): UnmetReason | null {
    if (serving.length === 0 && acting.length === 0) return "unmet";
    if (signs.actions.some((action) => this.#doing(acting, [action]).length === 0)) return "unmetAction";
    if (!signs.looks.every((look) => this.#nodes.some((one) => this.#looks(one, look)))) return "unmetAction";
    if (signs.thought && !this.#nodes.some((one) => isThought(one) || this.#isThinkingTool(one))) return "unmetThought";
    const isChosen =
      acting.length > 0
        ? acting.every(({ isConditional }) => isConditional)
        : serving.some((one) => one.isConditional || isThought(one));
    if (signs.condition && !isChosen) return "unmetCondition";
    if (signs.limit && !this.#nodes.some(({ isConditional }) => isConditional)) return "unmetLimit";
    if (signs.schedule && !own.some(({ type, isRepeated }) => type === "wait" && isRepeated)) return "unmetSchedule";
    if ((signs.each || signs.loop) && !isRepeatedWork([...serving, ...acting], own)) return "unmetLoop";
    if (signs.wait && !own.some(({ type }) => type === "wait")) return "unmetWait";
    if (signs.parallel && !own.some(({ isParallel }) => isParallel)) return "unmetParallel";
    const exact = this.#values.withId(text, signs, acting);
    if (!this.#values.hasAll(text, signs, own, exact)) return "unmetValue";
    const given = this.#doing(exact, ["send", "ticket"]);
    return signs.values.recipients.every((who) => given.some((one) => this.#isFor(one, who))) ? null : "unmetRecipient";
  }

  /** Compares who receives something, if the tool's input tells. Otherwise the name must be somewhere in the node. */
  #isFor({ node }: PlacedNode, recipient: string): boolean {
    const { input } = node as { input?: unknown };
    return isReceivedBy(normalize(this.#values.textOf(receiverFields(input) ?? input)), recipient);
  }

  /** Only what changes something, or waits, has an order that matters. */
  #isInOrder(text: string, at: number, signs: Signs, own: readonly PlacedNode[]): boolean {
    const sequence = signs.approval || followsDone(text) ? null : sequenceIn(text);
    if (sequence !== null) {
      const [first, then] = [this.#partNodes(sequence.first, own), this.#partNodes(sequence.then, own)];
      const rest = (known: readonly PlacedNode[]) =>
        this.#serving(at).filter((one) => one.type !== "approve" && !known.includes(one));
      const [earlier, later] = [first.length > 0 ? first : rest(then), then.length > 0 ? then : rest(first)];
      if ((earlier.length === 0 && later.length > 0) || !this.#follow(earlier, later)) return false;
    }
    return this.#pairs
      .filter((pair) => Math.max(...pair) === at)
      .every(([first, then]) => this.#follow(this.#demandNodes(first), this.#demandNodes(then)));
  }

  #partNodes(part: string, own: readonly PlacedNode[]): PlacedNode[] {
    const signs = readSigns(part);
    const waits = signs?.wait ? own.filter(({ type }) => type === "wait") : [];
    return [...this.#doing(own, signs?.actions ?? []), ...waits];
  }

  /** Nodes that do what the sentence names, with its values. Without any, those that the planner gave to it. */
  #demandNodes(at: number): PlacedNode[] {
    const signs = readSigns(this.#texts[at]!);
    if (signs === null || signs.approval) return [];
    const { recipients, emails, ids } = signs.values;
    const named = [...emails, ...ids].map((value) => value.toLowerCase());
    const doing = this.#partNodes(this.#texts[at]!, this.#own(at, signs));
    const exact = doing.filter(
      (one) =>
        recipients.some((who) => this.#isFor(one, who)) ||
        named.some((value) => this.#values.textOf(one.node).includes(value)),
    );
    if (doing.length > 0) return exact.length > 0 ? exact : doing;
    return this.#serving(at).filter(({ type }) => type !== "approve");
  }

  /** Whether `then` comes after `first`. Of nodes that several demands share, one that does is enough. */
  #follow(first: readonly PlacedNode[], then: readonly PlacedNode[]): boolean {
    const matters = (one: PlacedNode) => one.type === "wait" || this.#doing([one], ["any"]).length > 0;
    const only = (some: readonly PlacedNode[], others: readonly PlacedNode[]) => {
      const own = some.filter((one) => !others.includes(one));
      return own.some(matters) ? own.filter(matters) : own;
    };
    const [earlier, later] = [only(first, then), only(then, first)];
    if (earlier.length === 0 || later.length === 0 || ![...earlier, ...later].some(matters)) return true;
    const comesLater = (one: PlacedNode) => earlier.some(({ path }) => this.#reaches(path, one.path));
    const isShared = ({ path }: PlacedNode) => this.#served.filter((paths) => paths.includes(path)).length > 1;
    return later.some(isShared) ? later.some(comesLater) : later.every(comesLater);
  }

  /** `acting`: what the sentence names. Otherwise all changes from its place on need the person. */
  #isGuarded(guards: readonly PlacedNode[], acting: readonly PlacedNode[], from: number): boolean {
    const needed = acting.length > 0 ? acting : this.#changing(from);
    if (guards.length === 0) return false;
    return needed.length > 0 ? needed.every((one) => one.isGuarded) : this.#nodes.some((one) => one.isGuarded);
  }

  /** Those of earlier demands only are left out. */
  #changing(from: number): PlacedNode[] {
    const earlier = new Set(this.#served.slice(0, from).flat());
    const later = new Set(this.#served.slice(from).flat());
    return this.#nodes.filter(
      (one) => this.#doing([one], ["any"]).length > 0 && (!earlier.has(one.path) || later.has(one.path)),
    );
  }

  #serving(at: number): PlacedNode[] {
    return this.#nodes.filter(({ path }) => this.#served[at]!.includes(path));
  }

  /** Nodes that the planner gave to this demand or to none. Without any, those with a value that the demand names. */
  #own(at: number, { values }: Signs): PlacedNode[] {
    const served = this.#served[at]!;
    const named = served.length > 0 ? [] : [...values.ids, ...values.emails].map((value) => value.toLowerCase());
    return this.#nodes.filter(
      ({ path, node }) =>
        served.includes(path) ||
        !this.#claimed.has(path) ||
        (named.length > 0 && named.every((value) => this.#values.textOf(node).includes(value))),
    );
  }

  #doing(nodes: readonly PlacedNode[], actions: readonly Action[]): PlacedNode[] {
    return nodes.filter(
      (one) => isToolNode(one) && this.#toolsOf(one).some((tool) => actions.some((action) => canDo(tool, action))),
    );
  }

  #looks(one: PlacedNode, look: Look): boolean {
    return isToolNode(one) && this.#toolsOf(one).some((tool) => canLook(tool, look));
  }

  #isThinkingTool(one: PlacedNode): boolean {
    return isToolNode(one) && this.#toolsOf(one).some(isThinking);
  }

  #toolsOf({ tools }: PlacedNode): ToolText[] {
    return tools.includes("*") ? [...this.#tools.values()] : tools.map((name) => this.#tool(name));
  }

  /** A tool that is not in the list may change something. */
  #tool(name: string): ToolText {
    return this.#tools.get(name) ?? this.#tools.get(plainName(name)) ?? { name: plainName(name) };
  }
}

function isThought({ type }: PlacedNode): boolean {
  return type === "llm" || type === "agent";
}

export function isToolNode({ type }: PlacedNode): boolean {
  return !["llm", "approve", "decision", "noop", "log", "set", "wait", "parallel", "map", "graph"].includes(type);
}

/** Without its server. */
export function plainName(name: string): string {
  return name.split(".").at(-1)!;
}

/** In a cycle or a map, tried again, or written out: two nodes that call one tool. */
function isRepeatedWork(nodes: readonly PlacedNode[], own: readonly PlacedNode[]): boolean {
  const tools = nodes.filter(isToolNode).flatMap(({ tools }) => tools);
  const isTwice = tools.some((name) => new Set(own.filter((one) => one.tools.includes(name))).size > 1);
  return (
    isTwice || nodes.some(({ isRepeated, type, node }) => isRepeated || type === "agent" || node.retry !== undefined)
  );
}

/** Equal counts correspond in order, unless the words say otherwise. -1: none. */
function stepOf(text: string, at: number, count: number, steps: readonly string[]): number {
  const words = wordsOf(text);
  const scores = steps.map((step) => wordsOf(step).filter((word) => words.includes(word)).length);
  const best = Math.max(0, ...scores);
  if (steps.length === count && (best === 0 || scores[at]! > 0)) return at;
  return best === 0 ? -1 : scores.indexOf(best);
}

/** Whether a missing capability has most words of the demand. The planner names no cities in it. */
function isSameDemand(text: string, capability: string): boolean {
  const places = readSigns(text)?.values.places.flat() ?? [];
  const [words, others] = [wordsOf(text).filter((word) => !places.includes(word)), wordsOf(capability)];
  return words.length > 0 && words.filter((word) => others.includes(word)).length * 2 > words.length;
}

function wordsOf(text: string): string[] {
  return normalize(text)
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word.length > 3);
}
