/** Text on a terminal. Linear in the visible part. */

/** One column per character: Latin, and symbols of the command. */
const PLAIN =
  /^[\x20-\x7e\xa1-\xac\xae-\u024f\u2013\u2026\u2192\u2713\u2717\u25a0\u25b8\u25b9\u00d7\u00b7\u2800-\u28ff]*$/;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\u200B-\u200F\u2060\uFE00-\uFE0F\uFEFF]*$/u;
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u;
/** Created on first use: that takes longer than most runs. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Intl.Segments {
  return (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text);
}

/** Expects no control characters (see {@link visible}). */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemesOf(text)) columns += graphemeWidth(segment);
  return columns;
}

function graphemeWidth(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) || grapheme.includes("\uFE0F") ? 2 : 1;
}

export function clip(text: string, columns: number): string {
  if (columns <= 0) return "";
  if (columns === Infinity) return text;
  const start = text.length > columns * 16 ? text.slice(0, columns * 16) : text;
  if (start === text && width(text) <= columns) return text;
  if (PLAIN.test(start)) return `${start.slice(0, columns - 1)}…`;
  let shown = "";
  let used = 0;
  for (const { segment } of graphemesOf(start)) {
    used += graphemeWidth(segment);
    if (used > columns - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}

export function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - width(text)));
}

/**
 * Replaces control characters by pictures, so that text of tools and models can't move the cursor or imitate output.
 */
export function visible(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g, controlPicture);
}

/** Like {@link visible}, but keeps line breaks and tabs. */
export function visibleLines(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join("");
}

function controlPicture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : "�";
}

/** A longer word gets its own line. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  if (line !== "") lines.push(line);
  return lines;
}

/** Lists and maps in one another. The second leaves room on the stack. */
const [BRIEF_DEPTH, MAX_DEPTH] = [16, 500];

/** Stops soon after `limit` characters, however large the value. `Infinity` cuts nothing. */
export function briefJson(value: unknown, limit: number): string {
  const deepest = limit === Infinity ? MAX_DEPTH : BRIEF_DEPTH;
  let written = "";
  const write = (part: string) => {
    written += part;
    return written.length <= limit;
  };
  const walk = (item: unknown, depth: number): boolean => {
    if (typeof item === "string") return write(JSON.stringify(item.length > limit ? item.slice(0, limit + 1) : item));
    if (typeof item !== "object" || item === null) return write(scalar(item));
    if (depth > deepest) return write("…");
    return Array.isArray(item) ? walkList(item, depth) : walkMap(item as Record<string, unknown>, depth);
  };
  const walkList = (items: unknown[], depth: number): boolean => {
    const inside = write("[") && items.every((item, index) => (index === 0 || write(", ")) && walk(item, depth + 1));
    return inside && write("]");
  };
  const walkMap = (map: Record<string, unknown>, depth: number): boolean => {
    if (!write("{")) return false;
    let first = true;
    for (const key in map) {
      if (!Object.hasOwn(map, key)) continue;
      if (!((first || write(", ")) && write(`${JSON.stringify(clip(key, limit))}: `) && walk(map[key], depth + 1)))
        return false;
      first = false;
    }
    return write("}");
  };
  walk(value, 0);
  return clip(visible(written), limit);
}

function scalar(value: unknown): string {
  if (typeof value === "function") return "(function)";
  return String(value ?? null);
}

export function formatDuration(ms: number): string {
  if (ms < 100) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${ms.toFixed(0)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}

export function pluralize(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Four digits after the point, six for small sums. Never shows a sum as 0. */
export function formatUsd(usd: number, round: (number: number) => number = Math.round): string {
  if (usd === 0) return "0";
  const digits = usd < 0.01 ? 6 : 4;
  const shown = round(usd * 10 ** digits - (round === Math.ceil ? 1e-6 : 0)) / 10 ** digits;
  return shown === 0 ? "< 0.000001" : shown.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, "$1");
}
