import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/ipc/protocol.ts';
import { appView, processView, run } from '../fake-context.ts';

const env = { PATH: '/bin', PORT: '4000' };

describe('a command', () => {
  it.each<[string, string, unknown]>([
    ['list', 'list', { targets: [] }],
    ['ls web 3', 'list', { targets: ['web', '3'] }],
    ['ps', 'list', { targets: [] }],
    ['status', 'list', { targets: [] }],
    ['show web', 'describe', { targets: ['web'] }],
    ['info web', 'describe', { targets: ['web'] }],
    ['stop web /^api/ 3', 'stop', { targets: ['web', '/^api/', '3'] }],
    ['restart all', 'restart', { targets: ['all'] }],
    ['restart web --update-env', 'restart', { targets: ['web'], env }],
    ['reload web', 'reload', { targets: ['web'], parallel: 1 }],
    ['reload --update-env --parallel 2 web', 'reload', { targets: ['web'], parallel: 2, env }],
    ['delete web', 'delete', { targets: ['web'] }],
    ['rm web', 'delete', { targets: ['web'] }],
    ['scale web 4', 'scale', { targets: ['web'], instances: 4 }],
    ['scale web +2', 'scale', { targets: ['web'], instances: '+2' }],
    ['scale web -1', 'scale', { targets: ['web'], instances: '-1' }],
    ['signal hup web 2', 'signal', { targets: ['web', '2'], signal: 'SIGHUP' }],
    ['sendSignal 15 web', 'signal', { targets: ['web'], signal: 'SIGTERM' }],
    ['reset all', 'reset', { targets: ['all'] }],
    ['jlist', 'describe', { targets: [] }],
    ['prettylist', 'describe', { targets: [] }],
    ['send web hello', 'send', { targets: ['web'], text: 'hello\n' }],
    ['trigger web purge', 'trigger', { targets: ['web'], action: 'purge' }],
    ['trigger web purge all', 'trigger', { targets: ['web'], action: 'purge', param: 'all' }],
    ['pid web', 'list', { targets: ['web'] }],
    ['id web', 'list', { targets: ['web'] }],
    ['flush', 'logs', { targets: [] }],
    ['resurrect', 'resurrect', {}],
  ])('calls the daemon: nsv %s calls %s', async (line, method, params) => {
    const { calls } = await run(line.split(' '), { daemon: { delete: async () => [processView()] }, env });
    // What is left is listed afterwards.
    expect(calls).toEqual(
      method === 'delete'
        ? [
            [method, params],
            ['list', { targets: [] }],
          ]
        : [[method, params]],
    );
  });
});

describe('an invalid command line', () => {
  it.each([
    [['web', 'web', 'api'], /'targets': web, api, or all$/],
    [Array.from({ length: 13 }, (_, at) => `a${at}`), /'targets': a0, .*, a9, 3 others, or all$/],
    [[], /'targets'$/],
  ])('is rejected with the apps that it could mean: %j', async (names, said) => {
    const daemon = { list: async () => names.map((name) => processView({ name })) };
    await expect(run(['restart'], { daemon })).rejects.toMatchObject({ message: expect.stringMatching(said) });
  });

  it.each([
    ['stop', "missing required argument 'targets'"],
    ['restart --json', "missing required argument 'targets'"],
    ['reload', "missing required argument 'targets'"],
    ['delete', "missing required argument 'targets'"],
    ['reset', "missing required argument 'targets'"],
    ['signal HUP', "missing required argument 'targets'"],
    ['send web', "missing required argument 'line'"],
    ['trigger web', "missing required argument 'action'"],
    ['scale web', "missing required argument 'instances'"],
    ['scale web many', 'must be 1 to 10000, or a change such as +2 or -1, not "many"'],
    ['scale web 0', 'cannot scale to 0: "nsv stop" stops all processes of an app'],
    ['scale web 1 2', 'too many arguments'],
    ['signal SIGWHAT web', 'must be a signal such as SIGTERM, INT or 15, not "SIGWHAT"'],
    ['restart web --upadte-env', 'did you mean "--update-env"?'],
    ['save me', 'too many arguments'],
    ['lsit', 'there is no command "lsit"; did you mean "list"?'],
    ['xyzzy', 'there is no command "xyzzy"'],
    // What people who come from PM2 type.
    ['plus', 'nsv has no hosted monitoring'],
    ['report', 'use "nsv doctor"'],
    ['install pm2-logrotate', 'log rotation is built in'],
    ['set a b', 'no settings of its own'],
    ['conf', 'no settings of its own'],
    ['cleardump', 'use "nsv save --empty"'],
    ['dash', 'use "nsv monit"'],
    ['deploy production', 'nsv does not deploy'],
    ['completion tcsh', 'the shell must be one of bash, zsh, fish'],
    ['completion constructor', 'the shell must be one of bash, zsh, fish'],
  ])('is rejected with exit code 2: nsv %s', async (line, message) => {
    const attempt = run(line.split(' '), { daemon: {} });
    await expect(attempt).rejects.toMatchObject({
      code: 'BAD_USAGE',
      exitCode: 2,
      message: expect.stringContaining(message),
    });
  });
});

describe('without a daemon', () => {
  it('lists are empty, and standard error gives the reason', async () => {
    expect(await run(['list', '--json'])).toMatchObject({ stdout: '[]\n', stderr: 'nsv: no daemon is running\n' });
    expect((await run(['list'])).stdout).toMatch(/^id {2}name .*ports\n$/);
    expect((await run(['jlist'])).stdout).toBe('[]\n');
  });

  it('kill has nothing to do', async () => {
    expect((await run(['kill'])).stdout).toBe('no daemon is running\n');
  });

  it.each(['ping', 'stop web', 'save', 'pid', 'logs', 'flush', 'show web', 'env web'])(
    'nsv %s fails with exit code 4',
    async (line) => {
      await expect(run(line.split(' '))).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING', exitCode: 4 });
    },
  );

  it('list, jlist, kill and complete launch none, but resurrect does', async () => {
    for (const line of ['list', 'jlist', 'kill', 'complete stop w']) {
      expect((await run(line.split(' '))).launches).not.toContain(true);
    }
    expect((await run(['resurrect'])).launches).toEqual([true]);
  });
});

describe('what a command prints', () => {
  const processes = [processView(), processView({ id: 1, slot: 1, pid: null, status: 'stopped' })];
  const list = async () => processes;

  it('is pure JSON with --json', async () => {
    for (const name of ['list', 'stop', 'restart', 'reload', 'delete', 'reset', 'signal HUP']) {
      const { stdout } = await run([...name.split(' '), 'web', '--json'], {
        daemon: { list, stop: list, restart: list, reload: list, delete: list, reset: list, signal: list },
      });
      expect(JSON.parse(stdout)).toEqual(processes);
    }
  });

  it('is one value per line for pid and id', async () => {
    expect((await run(['pid', 'web'], { daemon: { list } })).stdout).toBe('4242\n');
    expect((await run(['id', 'web'], { daemon: { list } })).stdout).toBe('0\n1\n');
    expect((await run(['pid', 'web'], { daemon: { list: async () => [] } })).stdout).toBe('');
  });

  it('names the processes that received a signal', async () => {
    const { stdout } = await run(['signal', 'HUP', 'web'], { daemon: { signal: list } });
    expect(stdout).toBe('sent SIGHUP to 4242\n');
  });

  it('names the saved file and counts its apps', async () => {
    const save: Client['save'] = async ({ auto = false }) => ({ file: '/home/saved.json', apps: 3, auto });
    expect((await run(['save'], { daemon: { save } })).stdout).toBe('saved 3 apps to /home/saved.json\n');
    const { stdout, calls } = await run(['save', '--auto'], { daemon: { save } });
    expect(stdout).toContain('saved 3 apps to /home/saved.json; every change is saved from now on');
    expect(calls).toEqual([['save', { auto: true }]]);
    expect((await run(['save', '--no-auto'], { daemon: { save } })).calls).toEqual([['save', { auto: false }]]);
  });

  it('counts the processes that kill stopped, once the daemon is gone', async () => {
    const { stdout, calls } = await run(['kill'], { daemon: { kill: async () => ({ pid: 7, stopped: 3 }) } });
    expect(calls.map(([name]) => name)).toEqual(['kill', 'daemonExited']);
    expect(stdout).toBe('stopped 3 processes and the daemon (pid 7)\n');
  });

  it('describes the daemon for ping', async () => {
    const ping = async () => ({ pid: 7, version: '1.2.3', protocol: 1, node: 'v22.0.0', home: '/h', uptime: 61_000 });
    expect((await run(['ping'], { daemon: { ping } })).stdout).toBe('nsv 1.2.3, pid 7, Node v22.0.0, up 1m\n');
  });
});

describe('nsv env', () => {
  const settings = { env: { PORT: '80', SECRET_A: 'x' }, filterEnv: 'SECRET_' };
  const app = (name: string) => ({
    ...appView({ name, ...settings }),
    processes: [processView({ name, id: 3, slot: 1 }), processView({ name, id: 4, slot: 2 })],
  });

  it('prints the sorted environment of the first process, with the variables of nsv and without filtered ones', async () => {
    const { stdout } = await run(['env', 'web'], { daemon: { describe: async () => [app('web')] } });
    expect(stdout).toBe('NODE_APP_INSTANCE=1\nNSV_APP=web\nNSV_ID=3\nNSV_INSTANCE=1\nPORT=80\nname=web\npm_id=3\n');
  });

  it('fails for several apps', async () => {
    const attempt = run(['env', 'all'], { daemon: { describe: async () => [app('web'), app('api')] } });
    await expect(attempt).rejects.toMatchObject({
      code: 'BAD_USAGE',
      message: expect.stringContaining('several apps'),
    });
  });
});
