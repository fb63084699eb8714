// Markdown tables that are also aligned on a terminal.

/** Formats µs with three significant digits. */
export const formatMicroseconds = (value) =>
  value === undefined
    ? ""
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value >= 1
          ? value.toFixed(2)
          : value.toFixed(3);

/** Formats a ratio as `1.4×`. Empty without a unit. */
export function ratio(value, unit) {
  if (!(value > 0) || !(unit > 0)) return "";
  const times = value / unit;
  return `${times >= 100 ? times.toFixed(0) : times >= 10 ? times.toFixed(1) : times.toFixed(2)}×`;
}

/** Formats rows of text as a table. Cells that start with a digit align right. */
export function table(head, rows) {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(3, ...lines.map((row) => row[at].length)));
  const right = head.map((_, at) => rows.some((row) => /^[+-]?\d/.test(row[at])));
  const set = (cell, at) => (right[at] ? cell.padStart(widths[at]) : cell.padEnd(widths[at]));
  const line = (row) => `| ${row.map(set).join(" | ")} |`;
  const rule = `| ${widths.map((width, at) => (right[at] ? `${"-".repeat(width - 1)}:` : "-".repeat(width))).join(" | ")} |`;
  return [line(lines[0]), rule, ...lines.slice(1).map(line)].join("\n");
}
