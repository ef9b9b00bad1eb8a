import { describe, expect, it } from 'vitest';
import { renderDetails } from '../../../../src/cli/render/details.ts';
import { jlistOf } from '../../../../src/cli/render/jlist.ts';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import type { AppView, ProcessView } from '../../../../src/ipc/views.ts';
import { processView } from '../fake-context.ts';

const plain = (_: string, text: string) => text;

function appView(settings: object = {}, process: Partial<ProcessView> = {}): AppView {
  return {
    spec: parseAppSpec({
      name: 'web',
      script: '/srv/app.js',
      cwd: '/srv',
      interpreter: '/usr/bin/node',
      node: true,
      ...settings,
    }),
    createdAt: 1_700_000_000_000,
    sockets: ['3000'],
    logTroubles: [],
    processes: [processView(process)],
  };
}

describe('nsv show', () => {
  it('says where the app is and what it listens on', () => {
    const text = renderDetails(appView({ args: ['--port', '3 000'] }), plain);
    expect(text).toMatch(/^app web\n/);
    expect(text).toMatch(/program +\/srv\/app\.js\n/);
    expect(text).toMatch(/arguments +--port '3 000'\n/);
    expect(text).toMatch(/sockets +3000\n/);
  });

  it.each([
    [{}, 'as printed'],
    [{ time: true, logPrefix: true }, 'with time as YYYY-MM-DDTHH:mm:ss.SSSZ, name and slot'],
    [{ logMergeJson: true, logDateFormat: 'x' }, 'in JSON objects, those that are JSON merged, time as x'],
  ])('says what is done with the lines of its log: %o', (settings, expected) => {
    expect(renderDetails(appView(settings), plain)).toMatch(new RegExp(`log lines +${expected}\n`));
  });

  it('lists the settings that differ from the default, as one would write them', () => {
    const text = renderDetails(appView({ killTimeout: 1_500, maxRestarts: 'unlimited', listen: ['[::1]:80'] }), plain);
    expect(text).toMatch(/killTimeout +1500ms\n/);
    expect(text).toMatch(/maxRestarts +unlimited\n/);
    expect(text).toMatch(/listen +\[::1\]:80\n/);
    expect(text).not.toContain('stopSignal');
    expect(renderDetails(appView({ maxMemoryRestart: '80 %' }), plain)).toMatch(/maxMemoryRestart +80%\n/);
    expect(renderDetails(appView({ maxMemoryRestart: '300M' }), plain)).toMatch(/maxMemoryRestart +300.0mb\n/);
    expect(renderDetails(appView(), plain)).not.toContain('differ');
  });

  it.each<[Partial<ProcessView>, RegExp]>([
    [{ lastExit: { code: 3, signal: null } }, /last exit +code 3\n/],
    [{ lastExit: { code: null, signal: 'SIGKILL' } }, /last exit +signal SIGKILL\n/],
    [{ status: 'errored', reason: 'too many restarts' }, /status +errored: too many restarts\n/],
    [{ pid: null, since: null, uptime: null }, /process 0\n {2}slot +0\n {2}status +online\n {2}restarts/],
  ])('%j is told', (process, line) => {
    expect(renderDetails(appView({}, process), plain)).toMatch(line);
  });

  it('lets no control character through', () => {
    expect(renderDetails(appView({ args: ['\x1b[2J'] }), plain)).not.toContain('\x1b');
  });
});

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
        restart_time: 2,
        unstable_restarts: 0,
        created_at: 1_700_000_000_000,
        exec_mode: 'cluster_mode',
        instances: 1,
        namespace: 'default',
        pm_exec_path: '/srv/app.js',
        pm_cwd: '/srv',
        exec_interpreter: '/usr/bin/node',
        args: [],
        node_args: [],
        pm_out_log_path: '/logs/web-0-out.log',
        pm_err_log_path: '/logs/web-0-err.log',
        merge_logs: false,
        watch: true,
        autorestart: true,
        exit_code: null,
        kill_timeout: 5_000,
        NODE_APP_INSTANCE: 0,
        name: 'web',
        env: { A: '1' },
      },
    });
  });

  it.each<[Partial<ProcessView>, object]>([
    [{ status: 'starting' }, { status: 'launching' }],
    [{ status: 'waiting restart' }, { status: 'waiting restart' }],
    [{ mode: 'fork' }, { exec_mode: 'fork_mode' }],
    [{ lastExit: { code: 3, signal: null } }, { exit_code: 3, exit_signal: null }],
    [{ lastExit: { code: null, signal: 'SIGKILL' } }, { exit_code: null, exit_signal: 'SIGKILL' }],
  ])('spells %j as PM2 does: %j', (changes, expected) => {
    expect(jlistOf(appView({}, changes))[0]?.pm2_env).toMatchObject(expected);
  });

  it('has 0 where PM2 has 0 for a process that does not run', () => {
    const [process] = jlistOf(appView({}, { pid: null, cpu: null, memory: null, since: null }));
    expect(process).toMatchObject({ pid: 0, monit: { memory: 0, cpu: 0 }, pm2_env: { pm_uptime: 0 } });
  });
});
