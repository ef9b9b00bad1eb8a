// Which method of the API makes which call of the wire. A new row of the protocol does not compile before it is named here.
// `upgrade` is for the command line of the installation that is to take over: `nsv update`; `inspect` is for `nsv stack`.
import type { Nsv } from '../../src/api/nsv.ts';
import type { MethodName } from '../../src/ipc/protocol.ts';

export const apiMethods = {
  ping: 'ping',
  health: 'health',
  list: 'list',
  describe: 'describe',
  logs: 'logFiles',
  deaths: 'deaths',
  rotateLogs: 'rotateLogs',
  reopenLogs: 'reopenLogs',
  launch: 'start',
  start: 'start',
  stop: 'stop',
  restart: 'restart',
  reload: 'reload',
  update: 'update',
  delete: 'delete',
  scale: 'scale',
  signal: 'signal',
  send: 'send',
  message: 'message',
  trigger: 'trigger',
  follow: 'events',
  runtimeSettings: 'runtimeSettings',
  changeRuntimeSettings: 'changeRuntimeSettings',
  queues: 'queues',
  reset: 'reset',
  save: 'save',
  resurrect: 'resurrect',
  kill: 'kill',
} satisfies Record<Exclude<MethodName, 'inspect' | 'upgrade'>, keyof Nsv>;
