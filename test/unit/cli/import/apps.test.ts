import { describe, expect, it } from 'vitest';
import { importedApps, pm2Entries } from '../../../../src/cli/import/apps.ts';
import { configText } from '../../../../src/cli/import/config-text.ts';

/** As `pm2 save` writes a process; the values of a plain `pm2 start app.js`. */
function entry(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ name: 'web', namespace: 'default', pm_exec_path: '/srv/app.js', pm_cwd: '/srv', exec_interpreter: 'node' },
    ...{ exec_mode: 'fork_mode', status: 'online', pm_id: 0, instances: 1, args: [], node_args: [], filter_env: [] },
    ...{ autorestart: true, watch: false, merge_logs: false, treekill: true, vizion: true },
    instance_var: 'NODE_APP_INSTANCE',
    ...{ pm_out_log_path: '/home/u/.pm2/logs/web-out.log', pm_err_log_path: '/home/u/.pm2/logs/web-error.log' },
    env: {},
    ...changes,
  };
}

const current = { PATH: '/bin', HOME: '/home/u' };
const imported = (...entries: object[]) => importedApps(pm2Entries(JSON.stringify(entries)), current);
const plain = { name: 'web', script: '/srv/app.js', cwd: '/srv' };

describe('an imported PM2 app', () => {
  it('has only a name, a script and a directory if all else is default', () => {
    expect(imported(entry()).apps).toEqual([plain]);
  });

  it.each([
    { args: ['-p', '80'], node_args: ['--inspect'] },
    { namespace: 'jobs' },
    { max_memory_restart: 1e9, max_restarts: 3, kill_timeout: 9 },
    { cron_restart: '0 3 * * *' },
    { watch: ['src'], ignore_watch: ['logs'] },
    { autorestart: false },
    { merge_logs: true, log_date_format: 'HH:mm' },
    { log_type: 'json', time: true },
    { env_production: { A: '1' } },
  ])('keeps its settings: %j', (settings) => {
    expect(imported(entry(settings)).apps).toEqual([{ ...plain, ...settings }]);
  });

  it.each([
    ['приложение', 'приложение', []],
    ['my app (1)', 'my app (1)', []],
    ['web; api', 'web- api', ['"web; api" is called "web- api": nsv has no such names']],
    ['12', 'app-12', ['"12" is called "app-12": nsv has no such names']],
  ])('has a name that nsv accepts: %s', (given, name, notices) => {
    expect(imported(entry({ name: given, pm_out_log_path: undefined, pm_err_log_path: undefined }))).toEqual({
      apps: [{ ...plain, name }],
      notices,
    });
  });

  it.each<[string, object, object]>([
    ['instances become one app', {}, { exec_mode: 'cluster', instances: 2 }],
    [
      "PM2's file server",
      {
        pm_exec_path: '/usr/lib/node_modules/pm2/lib/API/Serve.js',
        env: { PM2_SERVE_PATH: '/srv/dist', PM2_HOME: '/p' },
      },
      { script: 'serve', env: { PM2_SERVE_PATH: '/srv/dist' } },
    ],
    ['its own log file', { pm_out_log_path: '/var/log/web.log' }, { out_file: '/var/log/web.log' }],
    ['a file for both outputs', { pm_log_path: './logs/web.log' }, { log_file: './logs/web.log' }],
    ['no file for both outputs', { pm_log_path: '/dev/null' }, {}],
    [
      'instances with a file for all outputs',
      { pm_log_path: '/srv/all-0.log' },
      { exec_mode: 'cluster', instances: 2, log_file: '/srv/all.log' },
    ],
    [
      'a program that nothing runs',
      { exec_interpreter: 'none', pm_exec_path: '/bin/x' },
      { interpreter: 'none', script: '/bin/x' },
    ],
    ['what its extension says', { exec_interpreter: 'python3', pm_exec_path: '/srv/a.py' }, { script: '/srv/a.py' }],
    ['another Node', { exec_interpreter: '/opt/node' }, { interpreter: '/opt/node' }],
    ['stopped', { status: 'stopped' }, { autostart: false }],
  ])('is converted: %s', (what, changes, expected) => {
    const first = entry({ ...changes, ...(what.startsWith('instances') && { exec_mode: 'cluster_mode' }) });
    const entries = what.startsWith('instances') ? [first, { ...first, pm_id: 1 }] : [first];
    expect(imported(...entries).apps).toEqual([{ ...plain, ...expected }]);
  });

  it('has no log files of its own if PM2 only put hyphens into their names', () => {
    const odd = { pm_out_log_path: '/p/logs/-acme-my-api-out.log', pm_err_log_path: '/p/logs/-acme-my-api-error.log' };
    expect(imported(entry({ ...odd, name: '@acme/my_api' })).apps).toEqual([{ ...plain, name: '@acme/my_api' }]);
  });

  it('loses the number that PM2 puts into the names of log files', () => {
    const one = (pm_id: number) => entry({ pm_id, pm_err_log_path: `/var/log/web-${pm_id}.log` });
    expect(imported(one(3), one(4)).apps).toEqual([{ ...plain, instances: 2, error_file: '/var/log/web.log' }]);
  });

  it('keeps its own variables, and reports how many are left out', () => {
    const noise = {
      PATH: '/bin',
      PWD: '/x',
      SSH_TTY: '/dev/pts/1',
      PM2_USAGE: 'CLI',
      unique_id: 'u',
      web: '{}',
      name: 'web',
    };
    const { apps, notices } = imported(entry({ env: { ...noise, HOME: '/srv', PORT: 80, axm_x: {} } }));
    expect(apps).toEqual([{ ...plain, env: { HOME: '/srv', PORT: '80' } }]);
    expect(notices).toEqual([expect.stringMatching(/^left out 8 variables that this shell has too/)]);
  });

  it('is left out and reported if it is a PM2 module', () => {
    const { apps, notices } = imported(entry({ name: 'pm2-logrotate', pmx_module: true }), entry());
    expect(apps).toEqual([plain]);
    expect(notices).toEqual(['left out PM2 modules: pm2-logrotate']);
  });

  it('is reported if its name is taken', () => {
    expect(imported(entry(), entry({ pm_exec_path: '/other.js' })).notices).toEqual([expect.stringContaining('"web"')]);
  });

  it('becomes two apps if it was started twice with different arguments', () => {
    const { apps, notices } = imported(entry({ args: ['--port', '1'] }), entry({ args: ['--port', '2'] }));
    expect(apps).toEqual([
      { ...plain, args: ['--port', '1'] },
      { ...plain, args: ['--port', '2'] },
    ]);
    expect(notices).toEqual([expect.stringContaining('"web"')]);
  });
});

describe('the input of the import', () => {
  it('may be the output of "pm2 jlist" below a warning', () => {
    const text = `\n>>>> In-memory PM2 is out-of-date\n${JSON.stringify([{ name: 'web', pid: 1, pm2_env: entry() }])}`;
    expect(importedApps(pm2Entries(text), {}).apps).toEqual([plain]);
  });

  it('may be the output of a PM2 that first launched its daemon', () => {
    expect(pm2Entries('[PM2] Spawning PM2 daemon\n[PM2] PM2 Successfully daemonized\n[]')).toEqual([]);
  });

  it.each(['', 'nothing', '{}', '[1]', '[{}]', '[{"name":"web"}]', 'module.exports = [process.exit()]'])(
    'is rejected: %j',
    (text) => {
      expect(() => pm2Entries(text)).toThrow(/./);
    },
  );
});

describe('the config file', () => {
  it('reads like one written by hand', () => {
    const text = configText([{ ...plain, args: ['-v'], watch: [{ a: 1 }], env: { 'a-b': '"', __proto: '1' } }]);
    expect(text).toBe(`// Written by "nsv import-pm2".
module.exports = {
  apps: [
    {
      name: "web",
      script: "/srv/app.js",
      cwd: "/srv",
      args: ["-v"],
      watch: [
        {
          a: 1,
        },
      ],
      env: {
        "a-b": "\\"",
        __proto: "1",
      },
    },
  ],
};
`);
  });

  it('preserves variables with any name and value', () => {
    const env = JSON.parse('{"__proto__":"1","b c":"\\u2028\\n"}') as object;
    const exports = { apps: [] as { env: object }[] };
    new Function('module', configText([{ env }]))({
      set exports(value: typeof exports) {
        Object.assign(exports, value);
      },
    });
    expect(Object.entries(exports.apps[0]!.env)).toEqual(Object.entries(env));
  });
});
