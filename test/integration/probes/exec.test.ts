// The commands of probes, as real processes.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../src/config/app-spec.ts';
import { endLeftProbes, runProbe } from '../../../src/daemon/launch/exec-probe.ts';
import type { Child } from '../../../src/daemon/launch/launcher.ts';
import { sendSignal } from '../../../src/os/terminate.ts';
import { mayHaveLeft, treeOf } from '../../../src/os/tree.ts';
import { eventually } from '../../helpers/eventually.ts';
import { whyNoOtherUser } from '../../helpers/foreign.ts';
import { processesWith } from '../../helpers/nsv.ts';

const control = { signal: sendSignal, treeOf, mayHaveLeft };
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(`${tmpdir()}/nsv-`);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The process that is asked about. */
function appOf(settings: { uid?: string } = {}): Child {
  const env = { PATH: process.env.PATH ?? '', OF_PROBE: directory };
  const fileEnv = { OF_PROBE: directory };
  const spec = parseAppSpec({ name: 'web', script: '/bin/true', cwd: directory, env, fileEnv, ...settings });
  const plan = { spec, id: 3, slot: 1, outFile: '/dev/null', errorFile: '/dev/null', sockets: [] };
  return { pid: 1, plan, startTime: 1, tree: { token: 'mark' }, send: () => false };
}

function run(command: string, abort = new AbortController().signal, child = appOf()): Promise<string | undefined> {
  return runProbe(command, child, control, abort);
}

const left = () => processesWith(`OF_PROBE=${directory}`);

describe('the command of a probe', () => {
  it.each([
    ['true', undefined],
    ['exit 3', 'exit code 3'],
    ['echo one; echo two >&2; exit 1', 'exit code 1: two'],
    ['kill -9 $$', 'signal SIGKILL'],
    ['no-such-command', expect.stringMatching(/^exit code 127: .*not found/)],
  ])('succeeds or fails by its exit: %s', async (command, expected) => {
    expect(await run(command)).toEqual(expected);
  });

  it('has the directory, the environment and the mark of its process', async () => {
    expect(await run(`test "$PWD $NSV_APP $NSV_INSTANCE $NSV_ID" = "${directory} web 1 3"`)).toBeUndefined();
    expect(await run('env | grep -q =mark$')).toBeUndefined();
  });

  it.skipIf(whyNoOtherUser)('runs and is killed as the user of the app', async () => {
    chmodSync(directory, 0o755);
    const [never, abort] = [new AbortController().signal, new AbortController()];
    const who = 'echo "$(id -un), in groups of root: $(id -G | grep -cw 0)"; exit 1';
    expect(await run(who, never, appOf({ uid: 'nobody' }))).toBe('exit code 1: nobody, in groups of root: 0');
    const running = run('sleep 1000 & setsid sleep 1000 & wait', abort.signal, appOf({ uid: 'nobody' }));
    running.catch(() => {});
    await eventually(() => left().length === 3);
    abort.abort(new Error('time is over'));
    await expect(running).rejects.toThrow('time is over');
    await eventually(() => left().length === 0);
  });

  it('is killed by the next daemon when its own has died, whatever it ignores', async () => {
    const forgotten = run('trap "" TERM; setsid sleep 1000 & sleep 1000; true');
    const other = spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, OF_PROBE: directory, NSV_TREE: 'mark' } });
    await eventually(() => left().length === 4);
    endLeftProbes(appOf(), control);
    expect(await forgotten).toBe('signal SIGKILL');
    await eventually(() => left().length === 1);
    expect(left()).toEqual([other.pid]);
    other.kill();
  });

  it('leaves nothing behind', async () => {
    expect(await run('sleep 1000 & exit 0')).toBeUndefined();
    await eventually(() => left().length === 0);
  });

  it('is killed with everything it started', async () => {
    const abort = new AbortController();
    const running = run('sleep 1000 & (sleep 1000; true) & setsid sleep 1000 & wait', abort.signal);
    running.catch(() => {});
    await eventually(() => left().length >= 5);
    abort.abort(new Error('time is over'));
    await expect(running).rejects.toThrow('time is over');
    await eventually(() => left().length === 0);
  });
});
