import { expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { createEventBus } from '../../../../src/daemon/events.ts';
import type { Hook } from '../../../../src/daemon/launch/hook.ts';
import { runGiveupCommands } from '../../../../src/daemon/upkeep/giveup-command.ts';

it('the command on giveup receives what happened in variables that any system accepts', () => {
  const events = createEventBus();
  const runs: Hook[] = [];
  const run = async (hook: Hook) => {
    runs.push(hook);
    return { problem: undefined, output: [] };
  };
  runGiveupCommands(events, run, () => {});
  const settings = { name: 'web', script: '/app.js', cwd: '/srv', env: { PORT: '80' }, maxRestarts: 3 };
  const facts = { app: 'web', id: 7, slot: 1, reason: 'too\0often', lastError: `${'€'.repeat(100_000)}the end` };
  events.emit({ type: 'giveup', ...facts, spec: parseAppSpec({ ...settings, onGiveup: 'mail root' }) });
  events.emit({ type: 'giveup', ...facts, spec: parseAppSpec(settings) });
  expect(runs).toMatchObject([
    {
      command: 'mail root',
      cwd: '/srv',
      env: {
        PORT: '80',
        NSV_APP: 'web',
        NSV_ID: '7',
        NSV_INSTANCE: '1',
        NSV_MAX_RESTARTS: '3',
        NSV_REASON: 'toooften',
        NSV_LAST_ERROR: expect.stringMatching(/^€+the end$/),
      },
    },
  ]);
  expect(Buffer.byteLength(runs[0]!.env.NSV_LAST_ERROR!)).toBeLessThan(128 * 1024);
});
