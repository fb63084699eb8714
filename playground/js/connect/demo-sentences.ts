/** English and Spanish sentences of the demo model, by shape of data. */
import { isRecord } from "../../../wasm/js/records.js";
import type { Lang } from "./demo-data.js";

type JsonMap = Record<string, unknown>;

const joinList = (values: unknown[], lang: Lang) => {
  const texts = values.map(String);
  return texts.length < 2
    ? texts.join("")
    : `${texts.slice(0, -1).join(", ")} ${lang === "es" ? "y" : "and"} ${texts.at(-1)}`;
};
/** "4 de marzo de 2026". Other texts stay as they are. */
function spanishDate(text: string): string {
  const date = new Date(`${text}T00:00:00Z`);
  const format = new Intl.DateTimeFormat("es", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  return Number.isNaN(date.getTime()) ? text : format.format(date);
}

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

/** Identify a shape only with a list. */
const LISTS = new Set(["orders", "products", "tickets", "passages", "files"]);

/** A value needs all `keys`, with any value of `more`. */
interface SentenceRule {
  keys: string[];
  more?: string[];
  describe: (value: JsonMap, es: boolean, lang: Lang) => string[];
}

const RULES: readonly SentenceRule[] = [
  {
    keys: ["temperature", "conditions"],
    describe: ({ city, location, temperature, conditions }, es) => [
      es
        ? `En ${city ?? location ?? "la ciudad"} hace ${temperature} °C, ${conditions}.`
        : `In ${city ?? location ?? "the city"} it is ${temperature} °C, ${conditions}.`,
    ],
  },
  {
    keys: ["order_id", "status", "items"],
    describe: ({ order_id, status, items, eta }, es, lang) => {
      const how = STATUS[String(status)]?.[es ? 1 : 0] ?? String(status);
      const due =
        typeof eta === "string" ? (es ? `; llegará el ${spanishDate(eta)}` : `; it should arrive on ${eta}`) : "";
      return [
        es
          ? `El pedido ${order_id} (${joinList(items as unknown[], lang)}) ${how}${due}.`
          : `Order ${order_id} (${joinList(items as unknown[], lang)}) ${how}${due}.`,
      ];
    },
  },
  { keys: ["text"], more: ["orders"], describe: ({ text }) => [String(text)] },
  {
    keys: ["orders"],
    describe: ({ orders }, es) =>
      Array.isArray(orders) && orders.length === 0
        ? [es ? "No hay ningún pedido." : "There are no orders."]
        : describeAll(orders, es ? "es" : "en"),
  },
  {
    keys: ["products"],
    describe: ({ products }, es, lang) => {
      const all = products as JsonMap[];
      if (all.length === 0) return [es ? "La tienda no tiene nada así." : "The shop has nothing like it."];
      const stockSentence = ({ name, price, stock }: JsonMap) =>
        `${name} (${money(price, lang)}${stock === 0 ? (es ? ", agotado" : ", sold out") : ""})`;
      return [`${es ? "La tienda tiene" : "The shop has"} ${joinList(all.map(stockSentence), lang)}.`];
    },
  },
  {
    keys: ["refund_id"],
    describe: ({ order_id, amount }, es, lang) => [
      es
        ? `Se han reembolsado ${money(amount, lang)} del pedido ${order_id}.`
        : `${money(amount, lang)} of order ${order_id} has been paid back.`,
    ],
  },
  {
    keys: ["ticket_id", "team"],
    describe: ({ ticket_id, team, title, priority }, es) => [
      es
        ? `El ticket ${ticket_id}, «${title}», lo lleva ${team} (prioridad ${priority}).`
        : `Ticket ${ticket_id}, "${title}", is with ${team} (priority ${priority}).`,
    ],
  },
  {
    keys: ["tickets"],
    describe: ({ tickets }, es) =>
      Array.isArray(tickets) && tickets.length === 0
        ? [es ? "No hay tickets." : "There are no tickets."]
        : describeAll(tickets, es ? "es" : "en"),
  },
  {
    keys: ["passages"],
    describe: ({ passages }, es) => {
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
    describe: ({ path, text }, es) => {
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
    describe: ({ files }, es, lang) => [`${es ? "Archivos" : "Files"}: ${joinList(files as unknown[], lang)}.`],
  },
  { keys: ["path", "bytes"], describe: ({ path }, es) => [es ? `He escrito ${path}.` : `${path} has been written.`] },
  {
    keys: ["deleted"],
    describe: ({ deleted }, es) => [es ? `${deleted} se ha borrado.` : `${deleted} has been deleted.`],
  },
  {
    keys: ["to", "kept"],
    describe: ({ to }, es) => [
      es
        ? `El mensaje para ${to} está hecho; en esta demostración no sale de la página.`
        : `The message to ${to} is done; in this demonstration it does not leave the page.`,
    ],
  },
  {
    keys: ["rate", "from"],
    describe: ({ from, to, rate }, es) => [
      es ? `1 ${from} son ${String(rate).replace(".", ",")} ${to}.` : `1 ${from} is ${rate} ${to}.`,
    ],
  },
  {
    keys: ["date", "weekday"],
    describe: ({ date, weekday }, es) => [
      es ? `Hoy es ${weekday}, ${spanishDate(String(date))}.` : `Today is ${weekday}, ${date}.`,
    ],
  },
  // Contains no facts.
  { keys: ["query", "rationale"], describe: () => [] },
  { keys: ["tool_results"], describe: ({ tool_results }, es) => describeAll(tool_results, es ? "es" : "en") },
  {
    keys: ["tool_name", "success"],
    describe: ({ tool_name, success, data, error }, es) =>
      success === true
        ? describe(data, es ? "es" : "en")
        : [
            es
              ? `${tool_name} no ha funcionado: ${(error as JsonMap | undefined)?.message ?? ""}.`
              : `${tool_name} did not work: ${(error as JsonMap | undefined)?.message ?? ""}.`,
          ],
  },
  {
    keys: ["status", "value"],
    describe: ({ status, value }, es) => (status === "completed" ? describe(value, es ? "es" : "en") : []),
  },
  {
    keys: ["status", "error"],
    describe: ({ error }, es) => [
      es
        ? `Algo no ha funcionado: ${(error as JsonMap | undefined)?.message ?? ""}.`
        : `Something did not work: ${(error as JsonMap | undefined)?.message ?? ""}.`,
    ],
  },
];

export function describe(value: unknown, lang: Lang): string[] {
  if (Array.isArray(value))
    return value.every((one) => typeof one === "string" || typeof one === "number") && value.length > 0
      ? [`${joinList(value, lang)}.`]
      : describeAll(value, lang);
  if (!isRecord(value)) return value === null || value === "" || value === undefined ? [] : [asSentence(String(value))];
  const hasKey = (key: string) => Object.hasOwn(value, key) && (!LISTS.has(key) || Array.isArray(value[key]));
  const shape = RULES.find(
    ({ keys, more = [] }) => keys.every(hasKey) && more.every((key) => Object.hasOwn(value, key)),
  );
  if (shape) return shape.describe(value, lang === "es", lang);
  const inner = Object.entries(value)
    .filter(([, one]) => isRecord(one) || Array.isArray(one))
    .flatMap(([, one]) => describe(one, lang));
  if (inner.length > 0) return inner;
  const plain = Object.entries(value)
    .filter(([, one]) => one !== null && one !== "")
    .slice(0, 6)
    .map(([key, one]) => `${key.replaceAll("_", " ")}: ${String(one)}`);
  return plain.length > 0 ? [asSentence(plain.join(", "))] : [];
}

function describeAll(values: unknown, lang: Lang): string[] {
  return Array.isArray(values) ? values.flatMap((one) => describe(one, lang)) : [];
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Finds outermost JSON values. `rest` is the other text. */
export function extractJson(text: string): { found: unknown[]; rest: string } {
  const found: unknown[] = [];
  let rest = "";
  for (let at = 0; at < text.length; ) {
    const end = text[at] === "{" || text[at] === "[" ? closingBracket(text, at) : -1;
    const value = end > 0 ? parseJson(text.slice(at, end)) : undefined;
    if (value === undefined) rest += text[at++];
    else {
      found.push(value);
      at = end;
    }
  }
  return { found, rest };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function closingBracket(text: string, start: number): number {
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
