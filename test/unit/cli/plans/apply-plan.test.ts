import { describe, expect, it } from 'vitest';
import { applyPlan } from '../../../../src/cli/plans/config-files/apply-plan.ts';
import { renderSteps } from '../../../../src/cli/render/steps.ts';
import { type AppSettings, parseAppSpec } from '../../../../src/config/app-spec.ts';
import type { Status } from '../../../../src/ipc/views.ts';
import { processView } from '../fake-context.ts';

const file = '/srv/nsv.config.js';
const specOf = (settings: AppSettings) =>
  parseAppSpec({ name: 'web', script: '/app.js', cwd: '/srv', configFile: file, ...settings });

function wanted(settings: AppSettings = {}, active = true) {
  const spec = specOf(settings);
  return { spec, name: spec.name, dependsOn: spec.dependsOn, active };
}

function known(settings: AppSettings = {}, status: Status = 'online', completed = false) {
  return {
    spec: specOf(settings),
    createdAt: 0,
    sockets: [],
    logTroubles: [],
    processes: [processView({ status, completed })],
  };
}

const actions = (
  ...[apps, there, isWhole = true]: [ReturnType<typeof wanted>[], ReturnType<typeof known>[], boolean?]
) => applyPlan(apps, there, { file, isWhole }).map(({ action, name }) => `${action} ${name}`);

describe('what runs as the file says is kept', () => {
  it('whatever the shell of the caller holds, and in whatever order variables are written', () => {
    const there = known({ env: { PATH: '/old' }, fileEnv: { A: '1', B: '2' } });
    expect(actions([wanted({ env: { PATH: '/new' }, fileEnv: { B: '2', A: '1' } })], [there])).toEqual(['keep web']);
  });

  it('a job that is done stays done, and one that rests stays at rest', () => {
    expect(actions([wanted()], [known({}, 'stopped', true)])).toEqual(['keep web']);
    expect(actions([wanted({}, false)], [known({}, 'stopped')])).toEqual(['keep web']);
  });
});

describe('what differs', () => {
  it('is started where it is missing, was stopped, or has failed', () => {
    expect(actions([wanted()], [])).toEqual(['start web']);
    expect(actions([wanted()], [known({}, 'stopped')])).toEqual(['start web']);
    expect(actions([wanted()], [known({}, 'errored')])).toEqual(['start web']);
  });

  it('is reloaded, or scaled where only the count is another', () => {
    expect(actions([wanted({ killTimeout: 1 })], [known()])).toEqual(['reload web']);
    expect(actions([wanted({ instances: 3 })], [known()])).toEqual(['scale web']);
    expect(actions([wanted({ instances: 3, killTimeout: 1 })], [known()])).toEqual(['reload web']);
    expect(actions([wanted()], [known({ configFile: undefined })])).toEqual(['reload web']);
  });

  it('is changed without a start where it rests', () => {
    expect(actions([wanted({ killTimeout: 1 }, false)], [known({}, 'stopped')])).toEqual(['change web']);
  });

  it('is removed where it is gone from this very file, first of all', () => {
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

it('the difference is told with values, of variables the names only', () => {
  const before = known({ fileEnv: { TOKEN: 'old', SAME: '1', GONE: '' }, killTimeout: 3_000 });
  const plan = applyPlan([wanted({ fileEnv: { TOKEN: 'new', SAME: '1' }, cronRestart: '0 3 * * *' })], [before], {
    file,
    isWhole: true,
  });
  expect(renderSteps(plan)).toBe('reload  web: killTimeout 3s -> 5s, cronRestart none -> 0 3 * * *, env (GONE, TOKEN)');
  expect(renderSteps([])).toBe('nothing to do: the apps match the config file');
});
