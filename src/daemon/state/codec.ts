// Encodes a snapshot as two lines: a header with the length and checksum of the second line, which is the snapshot.
// Pure. Decoding returns a snapshot, or says what is wrong with the bytes, whatever they are.
import { parseAppSpec } from '../../config/app-spec.ts';
import { detailOf } from '../../shared/errors.ts';
import type { Life } from '../launch/life.ts';
import { kinds } from '../process/lifecycle.ts';
import type { GroupRecord, Intent, ProcessRecord, Snapshot, StateOrigin } from '../process/record.ts';

const format = 'nsv-state';
const version = 1;

/** Bytes of the first line; no valid header is longer. */
const longestHeader = 200;

export function encodeState(snapshot: Snapshot): Buffer {
  const body = Buffer.from(`${JSON.stringify(snapshot)}\n`);
  const header = { format, version, length: body.length, checksum: checksumOf(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
}

/** Throws an Error that says, in words for people, what is wrong. */
export function decodeState(bytes: Buffer): Snapshot {
  if (bytes.length === 0) throw new Error('the file is empty');
  const end = bytes.subarray(0, longestHeader).indexOf('\n');
  const header = end < 0 ? undefined : parse(bytes.toString('utf8', 0, end));
  if (header?.format !== format) throw new Error('not a state file of nsv');
  if (header.version !== version) {
    throw new Error(`format version ${String(header.version)} is not supported (this nsv reads ${version})`);
  }
  const body = bytes.subarray(end + 1);
  if (body.length !== header.length) throw new Error(`${body.length} bytes instead of ${String(header.length)}`);
  if (checksumOf(body) !== header.checksum) throw new Error('checksum mismatch');
  try {
    return snapshotOf(parse(body.toString('utf8')));
  } catch (error) {
    throw new Error(`invalid content: ${detailOf(error)}`);
  }
}

/**
 * A checksum of 32 bits, four bytes at a time: the daemon runs without the optimizing compiler, and Node's `crypto`
 * takes megabytes to load. Each step is one-to-one in both of its inputs, so any change of a single word is detected.
 */
export function checksumOf(bytes: Buffer): number {
  let sum = bytes.length | 0;
  const words = bytes.length - (bytes.length % 4);
  for (let at = 0; at < words; at += 4) sum = mixed(sum, bytes.readInt32LE(at));
  for (let at = words; at < bytes.length; at += 1) sum = mixed(sum, bytes[at] as number);
  return sum >>> 0;
}

function mixed(sum: number, word: number): number {
  const product = Math.imul(sum ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}

type Fields = Record<string, unknown>;

function parse(text: string): Fields | undefined {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return undefined;
  }
}

/** The checksum shows that nsv wrote the data; this checks that its shape is safe for this version. */
function snapshotOf(input: unknown): Snapshot {
  const { origin, sequence, lastId, groups } = fieldsOf(input, 'snapshot');
  return {
    origin: originOf(origin),
    sequence: numberOf(sequence, 'sequence'),
    lastId: numberOf(lastId, 'lastId'),
    groups: listOf(groups, 'groups').map(groupOf),
  };
}

function originOf(input: unknown): StateOrigin {
  const origin = fieldsOf(input, 'origin');
  for (const key of ['machine', 'home', 'boot', 'pids']) textOf(origin[key], key);
  for (const key of ['uid', 'pid']) numberOf(origin[key], key);
  return origin as unknown as StateOrigin;
}

function groupOf(input: unknown): GroupRecord {
  const { spec, createdAt, recent, intent, processes } = fieldsOf(input, 'app');
  return {
    spec: parseAppSpec(spec),
    createdAt: numberOf(createdAt, 'createdAt'),
    recent: listOf(recent, 'recent').map((time) => numberOf(time, 'time')),
    intent: intent === null ? null : intentOf(intent),
    processes: listOf(processes, 'processes').map(processOf),
  };
}

function intentOf(input: unknown): Intent {
  const intent = fieldsOf(input, 'intent');
  if (intent.successor !== undefined) parseAppSpec(fieldsOf(intent.successor, 'successor').spec);
  return intent as unknown as Intent;
}

function processOf(input: unknown): ProcessRecord {
  const process = fieldsOf(input, 'process');
  for (const key of ['id', 'slot', 'restarts', 'cutShort']) numberOf(process[key], key);
  textOf(process.role, 'role');
  const { kind } = fieldsOf(process.state, 'state');
  // A process is never written down while it is being spawned.
  if (kind === 'spawning' || !kinds.some((known) => known === kind))
    throw new Error(`"${String(kind)}" is not a known state`);
  if (process.life !== null) lifeOf(process.life);
  return process as unknown as ProcessRecord;
}

function lifeOf(input: unknown): Life {
  const life = fieldsOf(input, 'life');
  for (const key of ['pid', 'startTime']) numberOf(life[key], key);
  for (const key of ['mark', 'outFile', 'errorFile']) textOf(life[key], key);
  return life as unknown as Life;
}

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${what} is not an object`);
}

function listOf(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${what} is not a list`);
}

function numberOf(value: unknown, what: string): number {
  if (typeof value === 'number') return value;
  throw new Error(`"${what}" is not a number`);
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`"${what}" is not a string`);
}
