import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { AppSettings } from '../../../src/config/app-spec.ts';
import type { LaunchPlan } from '../../../src/daemon/launch/launcher.ts';
import { attachFlag } from '../../../src/ipc/worker-messages.ts';
import { startTimeOf } from '../../../src/os/proc.ts';
import { findProgram } from '../../../src/os/programs.ts';
import { bindServer } from '../../../src/os/sockets/handle.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, launch, Stage } from '../../helpers/launched.ts';
import { whyNoOtherUser } from '../../helpers/other-user.ts';
import { makeFifo, outputOf } from '../../helpers/program.ts';

const stage = new Stage();
afterEach(() => stage.end());
afterAll(() => stage.remove());

const nodeApp = (name: string): AppSettings => ({ script: fixture(name), interpreter: process.execPath, node: true });
const descriptors = () => readdirSync('/proc/self/fd').length;

async function factsOf(settings: AppSettings, rest: Partial<LaunchPlan> = {}) {
  const launched = stage.launch(stage.plan({ ...nodeApp('facts.cjs'), ...settings }, rest));
  const [json] = await launched.prints(/\{.*\}/);
  return { ...launched, facts: JSON.parse(json) };
}

describe('a Node program', () => {
  it('gets the preload, its own arguments and session, and only documented environment variables', async () => {
    const plan = stage.plan({ ...nodeApp('facts.cjs'), interpreterArgs: ['--no-warnings'], args: ['--port', '1'] });
    const { facts, child } = await factsOf(plan.spec);
    expect(child.startTime).toBe(startTimeOf(child.pid));
    expect(facts).toMatchObject({
      pid: child.pid,
      session: child.pid,
      argv: ['--port', '1'],
      execArgv: ['--require', fixture('preload.cjs'), attachFlag, '--no-warnings'],
      cwd: stage.directory,
      preloaded: true,
    });
    expect(facts.env).toEqual({
      ...plan.spec.env,
      NSV_TREE: expect.stringMatching(/^[\da-f]{32}$/),
      NSV_APP: 'app',
      NSV_ID: '7',
      NSV_INSTANCE: '2',
      // The preload, for which another one stands here, takes it away.
      NSV_GROUP_SIZE: '1',
      NODE_APP_INSTANCE: '2',
      pm_id: '7',
      name: 'app',
    });
  });

  it('writes to its log files directly; their directories are created, and only owner and group may read', async () => {
    const outFile = join(stage.directory, 'new', 'deep', 'out.log');
    const errorFile = join(stage.directory, 'err.log');
    const { facts } = await factsOf({}, { outFile, errorFile });
    expect(facts.links).toEqual(['/dev/null', outFile, errorFile]);
    expect(statSync(outFile).mode & 0o777).toBe(0o640);
  });

  it('appends to one file when both are the same', async () => {
    const file = join(stage.directory, 'both.log');
    writeFileSync(file, 'earlier\n');
    const { facts, output } = await factsOf({}, { outFile: file, errorFile: file });
    expect(facts.links).toEqual(['/dev/null', file, file]);
    expect(output()).toMatch(/^earlier\n/);
  });

  it('gets umask 022, whatever the umask of the daemon', async () => {
    const own = process.umask(0o077);
    try {
      expect((await factsOf({})).facts.umask).toBe(0o022);
      expect(process.umask()).toBe(0o077);
    } finally {
      process.umask(own);
    }
  });

  it('exchanges messages with the daemon: its own, those of the preload, and no others', async () => {
    const { child, messages } = stage.launch(stage.plan(nodeApp('talks.cjs')));
    await eventually(() => messages.some(({ message }) => message === 'handle'));
    expect(messages).toContainEqual({ message: 'ready', internal: false });
    const internal = messages.filter((message) => message.internal);
    expect(internal).toEqual([{ message: { cmd: 'NODE_NSV', type: 'wants-messages' }, internal: true }]);

    expect(child.send({ hello: 1 })).toBe(true);
    await eventually(() => messages.some(({ message }) => JSON.stringify(message) === '{"heard":{"hello":1}}'));
  });

  it('leaves no handle that it sends open in the daemon', async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = sockets();
    const { messages } = stage.launch(stage.plan(nodeApp('talks.cjs')));
    await eventually(() => messages.some(({ message }) => message === 'handle'));
    await eventually(() => sockets() <= before);
  });

  it('may exit while a message is sent to it', async () => {
    const { child, ended } = stage.launch(stage.plan({ ...nodeApp('x'), script: '-e', args: ['process.exit(3)'] }));
    const outcomes: (Error | null)[] = [];
    await eventually(() => !child.send({ some: 'x'.repeat(10_000) }, undefined, (error) => outcomes.push(error)));
    expect(await ended).toEqual({ code: 3, signal: null });
    expect(child.send({ late: true })).toBe(false);
  });
});

describe('any program', () => {
  it.each([
    ['exit 7', { code: 7, signal: null }],
    ['kill -9 $$', { code: null, signal: 'SIGKILL' }],
  ])('ends with its exit code or its signal: %s', async (line, exit) => {
    const { ended } = stage.launch(stage.plan({ script: '/bin/sh', args: ['-c', line] }));
    expect(await ended).toEqual(exit);
  });

  it('has no channel unless it is Node', () => {
    const { child } = stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] }));
    expect(child.send({ hello: 1 })).toBe(false);
  });

  it('is reported once the process has ended, even when a child keeps its output and channel open', async () => {
    const shim = join(stage.directory, 'node');
    writeFileSync(shim, '#!/bin/sh\nsleep 1000 &\nexit 4\n', { mode: 0o755 });
    const { ended } = stage.launch(stage.plan({ ...nodeApp('facts.cjs'), interpreter: shim }));
    expect(await ended).toEqual({ code: 4, signal: null });
  });

  it('inherits sockets by the convention of systemd', async () => {
    const { handle, address } = bindServer({ kind: 'tcp', host: '127.0.0.1' });
    const port = 'port' in address ? address.port : 0;
    const python = { script: fixture('inherits-socket.py'), interpreter: '/usr/bin/env', interpreterArgs: ['python3'] };
    const { ended, prints, output } = stage.launch(stage.plan(python, { sockets: [handle] }));
    await prints(/named app/);
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toBe('hello from python');
    expect(await ended, output()).toEqual({ code: 0, signal: null });
    handle.close();
  });

  it('leaves no descriptor open in the daemon, whether it started or not', { tags: 'full' }, async () => {
    const good = { script: '/bin/false' };
    const bad = { ...nodeApp('x'), interpreter: '/nowhere/node' };
    const round = async () => {
      const { ended } = stage.launch(stage.plan(good));
      expect(await ended).toEqual({ code: 1, signal: null });
      expect(() => stage.launch(stage.plan(bad))).toThrow();
    };
    await round();
    const before = descriptors();
    for (let turn = 0; turn < 50; turn += 1) await round();
    await eventually(() => descriptors() <= before);
  });
});

describe('a program that cannot be started', () => {
  const listener = () => {};
  const attempt = (settings: AppSettings, rest?: Partial<LaunchPlan>) => () =>
    launch(stage.plan(settings, rest), { exited: listener, message: listener, cutOff: listener });

  it.each([
    ['is missing', '/nowhere/at-all', 'failed to execute "/nowhere/at-all": no such file'],
    ['is not executable', fixture('facts.cjs'), /failed to execute ".*facts.cjs": it is not executable/],
    ['is a directory', '/tmp', 'failed to execute "/tmp": no such file'],
  ])('fails with the reason when it %s', (_case, script, message) => {
    expect(attempt({ script })).toThrow(message);
  });

  it('fails with the name of a working directory that is gone, and does not make it again for its logs', () => {
    const cwd = join(stage.directory, 'was-here');
    mkdirSync(cwd);
    rmSync(cwd, { recursive: true });
    const outFile = join(cwd, 'logs/out.log');
    expect(attempt({ script: '/bin/true', cwd }, { outFile })).toThrow(`the working directory "${cwd}" is gone`);
    expect(existsSync(cwd)).toBe(false);
  });

  it('fails with the name of a missing interpreter in its first line', () => {
    const script = join(stage.directory, 'strange');
    writeFileSync(script, '#!/nowhere/interpreter\n', { mode: 0o755 });
    expect(attempt({ script })).toThrow('its first line names "/nowhere/interpreter", which is not there');
  });

  it('fails at once when its arguments are too long', { tags: 'full' }, () => {
    const args = [...Array(40)].map(() => 'x'.repeat(100_000));
    expect(attempt({ script: '/bin/true', args })).toThrow(/failed to execute "\/bin\/true": .*E2BIG/);
  });

  it('fails at once when it would run through a wrapper', { tags: 'full' }, () => {
    const sockets = [{ fd: 0, close: listener }];
    expect(attempt({ script: '/nowhere/at-all' }, { sockets })).toThrow('no such file');
  });

  it('fails with the name of a log file that cannot be opened', () => {
    const outFile = join(fixture('facts.cjs'), 'out.log');
    expect(attempt({ script: '/bin/true' }, { outFile })).toThrow(`failed to open the log file "${outFile}"`);
  });

  it('fails instead of retrying for ever where no directory can be created', { tags: 'full' }, () => {
    const outFile = '/proc/nowhere/deep/out.log';
    expect(attempt({ script: '/bin/true' }, { outFile })).toThrow(`failed to open the log file "${outFile}": ENOENT`);
  });

  it('fails at once when its log is a FIFO without a reader', { tags: 'full' }, async () => {
    const outFile = join(stage.directory, 'fifo');
    await makeFifo(outFile);
    expect(attempt({ script: '/bin/true' }, { outFile })).toThrow(/failed to open the log file ".*fifo": ENXIO/);
  });
});

/** Somebody who is in a group that is not the primary one, if this machine knows anybody. */
function userWithGroups(): string[] {
  const lines = readFileSync('/etc/group', 'utf8').split('\n');
  return lines.flatMap((line) => line.split(':')[3]?.split(',')[0] || []).slice(0, 1);
}

// Root alone may change users; elsewhere these are skipped.
describe.skipIf(await whyNoOtherUser())('a program run as another user', () => {
  const groupsOf = async (user: string) => (await outputOf('id', ['-G', user])).trim().split(' ').map(Number);
  const idOf = async (what: '-u' | '-g', user: string) => Number(await outputOf('id', [what, user]));

  /** A directory that others may enter, unlike that of the test: Node 24 asks where it is before anything else. */
  const open = { cwd: '/' };
  const hasSetpriv = findProgram('setpriv', { cwd: '/', env: { PATH: '/usr/bin:/bin' } }) !== undefined;
  it.skipIf(!hasSetpriv).each(['nobody', ...userWithGroups()])(
    'has the user, the group and all groups of %s',
    async (user) => {
      const uid = await idOf('-u', user);
      const { facts, child } = await factsOf({ ...open, uid: String(uid), gid: String(await idOf('-g', user)) });
      expect(facts).toMatchObject({ pid: child.pid, uid, gid: await idOf('-g', user), preloaded: true });
      expect(facts.groups.sort()).toEqual((await groupsOf(user)).sort());
    },
  );

  it('gets the primary group of its user when no group is named', async () => {
    const { facts } = await factsOf({ ...open, uid: String(await idOf('-u', 'nobody')) });
    expect(facts.gid).toBe(await idOf('-g', 'nobody'));
  });

  it('may run as a user without an account, as in a container image', async () => {
    const { facts, child } = await factsOf({ ...open, uid: '4711' });
    expect(facts).toMatchObject({ uid: 4711, gid: 4711 });
    // Node 20 tells of groups that are not there where there are none.
    expect(readFileSync(`/proc/${child.pid}/status`, 'utf8')).toMatch(/^Groups:\s*$/m);
  });
});
