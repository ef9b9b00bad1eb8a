// The main job, as a new user does it.
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { answersOf, ask, freePort } from '../../helpers/http.ts';
import { hello, homeForEach, isAlive } from '../../helpers/nsv.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

describe('an unmodified web app on four processes', () => {
  it('answers from all four as soon as start returns, and all four are listed', async () => {
    const table = await nsv.ok('start', hello, '-i', '4', '--', String(port));
    expect(table).toContain('hello');
    expect((await ask(port)).ok).toBe(true);
    expect((await answersOf(port, 4)).size).toBe(4);

    const processes = await nsv.list();
    expect(processes.map(({ name, slot, status, ports }) => ({ name, slot, status, ports }))).toEqual(
      [0, 1, 2, 3].map((slot) => ({ name: 'hello', slot, status: 'online', ports: [String(port)] })),
    );
    expect(new Set(processes.map(({ pid }) => pid)).size).toBe(4);
    for (const { memory, cpu } of processes) {
      expect(memory).toBeGreaterThan(10_000_000);
      expect(cpu).toBeGreaterThanOrEqual(0);
    }
  });

  it('can be reloaded, scaled, stopped, started and deleted, and leaves nothing behind', async () => {
    await nsv.ok('start', hello, '-i', '4', '--', String(port));
    const before = (await nsv.list()).map(({ pid }) => pid!);

    await nsv.ok('reload', 'hello');
    const after = (await nsv.list()).map(({ pid }) => pid!);
    expect(before.filter((pid) => after.includes(pid) || isAlive(pid))).toEqual([]);

    await nsv.ok('scale', 'hello', '2');
    expect((await nsv.list()).map(({ slot }) => slot)).toEqual([0, 1]);
    expect((await answersOf(port, 2)).size).toBe(2);

    await nsv.ok('stop', 'hello');
    expect((await nsv.list()).map(({ status, pid }) => [status, pid])).toEqual([
      ['stopped', null],
      ['stopped', null],
    ]);
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });

    await nsv.ok('start', 'hello');
    expect((await ask(port)).ok).toBe(true);

    await nsv.ok('delete', 'hello');
    expect(await nsv.list()).toEqual([]);
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });

    const daemon = nsv.daemonPid!;
    await nsv.ok('kill');
    await eventually(() => !isAlive(daemon));
  });

  it('shares its sockets by --schedule rr too', { tags: 'full' }, async () => {
    await nsv.ok('start', hello, '-i', '2', '--schedule', 'rr', '--', String(port));
    expect((await answersOf(port, 2)).size).toBe(2);
  });
});

describe('the only worker of an app', () => {
  it('can be killed while a client connects every 5 ms, and no later connection is refused or reset', async () => {
    await nsv.ok('start', hello, '--', String(port));
    const [first] = await nsv.list();
    const answers: ReturnType<typeof ask>[] = [];
    const client = setInterval(() => answers.push(ask(port)), 5);
    await eventually(() => answers.length > 20);
    process.kill(first!.pid!, 'SIGKILL');
    const atDeath = answers.length;
    await eventually(async () => (await nsv.list())[0]?.restarts === 1 && answers.length > atDeath + 50);
    clearInterval(client);
    const settled = await Promise.all(answers);
    expect(settled.filter((answer) => !answer.ok && answer.why === 'ECONNREFUSED')).toEqual([]);
    // What the killed process had accepted may be lost with it; nothing that came later may.
    expect(settled.slice(atDeath).filter((answer) => !answer.ok)).toEqual([]);
    expect((await nsv.list())[0]).toMatchObject({
      status: 'online',
      restarts: 1,
      lastExit: { code: null, signal: 'SIGKILL' },
    });
  });
});
