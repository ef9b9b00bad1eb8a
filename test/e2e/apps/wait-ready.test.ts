// Apps that listen before they can serve, and say when they can.
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';
import { variants } from '../../helpers/variants.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

/** Answers "early" until it has done its work, and says then that it is ready. */
const server = (work: string, ready = "process.send('ready')") => `
  let isReady = false;
  require('http').createServer((_, answer) => answer.end(isReady ? 'ok' : (console.log('early'), 'early')))
    .listen(${port}, async () => {
      ${work}
      isReady = true;
      ${ready};
    });`;
/** Work for which clients would notice if they were let in. */
const pause = 'await new Promise((resolve) => setTimeout(resolve, 700));';

async function crash(): Promise<void> {
  const { pid } = (await nsv.list())[0]!;
  process.kill(pid!, 'SIGKILL');
  await eventually(async () => (await nsv.list()).every((one) => one.pid !== pid && one.status === 'online'));
}

describe('a process that is not ready takes no connections', () => {
  variants<string[][]>(
    [
      [['-i', '2', '--wait-ready']],
      [['--wait-ready']],
      [['-i', '2', '--wait-ready', '--schedule', 'rr']],
      [['-i', '2', '--wait-ready', '--schedule', 'sticky']],
      [['-i', '2', '--ready-probe', 'http://']],
    ],
    2,
  )('%j', async (options) => {
    const probed = options.includes('--ready-probe');
    const source = probed
      ? server(pause, '').replace("'early')", "((answer.statusCode = 503), 'early'))")
      : server(pause);
    await nsv.ok('start', nsv.script('web.js', source), ...options);
    const [kept, passing] = [new Visitors(4, { port }), new PassersBy({ port })];
    await nsv.ok('reload', 'web');
    await nsv.ok('restart', 'web');
    const killed = kept.failures.length + passing.failed.length;
    expect(killed).toBe(0);
    await crash();
    await Promise.all([kept.leave(), passing.leave()]);
    expect(kept.answers.length).toBeGreaterThan(20);
    expect(new Set(kept.answers)).toEqual(new Set(['ok']));
  });
});

describe('a process that is not ready', () => {
  variants<string[]>(
    [
      ['', '127.0.0.1', '-i', '1'],
      ['await', 'localhost', '-i', '2', '--schedule', 'rr'],
      ['', 'localhost', '-i', '2'],
      ['await', 'localhost', '-i', '1'],
    ],
    2,
  )('gets its connections if it connects to itself: %s %s', async (wait, host, ...options) => {
    const asks = `fetch('http://${host}:${port}/').then((answer) => answer.text())`;
    // Some do so before the server listens.
    const source = wait === '' ? `${server(`await asked;`)} const asked = ${asks};` : server(`await ${asks};`);
    const words = ['start', nsv.script('web.js', source), '--wait-ready', '--listen-timeout', '10m'];
    await nsv.ok(...words, ...options);
    for (const act of ['restart', 'reload']) await nsv.ok(act, 'web');
    expect(await ask(port)).toEqual({ ok: true, body: 'ok' });
  });

  it('gets no connections if it connects to the same port of another address', async () => {
    const elsewhere = `require('net').connect({ port: ${port}, host: '127.0.0.2' }).on('error', () => {});`;
    const source = server(`${elsewhere} ${pause}`).replace(`listen(${port}`, `listen(${port}, '127.0.0.1'`);
    await nsv.ok('start', nsv.script('web.js', source), '--wait-ready');
    const passing = new PassersBy({ port, host: '127.0.0.1' });
    await nsv.ok('restart', 'web');
    await eventually(() => passing.answered > 20);
    expect(await passing.leave()).toEqual([]);
    const logged = await nsv.ok('logs', 'web', '--nostream', '--raw');
    expect(logged).not.toContain('early');
  });

  it('takes connections once its time to become ready is over', async () => {
    const words = ['start', nsv.script('web.js', server('await new Promise(() => {});')), '--wait-ready'];
    expect(await nsv.run(...words, '--listen-timeout', '1s')).toMatchObject({ code: 6 });
    expect(await ask(port)).toEqual({ ok: true, body: 'early' });
  });
});
