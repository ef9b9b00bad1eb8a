import { beforeEach, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import type { Hook, HookEnd } from '../../../../src/daemon/launch/hook.ts';
import { createDeathCommands } from '../../../../src/daemon/upkeep/death-command.ts';
import { deathView } from '../../../helpers/deaths.ts';
import { FakeClock, settle } from '../../../helpers/fake-clock.ts';

const settings = {
  name: 'web',
  script: '/app.js',
  cwd: '/srv',
  uid: 'www-data',
  env: { PORT: '80' },
  onDeath: 'mail root',
};
let clock: FakeClock;
let runs: { hook: Hook; ends: (end: HookEnd) => void }[];
let problems: (readonly unknown[])[];
let spec: ReturnType<typeof parseAppSpec> | undefined;

beforeEach(() => {
  [clock, runs, problems, spec] = [new FakeClock(), [], [], parseAppSpec(settings)];
});

const started = () =>
  createDeathCommands({
    clock,
    settingsOf: () => spec,
    run: (hook) => new Promise((ends) => runs.push({ hook, ends })),
    report: (...problem) => problems.push(problem),
  });
const good: HookEnd = { problem: undefined, output: [] };
const records = () => runs.map(({ hook }) => JSON.parse(hook.input!) as { number: number; leftOut: number });

describe('the command on death', () => {
  it('gets the record on its input, and runs as the user of the app, in its directory and for a limited time', () => {
    started().died(deathView({ number: 3 }));
    const { hook } = runs[0]!;
    expect(hook).toMatchObject({ command: 'mail root', cwd: '/srv', uid: 'www-data', timeout: 30_000 });
    expect(hook.env).toMatchObject({ NSV_APP: 'web', USER: 'www-data' });
    expect(JSON.parse(hook.input!)).toEqual({ ...deathView({ number: 3 }), leftOut: 0 });
    expect(hook.input).toMatch(/^[^\n]+\n$/);
  });

  it('runs at once, then at most every ten seconds, and receives the number of deaths left out', async () => {
    const commands = started();
    for (let number = 1; number <= 5; number += 1) commands.died(deathView({ number }));
    expect(records()).toMatchObject([{ number: 1, leftOut: 0 }]);
    runs[0]!.ends(good);
    await clock.passes(9_999);
    expect(runs).toHaveLength(1);
    await clock.passes(1);
    expect(records()[1]).toMatchObject({ number: 5, leftOut: 3 });
    runs[1]!.ends(good);
    await clock.passes(10_000);
    expect(runs).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  it('does not run twice at the same time', async () => {
    const commands = started();
    commands.died(deathView());
    commands.died(deathView({ number: 2 }));
    await clock.passes(60_000);
    expect(runs).toHaveLength(1);
    runs[0]!.ends({ problem: 'exit code 1', output: [] });
    await settle();
    expect(records()[1]).toMatchObject({ number: 2 });
    expect(problems).toEqual([['web', 'on-death', 'the command "mail root" failed: exit code 1']]);
  });

  it('does not run for a planned end, nor without the setting or the app', async () => {
    const commands = started();
    commands.died(deathView({ cause: 'asked', by: 'stop' }));
    spec = parseAppSpec({ ...settings, onDeath: undefined });
    commands.died(deathView());
    spec = undefined;
    commands.died(deathView());
    expect(runs).toEqual([]);
    spec = parseAppSpec(settings);
    commands.died(deathView());
    commands.died(deathView());
    spec = undefined;
    runs[0]!.ends(good);
    await clock.passes(10_000);
    expect(runs).toHaveLength(1);
  });
});
