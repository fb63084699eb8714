/** Recognizes the language of a request by frequent words. */

const SPANISH = wordPattern(
  "el|la|los|las|un|una|de|del|que|qué|para|por|con|como|cómo|dónde|cuál|cuánto|está|están|es|ha|sido|y|mi|mis|" +
    "si|sobre|lo|le|escribe|responde|resume|mira|hay|se|su|al|en",
);
const ENGLISH = wordPattern(
  "the|an|of|for|with|how|what|where|which|is|are|was|and|my|if|about|write|answer|sum|tell|there|not|to|in|on|from|your|it|has|do|does|i",
);

/** `\b` ignores accented letters. */
function wordPattern(all: string): RegExp {
  return new RegExp(`(?<![\\p{L}])(?:${all})(?![\\p{L}])`, "giu");
}

export function detectLanguage(text: string): "en" | "es" {
  const prose = text.replace(/[{[][^{}[\]]*[}\]]/g, " ").slice(0, 4000);
  const signs = prose.match(/[áéíóúñ¿¡]/giu)?.length ?? 0;
  return (prose.match(SPANISH)?.length ?? 0) + signs > (prose.match(ENGLISH)?.length ?? 0) ? "es" : "en";
}

/** Frequent words of other languages that neither language has. */
const FOREIGN = wordPattern(
  "und|der|das|nicht|nach|mit|für|auf|wenn|bitte|mir|ich|ein|eine|einen|zu|et|les|des|une|est|pas|avec|dans|moi|je|" +
    "vous|du|não|uma|você|seu|il|di|che|non|gli|della|sono|het|een|niet|och|inte|att",
);

/** Whether a request is in English or Spanish. Its demands can't be read otherwise. */
export function isKnownLanguage(text: string): boolean {
  const prose = text.replace(/\S*[@/.]\S+/g, " ").slice(0, 4000);
  const words = prose.match(/\p{L}+/gu) ?? [];
  const latin = words.filter((word) => /^\p{Script=Latin}+$/u.test(word)).length;
  const known = (prose.match(SPANISH)?.length ?? 0) + (prose.match(ENGLISH)?.length ?? 0);
  return latin * 2 > words.length && (prose.match(FOREIGN)?.length ?? 0) <= known;
}
