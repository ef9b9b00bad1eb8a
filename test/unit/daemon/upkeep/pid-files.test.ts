import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEventBus } from '../../../../src/daemon/events.ts';
import { keepPidFiles } from '../../../../src/daemon/upkeep/pid-files.ts';
import { makeFifo } from '../../../helpers/program.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const directory = temporaryDirectory(afterAll);

/** The daemon as it starts and ends processes of apps with these files. */
function keeping(files: Record<string, string>) {
  const events = createEventBus();
  const problems: string[] = [];
  keepPidFiles(events, {
    settingsOf: (app) => ({ pidFile: files[app], uid: undefined, gid: undefined, umask: '027' }),
    userFilesOf: () => undefined,
    report: (app, _about, detail) => void (detail !== null && problems.push(app)),
  });
  const exit = { code: 0, signal: null };
  return {
    problems,
    started: (pid: number, slot = 0, app = 'web') =>
      events.emit({ type: 'start', app, id: slot, slot, pid, logsAt: {} }),
    ended: (pid: number, app = 'web') =>
      events.emit({ type: 'exit', app, id: 0, slot: 0, pid, exit, asked: true, death: undefined }),
  };
}

it('a PID file exists while its process runs, and has the PID of the latest one', () => {
  const web = join(directory, 'web.pid');
  const { problems, started, ended } = keeping({ web, lost: join(directory, 'nowhere', 'lost.pid') });
  started(10);
  started(11, 1);
  expect(readFileSync(web, 'utf8')).toBe('10\n');
  expect(statSync(web).mode & 0o777).toBe(0o640);
  expect(readFileSync(join(directory, 'web-1.pid'), 'utf8')).toBe('11\n');
  started(12);
  ended(10);
  expect(readFileSync(web, 'utf8')).toBe('12\n');
  ended(12);
  expect(existsSync(web)).toBe(false);
  started(13, 0, 'none');
  started(14, 0, 'lost');
  expect(problems).toEqual(['lost']);
});

it('a PID file that is a device or a FIFO does not block the daemon', async () => {
  const fifo = join(directory, 'fifo');
  await makeFifo(fifo);
  const { problems, started, ended } = keeping({ zero: '/dev/zero', fifo });
  for (const app of ['zero', 'fifo']) {
    started(10, 0, app);
    ended(10, app);
  }
  expect([problems, existsSync('/dev/zero'), existsSync(fifo)]).toEqual([['fifo'], true, true]);
});
