/** The command that starts a server. */

/** How to start a server. */
export interface StdioCommand {
  /** Looked up on the path, without a shell. */
  command: string;
  /** Its arguments. */
  args?: readonly string[];
  /** Variables of the process, besides a few such as `PATH` and `HOME`. Others may be keys. */
  env?: Readonly<Record<string, string>>;
  /** Default: the current folder. */
  cwd?: string;
}
