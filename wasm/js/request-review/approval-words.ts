/** Recognizes sentences that want a person to agree first, by English and Spanish words. */
import { waitsForActor } from "./actor-words.js";
import { EXCEPTION, FRAMES, NO_APPROVALS } from "./approval-frames.js";
import { normalize } from "./normalize.js";
import { MAX_SENTENCE } from "./sentences.js";

const PERSON =
  "(?:i|i'?ve|we|we'?ve|me|us|my|our|mine|human|person|people|someone|somebody|boss|manager|supervisor|colleague|teammate|legal|owner|yo|mi|conmigo|jef[ae]|alguien|persona|humano|responsable|encargad[oa])";
const FIRST =
  "(?:before|first|beforehand|antes|primero|with me|with us|conmigo|with (?:my|our|an?|the) \\w+|past (?:me|us|my \\w+))";
const ASKING = "(?:ask|asks|consult|pregunt\\w+|consult\\w+|ensen\\w+|muestr\\w+|mostr\\w+|avisame)";
const CHECKING = "(?:check|double-check|clear|confirm|verify|show|run|confirm\\w+)";
const WITH_SOMEBODY = "(?:with (?:me|us|my|our|an?|the|some\\w+)|past (?:me|us|my)|conmigo)";
const HOLDING =
  "(?:before|after|once|until|till|unless|only|if|when|hold|pause|wait|await|pending|subject to|antes|despues|hasta|cuando|espera\\w*|solo|si)";
const JUDGING =
  "(?:look\\w*|review\\w*|check\\w*|confirm\\w*|agree\\w*|accept\\w*|say|says|said|tell|tells|told|see|seen|read|decide\\w*|yes|ok|okay|answer|reply|go|revis\\w+|apr[uo]\\w+|acept\\w+|dig[oa]|diga|diga\\w*|respuesta|vea|lea)";

const APPROVAL = new RegExp(
  [
    // Words that mean nothing else.
    String.raw`\b(?:approv(?:e|es|al|als|ing)|approved by|sign(?:s|ed|ing)?(?: \w+)?[ -]off|permission|consent|go-?ahead|green-?light|green light|authori[sz]\w+|human in the loop|manual (?:review|check|approval|step)|okayed|(?:have|has|had) approved|(?:is|are|been|gets) approved)\b`,
    String.raw`\b(?:apr[uo]eb[ae]\w*|aprob(?:ar|acion)\w*|autori[zc]\w+|permiso|consentimiento|visto bueno|conformidad|luz verde|digo que si)\b`,
    String.raw`\b(?:my|our|your|a|an|the|human|boss'?s?|manager'?s?|person'?s?) (?:ok|okay|sign-?off|blessing|agreement)\b|\b(?:mi|su|el|un) ok\b`,
    // A confirmation that is not a message.
    String.raw`(?<!\b(?:send|sends|sending|mail|manda\w*|envi\w+) (?:\w+ ){0,3})\bconfirma(?:tion|cion)\b`,
    String.raw`\bask (?:me|us)\b|\b(?:preguntame|consultame|pideme|pidame)\b|\bi (?:need|want|have) to (?:ok|okay|confirm|review|see|check it|check them)\b`,
    String.raw`\b${ASKING}\b(?: \w+){0,5} ${FIRST}\b|\b${CHECKING}\b(?: \w+){0,3} ${WITH_SOMEBODY}\b|\bshow (?:\w+ ){0,2}me\b(?: \w+){0,4} (?:first|before (?:it|you|they|we|the|this|that|\w+ing))\b|\b(?:antes|before)\b.*\b(?:ensenamel\w|muestramel\w|preguntame|ask me|show me)\b`,
    String.raw`\b${HOLDING}\b(?: [\w']+){0,6} ${PERSON}\b(?: [\w']+){0,3} ${JUDGING}\b|\b${HOLDING}\b(?: \w+){0,3} (?:yes|ok|answer|reply|review|reviewed|respuesta)\b(?: \w+){0,2} (?:from|by|of|de|for) ${PERSON}\b`,
    String.raw`\b(?:if|once|when|until|unless|cuando|hasta que|si) (?:\w+ ){0,2}(?:i|we|yo) (?:confirm|agree|accept|ok|say)\w*\b|\b(?:hasta|cuando|si) (?:\w+ ){0,2}(?:te|le|os) (?:diga|digo|diga\w*|avise|confirme)\b|\bespera\w* (?:a )?mi\b`,
    String.raw`\b(?:for|under|after|before|needs?|requires?|manual|await|pending) (?:an? |the |my |human |manual |legal )*(?:review|sign-?off|check|look)\b(?! (?:the|of|order))|\b(?:reviewed|confirmed|checked) by\b|\bhuman (?:look|check|eyes?|review|decision|being)\b|\b(?:human|person|someone|somebody) (?:has |have |must |should |to )?(?:review|check|confirm|agree|decide|look)\w*\b`,
    String.raw`\b(?:have|let) (?:me|us|my \w+|an? \w+|someone|somebody|\p{L}+) (?:approve|confirm|check|decide|review|see|look|sign)\b`,
    String.raw`\b(?:veto|vet|blessing|clearance|thumbs up|hold off|before asking|visto bueno|final say|last word|ultima palabra|de acuerdo|my call|my decision|chance to stop|on (?:your|its) own|por (?:tu|su) cuenta|ask whether|the decision|final decision|\w+'s ok|sin que (?:yo|lo|la)|(?:has|have) agreed)\b|\b(?:propose|propon\w*) (?:it|them|\w+ ){0,2}(?:to )?(?:me|us)\b`,
    String.raw`\b(?:ping|tell|ask|call|warn) me (?:first|before)\b|\b(?:escalate|hand|pass)\b(?: \w+){0,3} to (?:an? )?(?:human|person|me|manager|boss|colleague|someone|somebody)\b|\b(?:human|person|boss|manager|supervisor|owner) decides?\b`,
    String.raw`\bi(?:'ll| will|'d)? (?:confirm|approve|check|review)\b.*\bbefore\b|\b(?:until|once|after|unless|when|if) (?:\w+ ){1,3}(?:signs|approves|agrees|confirms)\b|\bque (?:\w+ ){1,3}(?:lo|la|los|las) (?:compruebe|revise|vea|mire|apruebe|confirme|autorice)\b`,
    String.raw`\blet (?:\w+ ){1,3}decide\b|\bque (?:lo )?decida\b|\bget (?:an? |the )?(?:yes|ok|okay)\b|\bshould i be\b|\b(?:i|we) (?:must|should|want to|need to|have to|would like to|'d like to) (?:see|vet|read|review)\b|\bquiero (?:ver|leer|revisar)l[aeo]s? antes\b`,
    String.raw`\bwithout (?:asking|consulting|checking|telling me|my|our)\b|\bsin (?:mi|preguntar\w*|consultar\w*|avisarme|pedirme|decirme)\b`,
    String.raw`\b(?:lo|la|los|las|me) (?:revis[ae]n?|confirm[ae]n?|confirmo) ${PERSON}\b|\bque (?:lo|la|los|las) (?:revise|vea|mire|confirme)\w*\b|\b(?:lo|la|los|las) confirm[eo]\w*\b|\b(?:previa|manual) confirmacion\b`,
  ].join("|"),
  "u",
);

/** Normalized. */
function withoutOtherApprovals(clause: string): string {
  const text = normalize(clause.slice(0, MAX_SENTENCE)).replaceAll("’", "'");
  return EXCEPTION.test(text) ? text : NO_APPROVALS.reduce((rest, one) => rest.replace(one, " "), text);
}

/** Whether it has a past approval, a waived one, or one that is only a topic. */
export function speaksOfOtherApproval(clause: string): boolean {
  const text = normalize(clause.slice(0, MAX_SENTENCE)).replaceAll("’", "'");
  return withoutOtherApprovals(clause) !== text;
}

/** Whether a person must agree first. */
export function asksApproval(clause: string): boolean {
  const asked = withoutOtherApprovals(clause);
  return (
    APPROVAL.test(asked) ||
    FRAMES.some((frame) => frame.test(asked)) ||
    (!speaksOfOtherApproval(clause) && waitsForActor(clause.slice(0, MAX_SENTENCE)))
  );
}

const OPENS_CONDITION =
  /(?<![\p{L}'])(?:if|unless|when|whenever|in case|provided|assuming|otherwise|si|cuando|en caso de|salvo|siempre que)(?: [\p{L}\d'-]+){1,5}/gu;

/** Whether a sentence that asks for an approval has a condition besides it. */
export function hasOtherCondition(clause: string): boolean {
  // "sí" is no condition, so accents go only after the search.
  return [...clause.toLowerCase().matchAll(OPENS_CONDITION)].some(([words]) => !asksApproval(words));
}
