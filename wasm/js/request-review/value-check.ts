/**
 * Looks for the values of a sentence in a plan.
 *
 * A value that stands only in a description, a prompt or a person's question changes nothing. What a sentence does with
 * a value must reach an argument of the node that does it.
 */
import { ArgumentReach } from "./argument-reach.js";
import type { Action } from "./demand-actions.js";
import type { Signs } from "./demand-signs.js";
import type { PlannedWorkflow } from "./demands.js";
import { waitOf } from "./duration-words.js";
import { normalize } from "./normalize.js";
import type { PlacedNode } from "./plan-structure.js";
import { receiverFields } from "./recipients.js";
import { argumentValues } from "./value-words.js";

/** Actions with a text, which a model may write. */
const TEXTS: readonly Action[] = ["send", "ticket", "save", "publish", "print"];
/** A model must not choose what these concern. */
const EXACT: readonly Action[] = ["pay", "delete", "cancel", "buy", "move"];

export class ValueCheck {
  readonly #plan: PlannedWorkflow;
  readonly #nodes: readonly PlacedNode[];
  readonly #does: (one: PlacedNode, actions: readonly Action[]) => boolean;
  readonly #reach: ArgumentReach;

  constructor(
    plan: PlannedWorkflow,
    nodes: readonly PlacedNode[],
    does: (one: PlacedNode, actions: readonly Action[]) => boolean,
  ) {
    this.#plan = plan;
    this.#nodes = nodes;
    this.#does = does;
    this.#reach = new ArgumentReach(plan.workflow);
  }

  /** Of nodes that do the same, those that get the id which the sentence names. */
  withId(text: string, { actions }: Signs, acting: readonly PlacedNode[]): readonly PlacedNode[] {
    const { ids } = argumentValues(text);
    if (ids.length !== 1 || actions.length !== 1) return acting;
    const exact = acting.filter((one) => hasWord(this.#argumentsOf(one), ids[0]!));
    return exact.length > 0 ? exact : acting;
  }

  hasAll(text: string, signs: Signs, own: readonly PlacedNode[], acting: readonly PlacedNode[]): boolean {
    const { values } = signs;
    const tools = this.#nodes.filter(({ type }) => type !== "llm" && type !== "approve").map(({ node }) => node);
    const whole = this.textOf(this.#plan.workflow, true);
    const looking = normalize(tools.length > 0 ? this.textOf(tools) : whole);
    const words = normalize(acting.length > 0 ? this.#allArguments(acting) : whole);
    const waits = own.filter(({ type }) => type === "wait").map(({ node }) => waitOf(node));
    const isInTools = (value: string) => hasWord(tools.length > 0 ? this.textOf(tools) : whole, value);
    return (
      values.places.every((names) => names.some((name) => looking.includes(name))) &&
      values.deadlines.every((names) => names.some((name) => words.includes(name)) || /\d{4}-\d\d-\d\d/.test(words)) &&
      values.durations.every((ms) => waits.some((waited) => waited === null || waited === ms)) &&
      values.ids.every(isInTools) &&
      values.emails.every((email) => isInTools(email) || (signs.approval && this.#isAsked(email))) &&
      this.#hasNumbers(values.numbers, acting) &&
      (acting.length === 0 || this.#hasArguments(text, signs, acting))
    );
  }

  /** Whoever approves stands in the node that asks. */
  #isAsked(email: string): boolean {
    return hasWord(this.textOf(this.#nodes.filter(({ type }) => type === "approve").map(inputOf)), email);
  }

  /** Of a sentence without an action, a model may count. Of another, an argument, a condition or a limit must. */
  #hasNumbers(wanted: readonly number[], acting: readonly PlacedNode[]): boolean {
    if (wanted.length === 0) return true;
    const known = numbersIn(this.textOf(this.#plan.workflow, true));
    if (acting.length === 0) return wanted.every((number) => known.has(number));
    const limits = this.#nodes.map(({ node }) => node.with);
    const found = numbersIn(
      `${this.#allArguments(acting)} ${this.textOf([limits, conditionsIn(this.#plan.workflow)])}`,
    );
    return wanted.every((number) => found.has(number));
  }

  #hasArguments(text: string, signs: Signs, acting: readonly PlacedNode[]): boolean {
    const { ids, emails, amounts, quotes, levels, receivers } = argumentValues(text);
    const given = this.#allArguments(acting);
    const inputs = acting.map(inputOf);
    const literal = normalize(this.textOf(inputs));
    const numbers = numbersIn(given);
    const to = this.textOf(
      acting.filter((one) => this.#does(one, ["send"])).map((one) => receiverFields(inputOf(one)) ?? inputOf(one)),
    );
    const leaves = leavesOf(inputs);
    return (
      ids.every((id) => hasWord(given, id)) &&
      emails.every((email) => hasWord(given, email) || (signs.approval && this.#isAsked(email))) &&
      amounts.every((amount) => numbers.has(amount)) &&
      quotes.every((quote) => literal.includes(quote) || (signs.approval && this.#isAsked(quote))) &&
      levels.every((names) => leaves.some((leaf) => names.includes(leaf))) &&
      (signs.approval || !signs.actions.includes("send") || receivers.every((email) => hasWord(to, email)))
    );
  }

  #allArguments(nodes: readonly PlacedNode[]): string {
    return nodes.map((one) => this.#argumentsOf(one)).join(" ");
  }

  #argumentsOf(one: PlacedNode): string {
    const writes = this.#does(one, TEXTS) && (one.type === "agent" || !this.#does(one, EXACT));
    return this.textOf(this.#reach.inputs(one.path, writes));
  }

  /** With the values of the inputs that it reads, and without what only describes. */
  textOf(part: unknown, withoutPeople = false): string {
    const isLeftOut = (key: string, value: unknown) =>
      key === "metadata" ||
      key === "description" ||
      key === "inputs" ||
      (withoutPeople && (Object(value) as { type?: unknown }).type === "approve");
    const text = JSON.stringify(part, (key, value: unknown) => (isLeftOut(key, value) ? undefined : value)) ?? "";
    const isRead = (name: string) =>
      text
        .split(`input.${name}`)
        .slice(1)
        .some((rest) => !/^\w/.test(rest));
    const read = Object.entries(this.#plan.params ?? {}).filter(([name]) => isRead(name));
    return `${text} ${read.map(([, value]) => String(value)).join(" ")}`.toLowerCase();
  }
}

function inputOf({ node }: PlacedNode): unknown {
  return (node as { input?: unknown }).input;
}

/** "A-100" is not in "A-1003". `text` is in lower case. */
function hasWord(text: string, word: string): boolean {
  const escaped = word.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\d_.+-])${escaped}(?![\\p{L}\\d_-])`, "u").test(text);
}

/** Without those of ids and dates. */
function numbersIn(text: string): Set<number> {
  return new Set((text.match(/(?<![\p{L}\d_-]|\d\.)\d+(?:\.\d+)?(?![\d-])/gu) ?? []).map(Number));
}

function conditionsIn(graph: unknown): unknown[] {
  if (typeof graph !== "object" || graph === null) return [];
  return Object.entries(graph).flatMap(([key, value]) =>
    key === "condition" ? [value as unknown] : conditionsIn(value),
  );
}

/** Single texts of a value, normalized. */
function leavesOf(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leavesOf);
  return [normalize(String(value))];
}
