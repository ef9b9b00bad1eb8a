// The probes of `nsv run`, and the words of examples/container/Dockerfile, as far as they go without Docker.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, sees } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { hello, homeForEach, root } from '../../helpers/nsv.ts';
import { type Probed, probe } from '../../helpers/probe.ts';

const nsv = homeForEach();
let running: Foreground;

const dockerfile = readFileSync(join(root, 'examples', 'container', 'Dockerfile'), 'utf8');
const words = ['ENTRYPOINT', 'CMD'].flatMap((name) => JSON.parse(dockerfile.split(`\n${name} `)[1]!.split('\n')[0]!));

afterEach(() => running.sends('SIGKILL'));

function start(args: string[], { port = 0, ...ways }: { port?: number; cwd?: string } = {}): void {
  running = new Foreground(nsv, args, { env: { PORT: String(port) }, ...ways });
}

/** What the probe says, once it says this code; before it listens, and until then, it is asked again. */
function answers(port: number, path: string, code: number): Promise<Probed> {
  return eventually(async () => {
    const answer = sees('answer', await probe(port, path).catch(() => undefined));
    if (answer?.code === code) return answer;
    const { child, stdout, stderr } = running;
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} and printed:\n${stdout}${stderr}`);
    return undefined;
  }, `code ${code} from ${path}`);
}

describe('nsv run', () => {
  it('runs the command of the example Dockerfile', async () => {
    const [port, healthPort] = [await freePort(), await freePort()];
    const own = words.map((word: string) => (word === '9000' ? String(healthPort) : word));
    expect(own).not.toEqual(words);
    expect(own.slice(0, 2)).toEqual(['nsv', 'run']);
    start(own.slice(2), { cwd: dirname(hello), port });
    expect(JSON.parse((await answers(healthPort, '/ready', 200)).text)).toMatchObject({ apps: [{ name: 'hello' }] });
    // On a busy machine the app is loaded only after the second that makes a program ready which does not listen.
    await eventually(async () => (await ask(port)).ok);
    expect(await nsv.list()).toContainEqual(expect.objectContaining({ name: 'hello', status: 'online' }));
    running.sends('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 143, signal: null });
  });

  it('is live but not ready while it stops', { tags: 'full' }, async () => {
    const mayEnd = join(nsv.directory, 'may-end');
    const app = nsv.script(
      'finishes.cjs',
      `process.on('SIGTERM', () => {
         console.log('finishing');
         setInterval(() => require('fs').existsSync(${JSON.stringify(mayEnd)}) && process.exit(0), 5);
       });
       require('http').createServer((_request, response) => response.end()).listen(process.env.PORT);`,
    );
    const port = await freePort();
    // Ready is then that it listens, on the busiest machine too: so it has its handler by then.
    const patient = ['--listen-timeout', '1m', '--kill-timeout', '1m', '--stop-timeout', '1m'];
    start([app, '--health-port', String(port), ...patient], { port: await freePort() });
    await answers(port, '/ready', 200);
    running.sends('SIGTERM');
    await running.prints(/finishing/);
    expect(JSON.parse((await answers(port, '/ready', 503)).text)).toMatchObject({ status: 'stopping' });
    expect((await probe(port, '/live')).code).toBe(200);
    writeFileSync(mayEnd, '');
    expect(await running.ended).toMatchObject({ code: 0, signal: null });
  });

  it('does not start if the port of the probes is in use', { tags: 'full' }, async () => {
    const taken = createServer().listen(0);
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    start([hello, '--health-port', String(port)]);
    const { code, stdout, stderr } = await running.ended;
    taken.close();
    expect([code, stderr]).toEqual([6, expect.stringContaining(`failed to listen on port ${port} for probes`)]);
    expect(stdout + stderr).not.toContain('listening on');
  });
});
