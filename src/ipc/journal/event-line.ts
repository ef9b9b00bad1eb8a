// The lines of the journal of events, which the daemon writes and clients read. One event per line, as JSON, as `nsv events --json`
// prints it.
import type { CallerView, EventView } from './event-views.ts';

/** Characters of a text: the error of a hook or a command may quote much. */
const longestText = 2_000;
/** Milliseconds since 1970 that a Date can hold. */
const lastMoment = 8.64e15;

export function renderEventLine(event: EventView): string {
  return `${JSON.stringify(event, (_key, value) => (typeof value === 'string' ? value.slice(0, longestText) : value))}\n`;
}

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isMoment: Check = (value) => isNumber(value) && Math.abs(value as number) <= lastMoment;
const isFlag: Check = (value) => typeof value === 'boolean';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isExit: Check = (value) => {
  const { code = null, signal = null } = (value ?? {}) as Fields;
  return (isNumber(code) && signal === null) || (code === null && (signal === null || isText(signal)));
};

/** The fields of an event but for `type` and `message`, which is not in the journal; a missing one does not compile. */
const checks: Record<Exclude<keyof EventView, 'type' | 'message'>, Check> = {
  at: isMoment,
  app: isText,
  apps: isTexts,
  id: isNumber,
  slot: isNumber,
  pid: isNumber,
  logsAt: (value) => typeof value === 'object' && value !== null && Object.values(value).every(isNumber),
  exit: isExit,
  cause: isText,
  asked: isFlag,
  delay: isNumber,
  reason: isText,
  waitsFor: isTexts,
  on: isText,
  ready: isFlag,
  perHour: isNumber,
  left: (value) => value === null || isNumber(value),
  requests: isNumber,
  instances: isNumber,
  file: isText,
  to: isText,
  dropped: isNumber,
  files: isTexts,
  detail: isText,
  about: isText,
  method: isText,
  by: (value) => typeof value === 'object' && value !== null,
  count: isNumber,
  version: isNumber,
  keys: isTexts,
  since: isMoment,
};

/**
 * Undefined for what is no event: the file may have been damaged, or written by somebody else. Fields of a wrong type are
 * left out. Types of a newer nsv are kept.
 */
export function parseEventLine(line: string): EventView | undefined {
  const fields = parsed(line);
  if (typeof fields?.type !== 'string' || !isMoment(fields.at)) return undefined;
  const event: Fields = { type: fields.type };
  for (const [name, isValid] of Object.entries(checks)) {
    const value = fields[name];
    if (value !== undefined && isValid(value)) event[name] = name === 'by' ? callerIn(value) : value;
  }
  return event as unknown as EventView;
}

/** A signal is the daemon's own word; no client can claim to be one. */
function callerIn(value: unknown): EventView['by'] {
  const { signal } = value as Fields;
  return { ...parseCaller(value), ...(typeof signal === 'string' && { signal }) };
}

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** Characters. */
const longestName = 256;
const longestCommand = 1_000;

/**
 * Who a client says that it is: the known fields that have the right type, cut if they are too long. Nobody can check it, so it is never
 * a reason to refuse a command.
 */
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

/** The apps that an event concerns. */
export function appsOf({ app, apps = [] }: Pick<EventView, 'app' | 'apps'>): string[] {
  return app === undefined ? apps : [app, ...apps];
}
