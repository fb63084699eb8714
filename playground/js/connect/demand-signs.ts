/**
 * Reads what a sentence of a request asks of a plan: an approval, a condition, an action, and so on.
 *
 * Works by English and Spanish words. Invariant: a doubtful sentence asks for more, because a wrong demand shows red and
 * the user can dismiss it, while a missed one shows green.
 */
import { actionsIn, type Action, type ToolText } from "./demand-actions.js";
import { normalize } from "./demo-data.js";
import { asksApproval, clauses, withoutApproval } from "./sentences.js";

export interface Signs {
  approval: boolean;
  /** The approval concerns what the request says before, too. */
  approvalFirst: boolean;
  condition: boolean;
  /** For each of several things. */
  each: boolean;
  /** Until something holds. */
  loop: boolean;
  /** At recurring times. */
  schedule: boolean;
  parallel: boolean;
  wait: boolean;
  actions: Action[];
  /** A text that only a model writes. */
  thought: boolean;
  /** Null without a prohibition, empty if nobody knows which action it means. */
  forbidden: Action[] | null;
  values: Values;
}

/** What a plan must contain. */
export interface Values {
  /** Order numbers and files, which tools need. */
  ids: string[];
  emails: string[];
  numbers: number[];
}

const QUESTION =
  /^(how|what|which|where|who|why|is|are|was|does|do(?! not| n)|did|when (is|are|was|will|does|do|did|can)|como|que|cual\w*|cuant\w*|donde|quien\w*|por que)\b/;
const NEGATION =
  /(?<!\b(?:i|we|you|they|si|if) )\b(?:never|do ?n[o']t|do not|must ?n[o']?t|may not|should ?n[o']?t|(?:you|it|plan) can ?n[o']?t|nobody|no one|nadie|avoid|without|nunca|jamas|sin|evita\w*)\b|\bnot (?:to|before|until|unless)\b|(?:^|[,;] ?|\b(?:y|pero|que) )no (?!hay\b|es\b|esta\w*\b|sea\w*\b|tiene\w*\b|solo\b)|\bno \w+ing\b/;
const INDIRECT =
  /\b(?:check|see|know|find out|tell me|say|ask|verify|wonder|comprueba|mira|dime|di|averigua|saber) (?:if|whether|si)\b/;
const CONDITION =
  /\b(?:if|unless|in case|provided|only when|as long as|as soon as|otherwise|depending on|when (?:it|they|he|she|the|there|this|that))\b|^(?:when|whenever|once|should)\b/;
/** Keeps accents, which tell "si" from "sí". */
const CONDITION_ES =
  /(?:^|[\s,;])(?:si|a menos que|en caso de|salvo (?:que|si)|siempre que|cuando|en cuanto|de lo contrario|según)(?=\s)/u;
const UNITS = "(?:seconds?|minutes?|hours?|days?|weeks?|months?|segundos?|minutos?|horas?|dias?|semanas?|mes(?:es)?)";
const WEEKDAYS =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|lunes|martes|miercoles|jueves|viernes|sabados?|domingos?";
const SCHEDULE = new RegExp(
  `\\b(?:every|each|cada|todos los|todas las) (?:\\w+ )?(?:${UNITS}|${WEEKDAYS}|morning|evening|night|noche|manana|tarde)\\b|\\b(?:hourly|daily|weekly|monthly|diariamente|semanalmente)$`,
);
const EACH = /\b(?:each|every|cada)\b/;
const LOOP =
  /\b(?:until|till|again|repeatedly|over and over|repeat\w*|retry|try again|keep \w+ing|hasta que|repit\w+|repet\w+|otra vez|de nuevo|reintent\w+|vuelv\w+ a)\b/;
const PARALLEL =
  /\b(?:at the same time|in parallel|simultaneously|concurrently|side by side|a la vez|en paralelo|al mismo tiempo|simultanea\w*)\b/;
const THOUGHT =
  /\b(?:summar\w+|sum up|compare|translat\w+|rewrite|improve|explain|recommend|advise|classify|resum\w+|compar\w+|tradu[cz]\w+|mejora\w*|expli\w+|recomiend\w+|redact\w+|clasifi\w+)\b/;
const WAIT = new RegExp(
  `\\b(?:wait|pause|sleep|pausa)\\b|^espera\\w*\\b|\\bespera\\w* (?:(?:\\w+ ){0,2}${UNITS}|a que|hasta)\\b|\\b(?:in|after|dentro de|al cabo de|tras) (?:\\w+ )?\\w+ ${UNITS}\\b|\\b${UNITS} (?:later|after|afterwards|from now|despues|mas tarde)\\b|\\b(?:tomorrow|tonight|next (?:week|month|${WEEKDAYS})|at (?:noon|midnight|\\d{1,2}(?::\\d\\d)?)|a las \\d)\\b|(?<!\\b(?:esta|la|cada) )\\bmanana\\b`,
);
const FIRST = /\b(?:first|before|beforehand|only|unless|without|antes|primero|previ[ao]|solo|sin)\b/;

export function signsOf(sentence: string): Signs {
  const low = normalize(sentence).replaceAll("’", "'");
  const approval = asksApproval(sentence);
  const [wanted, denied] = splitAtNegation(low);
  const isQuestion = QUESTION.test(low);
  const isTimed = !isQuestion && WAIT.test(low);
  return {
    approval,
    approvalFirst: approval && FIRST.test(low),
    condition: !isQuestion && isConditional(approval ? withoutApproval(sentence) : sentence),
    schedule: SCHEDULE.test(low),
    each: EACH.test(low) && !SCHEDULE.test(low),
    loop: !approval && LOOP.test(low),
    parallel: PARALLEL.test(low),
    wait: isTimed && !approval && !SCHEDULE.test(low),
    actions: isQuestion ? [] : actionsIn(approval ? low : wanted).filter((action) => action !== "any"),
    thought: THOUGHT.test(wanted),
    forbidden: denied === null || approval ? null : actionsIn(denied),
    values: valuesIn(sentence, isTimed),
  };
}

/** Whether a tool writes such a text. */
export function isThinking({ name, description = "" }: ToolText): boolean {
  return THOUGHT.test(normalize(`${name.replace(/[_.-]/g, " ")} ${description}`));
}

/** Returns the request without its prohibitions, unchanged if it has none. */
export function withoutProhibitions(request: string): string {
  const all = clauses(request);
  const kept = all.map(withoutProhibition);
  return kept.every((one, at) => one === all[at]) ? request : kept.filter((one) => one !== "").join(". ");
}

/** Returns the sentence without its prohibition. */
export function withoutProhibition(sentence: string): string {
  if (asksApproval(sentence)) return sentence;
  const found = NEGATION.exec(normalize(sentence));
  // Composed letters keep the length, so the index holds.
  return found === null
    ? sentence
    : sentence
        .normalize("NFC")
        .slice(0, found.index)
        .replace(/[\s,;]+$/, "");
}

function splitAtNegation(low: string): [wanted: string, denied: string | null] {
  const found = NEGATION.exec(low);
  return found === null ? [low, null] : [low.slice(0, found.index), low.slice(found.index)];
}

function isConditional(sentence: string): boolean {
  const low = normalize(sentence);
  if (INDIRECT.test(low)) return false;
  return CONDITION.test(low) || CONDITION_ES.test(sentence.toLowerCase());
}

function valuesIn(sentence: string, isTimed: boolean): Values {
  const emails = sentence.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [];
  const rest = sentence.replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, " ");
  const ids = rest.match(/\b[A-Z]+-\d+\b|[\w-]+(?:\/[\w-]+)*\.(?:md|txt|csv|json|ya?ml|html|pdf)\b/gi) ?? [];
  const bare = ids.reduce((text, id) => text.replaceAll(id, " "), rest);
  const numbers = isTimed ? [] : (bare.match(/(?<![\p{L}\d.,_-])\d+(?:[.,]\d+)?(?![\p{L}\d_-])/gu) ?? []);
  return { emails, ids, numbers: numbers.map((number) => Number(number.replace(",", "."))) };
}
