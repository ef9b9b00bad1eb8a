import { expect, it } from 'vitest';
import { type FromBroker, parseFromBroker } from '../../../src/ipc/broker-messages.ts';
import { marker } from '../../../src/ipc/worker-messages.ts';

const draining = { cmd: marker, type: 'draining' } as const;

const good: FromBroker[] = [
  { type: 'heard', worker: 1, message: draining, internal: true },
  { type: 'heard', worker: -1, message: { type: 'x', data: [1] }, internal: false },
  { type: 'reconnected', worker: -1, mark: 'h:1:holder:0:0:0:web', pid: 4242 },
  { type: 'unsent', worker: 1, id: 7 },
  { type: 'channel-closed', worker: 1, reason: 'it sent what is not JSON' },
  { type: 'closed', worker: 1 },
];

it.each(good)('a message of a broker is accepted unchanged: $type of $worker', (message) => {
  expect(parseFromBroker(structuredClone(message), 'message')).toEqual(message);
});

it('a message of a broker is internal only by its form, whatever the broker claims', () => {
  expect(parseFromBroker({ type: 'heard', worker: 1, message: 'ready', internal: true }, 'message')).toMatchObject({
    internal: false,
  });
  expect(parseFromBroker({ type: 'heard', worker: 1, message: draining, internal: false }, 'message')).toMatchObject({
    internal: true,
  });
});

it.each([
  null,
  'closed',
  { type: 'closed' },
  { type: 'closed', worker: '1' },
  { type: 'other', worker: 1 },
  { type: 'reconnected', worker: -1, mark: 1, pid: 1 },
  { type: 'reconnected', worker: -1, mark: 'x'.repeat(20_000), pid: 1 },
  { type: 'reconnected', worker: -1, mark: 'x' },
  { type: 'unsent', worker: 1, id: 0.5 },
  { type: 'channel-closed', worker: 1 },
  { type: 'heard', worker: 1, message: { cmd: marker, type: 'in-flight', count: 'many' } },
  { type: 'heard', worker: 1, message: JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) },
])('an invalid message of a broker is rejected: %j', (message) => {
  expect(() => parseFromBroker(message, 'message')).toThrow(TypeError);
});
