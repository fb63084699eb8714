/** How people call the program: printed commands can be pasted. */
export function programName(command: string): string {
  // npx sets this. A project's scripts have the program in their path.
  return process.env.npm_command === "exec" ? `npx stepgraph ${command}` : `stepgraph ${command}`;
}
