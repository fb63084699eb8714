/** `frame-boot.ts` as one script, from the bundler. */
declare module "embed:frame-boot" {
  const script: string;
  export default script;
}
