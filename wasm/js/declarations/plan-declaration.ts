/** Writes a plan's TypeScript declaration: input, outputs, and needs. */
import type { PlanGraph } from "../graph.js";
import type { Review } from "../review.js";
import { graphsByScope, outputTypes } from "./node-outputs.js";
import { isRecord } from "../records.js";
import { type Budget, newBudget, schemaType } from "./schema-type.js";
import { bare, type Member, objectType, propertyName, textUnion, UNKNOWN } from "./syntax.js";

export interface DeclarationOptions {
  graph: PlanGraph;
  /** Made with the tools of `outputSchema`. */
  review: Review;
  outputSchema?: (tool: string) => unknown;
}

/** These name outputs themselves. */
const NAMING_TYPES = new Set(["plan", "gather", "react", "execute_tools"]);
/** Larger plans get no types of outputs. */
const MAX_NODES = 2000;

/** Other files were written by somebody else. */
export const DECLARATION_HEAD = "// Written by `stepgraph types`.";

/** Compilers look for `plan.d.yaml.ts` of `plan.yaml`. Null without an ending. */
export function declarationFile(plan: string): string | null {
  return /[^/\\]\.\w+$/.test(plan) ? plan.replace(/\.(\w+)$/, ".d.$1.ts") : null;
}

/** Depends on the plan and tools only. */
export function planDeclaration({ graph, review, outputSchema = () => undefined }: DeclarationOptions): string {
  const budget = newBudget();
  const json = graph.toJSON();
  const input = inputType(isRecord(json) ? json.inputs : undefined, budget);
  const parts: [string, string, string][] = [
    ["Input", "The input of a run.", input],
    [
      "Outputs",
      "The outputs by node id. Only nodes that a run visited have one.",
      outputsType({ graph, review, outputSchema }, json, input, budget),
    ],
    ["Handlers", "The node types that need a handler, each with its nodes.", handlersType(review)],
    ["Models", "The models that the plan names.", namesType(review.models)],
    ["Tools", "The tools that the plan may call.", namesType(review.tools)],
    ["Approvals", "The nodes that ask for approval.", textUnion(review.people)],
  ];
  const members = parts.map(([name]): Member => ({ name: name.toLowerCase(), type: name }));
  return [
    `${DECLARATION_HEAD} Change the plan instead, and write it again.`,
    'import type { PlanGraph } from "stepgraph";',
    "",
    ...parts.map(([name, text, type]) => `/** ${text} */\nexport type ${name} = ${bare(type)};\n`),
    `/** The types of the plan, for \`PlanGraph<Types>\`. */\nexport type Types = ${objectType(members)};\n`,
    "declare const plan: PlanGraph<Types>;",
    "export default plan;",
    "",
  ].join("\n");
}

/** Inputs with a default are optional. The engine refuses other names. */
function inputType(inputs: unknown, budget: Budget): string {
  if (!isRecord(inputs) || Object.keys(inputs).length === 0) return UNKNOWN;
  const members = Object.entries(inputs).map(([name, schema]): Member => {
    const { default: otherwise, description } = isRecord(schema) ? schema : {};
    return {
      name: propertyName(name),
      type: schemaType(schema, budget),
      optional: otherwise !== undefined,
      documentation: description,
    };
  });
  return objectType(members);
}

function outputsType(
  { graph, outputSchema }: Required<DeclarationOptions>,
  json: unknown,
  input: string,
  budget: Budget,
): string {
  if (graph.nodes.length > MAX_NODES) return "Record<string, unknown>";
  const graphs = graphsByScope(graph.nodes, graph.edges);
  const { nodes, edges } = graphs.get("") ?? { nodes: [], edges: [] };
  const parts = { nodes, edges, start: graph.start, input, json, scope: "", graphs };
  const types = outputTypes({ ...parts, outputSchema, budget });
  // Conversations, handlers and planners may use any name, also of another output.
  const named = new Set(nodes.map(({ with: { conversation } }) => String(conversation ?? "")));
  const anyName = nodes.some(({ type }) => NAMING_TYPES.has(type));
  const members = [...types].map(
    ([id, type]): Member => ({
      name: propertyName(id),
      type: anyName || named.has(id) ? UNKNOWN : type,
      optional: true,
    }),
  );
  return objectType([...members, { name: "[name: string]", type: UNKNOWN }]);
}

function handlersType({ handlers }: Review): string {
  return objectType(handlers.map(({ type, nodes }) => ({ name: propertyName(type), type: textUnion(nodes) })));
}

/** Computed names and the star may be any. */
function namesType(named: readonly { name: string }[]): string {
  const names = named.map(({ name }) => name);
  return names.some((name) => name === "*" || name.includes("${")) ? "string" : textUnion(names);
}
