// Formatted logs of an app of another user, in a directory that this user can write.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { asNobody, attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, processesWith, written } from '../../helpers/nsv.ts';

// The directory goes when the apps are gone, which would create it again.
const nobody = attackerForEach();
const nsv = homeForEach();

const start = (command: string, ...options: string[]) =>
  nsv.run('start', '/bin/sh', ...asNobody, '--log-prefix', ...options, '--', '-c', command);

/** Counts the lines from 0, a hundred a second. */
const counter = 'i=0; while :; do echo $i; i=$((i+1)); sleep 0.01; done';
const numbers = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => Number(line.split(/[ :|]+/).at(-1)));
const inOrder = (found: number[]) => found.every((each, index) => each === index);
/** Flags, with the names of files in the directory of the user. */
const placed = (words: string[]) => words.map((word) => (word.startsWith('-') ? word : nobody.at(word)));

describe.skipIf(whyNoOtherUser)('a formatted log in a directory of the user of the app', () => {
  it('is created and written as that user, with both streams in order', async () => {
    const log = nobody.at('new/a.log');
    await start('for i in 0 1 2 3 4 5 6 7; do echo $i; echo $i >&2; done; exec sleep 600', '-o', log, '-e', log);
    await eventually(() => existsSync(log) && numbers(readFileSync(log, 'utf8')).length === 16);
    expect(numbers(readFileSync(log, 'utf8')).map((each, index) => each * 2 + (index % 2))).toEqual([
      ...Array(16).keys(),
    ]);
    for (const file of [log, nobody.at('new')]) expect(statSync(file).uid).toBe(nobody.uid);
    expect(statSync(log).mode & 0o777).toBe(0o640);
  });

  it('is written as that user, as is a common one next to it', { tags: 'full' }, async () => {
    const [log, all] = [nobody.at('a.log'), nobody.at('new/all.log')];
    const files = ['-o', log, '-e', nobody.at('err.log'), '--log', all];
    await start('seq 0 4999', ...files, '--no-autorestart', '--wait-ready');
    for (const file of [log, all]) {
      expect(numbers(readFileSync(file, 'utf8'))).toEqual([...Array(5000).keys()]);
      expect(statSync(file).uid).toBe(nobody.uid);
    }
    expect(statSync(nobody.at('new')).uid).toBe(nobody.uid);
    await nsv.ok('logs', 'rotate', 'a');
    await eventually(() => readFileSync(all, 'utf8') === '');
  });

  it('is one problem while the disk is full, and is solved once, when lines are in the log', async () => {
    await nobody.sh('ln -s /dev/full a.log');
    await start(counter, '-o', nobody.at('a.log'));
    const said = async () => {
      const lines = (await nsv.ok('events', '--nostream', '--json')).trim().split('\n');
      return lines.map((line) => JSON.parse(line)).filter(({ type, about }) => about === 'log' || type === 'warning');
    };
    // Another attempt every second: by then there have been three.
    await eventually(async () => (await nsv.list())[0]!.uptime! > 4_000);
    expect(await said()).toMatchObject([{ type: 'problem', detail: expect.stringContaining('No space left') }]);
    await nobody.sh('rm a.log');
    await eventually(async () => (await said()).some(({ type }) => type === 'solved'));
    expect(await said()).toMatchObject([{ type: 'problem' }, { type: 'solved' }, { type: 'warning' }]);
  });

  it('has every line of a job before the end of the job is reported', { tags: 'full' }, async () => {
    const log = nobody.at('a.log');
    await start('seq 0 4999', '-o', log, '--no-autorestart', '--wait-ready');
    expect(numbers(readFileSync(log, 'utf8'))).toEqual([...Array(5000).keys()]);
  });

  it('loses and reorders no line when the daemon is killed', { tags: 'full' }, async () => {
    const log = nobody.at('a.log');
    await start(counter, '-o', log);
    await written(log);
    await nsv.replaceDaemon();
    const { length } = numbers(readFileSync(log, 'utf8'));
    await eventually(() => numbers(readFileSync(log, 'utf8')).length > length + 20);
    await nsv.ok('restart', 'a');
    const text = readFileSync(log, 'utf8');
    const found = numbers(text);
    expect(inOrder(found.slice(0, found.lastIndexOf(0)))).toBe(true);
    await nsv.ok('update');
    await nsv.ok('stop', 'a');
  });

  it.each([
    ['of its own', ['-o', 'a.log']],
    ['in common', ['-o', 'out.log', '-e', 'err.log', '--log', 'a.log']],
  ])('is not written through a link to a file of root: %s', { tags: 'full' }, async (_title, files) => {
    const secret = nobody.secret();
    await nobody.sh(`ln -s ${secret} a.log`);
    const { code, stderr } = await start('exec sleep 600', ...placed(files), '--wait-ready');
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
    expect(stderr).toMatch(/failed to open the log file ".*\/a\.log": Permission denied \(as user nobody\)/);
    expect(code).toBe(6);
  });

  it.each([
    ['of its own', ['-o', 'a.log']],
    ['in common', ['-o', 'out.log', '-e', 'err.log', '--log', 'a.log']],
  ])('is not written through a link that takes its place later: %s', { tags: 'full' }, async (_title, files) => {
    const secret = nobody.secret();
    const log = nobody.at('a.log');
    await start(counter, ...placed(files));
    await written(log);
    await nobody.sh(`ln -sf ${secret} a.log`);
    await eventually(
      () => readFileSync(secret, 'utf8') !== 'secret of root\n' || nsv.log().includes('cannot be written'),
    );
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
    await nobody.sh('rm a.log');
    await written(log);
    await eventually(() => nsv.log().includes('can be written again'));
  });

  it('is reopened after it was moved, without losing a line', { tags: 'full' }, async () => {
    const log = nobody.at('a.log');
    await start(counter, '-o', log);
    await written(log);
    await nobody.sh('mv a.log old.log');
    await written(log);
    const found = numbers(nobody.text('old.log') + readFileSync(log, 'utf8'));
    expect(inOrder(found)).toBe(true);
  });

  it('is rotated without losing a line', { tags: 'full' }, async () => {
    const log = nobody.at('a.log');
    await start(counter, '-o', log);
    await written(log);
    const said = await nsv.ok('logs', 'rotate', 'a', '--json');
    const { to } = (JSON.parse(said) as { to: string }[]).find((each) => each.to)!;
    await written(log);
    expect(inOrder(numbers(readFileSync(to, 'utf8') + readFileSync(log, 'utf8')))).toBe(true);
    expect(statSync(to).uid).toBe(nobody.uid);
  });

  it('leaves no process behind', { tags: 'full' }, async () => {
    await start('echo one; exec sleep 600', '-o', nobody.at('a.log'));
    await nsv.ok('kill');
    await eventually(() => processesWith(`NSV_HOME=${nsv.home}`).length === 0);
    await eventually(async () => (await nobody.try('pgrep -u nobody -f "^cat$"')).code !== 0);
  });
});
