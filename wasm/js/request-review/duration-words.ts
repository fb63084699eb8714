/** Reads amounts that a sentence gives in words: durations, limits and dates. */
import { normalize } from "./normalize.js";

const UNIT_MS: readonly (readonly [RegExp, number])[] = [
  [/^s(?:ec|eg)/, 1000],
  [/^min/, 60_000],
  [/^h/, 3_600_000],
  [/^d/, 86_400_000],
  [/^(?:w|sem)/, 604_800_000],
];
const COUNTS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "a:1 an:1 one:1 un:1 una:1 half:0.5 media:0.5 medio:0.5 two:2 dos:2 three:3 tres:3 four:4 cuatro:4 five:5 cinco:5 six:6 " +
    "seis:6 seven:7 siete:7 eight:8 ocho:8 nine:9 nueve:9 ten:10 diez:10 twelve:12 doce:12 dozen:12 docena:12 fifteen:15 " +
    "quince:15 twenty:20 veinte:20 thirty:30 treinta:30 forty:40 cuarenta:40 fifty:50 cincuenta:50 sixty:60 sesenta:60 " +
    "hundred:100 cien:100"
  )
    .split(" ")
    .map((pair) => [pair.split(":")[0]!, Number(pair.split(":")[1])]),
);
const UNIT = "(seconds?|minutes?|mins?|hours?|days?|weeks?|segundos?|minutos?|horas?|dias?|semanas?)";
const DURATION = new RegExp(`\\b(\\d+(?:[.,]\\d+)?|\\p{L}+)(?: an?)? ${UNIT}\\b`, "gu");
const LIMIT =
  /\b(?:at (?:most|least)|up to|(?:more|less|fewer) than|under|over|below|above|(?:maximum|minimum) of|no more than|como (?:mucho|maximo|minimo)|a lo sumo|al menos|(?:menos|mas) de|hasta|por (?:debajo|encima) de|(?:maximo|minimo) de) (\p{L}+)\b(?! (?:seconds?|minutes?|hours?|days?|weeks?|segundos?|minutos?|horas?|dias?|semanas?))/gu;
const WEEKDAYS: readonly (readonly string[])[] = [
  ["monday", "lunes"],
  ["tuesday", "martes"],
  ["wednesday", "miercoles"],
  ["thursday", "jueves"],
  ["friday", "viernes"],
  ["saturday", "sabado"],
  ["sunday", "domingo"],
];
const DEADLINE =
  /\b(?:by|before|until|due|no later than|antes del?|para el|hasta el|a mas tardar el)(?: (?:next|this|el|proximo|este))* (\p{L}+)\b/gu;

function amount(word: string): number | undefined {
  return /^\d/.test(word) ? Number(word.replace(",", ".")) : COUNTS[word];
}

/** In milliseconds. */
export function durationsIn(sentence: string): number[] {
  return [...normalize(sentence).matchAll(DURATION)].flatMap(([, word, unit]) => {
    const count = amount(word!);
    const ms = UNIT_MS.find(([name]) => name.test(unit!))?.[1];
    return count === undefined || ms === undefined ? [] : [count * ms];
  });
}

/** Limits in words: "at most two files". Articles are no numbers. */
export function limitsIn(sentence: string): number[] {
  return [...normalize(sentence).matchAll(LIMIT)].flatMap(([, word]) => {
    const count = COUNTS[word!];
    return count === undefined || count <= 1 ? [] : [count];
  });
}

/** Days by which something must be done, in each language. */
export function deadlinesIn(sentence: string): (readonly string[])[] {
  return [...normalize(sentence).matchAll(DEADLINE)].flatMap(([, word]) =>
    WEEKDAYS.filter((names) => names.includes(word!)),
  );
}

/** How long a `wait` node waits. Null if a run computes it, or if it waits for a time. */
export function waitOf(node: { with?: unknown }): number | null {
  const { ms } = Object(node.with) as { ms?: unknown };
  if (typeof ms === "number") return ms;
  const written = /^(?:\$\{\s*duration\(\s*["'])?((?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)(?:["']\s*\)\s*\})?$/.exec(
    String(ms),
  );
  if (written === null) return null;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  return [...written[1]!.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
    0,
  );
}
