/** Files of `stepgraph init`. */
import { planSchema } from "../editor/node.js";
import type { Example } from "./example-store.js";
import { version } from "./version.js";

export interface ProjectFile {
  path: string;
  about: string;
  text: string;
}

export const PLANS = "plans/";
export const SETTINGS = ".vscode/settings.json";
export const SCHEMA = "stepgraph.schema.json";

/** The schema would report every line of stubs. */
export const SCHEMA_SETTING = { "yaml.schemas": { [`./${SCHEMA}`]: ["plans/*.yaml", "!plans/*.stubs.yaml"] } };

export function projectFiles(example: Example): ProjectFile[] {
  const { name, plan, stubs } = example;
  const files: ProjectFile[] = [
    { path: `${PLANS}${name}.yaml`, about: "the plan, with its tests at the end", text: plan },
    ...(stubs === null
      ? []
      : [{ path: `${PLANS}${name}.stubs.yaml`, about: "stubs: answers for runs without a network", text: stubs }]),
    { path: SCHEMA, about: "the JSON Schema of plans, for editors", text: json(planSchema()) },
    { path: SETTINGS, about: "uses the schema in Visual Studio Code", text: json(SCHEMA_SETTING) },
    {
      path: ".vscode/extensions.json",
      about: "recommends the extension for YAML",
      text: json({ recommendations: ["redhat.vscode-yaml"] }),
    },
    { path: ".github/workflows/stepgraph.yml", about: "checks and tests the plans on GitHub", text: workflow() },
  ];
  return [...files, { path: "README.md", about: "how to go on", text: readme(example, files) }];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Pins versions, because a later one may change the format. */
function workflow(): string {
  const command = `npx --yes stepgraph@^${version()}`;
  return `# GitHub reads this file only in the top folder of a repository.
name: Plans
on: [push, pull_request]
permissions:
  contents: read
jobs:
  plans:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - name: Check
        run: ${command} check --deny warnings --output github plans/*.yaml
      - name: Format
        run: ${command} format --check plans/*.yaml
      - name: Test
        run: ${command} test plans/*.yaml
`;
}

function readme({ name, summary, run, stubs }: Example, files: ProjectFile[]): string {
  const plan = `${PLANS}${name}.yaml`;
  const servers =
    stubs === null
      ? ""
      : `
The stubs answer in place of tools, models and your own node types. For real use, name what answers instead:

\`\`\`sh
npx stepgraph ${run.replace(/ --stubs \S+/, "")} --server URL --model PROVIDER:NAME --handlers FILE
\`\`\`
`;
  return `# Plans for agents

${summary}

\`\`\`sh
npx stepgraph check plans/*.yaml
npx stepgraph test plans/*.yaml
npx stepgraph ${run}
\`\`\`

Add \`--watch\` to any of them. Then it runs again whenever you save a file.
${servers}
| file | what it is |
| --- | --- |
${files.map(({ path, about }) => `| \`${path}\` | ${about} |`).join("\n")}

| command | what it does |
| --- | --- |
| \`npx stepgraph graph ${plan}\` | draws the plan |
| \`npx stepgraph format plans/*.yaml\` | formats the plans |
| \`npx stepgraph examples\` | lists more examples |
| \`npx stepgraph schema > ${SCHEMA}\` | writes the schema again, after an update |
`;
}
