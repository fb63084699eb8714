/**
 * Reads what a sentence of a request asks of a plan: an approval, a condition, an action, and so on.
 *
 * Works by English and Spanish words. Invariant: a doubtful sentence asks for more, because a wrong demand shows red
 * and the user can dismiss it, while a missed one shows green.
 */
import { actionsIn, forbiddenIn, type Action, type ToolText } from "./demand-actions.js";
import { followsDone } from "./demand-order.js";
import { normalize } from "./normalize.js";
import { PLACES } from "./places.js";
import { deadlinesIn, durationsIn, limitsIn } from "./duration-words.js";
import { recipientsIn, tellsSomeone } from "./recipients.js";
import { asksApproval, hasOtherCondition } from "./approval-words.js";
import { clauses, MAX_SENTENCE } from "./sentences.js";

export interface Signs {
  approval: boolean;
  /** The approval concerns what the request says before, too. */
  approvalFirst: boolean;
  condition: boolean;
  /** At most, or at least, some amount. */
  limit: boolean;
  /** For each of several things. */
  each: boolean;
  /** Until something holds. */
  loop: boolean;
  /** At recurring times. */
  schedule: boolean;
  parallel: boolean;
  wait: boolean;
  /** It asks for an answer, and for no change. */
  question: boolean;
  actions: Action[];
  /** A text that only a model writes. */
  thought: boolean;
  /** Null without a prohibition, empty if nobody knows which action it means. */
  forbidden: Action[] | null;
  /** What it wants to read: something, a file of its own, or a list. */
  looks: Look[];
  /** If not null, a prohibition concerns only messages of this kind. */
  forbiddenChannel: string | null;
  /** After its prohibition, a sentence may ask for something. */
  isUnclearBan: boolean;
  /** "Never … unless": it happens only if something holds, or not at all. */
  isExcepted: boolean;
  /** If not empty, a prohibition concerns only these recipients. */
  forbiddenRecipients: string[];
  values: Values;
}

/** What a plan must contain. */
export interface Values {
  /** Order numbers and files, which tools need. */
  ids: string[];
  emails: string[];
  numbers: number[];
  /** Names and teams. Empty unless something is sent or opened for them. */
  recipients: string[];
  /** In both languages. */
  places: (readonly string[])[];
  deadlines: (readonly string[])[];
  /** Of a wait, in milliseconds. */
  durations: number[];
}

const QUESTION =
  /^(how|what|which|where (?=is|are|was|do|does|can|did)|who|why|is|are|was|does|do(?! not| n)|did|when (is|are|was|will|does|do|did|can)|como|que(?! (?:alguien|nadie|no|lo|la|los|las|yo|el|un|una|mi|su|sea)\b)|cual\w*|cuant\w*|donde|quien\w*|por que)\b/;
const NEGATION = new RegExp(
  [
    String.raw`(?<!\b(?:if|unless|when|why|si) (?:i|we|you|they|it) )\b(?:never|do ?(?:n[o']t|not) (?!forget|hesitate|fail|worry)|must ?n[o']?t|may not|should ?n[o']?t|(?:you|it|plan) can(?:'t|not| not)|nobody|no one|nothing|neither|avoid|refrain|forbidden|not allowed|under no|instead of|no more|skip|stay away|keep away)\b`,
    String.raw`\bwithout (?:any|ever|\w+ing|\w+ \w+ing)\b|\bnot (?:to|before|until|unless|even)\b|\bno (?:\w+ing|e-?mails?|messages?|mails?|refunds?|deletions?|changes?)\b|\b(?:make|be) sure (?:that )?(?:no|nothing|none)\b`,
    String.raw`\b(?:leave|keep)\b.*\b(?:alone|untouched|unchanged|as (?:is|it is|they are))\b`,
    String.raw`\b(?:nunca|jamas|nadie|nada de|tampoco|ningun\w*|prohib\w+|evita\w*|evite\w*|en vez de|en lugar de|ni)\b|\bsin (?:\w+(?:ar|er|ir)(?:l[aeo]s?|se|me|nos)?|ningun\w*|mensajes|correos)\b|\bdej(?:a|e|ar)\b.*\b(?:como esta\w*|en paz|sin)\b`,
    String.raw`(?:^|[,;] ?|\b(?:y|pero|que) )no (?!need\b|hace falta\b|es (?:necesario|preciso)\b|hay\b|es\b|esta\w*\b|sea\w*\b|tiene\w*\b|solo\b|se sabe\b|olvid|dud[ea]|se que\b|se si\b)`,
  ].join("|"),
);
const STYLE =
  /\b(?:be|use|using|exceed\w*|invent\w*|assum\w+|repeat\w*|sound|seas|sea|ser|uses|usar|pases|inventes|inventar|repitas|repetir|longer|more than|mas de)\b/;
const INDIRECT =
  /\b(?:check|see|know|find out|tell me|say|ask|verify|wonder|comprueba|mira|dime|di|averigua|saber) (?:if|whether|si)\b/;
const CONDITION =
  /\b(?:if|unless|in case|in the event|provided|assuming|only when|only for|only (?:the|those|in)|in (?:that|such a|this) case|given that|(?:should|were) (?:it|they|the)|whenever|wherever|where (?:needed|necessary)|as long as|as soon as|otherwise|depending on|when (?:it|they|he|she|the|there|this|that))\b|^(?:when|once|should|else|were|where)\b|\bonly$/;
/** Keeps accents, which tell "si" from "sí". */
const CONDITION_ES =
  /(?:^|[\s,;])(?:si|a menos que|en (?:el )?caso de|salvo (?:que|si)|siempre que|siempre y cuando|cuando|en cuanto|de lo contrario|de no ser|a no ser|en (?:tal|ese) caso|en caso contrario|según|dependiendo|sol[oa] (?:los|las|para))(?=[\s,])|^como \p{L}+a,/u;
/** A choice among the things that an action concerns. */
const RELATIVE =
  /\bonly (?!after|before|with)\w+|\b(?:over|above|under|below|(?:more|less|older|newer) than|mas de|menos de) \d|^(?:for|para) (?!me\b|each\b|every\b|all\b|tod[oa]s\b)[^,]{3,40},|\b(?:that|which|who) (?:is|are|was|were|has|have|had)\b|\bque (?:este|esten|sea|sean|haya|hayan|esta|estan|tenga|tengan)\b/;
const TEXT_UNITS =
  "(?:words?|sentences?|lines?|characters?|letters?|paragraphs?|points?|palabras?|frases?|lineas?|caracteres|parrafos?)";
/** An amount that only a condition can keep. The length of a text is the model's work. */
const LIMIT = new RegExp(
  `\\b(?:(?:never|no|not|nunca|jamas) (?:more|less|mas|menos) (?:than|de)|(?:never|no|not) (?:over|above|below)|at (?:most|least)|up to|como (?:maximo|minimo)|a lo sumo|(?:exceed|superar?)\\w*) \\D{0,4}\\d[\\d.,]*(?![\\d.,])(?! ?${TEXT_UNITS}| ?(?:times|veces|attempts|intentos)| ?(?:seconds|minutes|hours|days|segundos|minutos|horas|dias))`,
);
const UNITS = "(?:seconds?|minutes?|hours?|days?|weeks?|months?|segundos?|minutos?|horas?|dias?|semanas?|mes(?:es)?)";
const WEEKDAY =
  "(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|lunes|martes|miercoles|jueves|viernes|sabado|domingo)";
const MONTH =
  "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|enero|febrero|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\\w*";
const SCHEDULE = new RegExp(
  [
    `\\b(?:every|each|cada|todos los|todas las) (?:\\w+ )?(?:${UNITS}|${WEEKDAY}s?|morning|evening|night|noche|manana|tarde)\\b`,
    `\\b(?:once|twice|times|vez|veces) (?:a|per|al|a la|por) ${UNITS}\\b|\\b(?:on \\w+days|los (?:${WEEKDAY}s?)|a diario)\\b`,
    "\\b(?:hourly|daily|weekly|monthly|nightly|diariamente|semanalmente)$|^(?:hourly|daily|weekly|monthly|nightly)\\b(?! \\w+ly)",
  ].join("|"),
);
const EACH =
  /\b(?:each|every|everyone|everybody|cada|for all|to all|para tod[oa]s|a tod[oa]s|one by one|one after another|un[oa] por un[oa]|one \w+ per|^per \w+|for both|loop|iterate|go through|recorr\w+)\b/;
const LOOP =
  /\b(?:until|till|again|repeatedly|over and over|repeat\w*|retry|poll|keep \w+ing|times|hasta que|repit\w+|repet\w+|otra vez|de nuevo|reintent\w+|vuelv\w+ a|veces|sigue \w+ndo)\b/;
const PARALLEL =
  /^(?:the|my|our|all|an?) .*\bat once$|\b(?:at the same time|in parallel|simultaneously|concurrently|(?:both|all|them) at once|side by side|both together|meanwhile|while (?:that|this|it|you)|a la vez|en paralelo|al mismo tiempo|simultanea\w*|mientras)\b/;
const THOUGHT =
  /\b(?:summar\w+|sum up|compare|translat\w+|rewrite|improve|explain|recommend|advise|classify|resum\w+|compar\w+|tradu[cz]\w+|mejora\w*|expli\w+|recomiend\w+|redact\w+|clasifi\w+)\b/;
const WAIT = new RegExp(
  [
    `\\b(?:wait|pause|sleep|pausa)\\b|^espera\\w*\\b|\\bespera\\w* (?:(?:\\w+ ){0,2}${UNITS}|a que|hasta)\\b`,
    `\\b(?:in|after|for|hold|give|let|pass|pasar|dentro de|al cabo de|tras|durante)\\b (?:(?!last|past|ultim)\\w+ ){0,2}\\w+ ${UNITS}\\b|\\b(?:after|in) an? ${UNITS}\\b`,
    `\\ben (?:\\d+|una?|dos|tres|cuatro|cinco|diez|quince|veinte|treinta|media) ${UNITS}\\b`,
    `\\b${UNITS} (?:later|after|afterwards|from now|despues|mas tarde|pass)\\b`,
  ].join("|"),
);
/** A time at which something is to be done. Of something that is looked up it is only a date. */
const AT_TIME = new RegExp(
  [
    `\\b(?:tomorrow|tonight|this (?:evening|afternoon)|next (?:week|month|${WEEKDAY})|at (?:noon|midnight|\\d{1,2}(?::\\d\\d)?)|on ${WEEKDAY})\\b`,
    `\\b(?:a las? \\p{L}+|a las? \\d|esta (?:noche|tarde)|el (?:proximo )?${WEEKDAY})\\b|(?<!\\b(?:esta|la|cada) )\\bmanana\\b`,
    `\\b(?:on|el) (?:the )?\\d{1,2}(?:st|nd|rd|th)? (?:of |de )?${MONTH}\\b`,
  ].join("|"),
  "u",
);
const FIRST = /\b(?:first|before|beforehand|only|unless|without|antes|primero|previ[ao]|solo|sin)\b/;

/** Null if the sentence is too long to be read. */
export function readSigns(sentence: string): Signs | null {
  return sentence.length > MAX_SENTENCE ? null : signsOf(sentence);
}

/** "Send no fax": the verb of the prohibition stands before "no". "Tell Ana that no parcel came" forbids nothing. */
const DENIED_OBJECT = new RegExp(
  "(?:^|(?<=[,;:] ?)|(?<=\\b(?:and|but|or|then|also|please|y|pero|e|o|favor) ))" +
    "(?!(?:if|when|unless|there|whether|since|because|see|si|cuando|porque)\\b)([a-z-]+)(?: (?!(?:that|is|are|was|were|there|has|have|had|with|say|says|saying|if|when|que|hay|es|esta|con|si|of|de)\\b)[\\p{L}@.-]+){0,3}? " +
    "(?:(?:no|zero) (?!need|doubt|matter|later|more|less|longer|sooner|fewer|one\\b|mas|menos|later)|(?:neither|ningun\\w*) )(?=\\p{L})",
  "gu",
);

const VERBS = /^(?:make|do|give|use|write|create|open|add|haz|haga|hagas|da|de|des|usa|escrib\w+|cre[ae]s?|abr\w+)$/;

const CHANNEL = /\b(?:fax|sms)(?=(?:es)?\b)/;
const ANY_MESSAGE =
  /\b(?:messages?|e-?mails?|mails?|mensajes?|correos?|anything|anyone|anybody|nada|nadie|nobody|nothing)\b/;

/** "Send no fax, tell Ana" has two parts, "do not refund, delete or send it" has one. */
function asksAfterBan(denied: string): boolean {
  const [, ...more] = denied.split(/[,:]\s*/);
  return more.some((part) => actionsIn(part).length > 0) && !/\b(?:or|nor|ni|o|u|and|y)\b/.test(denied);
}

/** Where a prohibition begins. -1: nowhere. `low` is normalized. */
function negationAt(low: string): number {
  const found = NEGATION.exec(low)?.index ?? -1;
  for (const { 0: hit, 1: verb, index } of low.matchAll(DENIED_OBJECT)) {
    const [object] = low.slice(index + hit.length).split(/[,;]| and | y /);
    const isAction = forbiddenIn(`${verb} ${object}`).length > 0 || VERBS.test(verb!);
    if (isAction && (found < 0 || index < found || found < index + hit.length)) return index;
  }
  return found;
}

export function signsOf(sentence: string): Signs {
  const low = normalize(sentence).replaceAll("’", "'");
  const approval = asksApproval(sentence);
  const parts = splitAtNegation(low);
  const isExcepted = !approval && parts[1] !== null && EXCEPTED.test(parts[1]);
  const [wanted, denied] = isExcepted ? [low, null] : parts;
  const isQuestion = QUESTION.test(low);
  const continued = CONTINUES.test(low) ? recipientsIn(`${/\bto\b/.test(low) ? "Send" : "Manda"} ${sentence}`) : [];
  const named = isQuestion
    ? []
    : actionsIn(withoutOrders(approval ? low : wanted)).filter((action) => action !== "any");
  const tells = !approval && !isQuestion && tellsSomeone(isExcepted ? sentence : withoutProhibition(sentence));
  const actions: Action[] = (continued.length > 0 || tells) && !named.includes("send") ? [...named, "send"] : named;
  const isTimed = !isQuestion && (WAIT.test(low) || (actions.length > 0 && AT_TIME.test(low)));
  const wait = isTimed && !approval && !SCHEDULE.test(low);
  const toNobody = TO_NOBODY.exec(denied ?? "");
  const isGiven = actions.includes("send") || actions.includes("ticket");
  return {
    approval,
    approvalFirst: approval && FIRST.test(low),
    condition:
      !isQuestion &&
      !followsDone(sentence) &&
      ((approval ? hasOtherCondition(sentence) : isConditional(sentence)) ||
        (!approval && actions.length > 0 && RELATIVE.test(wanted))),
    limit: LIMIT.test(low),
    schedule: SCHEDULE.test(low),
    each: EACH.test(low) && !SCHEDULE.test(low),
    loop: !approval && LOOP.test(low),
    parallel: PARALLEL.test(low),
    wait,
    question: isQuestion,
    isExcepted,
    looks: isQuestion ? [] : looksIn(wanted),
    actions,
    thought: THOUGHT.test(wanted),
    forbidden: approval ? null : toNobody ? ["send", "ticket"] : forbiddenActions(denied),
    forbiddenChannel: denied === null || ANY_MESSAGE.test(denied) ? null : (CHANNEL.exec(denied)?.[0] ?? null),
    isUnclearBan: denied !== null && asksAfterBan(denied),
    forbiddenRecipients: denied === null ? [] : toNobody ? [toNobody[1]!] : recipientsIn(sentence.slice(wanted.length)),
    values: {
      ...valuesIn(sentence, isTimed),
      recipients:
        isGiven && !approval ? [...new Set([...continued, ...recipientsIn(withoutProhibition(sentence))])] : [],
      places: isQuestion ? [] : placesIn(sentence),
      deadlines: deadlinesIn(sentence),
      durations: wait ? durationsIn(sentence) : [],
    },
  };
}

/** Returns the request without its questions, which ask for no change. */
export function withoutQuestions(request: string): string {
  const all = clauses(request);
  const kept = all.filter((one) => !QUESTION.test(normalize(one)));
  return kept.length === all.length ? request : kept.join(". ");
}

/** Whether a tool writes such a text. */
export function isThinking({ name, description = "" }: ToolText): boolean {
  return THOUGHT.test(normalize(`${name.replace(/[_.-]/g, " ")} ${description}`));
}

/** Null without a prohibition, and for one of style, which a model follows as it follows other wishes. */
function forbiddenActions(denied: string | null): Action[] | null {
  if (denied === null) return null;
  const actions = forbiddenIn(denied);
  return actions.length === 0 && STYLE.test(denied) ? null : actions;
}

/** Returns the request without its prohibitions, unchanged if it has none. */
export function withoutProhibitions(request: string): string {
  const all = clauses(request);
  const kept = all.map(withoutProhibition);
  return kept.every((one, at) => one === all[at]) ? request : kept.filter((one) => one !== "").join(". ");
}

/** Returns the sentence without its prohibition. */
export function withoutProhibition(sentence: string): string {
  if (sentence.length > MAX_SENTENCE || asksApproval(sentence)) return sentence;
  const found = negationAt(normalize(sentence));
  // Composed letters keep the length, so the index holds.
  return found < 0
    ? sentence
    : sentence
        .normalize("NFC")
        .slice(0, found)
        .replace(/[\s,;]+$/, "");
}

function splitAtNegation(low: string): [wanted: string, denied: string | null] {
  const found = negationAt(low);
  return found < 0 ? [low, null] : [low.slice(0, found), low.slice(found)];
}

function isConditional(sentence: string): boolean {
  const low = normalize(sentence);
  if (INDIRECT.test(low)) return false;
  return CONDITION.test(low) || CONDITION_ES.test(sentence.toLowerCase());
}

export type Look = "read" | "list" | "any";

const LOOKS: Readonly<Record<Look, RegExp>> = {
  read: /\b(?:read|reads|reading|lee|leer|lea|leas) (?:\S+ ){0,3}\S*\.(?:md|txt|csv|json)\b|\b(?:le[ea]r?l[ao]s?)\b/,
  list: /\b(?:list|enumera|enumere|lista|listar|liste) (?:\w+ ){0,3}(?:files?|orders?|tickets?|archivos|pedidos|notas)\b|\b(?:all|every|each|todos los|todas las|cada) (?:the |\w+ )?(?:files?|orders?|tickets?|archivos?|pedidos?)\b/,
  any: /\b(?:look up|look at|search (?:for|the)|fetch|mira|mire|mirar|busca|busque|buscar)\b/,
};

function looksIn(low: string): Look[] {
  return (Object.keys(LOOKS) as Look[]).filter((look) => LOOKS[look].test(low));
}

/** Whether a tool reads such a thing. */
export function canLook({ name, annotations }: ToolText, look: Look): boolean {
  if (annotations?.readOnlyHint === false) return false;
  const words = name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  if (look === "any") return true;
  return look === "read"
    ? /read|get|fetch|load|open|lee/.test(words)
    : /list|find|search|query|all|enumer|busc/.test(words);
}

const EXCEPTED = /\b(?:unless|except (?:if|when)|only if|a menos que|a no ser que|salvo (?:que|si)|excepto si|sino)\b/;

/** "Tell Luis to pay" asks for a message, and for nothing else. */
function withoutOrders(low: string): string {
  const asked = low.replace(/\bask (?!me\b|us\b|for\b|if\b|whether\b)((?:\S+ ){1,4}?)(?=to\b)/, "tell $1");
  return asked
    .replace(/\bpid[ae]\w* (?=al? )/, "avisa ")
    .replace(/\b(tell|remind|dile|di|recuerda\w*|avisa\w*)((?: \S+){1,4}?) (?:to|que|de que|para que)\b.*/, "$1$2");
}

/** "And a copy to Luis": the verb is in the sentence before. */
const CONTINUES =
  /^(?:also |tambien )?(?:(?:a copy|another(?: one)?|one|the other(?: one)?|una copia|otr[oa]|[ea]l otr[oa]) )?(?:to|al?) /;

/** "Never to support". */
const TO_NOBODY = /^(?:never|not|nunca|no|ni) (?:to|a|al) (?:the |la |el |our |my )?(\p{L}+)$/u;

/** Known cities, by each of their names. */
function placesIn(sentence: string): (readonly string[])[] {
  const low = ` ${normalize(sentence).replace(/[^\p{L}]+/gu, " ")} `;
  return PLACES.map((city) => city.map(normalize)).filter((names) => names.some((name) => low.includes(` ${name} `)));
}

type PlainValues = Pick<Values, "ids" | "emails" | "numbers">;

export function valuesIn(sentence: string, isTimed: boolean): PlainValues {
  const emails = sentence.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [];
  const rest = sentence.replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, " ");
  const ids = rest.match(/\b[A-Z]+-\d+\b|[\w-]+(?:\/[\w-]+)*\.(?:md|txt|csv|json|ya?ml|html|pdf)\b/gi) ?? [];
  const bare = ids.reduce((text, id) => text.replaceAll(id, " "), rest);
  const numbers = isTimed ? [] : (bare.match(/(?<![\p{L}\d.,_-])\d+(?:[.,]\d+)?(?![\p{L}\d_-])/gu) ?? []);
  const written = numbers.map((number) => Number(number.replace(",", ".")));
  return { emails, ids, numbers: [...written, ...limitsIn(sentence)] };
}
