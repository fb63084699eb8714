/**
 * Recognizes language, entities and calls by English and Spanish words.
 *
 * A placeholder such as `${city}` is an entity. Other tools than the demo's match by description.
 */
import { PRODUCTS, STATIONS } from "./demo-data.js";
import { normalize } from "../../../wasm/js/request-review/normalize.js";
import type { Team } from "./demo-data.js";
import { withoutProhibitions, withoutQuestions } from "../../../wasm/js/request-review/demand-signs.js";
import { withVerbs } from "../../../wasm/js/request-review/continued.js";
import { recipientsIn } from "../../../wasm/js/request-review/recipients.js";
import { clauses } from "../../../wasm/js/request-review/sentences.js";

export interface OfferedTool {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

export interface RequestedCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** By kind, in text order. `amount` starts with the highest price. */
export interface Entities {
  city: string[];
  order_id: string[];
  path: string[];
  email: string[];
  amount: (string | number)[];
  quoted: string[];
  team: Team[];
}

const VALUE_KINDS = ["city", "order_id", "path", "email", "amount", "quoted"] as const;
const FINDERS: Readonly<Record<"order_id" | "path" | "email" | "quoted", RegExp>> = {
  order_id: /\bA-\d{3,5}\b/gi,
  path: /\b[\w-]+(?:\/[\w-]+)*\.(?:md|txt|csv|json)\b/g,
  email: /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g,
  quoted: /"([^"]{3,200})"|«([^»]{3,200})»|“([^”]{3,200})”/g,
};
/** No count, as in "up to 3 times". */
const AMOUNT =
  /\b(?:under|below|less than|up to|at most|menos de|hasta|por debajo de|máximo)\s+(\d+(?:[.,]\d+)?)(?![\d.,]*\s*(?:times?|tries|attempts|retries|minutes?|hours?|days?|results?|products|words|veces|(?:re)?intentos|minutos?|horas?|días?|resultados?|productos|palabras)(?!\p{L}))/iu;
const TEAMS: readonly (readonly [Team, RegExp])[] = [
  ["shipping", /shipping|parcel|delivery|logist|envio|paquete/],
  ["accounting", /accounting|invoice|payment|refund|money|contabilidad|factura|pago|reembols|dinero|cobr/],
  ["engineering", /engineering|bug|crash|export|error|version|ingenieria|fallo|exporta|bloquea/],
  ["support", /support|question|how do|soporte|pregunta|duda|como /],
];

export function extractEntities(text: string): Entities {
  const bare = text.replace(/\$\{\w+\}/g, " ");
  const found: Entities = { city: [], order_id: [], path: [], email: [], amount: [], quoted: [], team: [] };
  const low = normalize(bare);
  const cities = STATIONS.flatMap(({ city }) => {
    const at = Math.min(...city.map((name) => indexOfName(low, normalize(name))));
    return Number.isFinite(at) ? [{ at, name: city.find((name) => indexOfName(low, normalize(name)) === at)! }] : [];
  });
  found.city = cities.sort((a, b) => a.at - b.at).map(({ name }) => name);
  for (const kind of ["order_id", "path", "email", "quoted"] as const) {
    found[kind] = [
      ...new Set(
        [...bare.matchAll(FINDERS[kind])].map((hit) => hit.slice(1).find((part) => part !== undefined) ?? hit[0]),
      ),
    ];
  }
  const amount = AMOUNT.exec(bare)?.[1];
  if (amount !== undefined) found.amount.push(Number(amount.replace(",", ".")));
  for (const [, name] of text.matchAll(/\$\{(\w+)\}/g)) {
    const kind = VALUE_KINDS.find((one) => one === name!.replace(/_\d+$/, ""));
    if (kind !== undefined && !(found[kind] as unknown[]).includes(`\${input.${name}}`))
      found[kind].push(`\${input.${name}}`);
  }
  found.team = TEAMS.filter(([, words]) => words.test(low)).map(([team]) => team);
  return found;
}

function indexOfName(text: string, name: string): number {
  const at = new RegExp(`(?<![\\p{L}])${name}(?![\\p{L}])`, "u").exec(text)?.index;
  return at ?? Infinity;
}

interface Intent {
  when: RegExp;
  not?: RegExp;
  /** `text` is normalized, `original` is as the user wrote it. */
  args: (named: Entities, text: string, original: string) => Record<string, unknown>[];
}

const singleCall = (args: Record<string, unknown>) => [args];
const has = (value: unknown) => value !== undefined && value !== "";

const HELP =
  /policy|return|how long|how do i|help page|documentation|brew|caffeine|wash|dishwasher|politica|devol|cuanto tarda|como (se|puedo|lavo|preparo|envio|mando|devuelvo)|ayuda|cafeina|prepar|lavar|lavavajillas/;

/** In a sensible call order. */
const INTENTS: Readonly<Record<string, Intent>> = {
  today: {
    when: /what day|which day|weekday|the date|today's date|que dia|la fecha|fecha de hoy/,
    args: () => singleCall({}),
  },
  weather: {
    when: /weather|wear|coat|umbrella|cold|warm|rain|tiempo hace|el tiempo|clima|abrigo|ropa|ponerme|me pongo|llover|frio|paraguas/,
    args: ({ city }) => city.map((one) => ({ city: one })),
  },
  get_order: { when: /(?:)/, args: ({ order_id }) => order_id.map((one) => ({ order_id: one })) },
  find_orders: {
    when: /\b(my|all|her|his|customer'?s?) (open |last )?(orders|purchases)|orders of|what .* ordered|mis (ultimos )?pedidos|los pedidos|sus pedidos|pedidos de/,
    args: ({ email }) => singleCall({ user_email: email[0] }),
  },
  search_products: {
    when: /\b(buy|product|products|price|sell|gift|in stock|cuestan?|comprar|producto|productos|precio|vende|venden|regalo|catalogo|existencias)\b/,
    args: ({ amount }, text) => singleCall({ query: productQuery(text), max_price: amount[0] }),
  },
  search_docs: {
    when: HELP,
    args: (_, text) =>
      singleCall({
        query: topic(
          clauses(text)
            .filter((one) => HELP.test(one))
            .join(" ") || text,
        ),
      }),
  },
  list_tickets: {
    when: /\btickets?\b/,
    not: /(?<!\b(the|all|any|my|our|of) )(open|create|file|raise|new) (a |an )?(\w+ )?ticket|(abr\w+|cre\w+|nuevo) (un )?(\w+ )?ticket/,
    args: ({ team }) => singleCall({ team: team[0] }),
  },
  list_files: {
    when: /\b(files|notes|archivos|notas)\b/,
    not: /\.(md|txt|csv|json)/,
    args: (_, text) =>
      singleCall({ folder: /draft|borrador/.test(text) ? "drafts/" : /note|nota/.test(text) ? "notes/" : undefined }),
  },
  read_file: {
    when: /\b(read|sum|summarise|summarize|summary of|look at|le[aeo]|leer|resum[ae]|resumir|resumen de|mir[ae])\b/,
    args: ({ path }) => singleCall({ path: path[0] }).filter((one) => has(one.path)),
  },
  exchange_rate: {
    when: /exchange|convert|\brate\b|tipo de cambio|convertir|cambio de/,
    args: (_, text) => [currencies(text)].filter((one) => one !== null),
  },
  slow_report: { when: /report on|informe sobre/, args: (_, text) => singleCall({ topic: topic(text) }) },
  refund_order: {
    when: /\brefund|money back|pay .* back|reembols|devuelv\w* (el|su) dinero/,
    not: /policy|politica/,
    args: ({ order_id }, text) =>
      singleCall({
        order_id: order_id[0],
        amount: refundedAmount(text),
        reason: /reembols|devuelv/.test(text) ? "lo pide el cliente" : "asked for by the customer",
      }).filter((one) => has(one.order_id)),
  },
  create_ticket: {
    when: /(?<!\b(the|all|any|my|our|of) )(open|create|file|raise|new) (a |an )?(\w+ )?ticket|(abr\w+|cre\w+|nuevo) (un )?(\w+ )?ticket/,
    args: ({ team, quoted }, text) =>
      singleCall({ title: quoted[0] ?? topic(text), team: team[0] ?? "support", priority: priority(text) }),
  },
  write_file: {
    when: /\b(write|save|store|put|note)\b.*\b(to|into|in|as|down)\b|\b(guard[ae]\w*|escrib\w*|anot[ae]\w*)\b|\b(summari[sz]e|resum\w+)\b.*\b(to|into|en) (\S+\.(md|txt|csv|json)|\$\{path)/,
    args: ({ path, quoted }) => singleCall({ path: path.at(-1), text: quoted[0] ?? "" }).filter((one) => has(one.path)),
  },
  delete_file: {
    when: /\b(delete|remove|erase|borr(?!ador)\w+|elimin\w+)\b/,
    args: ({ path }) => singleCall({ path: path[0] }).filter((one) => has(one.path)),
  },
  send_message: {
    when: /\b(tell|send|e?-?mail (it|them|this|that|\S+@\S+|\$\{email\w*\})|message|notify|inform|let .+ know|avis\w+|notifi\w+|hag?\w* saber|haz(le)? saber|mand\w+|envi(a|e|ar)\w{0,4}|dile|digale|diselo|di(?= a )|cuent[ae]\w+|ask \w+ to|comunica\w*|inform(a|e|ar)\w{0,4})\b/,
    not: /\bfax\b/,
    args: ({ quoted }, _, original) => receivers(original).map((to) => ({ to, text: quoted[0] ?? "" })),
  },
  send_fax: {
    when: /\bfax\b/,
    args: (_, text) => singleCall({ number: /\+?\d[\d ]{4,}/.exec(text)?.[0]?.trim() ?? "0", text: topic(text) }),
  },
};

/** Called after the reads that they need. */
const MUTATING_TOOLS = new Set([
  "refund_order",
  "create_ticket",
  "write_file",
  "delete_file",
  "send_message",
  "send_fax",
]);

/** Uses annotations, else the name. */
export function isMutating({ name, annotations }: Pick<OfferedTool, "name" | "annotations">): boolean {
  return annotations?.readOnlyHint === undefined
    ? MUTATING_TOOLS.has(name) || /^(delete|remove|create|write|send|update|set|add)[_-]/.test(name)
    : annotations.readOnlyHint !== true;
}

export function requestedCalls(request: string, tools: readonly OfferedTool[]): RequestedCall[] {
  const text = withoutProhibitions(request);
  const [low, things] = [normalize(text), extractEntities(request)];
  const wishes = normalize(withoutQuestions(text));
  const own = Object.entries(INTENTS).flatMap(([name, { when, not, args }]) => {
    const tool = tools.find((one) => one.name === name || one.name === `demo.${name}`);
    const read = MUTATING_TOOLS.has(name) ? wishes : low;
    if (tool === undefined || !when.test(read) || not?.test(read)) return [];
    return args(things, low, text).map((args) => ({ name: tool.name, arguments: acceptedArguments(args, tool) }));
  });
  const read = own.some(
    ({ name }) => name.endsWith("read_file") || name.endsWith("delete_file") || name.endsWith("write_file"),
  );
  const sure = own.filter(({ name }) => !(read && name.endsWith("list_files")));
  return sure.length > 0 ? sure : matchByDescription(low, tools, things);
}

const REFUNDED =
  /\b(?:refund|reembols|devuelv)\w*(?: (?!and |y |if |si )\S+){0,4}? (?:€ ?)?(\d+(?:[.,]\d+)?) ?(?:€|eur\b|euros?\b)|\b(?:refund|reembols)\w*(?: \S+){0,4}? €(\d+(?:\.\d+)?)/;

/** Undefined for all that was paid. */
function refundedAmount(low: string): number | undefined {
  const found = REFUNDED.exec(low);
  const amount = found?.[1] ?? found?.[2];
  return amount === undefined ? undefined : Number(amount.replace(",", "."));
}

const PRIORITIES: readonly (readonly [string, RegExp])[] = [
  [
    "high",
    /\b(?:high|urgent) priority|priority (?:is )?(?:high|urgent)|prioridad (?:alta|urgente)|alta prioridad|urgent ticket|ticket urgente/,
  ],
  ["normal", /\b(?:normal|medium) priority|priority (?:is )?(?:normal|medium)|prioridad (?:normal|media)/],
  ["low", /\blow priority|priority (?:is )?low|prioridad baja|baja prioridad/],
];

function priority(low: string): string | undefined {
  return PRIORITIES.find(([, words]) => words.test(low))?.[0];
}

/** The visible schema omits trusted arguments. */
function acceptedArguments(args: Record<string, unknown>, { input_schema }: OfferedTool): Record<string, unknown> {
  const takes = (input_schema.properties ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(args).filter(([key, value]) => value !== undefined && Object.hasOwn(takes, key)),
  );
}

/** Returns the tool that shares most words: at least two, or its name. */
function matchByDescription(low: string, tools: readonly OfferedTool[], things: Entities): RequestedCall[] {
  const searched = new Set(terms(low));
  const score = ({ name, description = "" }: OfferedTool) =>
    terms(normalize(name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_.-]/g, " "))).filter((one) => searched.has(one))
      .length *
      2 +
    [...new Set(terms(normalize(description)))].filter((one) => searched.has(one)).length;
  const best = tools
    .filter(({ name }) => !(name in INTENTS) && name !== "SubmitPlan")
    .map((tool) => ({ tool, points: score(tool) }))
    .sort((a, b) => b.points - a.points)[0];
  if (best === undefined || best.points < 2) return [];
  return [{ name: best.tool.name, arguments: guessArguments(best.tool.input_schema, low, things) }];
}

function guessArguments(schema: Record<string, unknown>, low: string, things: Entities): Record<string, unknown> {
  const required = (schema.required ?? []) as string[];
  const numbers = (low.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
  const filled = Object.entries(
    (schema.properties ?? {}) as Record<string, { type?: string; enum?: unknown[]; default?: unknown }>,
  ).flatMap(([key, { type, enum: choices, default: usual }]) => {
    if (choices)
      return [
        [
          key,
          choices.find((one) => low.includes(normalize(String(one)))) ??
            (required.includes(key) ? choices[0] : undefined),
        ],
      ];
    if (type === "number" || type === "integer")
      return [[key, numbers.shift() ?? usual ?? (required.includes(key) ? 1 : undefined)]];
    if (type === "boolean") return required.includes(key) ? [[key, usual ?? false]] : [];
    if (!required.includes(key)) return [];
    return [[key, /city|place|location/.test(key) ? (things.city[0] ?? "Oslo") : (things.quoted[0] ?? topic(low))]];
  });
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

const STOP_WORDS = new Set(
  (
    "the and for with what where which how about from that this have should would could please tell there into " +
    "your mine los las una para por con que como donde cual esta sobre desde quiero puede favor dime"
  ).split(" "),
);

function terms(low: string): string[] {
  return low.split(/[^\p{L}\d]+/u).filter((one) => one.length > 2 && !STOP_WORDS.has(one));
}

export function topic(text: string): string {
  return (
    text
      .replace(/\$\{[\w.]+\}/g, " ")
      .split(/[^\p{L}\d]+/u)
      .filter((one) => (one.length > 2 || /^\d+$/.test(one)) && !STOP_WORDS.has(normalize(one)))
      .slice(0, 8)
      .join(" ") || text.slice(0, 80)
  );
}

function productQuery(text: string): string {
  const vocabulary = new Set(
    PRODUCTS.flatMap(({ name }) => name.flatMap((one) => normalize(one).split(" "))).filter((one) => one.length > 1),
  );
  const matched = text
    .split(/[^\p{L}\d]+/u)
    .map((one) => (vocabulary.has(one) ? one : one.replace(/(es|s)$/, "")))
    .filter((one) => vocabulary.has(one) && one !== "de");
  return matched.length > 0 ? [...new Set(matched)].join(" ") : topic(text);
}

const CURRENCIES: readonly (readonly [string, RegExp])[] = [
  ["EUR", /\beuros?\b|\beur\b/],
  ["USD", /\bdollars?\b|\bdolares\b|\busd\b/],
  ["GBP", /\bpounds?\b|\blibras?\b|\bgbp\b/],
  ["MXN", /\bpesos?\b|\bmxn\b/],
];

function currencies(low: string): Record<string, unknown> | null {
  const mentioned = CURRENCIES.flatMap(([code, words]) =>
    words.test(low) ? [{ code, at: low.search(words) }] : [],
  ).sort((a, b) => a.at - b.at);
  return mentioned.length > 1 ? { from: mentioned[0]!.code, to: mentioned[1]!.code } : null;
}

/** Of each sentence that sends something, so that "read Ana's orders and tell accounting" sends nothing to Ana. */
function receivers(request: string): string[] {
  let isSending = false;
  const found = withVerbs(request, clauses(request)).flatMap((text) => {
    const more = isSending && /^(?:to|al?|para) /i.test(text);
    isSending = more || INTENTS.send_message!.when.test(normalize(text));
    if (!isSending) return [];
    const { email } = extractEntities(text);
    const named = recipientsIn(more ? `tell ${text.replace(/^\w+ /, "")}` : text);
    return email.length > 0 ? email : !more && named.length < 2 ? [recipient(text)] : named;
  });
  const { email } = extractEntities(request);
  // "The order belongs to luis@example.com. Tell Luis."
  const addressed = found.map((who) => email.find((one) => one.toLowerCase().startsWith(`${who}@`)) ?? who);
  return found.length > 0 ? [...new Set(addressed)] : [email[0] ?? recipient(request)];
}

function recipient(text: string): string {
  const low = normalize(text);
  const hit =
    /\b(?:tell|notify|inform|avisa a|dile a|envia a|informa a|avise a|digale a|envie a|informe a)\s+(?:the |al |a la |el |la )?((?:(?:dra?|mrs?|ms|prof|sra?|srta)\.? )?\p{L}+)/u.exec(
      low,
    )?.[1];
  const isPronoun = hit === undefined || ["me", "her", "him", "los", "las"].includes(hit);
  const known = isPronoun ? recipientsIn(text)[0] : hit;
  return known ?? "customer";
}
