/**
 * The stand-in model's answers in JSON: a schema filled from a text.
 *
 * Decides each part by its name and kind: one of several words by the words of the text, numbers and things named by
 * the order in which they stand. What the text does not say becomes null where the schema allows it, else a harmless
 * default.
 */
import { plain } from "./demo-data.js";
import type { Lang } from "./demo-data.js";
import { clauses, named, topic } from "./demo-intents.js";

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  maxLength?: number;
  default?: unknown;
}

/** What is known when a schema is filled. */
export interface Source {
  /** What the schema is filled from. */
  text: string;
  lang: Lang;
  /** What there is to say of the data in it. */
  answer: string;
}

/** Words that speak for a value, whatever its schema is about. */
const MEANS: Readonly<Record<string, RegExp>> = {
  high: /urgent|immediately|at once|asap|crash|lost|angry|third time|urgente|inmediat|perdid|enfadad|tercera vez|ahora mismo/,
  low: /no hurry|whenever|wonder|curious|sin prisa|cuando pued|curiosidad/,
  bug: /bug|crash|error|empty|does not work|doesn't work|broken|fallo|vaci|no funciona|roto|bloque/,
  invoice: /invoice|bill|tax|factura|fiscal/,
  refund: /refund|money back|reembols|devuelv|devoluci/,
  order: /order|parcel|delivery|pedido|paquete|entrega|envio/,
  question: /\?|how|what|when|como|que|cuando/,
  positive: /thank|great|love|perfect|happy|gracias|genial|encanta|perfect|feliz/,
  negative: /angry|bad|broken|lost|never|disappoint|terrible|mal|roto|perdid|nunca|decepcion/,
  shipping: /shipping|parcel|delivery|late|envio|paquete|entrega|tarde/,
  accounting: /invoice|payment|refund|money|factura|pago|reembols|dinero/,
  engineering: /bug|crash|export|error|version|fallo|exporta/,
  support: /question|how|pregunta|duda|como/,
  yes: /\byes\b|\bsi\b/,
  no: /\bno\b/,
  en: /\b(the|and|is)\b/,
  es: /\b(el|la|que|y)\b/,
};
const HARMLESS = ["other", "none", "unknown", "neutral", "normal", "otro", "ninguno", "medium"];
const URGENT = MEANS.high!;

/** A value of the schema, filled from the text. */
export function fill(schema: unknown, source: Source, key = ""): unknown {
  const wants = (schema ?? {}) as Schema;
  if ("const" in wants) return wants.const;
  if (wants.enum) return chosen(wants.enum, source);
  const other = wants.anyOf ?? wants.oneOf;
  if (other) return fill(other[0], source, key);
  const types = wants.type === undefined ? [wants.properties ? "object" : "string"] : [wants.type].flat();
  const kind = types.find((one) => one !== "null") ?? "null";
  if (kind === "object")
    return Object.fromEntries(
      Object.entries(wants.properties ?? {}).map(([name, inner]) => [name, fill(inner, source, name)]),
    );
  if (kind === "array") return items(wants, source, key);
  if (kind === "boolean") return truth(key, source);
  const nullable = types.includes("null");
  if (kind === "number" || kind === "integer") return amount(wants, kind, source, key, nullable);
  if (kind === "null") return null;
  const text = phrase(key, source);
  return text === "" && nullable ? null : text.slice(0, wants.maxLength ?? 600);
}

function chosen(choices: unknown[], { text }: Source): unknown {
  const low = plain(text);
  const said = choices.find(
    (one) =>
      typeof one === "string" &&
      new RegExp(`(?<!\\p{L})${plain(one).replace(/[_-]/g, "[ _-]")}(?!\\p{L})`, "u").test(low),
  );
  const meant = choices.find((one) => typeof one === "string" && MEANS[one]?.test(low));
  return said ?? meant ?? choices.find((one) => HARMLESS.includes(String(one))) ?? choices.at(-1);
}

function truth(key: string, { text }: Source): boolean {
  const low = plain(text);
  if (/urgent|urgente/.test(key)) return URGENT.test(low);
  const words = plain(key)
    .split("_")
    .filter((one) => one.length > 3 && !["needs", "wants", "should"].includes(one));
  return words.some((one) => low.includes(one.slice(0, 6)) || MEANS[one]?.test(low));
}

function amount(
  { minimum = -Infinity, maximum = Infinity, default: usual }: Schema,
  kind: string,
  { text }: Source,
  key: string,
  nullable: boolean,
): unknown {
  const within = (value: number) =>
    Math.min(maximum, Math.max(minimum, kind === "integer" ? Math.round(value) : value));
  // A critic of texts: one that says more is worth more.
  if (/score|rating|nota|puntuacion/.test(plain(key))) return within(text.length > 150 ? 9 : 6);
  const bare = text.replace(/\b[A-Z]-\d+\b/g, " ").replace(/\d{4}-\d{2}-\d{2}/g, " ");
  const hit = /(\d+(?:[.,]\d+)?)/.exec(bare)?.[1];
  if (hit !== undefined) return within(Number(hit.replace(",", ".")));
  return nullable ? null : (usual ?? within(Math.max(0, Number.isFinite(minimum) ? minimum : 0)));
}

function items({ items: inner = {}, maxItems = 5 }: Schema, source: Source, key: string): unknown[] {
  if (inner.enum)
    return inner.enum
      .filter((one) => MEANS[String(one)]?.test(plain(source.text)) || plain(source.text).includes(plain(String(one))))
      .slice(0, maxItems);
  const parts = clauses(source.text).slice(0, maxItems);
  if (inner.type === "object" || inner.properties) return parts.map((text) => fill(inner, { ...source, text }, key));
  return parts.map((text) => topic(text)).filter((one) => one !== "");
}

function phrase(key: string, { text, answer, lang }: Source): string {
  const things = named(text);
  const low = plain(key);
  if (/order|pedido/.test(low)) return things.order_id[0] ?? "";
  if (/city|ciudad|place|lugar/.test(low)) return things.city[0] ?? "";
  if (/mail|correo/.test(low)) return things.email[0] ?? "";
  if (/^(name|customer|nombre|cliente)/.test(low))
    return /(?:my name is|i am|this is|me llamo|soy)\s+(\p{Lu}[\p{L}-]+)/u.exec(text)?.[1] ?? "";
  if (/lang|idioma/.test(low)) return lang;
  if (/advice|consejo|missing|falta|why|reason|motivo/.test(low))
    return lang === "es" ? "Diga también el precio y para cuándo es." : "Say the price, too, and what it is for.";
  if (/answer|reply|text|respuesta|texto|mensaje|message/.test(low) && answer !== "") return answer;
  return clauses(text)[0] ?? text.trim().slice(0, 120);
}
