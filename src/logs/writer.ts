// A process that appends what it reads to a file, with the rights of another user. It opens the file itself, and what it
// has taken it still writes if this process dies.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { hasProc } from '../os/proc.ts';
import type { Owner } from '../privileges/as-user.ts';
import { withPrivileges } from '../privileges/privileges.ts';

export interface FileWriter {
  readonly input: Writable;
  /** Whether the path still leads to the file that is open. Also true if that cannot be told. */
  isStill(): boolean;
  /** Ends it at once. What it has not written is lost, for this reason. */
  kill(reason: string): void;
}

export interface FileWriterEvents {
  opened(): void;
  /** `detail`: what went wrong; undefined if all input is written. */
  ended(detail: string | undefined): void;
}

/** As `openLog`: creates the file and its directories. The first newline of the messages says that it is open. */
const script = `umask 027; [ -e "$1" ] || mkdir -p -- "\${1%/*}"; exec >>"$1"; echo >&2; exec cat`;
const mostText = 4096;

export function startWriter(owner: Owner, file: string, { opened, ended }: FileWriterEvents): FileWriter {
  const { command, ids } = withPrivileges(['/bin/sh', '-c', script, 'sh', file], owner);
  const [program, ...words] = command;
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };
  const child = spawn(program, words, { ...ids, cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  let text = '';
  let isOpen = false;
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-mostText);
    if (isOpen || !/^\n/m.test(text)) return;
    isOpen = true;
    text = '';
    opened();
  });
  child.stdin.on('error', () => {});
  const lastLine = () => text.trim().split('\n').at(-1) ?? '';
  let hasEnded = false;
  let killed: string | undefined;
  const end = (detail: string | undefined) => {
    if (!hasEnded) ended(detail);
    hasEnded = true;
  };
  child.on('error', ({ message }) => end(message));
  child.on('close', (code, signal) =>
    end(code === 0 ? undefined : killed || lastLine() || signal || `exit code ${code}`),
  );
  return {
    input: child.stdin,
    isStill: () => !isOpen || !hasProc || child.pid === undefined || isSameFile(`/proc/${child.pid}/fd/1`, file),
    kill(reason) {
      killed = reason;
      child.kill('SIGKILL');
    },
  };
}

function isSameFile(one: string, other: string): boolean {
  try {
    const [a, b] = [statSync(one, { throwIfNoEntry: false }), statSync(other, { throwIfNoEntry: false })];
    return a?.ino === b?.ino && a?.dev === b?.dev;
  } catch {
    return false;
  }
}
