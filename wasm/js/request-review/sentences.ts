/**
 * Splits a request into demands.
 *
 * `Intl.Segmenter` cuts after "Dr." and differs between browsers. Here a sentence ends only before a space or the end,
 * which keeps addresses whole. Abbreviations need a list.
 */

const ABBREVIATION =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|approx|dept|inc|ltd|fig|sr|sra|srta|dra|ud|uds|p|ej|aprox|pág|núm|art|\p{Lu})\.$/iu;
const JOINS =
  /,?\s(?:and then|then|and also|and(?! (?:of|from)\s)|y luego|luego|después(?! de\s| que\s)|y también|y(?! del?\s)),?\s|,\s(?=(?:but|otherwise|wait|ask|get|pero|si no|de lo contrario|espera|esperar|pide|pídeme|consulta|previa|previo)\s)/iu;
/** The rest of such a sentence depends on it, so it stays whole up to "otherwise". */
const OPENS_CONDITION = /^[\s,¿¡-]*(?:if|unless|when|whenever|once|in case|si|cuando|en caso|a menos|siempre que)\s/iu;
const ALTERNATIVES = /,\s(?=(?:but|otherwise|pero|si no|de lo contrario)[\s,])/iu;
/** Longer sentences are not read, since the patterns take quadratic time. */
export const MAX_SENTENCE = 600;

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
