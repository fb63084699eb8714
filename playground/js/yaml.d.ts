/** Plans and recordings, which the bundler imports as text. */
declare module "*.yaml" {
  const text: string;
  export default text;
}
declare module "*.ndjson" {
  const text: string;
  export default text;
}
