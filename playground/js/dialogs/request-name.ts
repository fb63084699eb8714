/** Names a plan after the request that it was made from. The plan's text still has the whole request. */
import { normalize } from "../../../wasm/js/request-review/normalize.js";

const MAX_NAME = 40;
/** A shorter clause says too little. */
const MIN_CLAUSE = 12;

/** Ends after a clause if one is long enough, otherwise after a word. */
export function nameFromRequest(request: string): string {
  const line = request.replace(/\s+/g, " ").trim();
  const whole = line.replace(/[\s.,;:]+$/, "");
  if ([...whole].length <= MAX_NAME) return whole;
  const words = new RegExp(`^.{1,${MAX_NAME}}(?=\\s|$)`, "u").exec(line)?.[0];
  const start = words ?? [...line].slice(0, MAX_NAME).join("");
  const clause = /^(.*[^\s.,;:])[.,;:]+(?: |$)/u.exec(start)?.[1] ?? "";
  if (clause.length >= MIN_CLAUSE) return clause;
  // "Save a note to the" ends with words that need the next one.
  return start.replace(/[\s.,;:]+$/, "").replace(/(?: \p{Ll}{1,3})+$/u, "");
}

const MAX_ID = 32;
/** Words that tell nothing of a plan in its id. */
const SMALL_WORDS = new Set(
  (
    "a an the this that and or then if when with for from to of in on at by it its is are be my me i please " +
    "el la los las lo un una unos unas y e o si cuando con para por de del al a en se su sus mi me yo que por favor"
  ).split(" "),
);

/** The plan's `id`: words of its name. */
export function idFromRequest(request: string): string {
  const words = normalize(nameFromRequest(request)).match(/[a-z\d]+/g) ?? [];
  const telling = words.filter((word) => !SMALL_WORDS.has(word));
  const id = (telling.length > 0 ? telling : words).reduce(
    (start, word) => (start.length + word.length < MAX_ID && start !== "" ? `${start}-${word}` : start || word),
    "",
  );
  return id.slice(0, MAX_ID) || "plan";
}
