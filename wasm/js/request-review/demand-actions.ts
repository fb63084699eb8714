/**
 * Actions that only a tool can do, by the words of requests and of tools.
 *
 * A sentence that asks for one is met only by a node whose tool has such a word in its name or description.
 */
import { normalize } from "./normalize.js";

/** `any`: whatever changes something. */
export type Action =
  | "send"
  | "delete"
  | "pay"
  | "ticket"
  | "save"
  | "cancel"
  | "publish"
  | "buy"
  | "phone"
  | "print"
  | "move"
  | "convert"
  | "any";

export interface ToolText {
  name: string;
  description?: string | undefined;
  annotations?: { readOnlyHint?: boolean | undefined } | undefined;
}

/** Of a request, then of a tool. Both are without accents. */
const WORDS: Readonly<Record<Exclude<Action, "any">, readonly [RegExp, RegExp]>> = {
  send: [
    /\b(?!\w+me\b)(?:send|sends|sending|e-?mail(?:s|ing)?|notif[iy]\w*|tell|telling|inform(?:s|ing)?|forward\w*|reply|replying|let (?!me\b|us\b)(?:\w+ ){1,3}know|(?<!\b(?:the|an?|my|his|her|their|last|each|every|this|that|no|any|by|new) )mail(?:s|ing)?|envi(?:a|e|ar|es|en)\w{0,3}|mand(?:a|e|ar|es|en)\w{0,3}|avis(?:a|e|ar|es|en)\w{0,3}|notifi[cq]\w+|dile\w*|di al?\b|digas|diga|comuni[cq]\w+|informa(?!cion)\w*|reenvi\w+|cuent[ae](?:les?|sel[ao]s?)|di(?:selo|sela)|digasel[ao]|pas[ae]sel[ao])\b(?! me\b)|^message\b|(?<!\b(?:belong|belongs|belonged|pertenece|pertenecen) )\b(?:to|a) [\w.+-]+@[\w-]+\.\w/,
    /send|mail|messag|notif|sms|\bfax\b|tell|chat|post|envi|mensaj|correo|avis/,
  ],
  delete: [
    /\b(?:delet\w+|remov\w+|eras\w+|purg\w+|wip(?:e|ing)|borr(?!ador)\w+|elimin\w+|suprim\w+)\b/,
    /delet|remov|eras|purg|wipe|\bdrop|borra|elimin/,
  ],
  pay: [
    /\b(?:refund\w*|reimburs\w+|pay|pays|paying|charg(?:e|es|ing)|money back|reembols\w+|devuelv\w* (?:el|su) dinero|pag(?:a|ar|ue|ues|uen|alo)|cobr\w+)\b/,
    /refund|reimburs|\bpay|charge|reembols|\bpag(?:o|os|a|ar|ue)\b/,
  ],
  ticket: [
    /(?<!\b(?:the|all|any|every|my|our|their|of|these|those|still) )\b(?:open|opening|creat(?:e|ing)|fil(?:e|ing)|rais(?:e|ing)|log|logging|abr\w+|cre(?:a|e|ar|es))\b.*\b(?:tickets?|issues?|cases?|incidencias?)\b/,
    /(?:creat|open|add|new|file|rais|log).*(?:ticket|issue|case)|(?:cre|abr).*(?:ticket|incidencia)/,
  ],
  save: [
    /\b(?:sav(?:e|es|ing)|stor(?:e|es|ing)|append\w*|guard(?:a|e|ar|es|en)\w*|anot\w+|almacen\w+)\b|\b(?:writ(?:e|es|ing)|put|not(?:e|ing)|summari[sz]e\w*|resum(?:e|en|ir|as)\w*|escrib\w+)\b.*\b(?:to|into|in|down|en) \S*(?:\/|\.\w{2,4}|\$\{path)/,
    /writ|save|stor|append|creat\w* (?:a )?file|put|guard|escrib/,
  ],
  cancel: [/\b(?:cancel\w*|anul\w+)\b/, /cancel|anul/],
  publish: [
    /\b(?:publish\w*|upload\w*|deploy\w*|tweet\w*|share|push|post|posts|posting|sub(?:e|ir|as|elo|ela)|public(?:a|ar|ues|alo|ala)|despleg\w+|desplieg\w+|compart\w+)\b/,
    /publish|upload|deploy|tweet|share|push|post|subir|publicar|desplegar/,
  ],
  buy: [
    /\b(?:book (?:a|an|the|me)|buy (?:a|an|the|me|it)|purchas(?:e|ing)|reserve|(?<!\b(?:la|una|su|tu|mi|de|esta|esa) )(?:reserv|compr)(?:a|ar|es)) ?\b/,
    /book|buy|purchas|reserv|checkout|compra/,
  ],
  phone: [
    /\b(?:phone|telephone|ring|call (?!it\b|the\b)\w+|llam(?:a|ar|ale|es)|telefon\w+)\b/,
    /phone|\bcall\b|dial|telefon|llama/,
  ],
  print: [/\b(?:print(?:s|ing)?|imprim\w+)\b/, /print|imprim/],
  convert: [
    /\b(?:convert\w*|conviert\w+)\b|\b(?:in|into|en|a) (?:us |american )?(?:dollars|euros|pounds|pesos|dolares|libras|usd|eur|gbp|mxn)\b/,
    /\brates?\b|exchang|convert|currenc|cambio|divisa/,
  ],
  move: [
    /\b(?:mov(?:e|ing)|renam(?:e|ing)|(?<!\b(?:a|the|one) )copy|copying|muev\w+(?! un dedo)|mover|renombr\w+|(?<!\b(?:una|la|otra|de) )copi(?:a|ar|es))\b/,
    /move|renam|copy|mover|copiar/,
  ],
};
/** "Nothing may be sent" means sending. */
const PASSIVE: readonly (readonly [RegExp, string])[] = [
  [/\bsent\b/g, "send"],
  [/\btold\b/g, "tell"],
  [/\bpaid\b/g, "pay"],
  [/\b(e-?mail|inform|open)ed\b/g, "$1"],
  [/\b(sav|stor|creat|fil|charg)ed\b/g, "$1e"],
];
/** In a prohibition, contact means a message. */
const DENIED: readonly (readonly [RegExp, string])[] = [
  ...PASSIVE,
  [/\b(?:message|contact|ping|text|write to|reach out to|escrib\w+ a|contact\w+)\b/g, "send"],
  [
    /\b(?:writ\w+|mak(?:e|ing)|creat\w+|escrib\w+|cre[ae]\w*|hag\w+)(?= (?:\w+ ){0,3}(?:files?|notes?|archivos?|ficheros?|notas?)\b)/g,
    "save",
  ],
];
/** What tools may do without changing anything. */
const READS: ReadonlySet<Action> = new Set(["convert"]);
const ANY =
  /\b(?:alone|untouched|unchanged|as (?:is|it is|they are)|como esta\w*|chang\w+|modif\w+|touch\w*|alter\w*|edit\w*|cambi\w+|toqu\w+|toc(?:a|ar))\b/;

/** `text` is normalized. Passive verbs count. */
export function forbiddenIn(text: string): Action[] {
  return actionsIn(DENIED.reduce((active, [passive, verb]) => active.replace(passive, verb), text));
}

/** `text` is normalized. */
export function actionsIn(text: string): Action[] {
  const found = (Object.keys(WORDS) as (keyof typeof WORDS)[]).filter((action) => WORDS[action][0].test(text));
  return ANY.test(text) ? [...found, "any"] : found;
}

export function canDo(tool: ToolText, action: Action): boolean {
  if (tool.annotations?.readOnlyHint === true && !READS.has(action)) return false;
  if (action === "any") return true;
  const name = tool.name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_.-]/g, " ");
  // Only the first sentence says what it does. Later ones give limits.
  const about = /^.*?\.(?=\s|$)|^.*$/s.exec(tool.description ?? "")![0];
  return WORDS[action][1].test(normalize(`${name} ${about}`));
}

/** Words without their endings. */
export function stems(text: string): string[] {
  return normalize(text)
    .split(/[^a-z\d]+/)
    .filter((word) => word.length > 2)
    .map((word) => word.slice(0, 4));
}
