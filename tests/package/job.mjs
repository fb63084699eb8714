/** The same work for every runtime: a plan from a file, and one that branches, calls handlers and fails. Gives canonical traces. */
import { canonical, canonicalText } from "./canonical.mjs";
import recorded from "./tapes.mjs";

const branching = `
start: ask
nodes:
  ask: {type: measure, input: "\${input.city}"}
  hot: {type: log, input: "\${output.ask.degrees} degrees in \${input.city}: 🥵"}
  cold: {type: later, input: {list: ["\${last.degrees}", 0.1, 1e21], é: "\${last.none ?? null}"}}
  broken: {type: broken}
edges:
  - {from: ask, to: hot, condition: "last.degrees >= 25 && !(last.tags.contains:wind)"}
  - {from: ask, to: cold}
  - {from: cold, to: broken}`;

/** What the runs of both plans leave behind, as text. */
export async function job({ PlanGraph, run }, hello) {
  const handlers = {
    measure: (node) => ({ city: node.input, degrees: node.input === "Lima" ? 27.5 : -3, tags: ["dry"] }),
    later: async (node) => { await null; return node.input; },
    broken: () => { throw Object.assign(new Error("out of order"), { code: "shop/closed" }); },
  };
  const told = [];
  const tell = ({ outcome, last, outputs, path, trace }) => told.push(canonical(trace), canonicalText({ outcome, last, outputs, path }));
  for (const input of ["Ada", null]) tell(await run(PlanGraph.parse(hello).graph, { input }));
  const { graph, diagnostics } = PlanGraph.parse(branching);
  told.push(canonicalText(diagnostics));
  for (const city of ["Lima", "Oslo"]) tell(await run(graph, { input: { city }, handlers }));
  for await (const { type } of run.stream(graph, { input: { city: "Oslo" }, handlers })) told.push(type);
  for (const { name, lines, trace } of recorded.tapes) {
    const report = await run(PlanGraph.parse(recorded.plan).graph, { replay: lines });
    told.push(`${name}: ${canonical(report.trace) === trace ? "the very trace" : `another trace: ${canonicalText(report.outcome)}`}`);
  }
  return told.join("\n");
}
