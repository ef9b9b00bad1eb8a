// Parses who a client says that it is. Nobody can check it, so it is never a reason to refuse a command.
import type { CallerView } from './event-views.ts';

/** Characters. */
const longestName = 256;
const longestCommand = 1_000;

/** Keeps the known fields that have the right type, and cuts what is too long. */
export function parseCaller(input: unknown): CallerView {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const texts = { user: longestName, terminal: longestName, host: longestName, command: longestCommand };
  const caller: Record<string, unknown> = {};
  for (const [name, longest] of Object.entries(texts)) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') caller[name] = value.slice(0, longest);
  }
  for (const name of ['uid', 'pid']) {
    const value = fields[name];
    if (Number.isSafeInteger(value) && Number(value) >= 0) caller[name] = value;
  }
  return caller;
}
