/**
 * Fills a JSON schema from a text, by names and types.
 *
 * Numbers and entities follow text order. Missing values become null if allowed, otherwise a harmless default.
 */
import { normalize } from "../../../wasm/js/request-review/normalize.js";
import type { Lang } from "./demo-data.js";
import { extractEntities, topic } from "./demo-intents.js";
import { clauses } from "../../../wasm/js/request-review/sentences.js";

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

export interface Source {
  text: string;
  lang: Lang;
  /** Describes the data in `text`. */
  answer: string;
}

/** Words for enum values of any schema. */
const SYNONYMS: Readonly<Record<string, RegExp>> = {
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
const DEFAULT_CHOICES = ["other", "none", "unknown", "neutral", "normal", "otro", "ninguno", "medium"];
const URGENT = SYNONYMS.high!;

export function fillSchema(schema: unknown, source: Source, key = ""): unknown {
  const spec = (schema ?? {}) as Schema;
  if ("const" in spec) return spec.const;
  if (spec.enum) return chooseValue(spec.enum, source);
  const other = spec.anyOf ?? spec.oneOf;
  if (other) return fillSchema(other[0], source, key);
  const types = spec.type === undefined ? [spec.properties ? "object" : "string"] : [spec.type].flat();
  const kind = types.find((one) => one !== "null") ?? "null";
  if (kind === "object")
    return Object.fromEntries(
      Object.entries(spec.properties ?? {}).map(([name, inner]) => [name, fillSchema(inner, source, name)]),
    );
  if (kind === "array") return fillItems(spec, source, key);
  if (kind === "boolean") return fillBoolean(key, source);
  const nullable = types.includes("null");
  if (kind === "number" || kind === "integer") return fillNumber(spec, kind, source, key, nullable);
  if (kind === "null") return null;
  const text = fillText(key, source);
  return text === "" && nullable ? null : text.slice(0, spec.maxLength ?? 600);
}

function chooseValue(choices: unknown[], { text }: Source): unknown {
  const low = normalize(text);
  const named = choices.find(
    (one) =>
      typeof one === "string" &&
      new RegExp(`(?<!\\p{L})${normalize(one).replace(/[_-]/g, "[ _-]")}(?!\\p{L})`, "u").test(low),
  );
  const implied = choices.find((one) => typeof one === "string" && SYNONYMS[one]?.test(low));
  return named ?? implied ?? choices.find((one) => DEFAULT_CHOICES.includes(String(one))) ?? choices.at(-1);
}

function fillBoolean(key: string, { text }: Source): boolean {
  const low = normalize(text);
  if (/urgent|urgente/.test(key)) return URGENT.test(low);
  const words = normalize(key)
    .split("_")
    .filter((one) => one.length > 3 && !["needs", "wants", "should"].includes(one));
  return words.some((one) => low.includes(one.slice(0, 6)) || SYNONYMS[one]?.test(low));
}

function fillNumber(
  { minimum = -Infinity, maximum = Infinity, default: usual }: Schema,
  kind: string,
  { text }: Source,
  key: string,
  nullable: boolean,
): unknown {
  const clamp = (value: number) => Math.min(maximum, Math.max(minimum, kind === "integer" ? Math.round(value) : value));
  // Scores rate the text's length.
  if (/score|rating|nota|puntuacion/.test(normalize(key))) return clamp(text.length > 150 ? 9 : 6);
  const bare = text.replace(/\b[A-Z]-\d+\b/g, " ").replace(/\d{4}-\d{2}-\d{2}/g, " ");
  const hit = /(\d+(?:[.,]\d+)?)/.exec(bare)?.[1];
  if (hit !== undefined) return clamp(Number(hit.replace(",", ".")));
  return nullable ? null : (usual ?? clamp(Math.max(0, Number.isFinite(minimum) ? minimum : 0)));
}

function fillItems({ items: inner = {}, maxItems = 5 }: Schema, source: Source, key: string): unknown[] {
  if (inner.enum)
    return inner.enum
      .filter(
        (one) =>
          SYNONYMS[String(one)]?.test(normalize(source.text)) ||
          normalize(source.text).includes(normalize(String(one))),
      )
      .slice(0, maxItems);
  const parts = clauses(source.text).slice(0, maxItems);
  if (inner.type === "object" || inner.properties)
    return parts.map((text) => fillSchema(inner, { ...source, text }, key));
  return parts.map((text) => topic(text)).filter((one) => one !== "");
}

function fillText(key: string, { text, answer, lang }: Source): string {
  const things = extractEntities(text);
  const low = normalize(key);
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
