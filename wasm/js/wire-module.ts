/** The script of the wire's module. */
export * from "../pkg/stepgraph_wire.js";
export { setHost } from "./wire-loader.js";
