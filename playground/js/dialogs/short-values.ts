/** Values of steps and calls as names and values, instead of JSON. */
import { isRecord } from "../../../wasm/js/records.js";
import { h, type Child } from "./dom.js";

/** One line. Fields that are null are left out. */
export function valueText(value: unknown): string {
  if (value === undefined) return "";
  if (!isRecord(value)) return innerText(value);
  return Object.entries(value)
    .filter(([, one]) => one !== null && one !== undefined)
    .map(([name, one]) => `${name}: ${innerText(one)}`)
    .join(", ");
}

function innerText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? innerText(value[0]) : `[${value.map(innerText).join(", ")}]`;
  return isRecord(value) ? `(${valueText(value)})` : String(value);
}

/** Leaves nothing out, because a user approves it. */
export function valueList(value: unknown): Child {
  if (!isRecord(value)) return value !== undefined && value !== null && h("p", { class: "answer" }, fullText(value));
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    h(
      "ul",
      { class: "values" },
      entries.map(([name, one]) => h("li", {}, h("code", {}, fullText(name)), ` = ${fullText(one)}`)),
    )
  );
}

function fullText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  // They are invisible, or change the order of what you read. The page's `is_hidden` has the same list.
  return text.replace(
    /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\u{e0000}-\u{e007f}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  );
}
