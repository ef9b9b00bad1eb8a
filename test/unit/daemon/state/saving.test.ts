import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { readSavedList, type SavedApp } from '../../../../src/daemon/state/saved-list.ts';
import { createSaving } from '../../../../src/daemon/state/saving.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'saved.json');
});

const app = (name: string, active = true): SavedApp => ({
  spec: parseAppSpec({ name, script: '/srv/app.js', cwd: '/srv' }),
  active,
});
const savedNames = () => readSavedList(file).apps.map(({ spec }) => spec.name);

/** A daemon of the home, with these apps. */
function daemon(...apps: SavedApp[]) {
  const clock = new FakeClock();
  const world = { apps, isUnderWay: false, reported: [] as string[] };
  const saving = createSaving({
    file,
    clock,
    list: () => [...world.apps],
    isUnderWay: () => world.isUnderWay,
    logError: (text) => world.reported.push(text),
  });
  saving.begin();
  const change = (...now: SavedApp[]) => {
    world.apps = now;
    saving.changed();
  };
  return { clock, world, saving, change };
}

describe('the automatically saved list', () => {
  it('is saved only on request, until that is revoked', async () => {
    const { clock, saving, change } = daemon(app('web'));
    change(app('web'), app('job'));
    await clock.passes(60_000);
    expect(existsSync(file)).toBe(false);
    expect(saving.save({ auto: true })).toEqual({ file, apps: 2, auto: true });
    change(app('web'));
    await clock.passes(1_000);
    expect(savedNames()).toEqual(['web']);
    expect(saving.save({ auto: false }).auto).toBe(false);
    change();
    await clock.passes(60_000);
    expect(savedNames()).toEqual(['web']);
  });

  it('is written once for many changes, and not without any', async () => {
    const { clock, world, saving, change } = daemon();
    saving.save({ auto: true });
    const web = app('web');
    for (let changes = 0; changes < 100; changes += 1) change(web);
    await clock.passes(1_000);
    expect(savedNames()).toEqual(['web']);
    rmSync(file);
    saving.changed();
    await clock.passes(60_000);
    expect(existsSync(file)).toBe(false);
    expect([clock.pending, world.reported]).toEqual([0, []]);
  });

  it('is not replaced by an empty one, except by force', async () => {
    daemon(app('web'), app('job')).saving.save();
    const { clock, saving, change } = daemon();
    expect(() => saving.save()).toThrow(expect.objectContaining({ code: 'NOTHING_TO_SAVE' }));
    expect(saving.save({ auto: true })).toEqual({ file, apps: 2, auto: true });
    change(app('other'));
    await clock.passes(1_000);
    expect(savedNames()).toEqual(['other', 'web', 'job']);
    change();
    expect(saving.save({ force: true })).toEqual({ file, apps: 0, auto: true });
    expect(savedNames()).toEqual([]);
  });

  it('is empty on request, whatever runs, until the next change that is saved', async () => {
    const { clock, saving, change } = daemon(app('web'));
    saving.save({ auto: true });
    expect(saving.save({ empty: true })).toEqual({ file, apps: 0, auto: true });
    expect(savedNames()).toEqual([]);
    await clock.passes(60_000);
    expect(savedNames()).toEqual([]);
    expect(JSON.parse(readFileSync(`${file}.bak`, 'utf8'))).toMatchObject({ apps: [{ spec: { name: 'web' } }] });
    change(app('web'), app('job'));
    await clock.passes(1_000);
    expect(savedNames()).toEqual(['web', 'job']);
  });

  it('records whether an app is to run', async () => {
    const { clock, saving, change } = daemon(app('web'));
    saving.save({ auto: true });
    change(app('web', false));
    await clock.passes(1_000);
    expect(readSavedList(file).apps).toMatchObject([{ active: false }]);
  });

  it('is updated once a command has finished, even without another change', async () => {
    const { clock, world, saving, change } = daemon(app('web'));
    saving.save({ auto: true });
    world.isUnderWay = true;
    change(app('web'));
    await clock.passes(5_000);
    world.apps = [app('web', false)];
    world.isUnderWay = false;
    await clock.passes(1_000);
    expect(readSavedList(file).apps).toMatchObject([{ active: false }]);
    expect(clock.pending).toBe(0);
  });

  it('is saved by the next daemon too, which keeps apps that it has never had', async () => {
    daemon(app('web'), app('job')).saving.save({ auto: true });
    const next = daemon();
    next.change(app('job', false));
    await next.clock.passes(1_000);
    expect(readSavedList(file)).toMatchObject({ auto: true, apps: [{ spec: { name: 'job' }, active: false }, {}] });
    expect(savedNames()).toEqual(['job', 'web']);
    next.change();
    await next.clock.passes(1_000);
    expect(savedNames()).toEqual(['web']);
    next.saving.save({ force: true });
    expect(readSavedList(file)).toMatchObject({ auto: true, apps: [] });
  });

  it('drops an app that the next daemon took over, however soon that app is deleted', async () => {
    daemon(app('web')).saving.save({ auto: true });
    const next = daemon(app('web'));
    next.change();
    await next.clock.passes(1_000);
    expect(savedNames()).toEqual([]);
  });

  it('is written at once for another daemon to continue from', async () => {
    const { clock, saving, change } = daemon(app('web'), app('job'));
    saving.save({ auto: true });
    change(app('web'));
    saving.flush();
    expect(savedNames()).toEqual(['web']);
    expect(clock.pending).toBe(0);
  });

  it('has the last change, but not the stop of all apps at the end', async () => {
    const { clock, saving, change } = daemon(app('web'));
    saving.save({ auto: true });
    change(app('web'), app('job'));
    saving.close();
    change();
    await clock.passes(60_000);
    expect(savedNames()).toEqual(['web', 'job']);
  });

  it('is retried if it could not be written, which is reported once', async () => {
    const { clock, world, saving, change } = daemon();
    saving.save({ auto: true });
    rmSync(file);
    mkdirSync(file);
    change(app('web'));
    await clock.passes(60_000);
    expect(world.reported).toEqual([expect.stringMatching(/^failed to write .*; will retry$/)]);
    expect(saving.expectSaved).toThrow(/^failed to write .*saved\.json: EISDIR.*; the command took effect/);
    rmdirSync(file);
    await clock.passes(10_000);
    expect(savedNames()).toEqual(['web']);
  });

  it('is retried before a command is answered', () => {
    const { saving, change } = daemon();
    saving.save({ auto: true });
    rmSync(file);
    mkdirSync(file);
    change(app('web'));
    saving.flush();
    rmdirSync(file);
    saving.expectSaved();
    expect(savedNames()).toEqual(['web']);
  });

  it('is left alone if it cannot be read, for "nsv resurrect" to report', async () => {
    writeFileSync(file, 'garbage');
    const { clock, change } = daemon();
    change(app('web'));
    await clock.passes(60_000);
    expect(readFileSync(file, 'utf8')).toBe('garbage');
  });

  it('has an invalid entry moved to another file before a change overwrites it', async () => {
    writeFileSync(file, JSON.stringify({ format: 'nsv-saved-list', version: 1, auto: true, apps: [{ spec: 7 }] }));
    const { clock, change, world } = daemon();
    change(app('web'));
    await clock.passes(1_000);
    expect(savedNames()).toEqual(['web']);
    expect(world.reported).toEqual([expect.stringContaining('saved.json.apps-')]);
    const [kept = ''] = readdirSync(directory).filter((name) => name.startsWith('saved.json.apps-'));
    expect(JSON.parse(readFileSync(join(directory, kept), 'utf8'))).toMatchObject([{ record: { spec: 7 } }]);
  });
});
