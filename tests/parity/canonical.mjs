/**
 * Canonical text of traces and states, written independently of `stepgraph_core::trace::canonical`. Runs in any
 * runtime.
 */

/** One event a line, with sorted keys and no times. */
export function canonical(events) {
  return events
    .map((event) => {
      const { atMs: _at, durationMs: _took, ...rest } = event;
      return `${canonicalText(rest)}\n`;
    })
    .join("");
}

export function canonicalText(value) {
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item)}`).join(",")}}`;
}

/** No exponents. Integers have all digits, fractions the shortest form that parses to the same number. */
export function numberText(number) {
  if (number === 0) return "0";
  const [mantissa, exponent] = String(number).split("e");
  if (exponent === undefined) return mantissa;
  const [, sign, whole, fraction = ""] = /^(-?)(\d)(?:\.(\d+))?$/.exec(mantissa);
  const digits = whole + fraction;
  const point = 1 + Number(exponent);
  return sign + (point <= 0 ? `0.${"0".repeat(-point)}${digits}` : digits.padEnd(point, "0"));
}

function byCodePoint(a, b) {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return rank(a, at) - rank(b, at);
}

/** Surrogates rank above all other units. The end of a text ranks first. */
function rank(text, at) {
  if (at >= text.length) return -1;
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
