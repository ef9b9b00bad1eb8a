import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEventBus } from '../../../../src/daemon/events.ts';
import { keepPidFiles } from '../../../../src/daemon/upkeep/pid-files.ts';
import { makeFifo } from '../../../helpers/program.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const directory = temporaryDirectory(afterAll);

it('a PID file exists while its process runs, and has the PID of the latest one', () => {
  const events = createEventBus();
  const problems: string[] = [];
  const files: Record<string, string> = {
    web: join(directory, 'web.pid'),
    lost: join(directory, 'nowhere', 'lost.pid'),
  };
  keepPidFiles(events, {
    settingsOf: (app) => ({ pidFile: files[app], uid: undefined, gid: undefined, umask: '027' }),
    userFilesOf: () => undefined,
    failed: (app) => problems.push(app),
  });
  const started = (pid: number, slot = 0, app = 'web') =>
    events.emit({ type: 'start', app, id: slot, slot, pid, logsAt: {} });
  const ended = (pid: number) =>
    events.emit({
      type: 'exit',
      app: 'web',
      id: 0,
      slot: 0,
      pid,
      exit: { code: 0, signal: null },
      asked: true,
      death: undefined,
    });
  started(10);
  started(11, 1);
  expect(readFileSync(files.web!, 'utf8')).toBe('10\n');
  expect(statSync(files.web!).mode & 0o777).toBe(0o640);
  expect(readFileSync(join(directory, 'web-1.pid'), 'utf8')).toBe('11\n');
  started(12);
  ended(10);
  expect(readFileSync(files.web!, 'utf8')).toBe('12\n');
  ended(12);
  expect(existsSync(files.web!)).toBe(false);
  started(13, 0, 'none');
  started(14, 0, 'lost');
  expect(problems).toEqual(['lost']);
});

it('a PID file that is a device or a FIFO does not block the daemon', async () => {
  const events = createEventBus();
  const problems: string[] = [];
  const fifo = join(directory, 'fifo');
  await makeFifo(fifo);
  const files: Record<string, string> = { zero: '/dev/zero', fifo };
  keepPidFiles(events, {
    settingsOf: (app) => ({ pidFile: files[app], uid: undefined, gid: undefined, umask: '027' }),
    userFilesOf: () => undefined,
    failed: (app) => problems.push(app),
  });
  for (const app of ['zero', 'fifo']) {
    const process = { app, id: 0, slot: 0, pid: 10 };
    events.emit({ type: 'start', logsAt: {}, ...process });
    events.emit({ type: 'exit', ...process, exit: { code: 0, signal: null }, asked: true, death: undefined });
  }
  expect([problems, existsSync('/dev/zero'), existsSync(fifo)]).toEqual([['fifo'], true, true]);
});
