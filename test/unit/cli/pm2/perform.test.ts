import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { failure } from '../../../../src/shared/errors.ts';
import { fixture, root } from '../../../helpers/nsv.ts';
import { appView, processView, run } from '../fake-context.ts';

const script = fixture('web.cjs');
const config = join(root, 'test', 'fixtures', 'configs', 'json', 'nsv.config.json');
const app = {
  ...appView(),
  spec: parseAppSpec({ name: 'web', script, cwd: '/' }),
  processes: [processView(), processView({ id: 3, slot: 1 })],
};
const daemon = {
  describe: async () => [app],
  list: async ({ targets }: { targets: string[] }) => {
    if (targets.some((target) => target !== 'web')) throw failure('NO_SUCH_APP', { target: targets[0]! });
    return app.processes;
  },
};

describe('nsv-pm2', () => {
  it.each<[string, string, unknown]>([
    ['restart web', 'restart', { targets: ['web'] }],
    [`restart ${script}`, 'restart', { targets: ['web'] }],
    [`delete ${script} other`, 'delete', { targets: ['web', 'other'] }],
    ['stop all', 'stop', { targets: ['all'] }],
    ['start web', 'restart', { targets: ['web'] }],
    ['sendSignal USR2 web', 'signal', { targets: ['web'], signal: 'SIGUSR2' }],
    ['sendSignal USR2 web 0 more', 'signal', { targets: ['web'], signal: 'SIGUSR2' }],
  ])('%s calls %s %j', async (line, method, params) => {
    const { calls } = await run(['pm2', ...line.split(' ')], { daemon });
    const looks = ['list', 'describe'];
    expect(calls.filter(([name]) => !looks.includes(name))).toEqual([[method, params]]);
  });

  it('accepts the names that PM2 has for init systems', async () => {
    const { stdout } = await run(['pm2', 'unstartup', 'ubuntu', '--service-name', 'nsv-never-installed']);
    expect(stdout).toBe('nothing to remove: there is no /etc/systemd/system/nsv-never-installed.service\n');
  });

  it.each([
    ['restarts those that are known', '', 'update', { how: 'restart', app: { name: 'web' } }],
    [
      'replaces them where settings are over those of the file',
      ' -i 3',
      'launch',
      { force: true, app: { instances: 3 } },
    ],
  ])('starts the apps of a config file, and %s', async (_, more, method, params) => {
    const known = { ...daemon, list: async () => app.processes, update: async () => [], launch: async () => [] };
    const { calls } = await run(['pm2', ...`start ${config}${more}`.split(' ')], {
      daemon: known,
      cwd: dirname(config),
    });
    expect(calls.at(-1)).toMatchObject([method, params]);
  });

  it.each(['start', 'restart'])('%s ignores arguments after -- for a config file, with a warning', async (command) => {
    const known = { ...daemon, list: async () => app.processes, update: async () => [] };
    const line = ['pm2', command, config, '--', '--port', '3000'];
    const { calls, stderr } = await run(line, { daemon: known, cwd: dirname(config) });
    expect(calls.at(-1)).toMatchObject(['update', { how: 'restart', app: { name: 'web' } }]);
    expect(stderr).toContain('nsv: -- --port 3000 is ignored: apps of a config file');
    const plain = run([command, config, '--', '--port'], { daemon: known, cwd: dirname(config) });
    await expect(plain).rejects.toMatchObject({ code: 'BAD_USAGE' });
  });

  it.each<[string, string, unknown]>([
    ['start web --max-restarts 3', 'update', { how: 'restart', app: { maxRestarts: 3 } }],
    [`start -f ${script} --name web`, 'scale', { targets: ['web'], instances: '+1' }],
    [`start -f ${script} --name web -i 4`, 'scale', { targets: ['web'], instances: '+4' }],
    [`start -f ${script} --name other`, 'launch', { force: true, app: { name: 'other' } }],
    ['restart web --watch', 'update', { how: 'restart', app: { watch: ['/'] } }],
  ])('%s calls %s %j', async (line, method, params) => {
    const known = { ...daemon, update: async () => [], launch: async () => [], scale: async () => [] };
    const { calls } = await run(['pm2', ...line.split(' ')], { daemon: known });
    expect(calls.filter(([name]) => name === method)).toMatchObject([[method, params]]);
  });

  it('turns watching off with --watch if it is on', async () => {
    const watched = { ...app, spec: { ...app.spec, watch: ['/'] } };
    const known = { ...daemon, describe: async () => [watched], update: async () => [] };
    const { calls } = await run(['pm2', 'restart', 'web', '--watch'], { daemon: known });
    const [[, update] = []] = calls.filter(([name]) => name === 'update');
    expect(update).toMatchObject({ app: { name: 'web' } });
    expect(update).not.toMatchObject({ app: { watch: ['/'] } });
  });

  it('turns watching on with --watch for a stopped app', async () => {
    const processes = [processView({ pid: null, status: 'stopped' })];
    const stopped = { ...app, spec: { ...app.spec, watch: ['/srv'] }, processes };
    const known = { ...daemon, describe: async () => [stopped], update: async () => [] };
    const { calls } = await run(['pm2', 'restart', 'web', '--watch'], { daemon: known });
    expect(calls.find(([name]) => name === 'update')?.[1]).toMatchObject({ app: { watch: ['/'] } });
  });

  it('refuses to start a second process of the same name with other settings', async () => {
    const attempt = run(['pm2', 'start', '-f', script, '--name', 'web', '--time'], { daemon });
    await expect(attempt).rejects.toMatchObject({ code: 'PM2_ONLY', message: expect.stringContaining('--name') });
  });

  it('fails without a command', async () => {
    await expect(run(['pm2'])).rejects.toMatchObject({ code: 'BAD_USAGE' });
  });

  it('starts a stopped app by its name', async () => {
    const stopped = { ...daemon, list: async () => [processView({ pid: null, status: 'stopped' })] };
    const { calls } = await run(['pm2', 'start', 'web'], { daemon: stopped });
    expect(calls.at(-1)).toEqual(['start', { targets: ['web'], wait: true }]);
  });

  it.each<[line: string, method: string, params: object]>([
    [`start ${script} -n web`, 'restart', { targets: ['web'] }],
    [`start ${script} -n web --max-memory-restart 1G -- x`, 'update', { target: 'web', app: { args: ['x'] } }],
    [`start ${script} -n other`, 'launch', { app: { name: 'other' } }],
    [`start -f ${script} -n web`, 'launch', { force: true, app: { name: 'web' } }],
  ])('%s calls %s if web is stopped', async (line, method, params) => {
    const processes = [{ status: 'stopped' as const }, { status: 'errored' as const }];
    const stopped = { ...app, processes: processes.map((state) => processView({ pid: null, ...state })) };
    const known = { ...daemon, describe: async () => [stopped] };
    const { calls } = await run(['pm2', ...line.split(' ')], { daemon: known });
    expect(calls.filter(([name]) => ['restart', 'update', 'launch'].includes(name))).toMatchObject([[method, params]]);
  });

  it('starts a stopped app that runs a program on the PATH with the given arguments', async () => {
    const spec = parseAppSpec({ name: 'web', script: '/bin/sh', cwd: '/', maxMemoryRestart: '1G' });
    const stopped = { ...app, spec, processes: [processView({ pid: null, status: 'stopped' })] };
    const known = { ...daemon, describe: async () => [stopped] };
    const { calls } = await run(['pm2', 'start', 'sh', '--name', 'web', '--', '-x'], { daemon: known });
    const [[, update] = []] = calls.filter(([name]) => name === 'update');
    expect(update).toMatchObject({ target: 'web', app: { args: ['-x'], maxMemoryRestart: 1024 ** 3 } });
  });

  it.each(['stop', 'restart', 'reload', 'delete'])('%s all fails if there are no apps', async (command) => {
    const attempt = run(['pm2', command, 'all'], { daemon: { describe: async () => [] } });
    await expect(attempt).rejects.toMatchObject({ code: 'NO_SUCH_APP' });
  });

  it.each(['start', 'ping', 'id', 'startup'])('%s --help prints the usage, and does nothing else', async (command) => {
    const { stdout, calls, launches } = await run(['pm2', command, '--help'], { daemon });
    expect(stdout).toMatch(`Usage: nsv ${command} `);
    expect([calls, launches]).toEqual([[], []]);
  });

  it('reports a missing config file as a missing script', async () => {
    await expect(run(['pm2', 'start', 'nowhere.json'])).rejects.toMatchObject({ code: 'NO_SUCH_SCRIPT' });
  });

  it('prints ids as PM2 does', async () => {
    const list = async () => app.processes;
    expect((await run(['pm2', 'id', 'web'], { daemon: { list } })).stdout).toBe('[ 0, 3 ]\n');
    expect((await run(['pm2', 'id', 'other'], { daemon: { list } })).stdout).toBe('[]\n');
    expect((await run(['pm2', 'id', 'web'])).stdout).toBe('[]\n');
  });

  it('launches a daemon for ping', async () => {
    expect(await run(['pm2', 'ping'])).toMatchObject({ stdout: "{ msg: 'pong' }\n", launches: [true] });
  });

  it.each(['update', 'updatePM2', 'save', 'flush', 'flush web', 'reloadLogs', 'pid web', 'report'])(
    '%s succeeds without a daemon, with a note',
    async (line) => {
      const { stderr, launches } = await run(['pm2', ...line.split(' ')]);
      expect(stderr).toMatch(line === 'report' ? '' : 'no daemon is running for ');
      expect(launches).not.toContain(true);
    },
  );

  it('resurrect succeeds without a saved list, with a note', async () => {
    const resurrect = async () => {
      throw failure('NOTHING_SAVED', { file: '/saved.json' });
    };
    expect((await run(['pm2', 'resurrect'], { daemon: { resurrect } })).stderr).toContain('/saved.json');
  });

  it.each(['restart web', 'describe web', 'trigger web x', 'scale web 2', 'cleardump'])(
    '%s fails without a daemon',
    async (line) => {
      await expect(run(['pm2', ...line.split(' ')])).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
    },
  );

  it('prints only requested data with --silent', async () => {
    expect(await run(['pm2', 'list', '-s'])).toMatchObject({ stdout: '', stderr: '' });
    expect(await run(['pm2', '-s', 'jlist'])).toMatchObject({ stdout: '[]\n' });
  });
});
