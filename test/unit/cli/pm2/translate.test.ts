import { describe, expect, it } from 'vitest';
import { missing, pm2Commands } from '../../../../src/cli/pm2/commands.ts';
import { pm2Flags, pm2NamesOf } from '../../../../src/cli/pm2/flags.ts';
import { translate, translateRuntime } from '../../../../src/cli/pm2/translate.ts';
import { shellWords } from '../../../../src/config/shell-words.ts';

function nsvLine(line: string): string {
  const { nsv, words, tail } = translate(shellWords(line));
  return [...nsv, ...words, ...tail].join(' ');
}

describe('the translation of pm2-runtime to nsv', () => {
  it.each([
    ['app.js', 'run app.js'],
    ['start app.js -i max', 'run app.js --instances=max'],
    ['-i 2 start app.js', 'run app.js --instances=2'],
    ['eco.config.js --env production --only web', 'run eco.config.js --env=production --only=web'],
    ['app.js --env production', 'run app.js'],
    ['--node-args "--inspect --no-warnings" app.js', 'run app.js --node-args=--inspect --no-warnings'],
    ['app.js --node-args --what', 'run app.js --node-args=--what'],
    ['start npm -- start', 'run npm -- start'],
    ['--json --raw app.js', 'run app.js --log-type=json'],
    ['--formatted app.js --secret a --public b', 'run app.js --log-prefix'],
    ['--version', '--version'],
  ])('%s is nsv %s', (line, expected) => {
    const { nsv, words, tail, notices } = translateRuntime(shellWords(line));
    expect([...nsv, ...words, ...tail].join(' ')).toBe(expected);
    expect(notices).toEqual([]);
  });

  it('ignores what it cannot do, and flags that nobody knows, with a notice', () => {
    const { words, notices } = translateRuntime(shellWords('start app.js --no-auto-exit --delay 3 --what=1 --web 80'));
    expect(words).toEqual(['app.js']);
    expect(notices.map((notice) => notice.split(' ', 1)[0])).toEqual([
      '--what=1',
      '--no-auto-exit',
      '--delay',
      '--web',
    ]);
  });
});

describe('the translation of pm2 to nsv', () => {
  it.each([
    ['start app.js', 'start app.js'],
    ['start app.js -i 0 --name web -- --port 3000', 'start app.js --instances=0 --name=web -- --port 3000'],
    ['start app.js -i max', 'start app.js --instances=max'],
    ['start app.js -i -1', 'start app.js --instances=-1'],
    ['start app.js -i4', 'start app.js --instances=4'],
    ['-n web start app.js', 'start app.js --name=web'],
    ['start --name=web app.js', 'start app.js --name=web'],
    ['start npm --name web -- run dev', 'start npm --name=web -- run dev'],
    ['start "npm run dev"', 'start npm run dev'],
    ['start app.js --watch', 'start app.js --watch'],
    ['start --watch app.js', 'start app.js --watch'],
    ['--watch start app.js', 'start app.js --watch'],
    ['start app.js --watch src --ignore-watch="logs tmp"', 'start app.js --watch=src --ignore-watch=logs,tmp'],
    ['start app.js --watch-delay 4', 'start app.js --watch-delay=4s'],
    ['start app.js --watch-delay 4000ms', 'start app.js --watch-delay=4000ms'],
    ['start app.js --node-args="--inspect"', 'start app.js --node-args=--inspect'],
    ['start app.js --node-args --inspect', 'start app.js --node-args=--inspect'],
    [
      'start app.js --source-map-support --node-args "--inspect"',
      'start app.js --node-args=--enable-source-maps --inspect',
    ],
    ['start app.js --disable-source-map-support', 'start app.js --node-args=--no-enable-source-maps'],
    ['start app.js --node-args "" -n web', 'start app.js --name=web'],
    ['start app.js --node-args= --name "" --cwd=', 'start app.js'],
    ['start app.py --interpreter python3', 'start app.py --interpreter=python3'],
    ['start app.sh -x', 'start app.sh'],
    ['start app.js -o out.log -e err.log', 'start app.js --output=out.log --error=err.log'],
    ['start app.js -l all.log --time', 'start app.js --log=all.log --time'],
    ['start app.js --log', 'start app.js'],
    ['start app.js --log-date-format "YYYY-MM-DD HH:mm"', 'start app.js --log-date-format=YYYY-MM-DD HH:mm'],
    ['start app.js --max-memory-restart 200M', 'start app.js --max-memory-restart=200M'],
    ['start app.js --restart-delay=3000 --no-autorestart', 'start app.js --restart-delay=3000 --no-autorestart'],
    ['start app.js --exp-backoff-restart-delay=100', 'start app.js --exp-backoff-restart-delay=100'],
    ['start app.js --max-restarts 5', 'start app.js --max-restarts=5'],
    ['start app.js --stop-exit-codes "0 2"', 'start app.js --stop-exit-codes=0,2'],
    ['start --stop-exit-codes 0 2 app.js', 'start app.js --stop-exit-codes=0,2'],
    ['start app.js --cron "0 3 * * *"', 'start app.js --cron-restart=0 3 * * *'],
    ['start app.js -c "0 3 * * *"', 'start app.js --cron-restart=0 3 * * *'],
    ['start app.js -k 3000 --listen-timeout 8000', 'start app.js --kill-timeout=3000 --listen-timeout=8000'],
    ['start app.js --wait-ready --shutdown-with-message', 'start app.js --wait-ready --shutdown-with-message'],
    ['start app.js --uid www --gid www', 'start app.js --uid=www --gid=www'],
    ['start app.js --namespace api --cwd /srv', 'start app.js --namespace=api --cwd=/srv'],
    ['start app.js --filter-env=AWS', 'start app.js --filter-env=AWS'],
    ['start app.js --merge-logs --disable-logs', 'start app.js --merge-logs --disable-logs'],
    ['start app.js -p app.pid', 'start app.js --pid-file=app-0.pid'],
    ['start app.js -f', 'start app.js --force'],
    ['start app.js --no-daemon -f', 'run app.js'],
    ['start app.js --no-vizion --no-pmx --trace --sort name:desc -m', 'start app.js'],
    ['start app.js --env production', 'start app.js'],
    ['start ecosystem.config.js', 'start ecosystem.config.js'],
    [
      'start ecosystem.config.js --env production --only web,api',
      'start ecosystem.config.js --env=production --only=web,api',
    ],
    ['start', 'start'],
    ['start -', 'start -'],
    ['restart all --update-env', 'restart all --update-env'],
    ['restart 0 web -a', 'restart 0 web --update-env'],
    ['restart ecosystem.config.js --only web', 'restart ecosystem.config.js --only=web'],
    ['restart web --name api -c 0', 'restart web --name=api --cron-restart=null'],
    ['start app.js -c 0 -o NULL', 'start app.js --output=/dev/null'],
    ['reload web --max-memory-restart 1G -- x', 'reload web --max-memory-restart=1G -- x'],
    ['reload all', 'reload all'],
    ['gracefulReload web --parallel 2', 'reload web --parallel=2'],
    ['startOrReload eco.json --env production', 'startOrReload eco.json --env=production'],
    ['startOrRestart eco.json', 'startOrRestart eco.json'],
    ['startOrGracefulReload eco.json', 'startOrGracefulReload eco.json'],
    ['stop all', 'stop all'],
    ['stop 0 --watch', 'stop 0'],
    ['stop /api-[12]/', 'stop /api-[12]/'],
    ['delete web', 'delete web'],
    ['del all -s', 'delete all'],
    ['scale web 4', 'scale web 4'],
    ['scale web +3', 'scale web +3'],
    ['scale web -2', 'scale web -2'],
    ['list', 'list'],
    ['ls --sort cpu', 'list --sort=cpu'],
    ['l', 'list'],
    ['ps', 'list'],
    ['status', 'list'],
    ['describe web', 'show web'],
    ['show 0', 'show 0'],
    ['info web', 'show web'],
    ['desc web', 'show web'],
    ['jlist', 'jlist'],
    ['prettylist', 'prettylist'],
    ['env 0', 'env 0'],
    ['id web', 'id web'],
    ['pid web', 'pid web'],
    ['monit', 'monit'],
    ['dash', 'monit'],
    ['logs', 'logs'],
    ['logs web --lines 100 --nostream', 'logs web --lines=100 --nostream'],
    ['logs --err --raw --timestamp --highlight red', 'logs --err --raw --timestamp'],
    ['logs --json', 'logs --json'],
    ['flush', 'flush'],
    ['flush web', 'flush web'],
    ['reloadLogs', 'logs reopen'],
    ['sendSignal SIGUSR2 web', 'signal SIGUSR2 web'],
    ['reset all', 'reset all'],
    ['save', 'save'],
    ['save --force', 'save --force'],
    ['dump', 'save'],
    ['cleardump', 'save --empty'],
    ['resurrect', 'resurrect'],
    ['startup systemd -u www --hp /home/www', 'startup systemd --user=www --home=/home/www/.nsv'],
    ['unstartup', 'unstartup'],
    ['update', 'update'],
    ['serve ./public 8080 --spa -n web', 'serve ./public 8080 --spa --name=web'],
    [
      'expose . --port 80 --basic-auth-username me --basic-auth-password pw',
      'serve . --port=80 --basic-auth-username=me --basic-auth-password=pw',
    ],
    ['send 0 hello', 'send 0 hello'],
    ['attach 0', 'attach 0'],
    ['trigger web purge now', 'trigger web purge now'],
    ['report', 'doctor'],
    ['ping', 'ping'],
    ['kill', 'kill'],
    ['--version', '--version'],
    ['-v', '--version'],
    ['start --help', 'start --help'],
    ['help reloadLogs', 'logs reopen --help'],
    ['', '--help'],
  ])('turns "%s" into "%s"', (line, expected) => {
    expect(nsvLine(line)).toBe(expected);
  });

  it.each<[string, object]>([
    ['-s delete web', { silent: true }],
    ['delete web --silent', { silent: true }],
    ['jlist --silent', { silent: false }],
    ['list --no-color', { colourless: true }],
    ['start app.js --attach', { attach: true }],
    ['start app.js --no-treekill', { notices: [expect.stringContaining('--no-treekill is ignored')] }],
    ['stop web --no-treekill', { notices: [] }],
  ])('reads the flags of "%s" as %j', (line, manner) => {
    expect(translate(shellWords(line))).toMatchObject(manner);
  });
});

describe('the translation of an unsupported or invalid command line', () => {
  it.each([
    ['deploy production', 'PM2_ONLY', 'copy the code with ssh, rsync or git'],
    ['install pm2-logrotate', 'PM2_ONLY', 'is built in'],
    ['set pm2:autodump true', 'PM2_ONLY', 'no settings of its own to store'],
    ['plus', 'PM2_ONLY', 'nsv events --json'],
    ['link secret public', 'PM2_ONLY', 'no hosted monitoring'],
    ['pull web', 'PM2_ONLY', 'nsv reload'],
    ['start app.js --ext js,ts', 'PM2_ONLY', '--ignore-watch'],
    ['strat app.js', 'BAD_USAGE', 'did you mean "start"?'],
    ['start app.js --watc', 'BAD_USAGE', 'did you mean "--watch"?'],
    ['start app.js --wait-ready=false', 'BAD_USAGE', '--wait-ready takes no value'],
    ['deploy --help', 'PM2_ONLY', 'copy the code with ssh, rsync or git'],
    ['start app.js --name', 'BAD_USAGE', '--name needs a value'],
  ])('fails with advice: pm2 %s', (line, code, message) => {
    const attempt = () => translate(shellWords(line));
    expect(attempt).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });
});

describe('the tables of commands and flags', () => {
  it('name each command and each flag once', () => {
    const commands = [...pm2Commands, ...missing].flatMap(({ names }) => names);
    const flags = pm2Flags.flatMap(pm2NamesOf);
    expect(commands).toEqual([...new Set(commands)]);
    expect(flags).toEqual([...new Set(flags)]);
  });
});
