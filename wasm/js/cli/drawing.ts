/**
 * A plan as text that other programs draw: Mermaid and Graphviz.
 *
 * Pure. Names and conditions are a stranger's text: ids are made here, and labels can't end themselves or become markup.
 */

/** What is drawn. */
export interface Drawn {
  start: string | null;
  /** `inside`: the graphs that a node runs, by branch. */
  nodes: Record<string, { type: string; tool?: string | null; inside?: { name: string; graph: Drawn }[] }>;
  edges: { from: string; to: string; condition?: string | null }[];
}

const MOST = 60;

/** A Mermaid flowchart; a graph inside a node is a subgraph, to which a dotted line leads from its node. */
export function mermaid(graph: Drawn): string {
  const lost: string[] = [];
  const lines = ["flowchart TD", ...mermaidLines(graph, "n", "  ", lost)];
  if (lost.length > 0) lines.push("  classDef unreachable stroke-dasharray: 4 4", `  class ${lost.join(",")} unreachable`);
  return `${lines.join("\n")}\n`;
}

/** The lines of one graph, whose ids begin with `prefix`. */
function mermaidLines(graph: Drawn, prefix: string, indent: string, lost: string[]): string[] {
  const names = Object.keys(graph.nodes);
  const id = new Map(names.map((name, index) => [name, `${prefix}${index}`]));
  const lines: string[] = [];
  const start = graph.start === null ? undefined : id.get(graph.start);
  const first = prefix === "n" ? "start" : `${prefix}start`;
  if (start) lines.push(`${indent}${first}((${prefix === "n" ? "start" : "\" \""}))`, `${indent}${first} --> ${start}`);
  for (const name of names) {
    const [open, close] = isDecision(graph, name) ? ["{", "}"] : ["[", "]"];
    lines.push(`${indent}${id.get(name)}${open}"${labelOf(graph, name).map(mermaidText).join("<br/>")}"${close}`);
    for (const [index, inner] of (graph.nodes[name]!.inside ?? []).entries()) {
      const own = `${id.get(name)}_${index}`;
      lines.push(`${indent}subgraph ${own}["${mermaidText(innerName(name, inner.name))}"]`, ...mermaidLines(inner.graph, `${own}_`, `${indent}  `, lost), `${indent}end`, `${indent}${id.get(name)} -.-> ${own}`);
    }
  }
  for (const edge of graph.edges) {
    const [from, to] = [id.get(edge.from), id.get(edge.to)];
    if (from && to) lines.push(`${indent}${from} -->${edge.condition ? `|"${mermaidText(edge.condition)}"|` : ""} ${to}`);
  }
  lost.push(...unreachable(graph).map((name) => id.get(name)!));
  return lines;
}

/** A Graphviz digraph; a graph inside a node is a cluster, to which a dotted line leads from its node. */
export function dot(graph: Drawn): string {
  const lines = ["digraph plan {", "  node [shape=box, style=rounded, fontname=\"sans-serif\"];", "  edge [fontname=\"sans-serif\", fontsize=10];"];
  return `${[...lines, ...dotLines(graph, "n", "  ")].join("\n")}\n}\n`;
}

function dotLines(graph: Drawn, prefix: string, indent: string): string[] {
  const lost = new Set(unreachable(graph));
  const id = new Map(Object.keys(graph.nodes).map((name, index) => [name, `${prefix}${index}`]));
  const lines: string[] = [];
  const first = prefix === "n" ? "start" : `${prefix}start`;
  const start = graph.start === null ? undefined : id.get(graph.start);
  if (start) lines.push(`${indent}${first} [shape=circle, style=filled, label="", width=0.2];`, `${indent}${first} -> ${start};`);
  for (const [name, own] of id) {
    const shape = `${isDecision(graph, name) ? ", shape=diamond" : ""}${lost.has(name) ? ", style=\"rounded,dashed\"" : ""}`;
    lines.push(`${indent}${own} [label="${labelOf(graph, name).map(dotText).join("\\n")}"${shape}];`);
    for (const [index, inner] of (graph.nodes[name]!.inside ?? []).entries()) {
      const within = `${own}_${index}`;
      lines.push(`${indent}subgraph cluster_${within} {`, `${indent}  label="${dotText(innerName(name, inner.name))}"; style=dashed; fontname="sans-serif";`, ...dotLines(inner.graph, `${within}_`, `${indent}  `), `${indent}}`);
      if (inner.graph.start !== null) lines.push(`${indent}${own} -> ${within}_start [style=dotted];`);
    }
  }
  for (const edge of graph.edges) {
    const [from, to] = [id.get(edge.from), id.get(edge.to)];
    if (from && to) lines.push(`${indent}${from} -> ${to}${edge.condition ? ` [label="${dotText(edge.condition)}"]` : ""};`);
  }
  return lines;
}

/** What a graph inside a node is called. */
function innerName(node: string, branch: string): string {
  return branch === "" ? node : `${node}: ${branch}`;
}

/** The nodes that no path from the start leads to. */
export function unreachable(graph: Drawn): string[] {
  if (graph.start === null) return [];
  const next = new Map<string, string[]>();
  for (const { from, to } of graph.edges) {
    const all = next.get(from);
    if (all) all.push(to);
    else next.set(from, [to]);
  }
  const seen = new Set([graph.start]);
  for (const name of seen) for (const to of next.get(name) ?? []) seen.add(to);
  return Object.keys(graph.nodes).filter((name) => !seen.has(name));
}

/** The name, and below it what the node does where the name does not say so. */
function labelOf(graph: Drawn, name: string): string[] {
  const { type, tool } = graph.nodes[name]!;
  const kind = tool ? `${type}: ${tool}` : type;
  return kind === name ? [name] : [name, kind];
}

/** A node where the path parts is drawn as a question. */
function isDecision(graph: Drawn, name: string): boolean {
  return ["decision", "validation"].includes(graph.nodes[name]!.type);
}

function mermaidText(text: string): string {
  return short(text).replace(/[#"&<>`\\[\]{}|;]/g, (character) => `#${character.charCodeAt(0)};`);
}

function dotText(text: string): string {
  return short(text).replace(/["\\]/g, "\\$&");
}

/** One line of bounded length. */
function short(text: string): string {
  const line = [...text.slice(0, MOST * 4).replace(/[\s\p{Cc}]+/gu, " ")];
  return line.length > MOST ? `${line.slice(0, MOST - 1).join("")}…` : line.join("");
}
