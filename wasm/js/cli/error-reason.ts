/** Reasons of failed file operations. */
export function errorReason(error: unknown): string {
  const code = (error as { code?: string }).code ?? "";
  const words: Record<string, string> = {
    ENOENT: "there is no such file",
    EISDIR: "it is a folder",
    EACCES: "permission denied",
    EPERM: "permission denied",
    ENOTDIR: "a part of its path is not a folder",
    ENOSPC: "the disk is full",
  };
  // Node adds a stack of modules to some messages.
  return words[code] ?? (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!;
}
