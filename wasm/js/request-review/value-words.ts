/** Reads the values of a sentence that an argument of the acting node must have: amounts, quoted texts, levels. */
import { asksApproval } from "./approval-words.js";
import { normalize } from "./normalize.js";
import { valuesIn } from "./demand-signs.js";

export interface ArgumentValues {
  ids: string[];
  emails: string[];
  /** Of money. */
  amounts: number[];
  quotes: string[];
  /** Each by its names in both languages. */
  levels: (readonly string[])[];
  /** Emails of recipients, not of people whom a text names. */
  receivers: string[];
}

const CURRENCY = "(?:[€$£]|eur|usd|gbp|mxn|euros?|dollars?|pounds?|pesos?|dolares|libras)";
const NUMBER = "\\d+(?:[.,]\\d+)?";
const COMPARED = "(?<!\\b(?:than|over|under|above|below|most|least|up to|mas de|menos de|hasta|maximo|minimo) )";
const AMOUNT = new RegExp(
  `${COMPARED}(?<![\\p{L}\\d.,_-])(?:${CURRENCY} ?(${NUMBER})|(${NUMBER}) ?${CURRENCY}(?!\\p{L}))`,
  "gu",
);
/** An amount in words is not compared, so no plan has it. */
const AMOUNT_IN_WORDS = new RegExp(
  "\\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w+teen|\\w+ty(?:-\\w+)?|hundred|thousand|dos|tres|" +
    `cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\\w+|veint\\w+|\\w+enta|cien|ciento|mil) ${CURRENCY}(?!\\p{L})`,
  "u",
);
const LEVELS: readonly (readonly string[])[] = [
  ["high", "highest", "alta", "alto", "maxima", "urgent", "urgente", "critical", "critica"],
  ["normal", "medium", "media"],
  ["low", "lowest", "baja", "bajo", "minima"],
];
const LEVEL = LEVELS.flat().join("|");
const OF_LEVEL = new RegExp(
  `\\b(?:priority|prioridad|severity|gravedad|urgency|urgencia)(?:[ :]+(?:is|of|to|as|level|de|es))*[ :"']+(${LEVEL})\\b` +
    `|\\b(${LEVEL})[ -](?:priority|prioridad|severity|gravedad|urgency|urgencia)\\b` +
    `|\\b(${LEVEL}) (?:tickets?|issues?|cases?)\\b|\\b(?:tickets?|incidencias?) (${LEVEL})\\b`,
  "gu",
);
const QUOTE = /"([^"]+)"|«([^»]+)»|“([^”]+)”/g;
const RECEIVES =
  /(?:\b(?:to|tell|notify|inform|e-?mail|message|alert|warn|remind|thank|text|and|or|a|para|y|e|avisa|informa|notifica)|,) ([\w.+-]+@[\w-]+(?:\.[\w-]+)+)/giu;
const OPENS =
  /^(?:if|unless|when|whenever|once|in case|should|si|cuando|en caso|a menos|siempre que|for (?:each|every|all)|(?:por|para) (?:cada|tod[oa]s))\s/iu;
const LATER = /\s(?:if|unless|when|in case|provided|only if|si|cuando|a menos que|salvo que|en caso de)\s/iu;

/** Without the condition, or what the action is done for each of. */
function mainPart(sentence: string): string {
  if (OPENS.test(sentence)) return sentence.includes(",") ? sentence.slice(sentence.indexOf(",") + 1) : sentence;
  // "Refund it only if I approve 40 EUR": what is approved stands in the part that follows.
  return asksApproval(sentence) ? sentence : sentence.split(LATER)[0]!;
}

export function argumentValues(sentence: string): ArgumentValues {
  const main = mainPart(sentence);
  const plain = main.replace(QUOTE, " ");
  const { ids, emails } = valuesIn(main, true);
  const low = normalize(ids.reduce((text, id) => text.replaceAll(id, " "), plain));
  return {
    ids,
    emails: emails.map((email) => email.toLowerCase()),
    amounts: [
      ...[...low.matchAll(AMOUNT)].map(([, before, after]) => Number((before ?? after)!.replace(",", "."))),
      ...(AMOUNT_IN_WORDS.test(low) ? [Number.NaN] : []),
    ],
    quotes: [...main.matchAll(QUOTE)].map((hit) => normalize(hit.slice(1).find((one) => one !== undefined)!)),
    levels: [...low.matchAll(OF_LEVEL)].flatMap((hit) =>
      LEVELS.filter((all) => all.includes(hit.slice(1).find((one) => one !== undefined)!)),
    ),
    receivers: [...plain.matchAll(RECEIVES)].map(([, email]) => email!.toLowerCase()),
  };
}
