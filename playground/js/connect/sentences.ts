/**
 * Splits a request into demands.
 *
 * `Intl.Segmenter` cuts after "Dr." and differs between browsers. Here a sentence ends only before a space or the end,
 * which keeps addresses whole. Abbreviations need a list.
 */
import { normalize } from "./demo-data.js";

const ABBREVIATION =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|approx|dept|inc|ltd|fig|sr|sra|srta|dra|ud|uds|p|ej|aprox|pág|núm|art|\p{Lu})\.$/iu;
const JOINS =
  /,?\s(?:and then|then|and also|and|y luego|luego|después|y también|y)\s|,\s(?=(?:wait|ask|get|espera|esperar|pide|pídeme|consulta)\s)/iu;
const APPROVAL =
  /\b(my|our|your|an|the|human|manager'?s?) (approval|ok|okay|permission|confirmation|sign-?off)\b|\bask (me|for approval|for permission)\b|\b(i|we|someone|a person|my manager) (have |has )?(approve[sd]?|confirm(s|ed)?|agree[sd]?|ok)\b|\bonly (after|with|if) .*\b(approv\w+|agree)\b|\blet me (approve|confirm|check)\b|\b(mi|tu|su|una|la) (aprobacion|permiso|confirmacion|visto bueno)\b|\b(yo )?(apruebe|confirme|autorice)\b|\b(preguntame|consultame|pideme permiso)\b/;

/** Omits the ends. */
export function clauses(text: string): string[] {
  return sentences(text)
    .flatMap((sentence) => sentence.split(JOINS))
    .map((one) => one.replace(/^[\s,¿¡-]+|[\s,.;?!]+$/gu, ""))
    .filter((one) => one.length > 3);
}

export function sentences(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (const { 0: sign, index } of text.matchAll(/[.?!…]+["»”)]?(?=\s|$)|[;\n]/gu)) {
    const end = index + sign.length;
    if (sign === "." && ABBREVIATION.test(text.slice(start, end))) continue;
    found.push(text.slice(start, end).trim());
    start = end;
  }
  return [...found, text.slice(start).trim()].filter((one) => one !== "");
}

/** Whether a person must agree first. */
export function asksApproval(clause: string): boolean {
  return APPROVAL.test(normalize(clause));
}
