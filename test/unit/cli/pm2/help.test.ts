// Everything that "pm2 --help" of PM2 7.0.4 lists: nsv-pm2 either knows it or says what to use instead.
import { describe, expect, it } from 'vitest';
import { insteadOf } from '../../../../src/cli/pm2/commands.ts';
import { translate } from '../../../../src/cli/pm2/translate.ts';
import { NsvError } from '../../../../src/shared/errors.ts';

const works = `start startOrRestart startOrReload startOrGracefulReload stop restart reload delete del scale reset sendSignal trigger
  send attach list ls l ps status describe desc info show jlist prettylist env id pid inspect profile:cpu profile:mem monit imonit
  dashboard dash logs flush reloadLogs save dump cleardump resurrect startup unstartup ecosystem init update updatePM2 serve expose
  report ping kill examples`;

const lacking = `deploy create module:install install module:update module:generate module:uninstall uninstall package
  module:publish publish autoinstall set multiset get conf config unset link unlink monitor unmonitor open register plus login logout
  logrotate slist sysinfos pull forward backward deepUpdate install-otel uninstall-otel`;

/** Those of all commands, then those of single ones. */
const flags: Record<string, string> = {
  '': `-s --silent -m --mini-list --interpreter=node --interpreter-args=-r --node-args=-r -o=x --output=x -e=x --error=x -l=x --log=x
    --filter-env=X --log-type=json --log-date-format=X --time --disable-logs --env=x -a --update-env -f --force -i=2 --instances=2
    --parallel=2 --shutdown-with-message -p=x --pid=x -k=5 --kill-timeout=5 --listen-timeout=5 --max-memory-restart=1G --restart-delay=5
    --exp-backoff-restart-delay=5 -x --execute-command --max-restarts=5 -u=x --user=x --uid=x --gid=x -n=x --name=x --namespace=x
    --cwd=x --hp=x --wait-ip --service-name=x -c=0 --cron=0 --cron-restart=0 --ext=js -w --write --no-daemon --source-map-support
    --disable-source-map-support --only=x --wait-ready --merge-logs --watch=x --ignore-watch=x --watch-delay=5 --no-color --no-vizion
    --no-autostart --no-autorestart --stop-exit-codes=0 --no-treekill --no-pmx --no-automation --trace --disable-trace
    --sort=name:desc --attach --v8 --event-loop-inspector --deep-monitoring -h --help -v -V --version`,
  start: '--watch --fresh --daemon --container --dist --image-name=x --node-version=22 --dockerdaemon',
  stop: '--watch',
  restart: '--watch',
  save: '--force',
  logs: '--json --format --raw --err --out --lines=5 --timestamp=X --nostream --highlight=x',
  serve: '--port=80 --spa --ftp --basic-auth-username=x --basic-auth-password=x --monitor=x',
  slist: '-t --tree',
  install: '--tarball --install --docker --v1 --safe=5',
  plus: '--info-node=x -d --discrete -a --install-all',
  publish: '--npm',
};

const list = (text: string) => text.trim().split(/\s+/);

/** The error code for it; undefined if it is translated. */
function codeFor(...argv: string[]): string | undefined {
  try {
    translate(argv);
    return undefined;
  } catch (error) {
    if (!(error instanceof NsvError)) throw error;
    return error.code;
  }
}

describe('in the help of PM2', () => {
  it.each(list(works))('the command %s works', (name) => {
    expect([codeFor(name, 'web'), insteadOf(name)]).toEqual([undefined, expect.stringContaining('use "nsv ')]);
  });

  it.each(list(lacking))('the command %s is rejected with what to use instead', (name) => {
    expect([codeFor(name, 'web'), insteadOf(name)]).toEqual(['PM2_ONLY', expect.stringMatching(/nsv|built in/)]);
  });
});

const cases = Object.entries(flags).flatMap(([command, text]) =>
  list(text).map((flag) => [command || 'start', flag] as const),
);

it.each(cases)('pm2 %s web %s has a known option', (command, flag) => {
  // Short ones take their value as a word of its own.
  const words = flag.startsWith('--') ? [flag] : flag.split('=');
  expect([undefined, 'PM2_ONLY']).toContain(codeFor(command, 'web', ...words));
});
