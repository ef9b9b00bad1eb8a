// The daemon's own messages on standard error, for people and for systemd's journal.
import { writeSync } from 'node:fs';

/** The lowest pino level of each priority of syslog(3). */
const priorities: readonly [level: number, priority: number][] = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
];
const debug = 7;

/** Returns a function that writes pino's lines. A reader that is gone or too slow does not end the daemon. */
export function createJournalStream(env: NodeJS.ProcessEnv): (line: string) => void {
  const isJournal = env.JOURNAL_STREAM !== undefined;
  return (line) => {
    try {
      writeSync(2, renderMessage(line, isJournal));
    } catch {
      // daemon.log has the line anyway.
    }
  };
}

/** `<4>message key=value`: the journal strips the number and stores it as the priority (sd-daemon(3)). */
export function renderMessage(line: string, isJournal: boolean): string {
  const { level, time: _, msg, ...facts } = JSON.parse(line) as { level: number; time: number; msg: string };
  const priority = priorities.find(([from]) => level >= from)?.[1] ?? debug;
  const words = Object.entries(facts).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${isJournal ? `<${priority}>` : 'nsv: '}${[msg, ...words].join(' ')}\n`;
}
