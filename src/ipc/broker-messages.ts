// Messages between the daemon and a broker: a process that reads the channels of all processes of one other user.
import { natural, objectOf, record, type Shape, string, variant, whole } from '../shared/shapes.ts';
import { expectRenderable, isUpMessage, parseUpMessage } from './up-message.ts';

/** Numbers the channels of a broker: from 1 for processes that the daemon has launched, from -1 for those that return. */
export type ChannelNumber = number;

/** Handles are sent along with the message. */
export type ToBroker =
  /** The daemon's end of the channel of a process that it has launched. */
  | { type: 'take'; worker: ChannelNumber }
  /** `id` is repeated if it could not be sent. */
  | { type: 'send'; worker: ChannelNumber; id: number; message: object | string }
  /** `reason`: why the process loses its channel, which it is told. */
  | { type: 'close'; worker: ChannelNumber; reason?: string };

export type FromBroker =
  /** Of nsv's preload if `internal`, otherwise of the app. */
  | { type: 'heard'; worker: ChannelNumber; message: unknown; internal: boolean }
  /** A process has connected. Everything else about it follows. */
  | { type: 'reconnected'; worker: ChannelNumber; mark: string; pid: number }
  | { type: 'unsent'; worker: ChannelNumber; id: number }
  | { type: 'channel-closed'; worker: ChannelNumber; reason: string }
  | { type: 'closed'; worker: ChannelNumber };

const worker = whole(Number.MIN_SAFE_INTEGER);
const bounded = string(10_000);

/** The broker reads what other users have written, so it is not believed blindly either. */
export const parseFromBroker: Shape<FromBroker> = variant('type', {
  heard(value, name) {
    const { message, ...fields } = objectOf(value, name);
    const number = worker(fields.worker, 'worker');
    if (isUpMessage(message)) return { worker: number, message: parseUpMessage(message), internal: true };
    expectRenderable(message);
    return { worker: number, message, internal: false };
  },
  reconnected: record({ worker, mark: bounded, pid: natural }),
  unsent: record({ worker, id: natural }),
  'channel-closed': record({ worker, reason: bounded }),
  closed: record({ worker }),
});
