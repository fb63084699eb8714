/** Fixes plans, but keeps comments, order and layout. */
import type { DriftFix, DriftProblem } from "../lock-types.js";
import type { Span } from "../types.js";
import { editPlan, readYaml } from "../editor/node.js";

interface Edit {
  span: Span;
  text: string;
}

/** YAML reads these words as other values. */
const NO_TEXT = /^(null|true|false|yes|no|on|off|y|n)$/i;

export interface FixedText {
  text: string;
  fixed: DriftProblem[];
}

/** Skips fixes of other files and overlapping ones. */
export function fixText(text: string, problems: readonly DriftProblem[], isJson: boolean): FixedText {
  const fixed: DriftProblem[] = [];
  const edits: Edit[] = [];
  for (const problem of problems) {
    const edit = problem.file === undefined ? editOf(text, problem, isJson) : null;
    if (edit === null || edits.some(({ span }) => overlaps(span, edit.span))) continue;
    edits.push(edit);
    fixed.push(problem);
  }
  edits.sort((a, b) => b.span.start - a.span.start);
  const edited = edits.reduce(
    (all, { span, text: part }) => all.slice(0, span.start) + part + all.slice(span.end),
    text,
  );
  return addArguments(edited, problems, fixed, isJson);
}

function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

function editOf(text: string, { span, fix }: DriftProblem, isJson: boolean): Edit | null {
  if (span === null || fix === null || fix.type === "add-argument") return null;
  const old = text.slice(span.start, span.end);
  const part = fix.type === "replace" ? replaced(old, fix, isJson) : renamedField(old, fix);
  return part === null ? null : { span, text: part };
}

/** Keeps the old quotes. Null if there is another value. */
function replaced(
  old: string,
  { from, value }: Extract<DriftFix, { type: "replace" }>,
  isJson: boolean,
): string | null {
  const { value: text } = readYaml(old);
  if (String(text) !== from) return null;
  if (isJson || old.startsWith('"')) return JSON.stringify(value);
  if (old.startsWith("'") && !/[\x00-\x1f]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return /^[A-Za-z_][\w.-]*$/.test(value) && !NO_TEXT.test(value) ? value : JSON.stringify(value);
}

/** Replaces the last field of that name. Null if the new one needs quotes. */
function renamedField(old: string, { from, to }: Extract<DriftFix, { type: "rename-field" }>): string | null {
  const at = old.lastIndexOf(`.${from}`);
  const isWhole = at >= 0 && !/^[\p{L}\p{N}_-]/u.test(old.slice(at + 1 + from.length));
  return isWhole && /^[A-Za-z_]\w*$/.test(to) ? `${old.slice(0, at)}.${to}${old.slice(at + 1 + from.length)}` : null;
}

function addArguments(
  text: string,
  problems: readonly DriftProblem[],
  fixed: DriftProblem[],
  isJson: boolean,
): FixedText {
  let all = text;
  for (const problem of problems) {
    const { fix, file } = problem;
    if (fix?.type !== "add-argument" || file !== undefined) continue;
    const steps = fix.node.split("/");
    const [node, scope] = [steps.at(-1)!, steps.slice(0, -1).join("/")];
    const edit = { op: "set_setting" as const, node, path: ["input", fix.name], value: fix.value };
    const format = isJson ? ({ format: "json" } as const) : {};
    const { text: next, refused } = editPlan(all, [scope === "" ? edit : { ...edit, scope }], format);
    if (refused !== null) continue;
    all = next;
    fixed.push(problem);
  }
  return { text: all, fixed };
}
