/** A plan's review as text. */
import type { Effect, Review } from "../review.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { clip, visible } from "../terminal/text.js";

const EFFECTS: [Effect, string][] = [
  ["reads", "reads"],
  ["writes", "writes"],
  ["destroys", "destroys"],
  ["unknown", "may write"],
];

/** Effects are unknown without servers, so only names appear. */
export function reviewLines(file: string, review: Review, { style, columns }: RenderOptions): string[] {
  const { fingerprint, tools, models, people, handlers, bounds } = review;
  const asked = tools.some(({ known }) => known !== null);
  const rows: [string, string][] = asked
    ? EFFECTS.map(([effect, word]): [string, string] => [
        word,
        names(tools.filter((tool) => tool.effect === effect).map(({ name }) => name)),
      ])
    : [["calls", names(tools.map(({ name }) => name))]];
  rows.push(
    ["handlers", names(handlers.map(({ type }) => type))],
    ["models", names(models.map(({ name }) => name))],
    ["approvals", names(people)],
    ["limits", boundsText(bounds)],
  );
  const head = `${style.bold(visible(file))}  ${style.dim(fingerprint.hash)}`;
  return [
    head,
    ...rows
      .filter(([, text]) => text !== "")
      .map(
        ([word, text]) =>
          `  ${style.dim(word.padEnd(9))} ${word === "destroys" ? style.red(clip(text, columns - 14)) : clip(text, Math.max(20, columns - 14))}`,
      ),
  ];
}

export function reviewJson(review: Review | undefined): object {
  if (review === undefined) return {};
  const { fingerprint, ...rest } = review;
  return { fingerprint, review: rest };
}

function names(list: string[]): string {
  return [...new Set(list)].map(visible).join(", ");
}

function boundsText({ visits, steps, calls, timeoutMs, tokens, usd, outputBytes, tries }: Review["bounds"]): string {
  const parts = [
    `${visits} visits per node`,
    steps && `${steps} steps`,
    calls && `${calls} calls`,
    tokens && `${tokens} tokens`,
    usd !== null && `${usd} USD`,
    outputBytes && `${outputBytes} bytes`,
  ];
  const time = timeoutMs === null ? "no time limit" : `${timeoutMs} ms`;
  return [...parts, time, tries > 1 && `at most ${tries} attempts`].filter(Boolean).join(", ");
}
