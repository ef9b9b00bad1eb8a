// Apps of another user: a broker reads their channels. It may die, and so may the daemon; they lose nothing.
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { answersOf, ask, freePort } from '../../helpers/http.ts';
import { fieldsOfStat, fixture, hello, homeForEach, isAlive } from '../../helpers/nsv.ts';
import { whyNoOtherUser } from '../../helpers/other-user.ts';
import { PassersBy } from '../../helpers/passers-by.ts';
import { procFile } from '../../helpers/proc.ts';
import { bindRequest, goodMessages } from '../../helpers/up-messages.ts';
import { variants } from '../../helpers/variants.ts';
import { request } from '../../helpers/visitors.ts';

const nsv = homeForEach();
/** Others may enter the test's own directory. The home in it stays closed. */
beforeEach(() => chmodSync(nsv.directory, 0o755));

const views = (name: string) => nsv.list(name);
const pids = (name = 'web') => nsv.pids(name);
const asNobody = ['--uid', 'nobody'];

/** The processes of the daemon that read channels, each with its arguments. */
function brokers(): { pid: number; args: string[] }[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.flatMap((name) => {
    const args = procFile(name, 'cmdline')?.split('\0') ?? [];
    const isOurs = fieldsOfStat(Number(name))[1] === String(nsv.daemonPid);
    return isOurs && args.some((arg) => arg.endsWith('broker/main.js')) ? [{ pid: Number(name), args }] : [];
  });
}

const broker = () => eventually(() => brokers()[0]);
/** Where a process of nobody connects again. */
const returnAddress = async () => (await broker()).args.find((arg) => arg.endsWith('.sock'))!;

async function start(app: string, ...options: string[]): Promise<number> {
  const script = join(nsv.directory, app === hello ? 'app.mjs' : 'app.cjs');
  copyFileSync(app, script);
  const port = await freePort();
  await nsv.ok('start', script, '--name', 'web', ...asNobody, ...options, '--', String(port));
  return port;
}

/** Kills the broker, and resolves when another one has all processes back. */
async function replaceBroker(): Promise<void> {
  const { pid } = await broker();
  process.kill(pid, 'SIGKILL');
  await eventually(() => !isAlive(pid));
  await broker();
}

/** Only a process whose channel is open drains: one that is stopped by its signal resets connections. */
async function reloadsWithoutLoss(port: number): Promise<void> {
  const before = await pids();
  const visitors = new PassersBy({ port });
  await nsv.ok('reload', 'web');
  await eventually(() => visitors.answered > 10);
  expect(await visitors.leave()).toEqual([]);
  for (const pid of await pids()) expect(before).not.toContain(pid);
}

/** A line for the channel. Each is answered with a socket. */
const address = { ...bindRequest, host: '127.0.0.1', port: await freePort() };
const bindRequests = `${JSON.stringify({ ...goodMessages.bind, address })}\n`;

/** What a process has to say is heard, once it is connected again. */
async function isHeard(port: number): Promise<void> {
  const said = { cmd: 'NODE_NSV', type: 'request-limit', requests: 77 };
  await eventually(async () => {
    expect(await request({ port, path: '/send', body: JSON.stringify(said) })).toBe('sent');
    return nsv.log().includes('"requests":77');
  });
}

describe.skipIf(await whyNoOtherUser())('an app of another user', () => {
  it('has a broker, which exits after the last such app; other apps have none', { tags: 'full' }, async () => {
    await nsv.ok('start', hello, '--name', 'own', '--', String(await freePort()));
    expect(brokers()).toEqual([]);
    const port = await start(hello, '-i', '2');
    const { pid } = await broker();
    expect(brokers()).toHaveLength(1);
    expect(await ask(port)).toMatchObject({ ok: true });
    await nsv.ok('reload', 'web');
    expect(brokers().map((one) => one.pid)).toEqual([pid]);
    await nsv.ok('delete', 'web');
    await eventually(() => !isAlive(pid));
    expect(nsv.log()).not.toContain('broker');
  });

  it('has the socket of its broker outside the home, and nsv kill removes it', { tags: 'full' }, async () => {
    await start(hello);
    const address = await returnAddress();
    expect(address).toMatch(/^\/run\/nsv-[^/]+\/\d+\.sock$/);
    await eventually(() => existsSync(address));
    await nsv.ok('kill');
    expect(existsSync(join(address, '..'))).toBe(false);
  });

  it('crashes only its broker by sending a file descriptor', { tags: 'full' }, async () => {
    const own = await freePort();
    await nsv.ok('start', hello, '--name', 'own', '-i', '2', '--', String(own));
    const port = await start(fixture('sends-file.cjs'), '-i', '2');
    const daemon = nsv.daemonPid;
    const [before, others] = [await pids(), await pids('own')];
    const { pid } = await broker();
    const visitors = [new PassersBy({ port: own }), new PassersBy({ port })];
    for (let turn = 0; turn < 3; turn += 1) {
      const current = await broker();
      // A process that is not connected keeps the message without the descriptor.
      await eventually(async () => !isAlive(current.pid) || ((await ask(port, { path: '/file' })) && false));
    }
    await broker();
    for (const each of visitors) expect(await each.leave()).toEqual([]);
    expect(isAlive(pid)).toBe(false);
    expect(nsv.log()).toContain('SIGABRT');
    expect(nsv.daemonPid).toBe(daemon);
    expect([await pids(), await pids('own')]).toEqual([before, others]);
    await reloadsWithoutLoss(port);
    const [{ outFile } = { outFile: null }] = await nsv.list('web');
    expect(readFileSync(outFile!, 'utf8')).not.toContain('disconnected');
  });

  variants([
    ['what is not JSON', 'hello\n', 1],
    ['is longer than', 'x'.repeat(65_536), 100],
    ['malformed message "in-flight"', '{"cmd":"NODE_NSV","type":"in-flight","count":"many"}\n', 1],
    ['message after message without reading', bindRequests, 20_000],
  ])('loses its channel, and no other process does, by what it writes: %s', async (reason, text, times) => {
    const port = await start(fixture('writes-channel.cjs'));
    const daemon = nsv.daemonPid;
    const { pid } = await broker();
    await request({ port, path: `/?times=${times}`, body: text });
    await eventually(() => nsv.log().includes('"channel-closed"'));
    expect(nsv.log()).toContain(reason.replaceAll('"', '\\"'));
    expect([nsv.daemonPid, (await broker()).pid]).toEqual([daemon, pid]);
    const [view] = await nsv.list();
    await eventually(() => readFileSync(view!.errorFile!, 'utf8').includes('closed the IPC channel'));
    expect(await request({ port })).toBe(String(view!.pid));
    await nsv.ok('restart', 'web');
    await isHeard(port);
  });

  it('reconnects after its broker was killed, and loses no request', { tags: 'full' }, async () => {
    const port = await start(fixture('writes-channel.cjs'), '-i', '2');
    const before = await pids();
    const daemon = nsv.daemonPid;
    const visitors = new PassersBy({ port });
    await replaceBroker();
    await replaceBroker();
    expect(await visitors.leave()).toEqual([]);
    expect(await pids()).toEqual(before);
    await isHeard(port);
    await reloadsWithoutLoss(port);
    expect(nsv.daemonPid).toBe(daemon);
  });

  it('reconnects after its daemon was killed, and loses no request', async () => {
    const port = await start(fixture('writes-channel.cjs'), '-i', '2');
    const before = await pids();
    const visitors = new PassersBy({ port });
    await nsv.replaceDaemon();
    await eventually(async () => (await views('web')).every(({ ports }) => ports.length === 1));
    await nsv.replaceDaemon();
    await eventually(async () => (await views('web')).every(({ ports }) => ports.length === 1));
    expect(await visitors.leave()).toEqual([]);
    expect(await pids()).toEqual(before);
    await isHeard(port);
    await replaceBroker();
    await reloadsWithoutLoss(port);
  });

  it('gets a new broker after its daemon has died, even if the old broker is suspended', async () => {
    const port = await start(hello);
    const { pid } = await broker();
    process.kill(pid, 'SIGSTOP');
    await nsv.replaceDaemon();
    await eventually(() => !isAlive(pid));
    await eventually(() => nsv.log().includes('killed a broker of the previous daemon'));
    await reloadsWithoutLoss(port);
  });

  it('moves to the broker of the next daemon on an update', { tags: 'full' }, async () => {
    const port = await start(fixture('writes-channel.cjs'), '-i', '2');
    const before = await pids();
    const visitors = new PassersBy({ port });
    await nsv.ok('update', '--no-reload');
    await eventually(async () => (await views('web')).every(({ ports }) => ports.length === 1));
    expect(await pids()).toEqual(before);
    await isHeard(port);
    await nsv.ok('reload', 'web');
    expect(await visitors.leave()).toEqual([]);
  });

  it('gets its connections through the broker with --schedule rr', { tags: 'full' }, async () => {
    const port = await start(hello, '-i', '2', '--schedule', 'rr');
    await answersOf(port, 2);
    await reloadsWithoutLoss(port);
    await replaceBroker();
    await eventually(async () => (await ask(port)).ok);
    await reloadsWithoutLoss(port);
  });

  it('cannot impersonate an app of the daemon’s own user', { tags: 'full' }, async () => {
    await nsv.ok('start', hello, '--name', 'own', '--', String(await freePort()));
    await start(hello);
    await nsv.killDaemonAndGuard();
    const [own] = await nsv.list('own');
    await eventually(async () => (await views('own'))[0]?.ports.length === 1);
    const [, mark] = /NSV_MARK=([^\0]+)/.exec(readFileSync(`/proc/${own!.pid}/environ`, 'utf8'))!;
    const address = await returnAddress();
    const socket = connect(await eventually(() => existsSync(address) && address));
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
    const said = { cmd: 'NODE_NSV', mark, pid: own!.pid };
    socket.write(
      `${JSON.stringify({ ...said, type: 'reconnected' })}\n${JSON.stringify({ ...said, type: 'request-limit', requests: 5 })}\n`,
    );
    socket.resume();
    await closed;
    expect(nsv.log()).not.toContain('"requests":5');
  });
});
