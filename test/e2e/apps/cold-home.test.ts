// Many first commands at once, on homes in every condition.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeForEach, processesWith } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';
import { finish } from '../../helpers/program.ts';
import { variants } from '../../helpers/variants.ts';

const commands = 50;
const nsv = homeForEach();

async function startAllAtOnce(): Promise<void> {
  const names = Array.from({ length: commands }, (_, index) => `app${index}`);
  const ran = await Promise.all(
    names.map((name) => nsv.run('start', '/bin/sleep', '--no-wait', '--name', name, '--', '600')),
  );
  expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
  expect((await nsv.list()).map(({ name }) => name).sort()).toEqual(names.sort());
  const daemons = processesWith(`NSV_HOME=${nsv.home}`).filter((pid) => isDaemon(pid));
  expect(daemons).toEqual([nsv.daemonPid]);
}

const isDaemon = (pid: number) => /^(?!\/bin\/sh\0).*daemon\/main\.js/s.test(procFile(pid, 'cmdline') ?? '');

/** What a daemon leaves that was killed: a socket file that nobody listens on. */
async function leaveStaleSocket(): Promise<void> {
  mkdirSync(nsv.home, { mode: 0o700 });
  const script = 'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))';
  const { signal } = await finish(process.execPath, ['-e', script, join(nsv.home, 'daemon.sock')]);
  expect(signal).toBe('SIGKILL');
}

describe('fifty first commands at once', { tags: 'full' }, () => {
  it('start one daemon and fifty apps in a new home', startAllAtOnce);

  it('start one daemon and fifty apps in a home with a stale socket and a pid file that names pid 1', async () => {
    await leaveStaleSocket();
    writeFileSync(join(nsv.home, 'daemon.pid'), '1\n1\n');
    await startAllAtOnce();
  });
});

describe('a home', () => {
  it('is refused if others may write to it, and the error names it', async () => {
    mkdirSync(nsv.home);
    chmodSync(nsv.home, 0o777);
    expect(await nsv.fails(4, 'start', '/bin/sleep', '--', '600')).toContain(nsv.home);
  });

  it('may have a path longer than a socket address', async () => {
    const home = join(nsv.directory, 'd'.repeat(100), 'e'.repeat(100));
    const env = { NSV_HOME: home };
    expect(await nsv.runWith({ env }, 'start', '/bin/sleep', '--no-wait', '--', '600')).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await nsv.runWith({ env }, 'ping')).toMatchObject({ code: 0 });
    expect(await nsv.runWith({ env }, 'kill')).toMatchObject({ code: 0 });
  });

  it('causes an error, not a hang, if the program behind its socket never answers', async () => {
    mkdirSync(nsv.home, { mode: 0o700 });
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(join(nsv.home, 'daemon.sock'), resolve));
    const { code, stderr } = await nsv.run('ping');
    server.close();
    expect(code).toBe(4);
    expect(stderr).toContain('daemon');
  });
});

describe('a command that needs no daemon', () => {
  variants([['--version'], ['--help'], ['list'], ['ping'], ['kill'], ['jlist']])(
    'never starts a daemon: %s',
    async (word) => {
      await nsv.run(word);
      expect(nsv.daemonPid).toBeUndefined();
    },
  );
});
