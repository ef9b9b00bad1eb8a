// A well-formed message of each type that a process can send to the daemon.
import { marker, type UpMessage } from '../../src/ipc/worker-messages.ts';

export const goodWish = { kind: 'tcp', host: '::1', port: 80, index: 0 } as const;

/** One of each type; the compiler names a missing one. */
export const goodMessages: { [T in UpMessage['type']]: Extract<UpMessage, { type: T }> } = {
  wish: { cmd: marker, type: 'wish', seq: 1, wish: goodWish },
  listening: { cmd: marker, type: 'listening', key: 'tcp|*|80||0', address: ':::80', canLeave: true },
  closed: { cmd: marker, type: 'closed', key: 'tcp|*|80||0' },
  accepted: { cmd: marker, type: 'accepted', seq: 7 },
  declined: { cmd: marker, type: 'declined', seq: 7 },
  'wants-messages': { cmd: marker, type: 'wants-messages' },
  'check-port': { cmd: marker, type: 'check-port', seq: 7, host: '::1', port: 80, toListen: true },
  serving: { cmd: marker, type: 'serving' },
  loaded: { cmd: marker, type: 'loaded' },
  failed: { cmd: marker, type: 'failed', kind: 'exception' },
  draining: { cmd: marker, type: 'draining' },
  lingering: { cmd: marker, type: 'lingering' },
  remaining: {
    cmd: marker,
    type: 'remaining',
    isFree: true,
    waitsFor: { Timeout: 2 },
    connected: ['10.0.0.1:5432'],
    failed: ['127.0.0.1:4318 (ECONNREFUSED)'],
  },
  'in-flight': { cmd: marker, type: 'in-flight', count: 3 },
  spent: { cmd: marker, type: 'spent', requests: 1_000 },
  suicide: { cmd: marker, type: 'suicide', reason: 'Error: x', by: 'app' },
  disconnected: { cmd: marker, type: 'disconnected' },
  back: { cmd: marker, type: 'back', mark: 'h:1:holder:0:0:0:web', pid: 4242 },
  held: { cmd: marker, type: 'held', key: 'tcp|*|80||0', way: 'handle', origin: 3 },
  returned: { cmd: marker, type: 'returned' },
  attachable: { cmd: marker, type: 'attachable', free: true },
  handles: { cmd: marker, type: 'handles', signal: 'SIGINT' },
  readiness: { cmd: marker, type: 'readiness', ready: false, reason: 'warming up' },
  watchdog: { cmd: marker, type: 'watchdog', name: 'queue', since: 1_795_000_000_000 },
  answer: { cmd: marker, type: 'answer', question: 4, step: 'part', text: '{}' },
  'settings-held': { cmd: marker, type: 'settings-held', version: 3 },
  'settings-vote': { cmd: marker, type: 'settings-vote', proposal: 2, reason: 'too many' },
  'takes-part': { cmd: marker, type: 'takes-part', messages: true, metrics: false, checks: false },
  broadcast: { cmd: marker, type: 'broadcast', text: '{"a":1}' },
  received: { cmd: marker, type: 'received', count: 2 },
  'ask-instances': { cmd: marker, type: 'ask-instances', seq: 5 },
  counted: { cmd: marker, type: 'counted', text: '[]' },
  queue: { cmd: marker, type: 'queue', name: 'exports', place: '/srv/queues.sqlite', owner: 'a-1', part: 'works' },
};
