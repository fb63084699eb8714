/** SARIF 2.1.0 and GitHub annotations count from 1, columns in UTF-16 units. */
import type { Diagnostic, Span } from "../types.js";
import type { Failure } from "./usage-error.js";
import type { Source } from "../terminal/diagnostics.js";

export interface FileFindings {
  file: string;
  source: Source;
  diagnostics: Diagnostic[];
  unreadable: Failure | null;
}

interface Region {
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

const LEVELS = { error: "error", warning: "warning", hint: "note" } as const;

export function sarif(files: FileFindings[], version: string): unknown {
  const codes = [...new Set(files.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code as string)))].sort();
  const results = files.flatMap((file) => file.diagnostics.map((diagnostic) => result(diagnostic, file, codes)));
  const notifications = files
    .filter((one): one is FileFindings & { unreadable: Failure } => one.unreadable !== null)
    .map(({ file, unreadable }) => ({
      level: "error",
      descriptor: { id: unreadable.code },
      message: { text: unreadable.message },
      locations: [{ physicalLocation: { artifactLocation: { uri: uri(file) } } }],
    }));
  const driver = { name: "stepgraph", version, rules: codes.map((id) => ({ id })) };
  const invocation = { executionSuccessful: notifications.length === 0, toolExecutionNotifications: notifications };
  return {
    version: "2.1.0",
    runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", invocations: [invocation], results }],
  };
}

function result(diagnostic: Diagnostic, findings: FileFindings, codes: string[]): unknown {
  const { code, severity, span, labels, fix } = diagnostic;
  const artifact = (path?: string) => ({ uri: uri(fileOf(findings, path)) });
  const artifactLocation = artifact(diagnostic.file);
  const source = findings.source.of(diagnostic.file);
  const place = (one: Span, path?: string) => ({
    artifactLocation: artifact(path),
    region: regionOf(one, findings.source.of(path)),
  });
  const related = labels.map((label) => ({
    physicalLocation: place(label.span, label.file),
    message: { text: label.message },
  }));
  const replacements = fix.map((edit) => ({
    deletedRegion: regionOf(edit.span, source),
    insertedContent: { text: edit.text },
  }));
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: LEVELS[severity],
    message: { text: messageWithHelp(diagnostic) },
    locations: [{ physicalLocation: span ? place(span, diagnostic.file) : { artifactLocation } }],
    ...(related.length > 0 && { relatedLocations: related }),
    ...(replacements.length > 0 && {
      fixes: [{ artifactChanges: [{ artifactLocation, replacements }] }],
    }),
  };
}

function fileOf({ file, source }: FileFindings, path: string | undefined): string {
  return path === undefined ? file : source.nameOf(path);
}

export function annotations(files: FileFindings[]): string {
  const lines = files.flatMap((findings) => [
    ...(findings.unreadable === null
      ? []
      : [annotation("error", { file: findings.file, title: findings.unreadable.code }, findings.unreadable.message)]),
    ...findings.diagnostics.map((diagnostic) => {
      const file = fileOf(findings, diagnostic.file);
      const region = diagnostic.span && regionOf(diagnostic.span, findings.source.of(diagnostic.file));
      const places = region && {
        line: region.startLine,
        endLine: region.endLine,
        // GitHub ignores columns of multi-line ranges.
        ...(region.startLine === region.endLine && { col: region.startColumn, endColumn: region.endColumn }),
      };
      const level = { error: "error", warning: "warning", hint: "notice" }[diagnostic.severity];
      return annotation(level, { file, ...places, title: diagnostic.code }, messageWithHelp(diagnostic));
    }),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

function annotation(level: string, properties: Record<string, string | number>, message: string): string {
  const list = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`);
  return `::${level} ${list.join(",")}::${data(message)}`;
}

/** A line break in untrusted text would start another command. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function messageWithHelp({ message, help }: Diagnostic): string {
  return help ? `${message}\nhelp: ${help}` : message;
}

function regionOf({ start, end }: Span, source: Source): Region {
  const startLine = source.lineAt(start);
  const endLine = source.lineAt(Math.max(start, end));
  return {
    startLine,
    startColumn: start - source.lineSpan(startLine).start + 1,
    endLine,
    endColumn: Math.max(start, end) - source.lineSpan(endLine).start + 1,
  };
}

function uri(file: string): string {
  return file === "-" ? "stdin" : encodeURI(file.replaceAll("\\", "/")).replaceAll("#", "%23").replaceAll("?", "%3F");
}
