/** The command that starts a server. */

/** How to start a server that is a program. */
export interface StdioCommand {
  /** The program, looked up on the path. No shell reads it. */
  command: string;
  /** Its arguments. */
  args?: readonly string[];
  /** Variables of the process, besides a few such as `PATH` and `HOME`. It gets no others, because they may be keys. */
  env?: Readonly<Record<string, string>>;
  /** The folder to start it in. Default: the current one. */
  cwd?: string;
}
