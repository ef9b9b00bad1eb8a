// Parses what a process says to the daemon. It runs user code, so it is trusted as little as a client.
import {
  among,
  array,
  ifTrue,
  isTrue,
  matching,
  natural,
  objectOf,
  orAbsent,
  orNull,
  record,
  type Shape,
  shortened,
  string,
} from '../shared/shapes.ts';
import {
  type BindRequest,
  longestBroadcast,
  longestCounts,
  longestPart,
  marker,
  stopSignals,
  type UpMessage,
} from './worker-messages.ts';

type Of<T extends UpMessage['type']> = Omit<Extract<UpMessage, { type: T }>, 'cmd' | 'type'>;

/** Characters of a key, an address or a mark. A path in them is limited by the system to about a hundred. */
const longestText = 1_000;
/** A reason is cut off after this many characters: it quotes the message of an error. */
const longestReason = 1_000;
/** Of a list of what a process waits for. */
const mostEntries = 50;
/** Levels of nesting in a message of an app. `JSON.stringify` overflows the stack with some thousand. */
const deepest = 200;

const short = string(longestText);
const reason = shortened(longestReason);
/** The name of a queue, or what a process is called in its store. */
const word = matching(/^[\w-]{1,50}$/, '1 to 50 letters, digits, "_" and "-"');

/** Only the types: what the system cannot bind is refused with an error that the app understands. */
const bindRequest: Shape<BindRequest> = record({
  kind: among('tcp', 'pipe', 'udp4', 'udp6'),
  index: natural,
  host: orAbsent(short),
  port: orAbsent(natural),
  path: orAbsent(short),
  ipv6Only: orAbsent(Boolean),
  direct: ifTrue,
  // Of the owner of the app, who is known to the daemon.
  umask: () => undefined,
});

/** One per type; a missing one does not compile. */
const shapes: { readonly [T in UpMessage['type']]: Shape<Of<T>> } = {
  bind: record({ seq: natural, address: bindRequest, mayBeTest: ifTrue }),
  listening: record({
    key: short,
    address: short,
    canLeave: ifTrue,
    isOnDemand: ifTrue,
    speaks: orAbsent(among('any', 'http2')),
    scheme: orAbsent(among('http', 'https')),
  }),
  closed: record({ key: short }),
  accepted: record({ seq: natural }),
  declined: record({ seq: natural }),
  offer: record({ key: short, seq: natural, open: natural }),
  'pass-on': record({ key: short, seq: natural }),
  counted: record({ key: short, open: orNull(natural) }),
  'wants-messages': record({}),
  'check-port': record({ seq: natural, host: orAbsent(short), port: natural, ipv6Only: ifTrue }),
  serving: record({}),
  loaded: record({ isIdle: ifTrue }),
  unloadable: record({ error: reason }),
  draining: record({}),
  'in-flight': record({ count: natural }),
  'only-idle-left': record({}),
  remaining: record({
    isFree: isTrue,
    waitsFor: countsOf,
    connected: array(short, mostEntries),
    failed: array(short, mostEntries),
  }),
  'request-limit': record({ requests: natural }),
  'handled-error': record({ kind: among('exception', 'rejection') }),
  leaving: record({ reason, by: orAbsent(among('app', 'signal')) }),
  disconnected: record({}),
  reconnected: record({ mark: short, pid: natural }),
  'return-socket': record({
    key: short,
    mode: among('handle', 'handed'),
    origin: (value, name) => (typeof value === 'string' ? short(value, name) : natural(value, name)),
  }),
  'sockets-returned': record({}),
  attachable: record({ free: isTrue }),
  handles: record({ signal: among(...stopSignals) }),
  watchdog: record({ name: short, since: orNull(natural) }),
  readiness: record({ ready: isTrue, reason }),
  answer: record({
    question: natural,
    step: among('begun', 'part', 'done', 'refused'),
    text: string(longestPart),
  }),
  'settings-held': record({ version: natural }),
  'settings-vote': record({ proposal: natural, reason: orAbsent(reason) }),
  capabilities: record({ messages: isTrue, metrics: isTrue, checks: isTrue }),
  broadcast: record({ text: string(longestBroadcast) }),
  'broadcasts-received': record({ count: natural }),
  'ask-instances': record({ seq: natural }),
  counters: record({ text: string(longestCounts) }),
  queue: record({ name: word, place: short, owner: word, part: among('closed', 'open', 'works') }),
};

/** Whether it is for the daemon itself, and not from the app. Other internal messages are Node's own. */
export function isUpMessage(message: unknown): message is Record<string, unknown> {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === marker;
}

/** Returns the message with the known fields only. Throws a TypeError that says what is wrong. */
export function parseUpMessage(message: unknown): UpMessage {
  if (!isUpMessage(message)) throw new TypeError('not a message of nsv');
  const { type } = message;
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) throw new TypeError('a message of an unknown type');
  try {
    return { cmd: marker, type, ...shapes[type as UpMessage['type']](message, 'message') } as UpMessage;
  } catch (cause) {
    throw new TypeError(`a malformed message "${type}": ${(cause as Error).message}`, { cause });
  }
}

/** Throws a TypeError for a message of an app that cannot be passed on as JSON. */
export function expectRenderable(message: unknown): void {
  if (isDeeper(message, deepest)) throw new TypeError(`a message with more than ${deepest} levels of nesting`);
}

function countsOf(value: unknown, name: string): Record<string, number> {
  const entries = Object.entries(objectOf(value, name));
  if (entries.length > mostEntries) throw new TypeError(`"${name}" must have at most ${mostEntries} entries`);
  return Object.fromEntries(entries.map(([key, number]) => [short(key, name), natural(number, name)]));
}

/** Whether a value has more levels of nesting than these. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
