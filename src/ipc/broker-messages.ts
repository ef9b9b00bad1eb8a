// Messages between the daemon and a broker: a process that reads the channels of all processes of one other user.
import { expectRenderable, isUpMessage, parseUpMessage } from './up-message.ts';

/** Numbers the channels of a broker: from 1 for processes that the daemon has launched, from -1 for those that return. */
export type ChannelNumber = number;

/** Handles are sent along with the message. */
export type ToBroker =
  /** The daemon's end of the channel of a process that it has launched. */
  | { type: 'take'; worker: ChannelNumber }
  /** `id` is repeated if it could not be sent. */
  | { type: 'send'; worker: ChannelNumber; id: number; message: object | string }
  | { type: 'close'; worker: ChannelNumber };

export type FromBroker =
  /** Of nsv's preload if `internal`, otherwise of the app. */
  | { type: 'heard'; worker: ChannelNumber; message: unknown; internal: boolean }
  /** A process has connected. Everything else about it follows. */
  | { type: 'reconnected'; worker: ChannelNumber; mark: string; pid: number }
  | { type: 'unsent'; worker: ChannelNumber; id: number }
  | { type: 'channel-closed'; worker: ChannelNumber; reason: string }
  | { type: 'closed'; worker: ChannelNumber };

/** Throws a TypeError. The broker reads what other users have written, so it is not believed blindly either. */
export function parseFromBroker(input: unknown): FromBroker {
  const { type, worker, ...fields } = (input ?? {}) as Record<string, unknown>;
  const number = integer(worker);
  if (type === 'heard') {
    const { message } = fields;
    if (isUpMessage(message)) return { type, worker: number, message: parseUpMessage(message), internal: true };
    expectRenderable(message);
    return { type, worker: number, message, internal: false };
  }
  if (type === 'reconnected') return { type, worker: number, mark: text(fields.mark), pid: integer(fields.pid) };
  if (type === 'unsent') return { type, worker: number, id: integer(fields.id) };
  if (type === 'channel-closed') return { type, worker: number, reason: text(fields.reason) };
  if (type === 'closed') return { type, worker: number };
  throw new TypeError('a message of an unknown type');
}

function integer(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new TypeError('a message without a number');
}

function text(value: unknown): string {
  if (typeof value === 'string' && value.length <= 10_000) return value;
  throw new TypeError('a message without a text');
}
