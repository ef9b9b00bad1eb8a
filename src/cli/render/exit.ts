// Renders how a process ended.
import type { Exit } from '../../ipc/views.ts';

export function exitText({ code, signal }: Exit): string {
  if (code === null && signal === null) return 'unknown: the process was adopted after a daemon crash';
  return signal === null ? `code ${code}` : `signal ${signal}`;
}
