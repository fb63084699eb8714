/**
 * Prices of models and tools.
 *
 * The engine knows none: it sums up `micro_usd`, which priced models add to usages.
 */
import { PlanError } from "./errors.js";
import type { ChatOptions, ChatReply, ChatRequest, Model, Usage } from "./model-types.js";
import { isPriced, PRICE_OF, type PricedModel } from "./priced.js";
import { describeKind, findMismatch, type Kind } from "./option-kinds.js";
import { isMap } from "./guards.js";
import { withSecretsOf } from "./secrets.js";
import { closestName } from "./suggest.js";

/** US dollars for a million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Read from the cache. Default: `input`. */
  cached_input?: number;
  /** Written to the cache. Default: `input`. */
  cache_write_input?: number;
  /** Most input tokens of a request. If it is missing, costs have no bound. */
  context?: number;
  /** Most output tokens of a reply without `max_tokens`. */
  max_output?: number;
}

/** Prices of models and tools. */
export interface Prices {
  /** A day, such as `2025-10-31`. */
  date?: string;
  source?: string;
  /** Keyed by `provider:name` or name. A final `*` matches any rest. */
  models?: Record<string, ModelPrice>;
  /** US dollars for a call, by the tool's name in plans. */
  tools?: Record<string, number>;
}

/** @internal */
export interface PricedName {
  provider?: string | undefined;
  name: string;
}

const PRICES: Record<keyof Prices, Kind> = { date: "text", source: "text", models: "map", tools: "map" };
const MODEL: Record<keyof ModelPrice, Kind> = {
  input: "amount",
  output: "amount",
  cached_input: "amount",
  cache_write_input: "amount",
  context: "count",
  max_output: "count",
};

/** @internal */
export interface PriceMistake {
  path: string[];
  message: string;
  help: string;
}

/** @internal */
export function priceMistake(prices: unknown): PriceMistake | null {
  const wrong = keysMistake(prices, PRICES, []);
  if (wrong !== null) return wrong;
  const { models = {}, tools = {} } = prices as { models?: Record<string, unknown>; tools?: Record<string, unknown> };
  for (const [name, price] of Object.entries(models)) {
    const mistake = keysMistake(price, MODEL, ["models", name]);
    if (mistake !== null) return mistake;
    for (const key of ["input", "output"] as const)
      if (!isKnown(price, key))
        return { path: ["models", name], message: `it has no \`${key}\``, help: `add \`${key}\`, ${PER_MILLION}` };
  }
  for (const [name, price] of Object.entries(tools))
    if (findMismatch("amount", price) !== null || price === Infinity)
      return { path: ["tools", name], message: "it is no price", help: "write the US dollars of one call" };
  return null;
}

const PER_MILLION = "in US dollars for a million tokens";

function isKnown(price: unknown, key: string): boolean {
  return (price as Record<string, unknown>)[key] !== undefined;
}

function keysMistake(value: unknown, kinds: Record<string, Kind>, path: string[]): PriceMistake | null {
  const names = Object.keys(kinds);
  if (!isMap(value)) return { path, message: "it is no map", help: `write a map with ${names.join(", ")}` };
  for (const [key, one] of Object.entries(value)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (kind === undefined) {
      const guess = closestName(key, names);
      const help = guess === null ? `use ${names.join(", ")}` : `did you mean \`${guess}\`?`;
      return { path: [...path, key], message: "it is no known key", help };
    }
    if (one !== undefined && (findMismatch(kind, one) !== null || one === Infinity))
      return { path: [...path, key], message: "it has the wrong kind", help: `write ${describeKind(kind)}` };
  }
  return null;
}

/** @internal A misspelt price would be an uncounted cost. */
export function assertPrices(of: string, prices: unknown): void {
  const mistake = priceMistake(prices);
  if (mistake === null) return;
  const where = ["prices", ...mistake.path].join(".");
  throw new PlanError("api/bad-option", `\`${where}\` of \`${of}\`: ${mistake.message}; ${mistake.help}`);
}

/** @internal Takes the first name with a price: exact ones first, then the longest prefix. */
export function findPrice(models: Prices["models"] = {}, names: readonly string[]): ModelPrice | null {
  for (const name of names) {
    if (Object.hasOwn(models, name)) return models[name]!;
    const prefixes = Object.keys(models).filter((key) => key.endsWith("*") && name.startsWith(key.slice(0, -1)));
    prefixes.sort((a, b) => b.length - a.length);
    if (prefixes[0] !== undefined) return models[prefixes[0]]!;
  }
  return null;
}

/** @internal */
export function priceNames({ provider, name }: PricedName): string[] {
  return provider === undefined ? [name] : [`${provider}:${name}`, name];
}

/** @internal In millionths of a dollar, rounded up. */
export function costOf(usage: Usage, price: ModelPrice): number {
  const { input, output } = usage;
  const [cached, written] = [Math.max(0, usage.cached_input ?? 0), Math.max(0, usage.cache_write_input ?? 0)];
  const fresh = Math.max(0, input - cached - written);
  const cost =
    fresh * price.input +
    cached * (price.cached_input ?? price.input) +
    written * (price.cache_write_input ?? price.input) +
    output * price.output;
  // Sums of fractions are inexact.
  return Math.max(0, Math.ceil(cost - 1e-6));
}

/** @internal */
export function withPrices(models: Record<string, Model>, prices: Prices): Record<string, Model> {
  return Object.fromEntries(Object.entries(models).map(([key, model]) => [key, priced(key, model, prices)]));
}

function priced(key: string, model: Model, prices: Prices): Model {
  const client = typeof model === "function" ? null : model;
  const { provider, name = key } = client ?? {};
  const own = [...priceNames({ provider, name }), key];
  const priceOf = (named: string | null) =>
    findPrice(prices.models, named === null ? own : priceNames({ provider, name: named }));
  const found: PricedModel = {
    ...withSecretsOf(model),
    name,
    ...(provider !== undefined && { provider }),
    [PRICE_OF]: priceOf,
    async chat(request: ChatRequest, options?: ChatOptions): Promise<ChatReply> {
      const given = await (typeof model === "function" ? model(request, options) : model.chat(request, options));
      const reply: ChatReply = typeof given === "string" ? { text: given, finish: "stop", usage: null } : given;
      return withCost(reply, priceOf(request.model));
    },
  };
  return found;
}

interface CallPrices {
  input_price: number;
  output_price: number;
  max_output?: number;
}

/** @internal Cached or not. */
export function dearestInput({ input, cached_input = 0, cache_write_input = 0 }: ModelPrice): number {
  return Math.max(input, cached_input, cache_write_input);
}

/** A model may report its own cost. */
function withCost(reply: ChatReply, price: ModelPrice | null): ChatReply {
  if (price === null) return reply;
  const { usage } = reply ?? {};
  if (usage && isCounted(usage))
    return usage.micro_usd === undefined ? { ...reply, usage: { ...usage, micro_usd: costOf(usage, price) } } : reply;
  // A free model need not count.
  const isFree = price.input === 0 && price.output === 0;
  return isFree ? { ...reply, usage: { input: 0, output: 0, cached_input: 0, micro_usd: 0 } } : reply;
}

function isCounted({ input, output }: Usage): boolean {
  return [input, output].every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0);
}

/** `asked` is the name in the request, unless it is the key. */
interface RequestedModel {
  key: string;
  asked: string | null;
  model: Model;
  price: ModelPrice | null;
}

/** An unknown name means the default. */
function* requestedModels(models: Record<string, Model>, names: Iterable<string | null>): Iterable<RequestedModel> {
  for (const name of names) {
    const key = name !== null && Object.hasOwn(models, name) ? name : "default";
    const model = Object.hasOwn(models, key) ? models[key] : undefined;
    if (model === undefined) continue;
    const asked = key === name ? null : name;
    yield { key, asked, model, price: isPriced(model) ? model[PRICE_OF](asked) : null };
  }
}

/** @internal `name` is null for a function. */
export function modelWithoutPrice(
  models: Record<string, Model>,
  names: Iterable<string | null>,
): { key: string; name: string | null } | null {
  for (const { key, asked, model, price } of requestedModels(models, names))
    if (price === null) return { key, name: labelOf(model, asked) };
  return null;
}

/** @internal Null if a model has no price. Omits figures that a price lacks. */
export function highestPrices(models: Record<string, Model>, names: Iterable<string | null>): CallPrices | null {
  const prices = [...requestedModels(models, names)].map(({ price }) => price);
  if (prices.length === 0 || !prices.every((price) => price !== null)) return null;
  const highest = (of: (price: ModelPrice) => number) => Math.max(...prices.map(of));
  const max_output = highest((price) => price.max_output ?? Infinity);
  return {
    input_price: highest(dearestInput),
    output_price: highest(({ output }) => output),
    ...(max_output !== Infinity && { max_output }),
  };
}

function labelOf(model: Model, asked: string | null): string | null {
  if (typeof model === "function") return asked;
  const { provider, name } = model;
  return priceNames({ provider, name: asked ?? name })[0]!;
}
