import { describe, expect, it } from 'vitest';
import { instanceEnvironment } from '../../../src/config/environment.ts';

const ours = { NSV_APP: 'web', NSV_ID: '12', NSV_INSTANCE: '3', NODE_APP_INSTANCE: '3', pm_id: '12', name: 'web' };
const web = { name: 'web', filterEnv: [], fileEnv: {}, instanceVar: 'NODE_APP_INSTANCE', incrementVar: undefined };
const instance = { id: 12, slot: 3 };

describe('the environment of an instance', () => {
  it('is that of the shell with exactly six variables more', () => {
    const env = { PATH: '/bin', name: 'overridden' };
    expect(instanceEnvironment({ ...web, env }, instance)).toEqual({ PATH: '/bin', ...ours });
    expect(env).toEqual({ PATH: '/bin', name: 'overridden' });
  });

  it('leaves out what starts with a filtered prefix, but never its own variables', () => {
    const env = { AWS_KEY: 'x', AWS: 'y', MY_AWS: 'z', NSV_HOME: '/h' };
    expect(instanceEnvironment({ ...web, env, filterEnv: ['AWS', 'NSV_'] }, instance)).toEqual({
      MY_AWS: 'z',
      ...ours,
    });
  });

  it('leaves out what the shell has from an app that it runs below', () => {
    const env = { PATH: '/bin', NSV_MARK: 'x', NSV_DAEMON: '/workers.sock', NSV_TREE: 'y', NSV_HOME: '/h' };
    expect(instanceEnvironment({ ...web, env }, instance)).toEqual({ PATH: '/bin', NSV_HOME: '/h', ...ours });
  });
});
