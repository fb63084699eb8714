/** Gives parts of a list the verb of the sentence before: "Tell Marta and Luis", "Refund A-1003 and A-1007". */
import { readSigns } from "./demand-signs.js";
import { normalize } from "./normalize.js";
import { startsWithSomeone } from "./recipients.js";

const ID = /^(?:(?:the |el |la )?(?:order|file|ticket|pedido|archivo|fichero)s? )?(?:[A-Z]+-\d|[\w/-]+\.\w{2,4}\b)/iu;
const EMAIL = /^[\w.+-]+@[\w-]+\.\w/u;
/** Also without its own joint: "Tell Marta. Luis, too." */
const ALSO = /^\S+(?: \S+)?,? (?:too|also|as well|tambi[eé]n)$/iu;
const AMOUNT = /^(?:[€$£] ?)?\d/u;

/** The texts as they are to be read, each with a verb if the request gives it one. */
export function withVerbs(request: string, texts: readonly string[]): string[] {
  const read: string[] = [];
  let end = 0;
  for (const text of texts) {
    const start = Math.max(end, request.indexOf(text, end));
    const isList = read.length > 0 && (ALSO.test(text) || !/[.?!;\n]/.test(request.slice(end, start)));
    end = start + text.length;
    read.push((isList ? continued(read.at(-1)!, text) : null) ?? text);
  }
  return read;
}

function continued(before: string, text: string): string | null {
  const [signs, own] = [readSigns(before), readSigns(text)];
  if (signs === null || own === null) return null;
  const ban = before.search(/\b(?:no|ning[uú]n\p{L}*) /iu);
  if (signs.forbidden !== null && ban > 0 && /^(?:no|ning[uú]n\p{L}*) /iu.test(text))
    return before.slice(0, ban) + text;
  if (signs.actions.length === 0 || signs.approval) return null;
  if (own.approval || own.actions.length + own.looks.length > 0 || own.thought || own.wait || own.condition)
    return null;
  const { values } = signs;
  const at = EMAIL.test(text)
    ? [...values.emails, ...values.recipients]
    : ID.test(text)
      ? values.ids
      : AMOUNT.test(text)
        ? [...values.numbers.map(String), ...values.ids]
        : startsWithSomeone(text)
          ? [...values.recipients, ...values.emails]
          : [];
  const low = normalize(before);
  const starts = at.map((value) => low.indexOf(normalize(value))).filter((index) => index > 0);
  // Composed letters keep the length, so the index holds.
  return starts.length === 0 ? null : `${before.normalize("NFC").slice(0, Math.min(...starts))}${text}`;
}
