/**
 * Splits a request into demands.
 *
 * `Intl.Segmenter` cuts after "Dr." and differs between browsers. Here a sentence sign ends one only before a space or
 * the end, which keeps addresses whole. Abbreviations need a list.
 */
import { normalize } from "./demo-data.js";

const ABBREVIATION =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|approx|dept|inc|ltd|fig|sr|sra|srta|dra|ud|uds|p|ej|aprox|pág|núm|art|\p{Lu})\.$/iu;
const JOINS =
  /,?\s(?:and then|then|and also|and|y luego|luego|después|y también|y)\s|,\s(?=(?:but|otherwise|wait|ask|get|pero|si no|de lo contrario|espera|esperar|pide|pídeme|consulta|previa|previo)\s)/iu;
/** The rest of such a sentence depends on it, so it stays whole up to "otherwise". */
const OPENS_CONDITION = /^[\s,¿¡-]*(?:if|unless|when|whenever|once|in case|si|cuando|en caso|a menos|siempre que)\s/iu;
const ALTERNATIVES = /,\s(?=(?:but|otherwise|pero|si no|de lo contrario)\s)/iu;
const PERSON =
  "(?:i|we|me|us|my|our|human|person|people|someone|somebody|boss|manager|supervisor|colleague|owner|jef[ae]|alguien|persona|humano|responsable|encargad[oa])";
const APPROVAL = new RegExp(
  [
    String.raw`\b(?:my|our|your|an?|the|human|boss'?s?|manager'?s?) (?:explicit |written |prior )?(?:approval|ok|okay|permission|confirmation|consent|agreement|sign-?off|go-?ahead|green light|authori[sz]ation|blessing)\b`,
    String.raw`\bask (?:me|us|for (?:an? |my |our |human )?(?:approval|permission|confirmation|consent))\b`,
    String.raw`\bask (?:\w+ ){1,3}(?:first|before\b)`,
    String.raw`\b${PERSON} (?:\w+ ){0,2}(?:approv(?:e|es|ed|al)|confirm(?:s|ed)?|agree[sd]?|ok|okay|consent(?:s|ed)?|authori[sz]e[sd]?|sign(?:s|ed)? (?:\w+ )?off|accept(?:s|ed)?|sa(?:y|ys|id) (?:yes|so|ok|okay)|give[sn]? (?:the|my|an?) (?:ok|okay|go))\b`,
    String.raw`\b(?:after|once|until|till|unless|before|only if|when|if) (?:\w+ ){0,2}${PERSON} (?:\w+ ){0,2}(?:review\w*|check\w*|look\w*|seen?|decide[sd]?)\b`,
    String.raw`\b(?:check|confirm|verify|clear|consult|run) (?:it |this |that |them )?(?:with|by|past) (?:me|us|my|our|an?|the|some\w+)\b`,
    String.raw`\bonly (?:after|with|if) .*\b(?:approv\w+|agree)\b|\b(?:approved|reviewed|confirmed|signed off) by\b`,
    String.raw`\blet (?:me|us|my \w+|an? \w+) (?:approve|confirm|check|decide|review|see|look)\b|\bshow (?:it |this |them )?(?:to )?me (?:first|before)`,
    String.raw`\bwithout (?:asking|consulting|checking|my|our)\b|\b(?:needs?|requires?|await|wait for) (?:\w+ )?(?:approval|confirmation|permission|consent|sign-?off)\b`,
    String.raw`\b(?:mi|tu|su|una|la|nuestra|previa) (?:aprobacion|permiso|confirmacion|autorizacion|conformidad|visto bueno)\b|\b(?:aprobacion|autorizacion) (?:mia|previa|humana|de)\b|\bvisto bueno\b`,
    String.raw`\b(?:apruebe|apruebo|apruebes|aprueben|confirme|confirmo|confirmes|confirmen|autorice|autorizo|autorices|autoricen)\b|\b(?:preguntame|consultame|(?:pideme|pedirme|pidame) (?:permiso|confirmacion)|consult\w+ conmigo)\b`,
    String.raw`\bsin (?:mi|preguntarme|consultarme|avisarme|pedirme)\b|\bdigo que si\b|\b(?:lo|la) (?:revise|revisa|vea) ${PERSON}\b|\b${PERSON} (?:lo |la |los |las )?(?:revise|revisa|apruebe|aprueba|acepte|acepta)\b`,
  ].join("|"),
);

/** Omits the ends. */
export function clauses(text: string): string[] {
  return sentences(text)
    .flatMap((sentence) => sentence.split(OPENS_CONDITION.test(sentence) ? ALTERNATIVES : JOINS))
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

/** Leaves the conditions that are not the approval itself, without accents. */
export function withoutApproval(clause: string): string {
  const low = normalize(clause);
  const { index = 0, 0: found = "" } = APPROVAL.exec(low) ?? {};
  const before = low
    .slice(0, index)
    .replace(/\b(?:if|when|once|unless|until|si|cuando|hasta que) (?:\p{L}+ ){0,3}$/u, "");
  return `${before} ${low.slice(index + found.length)}`;
}
