/** Plans, recordings and styles, imported as text. */
declare module "*.yaml" {
  const text: string;
  export default text;
}
declare module "*.ndjson" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}
