// Which signal asks an app to stop, by what it handles.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/** Writes down the signal that it handles, and ends with 3. argv: signals. `up <pid>`: it is there. */
const handles = () =>
  nsv.script(
    'handles.cjs',
    `for (const signal of process.argv.slice(2))
       process.on(signal, () => { require('fs').writeFileSync('heard', signal); process.exit(3); });
     setInterval(() => {}, 1e6);
     console.log('up ' + process.pid);`,
  );

const file = () => join(nsv.directory, 'heard');
const received = () => (existsSync(file()) ? readFileSync(file(), 'utf8') : undefined);

const byTerm = { code: null, signal: 'SIGTERM' };
const byHandler = { code: 3, signal: null };

describe('nsv stop', () => {
  const rows: [handled: string, options: string[], by: string | undefined, end: object][] = [
    ['SIGINT', [], 'SIGINT', byHandler],
    ['SIGTERM', [], 'SIGTERM', byHandler],
    ['SIGINT SIGTERM', [], 'SIGTERM', byHandler],
    ['', [], undefined, byTerm],
    ['SIGINT', ['--stop-signal', 'TERM'], undefined, byTerm],
    ['SIGTERM', ['--stop-signal', 'int'], undefined, { code: null, signal: 'SIGINT' }],
    ['SIGTERM SIGUSR2', ['--stop-signal', 'SIGUSR2'], 'SIGUSR2', byHandler],
  ];
  variants(rows, 2)('stops an app that handles "%s", with %j (handled: %s)', async (handled, options, by, end) => {
    await nsv.ok('start', handles(), '--name', 'web', ...options, '--', ...handled.split(' ').filter(Boolean));
    await nsv.ok('stop', 'web');
    expect([received(), await nsv.list()]).toMatchObject([by, [{ lastExit: end }]]);
  });

  it('stops a program other than Node by SIGTERM', { tags: 'full' }, async () => {
    const source = `trap 'echo INT > heard; exit 3' INT; trap 'echo TERM > heard; exit 3' TERM; while :; do sleep 0.1; done`;
    await nsv.ok('start', nsv.script('waits.sh', source), '--name', 'web');
    await nsv.ok('stop', 'web');
    expect(received()).toBe('TERM\n');
  });

  it('sends SIGINT to an app that handles only SIGINT once its requests are answered and its loop responds', async () => {
    const port = await freePort();
    const source = `
      const { createServer } = require('node:http');
      process.on('SIGINT', () => { require('fs').writeFileSync('heard', 'SIGINT'); process.exit(3); });
      createServer((request, response) => {
        console.log('asked');
        // Longer than the daemon waits for an answer of the loop.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
        response.end('ok');
      }).listen(${port});`;
    await nsv.ok('start', nsv.script('blocks.cjs', source), '--name', 'web');
    const answer = ask(port);
    const [{ outFile } = { outFile: null }] = await nsv.list('web');
    await eventually(() => readFileSync(outFile!, 'utf8').includes('asked'));
    await nsv.ok('stop', 'web');
    expect(await answer).toEqual({ ok: true, body: 'ok' });
    expect([received(), await nsv.list()]).toMatchObject(['SIGINT', [{ lastExit: byHandler }]]);
  });
});

describe('nsv run', () => {
  const rows: [sent: NodeJS.Signals, handled: string, by: string | undefined, code: number][] = [
    ['SIGINT', 'SIGINT SIGTERM', 'SIGINT', 3],
    ['SIGTERM', 'SIGINT', 'SIGINT', 3],
    ['SIGINT', 'SIGTERM', 'SIGTERM', 3],
    ['SIGINT', '', undefined, 130],
  ];
  variants(rows, 2)('translates %s for an app that handles "%s" (handled: %s)', async (sent, handled, by, code) => {
    const foreground = new Foreground(nsv, [handles(), '--', ...handled.split(' ').filter(Boolean)]);
    await foreground.prints(/up/);
    foreground.sends(sent);
    expect((await foreground.ended).code).toBe(code);
    expect(received()).toBe(by);
  });

  it('uses --stop-signal on SIGINT if it is given', { tags: 'full' }, async () => {
    const options = ['--stop-signal', 'SIGTERM', '--', 'SIGINT', 'SIGTERM'];
    const foreground = new Foreground(nsv, [handles(), ...options]);
    await foreground.prints(/up/);
    foreground.sends('SIGINT');
    await foreground.ended;
    expect(received()).toBe('SIGTERM');
  });

  it('passes SIGINT on to a program other than Node', { tags: 'full' }, async () => {
    const source = `trap 'exit 4' INT; trap 'exit 5' TERM; echo up; while :; do sleep 0.1; done`;
    const foreground = new Foreground(nsv, ['--', 'sh', '-c', source]);
    await foreground.prints(/up/);
    foreground.sends('SIGINT');
    expect((await foreground.ended).code).toBe(4);
  });
});
