/** The text of `frame-boot.ts` as one script, which the bundler provides. */
declare module "embed:frame-boot" {
  const script: string;
  export default script;
}
