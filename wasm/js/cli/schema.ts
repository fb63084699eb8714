/** `stepgraph schema` */
import { planSchema } from "../editor/node.js";
import type { Io } from "./io.js";
import type { Arguments } from "./options.js";

export async function schemaCommand(_args: Arguments, io: Io): Promise<number> {
  io.out.write(`${JSON.stringify(planSchema(), null, 2)}\n`);
  return 0;
}
