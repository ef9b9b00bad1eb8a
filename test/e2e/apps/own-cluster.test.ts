// Apps that fork their own workers with `node:cluster`: nsv's process is the primary.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, bodies, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { answer, reloaded, stopped } from '../../helpers/under-way.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/** Forks again whatever a worker dies of, as most examples do. */
const app = (primary = '') => `
const cluster = require('cluster');
if (process.argv[3]) cluster.schedulingPolicy = cluster[process.argv[3]];
if (cluster.isPrimary) {
  const fork = () => console.log('forked', cluster.fork().process.pid);
  fork();
  fork();
  cluster.on('exit', fork);
  ${primary}
} else {
  require('http').createServer(${answer}).listen(+process.argv[2], () => console.log('listens'));
}
`;

interface Started {
  port: number;
  output(): string;
}

async function start(source: string, ...options: string[]): Promise<Started> {
  return startWith('SCHED_RR', source, ...options);
}

async function startWith(policy: string, source: string, ...options: string[]): Promise<Started> {
  const port = await freePort();
  const script = nsv.script('app.js', source);
  await nsv.ok('start', script, '--name', 'web', ...options, '--', String(port), policy);
  const [{ outFile } = {}] = await nsv.list();
  const output = () => readFileSync(outFile!, 'utf8');
  await eventually(() => output().match(/listens/g)?.length === 2);
  return { port, output };
}

describe('an app with a cluster of its own', () => {
  variants([
    ['SCHED_RR', 'kernel'],
    ['SCHED_RR', 'rr'],
    ['SCHED_NONE', 'kernel'],
    ['SCHED_NONE', 'rr'],
  ])('loses no request in a reload with %s and --schedule %s', async (policy, schedule) => {
    const { port } = await startWith(policy, app(), '--schedule', schedule);
    await eventually(async () => (await nsv.list())[0]?.ports.length === 1);
    const before = new Set(await bodies(port, 8));
    const answers = await reloaded(nsv, port);
    expect(before).not.toContain(answers.at(-1));
    for (const body of await bodies(port, 8)) expect(before).not.toContain(body);
  });

  it.each([
    ['SCHED_RR', 'kernel'],
    ['SCHED_RR', 'rr'],
    ['SCHED_NONE', 'kernel'],
  ])(
    'answers requests in flight when it is stopped, with %s and --schedule %s',
    { tags: 'full' },
    async (policy, schedule) => {
      const { port, output } = await startWith(policy, app(), '--kill-timeout', '60s', '--schedule', schedule);
      await stopped(nsv, port);
      expect(output().match(/forked/g)).toHaveLength(2);
    },
  );

  it('gets EADDRINUSE with SCHED_NONE for a port that another app has', { tags: 'full' }, async () => {
    const { port } = await startWith('SCHED_NONE', app());
    const refused = `${app().replace('.listen(', `.on('error', ({ code }) => console.error(code)).listen(`)}`;
    const script = nsv.script('second.js', refused);
    await nsv.ok('start', script, '--name', 'second', '--', String(port), 'SCHED_NONE');
    const [{ errorFile } = {}] = await nsv.list('second');
    await eventually(() => readFileSync(errorFile!, 'utf8').includes('EADDRINUSE'));
  });

  it('answers requests in flight before the handler of its primary ends all workers', { tags: 'full' }, async () => {
    const handler = `process.on('SIGTERM', () => {
      cluster.removeAllListeners('exit');
      cluster.on('exit', () => Object.keys(cluster.workers).length || process.exit(7));
      for (const worker of Object.values(cluster.workers)) worker.process.kill();
    });`;
    const { port } = await start(app(handler), '--kill-timeout', '60s');
    await stopped(nsv, port);
    expect((await nsv.list())[0]?.lastExit).toEqual({ code: 7, signal: null });
  });

  it('stops even if a worker dies while draining and is forked again', { tags: 'full' }, async () => {
    const { port, output } = await start(app(), '--kill-timeout', '60s');
    const [, first, second] = /forked (\d+)\nforked (\d+)/.exec(output())!;
    const held = Array.from({ length: 8 }, () => ask(port, { path: '/held', timeout: 60_000 }));
    await eventually(() => output().match(/held/g)?.length === 8);
    const stop = nsv.ok('stop', 'web');
    await eventually(async () => (await nsv.list())[0]?.status !== 'online');
    process.kill(Number(first), 'SIGKILL');
    await eventually(() => output().match(/forked/g)?.length === 3);
    nsv.script('answer', '');
    const answered = (await Promise.all(held)).flatMap((each) => (each.ok ? each.body : []));
    expect(new Set(answered)).toEqual(new Set([second]));
    await stop;
    const [view] = await nsv.list();
    expect(view).toMatchObject({ status: 'stopped', pid: null });
    // The third could listen, though the primary no longer accepts; if it fails, a fourth is forked, and so on.
    expect(output().match(/forked/g)).toHaveLength(3);
    expect(readFileSync(view!.errorFile!, 'utf8')).toBe('');
  });
});
