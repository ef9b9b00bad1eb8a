// All commands by name. All but `nsv list` are in a file that is loaded on demand, to keep `nsv list` fast.
import type { Command } from './command.ts';
import { list } from './commands/list.ts';

const rest = () => import('./lazy-commands.ts');

/** The headings of `nsv --help`, in their order. */
export const commandGroups = {
  start: 'Start and stop',
  look: 'Look inside',
  logs: 'Logs',
  config: 'Config and boot',
  containers: 'Containers and supervisors',
  pm2: 'From PM2',
} as const;

export interface CommandEntry {
  /** The name, followed by its aliases. */
  names: readonly [string, ...string[]];
  /** Where the help has it; hidden ones have none. */
  group?: keyof typeof commandGroups;
  /** Only its name is in `nsv --help`, which fits one screen. */
  minor?: true;
  load: () => Promise<Command>;
  /** For shells, not for users: not shown in help. */
  hidden?: true;
  /** The command parses its own command line. */
  raw?: true;
}

export const entries: readonly CommandEntry[] = [
  { names: ['start'], group: 'start', load: async () => (await rest()).start },
  { names: ['run'], group: 'containers', load: async () => (await rest()).run },
  { names: ['serve', 'expose'], group: 'start', load: async () => (await rest()).serve, minor: true },
  { names: ['list', 'ls', 'ps', 'status'], group: 'look', load: async () => list },
  { names: ['show', 'describe', 'info'], group: 'look', load: async () => (await rest()).show },
  { names: ['stop'], group: 'start', load: async () => (await rest()).stop },
  { names: ['restart'], group: 'start', load: async () => (await rest()).restart },
  { names: ['reload'], group: 'start', load: async () => (await rest()).reload },
  { names: ['apply'], group: 'config', load: async () => (await rest()).apply },
  { names: ['startOrRestart'], group: 'pm2', load: async () => (await rest()).startOrRestart, minor: true },
  {
    names: ['startOrReload', 'startOrGracefulReload'],
    group: 'pm2',
    load: async () => (await rest()).startOrReload,
    minor: true,
  },
  { names: ['delete', 'del', 'rm'], group: 'start', load: async () => (await rest()).deleteApps },
  { names: ['scale'], group: 'start', load: async () => (await rest()).scale },
  { names: ['logs', 'log'], group: 'logs', load: async () => (await rest()).logs },
  { names: ['logs rotate', 'log rotate'], group: 'logs', load: async () => (await rest()).rotateLogs, minor: true },
  {
    names: ['logs reopen', 'log reopen', 'reloadLogs'],
    group: 'logs',
    load: async () => (await rest()).reopenLogs,
    minor: true,
  },
  { names: ['monit', 'monitor'], group: 'look', load: async () => (await rest()).monit },
  { names: ['events'], group: 'look', load: async () => (await rest()).events },
  { names: ['flush'], group: 'logs', load: async () => (await rest()).flush },
  { names: ['signal', 'sendSignal'], group: 'start', load: async () => (await rest()).sendSignal, minor: true },
  { names: ['send'], group: 'look', load: async () => (await rest()).send, minor: true },
  { names: ['attach'], group: 'look', load: async () => (await rest()).attach, minor: true },
  { names: ['trigger'], group: 'look', load: async () => (await rest()).trigger, minor: true },
  { names: ['reset'], group: 'start', load: async () => (await rest()).reset, minor: true },
  { names: ['save'], group: 'config', load: async () => (await rest()).save },
  { names: ['resurrect'], group: 'config', load: async () => (await rest()).resurrect },
  { names: ['doctor'], group: 'look', load: async () => (await rest()).doctor },
  { names: ['startup'], group: 'config', load: async () => (await rest()).startup },
  { names: ['unstartup'], group: 'config', load: async () => (await rest()).unstartup, minor: true },
  { names: ['ping'], group: 'look', load: async () => (await rest()).ping, minor: true },
  { names: ['update'], group: 'config', load: async () => (await rest()).update },
  { names: ['kill'], group: 'config', load: async () => (await rest()).kill },
  { names: ['daemon'], group: 'containers', load: async () => (await rest()).daemon },
  { names: ['jlist'], group: 'pm2', load: async () => (await rest()).jlist, minor: true },
  { names: ['prettylist'], group: 'pm2', load: async () => (await rest()).prettylist, minor: true },
  { names: ['import-pm2'], group: 'pm2', load: async () => (await rest()).importPm2 },
  { names: ['env'], group: 'look', load: async () => (await rest()).env, minor: true },
  { names: ['pid'], group: 'look', load: async () => (await rest()).pid, minor: true },
  { names: ['id'], group: 'look', load: async () => (await rest()).id, minor: true },
  { names: ['completion'], group: 'config', load: async () => (await rest()).completion, minor: true },
  { names: ['pm2'], load: async () => (await rest()).pm2, hidden: true, raw: true },
  { names: ['complete'], load: async () => (await rest()).complete, hidden: true },
];

export function findEntry(word: string): CommandEntry | undefined {
  return entries.find(({ names }) => names.includes(word));
}

/** Finds the command named by the first word or two ("logs rotate"), and returns the remaining words. */
export function entryFor(argv: readonly string[]): { entry: CommandEntry | undefined; rest: readonly string[] } {
  const longer = findEntry(argv.slice(0, 2).join(' '));
  if (longer && argv.length > 1) return { entry: longer, rest: argv.slice(longer.names[0].split(' ').length) };
  return { entry: findEntry(argv[0] ?? ''), rest: argv.slice(1) };
}
