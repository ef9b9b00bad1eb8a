import { describe, expect, it } from 'vitest';
import { instanceEnvironment, sharedEnvironmentOf } from '../../../src/config/environment.ts';

const ours = { NSV_APP: 'web', NSV_ID: '12', NSV_INSTANCE: '3', NODE_APP_INSTANCE: '3', pm_id: '12', name: 'web' };
const web = { name: 'web', filterEnv: [], fileEnv: {}, instanceVar: 'NODE_APP_INSTANCE', incrementVar: undefined };
const instance = { id: 12, slot: 3 };

describe('the environment of an instance', () => {
  it('is that of the shell plus exactly six variables', () => {
    const env = { PATH: '/bin', name: 'overridden' };
    expect(instanceEnvironment({ ...web, env }, instance)).toEqual({ PATH: '/bin', ...ours });
    expect(env).toEqual({ PATH: '/bin', name: 'overridden' });
  });

  it.each([
    [{ PORT: '3000' }, '3003'],
    [{}, '3'],
    [{ PORT: 'http' }, '3'],
  ])('increments a variable by the slot: %j', (env, PORT) => {
    expect(instanceEnvironment({ ...web, incrementVar: 'PORT', env }, instance)).toMatchObject({ PORT });
  });

  it.each([
    [{ interpreter: '/usr/bin/python3', script: '/srv/app.py' }, {}, '1'],
    [{ interpreter: undefined, script: '/usr/bin/python3.11' }, {}, '1'],
    [{ interpreter: '/usr/bin/python3', script: '/srv/app.py' }, { PYTHONUNBUFFERED: '' }, ''],
    [{ interpreter: '/usr/bin/node', script: '/srv/python' }, {}, undefined],
  ])('makes the output of Python unbuffered by default: %j with %j', (program, env, expected) => {
    expect(instanceEnvironment({ ...web, ...program, env }, instance).PYTHONUNBUFFERED).toBe(expected);
  });

  it('omits variables with a filtered prefix, but never those of nsv', () => {
    const env = { AWS_KEY: 'x', AWS: 'y', MY_AWS: 'z', NSV_HOME: '/h' };
    expect(instanceEnvironment({ ...web, env, filterEnv: ['AWS', 'NSV_'] }, instance)).toEqual({
      MY_AWS: 'z',
      ...ours,
    });
  });

  it('omits internal variables that the shell inherited from an app', () => {
    const env = { PATH: '/bin', NSV_MARK: 'x', NSV_DAEMON: '/workers.sock', NSV_TREE: 'y', NSV_HOME: '/h' };
    expect(instanceEnvironment({ ...web, env }, instance)).toEqual({ PATH: '/bin', NSV_HOME: '/h', ...ours });
  });
});

const uid = '65534';
const foreign = {
  env: { PATH: '/bin', SECRET: 's', LC_ALL: 'C', AWS_A: 'a', HOME: '/root', USER: 'root' },
  filterEnv: [],
};

describe('the environment of an app of another user', () => {
  it('has only harmless variables of the shell', () => {
    const found = sharedEnvironmentOf({ ...foreign, fileEnv: {}, uid });
    expect(found).toMatchObject({ PATH: '/bin', LC_ALL: 'C' });
    expect(found).not.toMatchObject({ HOME: '/root' });
    expect(Object.keys(found)).not.toContain('SECRET');
  });

  it('has what --pass-env names, less what --filter-env removes, and all of the config file', () => {
    const options = { filterEnv: ['AWS_'], passEnv: ['SECRET', 'AWS_*'], fileEnv: { HOME: '/srv', AWS_B: 'b' } };
    const found = sharedEnvironmentOf({ ...foreign, ...options, uid });
    expect(found).toMatchObject({ SECRET: 's', HOME: '/srv', AWS_B: 'b' });
    expect(found.AWS_A).toBeUndefined();
  });

  it('contains HOME and SHELL even for a user without an account', () => {
    const found = sharedEnvironmentOf({ ...foreign, fileEnv: {}, uid: '4711', passEnv: ['all'] });
    expect(found).toEqual({ PATH: '/bin', SECRET: 's', LC_ALL: 'C', AWS_A: 'a', HOME: '/', SHELL: '/bin/sh' });
  });

  it('is that of the shell if the user is that of the daemon', () => {
    const own = String(process.geteuid!());
    expect(sharedEnvironmentOf({ ...foreign, fileEnv: {}, uid: own })).toEqual(foreign.env);
  });
});
