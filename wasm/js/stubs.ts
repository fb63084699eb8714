/** Stubs are read by the engine; here only what is wrong with them is asked, and which tools they stand for. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import type { Stubs, ToolInfo } from "./types.js";

/** What is wrong with stubs, if anything. */
export function stubError(stubs: Stubs): { place: string; message: string } | null {
  const error = wasm.stub_error(JSON.stringify(stubs));
  return error === undefined ? null : (JSON.parse(error) as { place: string; message: string });
}

/**
 * The tools that stubs stand for, as a server would list them: for {@link check}, {@link review} and {@link checkToolPlan}. A stub that
 * says nothing of its tool stands for one that takes anything.
 */
export function stubTools(stubs: Stubs): ToolInfo[] {
  return Object.entries(stubs.tools ?? {}).map(([name, stub]) => {
    const { description, input_schema = {}, output_schema, annotations } = typeof stub === "string" ? {} : (stub as Partial<ToolInfo>);
    return { name, ...(description === undefined ? {} : { description }), input_schema, ...(output_schema && { output_schema }), ...(annotations && { annotations }) };
  });
}
