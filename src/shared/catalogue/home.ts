// Errors of the nsv home: its daemon and its files.
import type { ErrorRows } from './row.ts';

export const home = {
  CANNOT_ROTATE: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `cannot rotate the log file "${p.file}": ${p.detail}`,
    hint: 'it is as it was, and the app goes on writing to it; check the free space and the permissions of its directory',
  },
  CANNOT_REOPEN: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `cannot reopen the log file "${p.file}": ${p.detail}`,
    hint: 'run "nsv reload" (or "nsv restart") on the app: its new processes open a new file',
  },
  CANNOT_IMPORT: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `cannot import from ${p.file}: ${p.detail}`,
    hint: 'run "pm2 save" first, name the dump file, or pipe "pm2 jlist" into "nsv import-pm2 -"',
  },
  FILE_EXISTS: {
    exitCode: 8,
    message: (p: { file: string }) => `cannot write ${p.file}: it is there already`,
    hint: 'name another file with --output, or use --force to overwrite it',
  },
  SAVED_FILE_CORRUPT: {
    exitCode: 8,
    message: (p: { file: string; kept: string; detail: string }) =>
      `cannot read the saved list ${p.file}: ${p.detail}; it was kept as ${p.kept}`,
    hint: 'mend the kept file and put it back, or start the apps and run "nsv save"',
  },
  NOTHING_SAVED: {
    exitCode: 8,
    message: (p: { file: string }) => `cannot resurrect: there is no saved list at ${p.file}`,
    hint: 'run "nsv save" while your apps are running',
  },
  NEEDS_ROOT: {
    exitCode: 8,
    message: (p: { file: string }) => `cannot touch ${p.file}: only root may`,
    hint: 'run the command above, or see "nsv startup systemd-user", which needs no root',
  },
  FOREIGN_FILE: {
    exitCode: 8,
    message: (p: { file: string }) => `cannot touch ${p.file}: nsv has not written it`,
    hint: 'choose another --name, or move the file away yourself',
  },
  CANNOT_SET_UP: {
    exitCode: 8,
    message: (p: { what: string; detail: string }) => `cannot ${p.what}: ${p.detail}`,
    hint: 'correct that and try again, or see "nsv startup" for what to do by hand',
  },
  CANNOT_WRITE: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `cannot write ${p.file}: ${p.detail}`,
    hint: 'check the free space and the permissions of the nsv home',
  },
  DAEMON_NOT_RUNNING: {
    exitCode: 4,
    message: (p: { home: string }) => `cannot reach a daemon: none is running for ${p.home}`,
    hint: 'run "nsv start <file>" to launch one, or set NSV_HOME to the home you mean',
  },
  DAEMON_UNREACHABLE: {
    exitCode: 4,
    message: (p: { socket: string; detail: string }) => `cannot reach the daemon at ${p.socket}: ${p.detail}`,
    hint: 'see daemon.log in the nsv home',
  },
  CLOSED: {
    exitCode: 4,
    message: (p: { method: string }) => `cannot finish "${p.method}": the connection was closed by its own close()`,
    hint: 'close it when all calls are done, or connect again',
  },
  DAEMON_SILENT: {
    exitCode: 4,
    message: (p: { method: string; seconds: number }) =>
      `cannot finish "${p.method}": the daemon has said nothing for ${p.seconds} s`,
    hint: 'it may be stopped or overloaded; "nsv ping" asks again, daemon.log in the nsv home may say more',
  },
  DAEMON_FAILED: {
    exitCode: 4,
    message: (p: { detail: string }) => `cannot launch the daemon: ${p.detail}`,
    hint: 'see daemon-start.log and daemon.log in the nsv home',
  },
  HOME_TAKEN: {
    exitCode: 4,
    message: (p: { home: string }) => `cannot run here: another daemon serves ${p.home}`,
    hint: 'run "nsv kill" to end that one, or set NSV_HOME to another directory',
  },
  CANNOT_UPDATE: {
    exitCode: 4,
    message: (p: { detail: string }) => `cannot update the daemon: ${p.detail}`,
    hint: 'the daemon and the apps go on as they were',
  },
  HANDED_OVER: {
    exitCode: 4,
    message: (_: object) => 'cannot go on with this connection: another daemon has taken over',
    hint: 'connect again, and ask again what was not answered: it has not begun',
  },
  DAEMON_LACKS: {
    exitCode: 4,
    message: (p: { method: string; ours: string; theirs: string; detail: string }) =>
      `cannot ask this daemon for "${p.method}": it is nsv ${p.theirs}, and this command is nsv ${p.ours}: ${p.detail}`,
    hint: 'run "nsv update", which brings the daemon to the version of this command',
  },
  VERSION_MISMATCH: {
    exitCode: 4,
    message: (p: { ours: string; theirs: string }) =>
      `cannot talk to the daemon: it is nsv ${p.theirs} and this command is nsv ${p.ours}`,
    hint: 'run "nsv update", which brings the daemon to the version of this command',
  },
  HOME_UNSAFE: {
    exitCode: 4,
    message: (p: { home: string; detail: string }) => `cannot use ${p.home} as nsv home: ${p.detail}`,
    hint: 'it must be a directory of yours that nobody else may write: chmod 700 it, or set NSV_HOME to another',
  },
  UNWELL: {
    exitCode: 9,
    message: (p: { home: string; problems: number }) =>
      `cannot call ${p.home} well: ${p.problems === 1 ? 'a problem was' : `${p.problems} problems were`} found`,
    hint: 'each has its remedy; docs/doctor.md has all that is looked at',
  },
  CANNOT_PRINT: {
    exitCode: 8,
    message: (p: { detail: string }) => `cannot print: ${p.detail}`,
    hint: 'it is where the output goes that takes no more; what the command was to do may be done',
  },
  BAD_REQUEST: {
    exitCode: 70,
    message: (p: { detail: string }) => `cannot understand the request: ${p.detail}`,
    hint: 'see docs/protocol.md for the methods and their parameters',
  },
  INTERNAL: {
    exitCode: 70,
    message: (p: { detail: string }) => `cannot go on: ${p.detail}`,
    hint: 'this is a mistake in nsv; please report it with daemon.log from the nsv home',
  },
} satisfies ErrorRows;
