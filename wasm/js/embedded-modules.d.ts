/** Module bytes that the bundler puts into `stepgraph/standalone`. */
declare module "embedded:engine" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module "embedded:wire" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
