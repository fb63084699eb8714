/** Users can't act on Node's warning. */
export async function withoutSqliteWarning<T>(open: () => Promise<T>): Promise<T> {
  const warn = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes("SQLite is an experimental feature"))
      (warn as (...all: unknown[]) => void).call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return await open();
  } finally {
    process.emitWarning = warn;
  }
}
