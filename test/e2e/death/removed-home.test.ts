// A home that is removed under a living daemon, and another one at the same path.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Examination } from '../../../src/shared/findings.ts';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { homeForEach, isAlive, leadersWith } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const at = (name: string) => join(nsv.home, name);
const running = (app: string) => leadersWith(`NSV_APP=${app}`, `NSV_HOME=${nsv.home}`);

/** Returns the pid of the daemon, which goes on with the app "old". */
async function loseHome(lose: () => void): Promise<number> {
  await nsv.sleeper('old');
  const pid = nsv.daemonPid!;
  lose();
  return pid;
}

/** The old daemon has something to write: its app was started again. */
async function stirOld(): Promise<void> {
  const [pid] = running('old');
  process.kill(pid!, 'SIGKILL');
  await eventually(() => running('old').some((other) => other !== pid));
}

const ways: [string, () => void][] = [
  ['was deleted', () => rmSync(nsv.home, { recursive: true })],
  ['was renamed', () => renameSync(nsv.home, join(nsv.directory, 'renamed'))],
];

describe('a daemon that has lost its home', () => {
  variants(ways)('neither writes to the new home nor removes anything from it if the old %s', async (_title, lose) => {
    const old = await loseHome(lose);
    await nsv.sleeper('new');
    const current = nsv.daemonPid!;
    expect(current).not.toBe(old);
    await stirOld();
    process.kill(old, 'SIGTERM');
    await eventually(() => !isAlive(old) && running('old').length === 0);
    for (const name of ['daemon.sock', 'daemon.pid', 'state.json']) expect(existsSync(at(name)), name).toBe(true);
    expect(readFileSync(at('state.json'), 'utf8')).not.toContain('"name":"old"');
    expect(readdirSync(at('logs')).filter((name) => name.startsWith('old'))).toEqual([]);
    expect(await nsv.list()).toMatchObject([{ name: 'new', status: 'online' }]);
    expect(nsv.daemonPid).toBe(current);
  });

  variants(ways)('is reported by nsv doctor, with or without a new home, if the old %s', async (_title, lose) => {
    const old = await loseHome(lose);
    const finding = { code: 'daemon-of-former-home', remedy: expect.stringContaining(`kill ${old}`) };
    const examine = async () => JSON.parse((await nsv.run('doctor', '--json')).stdout) as Examination;
    expect(await examine()).toMatchObject({ findings: [finding] });
    mkdirSync(nsv.home, { mode: 0o700 });
    expect(await examine()).toMatchObject({ findings: [finding] });
    process.kill(old, 'SIGTERM');
    await eventually(() => !isAlive(old));
    expect(await examine()).toMatchObject({ findings: [] });
  });
});

describe('a home that is renamed while no daemon runs', { tags: 'full' }, () => {
  it('keeps its apps, which the next daemon adopts, and which report their ports again after a restart', async () => {
    const port = await freePort();
    const source = `require('node:http').createServer((_, answer) => answer.end('ok')).listen(${port})`;
    await nsv.ok('start', nsv.script('web.cjs', source), '--name', 'web');
    const [before] = await nsv.list();
    await nsv.killDaemonAndGuard();
    const renamed = join(nsv.directory, 'renamed');
    renameSync(nsv.home, renamed);
    const env = { NSV_HOME: renamed };
    const list = async () => JSON.parse((await nsv.runWith({ env }, 'list', '--json')).stdout) as unknown;
    try {
      expect(await list()).toMatchObject([{ pid: before?.pid, status: 'online' }]);
      expect((await nsv.runWith({ env }, 'restart', 'web')).code).toBe(0);
      expect(await list()).toMatchObject([{ ports: [String(port)] }]);
    } finally {
      await nsv.runWith({ env }, 'kill');
      await eventually(() => running('web').length === 0);
    }
  });
});
