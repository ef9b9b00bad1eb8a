// Encodes a snapshot as two lines: a header with the length and checksum (CRC-32) of the second line, which is the snapshot. Blanks
// may follow. Each environment is there once, under a key.
// Decoding is pure. It returns a snapshot, or says what is wrong with the bytes, whatever they are. A record of an app that
// cannot be used costs that app only.
import { crc32 } from 'node:zlib';
import { detailOf } from '../../shared/errors.ts';
import { natural, objectOf, orAbsent, processId, record, type Shape, string } from '../../shared/shapes.ts';
import type { GroupRecord, Snapshot, StateOrigin } from '../process/record.ts';
import type { KeeperRecord } from '../sockets/keeper.ts';
import { parseGroupRecord } from './group-record.ts';
import { type InvalidRecord, parseEach } from './invalid-record.ts';

type Environment = GroupRecord['spec']['env'];

const format = 'nsv-state';
/** Incremented when a daemon of this version cannot continue what the previous version has: a record, or a message of a worker. */
const version = 2;

const blank = 0x20;

/** Bytes of the first line; no valid header is longer. */
const longestHeader = 200;

export function encodeState({ groups, ...rest }: Snapshot): Buffer {
  return encodeStateOf(rest, groups.map(encodeRecord));
}

/** The record of an app as JSON in UTF-8. Its environment is apart: most apps have it in common. */
export interface EncodedRecord {
  json: Buffer;
  env: EncodedEnvironment;
}

interface EncodedEnvironment {
  /** Stands for it in the record. */
  key: string;
  json: Buffer;
}

export function encodeRecord(group: GroupRecord): EncodedRecord {
  const env = encodeEnvironment(group.spec.env);
  return { json: bytesOf({ ...group, spec: { ...group.spec, env: env.key } }), env };
}

/** A change of an app leaves its environment as it is. */
const encodedBefore = new WeakMap<Environment, EncodedEnvironment>();
let lastKey = 0;

function encodeEnvironment(env: Environment): EncodedEnvironment {
  const known = encodedBefore.get(env);
  if (known) return known;
  lastKey += 1;
  const encoded = { key: String(lastKey), json: bytesOf(env) };
  encodedBefore.set(env, encoded);
  return encoded;
}

export function encodeStateOf(rest: Omit<Snapshot, 'groups'>, records: readonly EncodedRecord[]): Buffer {
  const used = new Map(records.map(({ env }) => [env.key, env.json]));
  const table = [...used].flatMap(([key, json], at) => [Buffer.from(`${at > 0 ? ',' : ''}"${key}":`), json]);
  const apps = records.flatMap(({ json }) => [comma, json]).slice(1);
  const begin = Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"environments":{`);
  return withHeader([begin, ...table, Buffer.from('},"groups":['), ...apps, Buffer.from(']}\n')]);
}

const comma = Buffer.from(',');

/** Not out of a larger piece of memory, which would be kept as long as any part of it. */
function bytesOf(value: unknown): Buffer {
  const json = JSON.stringify(value);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  bytes.write(json);
  return bytes;
}

/** Copies the parts once: of a thousand apps they are a megabyte, many times a second. */
function withHeader(parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = Buffer.allocUnsafeSlow(longestHeader + length);
  let end = longestHeader;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  const checksum = crc32(bytes.subarray(longestHeader));
  const header = Buffer.from(`${JSON.stringify({ format, version, length, checksum })}\n`);
  header.copy(bytes, longestHeader - header.length);
  return bytes.subarray(longestHeader - header.length);
}

export interface DecodedState {
  /** With the apps whose records can be used. */
  snapshot: Snapshot;
  invalid: InvalidRecord[];
}

/** The state is that of another version of nsv. */
export class OtherVersionError extends Error {}

/** Throws an Error that says, in words for people, what is wrong with the file as a whole. */
export function decodeState(bytes: Buffer): DecodedState {
  if (bytes.length === 0) throw new Error('the file is empty');
  const end = bytes.subarray(0, longestHeader).indexOf('\n');
  const header = end < 0 ? undefined : parse(bytes.toString('utf8', 0, end));
  if (header?.format !== format) throw new Error('not a state file of nsv');
  if (header.version !== version) {
    throw new OtherVersionError(
      `format version ${String(header.version)} is not supported (this nsv reads ${version})`,
    );
  }
  const body = withoutBlanks(bytes.subarray(end + 1));
  if (body.length !== header.length) throw new Error(`${body.length} bytes instead of ${String(header.length)}`);
  if (crc32(body) !== header.checksum) throw new Error('checksum mismatch');
  try {
    return snapshotOf(parse(body.toString('utf8')));
  } catch (error) {
    throw new Error(`invalid content: ${detailOf(error)}`);
  }
}

/** The body itself ends with a newline. */
function withoutBlanks(bytes: Buffer): Buffer {
  let { length } = bytes;
  while (length > 0 && bytes[length - 1] === blank) length -= 1;
  return bytes.subarray(0, length);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const origin: Shape<StateOrigin> = record({
  machine: string(),
  home: string(),
  boot: string(),
  pids: string(),
  uid: natural,
  pid: natural,
});

const keeper: Shape<KeeperRecord> = record({ pid: processId, startTime: natural });

const withoutApps: Shape<Omit<Snapshot, 'groups'>> = record({
  origin,
  sequence: natural,
  lastId: (value, name) => (value === -1 ? value : natural(value, name)),
  keeper: orAbsent(keeper),
});

/** The checksum shows that nsv wrote the data; this checks that it is safe for this version. */
function snapshotOf(input: unknown): DecodedState {
  const { groups, environments = {} } = objectOf(input, 'snapshot');
  const known = objectOf(environments, 'environments');
  const records = Array.isArray(groups) ? groups.map((app) => withEnvironment(app, known)) : groups;
  const { apps, invalid } = parseEach(records, (app) => parseGroupRecord(app, 'app'));
  return { snapshot: { ...withoutApps(input, 'snapshot'), groups: apps }, invalid };
}

/** A record without a usable environment is left as it is, and then rejected. */
function withEnvironment(app: unknown, known: Record<string, unknown>): unknown {
  const { spec } = Object(app) as { spec?: { env?: unknown } };
  if (typeof spec?.env !== 'string' || !Object.hasOwn(known, spec.env)) return app;
  return { ...(app as object), spec: { ...spec, env: known[spec.env] } };
}
