// Every command by its names. `nsv list` has to be quick, so what it does without waits in a file of its own.
import type { Command } from './command.ts';
import { list } from './commands/list.ts';

const rest = () => import('./lazy-commands.ts');

export interface CommandEntry {
  /** The name, then its aliases. */
  names: readonly [string, ...string[]];
  load: () => Promise<Command>;
  /** Used by shells, not by people: not in the help. */
  hidden?: true;
  /** It has a command line of its own: its words are not looked at. */
  raw?: true;
}

export const entries: readonly CommandEntry[] = [
  { names: ['start'], load: async () => (await rest()).start },
  { names: ['run'], load: async () => (await rest()).run },
  { names: ['serve', 'expose'], load: async () => (await rest()).serve },
  { names: ['list', 'ls', 'ps', 'status'], load: async () => list },
  { names: ['show', 'describe', 'info'], load: async () => (await rest()).show },
  { names: ['stop'], load: async () => (await rest()).stop },
  { names: ['restart'], load: async () => (await rest()).restart },
  { names: ['reload'], load: async () => (await rest()).reload },
  { names: ['apply'], load: async () => (await rest()).apply },
  { names: ['startOrRestart'], load: async () => (await rest()).startOrRestart },
  { names: ['startOrReload', 'startOrGracefulReload'], load: async () => (await rest()).startOrReload },
  { names: ['delete', 'del', 'rm'], load: async () => (await rest()).deleteApps },
  { names: ['scale'], load: async () => (await rest()).scale },
  { names: ['logs', 'log'], load: async () => (await rest()).logs },
  { names: ['logs rotate', 'log rotate'], load: async () => (await rest()).rotateLogs },
  { names: ['logs reopen', 'log reopen', 'reloadLogs'], load: async () => (await rest()).reopenLogs },
  { names: ['monit', 'monitor'], load: async () => (await rest()).monit },
  { names: ['events'], load: async () => (await rest()).events },
  { names: ['flush'], load: async () => (await rest()).flush },
  { names: ['signal', 'sendSignal'], load: async () => (await rest()).sendSignal },
  { names: ['send'], load: async () => (await rest()).send },
  { names: ['attach'], load: async () => (await rest()).attach },
  { names: ['trigger'], load: async () => (await rest()).trigger },
  { names: ['reset'], load: async () => (await rest()).reset },
  { names: ['save'], load: async () => (await rest()).save },
  { names: ['resurrect'], load: async () => (await rest()).resurrect },
  { names: ['doctor'], load: async () => (await rest()).doctor },
  { names: ['startup'], load: async () => (await rest()).startup },
  { names: ['unstartup'], load: async () => (await rest()).unstartup },
  { names: ['ping'], load: async () => (await rest()).ping },
  { names: ['update'], load: async () => (await rest()).update },
  { names: ['kill'], load: async () => (await rest()).kill },
  { names: ['daemon'], load: async () => (await rest()).daemon },
  { names: ['jlist'], load: async () => (await rest()).jlist },
  { names: ['prettylist'], load: async () => (await rest()).prettylist },
  { names: ['import-pm2'], load: async () => (await rest()).importPm2 },
  { names: ['env'], load: async () => (await rest()).env },
  { names: ['pid'], load: async () => (await rest()).pid },
  { names: ['id'], load: async () => (await rest()).id },
  { names: ['completion'], load: async () => (await rest()).completion },
  { names: ['pm2'], load: async () => (await rest()).pm2, hidden: true, raw: true },
  { names: ['complete'], load: async () => (await rest()).complete, hidden: true },
];

export function findEntry(word: string): CommandEntry | undefined {
  return entries.find(({ names }) => names.includes(word));
}

/** What the first words name, of which there may be two ("logs rotate"), and the words after it. */
export function entryFor(argv: readonly string[]): { entry: CommandEntry | undefined; rest: readonly string[] } {
  const longer = findEntry(argv.slice(0, 2).join(' '));
  if (longer && argv.length > 1) return { entry: longer, rest: argv.slice(longer.names[0].split(' ').length) };
  return { entry: findEntry(argv[0] ?? ''), rest: argv.slice(1) };
}
