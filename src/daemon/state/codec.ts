// Encodes a snapshot as two lines: a header with the length and checksum (CRC-32) of the second line, which is the snapshot. Blanks
// may follow.
// Pure. Decoding returns a snapshot, or says what is wrong with the bytes, whatever they are. A record of an app that
// cannot be used costs that app only.
import { crc32 } from 'node:zlib';
import { detailOf } from '../../shared/errors.ts';
import { natural, objectOf, orAbsent, processId, record, type Shape, string } from '../../shared/shapes.ts';
import type { Snapshot, StateOrigin } from '../process/record.ts';
import type { KeeperRecord } from '../sockets/keeper.ts';
import { parseGroupRecord } from './group-record.ts';
import { type InvalidRecord, parseEach } from './invalid-record.ts';

const format = 'nsv-state';
/** Incremented when a daemon of this version cannot continue what the previous version has: a record, or a message of a worker. */
const version = 2;

const blank = 0x20;

/** Bytes of the first line; no valid header is longer. */
const longestHeader = 200;

export function encodeState({ groups, ...rest }: Snapshot): Buffer {
  const records = groups.map((group) => JSON.stringify(group));
  return encodeStateOf(rest, records);
}

/** The same, with the records of the apps as JSON. */
export function encodeStateOf(rest: Omit<Snapshot, 'groups'>, records: readonly string[]): Buffer {
  const body = Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"groups":[${records.join()}]}\n`);
  const header = { format, version, length: body.length, checksum: crc32(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
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
  const { apps, invalid } = parseEach(objectOf(input, 'snapshot').groups, (app) => parseGroupRecord(app, 'app'));
  return { snapshot: { ...withoutApps(input, 'snapshot'), groups: apps }, invalid };
}
