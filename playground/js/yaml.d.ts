/** Plans and recordings as the bundler gives them: their text. */
declare module "*.yaml" {
  const text: string;
  export default text;
}
declare module "*.ndjson" {
  const text: string;
  export default text;
}
