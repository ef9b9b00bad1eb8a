import { describe, expect, it } from 'vitest';
import { applyPlan } from '../../../../src/cli/plans/config-files/apply-plan.ts';
import { renderSteps } from '../../../../src/cli/render/steps.ts';
import { type AppSettings, parseAppSpec } from '../../../../src/config/app-spec.ts';
import type { ProcessView, Status } from '../../../../src/ipc/views.ts';
import { appView, processView } from '../fake-context.ts';

const file = '/srv/nsv.config.js';
const specOf = (settings: AppSettings) =>
  parseAppSpec({ name: 'web', script: '/app.js', cwd: '/srv', configFile: file, ...settings });

function wanted(settings: AppSettings = {}, active = true) {
  const spec = specOf(settings);
  return { spec, name: spec.name, dependsOn: spec.dependsOn, active };
}

/** A job that has completed, or waits for its time, unless a person has stopped it since. */
type Rest = { completed?: boolean; finished?: true; scheduled?: true };

const known = (settings: AppSettings = {}, status: Status = 'online', rest: Rest = {}) => ({
  ...appView({}, { status, ...rest }),
  spec: specOf(settings),
});

const actions = (
  ...[apps, there, isWhole = true]: [ReturnType<typeof wanted>[], ReturnType<typeof known>[], boolean?]
) => applyPlan(apps, there, { file, isWhole }).map(({ action, name }) => `${action} ${name}`);

describe('nsv apply', () => {
  it('keeps an app regardless of the shell environment and the order of its variables', () => {
    const there = known({ env: { PATH: '/old' }, fileEnv: { A: '1', B: '2' } });
    expect(actions([wanted({ env: { PATH: '/new' }, fileEnv: { B: '2', A: '1' } })], [there])).toEqual(['keep web']);
  });

  it('keeps a completed job, and a stopped app that is not to be started', () => {
    expect(actions([wanted()], [known({}, 'stopped', { completed: true, finished: true })])).toEqual(['keep web']);
    expect(actions([wanted({}, false)], [known({}, 'stopped')])).toEqual(['keep web']);
  });
});

describe('a job with a schedule', () => {
  const cron = { cronRestart: '0 3 * * *' };
  it.each<[title: string, active: boolean, rest: Rest, plain: string, changed: string]>([
    ['is left to it between two runs', true, { completed: true, finished: true, scheduled: true }, 'keep', 'change'],
    ['is left to it after a failed run', true, { finished: true, scheduled: true }, 'keep', 'change'],
    ['is left to it before its first run', false, { scheduled: true }, 'keep', 'change'],
    ['is started if a person has stopped it', true, { completed: true }, 'start', 'start'],
    ['is put back on it if a person has stopped it before its first run', false, {}, 'change', 'change'],
  ])('%s', (_title, active, rest, plain, changed) => {
    const there = known(cron, 'stopped', rest);
    expect(actions([wanted(cron, active)], [there])).toEqual([`${plain} web`]);
    expect(actions([wanted({ ...cron, killTimeout: 1 }, active)], [there])).toEqual([`${changed} web`]);
  });
});

describe('an app that differs from the file', () => {
  it('is started if it is missing, stopped or errored', () => {
    expect(actions([wanted()], [])).toEqual(['start web']);
    expect(actions([wanted()], [known({}, 'stopped')])).toEqual(['start web']);
    expect(actions([wanted()], [known({}, 'errored')])).toEqual(['start web']);
  });

  it.each<Partial<ProcessView>>([
    { status: 'starting' },
    { status: 'held' },
    { status: 'waiting restart' },
    { status: 'stopping' },
    { status: 'online', unready: 'no database' },
  ])('is repaired if it is not ready: %j', (process) => {
    const there = { ...known(), processes: [processView(), processView(process)] };
    expect(actions([wanted()], [there])).toEqual(['repair web']);
    expect(actions([wanted({ killTimeout: 1 })], [there])).toEqual(['reload web']);
    const plan = applyPlan([wanted({ instances: 3 })], [there], { file, isWhole: true });
    expect(renderSteps(plan)).toBe('repair  web: not ready, instances 1 -> 3');
  });

  it('is kept if all that does not run is done, or waits for its time', () => {
    const others = [
      processView({ status: 'stopped', completed: true }),
      processView({ status: 'stopped', scheduled: true }),
    ];
    expect(actions([wanted()], [{ ...known(), processes: [processView(), ...others] }])).toEqual(['keep web']);
  });

  it('is reloaded, or scaled if only the number of instances differs', () => {
    expect(actions([wanted({ killTimeout: 1 })], [known()])).toEqual(['reload web']);
    expect(actions([wanted({ instances: 3 })], [known()])).toEqual(['scale web']);
    expect(actions([wanted({ instances: 3, killTimeout: 1 })], [known()])).toEqual(['reload web']);
    expect(actions([wanted()], [known({ configFile: undefined })])).toEqual(['reload web']);
  });

  it('is changed but not started if it is stopped and not to be started', () => {
    expect(actions([wanted({ killTimeout: 1 }, false)], [known({}, 'stopped')])).toEqual(['change web']);
  });

  it('is removed first if it is gone from the same file', () => {
    const there = [
      known({ name: 'old' }),
      known({ name: 'other', configFile: '/else.json' }),
      known({ name: 'hand', configFile: undefined }),
    ];
    expect(actions([wanted()], there)).toEqual(['remove old', 'start web']);
    expect(actions([wanted()], there, false)).toEqual(['start web']);
    expect(applyPlan([], there, { file: undefined, isWhole: true })).toEqual([]);
  });
});

it('the plan shows old and new values, but only the names of variables', () => {
  const before = known({ fileEnv: { TOKEN: 'old', SAME: '1', GONE: '' }, killTimeout: 3_000 });
  const plan = applyPlan([wanted({ fileEnv: { TOKEN: 'new', SAME: '1' }, cronRestart: '0 3 * * *' })], [before], {
    file,
    isWhole: true,
  });
  expect(renderSteps(plan)).toBe('reload  web: killTimeout 3s -> 5s, cronRestart none -> 0 3 * * *, env (GONE, TOKEN)');
  expect(renderSteps([])).toBe('nothing to do: the apps match the config file');
});
