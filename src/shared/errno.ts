// The system's error code, such as ENOENT.

export function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null | undefined)?.code;
}
