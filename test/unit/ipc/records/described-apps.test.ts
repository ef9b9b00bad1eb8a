import { expect, it } from 'vitest';
import { shareEnvironments, withEnvironments } from '../../../../src/ipc/records/described-apps.ts';
import { appView } from '../../cli/fake-context.ts';

const [shell, other] = [{ PATH: '/bin' }, { PATH: '/usr/bin' }];
const apps = [shell, other, shell].map((env, at) => appView({ name: `app${at}`, env }));
// As the daemon has them: in one object for each.
for (const [at, env] of [shell, other, shell].entries()) apps[at]!.spec.env = env;

it('an environment that apps share goes over the wire once', () => {
  const { environments, apps: described } = shareEnvironments(apps);
  expect(environments).toEqual([shell, other]);
  expect(described.map(({ spec }) => spec.env)).toEqual([0, 1, 0]);
});

it('apps arrive as they were sent, and share their environments', () => {
  const arrived = withEnvironments(JSON.parse(JSON.stringify(shareEnvironments(apps))));
  expect(arrived).toEqual(apps);
  expect(arrived[0]!.spec.env).toBe(arrived[2]!.spec.env);
});
