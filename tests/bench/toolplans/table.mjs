/** Formats the measurement for people. */

const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(share === 1 ? 0 : 1)} %`);

/** Formats the table alone, in Markdown. */
export function table({ classes, overall }) {
  const rows = [
    ["fault", "planted", "found", "recall", "false alarms", "precision"],
    ["---", "---:", "---:", "---:", "---:", "---:"],
    ...[...classes, { name: "all", ...overall }].map((row) => [
      row.name,
      row.planted,
      row.found,
      percent(row.recall),
      row.false_alarms,
      percent(row.precision),
    ]),
  ];
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

const truncate = (text) => (text.length > 200 ? `${text.slice(0, 199)}…` : text);
const formatList = (list) =>
  list.map(({ code, call, message }) => `    ${code}${call === undefined ? "" : ` @ ${call}`}: ${truncate(message)}`);

/** Formats the whole report. */
export function describe(found) {
  const { plans, sound, faulty, alarms, misses, skipped, unknown } = found;
  const section = (title, lines) => (lines.length === 0 ? [] : ["", title, ...lines]);
  return [
    `${plans} plans, ${sound} sound and ${faulty} with planted faults`,
    "",
    table(found),
    ...section(
      `${misses.length} missed:`,
      misses.flatMap(({ id, faults, said: list }) => [`  ${id}: ${faults.join(", ")}`, ...formatList(list)]),
    ),
    ...section(
      `${alarms.length} false alarms:`,
      alarms.flatMap(({ id, said: list }) => [`  ${id}`, ...formatList(list)]),
    ),
    ...section(
      `${skipped.length} lines skipped:`,
      skipped.map(({ line, why }) => `  ${line}: ${truncate(why)}`),
    ),
    ...section(
      "classes of faults that are not known here:",
      unknown.map(({ name, plans: times }) => `  ${truncate(name)} (${times})`),
    ),
  ].join("\n");
}
