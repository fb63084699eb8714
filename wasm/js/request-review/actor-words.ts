/**
 * Recognizes sentences that give a person a part in the plan.
 *
 * Approvals have more wordings than any list. What remains of a sentence without recipients, owners of data and
 * reported speech names no person, unless one must act. Behind a gate that is an approval, elsewhere it is doubtful.
 */
import { normalize } from "./normalize.js";
import { PLACES } from "./places.js";

const ROLE =
  "(?:@@|humans?|person|people|someone|somebody|boss|managers?|supervisor[ae]?s?|colleagues?|teammates?|owners?|directors?|" +
  "editors?|reviewers?|approvers?|legal|finance|management|department|teams?|accounting|shipping|engineering|support|" +
  "customers?|clients?|finanzas|clientes?|clientas?|alguien|personas?|jef[ae]s?|humanos?|responsables?|encargad[oa]s?|gerentes?|director[ae]?s?|editor[ae]?s?|revisor\\w*|" +
  "departamento|equipos?|contabilidad|envios|ingenieria|soporte|compan?er[oa]s?)";
const DET =
  "(?:the|an?|our|my|your|his|her|el|la|los|las|un|una|mi|su|nuestr[oa]|al|del|two|dos|some|open|new|another|otr[oa])";
const TELLS =
  "(?:tell|notify|inform|message|e-?mail|text|remind|thank|ask|send|mail|forward|give|show|write|bring|phone|avis\\w+|dil\\w+|" +
  "dig\\w+|cuent\\w+|mand\\w+|envi\\w+|comuni\\w+|notifi\\w+|inform\\w+|agrade\\w+|gracias|pide\\w*|escrib\\w+)";
const PAST =
  "(?:[a-z]+ed|said|wrote|sent|bought|made|paid|got|left|put|gave|has [a-z]+ed|hizo|dijo|escribio|mando|compro|pago|pidio|[a-z]+aron|[a-z]+ieron)";
const OWN_DATA =
  "(?:have|had|own|order|ordered|bought|paid|spent|owe|owed|received|sent|live|work|wrote|saved|created|opened|asked|am|'m)";

/** What leaves a person without a part in the plan. */
const PASSIVE_PARTS = [
  // A reason, before what is to be done.
  "^[^:]*\\b(?:espera|waits|waiting|wants|quiere|needs|necesita)\\b[^:]*:",
  // What a message says.
  "\\b(?:tell|inform|notify|remind|say|dile|avisa|informa|recuerda|escribe|write)(?: \\S+){0,4} (?:that|que|de que|what|lo que)\\b.*",
  "\\b(?:saber|averigua\\w*|know|find out) (?:que|cual\\w*|cuant\\w*|donde|cuando|quien\\w*|what|which|who|how|where|when)\\b.*",
  // What someone said or made.
  `\\b(?:that|what|which|who|whom) (?:${DET} )?(?:${ROLE}|i|we) ${PAST}\\b|\\b(?:lo )?que (?:${PAST}) (?:${DET} )?${ROLE}`,
  "\\b(?:i am|i'm|my name is|soy|me llamo) @@",
  `\\blet (?:${DET} )*${ROLE} know\\b`,
  // Recipients, and owners of data.
  `\\b${TELLS}(?: (?:a|to|it|them|this|${DET}))* ${ROLE}(?: (?:team|department|manager))?(?![a-z])(?:,(?: (?:a|to|${DET}))* ${ROLE}(?=,|$| about\\b| sobre\\b| that\\b| que\\b))*`,
  `\\b(?:to|for|of|from|a|al|para|de|del) (?:${DET} )*(?!humans?\\b|people\\b|persons?\\b|personas?\\b)${ROLE}(?: (?:team|department))?(?![a-z])(?! to\\b|,? (?:who|that) (?:can|may|must|has)\\b|,? que (?:puede|podra|debe|tiene))|${ROLE}'s?(?! (?:yes|ok|okay|word|say|decision|signature)\\b)|(?<![a-z])${ROLE}(?: [a-z]+)? (?:tickets?|orders?|files?|notes?)\\b`,
  // The user asks, owns or receives.
  "\\b(?:tell|show|give|send|bring|get|read|find|list|buy|help|fetch|tells?|let) (?:me|us)\\b(?! (?:first|a minute|time|the right|the chance|the last|read|see|look|decide|stop|have|be)\\b)",
  `\\b(?:i|we)(?: (?:have|already))? ?${OWN_DATA}\\b|\\b(?:should|do|can|could|may|did) (?:i|we)\\b`,
  "\\b(?:i|we)(?:'d| would)? (?:want|need|like|love)(?: to (?:know|find|buy|learn|send|tell|return|have)\\b| you to\\b| (?:the|an?|some|my)\\b)",
].map((source) => new RegExp(source, "g"));

const RIGHT =
  /\b(?:(?:if|unless|until|once) (?:they|he|she)|no concerns|pegas|objeci\w+|behind my back|a mis espaldas|(?:voz|voto|voice|vote) (?:en|in)|the option to|la opcion de|object|veto|stop it|oponer\w+|vetar\w*|pararl[oa])\b/;
const USER =
  /\b(?:i|i'll|i'm|i've|we|we'll|we've|me|us|mine|yo|conmigo|nosotr[oa]s)\b|@mi\b|\bme [a-z]+o\b|\b(?:decision|opinion|palabra) mia\b/u;
const HAS_ROLE = new RegExp(`(?<![a-z])${ROLE}(?![a-z])`, "u");
/** An imperative is not followed by such a word. */
const SUBJECT =
  /^(?!de |en |por |a |con |todo )[a-z]+ (?:gets?|has|must|may|can|should|needs|wants|will|tiene|debe|puede|quiere|lo) (?!que\b)[a-z]+/u;
const GATE = new RegExp(
  "\\b(?:with|con|voz|option|opcion|turn it down|rechaz\\w+|rejects?|only if|solo si|mientras|nobody but|nadie mas|but i|behind my back|a mis espaldas|cosa de|yo a mano|by hand|before|until|till|unless|first|as soon as|as long as|without|only|no sooner|have to|has to|must|gets? to|reserves?|object|stop|decision|" +
    "antes|hasta|salvo|a menos|primero|en cuanto|siempre que|sin que|solo|tienen? que|deben?|reserv[oae]\\w*|oponerse|oponerme|decision|palabra)\\b",
  "u",
);

const NAME = /(?<!^|[.!?¿¡"“«(-]\s?|\p{L})(?<![\d-])\p{Lu}\p{Ll}{2,}(?![\w-]*\d)/gu;
const CITY_WORDS = new Set(PLACES.flatMap((city) => city.flatMap((name) => normalize(name).split(" "))));
const DATES =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|english|french|spanish|german|italian|portuguese|euros?|dollars?)$/;
const QUESTION =
  /^(?:how|what|which|where|who|why|is|are|was|does|did|when|como|que(?! (?:alguien|nadie|no|lo|la|los|las|yo|el|un|una|mi|su|@@|sea)(?![a-z]))|cual\w*|cuant\w*|donde|quien\w*)\b/u;

/** Names become one sign, and "mí" keeps its accent's meaning. */
function withSigns(sentence: string): string {
  const isOther = (name: string) => CITY_WORDS.has(normalize(name)) || DATES.test(normalize(name));
  return normalize(
    sentence
      .replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, "them")
      .replace(NAME, (name) => (isOther(name) ? name : "@@"))
      .replace(/(?<!\p{L})mí(?!\p{L})/gu, "@mi"),
  ).replaceAll("’", "'");
}

/** Whether a person has a part in what the sentence asks, besides receiving something. */
export function namesActor(sentence: string): boolean {
  const text = withSigns(sentence);
  if (QUESTION.test(text)) return false;
  const rest = PASSIVE_PARTS.reduce((left, one) => left.replace(one, " "), text);
  return RIGHT.test(text) || USER.test(rest) || HAS_ROLE.test(rest) || SUBJECT.test(text);
}

/** Whether something waits for that person. */
export function waitsForActor(sentence: string): boolean {
  return GATE.test(withSigns(sentence)) && namesActor(sentence);
}
