// Every command by its names. Loading one does not load the others: `nsv list` has to be quick.
import type { Command } from './command.ts';

export interface Entry {
  /** The name, then its aliases. */
  names: readonly [string, ...string[]];
  load: () => Promise<Command>;
  /** Used by shells, not by people: not in the help. */
  hidden?: true;
}

export const entries: readonly Entry[] = [
  { names: ['start'], load: async () => (await import('./commands/start.ts')).start },
  { names: ['list', 'ls', 'ps', 'status'], load: async () => (await import('./commands/list.ts')).list },
  { names: ['show', 'describe', 'info'], load: async () => (await import('./commands/show.ts')).show },
  { names: ['stop'], load: async () => (await import('./commands/stop.ts')).stop },
  { names: ['restart'], load: async () => (await import('./commands/restart.ts')).restart },
  { names: ['reload'], load: async () => (await import('./commands/reload.ts')).reload },
  { names: ['delete', 'del', 'rm'], load: async () => (await import('./commands/delete.ts')).deleteApps },
  { names: ['scale'], load: async () => (await import('./commands/scale.ts')).scale },
  { names: ['logs', 'log'], load: async () => (await import('./commands/logs.ts')).logs },
  { names: ['signal', 'sendSignal'], load: async () => (await import('./commands/signal.ts')).sendSignal },
  { names: ['reset'], load: async () => (await import('./commands/reset.ts')).reset },
  { names: ['save'], load: async () => (await import('./commands/save.ts')).save },
  { names: ['resurrect'], load: async () => (await import('./commands/resurrect.ts')).resurrect },
  { names: ['ping'], load: async () => (await import('./commands/ping.ts')).ping },
  { names: ['kill'], load: async () => (await import('./commands/kill.ts')).kill },
  { names: ['jlist'], load: async () => (await import('./commands/jlist.ts')).jlist },
  { names: ['env'], load: async () => (await import('./commands/env.ts')).env },
  { names: ['pid'], load: async () => (await import('./commands/pid.ts')).pid },
  { names: ['id'], load: async () => (await import('./commands/id.ts')).id },
  { names: ['completion'], load: async () => (await import('./commands/completion.ts')).completion },
  { names: ['complete'], load: async () => (await import('./commands/complete.ts')).complete, hidden: true },
];

export function findEntry(word: string): Entry | undefined {
  return entries.find(({ names }) => names.includes(word));
}
