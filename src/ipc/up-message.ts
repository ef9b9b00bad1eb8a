// Parses what a process says to the daemon. It runs user code, so it is trusted as little as a client.
import {
  type BindRequest,
  longestBroadcast,
  longestCounts,
  longestPart,
  marker,
  stopSignals,
  type UpMessage,
} from './worker-messages.ts';

type Fields = Record<string, unknown>;
type Of<T extends UpMessage['type']> = Omit<Extract<UpMessage, { type: T }>, 'cmd' | 'type'>;

/** Characters of a key, an address or a mark. A path in them is limited by the system to about a hundred. */
const longestText = 1_000;
/** A reason is cut off after this many characters: it quotes the message of an error. */
const longestReason = 1_000;
/** Of a list of what a process waits for. */
const mostEntries = 50;
/** Levels of nesting in a message of an app. `JSON.stringify` overflows the stack with some thousand. */
const deepest = 200;

/** One per type; a missing one does not compile. Each throws a TypeError that names the field. */
const parsers: { [T in UpMessage['type']]: (fields: Fields) => Of<T> } = {
  bind: ({ seq, address }) => ({ seq: count('seq', seq), address: bindRequest(address) }),
  listening: ({ key, address, canLeave, speaks, scheme }) => ({
    key: text('key', key),
    address: text('address', address),
    ...(canLeave === true && { canLeave }),
    ...(speaks !== undefined && { speaks: oneOf('speaks', speaks, ['any', 'http2']) }),
    ...(scheme !== undefined && { scheme: oneOf('scheme', scheme, ['http', 'https']) }),
  }),
  closed: ({ key }) => ({ key: text('key', key) }),
  accepted: ({ seq }) => ({ seq: count('seq', seq) }),
  declined: ({ seq }) => ({ seq: count('seq', seq) }),
  'wants-messages': () => ({}),
  'check-port': ({ seq, host, port, ipv6Only, toListen }) => ({
    seq: count('seq', seq),
    port: count('port', port),
    ...(host !== undefined && { host: text('host', host) }),
    ...(ipv6Only === true && { ipv6Only }),
    toListen: toListen === true,
  }),
  serving: () => ({}),
  loaded: () => ({}),
  draining: () => ({}),
  'in-flight': (fields) => ({ count: count('count', fields.count) }),
  'only-idle-left': () => ({}),
  remaining: ({ isFree, waitsFor, connected, failed }) => ({
    isFree: isFree === true,
    waitsFor: counts('waitsFor', waitsFor),
    connected: texts('connected', connected),
    failed: texts('failed', failed),
  }),
  'request-limit': ({ requests }) => ({ requests: count('requests', requests) }),
  'handled-error': ({ kind }) => ({ kind: oneOf('kind', kind, ['exception', 'rejection']) }),
  leaving: ({ reason, by }) => ({
    reason: shortened('reason', reason),
    ...(by !== undefined && { by: oneOf('by', by, ['app', 'signal']) }),
  }),
  disconnected: () => ({}),
  reconnected: ({ mark, pid }) => ({ mark: text('mark', mark), pid: count('pid', pid) }),
  'return-socket': ({ key, mode, origin }) => ({
    key: text('key', key),
    mode: oneOf('mode', mode, ['handle', 'handed']),
    origin: typeof origin === 'string' ? text('origin', origin) : count('origin', origin),
  }),
  'sockets-returned': () => ({}),
  attachable: ({ free }) => ({ free: free === true }),
  handles: ({ signal }) => ({ signal: oneOf('signal', signal, stopSignals) }),
  watchdog: ({ name, since }) => ({
    name: text('name', name),
    since: since === null ? null : count('since', since),
  }),
  readiness: ({ ready, reason }) => ({ ready: ready === true, reason: shortened('reason', reason) }),
  answer: ({ question, step, text: part }) => ({
    question: count('question', question),
    step: oneOf('step', step, ['begun', 'part', 'done', 'refused']),
    text: text('text', part, longestPart),
  }),
  'settings-held': ({ version }) => ({ version: count('version', version) }),
  'settings-vote': ({ proposal, reason }) => ({
    proposal: count('proposal', proposal),
    ...(reason !== undefined && { reason: shortened('reason', reason) }),
  }),
  capabilities: ({ messages, metrics, checks }) => ({
    messages: messages === true,
    metrics: metrics === true,
    checks: checks === true,
  }),
  broadcast: ({ text: json }) => ({ text: text('text', json, longestBroadcast) }),
  'broadcasts-received': (fields) => ({ count: count('count', fields.count) }),
  'ask-instances': ({ seq }) => ({ seq: count('seq', seq) }),
  counters: ({ text: json }) => ({ text: text('text', json, longestCounts) }),
  queue: ({ name, place, owner, part }) => ({
    name: word('name', name),
    place: text('place', place),
    owner: word('owner', owner),
    part: oneOf('part', part, ['closed', 'open', 'works']),
  }),
};

/** Whether it is for the daemon itself, and not from the app. Other internal messages are Node's own. */
export function isUpMessage(message: unknown): message is Fields {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === marker;
}

/** Returns the message with the known fields only. Throws a TypeError that says what is wrong. */
export function parseUpMessage(message: unknown): UpMessage {
  if (!isUpMessage(message)) throw new TypeError('not a message of nsv');
  const { type } = message;
  if (typeof type !== 'string' || !Object.hasOwn(parsers, type)) throw new TypeError('a message of an unknown type');
  try {
    const parse = parsers[type as UpMessage['type']];
    return { cmd: marker, type, ...parse(message) } as UpMessage;
  } catch (cause) {
    throw new TypeError(`a malformed message "${type}": ${(cause as Error).message}`, { cause });
  }
}

/** Throws a TypeError for a message of an app that cannot be passed on as JSON. */
export function expectRenderable(message: unknown): void {
  if (isDeeper(message, deepest)) throw new TypeError(`a message with more than ${deepest} levels of nesting`);
}

/** Only the types: what the system cannot bind is refused with an error that the app understands. */
function bindRequest(input: unknown): BindRequest {
  if (typeof input !== 'object' || input === null) throw new TypeError('"address" must be an object');
  const { kind, host, port, path, ipv6Only, index, direct } = input as Fields;
  return {
    kind: oneOf('kind', kind, ['tcp', 'pipe', 'udp4', 'udp6']),
    index: count('index', index),
    ...(host !== undefined && { host: text('host', host) }),
    ...(port !== undefined && { port: count('port', port) }),
    ...(path !== undefined && { path: text('path', path) }),
    ...(ipv6Only !== undefined && { ipv6Only: Boolean(ipv6Only) }),
    ...(direct === true && { direct }),
  };
}

function count(name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return value as number;
  throw new TypeError(`"${name}" must be a whole number, at least 0`);
}

function text(name: string, value: unknown, longest = longestText): string {
  if (typeof value !== 'string') throw new TypeError(`"${name}" must be a string`);
  if (value.length > longest) throw new TypeError(`"${name}" is longer than ${longest} characters`);
  return value;
}

/** The name of a queue, or what a process is called in its store. */
function word(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\w-]{1,50}$/.test(value)) return value;
  throw new TypeError(`"${name}" must be 1 to 50 letters, digits, "_" and "-"`);
}

function counts(name: string, value: unknown): Record<string, number> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
  if (!entries || entries.length > mostEntries)
    throw new TypeError(`"${name}" must have at most ${mostEntries} entries`);
  return Object.fromEntries(entries.map(([key, number]) => [text(name, key), count(name, number)]));
}

function texts(name: string, value: unknown): string[] {
  if (!Array.isArray(value) || value.length > mostEntries)
    throw new TypeError(`"${name}" must have at most ${mostEntries} entries`);
  return value.map((each) => text(name, each));
}

function shortened(name: string, value: unknown): string {
  return text(name, value, Number.POSITIVE_INFINITY).slice(0, longestReason);
}

function oneOf<T extends string>(name: string, value: unknown, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new TypeError(`"${name}" must be one of ${known.join(', ')}`);
}

/** Whether a value has more levels of nesting than these. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
