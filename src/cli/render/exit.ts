// How a process ended.
import type { Exit } from '../../ipc/views.ts';

export function exitText({ code, signal }: Exit): string {
  if (code === null && signal === null) return 'unknown: it was adopted from a daemon that died';
  return signal === null ? `code ${code}` : `signal ${signal}`;
}
