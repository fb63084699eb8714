/**
 * Escapes text of plans for Markdown comments.
 *
 * A plan may come from a stranger. Its text must not mention people, load images, add links, close a section or hide
 * what a reviewer has to see.
 */
import { revealHiddenLine } from "../../terminal/reveal-hidden.js";

/** ASCII characters that mean something in Markdown or HTML. A colon before a space means nothing. */
const SPECIAL = /[!#$%&*+:<>@[\\\]^_`{|}~]/g;
/** They end a code span or a cell of a table. */
const ENDS_CODE = /[`|]/;

/** Returns a name, or a value of a plan, as code. */
export function code(text: string): string {
  const line = oneLine(text);
  if (line === "") return "(empty)";
  return ENDS_CODE.test(line) ? `<code>${entities(line)}</code>` : `\`${line}\``;
}

/** Returns a message of the engine as Markdown: it has names and values in backticks. */
export function prose(message: string): string {
  const parts = message.split("`");
  // A value with backticks of its own: nobody can tell where it ends.
  if (parts.length % 2 === 0) return code(message);
  return parts.map((part, at) => (at % 2 === 1 ? code(part) : entities(oneLine(part)))).join("");
}

/** Spaces at the ends stay, because a message is put together from parts. */
function oneLine(text: string): string {
  return revealHiddenLine(text).replace(/\s+/g, " ");
}

/** A zero-width space after `@` prevents mentions outside of code. */
function entities(line: string): string {
  return line
    .replace(SPECIAL, (character, at: number) => {
      if (character === ":" && line[at + 1] === " ") return character;
      return `&#${character.charCodeAt(0)};${character === "@" ? "&#8203;" : ""}`;
    })
    .replace(/www\./gi, (start) => `${start.slice(0, 3)}&#46;`);
}

/** Returns at most `max` characters. */
export function clip(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}
