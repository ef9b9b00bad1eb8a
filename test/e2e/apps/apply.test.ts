// `nsv apply`: what runs becomes what the file says.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';

const nsv = homeForEach();
const file = () => join(nsv.directory, 'nsv.config.json');
const write = (apps: Record<string, unknown>[]) => writeFileSync(file(), JSON.stringify({ apps }));
const job = (name: string, more = {}) => ({ name, script: 'idle.cjs', ...more });

async function applied(...flags: string[]): Promise<string[]> {
  const steps = JSON.parse(await nsv.ok('apply', '--json', ...flags)) as { action: string; name: string }[];
  return steps.map(({ action, name }) => `${action} ${name}`);
}

async function pids(): Promise<Record<string, (number | null)[]>> {
  const processes = await nsv.list();
  return Object.fromEntries(
    processes.map(({ name }) => [name, processes.filter((each) => each.name === name).map(({ pid }) => pid)]),
  );
}

beforeEach(() => {
  for (const name of ['web.cjs', 'idle.cjs'])
    cpSync(join(root, 'test', 'fixtures', 'configs', name), join(nsv.directory, name));
});

describe('apply', () => {
  it('does nothing the second time, even from another shell', { tags: 'full' }, async () => {
    write([job('a'), { ...job('b'), autostart: false }, { name: 'done', script: 'true', autorestart: false }]);
    expect(await applied()).toEqual(['start a', 'start b', 'start done']);
    const before = await pids();
    const { stdout } = await nsv.runWith({ env: { SOMETHING: 'else' } }, 'apply');
    expect(stdout).toBe('nothing to do: the apps match the config file\n');
    expect(await pids()).toEqual(before);
  });

  it('reloads only the app whose variable has changed, without losing a request', async () => {
    const port = await freePort();
    const web = (stage: string) => ({ name: 'web', script: 'web.cjs', env: { PORT: port, STAGE: stage } });
    write([web('one'), job('other')]);
    await applied();
    const before = await pids();
    write([web('two'), job('other')]);
    expect(await applied('--dry-run')).toEqual(['reload web', 'keep other']);
    expect(await pids()).toEqual(before);

    const passers = new PassersBy({ port }, 1);
    expect(await applied()).toEqual(['reload web', 'keep other']);
    expect(await passers.leave()).toEqual([]);
    expect(await ask(port, { path: '/STAGE' })).toEqual({ ok: true, body: 'two' });
    const after = await pids();
    expect(after.other).toEqual(before.other);
    expect(after.web).not.toEqual(before.web);
  });

  it('removes apps that have been deleted from the file, but only with --prune', { tags: 'full' }, async () => {
    await nsv.ok('start', 'idle.cjs', '--name', 'by-hand');
    write([job('a'), job('b')]);
    await applied();
    write([job('a')]);
    const { stderr } = await nsv.run('apply');
    expect(stderr).toContain('left running: b (use --prune to remove)');
    expect(Object.keys(await pids())).toEqual(['by-hand', 'a', 'b']);
    expect(await applied('--prune')).toEqual(['remove b', 'keep a']);
    expect(Object.keys(await pids())).toEqual(['by-hand', 'a']);
  });

  it('undoes a manual scale and a manual stop', { tags: 'full' }, async () => {
    write([job('a'), job('b')]);
    await applied();
    await nsv.ok('scale', 'a', '3');
    await nsv.ok('stop', 'b');
    expect(await applied()).toEqual(['scale a', 'start b']);
    write([job('a', { instances: 2 }), job('b')]);
    await applied();
    const [kept, other] = await nsv.list('a');
    await nsv.ok('stop', String(other!.id));
    write([job('a', { instances: 3 }), job('b')]);
    expect(await applied()).toEqual(['repair a', 'keep b']);
    expect((await nsv.list('a')).map(({ status, pid }) => [status, pid === kept!.pid])).toEqual([
      ['online', true],
      ['online', false],
      ['online', false],
    ]);
    write([job('a'), job('b')]);
    await applied();
    expect((await nsv.list()).map(({ name, status }) => `${name} ${status}`)).toEqual(['a online', 'b online']);
  });

  it('keeps the old version of an app whose new version fails, and updates the others', { tags: 'full' }, async () => {
    write([job('a'), job('b')]);
    await applied();
    const before = await pids();
    write([job('a', { script: 'breaks.cjs' }), job('b', { killTimeout: 99 })]);
    nsv.script('breaks.cjs', 'throw new Error("no");');
    expect(await nsv.fails(6, 'apply')).toContain('reload of "a" failed');
    const after = await pids();
    expect(after.a).toEqual(before.a);
    expect(after.b).not.toEqual(before.b);
  });

  it('is not done before every app is ready, and replaces only what is not', async () => {
    const source = "if (require('fs').existsSync('database')) process.send('ready'); setInterval(() => {}, 1000)";
    nsv.script('late.cjs', source);
    write([job('a'), { name: 'late', script: 'late.cjs', wait_ready: true, listen_timeout: 3_000 }]);
    await nsv.fails(6, 'apply');
    const before = await pids();
    expect(await nsv.fails(6, 'apply')).toContain('reload of "late" failed');
    expect(await pids()).toEqual(before);
    writeFileSync(join(nsv.directory, 'database'), '');
    expect(await applied()).toEqual(['keep a', 'repair late']);
    expect((await pids()).a).toEqual(before.a);
    expect(await applied()).toEqual(['keep a', 'keep late']);
  });

  it('changes nothing if the file has an error', async () => {
    write([job('a')]);
    await applied();
    const before = await pids();
    write([job('a', { killTimeout: 'soon' }), job('b')]);
    expect(await nsv.run('apply', '--prune')).toMatchObject({ code: 2 });
    expect(await pids()).toEqual(before);
  });
});

describe('hooks', () => {
  it('run before the start and after the stop of an app, in its environment', async () => {
    const log = join(nsv.directory, 'log');
    const note = (word: string) => `echo ${word} $NSV_APP $STAGE >> ${log}`;
    write([job('a', { preStart: note('pre'), postStop: note('post'), env: { STAGE: 'x' } })]);
    await applied();
    await nsv.ok('stop', 'a');
    expect(readFileSync(log, 'utf8')).toBe('pre a x\npost a x\n');
  });

  it('abort the start if they fail, and report their output and exit code', { tags: 'full' }, async () => {
    write([job('a', { preStart: 'echo no database; exit 3' })]);
    const { code, stderr } = await nsv.run('apply');
    expect(code).toBe(6);
    expect(stderr).toContain('  | no database\n');
    expect(stderr).toContain('failed with exit code 3');
    expect(await nsv.list()).toEqual([]);
  });
});
