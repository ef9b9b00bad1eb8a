// Apps that are restarted when files change.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, sees } from '../../helpers/eventually.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const nsv = homeForEach();
/** Ready at once. */
const waits = "process.send('ready'); setInterval(() => {}, 1e6);";
const fails = 'throw new Error("typo");';
const quick = ['--watch-delay', '20'];

/** What has happened to the app, each event in a line. */
const eventsOf = async (app: string): Promise<string> => sees('events', await nsv.ok('events', app, '--nostream'));
const replacementsOf = async (app: string) => (await eventsOf(app)).match(/replace .*/g) ?? [];

const replaced = (before: number | null, ...targets: string[]) =>
  eventually(async () => {
    const [view] = await nsv.list(...targets);
    return view!.pid !== null && view!.pid !== before && view!.status === 'online' && view;
  });

const has = (status: string) => eventually(async () => (await nsv.list()).every((view) => view.status === status));

/** Changes a file until that has replaced the process, and returns how often a process of the app was replaced by then. */
async function afterChangeOf(file: string, app: string): Promise<string[]> {
  const [before] = await nsv.pids(app);
  // In one step: a slow machine may take longer than the delay to empty a file and to write it.
  const next = join(temporaryDirectory(), 'next');
  writeFileSync(next, `${waits} // changed`);
  renameSync(next, file);
  await replaced(before ?? null, app);
  return replacementsOf(app);
}

describe('an app that is watched', () => {
  it('is replaced when a file changes', async () => {
    const app = nsv.script('app.cjs', waits);
    await nsv.ok('start', app, '--watch', ...quick);
    expect(await afterChangeOf(app, 'app')).toEqual([`replace ${app} changed`]);
  });

  it('starts again when it has failed, and its file changes', async () => {
    const app = nsv.script('app.cjs', fails);
    await nsv.fails(6, 'start', app, '--watch', ...quick);
    await has('errored');
    writeFileSync(app, waits);
    await has('online');
  });

  it('runs again when its work is done, and its file changes', async () => {
    const app = nsv.script('app.cjs', 'setTimeout(() => {}, 200);');
    await nsv.ok('start', app, '--watch', '--no-autorestart', ...quick);
    await has('stopped');
    writeFileSync(app, waits);
    await has('online');
  });

  it('stays stopped if a person has stopped it', async () => {
    const stopped = nsv.script('stopped.cjs', waits);
    const other = nsv.script('other.cjs', waits);
    for (const app of [stopped, other]) await nsv.ok('start', app, '--watch', ...quick);
    await nsv.ok('stop', 'stopped');
    // Both are told of it.
    await afterChangeOf(other, 'other');
    expect((await nsv.list('stopped'))[0]?.status).toBe('stopped');
    expect(await replacementsOf('stopped')).toEqual([]);
  });

  it('is not replaced while its script is away', async () => {
    mkdirSync(join(nsv.directory, 'dist'));
    const app = nsv.script('dist/app.cjs', waits);
    await nsv.ok('start', app, '--watch', ...quick);
    rmSync(join(nsv.directory, 'dist'), { recursive: true });
    nsv.script('other.cjs', '');
    mkdirSync(join(nsv.directory, 'dist'));
    await afterChangeOf(app, 'app');
    expect(await eventsOf('app')).not.toContain('failed');
  });

  it('is not replaced by what nsv writes for any app', async () => {
    const noisy = `setInterval(() => console.log('x'.repeat(2_000)), 5);`;
    const files = ['--pid-file', 'run/x.pid', '-o', 'logs/x.log', '-e', 'logs/x.log', '--log-max-size', '20K'];
    const one = nsv.script('one.cjs', noisy);
    const two = nsv.script('two.cjs', waits);
    await nsv.ok('start', one, '--watch', 'one.cjs,run,logs', ...files, ...quick);
    await nsv.ok('start', two, '--watch', ...quick);
    await eventually(async () => (await nsv.ok('events', '--nostream')).includes(' rotate '));
    expect(await afterChangeOf(one, 'one')).toEqual([`replace ${one} changed`]);
    // One change is that of the file which the other app runs.
    expect(await replacementsOf('two')).toEqual([`replace ${one} changed`]);
  });

  it('is not replaced without end because of a file that it changes whenever it starts', async () => {
    const writes = `require('fs').writeFileSync('state.json', String(process.pid)); ${waits}`;
    const app = nsv.script('app.cjs', writes);
    const state = nsv.script('state.json', '');
    await nsv.ok('start', app, '--watch', ...quick);
    writeFileSync(state, '');
    await eventually(async () =>
      (await eventsOf('app')).includes(`${state} changes whenever the app starts: the next`),
    );
    expect((await replacementsOf('app')).length).toBeLessThanOrEqual(7);
    // A person need not wait. Of the other file, the journal may count repetitions later.
    const replacements = await afterChangeOf(app, 'app');
    expect(replacements.filter((line) => !line.includes(state))).toEqual([`replace ${app} changed`]);
  });

  it('has an event for a watched path that does not exist', async () => {
    await nsv.ok('start', nsv.script('app.cjs', waits), '--watch', 'scr', ...quick);
    const missing = `watch problem ${join(nsv.directory, 'scr')} does not exist`;
    await eventually(async () => (await eventsOf('app')).includes(missing));
  });
});

describe('globs', () => {
  it.each(['src/**/*.{js,json}', 'src/a.js,src/**/*.json'])(
    'of --watch are not split at the commas in braces: %s',
    async (globs) => {
      mkdirSync(join(nsv.directory, 'src', 'deep'), { recursive: true });
      await nsv.ok('start', nsv.script('app.cjs', waits), '--watch', globs, '--ignore-watch', '*.{log,tmp}', ...quick);
      nsv.script('src/deep/b.tmp', '');
      const file = join(nsv.directory, 'src', 'deep', 'b.json');
      expect(await afterChangeOf(file, 'app')).toEqual([`replace ${file} changed`]);
    },
  );
});

describe('nsv-pm2 --watch', () => {
  it('ignores every name that begins with a dot, as PM2 does', async () => {
    const app = nsv.script('app.cjs', waits);
    const program = join(root, 'bin', 'pm2-compat');
    await nsv.runWith({ program }, 'start', app, '--watch');
    nsv.script('.env', '');
    expect(await afterChangeOf(app, 'app')).toEqual([`replace ${app} changed`]);
  });
});
