// Errors of the nsv home: its daemon and its files.
import { firstFew } from '../units.ts';
import type { ErrorRows } from './row.ts';

const report = 'see daemon.log in the nsv home';

export const home = {
  CANNOT_ROTATE: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `failed to rotate the log file "${p.file}": ${p.detail}`,
    hint: 'the file is unchanged and the app keeps writing to it; check the free space and the permissions of its directory',
  },
  CANNOT_READ_JOURNAL: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `failed to read the journal of events ${p.file}: ${p.detail}`,
    hint: 'check who owns the file; the daemon begins a new one if you remove it',
  },
  CANNOT_REOPEN: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `failed to reopen the log file "${p.file}": ${p.detail}`,
    hint: 'run "nsv reload" (or "nsv restart") on the app: its new processes open a new file',
  },
  CANNOT_IMPORT: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `failed to import from ${p.file}: ${p.detail}`,
    hint: 'run "pm2 save" first, name the dump file, or pipe "pm2 jlist" into "nsv import-pm2 -"',
  },
  FILE_EXISTS: {
    exitCode: 8,
    message: (p: { file: string }) => `${p.file} already exists`,
    hint: 'choose another file, or overwrite it with --force',
  },
  SAVED_FILE_CORRUPT: {
    exitCode: 8,
    message: (p: { file: string; kept: string; detail: string }) =>
      `failed to read the saved list ${p.file}: ${p.detail}; the file was kept as ${p.kept}`,
    hint: 'repair that file and move it back, or start the apps and run "nsv save"',
  },
  SAVED_APPS_SET_ASIDE: {
    exitCode: 8,
    message: (p: { problems: string[] }) => `the other saved apps are running, but ${p.problems.join('; ')}`,
    hint: 'the file has all settings of these apps: start them again and run "nsv save"',
  },
  NOTHING_TO_SAVE: {
    exitCode: 8,
    message: (p: { file: string; apps: number }) =>
      `there are no apps to save; ${p.file} still has the ${p.apps} saved before`,
    hint: 'start your apps first, or run "nsv save --force" to save the empty list',
  },
  NOTHING_SAVED: {
    exitCode: 8,
    message: (p: { file: string }) => `there is no saved list at ${p.file}`,
    hint: 'run "nsv save" while your apps are running',
  },
  NEEDS_ROOT: {
    exitCode: 8,
    message: (p: { file: string }) => `only root can change ${p.file}`,
    hint: 'run the command above, or use "nsv startup systemd-user", which needs no root',
  },
  NOT_NSV_FILE: {
    exitCode: 8,
    message: (p: { file: string }) => `${p.file} was not written by nsv, so it was left unchanged`,
    hint: 'choose another --name, or move the file away yourself',
  },
  CANNOT_SET_UP: {
    exitCode: 8,
    message: (p: { what: string; detail: string }) => `failed to ${p.what}: ${p.detail}`,
    hint: 'fix the problem and try again; "nsv startup" prints the file, for an installation by hand',
  },
  CANNOT_WRITE: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `failed to write ${p.file}: ${p.detail}`,
    hint: 'check the free space and the permissions of the directory',
  },
  NOT_RECORDED: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) =>
      `failed to write ${p.file}: ${p.detail}; the command took effect, but was not recorded`,
    hint: 'free some space, or make the nsv home writable; nsv keeps trying, but if its daemon dies before that, the next one may undo the command',
  },
  DAEMON_NOT_RUNNING: {
    exitCode: 4,
    message: (p: { home: string }) => `no daemon is running for ${p.home}`,
    hint: 'run "nsv start <file>" to launch one, or set NSV_HOME to another home',
  },
  DAEMON_UNREACHABLE: {
    exitCode: 4,
    message: (p: { socket: string; detail: string }) => `failed to connect to the daemon at ${p.socket}: ${p.detail}`,
    hint: `run "nsv doctor", or ${report}`,
  },
  CLOSED: {
    exitCode: 4,
    message: (p: { method: string }) => `"${p.method}" was interrupted: the connection was closed with close()`,
    hint: 'call close() when all calls have returned, or connect again',
  },
  DAEMON_SILENT: {
    exitCode: 4,
    message: (p: { method: string; seconds: number }) =>
      `"${p.method}" was not answered: no sign of life from the daemon for ${p.seconds} s`,
    hint: `the daemon may be stopped or overloaded: run "nsv doctor", or ${report}`,
  },
  DAEMON_FAILED: {
    exitCode: 4,
    message: (p: { detail: string }) => `the daemon failed to start: ${p.detail}`,
    hint: 'see daemon-start.log and daemon.log in the nsv home',
  },
  HOME_TAKEN: {
    exitCode: 4,
    message: (p: { home: string }) => `another daemon is already running for ${p.home}`,
    hint: 'set NSV_HOME to another directory; "nsv kill" would stop that daemon with all of its apps',
  },
  NO_INIT_SYSTEM: {
    exitCode: 7,
    message: (_: Record<string, never>) =>
      'none of the init systems that nsv knows runs here (systemd, launchd, OpenRC)',
    hint: 'in a container, start the apps with "nsv run"; elsewhere, name the init system, such as "nsv startup systemd"',
  },
  HOME_ON_OTHER_MACHINE: {
    exitCode: 4,
    message: (p: { home: string; host: string; file: string }) =>
      `${p.home} is in use on another machine${p.host && ` (${p.host})`}, as ${p.file} says`,
    hint: 'run "nsv kill" on that machine, or set NSV_HOME to a directory of this one; remove the file if that machine is gone',
  },
  CANNOT_UPDATE: {
    exitCode: 4,
    message: (p: { detail: string }) => `the daemon was not updated: ${p.detail}`,
    hint: 'the old daemon and all apps keep running',
  },
  HANDED_OVER: {
    exitCode: 4,
    message: (_: object) => 'another daemon has taken over, so this connection was closed',
    hint: 'connect again and repeat the requests that were not answered: none of them has begun',
  },
  DAEMON_TOO_OLD: {
    exitCode: 4,
    message: (p: { method: string; ours: string; theirs: string; detail: string }) =>
      `the daemon (nsv ${p.theirs}) rejected "${p.method}" of this command (nsv ${p.ours}): ${p.detail}`,
    hint: 'run "nsv update" to bring the daemon to the version of this command',
  },
  VERSION_MISMATCH: {
    exitCode: 4,
    message: (p: { ours: string; theirs: string }) =>
      `the daemon (nsv ${p.theirs}) and this command (nsv ${p.ours}) speak different protocols`,
    hint: 'run "nsv update" to bring the daemon to the version of this command',
  },
  HOME_UNSAFE: {
    exitCode: 4,
    message: (p: { home: string; detail: string }) => `cannot use ${p.home} as the nsv home: ${p.detail}`,
    hint: 'set NSV_HOME to a directory of your own (chmod 700), inside directories that only you and root can write to',
  },
  PROBLEMS_FOUND: {
    exitCode: 9,
    message: (p: { home: string; problems: number }) =>
      `${p.problems} ${p.problems === 1 ? 'problem' : 'problems'} in ${p.home}`,
    hint: 'the line below each problem says how to fix it',
  },
  STATE_UNREADABLE: {
    exitCode: 8,
    message: (p: { problem: string; pids: number[] }) =>
      `failed to read the state of the previous daemon, whose processes keep running (${firstFew(p.pids.map(String))}): ${p.problem}`,
    hint: 'install the version of nsv that wrote it, or delete the unreadable files: nsv then stops these processes and starts with an empty list',
  },
  UNREADY: {
    exitCode: 9,
    message: (p: { what: string; status: string }) => `${p.what} is not ready: ${p.status}`,
    hint: 'run "nsv list" to see its processes, and "nsv logs --err" to see what they have printed',
  },
  CANNOT_PRINT: {
    exitCode: 8,
    message: (p: { detail: string }) => `failed to write the output: ${p.detail}`,
    hint: 'check the file or pipe that the output goes to; the command itself may have been carried out',
  },
  BAD_REQUEST: {
    exitCode: 70,
    message: (p: { detail: string }) => `invalid request: ${p.detail}`,
    hint: 'check the name of the method and its parameters; a client must speak the protocol of this daemon',
  },
  SYSTEM_REFUSED: {
    exitCode: 8,
    message: (p: { detail: string }) => `refused by the system: ${p.detail}`,
    hint: 'check the free space and inodes of the disk, permissions, and limits such as "ulimit -n"; then run the command again',
  },
  INTERNAL: {
    exitCode: 70,
    message: (p: { detail: string }) => `internal error: ${p.detail}`,
    hint: 'this is a bug in nsv; please report it with daemon.log from the nsv home',
  },
} satisfies ErrorRows;
