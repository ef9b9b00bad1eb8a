// Questions that the worker in a process answers: passed on by the daemon, and withdrawn with whoever has asked.
import { afterEach, describe, expect, it } from 'vitest';
import { type Insight, openInsight } from '../../../src/client/insight.ts';
import { openConnection } from '../../../src/ipc/client.ts';
import type { Question } from '../../../src/ipc/questions.ts';
import { isFailure } from '../../../src/shared/errors.ts';
import { homePaths } from '../../../src/shared/paths.ts';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const open: Insight[] = [];

afterEach(() => {
  for (const insight of open.splice(0)) insight.close();
});

async function insight(): Promise<Insight> {
  const opened = await openInsight(() => openConnection(homePaths(nsv.home)));
  open.push(opened);
  return opened;
}

const idOf = async (name: string) => (await nsv.list(name))[0]!.id;
const resources: Question = { kind: 'resources' };
const long: Question = { kind: 'cpu', ms: 600_000, interval: 10_000 };
/** As many as a process answers at the same time. */
const most = 8;

/** Asks until the process answers no further question. What becomes of the calls does not matter. */
async function occupied(id: number): Promise<Insight> {
  const asking = await insight();
  for (let count = 0; count < most; count += 1) asking.ask(id, long).catch(() => {});
  await expect(asking.ask(id, resources)).rejects.toThrow('it is answering 8 questions already');
  return asking;
}

async function startWaiting(): Promise<number> {
  await nsv.ok('start', nsv.script('waits.js', 'setInterval(() => {}, 60_000)'), '--name', 'waits');
  return idOf('waits');
}

/** Once the process knows that nobody wants the earlier answers any longer. */
const answersAgain = (id: number) =>
  eventually(async () => {
    const asking = await openInsight(() => openConnection(homePaths(nsv.home)));
    try {
      return (await asking.ask(id, resources)).value;
    } catch (error) {
      if (isFailure(error, 'CANNOT_INSPECT')) return undefined;
      throw error;
    } finally {
      asking.close();
    }
  });

describe('a process', () => {
  it('reports what it waits for and where its time goes', async () => {
    const id = await startWaiting();
    const asking = await insight();
    const [waits, profile] = await Promise.all([
      asking.ask(id, resources),
      asking.ask(id, { kind: 'cpu', ms: 50, interval: 1_000 }),
    ]);
    expect(waits.value).toMatchObject({ Timeout: 1 });
    const { nodes } = profile.value as { nodes: { callFrame: { functionName: string } }[] };
    expect(nodes.map(({ callFrame }) => callFrame.functionName)).toContain('(idle)');
  });

  it('does not answer while its event loop is blocked', { tags: 'full' }, async () => {
    await nsv.ok('start', nsv.script('blocks.js', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'));
    const { answered, value } = await (await insight()).ask(await idOf('blocks'), resources, { timeout: 100 });
    expect([answered, value]).toEqual([false, undefined]);
  });

  it('is rejected with the reason if it is not a Node process, or not running', { tags: 'full' }, async () => {
    await nsv.sleeper('sleeps');
    const asking = await insight();
    await expect(asking.ask(await idOf('sleeps'), resources)).rejects.toThrow('it is not a Node program');
    await nsv.ok('stop', 'sleeps');
    await expect(asking.ask(await idOf('sleeps'), resources)).rejects.toThrow('it is not running');
  });

  it('stops answering when the client disconnects', { tags: 'full' }, async () => {
    const id = await startWaiting();
    (await occupied(id)).close();
    expect(await answersAgain(id)).toMatchObject({ Timeout: 1 });
  });

  it('stops answering when the daemon dies', { tags: 'full' }, async () => {
    const id = await startWaiting();
    await occupied(id);
    await nsv.replaceDaemon();
    await eventually(() => nsv.answers());
    expect(await answersAgain(id)).toMatchObject({ Timeout: 1 });
  });
});
