// New versions of an app in places of their own, and programs that can only be restarted.
import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { describeVariants } from '../../helpers/variants.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let port: number;
let directory: string;

beforeEach(async () => {
  directory = realpathSync(nsv.directory);
  port = await freePort();
});

const answering = (name: string) =>
  `require('http').createServer((_, response) => response.end('${name} in ' + process.cwd())).listen(${port});`;

function release(name: string, source = answering(name)): string {
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, 'app.cjs'), source);
  return join(directory, name);
}

/** What clients are answered while the command runs, the answers of after it last; none may fail. */
async function visitedDuring(command: () => Promise<unknown>): Promise<string> {
  const visitors = new Visitors(8, { port });
  await eventually(() => visitors.answers.length > 0);
  await command();
  const during = visitors.answers.length;
  await eventually(() => visitors.answers.length > during + 20);
  expect(await visitors.leave()).toEqual([]);
  return visitors.answers.at(-1)!;
}

const saved = async () => {
  await nsv.ok('save');
  return readFileSync(join(nsv.home, 'saved.json'), 'utf8');
};

describe('a reload', () => {
  it('follows a symlink that now points to another release, for the program and its directory', async () => {
    const [one, two] = [release('r1'), release('r2')];
    const current = join(directory, 'current');
    symlinkSync(one, current);
    await nsv.ok('start', join(current, 'app.cjs'), '--cwd', current, '-i', '2');
    const last = await visitedDuring(async () => {
      symlinkSync(two, `${current}.new`);
      renameSync(`${current}.new`, current);
      await nsv.ok('reload', 'app');
    });
    expect(last).toBe(`r2 in ${two}`);
  });

  it('switches to another script and directory, which are saved', { tags: 'full' }, async () => {
    const [one, two] = [release('r1'), release('r2')];
    await nsv.ok('start', join(one, 'app.cjs'), '--cwd', one, '-i', '2');
    const last = await visitedDuring(() =>
      nsv.runWith({ cwd: directory }, 'reload', 'app', '--script', 'r2/app.cjs', '--cwd', 'r2'),
    );
    expect(last).toBe(`r2 in ${two}`);
    expect(await nsv.ok('show', 'app')).toContain(join(two, 'app.cjs'));
    expect(await saved()).toContain(join(two, 'app.cjs'));
  });

  it('keeps the old release serving and configured if the new one is broken', { tags: 'full' }, async () => {
    const one = release('r1');
    const broken = join(release('broken', 'throw new Error("broken at boot");'), 'app.cjs');
    await nsv.ok('start', join(one, 'app.cjs'), '--cwd', one, '-i', '2');
    const before = await nsv.list();
    const last = await visitedDuring(async () => {
      expect(await nsv.fails(6, 'reload', 'app', '--script', broken)).toContain('broken at boot');
    });
    expect(last).toBe(`r1 in ${one}`);
    expect(await nsv.pids()).toEqual(before.map(({ pid }) => pid));
    expect(await nsv.ok('show', 'app')).toContain(join(one, 'app.cjs'));
    expect(await saved()).not.toContain(broken);
  });

  it('fails if the new script does not exist', { tags: 'full' }, async () => {
    await nsv.ok('start', join(release('r1'), 'app.cjs'));
    expect(await nsv.fails(3, 'reload', 'app', '--script', 'r3/app.cjs')).toContain('r3/app.cjs');
  });
});

describeVariants(['restart', 'reload'])('a %s of programs that share no socket', (command) => {
  it('replaces one process at a time, each once the one before is ready', async () => {
    const gate = (slot: number) => join(directory, `gate-${slot}`);
    const app = nsv.script(
      'alone.sh',
      `#!/bin/sh\nwhile ! [ -e ${directory}/gate-$NSV_INSTANCE ]; do sleep 0.02; done\neval "echo >&$NSV_NOTIFY_FD"\nexec sleep 600\n`,
    );
    for (const slot of [0, 1]) writeFileSync(gate(slot), '');
    await nsv.ok('start', app, '-i', '2', '--wait-ready');
    const before = await nsv.list();
    renameSync(gate(0), join(directory, 'away'));
    const done = nsv.ok(command, 'alone');
    await eventually(async () => (await nsv.list())[0]!.status === 'starting');
    expect((await nsv.list())[1]).toMatchObject({ pid: before[1]!.pid, status: 'online' });
    writeFileSync(gate(0), '');
    await done;
    const after = await nsv.list();
    expect(after.map(({ status }) => status)).toEqual(['online', 'online']);
    expect(after.some(({ pid }) => before.some((old) => old.pid === pid))).toBe(false);
  });
});
