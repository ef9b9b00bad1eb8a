// Questions to a process on behalf of a client.
import { beforeEach, describe, expect, it } from 'vitest';
import { Registry } from '../../../../src/daemon/apps/registry.ts';
import { createInspecting } from '../../../../src/daemon/control/inspecting.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';

const world = { current: new FakeWorld() };
/** What the client was told, and what it has yet to read. */
let reported: object[];
let unread: (() => void)[];
let goes: () => void;

beforeEach(() => {
  world.current = new FakeWorld();
  reported = [];
  unread = [];
  goes = () => {};
});

const line = {
  notify: (notification: string, params: object) => void reported.push({ notification, ...params }),
  onClose: (listener: () => void) => {
    goes = listener;
  },
  onceRead: (then: () => void) => void unread.push(then),
};

async function asked(settings: Record<string, unknown> = {}, whom: { pid?: number } = {}) {
  const { current } = world;
  const group = await current.running(settings);
  const registry = new Registry();
  registry.add(group);
  const [child] = current.living;
  child!.takesMessages = true;
  child!.sent.length = 0;
  const inspect = createInspecting(registry, current.clock);
  const question = { kind: 'resources' } as const;
  const result = inspect({ id: 0, ...whom, key: 7, question, timeout: 1_000 }, () => {}, line);
  const outcome = Promise.resolve(result).catch((error: Error) => error.message);
  const number = (child!.sent[0] as { question?: number } | undefined)?.question;
  const answers = (step: string, text = '') =>
    child!.sends({ cmd: 'NODE_NSV', type: 'answer', question: number, step, text });
  return { child: child!, outcome, answers, group };
}

const about = { pid: 1_000, startTime: 1, attachable: false };
const sentTypes = (sent: object[]) => sent.map((message) => (message as { type: string }).type);

describe('a question', () => {
  it('is forwarded, and its answer comes as fast as the client reads', async () => {
    const { child, outcome, answers } = await asked();
    answers('begun');
    answers('part', '{"Timeout"');
    expect(reported).toEqual([{ notification: 'part', key: 7, text: '{"Timeout"' }]);
    expect(sentTypes(child.sent)).toEqual(['ask']);
    unread[0]!();
    expect(sentTypes(child.sent)).toEqual(['ask', 'next-part']);
    answers('done');
    expect(await outcome).toEqual({ ...about, answered: true });
  });

  it('is withdrawn if it is not taken up in time', async () => {
    const { child, outcome, answers } = await asked();
    await world.current.clock.passes(1_000);
    expect(await outcome).toEqual({ ...about, answered: false });
    expect(sentTypes(child.sent)).toEqual(['ask', 'cancel']);
    answers('part', 'late');
    expect(reported).toEqual([]);
  });

  it('has no time limit once it is taken up', async () => {
    const { child, outcome, answers } = await asked();
    answers('begun');
    await world.current.clock.passes(60_000);
    expect(sentTypes(child.sent)).toEqual(['ask']);
    answers('done');
    expect(await outcome).toEqual({ ...about, answered: true });
  });

  it('reports whether the process can be attached to if it is not taken up', async () => {
    const { child, outcome } = await asked();
    child.sends({ cmd: 'NODE_NSV', type: 'attachable', free: true });
    await world.current.clock.passes(1_000);
    expect(await outcome).toEqual({ ...about, answered: false, attachable: true });
  });

  it('is withdrawn when the client disconnects', async () => {
    const { child, answers } = await asked();
    answers('begun');
    goes();
    expect(sentTypes(child.sent)).toEqual(['ask', 'cancel']);
  });

  it('fails with the reason of the process', async () => {
    const { outcome, answers } = await asked();
    answers('refused', 'the inspector is not available');
    expect(await outcome).toBe('"web" cannot be inspected: the inspector is not available');
  });

  it('fails when the process exits', async () => {
    const { child, outcome, answers } = await asked();
    answers('begun');
    child.exits(0);
    expect(await outcome).toBe('"web" cannot be inspected: it exited');
  });

  it('may name a pid, and fails if that process has been replaced', async () => {
    const { outcome, answers } = await asked({}, { pid: about.pid });
    answers('done');
    expect(await outcome).toEqual({ ...about, answered: true });
    expect(await (await asked({}, { pid: 7 })).outcome).toBe('"web" cannot be inspected: it is not running');
  });

  it('fails if the program is not Node', async () => {
    const { child, outcome } = await asked({ node: false });
    expect(await outcome).toBe('"web" cannot be inspected: it is not a Node program');
    expect(child.sent).toEqual([]);
  });
});
