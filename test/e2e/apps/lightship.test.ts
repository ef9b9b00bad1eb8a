// `createLightship` and `createWatchdogTimer` in processes of their own: under plain Node, under nsv, and as process 1.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { installNsv } from '../../helpers/app-library.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground, namespace, whyNoNamespace } from '../../helpers/foreground.ts';
import { freePort } from '../../helpers/http.ts';
import { fixture, homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();
beforeEach(() => installNsv(nsv.directory));

const source = readFileSync(fixture('hangs-at-await.mjs'), 'utf8');
const kinds = {
  'hangs.mjs': source,
  'hangs.cjs': source.replace(/^import (\{.*\}) from '(.*)';$/m, "const $1 = require('$2');"),
};
const oneLife = ['round', 'round', 'round', 'timeout', 'shutting down'];

/** Runs a program under plain Node; `port` is where its lightship listens. */
function plain(file: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [file], {
    cwd: nsv.directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, lines: printed.trim().split('\n') }));
  return { child, ended, prints: (text: string) => eventually(() => printed.includes(text)) };
}

const probe = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return `${response.status} ${await response.text()}`;
};

describe.each(Object.entries(kinds))('a loop that hangs at an await (%s)', { tags: 'full' }, (name, text) => {
  let program: string;
  beforeEach(() => {
    program = nsv.script(name, text);
  });

  it('is detected under plain Node, and its process exits after the shutdown handlers', async () => {
    expect(await plain(program).ended).toEqual({ code: 0, signal: null, lines: oneLife });
  });

  it('is detected under nsv, and its process is restarted after the shutdown handlers', async () => {
    await nsv.run('start', program, '--name', 'loop', '--no-wait');
    const { outFile } = await eventually(async () => (await nsv.list())[0]);
    const lines = await eventually(() => {
      const all = existsSync(outFile!) && readFileSync(outFile!, 'utf8').trim().split('\n');
      return all && all.length >= 2 * oneLife.length && all;
    });
    // It serves its probes, so its successor begins while the handlers run.
    expect(lines.filter((line) => line === 'shutting down').length).toBeGreaterThanOrEqual(2);
    expect(lines.slice(0, 4)).toEqual(oneLife.slice(0, 4));
    const [death] = JSON.parse(await nsv.ok('deaths', 'loop', '--json'));
    expect(death).toMatchObject({ cause: 'watchdog timer', detail: expect.stringMatching(/not reset since \d{4}-/) });
    await nsv.ok('delete', 'loop');
  });

  it('is detected as process 1, and its process is restarted after the shutdown handlers', async ({ skip }) => {
    if (await whyNoNamespace()) skip();
    const running = new Foreground(nsv, [program], { within: namespace });
    await running.prints(/(shutting down[\s\S]*){2}/);
    running.sends('SIGKILL');
    await running.ended;
  });
});

it('restarts a process whose watchdog timer fires before its server listens, in the foreground too', async () => {
  const program = nsv.script(
    'soon.mjs',
    `import { createLightship, createWatchdogTimer } from 'nsv/app';
     const lightship = createLightship();
     createWatchdogTimer({ timeout: 1, onTimeout: () => lightship.shutdown() });
     lightship.registerShutdownHandler(() => console.log('shutting down'));`,
  );
  const running = new Foreground(nsv, [program]);
  await running.prints(/(shutting down[\s\S]*){2}/);
  running.sends('SIGKILL');
  await running.ended;
});

describe('a loop that blocks the event loop', { tags: 'full' }, () => {
  it('is not detected by a watchdog timer, but its process is replaced by --watchdog', async () => {
    const program = nsv.script(
      'blocks.mjs',
      `import { existsSync, writeFileSync } from 'node:fs';
       import { createLightship, createWatchdogTimer } from 'nsv/app';
       const lightship = createLightship({ timeout: 5000 });
       lightship.signalReady();
       lightship.registerShutdownHandler(() => console.log('shutting down'));
       const watchdogTimer = createWatchdogTimer({ timeout: 60_000, onTimeout: () => lightship.shutdown() });
       while (!lightship.isServerShuttingDown()) {
         watchdogTimer.reset();
         console.log('round');
         await new Promise((resolve) => setTimeout(resolve, 10));
         if (!existsSync('first')) work();
       }
       function work() {
         writeFileSync('first', '');
         while (true);
       }`,
    );
    await nsv.run('start', program, '--name', 'loop', '--no-wait', '--watchdog', '1s', '--kill-timeout', '1s');
    const [death] = await eventually(async () => {
      const deaths = JSON.parse(await nsv.ok('deaths', 'loop', '--json'));
      return deaths.length > 0 && deaths;
    });
    expect(death).toMatchObject({
      cause: 'blocked loop',
      next: 'replaced',
      stack: expect.arrayContaining([expect.objectContaining({ function: 'work', line: 15 })]),
    });
    // Handlers of a blocked process cannot run. Those of its successor do.
    const [{ pid, status, outFile } = { pid: 0, status: '', outFile: '' }] = await nsv.list();
    expect([status, pid === death.pid]).toEqual(['online', false]);
    const printed = () => readFileSync(outFile!, 'utf8');
    expect(printed()).not.toContain('shutting down');
    await nsv.ok('stop', 'loop');
    expect(printed()).toContain('shutting down');
  });
});

describe('a lightship', { tags: 'full' }, () => {
  const serving = (port: number, more = '') => `import { createLightship } from 'nsv/app';
    const lightship = createLightship({ detectKubernetes: false, port: ${port}, shutdownDelay: 0 });
    let done;
    lightship.queueBlockingTask(new Promise((resolve) => (done = resolve)));
    lightship.signalReady();
    console.log('at once', lightship.isServerReady(), typeof lightship.server.listen);
    const awaited = await lightship;
    console.log('awaited', awaited.server.address().port === ${port}, 'then' in awaited);
    awaited.whenFirstReady().then(() => console.log('ready'));
    const beacon = lightship.createBeacon({ jobId: 1 });
    process.on('SIGUSR2', () => (lightship.isServerShuttingDown() ? beacon.die() : done()));
    lightship.registerShutdownHandler(() => console.log('first handler'));
    lightship.registerShutdownHandler(() => console.log('second handler'));
    ${more}
    setInterval(() => {}, 1000);`;

  it('answers its probes, and terminates a process that something keeps alive', async () => {
    const port = await freePort();
    const { child, ended, prints } = plain(nsv.script('serving.mjs', serving(port)));
    await prints('awaited');
    const all = () => Promise.all(['/health', '/live', '/ready'].map((path) => probe(port, path)));
    expect(await all()).toEqual([
      '500 SERVER_IS_NOT_READY',
      '200 SERVER_IS_NOT_SHUTTING_DOWN',
      '500 SERVER_IS_NOT_READY',
    ]);
    child.kill('SIGUSR2');
    await prints('ready\n');
    expect(await all()).toEqual(['200 SERVER_IS_READY', '200 SERVER_IS_NOT_SHUTTING_DOWN', '200 SERVER_IS_READY']);
    child.kill('SIGTERM');
    await eventually(async () => (await probe(port, '/live')) === '500 SERVER_IS_SHUTTING_DOWN');
    expect(await all()).toEqual([
      '500 SERVER_IS_SHUTTING_DOWN',
      '500 SERVER_IS_SHUTTING_DOWN',
      '500 SERVER_IS_NOT_READY',
    ]);
    child.kill('SIGUSR2');
    expect(await ended).toEqual({
      code: 1,
      signal: null,
      lines: ['at once false function', 'awaited true false', 'ready', 'first handler', 'second handler'],
    });
  });

  it('is answered by a ready instance under nsv as long as there is one', async () => {
    const port = await freePort();
    const program = nsv.script(
      'instances.mjs',
      `import { createLightship } from 'nsv/app';
       const lightship = await createLightship({ detectKubernetes: false, port: ${port} });
       lightship.signalReady();
       process.on('SIGUSR2', () => (lightship.isServerReady() ? lightship.signalNotReady() : lightship.signalReady()));`,
    );
    await nsv.ok('start', program, '--name', 'web', '-i', '2', '--wait-ready');
    const pids = (await nsv.list()).map(({ pid }) => pid!);
    const answers = async () => new Set(await Promise.all(Array.from({ length: 20 }, () => probe(port, '/ready'))));
    expect([...(await answers())]).toEqual(['200 SERVER_IS_READY']);
    process.kill(pids[0]!, 'SIGUSR2');
    await eventually(async () => (await nsv.list())[0]?.unready !== undefined);
    await eventually(async () => !(await answers()).has('500 SERVER_IS_NOT_READY'));
    process.kill(pids[1]!, 'SIGUSR2');
    await eventually(async () => (await answers()).has('500 SERVER_IS_NOT_READY') && (await answers()).size === 1);
  });

  it('ends a process whose blocking task fails, without ever being ready', async () => {
    const program = nsv.script(
      'failing.mjs',
      `import { createLightship } from 'nsv/app';
       const lightship = await createLightship();
       lightship.registerShutdownHandler(() => console.log('handler', lightship.isServerReady()));
       lightship.queueBlockingTask(Promise.reject(new Error('no migration')));
       lightship.signalReady();
       lightship.whenFirstReady().catch(({ message }) => console.log('never ready:', message));`,
    );
    const lines = ['handler false', 'never ready: no migration'];
    expect(await plain(program).ended).toEqual({ code: 1, signal: null, lines });
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('calls its handlers on %s', async (signal) => {
    const program = nsv.script(
      'signalled.mjs',
      `import { createLightship } from 'nsv/app';
       const lightship = await createLightship();
       lightship.registerShutdownHandler(() => console.log('handler'));
       console.log('here');`,
    );
    const { child, ended, prints } = plain(program);
    await prints('here');
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, signal: null, lines: ['here', 'handler'] });
  });

  it('may be followed by another one in the same process', async () => {
    const program = nsv.script(
      'several.mjs',
      `import { createLightship } from 'nsv/app';
       for (const name of ['first', 'second', 'third']) {
         const lightship = await createLightship({ terminate: () => console.log('terminated') });
         lightship.registerShutdownHandler(() => console.log(name));
         await lightship.shutdown();
       }`,
    );
    expect(await plain(program).ended).toEqual({ code: 0, signal: null, lines: ['first', 'second', 'third'] });
  });

  it('rejects if its port is taken', async () => {
    const port = await freePort();
    const program = nsv.script(
      'taken.mjs',
      `import { createServer } from 'node:net';
       import { createLightship } from 'nsv/app';
       createServer().listen(${port}, async () => {
         await createLightship({ detectKubernetes: false, port: ${port} }).catch(({ code }) => console.log(code));
         process.exit(3);
       });`,
    );
    expect(await plain(program).ended).toMatchObject({ code: 3, lines: ['EADDRINUSE'] });
  });
});
