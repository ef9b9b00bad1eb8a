// Opens the log files of an app of another user with that user's rights: a shell does so on the way to the program.
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nameOfUser } from '../../os/users.ts';
import type { Words } from '../../privileges/privileges.ts';
import { failure, type NsvError } from '../../shared/errors.ts';
import type { Outlet, Streams } from '../output/streams.ts';

export interface UserLogs {
  /** Becomes the standard output; undefined if the daemon opens that one. */
  out: string | undefined;
  /** Becomes the standard error. */
  error: string | undefined;
  /** Only checked: the formatter writes to them. */
  checked: readonly string[];
}

/** What the user of the app has to open; undefined if there is nothing. `formatted`: the files behind the formatter. */
export function userLogs(streams: Streams, formatted: readonly string[]): UserLogs | undefined {
  const { isUserFile, outFile, errorFile } = streams;
  if (!isUserFile) return undefined;
  const theirs = (outlet: Outlet) => (typeof outlet === 'string' && isUserFile(outlet) ? outlet : undefined);
  const logs = { out: theirs(outFile), error: theirs(errorFile), checked: formatted.filter(isUserFile) };
  return filesIn(logs).length > 0 ? logs : undefined;
}

/** The highest descriptor that every shell can redirect. */
const highest = 9;

/** A pipe at this descriptor takes the messages of the shell. Undefined if a shell could not write to it. */
export function reportingTo(descriptor: number): number | undefined {
  return descriptor <= highest ? descriptor : undefined;
}

/**
 * The command, behind a shell that opens the logs as `openLog` does: it creates them and their directories, and appends.
 * Its messages go to the descriptor `report`, which the program does not get. It ends if a file cannot be opened. All
 * other descriptors pass through.
 */
export function openingLogs(logs: UserLogs, umask: string, report: number | undefined, command: Words): Words {
  const files = filesIn(logs);
  const word = (file: string) => `"$${files.indexOf(file) + 1}"`;
  const { out, error } = logs;
  const redirections = [
    out === undefined ? '' : `>>${word(out)}`,
    error === undefined ? '' : error === out ? '2>&1' : `2>>${word(error)}`,
    report === undefined ? '' : `${report}>&-`,
  ];
  const lines = [
    'umask 027',
    `{ for log in ${files.map(word).join(' ')}; do [ -e "$log" ] || mkdir -p -- "\${log%/*}"; : >>"$log"; done; }${report === undefined ? '' : ` 2>&${report}`}`,
    `exec ${redirections.join(' ')}`,
    `umask ${umask}`,
    `shift ${files.length}`,
    'exec "$@"',
  ];
  return ['/bin/sh', '-c', lines.join('\n'), 'sh', ...files, ...command];
}

/** Characters of messages to keep. */
const mostText = 4096;

/**
 * Hears the messages of that shell. The returned function is called after the exit, and resolves with CANNOT_OPEN_LOG
 * if the shell could not open a file.
 */
export function collectOpenErrors(pipe: Socket, logs: UserLogs, uid: string): () => Promise<NsvError | undefined> {
  let text = '';
  pipe.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, mostText);
  });
  pipe.on('error', () => {});
  return async () => {
    // What was written just before the exit may be unread.
    await nextTurn();
    await nextTurn();
    pipe.destroy();
    const line = text.trim().split('\n').at(-1)!;
    if (line === '') return undefined;
    const files = filesIn(logs);
    const file = files.find((each) => line.includes(each)) ?? files[0]!;
    const detail = `${line.slice(line.lastIndexOf(': ') + 1).trim()} (as user ${nameOfUser(uid)})`;
    return failure('CANNOT_OPEN_LOG', { file, detail });
  };
}

function filesIn({ out, error, checked }: UserLogs): string[] {
  return [...new Set([...checked, out, error])].filter((file) => file !== undefined);
}
