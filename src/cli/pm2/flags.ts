// All flags of PM2 7 and their equivalents in nsv.
import { join } from 'node:path';
import { numberedPidFile } from '../../config/pid-file.ts';

/** The commands that a flag applies to. As in PM2, other commands ignore it. */
export type Audience = 'app' | 'force' | 'renewal' | 'reload' | 'config' | 'list' | 'logs' | 'boot' | 'serve' | 'pm2';

export interface Pm2Flag {
  /** As in PM2's help: `-n --name <name>`; `[value]` is optional, `<values...>` are numbers. */
  spelling: string;
  for: Audience;
  /** The equivalent words of nsv. Default: the long name, with `=` and the value. */
  words?(value: string): string[];
  /** It has no effect in nsv, which no user would notice. */
  ignored?: true;
  /** nsv does not support it; the command continues with this notice. */
  notice?: string;
  /** nsv does not support it, and its users depend on it: the command fails. */
  refusal?: string;
}

const fileOrNowhere = (file: string) => (file === 'NULL' ? '/dev/null' : file);
const seconds = (value: string) => (/^\d+$/.test(value) ? `${value}s` : value);
const commas = (value: string) =>
  value
    .trim()
    .split(/[\s,]+/)
    .join(',');

const app = (spelling: string, rest: Omit<Pm2Flag, 'spelling' | 'for'> = {}): Pm2Flag => ({
  spelling,
  for: 'app',
  ...rest,
});
const ignored = (spelling: string): Pm2Flag => app(spelling, { ignored: true });
const container = (spelling: string): Pm2Flag =>
  app(spelling, { refusal: 'nsv builds no images; use a Dockerfile whose command is "nsv run <file>"' });

export const pm2Flags: readonly Pm2Flag[] = [
  app('-n --name <name>'),
  app('--namespace <name>'),
  app('--interpreter <program>'),
  app('--interpreter-args <args>'),
  app('--node-args <args>'),
  app('-i --instances <number>'),
  app('--cwd <path>'),
  app('-o --output --out-file <path>', { words: (file) => [`--output=${fileOrNowhere(file)}`] }),
  app('-e --error --error-file <path>', { words: (file) => [`--error=${fileOrNowhere(file)}`] }),
  // Without a path, PM2 uses its default log file.
  app('-l --log [path]', { words: (file) => (file ? [`--log=${file}`] : []) }),
  app('--disable-logs'),
  app('--merge-logs'),
  app('--log-type <type>'),
  app('--log-date-format <format>'),
  app('--time'),
  app('--filter-env [prefixes]', { words: (prefixes) => (prefixes ? [`--filter-env=${commas(prefixes)}`] : []) }),
  app('--shutdown-with-message'),
  app('-k --kill-timeout <delay>'),
  app('--listen-timeout <delay>'),
  app('--max-memory-restart <memory>'),
  app('--restart-delay <delay>'),
  app('--exp-backoff-restart-delay <delay>'),
  app('--max-restarts [count]', { words: (count) => (count ? [`--max-restarts=${count}`] : []) }),
  app('--min-uptime <delay>'),
  app('--stop-exit-codes <codes...>', { words: (codes) => [`--stop-exit-codes=${commas(codes)}`] }),
  app('--no-autorestart'),
  app('--uid <uid>'),
  app('--gid <gid>'),
  app('-c --cron --cron-restart <pattern>', { words: (pattern) => [`--cron-restart=${pattern}`] }),
  app('--wait-ready'),
  // A flag of nsv: PM2 gives each forked app a pipe.
  app('--stdin <what>'),
  app('--watch [paths]', { words: (paths) => [paths ? `--watch=${paths}` : '--watch'] }),
  app('--ignore-watch <patterns>', { words: (patterns) => [`--ignore-watch=${commas(patterns)}`] }),
  // A number without a unit means seconds, unlike in PM2's other delays.
  app('--watch-delay <delay>', { words: (delay) => [`--watch-delay=${seconds(delay)}`] }),
  app('--source-map-support', { words: () => ['--node-args=--enable-source-maps'] }),
  app('--disable-source-map-support', { words: () => ['--node-args=--no-enable-source-maps'] }),
  app('--no-treekill', { notice: '--no-treekill is ignored: nsv always stops the children of a process too' }),
  app('--ext <extensions>', {
    refusal: 'nsv watches files and directories; use --watch and --ignore-watch',
  }),
  app('--no-autostart', {
    refusal: 'use a config file with "autostart: false", which adds the app to the list without starting it',
  }),
  app('-p --pid <file>', { words: (file) => [`--pid-file=${numberedPidFile(file)}`] }),
  app('-w --write', { refusal: 'use "nsv import-pm2" to write a config file' }),
  // The file determines how it is executed; nsv has no tracing, no hosted metrics and no version control.
  ...['-x --execute-command', '--no-vizion', '--vizion', '--no-pmx', '--pmx'].map(ignored),
  ...['--no-automation', '--trace', '--disable-trace', '--v8', '--event-loop-inspector', '--deep-monitoring'].map(
    ignored,
  ),
  ignored('-m --mini-list'),
  ...['--container', '--dist', '--fresh', '--daemon', '--dockerdaemon'].map(container),
  ...['--image-name [name]', '--node-version [major]'].map(container),

  { spelling: '--sort <field>', for: 'list' },

  { spelling: '-f --force', for: 'force' },
  { spelling: '-a --update-env', for: 'renewal', words: () => ['--update-env'] },
  { spelling: '--parallel <number>', for: 'reload' },
  { spelling: '--env <name>', for: 'config' },
  { spelling: '--only <names>', for: 'config' },

  { spelling: '--lines <n>', for: 'logs' },
  { spelling: '--raw', for: 'logs' },
  { spelling: '--err', for: 'logs' },
  { spelling: '--out', for: 'logs' },
  { spelling: '--nostream', for: 'logs' },
  { spelling: '--json', for: 'logs' },
  { spelling: '--timestamp [format]', for: 'logs', words: () => ['--timestamp'] },
  { spelling: '--highlight [text]', for: 'logs', ignored: true },
  { spelling: '--format', for: 'logs', refusal: 'use "nsv logs --json"' },

  { spelling: '-u --user <name>', for: 'boot' },
  // The home is the directory that contains PM2's `.pm2`.
  { spelling: '--hp <path>', for: 'boot', words: (path) => [`--home=${join(path, '.nsv')}`] },
  { spelling: '--service-name <name>', for: 'boot', words: (name) => [`--name=${name}`] },
  // nsv always waits for the network.
  { spelling: '--wait-ip', for: 'boot', ignored: true },

  { spelling: '--port [port]', for: 'serve' },
  { spelling: '--spa', for: 'serve' },
  { spelling: '--ftp', for: 'serve', refusal: 'nsv does not list directories; add an index.html' },
  // A snippet of PM2's hosted monitoring for the pages.
  { spelling: '--monitor [app]', for: 'serve', ignored: true },
  { spelling: '--basic-auth-username [name]', for: 'serve' },
  { spelling: '--basic-auth-password [password]', for: 'serve' },

  { spelling: '-s --silent', for: 'pm2' },
  { spelling: '--no-daemon', for: 'pm2' },
  { spelling: '--attach', for: 'pm2' },
  { spelling: '--no-color', for: 'pm2' },
  { spelling: '-h --help', for: 'pm2' },
  { spelling: '-v -V --version', for: 'pm2' },
];

/** Flags of pm2-runtime that pm2 does not have, or with another meaning. */
export const runtimeFlags: readonly Pm2Flag[] = [
  app('--json', { words: () => ['--log-type=json'] }),
  app('--formatted', { words: () => ['--log-prefix'] }),
  ...['--raw', '--auto-exit', '--secret [key]', '--public [key]', '--machine-name [name]'].map(ignored),
  app('--format', { notice: '--format is ignored: use --json, or --formatted' }),
  app('--delay <seconds>', {
    notice: '--delay is ignored: an app that needs another one has "depends_on" in the config file',
  }),
  app('--web [port]', { notice: '--web is ignored: for probes use "nsv run --health-port <port>"' }),
  app('--no-auto-exit', { notice: '--no-auto-exit is ignored: nsv ends when all of its apps have ended' }),
];

export function pm2NamesOf({ spelling }: Pm2Flag): string[] {
  return spelling.split(' ').filter((word) => word.startsWith('-'));
}

/** The long name, which the other files of this folder use. */
export function pm2NameOf(flag: Pm2Flag): string {
  return pm2NamesOf(flag).find((name) => name.startsWith('--')) ?? flag.spelling;
}

export function wordsFor(flag: Pm2Flag, value: string): string[] {
  if (flag.words) return flag.words(value);
  return [value === '' ? pm2NameOf(flag) : `${pm2NameOf(flag)}=${value}`];
}
