/**
 * The stand-in model's sentences: what it makes of the data that it was given.
 *
 * Decides how values of known shapes (weather, orders, tickets, passages, …) are put in words, in English and Spanish.
 * It makes nothing up: what is in no sentence was not in the data.
 */
import type { Lang } from "./demo-data.js";

type JsonMap = Record<string, unknown>;

const isMap = (value: unknown): value is JsonMap =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const list = (values: unknown[], lang: Lang) => {
  const texts = values.map(String);
  return texts.length < 2
    ? texts.join("")
    : `${texts.slice(0, -1).join(", ")} ${lang === "es" ? "y" : "and"} ${texts.at(-1)}`;
};
const STATUS: Readonly<Record<string, readonly [string, string]>> = {
  processing: ["is being packed", "se está preparando"],
  shipped: ["is on its way", "está en camino"],
  delivered: ["has been delivered", "se ha entregado"],
  lost: ["was lost on the way", "se ha perdido por el camino"],
  refunded: ["has been refunded", "se ha reembolsado"],
};
const money = (value: unknown, lang: Lang) =>
  typeof value === "number"
    ? lang === "es"
      ? `${value.toFixed(2).replace(".", ",")} €`
      : `€${value.toFixed(2)}`
    : String(value);

/** Keys that mean what they say only with a list behind them. */
const LISTS = new Set(["orders", "products", "tickets", "passages", "files"]);

/** `keys` as above; `more` are there whatever they hold. */
interface SentenceRule {
  keys: string[];
  more?: string[];
  say: (value: JsonMap, es: boolean, lang: Lang) => string[];
}

const SHAPES: readonly SentenceRule[] = [
  {
    keys: ["temperature", "conditions"],
    say: ({ city, location, temperature, conditions }, es) => [
      es
        ? `En ${city ?? location ?? "la ciudad"} hace ${temperature} °C, ${conditions}.`
        : `In ${city ?? location ?? "the city"} it is ${temperature} °C, ${conditions}.`,
    ],
  },
  {
    keys: ["order_id", "status", "items"],
    say: ({ order_id, status, items, eta }, es, lang) => {
      const how = STATUS[String(status)]?.[es ? 1 : 0] ?? String(status);
      const due = typeof eta === "string" ? (es ? `; llegará el ${eta}` : `; it should arrive on ${eta}`) : "";
      return [
        es
          ? `El pedido ${order_id} (${list(items as unknown[], lang)}) ${how}${due}.`
          : `Order ${order_id} (${list(items as unknown[], lang)}) ${how}${due}.`,
      ];
    },
  },
  { keys: ["text"], more: ["orders"], say: ({ text }) => [String(text)] },
  {
    keys: ["orders"],
    say: ({ orders }, es) =>
      Array.isArray(orders) && orders.length === 0
        ? [es ? "No hay ningún pedido." : "There are no orders."]
        : sayAll(orders, es ? "es" : "en"),
  },
  {
    keys: ["products"],
    say: ({ products }, es, lang) => {
      const all = products as JsonMap[];
      if (all.length === 0) return [es ? "La tienda no tiene nada así." : "The shop has nothing like it."];
      const one = ({ name, price, stock }: JsonMap) =>
        `${name} (${money(price, lang)}${stock === 0 ? (es ? ", agotado" : ", sold out") : ""})`;
      return [`${es ? "La tienda tiene" : "The shop has"} ${list(all.map(one), lang)}.`];
    },
  },
  {
    keys: ["refund_id"],
    say: ({ order_id, amount }, es, lang) => [
      es
        ? `Se han reembolsado ${money(amount, lang)} del pedido ${order_id}.`
        : `${money(amount, lang)} of order ${order_id} has been paid back.`,
    ],
  },
  {
    keys: ["ticket_id", "team"],
    say: ({ ticket_id, team, title, priority }, es) => [
      es
        ? `El ticket ${ticket_id}, «${title}», lo lleva ${team} (prioridad ${priority}).`
        : `Ticket ${ticket_id}, "${title}", is with ${team} (priority ${priority}).`,
    ],
  },
  {
    keys: ["tickets"],
    say: ({ tickets }, es) =>
      Array.isArray(tickets) && tickets.length === 0
        ? [es ? "No hay tickets." : "There are no tickets."]
        : sayAll(tickets, es ? "es" : "en"),
  },
  {
    keys: ["passages"],
    say: ({ passages }, es) => {
      const all = passages as JsonMap[];
      return all.length === 0
        ? [es ? "La ayuda no dice nada de eso." : "The help pages say nothing about it."]
        : all
            .filter(({ score }) => score === undefined || score === all[0]!.score)
            .slice(0, 2)
            .map(({ text, document }) => `${text} (${document})`);
    },
  },
  {
    keys: ["path", "text"],
    say: ({ path, text }, es) => {
      const points = String(text)
        .split("\n")
        .map((line) => line.replace(/^[#\-*\s]+/, "").trim())
        .filter(Boolean);
      return [
        `${path}: ${points
          .slice(0, 4)
          .join(es ? "; " : "; ")
          .replace(/\.;/g, ";")
          .replace(/\.$/, "")}.`,
      ];
    },
  },
  {
    keys: ["files"],
    say: ({ files }, es, lang) => [`${es ? "Archivos" : "Files"}: ${list(files as unknown[], lang)}.`],
  },
  { keys: ["path", "bytes"], say: ({ path }, es) => [es ? `He escrito ${path}.` : `${path} has been written.`] },
  { keys: ["deleted"], say: ({ deleted }, es) => [es ? `${deleted} se ha borrado.` : `${deleted} has been deleted.`] },
  {
    keys: ["to", "kept"],
    say: ({ to }, es) => [
      es
        ? `El mensaje para ${to} está hecho; en esta demostración no sale de la página.`
        : `The message to ${to} is done; in this demonstration it does not leave the page.`,
    ],
  },
  {
    keys: ["rate", "from"],
    say: ({ from, to, rate }, es) => [
      es ? `1 ${from} son ${String(rate).replace(".", ",")} ${to}.` : `1 ${from} is ${rate} ${to}.`,
    ],
  },
  {
    keys: ["date", "weekday"],
    say: ({ date, weekday }, es) => [es ? `Hoy es ${weekday}, ${date}.` : `Today is ${weekday}, ${date}.`],
  },
  // A plan of what to look up is no finding.
  { keys: ["query", "rationale"], say: () => [] },
  { keys: ["tool_results"], say: ({ tool_results }, es) => sayAll(tool_results, es ? "es" : "en") },
  {
    keys: ["tool_name", "success"],
    say: ({ tool_name, success, data, error }, es) =>
      success === true
        ? say(data, es ? "es" : "en")
        : [
            es
              ? `${tool_name} no ha funcionado: ${(error as JsonMap | undefined)?.message ?? ""}.`
              : `${tool_name} did not work: ${(error as JsonMap | undefined)?.message ?? ""}.`,
          ],
  },
  {
    keys: ["status", "value"],
    say: ({ status, value }, es) => (status === "completed" ? say(value, es ? "es" : "en") : []),
  },
  {
    keys: ["status", "error"],
    say: ({ error }, es) => [
      es
        ? `Algo no ha funcionado: ${(error as JsonMap | undefined)?.message ?? ""}.`
        : `Something did not work: ${(error as JsonMap | undefined)?.message ?? ""}.`,
    ],
  },
];

/** What there is to say of a value. */
export function say(value: unknown, lang: Lang): string[] {
  if (Array.isArray(value))
    return value.every((one) => typeof one === "string" || typeof one === "number") && value.length > 0
      ? [`${list(value, lang)}.`]
      : sayAll(value, lang);
  if (!isMap(value)) return value === null || value === "" || value === undefined ? [] : [ended(String(value))];
  const fits = (key: string) => Object.hasOwn(value, key) && (!LISTS.has(key) || Array.isArray(value[key]));
  const shape = SHAPES.find(
    ({ keys, more = [] }) => keys.every(fits) && more.every((key) => Object.hasOwn(value, key)),
  );
  if (shape) return shape.say(value, lang === "es", lang);
  const inner = Object.entries(value)
    .filter(([, one]) => isMap(one) || Array.isArray(one))
    .flatMap(([, one]) => say(one, lang));
  if (inner.length > 0) return inner;
  const plain = Object.entries(value)
    .filter(([, one]) => one !== null && one !== "")
    .slice(0, 6)
    .map(([key, one]) => `${key.replaceAll("_", " ")}: ${String(one)}`);
  return plain.length > 0 ? [ended(plain.join(", "))] : [];
}

function sayAll(values: unknown, lang: Lang): string[] {
  return Array.isArray(values) ? values.flatMap((one) => say(one, lang)) : [];
}

function ended(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** The JSON values that stand in a text, outermost ones, in order; and the text without them. */
export function values(text: string): { found: unknown[]; rest: string } {
  const found: unknown[] = [];
  let rest = "";
  for (let at = 0; at < text.length; ) {
    const end = text[at] === "{" || text[at] === "[" ? closing(text, at) : -1;
    const value = end > 0 ? read(text.slice(at, end)) : undefined;
    if (value === undefined) rest += text[at++];
    else {
      found.push(value);
      at = end;
    }
  }
  return { found, rest };
}

function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Where the bracket that opens at a place is closed; -1 if nowhere. */
function closing(text: string, start: number): number {
  let [depth, quoted] = [0, false];
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (quoted) {
      if (sign === "\\") at++;
      else if (sign === '"') quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === "{" || sign === "[") depth++;
    else if ((sign === "}" || sign === "]") && --depth === 0) return at + 1;
  }
  return -1;
}
