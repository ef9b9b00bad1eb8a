// After a death of the daemon: a process of another user is never taken for one of ours, whatever is in its environment.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/daemon/state/codec.ts';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach, isAlive } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';

const nsv = homeForEach();
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('skipped: only root can start processes of another user');

const markOf = (pid: number) => /(?:^|\0)NSV_MARK=([^\0]*)/.exec(procFile(pid, 'environ') ?? '')?.[1] ?? '';
/** The mark of a process that a daemon would have started next. */
const next = (mark: string) => mark.replace(/:(\d+):holder:/, (_, sequence) => `:${Number(sequence) + 1}:holder:`);

/** What nobody can do: a process in a session of its own with any text in its environment, and any readable file open. */
async function decoy(mark: string, output: string): Promise<{ pid: number; end(): void }> {
  const fd = openSync(output, 'r');
  const child = spawn('setpriv', ['--reuid', 'nobody', '--regid', 'nogroup', '--clear-groups', 'sleep', '603'], {
    env: { PATH: process.env.PATH, NSV_MARK: mark },
    stdio: ['ignore', fd, fd],
    detached: true,
  });
  closeSync(fd);
  const pid = child.pid!;
  await eventually(() => procFile(pid, 'comm') === 'sleep\n');
  return { pid, end: () => void child.kill('SIGKILL') };
}

/** As if the daemon had died before it could write down the process. */
function forgetProcesses(): void {
  const file = join(nsv.home, 'state.json');
  const state = decodeState(readFileSync(file)).snapshot;
  state.sequence = 0;
  for (const { processes } of state.groups)
    for (const process of processes) Object.assign(process, { state: { kind: 'stopped' }, identity: null });
  writeFileSync(file, encodeState(state));
}

function secretFile(): string {
  return nsv.script('secret.log', 'what only root may change\n');
}

describe.skipIf(!isRoot)('a process of another user', () => {
  it.each([
    ['with a higher number', next],
    ['for another slot', (mark: string) => next(mark).replace(/:holder:0:0:/, ':holder:1:1:')],
    ['for an app that is unknown', (mark: string) => next(mark).replace(/:good$/, ':bad')],
  ])('is not listed if its mark is forged, and the real one is kept: %s', { tags: 'full' }, async (_title, forge) => {
    await nsv.sleeper('good');
    const [real] = await nsv.list();
    await nsv.killDaemonAndGuard();
    const secret = secretFile();
    const forged = await decoy(forge(markOf(real!.pid!)), secret);
    try {
      const views = await nsv.list();
      expect(views).toMatchObject([{ pid: real!.pid, status: 'online', outFile: real!.outFile }]);
      await nsv.ok('flush', 'good');
      expect(readFileSync(secret, 'utf8')).toBe('what only root may change\n');
      await nsv.ok('kill');
      expect(isAlive(forged.pid)).toBe(true);
    } finally {
      forged.end();
    }
  });

  it('is not taken for the process whose genuine mark it carries', { tags: 'full' }, async () => {
    await nsv.sleeper('good');
    const [real] = await nsv.list();
    const mark = markOf(real!.pid!);
    await nsv.killDaemonAndGuard();
    process.kill(real!.pid!, 'SIGKILL');
    forgetProcesses();
    const secret = secretFile();
    const replayed = await decoy(mark, secret);
    try {
      expect(await nsv.list()).toMatchObject([{ status: 'stopped', pid: null }]);
      const log = nsv.log();
      expect(log).toMatch(new RegExp(`"pid":${replayed.pid},.*runs as another user`));
      await nsv.ok('start', 'good');
      await nsv.ok('flush', 'good');
      expect(readFileSync(secret, 'utf8')).toBe('what only root may change\n');
      await nsv.ok('kill');
      expect(isAlive(replayed.pid)).toBe(true);
    } finally {
      replayed.end();
    }
  });
});

describe.skipIf(!isRoot)('the user of an app', () => {
  const theirs = async () => {
    await nsv.sleeper('theirs', '--uid', 'nobody', '--cwd', '/');
    const [real] = await nsv.list();
    return { real: real!, mark: markOf(real!.pid!) };
  };

  it('cannot substitute another process for a recorded one', async () => {
    const { real, mark } = await theirs();
    await nsv.killDaemonAndGuard();
    const other = await decoy(mark, secretFile());
    try {
      expect(await nsv.list()).toMatchObject([{ pid: real.pid, status: 'online', outFile: real.outFile }]);
    } finally {
      other.end();
    }
  });

  it('cannot substitute another process for an unrecorded one', { tags: 'full' }, async () => {
    const { real, mark } = await theirs();
    await nsv.killDaemonAndGuard();
    forgetProcesses();
    const other = await decoy(mark, secretFile());
    try {
      expect(await nsv.list()).toMatchObject([{ pid: real.pid, outFile: real.outFile, errorFile: real.errorFile }]);
    } finally {
      other.end();
    }
  });

  it('can only substitute a process of its own for one that has ended', { tags: 'full' }, async () => {
    const { real, mark } = await theirs();
    await nsv.killDaemonAndGuard();
    process.kill(real.pid!, 'SIGKILL');
    forgetProcesses();
    const secret = secretFile();
    const other = await decoy(mark, secret);
    try {
      const [view] = await nsv.list();
      expect(view).toMatchObject({ pid: other.pid, outFile: real.outFile, errorFile: real.errorFile });
      await nsv.ok('flush', 'theirs');
      expect(readFileSync(secret, 'utf8')).toBe('what only root may change\n');
    } finally {
      other.end();
    }
  });
});

describe('the spawn log', { tags: 'full' }, () => {
  it('is readable only by its owner, and has the marks of all running processes', async () => {
    await nsv.sleeper('good', '-i', '2');
    const file = join(nsv.home, 'spawns');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const { pid } of await nsv.list()) expect(readFileSync(file, 'utf8')).toContain(`${markOf(pid!)}\n`);
  });
});
