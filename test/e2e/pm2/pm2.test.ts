// The command lines of PM2's users, through nsv-pm2.
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellWords } from '../../../src/config/shell-words.ts';
import { openConnection } from '../../../src/ipc/client.ts';
import { homePaths } from '../../../src/shared/paths.ts';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const program = join(root, 'bin', 'pm2-compat');
const pm2 = (line: string) => nsv.runWith({ program }, ...shellWords(line));

/** Listens, so that it is ready at once; says what it gets. */
const source = `require('node:http').createServer().listen(0);
process.on('SIGUSR2', () => console.log('got SIGUSR2'));
process.on('message', (action) => process.send({ type: 'axm:reply', data: { action_name: action, return: { done: action } } }));
process.stdin.on('data', (data) => console.log('got ' + data));`;

interface Step {
  code?: 1;
  /** On standard output, or on standard error where it fails. */
  says?: RegExp;
  /** What runs afterwards, by name. */
  runs?: string;
  /** What the app called web prints. */
  logs?: string;
}

type Line = [line: string, expected: Step];

/** Each line with what is expected of it: exit code 0 if nothing else. */
const scenes: Record<string, Line[]> = {
  'nothing runs': [
    ['--version', { says: /^\d+\.\d+\.\d+\n$/ }],
    ['list', {}],
    ['stop all', { code: 1 }],
    ['kill', { says: /no daemon/ }],
    ['update', { says: /^$/ }],
    ['flush', {}],
    ['resurrect', { runs: '' }],
    ['ping', { says: /pong/ }],
    ['delete all', { code: 1 }],
    ['delete ecosystem.config.js', {}],
    ['deploy production', { code: 1, says: /rsync or git/ }],
    ['install pm2-server-monit', { code: 1, says: /no modules/ }],
    ['set pm2:autodump true', { code: 1, says: /no settings of its own to store/ }],
    ['link secret public', { code: 1, says: /no hosted monitoring/ }],
    ['start missing.js', { code: 1, says: /missing\.js/ }],
    ['start app.js --nonsense', { code: 1, says: /--nonsense/ }],
    ['start broken.js --max-restarts 1', { says: /^$/, runs: '' }],
    ['report', { says: /./ }],
    ['stop ecosystem.config.js', {}],
    ['stop web', { code: 1 }],
    ['delete broken', {}],
    ['save', {}],
    ['strat app.js', { code: 1, says: /did you mean "start"/ }],
    ['kill', { says: /and the daemon/ }],
  ],
  'an app is started and looked at': [
    ['start app.js --name web', { runs: 'web' }],
    ['start app.js --name web', { code: 1, says: /already running/ }],
    ['start web', { runs: 'web' }],
    ['ls', { says: /web/ }],
    ['l', { says: /web/ }],
    ['ps', { says: /web/ }],
    ['status', { says: /online/ }],
    ['list --silent', { says: /^$/ }],
    ['jlist', { says: /^\[\{"pid":\d+,"name":"web","pm2_env":\{/ }],
    ['prettylist', { says: /^\[\n {2}\{\n {4}pid: \d+,\n {4}name: 'web',/ }],
    ['id web', { says: /^\[ 0 \]\n$/ }],
    ['pid web', { says: /^\d+\n$/ }],
    ['describe web', { says: /app web/ }],
    ['show 0', { says: /app web/ }],
    ['describe nobody', { code: 1, says: /"nobody"/ }],
    ['env 0', { says: /^NODE_APP_INSTANCE=0$/m }],
    ['logs web --lines 5 --nostream --raw', {}],
    ['logs nobody --nostream', { code: 1 }],
    ['flush web', {}],
    ['flush', {}],
  ],
  'an app is restarted, scaled and stopped': [
    ['start app.js -n web', { runs: 'web' }],
    ['restart web', { runs: 'web' }],
    ['restart 0 --update-env', { runs: 'web' }],
    ['restart app.js', { runs: 'web' }],
    ['restart nobody', { code: 1 }],
    ['restart web --name other', { runs: 'other' }],
    ['restart other --name web', { runs: 'web' }],
    ['reload web', { runs: 'web' }],
    ['gracefulReload all', { runs: 'web' }],
    ['scale web 2', { runs: 'web web' }],
    ['delete 0', { code: 1, says: /only 1 of the 2 instances of "web"/, runs: 'web web' }],
    ['scale web +1', { runs: 'web web web' }],
    ['scale web -2', { runs: 'web' }],
    ['reset all', {}],
    ['stop web', { runs: '' }],
    ['start web', { runs: 'web' }],
    ['stop nobody', { code: 1, says: /no app matches/ }],
    ['-s stop nobody', { code: 1, says: /^$/ }],
    ['delete app.js', { runs: '' }],
  ],
  'apps have settings and are saved': [
    ['start job.sh --name job --no-autorestart -- 600', { runs: 'job' }],
    ['start app.js -i 2 --name pair --namespace api', { runs: 'job pair pair' }],
    ['stop api', { runs: 'job' }],
    ['delete api', { runs: 'job' }],
    [
      'start app.js -n full --watch --ignore-watch "logs *.log" --max-memory-restart 500M -c "0 3 * * *"',
      { runs: 'job full' },
    ],
    ['delete full -s', { says: /^$/, runs: 'job' }],
    [
      'start app.js -n more -o out.log --merge-logs -k 3000 --node-args="--no-warnings" --no-vizion',
      { runs: 'job more' },
    ],
    ['del more', { runs: 'job' }],
    ['save', {}],
    ['delete job', { runs: '' }],
    ['resurrect', { runs: 'job' }],
    ['dump', {}],
    ['delete all', { runs: '' }],
    ['save', {}],
    ['resurrect', { runs: 'job' }],
    ['cleardump', { says: /saved 0 apps/, runs: 'job' }],
    ['save', {}],
    ['delete all', { runs: '' }],
    ['save --force', { says: /saved 0 apps/ }],
    ['resurrect', { runs: '' }],
  ],
  'apps are spoken to': [
    ['start app.js -n web --stdin pipe', { runs: 'web' }],
    ['start app.js -n deaf', { runs: 'web deaf' }],
    ['sendSignal SIGUSR2 web', { logs: 'got SIGUSR2\n' }],
    ['send web hello', { logs: 'got hello\n' }],
    ['send deaf hello', { code: 1, says: /--stdin pipe/ }],
    ['attach web', {}],
    ['trigger web purge', { says: /\{"done":"purge"\}/ }],
    ['trigger nobody purge', { code: 1 }],
  ],
};

/** Asked without a command line, of which there are enough. */
async function running(): Promise<string> {
  const connection = await openConnection(homePaths(nsv.home));
  const processes = await connection.client.list({ targets: [] });
  connection.close();
  return processes.flatMap(({ name, status }) => (status === 'online' ? [name] : [])).join(' ');
}

describe('nsv-pm2', () => {
  variants(Object.entries(scenes), 2)('has the exit codes and effects of PM2 when %s', async (_, lines) => {
    nsv.script('app.js', source);
    nsv.script('broken.js', 'process.exit(1)');
    nsv.script('ecosystem.config.js', "module.exports = { apps: [{ name: 'web', script: 'app.js' }] };");
    nsv.script('job.sh', '#!/bin/sh\nexec sleep "$1"\n');
    for (const [line, { code = 0, says, runs, logs }] of lines) {
      const ran = await pm2(line);
      expect(ran, `pm2 ${line}`).toMatchObject({ code });
      if (says) expect(code === 0 ? ran.stdout : ran.stderr, `pm2 ${line}`).toMatch(says);
      if (runs !== undefined) expect(await running(), `after pm2 ${line}`).toBe(runs);
      if (logs) await eventually(() => readFileSync(join(nsv.home, 'logs', 'web-0-out.log'), 'utf8').includes(logs));
    }
  });

  it('is tested with at least sixty command lines', () => {
    expect(Object.values(scenes).flat().length).toBeGreaterThanOrEqual(60);
  });
});

it.each(['install pm2-logrotate', 'set pm2-logrotate:max_size 10M', 'module:install pm2-logrotate@2'])(
  'nsv-pm2 %s succeeds, and says that log rotation is built in',
  async (line) => {
    expect(await pm2(line)).toMatchObject({ code: 0, stderr: expect.stringContaining('log rotation is built in') });
  },
);

it('nsv-pm2 can be called pm2, and uses only the directory "nsv" in PM2_HOME', { tags: 'full' }, async () => {
  const link = join(nsv.directory, 'pm2');
  const pm2Home = join(nsv.directory, 'pm2-home');
  symlinkSync(program, link);
  const run = (...words: string[]) =>
    nsv.runWith({ program: link, env: { NSV_HOME: undefined, PM2_HOME: pm2Home } }, ...words);
  try {
    expect(await run('ping')).toMatchObject({ code: 0, stdout: "{ msg: 'pong' }\n" });
    expect(readdirSync(pm2Home)).toEqual(['nsv']);
    expect(existsSync(join(pm2Home, 'nsv', 'daemon.sock'))).toBe(true);
  } finally {
    expect(await run('kill')).toMatchObject({ code: 0 });
  }
});
