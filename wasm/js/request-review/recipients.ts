/** Compares who should receive something by a request with who receives it in a plan. */
import { normalize } from "./normalize.js";
import { PLACES } from "./places.js";

/** Names of one recipient in both languages. */
const SAME: readonly (readonly string[])[] = [
  ["shipping", "shipping team", "envios", "logistica", "logistics"],
  ["accounting", "accounts", "contabilidad", "finance", "finanzas"],
  ["engineering", "engineers", "developers", "ingenieria", "desarrollo"],
  ["support", "soporte", "helpdesk", "atencion"],
  ["customer", "customers", "client", "clients", "cliente", "clienta", "clientes"],
  ["boss", "manager", "supervisor", "supervisora", "jefe", "jefa", "encargado", "encargada", "responsable", "gerente"],
  ["team", "equipo"],
  ["sales", "ventas"],
  ["marketing", "mercadotecnia"],
  ["legal", "juridico"],
  ["management", "direccion"],
  ["warehouse", "almacen"],
  ["owner", "propietaria", "propietario", "duena", "dueno"],
  ["colleague", "colleagues", "companera", "companero"],
];
const KNOWN = new Set(SAME.flat());
/** A plan may find out who that is. */
const IS_FOUND = new Set([...SAME[4]!, ...SAME[5]!, ...SAME[12]!, ...SAME[13]!]);

const TITLE = "@?(?:dr|dra|mr|mrs|ms|prof|sr|sra|srta)\\.? ";
const DET =
  "(?:l[oa]s de|la gente de|the|our|my|your|his|its|an?|el|la|los|las|mi|su|un|una|nuestr[oa]s?|departamento de|department of|equipo de|team of)";
const WHO = `(?:${DET} )*(?:${TITLE})?([a-z@][a-z'-]*)`;
const TELLING =
  "(?:tell|notify|inform|message|e-?mail|alert|warn|remind|thank|congratulate|greet|invite|apologi[sz]e to|text)";
const SENDING = "(?:send|sends|forward|mail|write|give|report|reply|pass)";
const THANKING_ES =
  "(?:(?:da|dad|dar|des|den|dan)(?:les?|se)?(?: las| muchas| mil)?|de(?:les?|se)? (?:las|muchas|mil)) gracias";
const TELLING_ES =
  `(?:${THANKING_ES}|` +
  "avis\\w+|hag?\\w* saber|haz(?:le)? saber|di|dile\\w*|diselo|digale\\w*|inform\\w+|notifi\\w+|cuent\\w+|mand\\w+|envi\\w+|comunic\\w+|escrib\\w+|recuerd\\w+|pid[ae]\\w*|reenvi\\w+|agrade\\w+|felicit\\w+)";

/** The word after these is always someone. After the others only names and known words are. */
const SURE = [
  new RegExp(`\\b${TELLING} ${WHO}`, "gu"),
  new RegExp(`\\bask ${WHO} (?:to|for|about)\\b`, "gu"),
  new RegExp(`\\blet ${WHO} know\\b`, "gu"),
  new RegExp(`\\b${TELLING_ES} a(?:l)? ${WHO}`, "gu"),
];
const REACHING = [
  new RegExp(`\\b(?:write|reply|reach out) (?:back )?to ${WHO}`, "gu"),
  new RegExp(`\\b(?:contact|ping) ${WHO}`, "gu"),
  new RegExp(`\\bcontact[ae]\\w* (?:con|al?) ${WHO}`, "gu"),
];
const LIKELY = [
  ...REACHING,
  new RegExp(`\\b${SENDING} ${WHO}(?= (?:${DET}|this|that|it|one|two|all|another)\\b|$)`, "gu"),
  new RegExp(`\\b${SENDING}\\b.*?\\b(?:to|with) ${WHO}`, "gu"),
  new RegExp(`\\b${TELLING_ES}\\b.*?\\b(?:al?|para) ${WHO}`, "gu"),
];
/** A ticket, which belongs to someone. */
const TICKET = [
  new RegExp(`\\b(?:ticket|issue|case)s?\\b.*?\\b(?:for|to|with) ${WHO}`, "gu"),
  new RegExp(`\\b(?:ticket|incidencia)s?\\b.*?\\b(?:para|a|de) ${WHO}`, "gu"),
  /\b(?:open|create|file|abr\w+|cre\w+)\b(?: [a-z]+){0,3} ([a-z]+) tickets?\b/gu,
];
const NOBODY = new Set(
  (
    "me us him her them it you this that these those everyone everybody anyone anybody someone somebody nobody no each all every " +
    "any about when what how whether if by nosotros ella el ellos ellas usted todos todas alguien nadie cada quien que lo"
  ).split(" "),
);
const CITIES = new Set(PLACES.flatMap((city) => city.map(normalize)));

/** Another recipient after one. */
const MORE = new RegExp(`(?:, (?:and |or |y |e |o )?| (?:and|or|y|e|o) )(?:to |al? |para )?${WHO}`, "uy");

/** In the words of the sentence, normalized. Names of unknown people are found by their capital letter. */
export function recipientsIn(sentence: string): string[] {
  const marked = withCapitals(sentence);
  return people([...wordsAfter(SURE, marked), ...someoneAfter([...LIKELY, ...TICKET], marked)]);
}

/** Whether it asks to tell somebody whom it names. */
export function tellsSomeone(sentence: string): boolean {
  return people(someoneAfter([...SURE, ...REACHING], withCapitals(sentence))).length > 0;
}

/** Whether it begins with a name or a team. */
export function startsWithSomeone(text: string): boolean {
  const [hit, who] = new RegExp(`^ ${WHO}`, "u").exec(withCapitals(` ${text}`)) ?? [];
  return hit !== undefined && people([who!].filter(isSomeone)).length > 0;
}

/** "@" marks a capital letter, which normalizing drops. */
function withCapitals(sentence: string): string {
  const marked = sentence.replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, " ").replace(/(?<=\s)\p{Lu}(?=\p{Ll}{2,})/gu, "@$&");
  return (/^\s/.test(marked) ? " " : "") + normalize(marked).replaceAll("’", "'");
}

const isSomeone = (word: string) => KNOWN.has(plain(word)) || (word.startsWith("@") && !CITIES.has(plain(word)));

function wordsAfter(patterns: readonly RegExp[], marked: string): string[] {
  return patterns.flatMap((one) =>
    [...marked.matchAll(one)].flatMap((hit) => [
      hit[1]!.replace(/'s$/, ""),
      ...listedAfter(marked, hit.index + hit[0].length).filter(isSomeone),
    ]),
  );
}

function someoneAfter(patterns: readonly RegExp[], marked: string): string[] {
  return wordsAfter(patterns, marked).filter(isSomeone);
}

function people(words: readonly string[]): string[] {
  return [...new Set(words.map(plain))].filter((word) => word.length > 2 && !NOBODY.has(word) && !CITIES.has(word));
}

function listedAfter(text: string, start: number): string[] {
  const found: string[] = [];
  MORE.lastIndex = start;
  for (let hit = MORE.exec(text); hit !== null; hit = MORE.exec(text)) found.push(hit[1]!);
  return found;
}

const plain = (word: string) => word.replaceAll("@", "");

const FIELD =
  /^(?:to|recipients?|team|channel|user|email|user_email|address|assignee|phone|number|destinatari\w*|para|equipo|customer|cc|bcc)$/i;

/** The fields of an input that say who receives it. Null if its fields have other names. */
export function receiverFields(input: unknown): unknown[] | null {
  if (typeof input !== "object" || input === null) return null;
  const fields = Object.entries(input).filter(([key]) => FIELD.test(key));
  return fields.length === 0 ? null : fields.map(([, value]) => value);
}

/** Whether the text, normalized, names this recipient. A reference may lead to someone whom the plan looks up. */
export function isReceivedBy(text: string, recipient: string): boolean {
  const names = SAME.find((all) => all.includes(recipient)) ?? [recipient];
  return (
    names.some((name) => new RegExp(`(?<!\\p{L})${escaped(name)}(?!\\p{L})`, "u").test(text)) ||
    (IS_FOUND.has(recipient) && text.includes("${"))
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
