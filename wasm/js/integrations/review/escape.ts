/**
 * Escapes texts for Markdown comments. A stranger's plan must not mention people, load images, add links, close a
 * section or hide parts that a reviewer has to see.
 */
import { revealHiddenLine } from "../../terminal/reveal-hidden.js";

/** A colon means nothing before a space. */
const SPECIAL = /[!#$%&*+:<>@[\\\]^_`{|}~]/g;
const ENDS_CODE = /[`|]/;

export function code(text: string): string {
  const line = oneLine(text);
  if (line === "") return "(empty)";
  return ENDS_CODE.test(line) ? `<code>${entities(line)}</code>` : `\`${line}\``;
}

/** Messages have names and values in backticks. */
export function prose(message: string): string {
  const parts = message.split("`");
  // A value with backticks hides its end.
  if (parts.length % 2 === 0) return code(message);
  return parts.map((part, at) => (at % 2 === 1 ? code(part) : entities(oneLine(part)))).join("");
}

/** A message has several parts, so spaces at the ends stay. */
function oneLine(text: string): string {
  return revealHiddenLine(text).replace(/\s+/g, " ");
}

/** A zero-width space after `@` prevents mentions. */
function entities(line: string): string {
  return line
    .replace(SPECIAL, (character, at: number) => {
      if (character === ":" && line[at + 1] === " ") return character;
      return `&#${character.charCodeAt(0)};${character === "@" ? "&#8203;" : ""}`;
    })
    .replace(/www\./gi, (start) => `${start.slice(0, 3)}&#46;`);
}

export function clip(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}
