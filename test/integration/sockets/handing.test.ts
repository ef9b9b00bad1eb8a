// Ways in which the daemon accepts, and hands out the connections.
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { type Answer, ask, bodies, freePort } from '../../helpers/http.ts';
import { socketStage } from '../../helpers/socket-stage.ts';

const stage = socketStage();

describe('a connection handed to a process', () => {
  it('goes to another process when the first dies before taking it', async () => {
    const port = await freePort();
    const [hung, other] = await stage.group({ schedule: 'rr' }).startAll(2, 'web.cjs', [port]);
    hung!.signal('SIGSTOP');
    const answers: Answer[] = [];
    const asked = Array.from({ length: 6 }, () => ask(port).then((answer) => answers.push(answer)));
    await eventually(() => answers.length === 5);
    hung!.signal('SIGKILL');
    await Promise.all(asked);
    expect(answers).toEqual(Array.from({ length: 6 }, () => ({ ok: true, body: String(other!.pid) })));
  });

  it('waits for the process of its client with "sticky", and goes to another one when that dies', async () => {
    const port = await freePort();
    const apps = await stage.group({ schedule: 'sticky' }).startAll(2, 'web.cjs', [port]);
    const [known] = await bodies(port, 1);
    const [own, other] = apps.toSorted((one) => (String(one.pid) === known ? -1 : 1));
    own!.signal('SIGSTOP');
    let isAnswered = false;
    const asked = bodies(port, 6).finally(() => (isAnswered = true));
    const elsewhere = Array.from({ length: 20 }, (_, index) => `127.0.3.${index + 1}`);
    const answers = await Promise.race(elsewhere.map((from) => ask(port, { from })));
    expect(answers).toEqual({ ok: true, body: String(other!.pid) });
    expect(isAnswered).toBe(false);
    own!.signal('SIGKILL');
    expect(await asked).toEqual(Array(6).fill(String(other!.pid)));
  });

  it.each(['rr', 'sticky'] as const)('waits for the next process when there is no other: %s', async (schedule) => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const [hung] = await group.startAll(1, 'web.cjs', [port]);
    hung!.signal('SIGSTOP');
    const waiting = bodies(port, 3);
    hung!.signal('SIGKILL');
    const next = group.start('web.cjs', [port]);
    expect(await waiting).toEqual(Array(3).fill(String(next.pid)));
  });
});

describe('processes that are handed connections', () => {
  it('get them in turn', async () => {
    const port = await freePort();
    const apps = await stage.group({ schedule: 'rr' }).startAll(3, 'web.cjs', [port]);
    const pids: string[] = [];
    for (let count = 0; count < 9; count += 1) pids.push(...(await bodies(port, 1)));
    for (const { pid } of apps) expect(pids.filter((body) => body === String(pid))).toHaveLength(3);
  });

  it.each(['rr', 'sticky'] as const)('accept connections themselves once the daemon is gone: %s', async (schedule) => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const [app] = await group.startAll(1, 'closes.cjs', [port]);
    app!.send({ type: 'close-channel', reason: 'of a test' });
    await app!.prints(/has closed the IPC channel/);
    group.sockets.close();
    expect(await ask(port)).toEqual({ ok: true, body: String(app!.pid) });
  });
});
