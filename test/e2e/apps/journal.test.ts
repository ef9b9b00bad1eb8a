// `nsv events --since`: what was asked and what happened, from the file and then from the daemon.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { EventView } from '../../../src/ipc/journal/event-views.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { hello, homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

const eventsIn = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as EventView);
const past = async (...words: string[]) => eventsIn(await nsv.ok('events', ...words, '--nostream', '--json'));
const commandsIn = (events: EventView[]) => events.filter(({ type }) => type === 'command');

it('nsv events --since shows who restarted an app, even after the daemon has died', async () => {
  await nsv.sleeper('web');
  const env = { LOGNAME: 'ann', SUDO_USER: undefined, SSH_CONNECTION: '192.0.2.7 1234 192.0.2.1 22' };
  expect(await nsv.runWith({ env }, 'restart', 'web', '--update-env')).toMatchObject({ code: 0 });
  expect((await nsv.run('send', 'web', 'secret')).code).not.toBe(0);
  await nsv.killDaemonAndGuard();

  const journal = join(nsv.home, 'events.jsonl');
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  const reported = await past('web', '--since', '1h');
  const restart = reported.findIndex(({ method }) => method === 'restart');
  const uid = process.getuid?.();
  expect(reported[restart]).toMatchObject({
    type: 'command',
    app: 'web',
    by: { user: 'ann', uid, host: '192.0.2.7', pid: expect.any(Number), command: 'nsv restart web --update-env' },
  });
  expect(reported.slice(restart).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['exit', 'start', 'online', 'command', 'command-failed']),
  );
  // With nobody to follow, that is all.
  expect(await nsv.run('events', '--since', '1d', '--nostream')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/web command nsv restart web --update-env, by ann from 192\.0\.2\.7, pid \d+\n/),
    stderr: '',
  });

  await nsv.list();
  const [, second] = (await past()).filter(({ type }) => type === 'daemon');
  expect(second).toMatchObject({ detail: expect.stringContaining('the previous daemon has died') });
});

it('nsv events follows the journal without a gap through a rotation and a new daemon', { tags: 'full' }, async () => {
  await nsv.sleeper('web');
  const signal = () => nsv.ok('signal', 'CONT', 'web');
  await signal();
  const journal = join(nsv.home, 'events.jsonl');
  // The next line does not fit any more.
  const padding = `${JSON.stringify({ type: 'padding', at: 1, detail: 'x'.repeat(1_000) })}\n`;
  writeFileSync(journal, padding.repeat(1_010), { flag: 'a' });
  const events = new Foreground(nsv, ['web', '--since', '1h', '--json'], { command: 'events' });
  await Promise.all([signal(), signal(), signal()]);
  await events.prints(/"signal"/);
  await nsv.ok('update', '--no-reload');
  await Promise.all([signal(), signal()]);
  await nsv.ok('delete', 'web');
  await events.prints(/"type":"delete"/);
  await nsv.ok('kill');
  expect(await events.ended).toMatchObject({ code: 0 });

  expect(readFileSync(`${journal}.1`, 'utf8')).toContain('padding');
  const received = commandsIn(eventsIn(events.stdout)).map(({ method, by }) => `${method} ${by?.pid}`);
  expect(new Set(received).size).toBe(received.length);
  expect(received.map((text) => text.split(' ')[0]).sort()).toEqual(['delete', 'launch', ...Array(6).fill('signal')]);
  // The journal has the same, and what concerns the daemon.
  const kept = commandsIn(await past()).map(({ method, by }) => `${method} ${by?.pid}`);
  expect(kept.filter((text) => !/^(upgrade|kill)/.test(text))).toEqual(received);
});

it('nsv events --since shows events of deleted apps, and fails for unknown names', { tags: 'full' }, async () => {
  await nsv.sleeper('web');
  await nsv.ok('delete', 'web');
  const gone = await nsv.run('events', 'web', '--since', '1h');
  expect(gone).toMatchObject({ code: 0, stderr: 'nsv: no app matches "web", so there is nothing to follow\n' });
  expect(gone.stdout).toContain('nsv delete web');
  expect(await nsv.run('events', 'nobody', '--since', '1h')).toMatchObject({ code: 3, stdout: '' });
  expect(await nsv.run('events', '--since', 'soon')).toMatchObject({ code: 2 });
});

it('the journal of nsv run records the signals that caused its commands', { tags: 'full' }, async () => {
  const run = new Foreground(nsv, [hello], { env: { PORT: '0' } });
  await eventually(async () => (await nsv.list()).some(({ status }) => status === 'online'));
  run.sends('SIGHUP');
  const reported = () => past('hello').then((events) => events.map(({ type, by }) => by?.signal ?? type));
  await eventually(async () => (await reported()).includes('reload'));
  expect(await reported()).toContain('SIGHUP');
  run.sends('SIGTERM');
  await run.ended;
  expect(commandsIn(await past()).at(-1)).toMatchObject({ method: 'kill', by: { signal: 'SIGTERM' } });
});
