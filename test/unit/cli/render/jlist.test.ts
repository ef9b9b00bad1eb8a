// `pm2 jlist` as nsv prints it, and what scripts read from it.
import { describe, expect, it } from 'vitest';
import { jlistOf, jlistRenderer, prettyListOf } from '../../../../src/cli/render/jlist.ts';
import { toJson } from '../../../../src/cli/render/text.ts';
import type { ProcessView } from '../../../../src/ipc/views.ts';
import { outputOf, works } from '../../../helpers/program.ts';
import { appView, processView } from '../fake-context.ts';

/** For all apps of this file, one after the other. */
const render = jlistRenderer();

describe('nsv jlist', () => {
  it('has the keys that tools for PM2 read', () => {
    const [process] = jlistOf(appView({ env: { A: '1' }, watch: ['/srv'] }));
    expect(process).toMatchObject({
      name: 'web',
      pid: 4242,
      pm_id: 0,
      monit: { memory: 52_428_800, cpu: 1.4 },
      pm2_env: {
        status: 'online',
        pm_uptime: 1_700_000_000_000,
        restart_time: 3,
        unstable_restarts: 0,
        created_at: 1_700_000_000_000,
        exec_mode: 'fork_mode',
        instances: 1,
        namespace: 'default',
        pm_exec_path: '/srv/app.js',
        pm_cwd: '/srv',
        exec_interpreter: '/usr/bin/node',
        args: [],
        node_args: [],
        pm_out_log_path: '/logs/web-0-out.log',
        pm_err_log_path: '/logs/web-0-err.log',
        merge_logs: true,
        watch: true,
        autorestart: true,
        exit_code: null,
        kill_timeout: 5_000,
        NODE_APP_INSTANCE: 0,
        name: 'web',
        version: 'N/A',
        node_version: null,
        username: null,
        pm_pid_path: null,
        axm_monitor: {},
        A: '1',
        env: { A: '1', NODE_APP_INSTANCE: '0' },
        vizion: true,
      },
    });
  });

  it.each<[Partial<ProcessView>, object]>([
    [{ status: 'starting' }, { status: 'launching' }],
    [
      { status: 'waiting restart', restarts: 2, planned: 1 },
      { status: 'waiting restart', restart_time: 2 },
    ],
    [{ status: 'waiting restart', restarts: 0, planned: 0 }, { restart_time: 0 }],
    [
      { restarts: 4, planned: 2, earlyExits: 3 },
      { restart_time: 6, unstable_restarts: 3 },
    ],
    [{ lastExit: { code: 3, signal: null } }, { exit_code: 3, exit_signal: null }],
    [{ lastExit: { code: null, signal: 'SIGKILL' } }, { exit_code: null, exit_signal: 'SIGKILL' }],
  ])('spells %j as PM2 does: %j', (changes, expected) => {
    expect(jlistOf(appView({}, changes))[0]?.pm2_env).toMatchObject(expected);
  });

  it('has the requested mode, and the name of the variable that numbers instances', () => {
    const [process] = jlistOf(appView({ execMode: 'cluster', instanceVar: 'SLOT' }, { slot: 3 }));
    expect(process?.pm2_env).toMatchObject({ exec_mode: 'cluster_mode', instance_var: 'SLOT', SLOT: 3 });
    expect(process?.pm2_env).not.toHaveProperty('NODE_APP_INSTANCE');
  });

  it('has keys of optional settings only if they are set, and an incremented variable as a number', () => {
    const names = [
      'cron_restart',
      'max_memory_restart',
      'log_date_format',
      'ignore_watch',
      'pm_log_path',
      'increment_var',
      'source_map_support',
    ];
    const [plain] = jlistOf(appView());
    for (const name of names) expect(plain?.pm2_env).not.toHaveProperty(name);
    const asked = {
      ...{ cronRestart: '0 3 * * *', maxMemoryRestart: '1G', time: true, watch: ['/srv'], logFile: '/all.log' },
      ...{ incrementVar: 'PORT', env: { PORT: '3000' }, interpreterArgs: ['--enable-source-maps'] },
    };
    const [process] = jlistOf(appView(asked, { slot: 1 }));
    for (const name of names) expect(process?.pm2_env).toHaveProperty(name);
    expect(process?.pm2_env).toMatchObject({ PORT: 3001, env: { PORT: 3001 } });
  });

  it('shows a stopped app as not watched', () => {
    const [process] = jlistOf(appView({ watch: ['/srv'] }, { status: 'stopped', pid: null }));
    expect(process?.pm2_env).toMatchObject({ watch: false });
  });

  it('shows the interpreter as a user would type it', () => {
    const [process] = jlistOf(appView(), { interpreter: 'node' });
    expect(process?.pm2_env).toMatchObject({ exec_interpreter: 'node' });
  });

  it.each<Parameters<typeof appView>[0]>([
    { env: { A: '1', text: 'a "b"\n\u009b31m' } },
    { env: { name: 'mine', status: 'mine', time: 'mine', env: 'mine', constructor: 'mine' } },
    { env: { PORT: '3000' }, incrementVar: 'PORT', instanceVar: 'SLOT' },
  ])('is the same as text, with each key once: %j', (settings) => {
    const app = appView(settings);
    const [text] = render(app);
    expect(toJson(JSON.parse(text!))).toBe(text);
    expect(JSON.parse(text!)).toEqual(JSON.parse(JSON.stringify(jlistOf(app)[0])));
  });

  it('is printed by prettylist in the notation of PM2', () => {
    const text = prettyListOf(jlistOf(appView({ env: { DEEP: 'x' } }, { restarts: 0, planned: 0 })), false);
    expect(text).toMatch(/^\[\n {2}\{\n {4}pid: 4242,\n {4}name: 'web',\n {4}pm2_env: \{/);
    expect(text).toContain('restart_time: 0,');
    expect(text).toContain("status: 'online',");
    expect(text.match(/\bpm_id\b/g)).toHaveLength(2);
  });

  it('has the zeros of PM2 for a process that is not running', () => {
    const [process] = jlistOf(appView({}, { pid: null, cpu: null, memory: null, since: null }));
    expect(process).toMatchObject({ pid: 0, monit: { memory: 0, cpu: 0 }, pm2_env: { pm_uptime: 0 } });
  });
});

const hasJq = await works('jq', '--version');

describe('the output of jlist', () => {
  const web = appView({ env: { PORT: '3000', status: 'mine' }, maxMemoryRestart: '300M', execMode: 'cluster' });
  web.processes.push(processView({ id: 1, slot: 1, pid: 4243, restarts: 0, memory: 70 * 1024 * 1024 }));
  const job = appView(
    { name: 'job', namespace: 'jobs', node: false },
    {
      ...{ id: 2, name: 'job', namespace: 'jobs', mode: 'fork', pid: null, status: 'stopped', since: null },
      ...{ memory: null, cpu: null, lastExit: { code: 3, signal: null } },
    },
  );
  const list = [...jlistOf(web, { version: '1.2.3', nodeVersion: '22.1.0', username: 'www' }), ...jlistOf(job)];
  type Entry = (typeof list)[number];
  const env = (entry: Entry | undefined) => entry?.pm2_env as Record<string, unknown> | undefined;
  const named = (name: string) => list.filter((entry) => entry.name === name);
  const namesOf = (isMeant: (entry: Entry) => boolean) => list.filter(isMeant).map(({ name }) => name);
  const statusOf = (entry: Entry) => env(entry)?.status;
  const isOnline = (entry: Entry) => statusOf(entry) === 'online';

  /** The same said in JavaScript, so that this holds without jq too. */
  const lines: [filter: string, script: () => unknown[], printed: unknown[]][] = [
    ['.[] | select(.name=="web") | .pm2_env.status', () => named('web').map(statusOf), ['online', 'online']],
    ['.[].name', () => list.map(({ name }) => name), ['web', 'web', 'job']],
    ['[.[] | .name] | unique | .[]', () => [...new Set(list.map(({ name }) => name))].sort(), ['job', 'web']],
    ['length', () => [list.length], [3]],
    ['[.[] | select(.pm2_env.status=="online")] | length', () => [list.filter(isOnline).length], [2]],
    ['map(select(.pm2_env.status!="online")) | .[].name', () => namesOf((e) => !isOnline(e)), ['job']],
    ['.[] | select(.name=="web") | .pid', () => named('web').map(({ pid }) => pid), [4242, 4243]],
    ['.[] | select(.name=="job") | .pid', () => named('job').map(({ pid }) => pid), [0]],
    ['.[] | select(.name=="web") | .pm_id', () => named('web').map((e) => e.pm_id), [0, 1]],
    [
      '.[] | "\\(.name) \\(.monit.memory) \\(.monit.cpu)"',
      () => list.map((e) => `${e.name} ${e.monit.memory} ${e.monit.cpu}`),
      ['web 52428800 1.4', 'web 73400320 1.4', 'job 0 0'],
    ],
    ['[.[].monit.memory] | add', () => [list.reduce((sum, e) => sum + e.monit.memory, 0)], [125829120]],
    ['.[0].pm2_env.pm_uptime', () => [env(list[0])?.pm_uptime], [1_700_000_000_000]],
    [
      '.[] | select(.pm2_env.restart_time > 1) | .pm_id',
      () => list.filter((e) => Number(env(e)?.restart_time) > 1).map((e) => e.pm_id),
      [0, 2],
    ],
    ['.[0].pm2_env.env.PORT', () => [env(list[0])?.env && web.spec.env.PORT], ['3000']],
    ['.[0].pm2_env.PORT', () => [env(list[0])?.PORT], ['3000']],
    ['.[0].pm2_env.version', () => [env(list[0])?.version], ['1.2.3']],
    ['.[2].pm2_env.version', () => [env(list[2])?.version], ['N/A']],
    ['.[0].pm2_env.node_version', () => [env(list[0])?.node_version], ['22.1.0']],
    ['.[] | select(.pm2_env.namespace=="jobs") | .name', () => namesOf((e) => env(e)?.namespace === 'jobs'), ['job']],
    [
      '.[] | select(.pm2_env.exec_mode=="cluster_mode") | .pm2_env.NODE_APP_INSTANCE',
      () => list.filter((e) => env(e)?.exec_mode === 'cluster_mode').map((e) => env(e)?.NODE_APP_INSTANCE),
      [0, 1],
    ],
    ['.[2].pm2_env.exit_code', () => [env(list[2])?.exit_code], [3]],
    ['.[0].pm2_env.pm_out_log_path', () => [env(list[0])?.pm_out_log_path], ['/logs/web-0-out.log']],
    ['any(.[]; .name=="api")', () => [list.some(({ name }) => String(name) === 'api')], [false]],
    [
      '.[] | select(.name=="web" and .pm2_env.NODE_APP_INSTANCE==1) | .pm2_env.username',
      () => [env(list[1])?.username],
      ['www'],
    ],
    ['.[0].pm2_env.max_memory_restart', () => [env(list[0])?.max_memory_restart], [314572800]],
    [
      '.[] | .pm2_env.axm_monitor | keys | length',
      () => list.map((e) => Object.keys(Object(env(e)?.axm_monitor)).length),
      [0, 0, 0],
    ],
  ];

  it.each(lines)("supports the filter '%s'", (_, script, printed) => {
    expect(script()).toEqual(printed);
  });

  it.skipIf(!hasJq).each(lines)("supports the filter '%s' in the real jq -r", async (filter, _, printed) => {
    const text = await outputOf('jq', ['-r', filter], { input: JSON.stringify(list) });
    expect(text.trim().split('\n')).toEqual(printed.map(String));
  });
});
