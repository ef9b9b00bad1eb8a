// A well-formed message of each type that a process can send to the daemon.
import { marker, type UpMessage } from '../../src/ipc/worker-messages.ts';

export const bindRequest = { kind: 'tcp', host: '::1', port: 80, index: 0 } as const;

/** One of each type; the compiler names a missing one. */
export const goodMessages: { [T in UpMessage['type']]: Extract<UpMessage, { type: T }> } = {
  bind: { cmd: marker, type: 'bind', seq: 1, address: bindRequest },
  listening: { cmd: marker, type: 'listening', key: 'tcp|*|80||0', address: ':::80', canLeave: true },
  closed: { cmd: marker, type: 'closed', key: 'tcp|*|80||0' },
  accepted: { cmd: marker, type: 'accepted', seq: 7 },
  declined: { cmd: marker, type: 'declined', seq: 7 },
  'wants-messages': { cmd: marker, type: 'wants-messages' },
  'check-port': { cmd: marker, type: 'check-port', seq: 7, host: '::1', port: 80, toListen: true },
  serving: { cmd: marker, type: 'serving' },
  loaded: { cmd: marker, type: 'loaded', isIdle: true },
  'handled-error': { cmd: marker, type: 'handled-error', kind: 'exception' },
  draining: { cmd: marker, type: 'draining' },
  'only-idle-left': { cmd: marker, type: 'only-idle-left' },
  remaining: {
    cmd: marker,
    type: 'remaining',
    isFree: true,
    waitsFor: { Timeout: 2 },
    connected: ['10.0.0.1:5432'],
    failed: ['127.0.0.1:4318 (ECONNREFUSED)'],
  },
  'in-flight': { cmd: marker, type: 'in-flight', count: 3 },
  'request-limit': { cmd: marker, type: 'request-limit', requests: 1_000 },
  leaving: { cmd: marker, type: 'leaving', reason: 'Error: x', by: 'app' },
  disconnected: { cmd: marker, type: 'disconnected' },
  reconnected: { cmd: marker, type: 'reconnected', mark: 'h:1:holder:0:0:0:web', pid: 4242 },
  'return-socket': { cmd: marker, type: 'return-socket', key: 'tcp|*|80||0', mode: 'handle', origin: 3 },
  'sockets-returned': { cmd: marker, type: 'sockets-returned' },
  attachable: { cmd: marker, type: 'attachable', free: true },
  handles: { cmd: marker, type: 'handles', signal: 'SIGINT' },
  readiness: { cmd: marker, type: 'readiness', ready: false, reason: 'warming up' },
  watchdog: { cmd: marker, type: 'watchdog', name: 'queue', since: 1_795_000_000_000 },
  answer: { cmd: marker, type: 'answer', question: 4, step: 'part', text: '{}' },
  'settings-held': { cmd: marker, type: 'settings-held', version: 3 },
  'settings-vote': { cmd: marker, type: 'settings-vote', proposal: 2, reason: 'too many' },
  capabilities: { cmd: marker, type: 'capabilities', messages: true, metrics: false, checks: false },
  broadcast: { cmd: marker, type: 'broadcast', text: '{"a":1}' },
  'broadcasts-received': { cmd: marker, type: 'broadcasts-received', count: 2 },
  'ask-instances': { cmd: marker, type: 'ask-instances', seq: 5 },
  counters: { cmd: marker, type: 'counters', text: '[]' },
  queue: { cmd: marker, type: 'queue', name: 'exports', place: '/srv/queues.sqlite', owner: 'a-1', part: 'works' },
};
