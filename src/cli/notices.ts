// Notices about a file, such as a key of a config file that has no effect: each is made once, not by every command.
import { readFileSync } from 'node:fs';
import { checkHome } from '../os/trust/home.ts';
import { writeAtomically } from '../shared/atomic-file.ts';
import type { HomePaths } from '../shared/paths.ts';

/** The newest last. */
type Made = [file: string, notices: string[]][];

/** Files whose notices are remembered. */
const most = 100;

/** Returns those that were not made about the file before. */
export function newNotices(paths: HomePaths, file: string, notices: readonly string[]): string[] {
  const made = read(paths).find(([name]) => name === file)?.[1] ?? [];
  return notices.filter((text) => !made.includes(text));
}

/** What cannot be remembered, for example because there is no home yet, will be said again. */
export function rememberNotices(paths: HomePaths, file: string, notices: readonly string[]): void {
  try {
    if (!checkHome(paths)) return;
    const others = read(paths).filter(([name]) => name !== file);
    writeAtomically(paths.notices, JSON.stringify([...others, [file, notices]].slice(-most)), { durable: false });
  } catch {
    // A notice too many does no harm.
  }
}

function read({ notices }: HomePaths): Made {
  try {
    const made: unknown = JSON.parse(readFileSync(notices, 'utf8'));
    return Array.isArray(made) ? made.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is Made[number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]);
}
