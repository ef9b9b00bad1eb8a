// All commands of PM2 7 and their equivalents in nsv.
import type { ErrorCode } from '../../shared/errors.ts';
import type { Audience } from './flags.ts';

export interface Pm2Command {
  names: readonly [string, ...string[]];
  /** The equivalent command of nsv. */
  nsv: readonly string[];
  /** Which flags it accepts. */
  heeds: readonly Audience[];
  /** Its words are apps, which PM2 also finds by script path; it fails if "all" matches none. */
  targets?: true;
  /** Its output is printed even with --silent. */
  speaks?: true;
  /** Failures that are none for PM2: they are reported, but the exit code is 0, because scripts that it runs in must go on. */
  tolerates?: readonly ErrorCode[];
}

/** A command that nsv does not have, and what to use instead. */
export interface Missing {
  names: readonly [string, ...string[]];
  instead: string;
}

const settings: readonly Audience[] = ['app', 'config'];

/** PM2 launches its daemon for every command, so that these find no app to work on, and succeed. */
const idle: readonly ErrorCode[] = ['DAEMON_NOT_RUNNING'];

export const pm2Commands: readonly Pm2Command[] = [
  { names: ['start'], nsv: ['start'], heeds: [...settings, 'force', 'renewal'] },
  { names: ['restart'], nsv: ['restart'], heeds: [...settings, 'renewal'], targets: true },
  { names: ['reload', 'gracefulReload'], nsv: ['reload'], heeds: [...settings, 'renewal', 'reload'], targets: true },
  { names: ['stop'], nsv: ['stop'], heeds: ['config'], targets: true },
  { names: ['delete', 'del'], nsv: ['delete'], heeds: ['config'], targets: true },
  { names: ['startOrRestart'], nsv: ['startOrRestart'], heeds: ['config', 'renewal'] },
  { names: ['startOrReload'], nsv: ['startOrReload'], heeds: ['config', 'renewal'] },
  { names: ['startOrGracefulReload'], nsv: ['startOrGracefulReload'], heeds: ['config', 'renewal'] },
  { names: ['scale'], nsv: ['scale'], heeds: [] },
  { names: ['reset'], nsv: ['reset'], heeds: [], targets: true },
  { names: ['sendSignal'], nsv: ['signal'], heeds: [], tolerates: ['NO_PROCESS'] },
  { names: ['trigger'], nsv: ['trigger'], heeds: [] },
  { names: ['send'], nsv: ['send'], heeds: [] },
  { names: ['attach'], nsv: ['attach'], heeds: [], speaks: true },
  { names: ['list', 'ls', 'l', 'ps', 'status'], nsv: ['list'], heeds: ['list'] },
  { names: ['describe', 'desc', 'info', 'show'], nsv: ['show'], heeds: [], targets: true },
  { names: ['jlist'], nsv: ['jlist'], heeds: [], speaks: true },
  { names: ['prettylist'], nsv: ['prettylist'], heeds: [], speaks: true },
  { names: ['env'], nsv: ['env'], heeds: [], speaks: true },
  { names: ['id'], nsv: ['id'], heeds: [], speaks: true },
  { names: ['pid'], nsv: ['pid'], heeds: [], speaks: true, tolerates: idle },
  { names: ['profile:cpu'], nsv: ['profile'], heeds: [], speaks: true },
  { names: ['profile:mem'], nsv: ['profile'], heeds: [], speaks: true },
  { names: ['inspect'], nsv: ['repl'], heeds: [], speaks: true },
  { names: ['monit', 'imonit', 'dashboard', 'dash'], nsv: ['monit'], heeds: [], speaks: true },
  { names: ['logs', 'log'], nsv: ['logs'], heeds: ['logs'], speaks: true },
  { names: ['flush'], nsv: ['flush'], heeds: [], tolerates: idle },
  { names: ['reloadLogs'], nsv: ['logs', 'reopen'], heeds: [], tolerates: idle },
  { names: ['save', 'dump'], nsv: ['save'], heeds: ['force'], tolerates: [...idle, 'NOTHING_TO_SAVE'] },
  { names: ['cleardump'], nsv: ['save', '--empty'], heeds: [] },
  { names: ['ecosystem', 'init'], nsv: ['init'], heeds: [] },
  { names: ['resurrect'], nsv: ['resurrect'], heeds: [], tolerates: ['NOTHING_SAVED'] },
  { names: ['startup'], nsv: ['startup'], heeds: ['boot'] },
  { names: ['unstartup'], nsv: ['unstartup'], heeds: ['boot'] },
  { names: ['update', 'updatePM2'], nsv: ['update'], heeds: [], tolerates: idle },
  { names: ['serve', 'expose'], nsv: ['serve'], heeds: ['app', 'serve'] },
  { names: ['report'], nsv: ['doctor'], heeds: [], speaks: true, tolerates: ['PROBLEMS_FOUND'] },
  { names: ['ping'], nsv: ['ping'], heeds: [] },
  { names: ['kill'], nsv: ['kill'], heeds: [] },
  { names: ['examples'], nsv: ['help'], heeds: [], speaks: true },
];

const service = 'nsv has no hosted monitoring; use "nsv events --json" and "nsv jlist" to feed your own';
const store =
  'nsv has no settings of its own to store; use the options of "nsv start", or "nsv config" for values that an app reads while it runs';
const modules = 'nsv has no modules; log rotation is built in, and anything else can be started as an app';
const git = 'nsv does not manage repositories; run "git pull", then "nsv reload <name>"';

export const missing: readonly Missing[] = [
  {
    names: ['deploy'],
    instead: 'nsv does not deploy; copy the code with ssh, rsync or git, then run "nsv reload"',
  },
  { names: ['install', 'module:install', 'autoinstall'], instead: modules },
  { names: ['uninstall', 'module:uninstall', 'module:update', 'module:generate'], instead: modules },
  { names: ['package', 'publish', 'module:publish', 'module:package'], instead: modules },
  { names: ['set', 'get', 'multiset', 'unset', 'conf', 'config'], instead: store },
  { names: ['link', 'unlink', 'plus', 'register', 'login', 'logout', 'open'], instead: service },
  { names: ['monitor', 'unmonitor', 'sysmonit'], instead: service },
  { names: ['pull', 'forward', 'backward'], instead: git },
  { names: ['deepUpdate'], instead: 'update nsv with the package manager that installed it, then run "nsv update"' },
  {
    names: ['install-otel', 'uninstall-otel'],
    instead:
      'nsv does no tracing; have Node load your OpenTelemetry file, with --node-args "--import ./tracing.mjs" of "nsv start"',
  },
  { names: ['slist', 'sysinfos'], instead: 'use "nsv doctor", "nsv list --json" and "nsv show"' },
  { names: ['completion'], instead: 'use "nsv completion bash" (or zsh, fish)' },
  { names: ['logrotate'], instead: 'log rotation is built in' },
  { names: ['create'], instead: 'use "nsv init", which writes a config file to begin with' },
];

/** What to do in nsv instead of a command of PM2 that nsv does not have, or not by this name. Undefined if PM2 does not have it either. */
export function insteadOf(word: string): string | undefined {
  const known = pm2Commands.find(({ names }) => names.includes(word));
  return known ? `use "nsv ${known.nsv.join(' ')}"` : missing.find(({ names }) => names.includes(word))?.instead;
}
