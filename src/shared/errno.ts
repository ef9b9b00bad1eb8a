// The system's name for what went wrong, such as ENOENT.

export function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null | undefined)?.code;
}
