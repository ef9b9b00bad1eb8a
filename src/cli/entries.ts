// All commands by name. All but `nsv list` are in files that are loaded on demand, to keep `nsv list` fast.
import type { Command, CommandEntry } from './command.ts';
import { list } from './commands/list.ts';

type Frequent = typeof import('./frequent-commands.ts');
type Lazy = typeof import('./lazy-commands.ts');
type Listing = typeof import('./listing-commands.ts');
type CommandOf<Part> = { [K in keyof Part]: Part[K] extends Command ? K : never }[keyof Part];

const frequent = (name: CommandOf<Frequent>) => async () => (await import('./frequent-commands.ts'))[name];
const lazy = (name: CommandOf<Lazy>) => async () => (await import('./lazy-commands.ts'))[name];
const listing = (name: CommandOf<Listing>) => async () => (await import('./listing-commands.ts'))[name];

export const entries: readonly CommandEntry[] = [
  { names: ['start'], group: 'start', load: frequent('start') },
  { names: ['run'], group: 'containers', load: async () => (await import('./commands/run.ts')).run },
  { names: ['serve', 'expose'], group: 'start', load: lazy('serve'), minor: true },
  { names: ['list', 'ls', 'l', 'ps', 'status'], group: 'look', load: async () => list },
  { names: ['show', 'describe', 'info'], group: 'look', load: lazy('show') },
  { names: ['stop'], group: 'start', load: frequent('stop') },
  { names: ['restart'], group: 'start', load: frequent('restart') },
  { names: ['reload'], group: 'start', load: frequent('reload') },
  { names: ['apply'], group: 'config', load: lazy('apply') },
  { names: ['startOrRestart'], group: 'pm2', load: lazy('startOrRestart'), minor: true },
  { names: ['startOrReload', 'startOrGracefulReload'], group: 'pm2', load: lazy('startOrReload'), minor: true },
  { names: ['delete', 'del', 'rm'], group: 'start', load: frequent('deleteApps') },
  { names: ['scale'], group: 'start', load: frequent('scale') },
  { names: ['logs', 'log'], group: 'logs', load: lazy('logs') },
  { names: ['logs rotate', 'log rotate'], group: 'logs', load: lazy('rotateLogs'), minor: true },
  { names: ['logs reopen', 'log reopen', 'reloadLogs'], group: 'logs', load: lazy('reopenLogs'), minor: true },
  { names: ['monit', 'monitor'], group: 'look', load: lazy('monit') },
  { names: ['events'], group: 'look', load: lazy('events') },
  { names: ['deaths'], group: 'look', load: lazy('deaths'), minor: true },
  { names: ['flush'], group: 'logs', load: lazy('flush') },
  { names: ['signal', 'sendSignal'], group: 'start', load: lazy('signal'), minor: true },
  { names: ['stack'], group: 'look', load: lazy('stack'), minor: true },
  { names: ['profile'], group: 'look', load: lazy('profile'), minor: true },
  { names: ['heap'], group: 'look', load: lazy('heap'), minor: true },
  { names: ['gc'], group: 'look', load: lazy('gc'), minor: true },
  { names: ['repl'], group: 'look', load: lazy('repl'), minor: true },
  { names: ['send'], group: 'look', load: lazy('send'), minor: true },
  { names: ['attach'], group: 'look', load: lazy('attach'), minor: true },
  { names: ['trigger'], group: 'look', load: lazy('trigger'), minor: true },
  { names: ['reset'], group: 'start', load: lazy('reset'), minor: true },
  { names: ['queue'], group: 'look', load: lazy('queue'), minor: true },
  { names: ['queue retry'], load: lazy('retryTasks') },
  { names: ['queue pause'], load: lazy('pauseQueue') },
  { names: ['queue resume'], load: lazy('resumeQueue') },
  { names: ['queue drain'], load: lazy('drainQueue') },
  { names: ['queue remove'], load: lazy('removeTask') },
  { names: ['config'], group: 'config', load: lazy('config'), minor: true },
  { names: ['config set'], group: 'config', load: lazy('setConfig'), minor: true },
  { names: ['config unset'], group: 'config', load: lazy('unsetConfig'), minor: true },
  { names: ['init', 'ecosystem'], group: 'config', load: lazy('init'), minor: true },
  { names: ['save', 'dump'], group: 'config', load: frequent('save') },
  { names: ['resurrect'], group: 'config', load: lazy('resurrect') },
  { names: ['doctor'], group: 'look', load: lazy('doctor') },
  { names: ['health'], group: 'look', load: lazy('health') },
  { names: ['startup'], group: 'config', load: lazy('startup') },
  { names: ['unstartup'], group: 'config', load: lazy('unstartup'), minor: true },
  { names: ['ping'], group: 'look', load: lazy('ping'), minor: true },
  { names: ['update'], group: 'config', load: lazy('update') },
  { names: ['kill'], group: 'config', load: lazy('kill') },
  { names: ['daemon'], group: 'containers', load: lazy('daemon') },
  { names: ['jlist'], group: 'pm2', load: listing('jlist'), minor: true },
  { names: ['prettylist'], group: 'pm2', load: listing('prettylist'), minor: true },
  { names: ['import-pm2'], group: 'pm2', load: lazy('importPm2') },
  { names: ['env'], group: 'look', load: lazy('env'), minor: true },
  { names: ['pid'], group: 'look', load: lazy('pid'), minor: true },
  { names: ['id'], group: 'look', load: lazy('id'), minor: true },
  { names: ['completion'], group: 'config', load: lazy('completion'), minor: true },
  { names: ['pm2'], load: lazy('pm2'), hidden: true, raw: true },
  { names: ['pm2-runtime'], load: lazy('pm2Runtime'), hidden: true, raw: true },
  { names: ['complete'], load: lazy('complete'), hidden: true },
];
