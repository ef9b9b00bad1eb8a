// Errors of an app, or of the machine it runs on.
import type { ErrorRows } from './row.ts';

export const apps = {
  NOT_READY: {
    exitCode: 6,
    message: (p: { name: string; reason: string }) => `cannot say that "${p.name}" is ready: ${p.reason}`,
    hint: 'run "nsv logs" for its output and "nsv show" for its settings',
  },
  RELOAD_FAILED: {
    exitCode: 6,
    message: (p: { name: string; reason: string }) =>
      `cannot reload "${p.name}": ${p.reason}; the processes that were not replaced go on serving`,
    hint: 'run "nsv logs" for the output of the new version',
  },
  INTERRUPTED: {
    exitCode: 6,
    message: (p: { name: string; by: string }) => `cannot finish the command on "${p.name}": it was ended by "${p.by}"`,
    hint: 'run "nsv list" to see its state',
  },
  HOOK_FAILED: {
    exitCode: 6,
    message: (p: { name: string; command: string; detail: string }) =>
      `cannot start "${p.name}": its pre_start "${p.command}" ended with ${p.detail}`,
    hint: 'see above what it printed; what ran before goes on',
  },
  CANNOT_SPAWN: {
    exitCode: 6,
    message: (p: { program: string; detail: string }) => `cannot execute "${p.program}": ${p.detail}`,
    hint: 'check that the file exists, is executable, and that the daemon may run it',
  },
  PROGRAM_MISSING: {
    exitCode: 127,
    message: (p: { program: string }) => `cannot execute "${p.program}": no such file or program on the PATH`,
    hint: 'check the path, and that the image contains it',
  },
  PROGRAM_UNEXECUTABLE: {
    exitCode: 126,
    message: (p: { program: string; detail: string }) => `cannot execute "${p.program}": ${p.detail}`,
    hint: 'check its permissions and its first line, or name a program that runs it with --interpreter',
  },
  CANNOT_OPEN_LOG: {
    exitCode: 6,
    message: (p: { file: string; detail: string }) => `cannot open the log file "${p.file}": ${p.detail}`,
    hint: 'check the directory and its permissions, or name another file with --output and --error',
  },
  NO_LOGS: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `cannot find logs of "${p.name}": ${p.reason}`,
    hint: 'to keep logs, start it with files for --output and --error, or without --disable-logs',
  },
  CANNOT_LISTEN: {
    exitCode: 6,
    message: (p: { address: string; detail: string }) => `cannot listen on ${p.address}: ${p.detail}`,
    hint: 'stop what uses the address, or choose another one',
  },
  SOCKETS_LOST: {
    exitCode: 6,
    message: (p: { name: string }) =>
      `cannot start another process of "${p.name}": a daemon died, and those that run have the sockets of --listen for themselves`,
    hint: 'run "nsv stop" on the app, then "nsv start": until then it goes on serving as it is',
  },
  UNSUPPORTED: {
    exitCode: 7,
    message: (p: { what: string; reason: string }) => `cannot use ${p.what}: ${p.reason}`,
    hint: 'see "What it does not do" in the README',
  },
  PM2_ONLY: {
    exitCode: 7,
    message: (p: { what: string; instead: string }) => `cannot run "${p.what}": ${p.instead}`,
    hint: 'see docs/from-pm2.md for what is different from PM2, and why',
  },
  NO_INPUT: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `cannot send to "${p.name}": ${p.reason}`,
    hint: 'delete it and start it with --stdin pipe, which gives it an input that can be written to',
  },
  NO_REPLY: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `cannot get an answer from "${p.name}": ${p.reason}`,
    hint: 'see "nsv trigger --help" for how an app answers',
  },
  NO_TERMINAL: {
    exitCode: 7,
    message: (p: { stream: string }) => `cannot show a screen: ${p.stream} is not a terminal`,
    hint: 'for programs there are "nsv list --json", "nsv logs --json" and "nsv events --json"',
  },
} satisfies ErrorRows;
