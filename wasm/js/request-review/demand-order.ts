/** Reads in which order a request wants things done. */
import { normalize } from "./normalize.js";

/** The sentence's parts, the one that must be done first in front. */
export interface Sequence {
  first: string;
  then: string;
}

const DOING = "(?:\\w+ing|you|we|it|the|any|anything|i)";
const DOING_ES = "(?:\\w+[aei]r(?:l[aeo]s?|se|le)?|que)";
const BEFORE = new RegExp(`\\bbefore(?= ${DOING}\\b)|\\bantes de(?= ${DOING_ES}\\b)`, "u");
const AFTER = new RegExp(`\\bafter(?= ${DOING}\\b)|\\bdespues de(?= ${DOING_ES}\\b)|\\btras(?= ${DOING_ES}\\b)`, "u");

/** Null without "before" or "after". A comma ends the part that opens a sentence. */
export function sequenceIn(sentence: string): Sequence | null {
  const low = normalize(sentence);
  for (const [pattern, isBefore] of [[BEFORE, true] as const, [AFTER, false] as const]) {
    const found = pattern.exec(low);
    if (found === null) continue;
    const rest = low.slice(found.index + found[0].length);
    const opens = low.slice(0, found.index).trim().length < 4;
    const comma = rest.indexOf(",");
    if (opens && comma < 0) return null;
    const other = opens ? rest.slice(comma + 1) : low.slice(0, found.index);
    const own = opens ? rest.slice(0, comma) : rest;
    return isBefore ? { first: other, then: own } : { first: own, then: other };
  }
  return null;
}

const NEXT =
  /\b(?:then|after (?:that|this|which)|afterwards?|next|finally|lastly|(?:y )?luego|despues|a continuacion|por ultimo|finalmente|acto seguido)\b/;
const OPENS_NEXT =
  /^(?:then|after (?:that|this)|afterwards?|next|finally|lastly|luego|despues(?! de| que)|a continuacion|por ultimo|finalmente)\b/;
const IS_DONE =
  /^(?:y |and )?(?:(?:once|when|as soon as|after) (?:(?:it|that|this|everything|all|all of it|you|you've|you have)(?: is|'s| has been| are|'re)? ?|(?:the )?\w+ (?:is|has been) )(?:done|finished|complete\w*|ready|over|sent|saved|refunded|through)|(?:cuando|una vez(?: que)?|en cuanto) (?:(?:ya )?(?:est[ae]\w*|haya\w*|lo hayas) )?(?:hech[oa]s?|list[oa]s?|terminad[oa]s?|acabad[oa]s?|terminad?o?|acabad?o?|termines?|acabes?|enviad[oa]|guardad[oa]))\b/;
const AT_END_DONE =
  /\b(?:once|when|after) (?:it|that|this|everything)(?: is|'s| has been) (?:done|finished|complete\w*|ready|over|sent|saved|refunded)$|\b(?:cuando|una vez(?: que)?) (?:este\w* |haya )?(?:hech[oa]|list[oa]|terminad[oa]|acabad[oa]|termines|acabes)$/;
const OPENS_FIRST = /^(?:first(?:ly|,| of all)?|primero|en primer lugar|lo primero)\b/;
const ENDS_FIRST = /\b(?:first|beforehand|antes|primero|de antemano)$/;

/** Whether it waits until what stands before it is done. That is an order, no condition. */
export function followsDone(sentence: string): boolean {
  const low = normalize(sentence).replaceAll("’", "'");
  return IS_DONE.test(low) || AT_END_DONE.test(low);
}

/** Pairs of sentences, the first of which must be done first. */
export function orderOf(request: string, texts: readonly string[]): [first: number, then: number][] {
  const pairs: [number, number][] = [];
  let end = 0;
  for (const [at, text] of texts.entries()) {
    const start = Math.max(end, request.indexOf(text, end));
    const joint = normalize(request.slice(end, start));
    end = start + text.length;
    const low = normalize(text).replaceAll("’", "'");
    const before = normalize(texts[at - 1] ?? "");
    if (at > 0 && (NEXT.test(joint) || OPENS_NEXT.test(low) || followsDone(text))) pairs.push([at - 1, at]);
    else if (at > 0 && OPENS_FIRST.test(before)) pairs.push([at - 1, at]);
    if (at > 0 && ENDS_FIRST.test(low)) for (let other = 0; other < at; other++) pairs.push([at, other]);
  }
  return pairs;
}
