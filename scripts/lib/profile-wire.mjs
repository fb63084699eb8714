/** Calls typical servers and models, and writes the part of each function of the wire. See `profile-parts.mjs`. */
import { groups } from "./profile-calls.mjs";
import { writeProfile } from "./profile-parts.mjs";

/** The engine may not be there yet. Clients ask it only where the wire is. */
const WITHOUT_ENGINE = {
  name: "without-engine",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/engine\.js$/ }, () => ({ path: "engine", namespace: "without-engine" }));
    onLoad({ filter: /.*/, namespace: "without-engine" }, () => ({
      contents: `let source;
        export const setWireSource = (given) => (source = given);
        export const wireSource = () => source;
        export const assertStarted = () => {};
        export const engineError = (error) => error;
        export const isUnusable = () => false;
        export const release = (object) => object.free();`,
    }));
  },
};

await writeProfile({
  entry: `export * from "./mcp.js"; export * from "./models.js"; export * from "./auth.js"; export * from "./wire.js";
    export { setWireSource } from "./engine.js"; import * as glue from "../pkg/stepgraph_wire.js"; export { glue };`,
  plugin: WITHOUT_ENGINE,
  start({ glue, setWireSource }, module) {
    setWireSource({ main: () => module });
    return glue.initSync({ module }).memory;
  },
  groups,
});
