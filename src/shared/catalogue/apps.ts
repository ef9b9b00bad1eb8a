// Errors of an app, of its runtime settings, or of the machine it runs on.
import type { ErrorRows } from './row.ts';

export const apps = {
  NOT_READY: {
    exitCode: 6,
    message: (p: { name: string; reason: string; isStarted?: boolean }) =>
      `"${p.name}" did not ${p.isStarted ? 'become ready' : 'start'}: ${p.reason}`,
    hint: 'run "nsv logs <name>" to see its output',
  },
  RELOAD_FAILED: {
    exitCode: 6,
    message: (p: { name: string; reason: string }) =>
      `reload of "${p.name}" failed: ${p.reason}; the processes not yet replaced still run the old version`,
    hint: 'run "nsv logs <name>" to see the output of the new version',
  },
  INTERRUPTED: {
    exitCode: 6,
    message: (p: { name: string; by: string }) => `the command on "${p.name}" was interrupted by "${p.by}"`,
    hint: 'run "nsv list" to see the state of the app',
  },
  HOOK_FAILED: {
    exitCode: 6,
    message: (p: { name: string; command: string; detail: string }) =>
      `"${p.name}" was not started: its pre_start command "${p.command}" failed with ${p.detail}`,
    hint: 'its output is shown above; processes that were already running keep running',
  },
  CANNOT_SPAWN: {
    exitCode: 6,
    message: (p: { program: string; detail: string }) => `failed to execute "${p.program}": ${p.detail}`,
    hint: 'check that the file exists, is executable, and may be executed by the daemon',
  },
  PACKAGE_GONE: {
    exitCode: 6,
    message: (_: object) => 'the files that nsv loads into Node apps are gone: somebody has deleted them',
    hint: 'run "nsv update", or start "nsv run" again: what takes over has its own; processes that were already running keep running',
  },
  CANNOT_LIMIT: {
    exitCode: 6,
    message: (p: { name: string; detail: string }) =>
      `"${p.name}" was not started, because its limits (--cpu, --memory, --pids) cannot be applied: ${p.detail}`,
    hint: 'run the daemon where cgroups are delegated to it, or start the app without these limits',
  },
  CANNOT_SET: {
    exitCode: 6,
    message: (p: { name: string; setting: string; detail: string }) =>
      `cannot set ${p.setting} for "${p.name}", which was not started: ${p.detail}`,
    hint: 'choose a value that the daemon may set, start the app without it, or run the daemon as root (in a container: with the capabilities SYS_NICE and SYS_RESOURCE)',
  },
  PROGRAM_MISSING: {
    exitCode: 127,
    message: (p: { program: string }) => `"${p.program}" not found: no such file or program on the PATH`,
    hint: 'check the path, and that the image contains the program',
  },
  PROGRAM_UNEXECUTABLE: {
    exitCode: 126,
    message: (p: { program: string; detail: string }) => `"${p.program}" cannot be executed: ${p.detail}`,
    hint: 'check its permissions and its first line, or choose a program that runs it with --interpreter',
  },
  CANNOT_OPEN_LOG: {
    exitCode: 6,
    message: (p: { file: string; detail: string }) => `failed to open the log file "${p.file}": ${p.detail}`,
    hint: 'check the directory and its permissions, or choose other files with --output and --error',
  },
  NO_LOGS: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `"${p.name}" keeps no logs: ${p.reason}`,
    hint: 'to keep logs, start it with files for --output and --error, or without --disable-logs',
  },
  CANNOT_LISTEN: {
    exitCode: 6,
    message: (p: { address: string; detail: string }) => `failed to listen on ${p.address}: ${p.detail}`,
    hint: 'stop the program that uses the address, or choose another address',
  },
  SOCKETS_LOST: {
    exitCode: 6,
    message: (p: { name: string }) =>
      `"${p.name}" cannot start another process: the daemon crashed, and only the running processes still have the sockets of --listen`,
    hint: 'run "nsv stop", then "nsv start" on the app; until then its processes keep serving',
  },
  UNSUPPORTED: {
    exitCode: 7,
    message: (p: { what: string; reason: string }) => `${p.what} is not supported: ${p.reason}`,
    hint: 'see README.md of the package for what nsv supports',
  },
  PM2_ONLY: {
    exitCode: 7,
    message: (p: { what: string; instead: string }) => `"${p.what}" is not supported: ${p.instead}`,
    hint: 'run "nsv --help" to see the commands of nsv',
  },
  NO_PROCESS: {
    exitCode: 7,
    message: (p: { signal: string; target: string }) =>
      `${p.signal} was not sent: no process of "${p.target}" is running`,
    hint: 'run "nsv list" to see what runs',
  },
  NO_INPUT: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `cannot write to the standard input of "${p.name}": ${p.reason}`,
    hint: 'delete the app and start it with --stdin pipe, which gives it an input that can be written to',
  },
  NO_CHANNEL: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `cannot send a message to "${p.name}": ${p.reason}`,
    hint: 'only Node programs receive messages; use a signal, or --stdin pipe, for others',
  },
  NO_REPLY: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `"${p.name}" did not reply: ${p.reason}`,
    hint: 'run "nsv trigger --help" to see how an app replies',
  },
  CANNOT_INSPECT: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `"${p.name}" cannot be inspected: ${p.reason}`,
    hint: 'only running Node programs can be inspected; run "nsv list" to see what runs',
  },
  EVALUATION_FAILED: {
    exitCode: 7,
    message: (p: { name: string }) => `the code threw an error inside "${p.name}"`,
    hint: 'the error is shown above; the app keeps running',
  },
  CANNOT_READ_SNAPSHOT: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `failed to read the heap snapshot ${p.file}: ${p.detail}`,
    hint: 'name two files that "nsv heap" has written',
  },
  NO_SUCH_DEATH: {
    exitCode: 3,
    message: (p: { name: string; number: string }) => `"${p.name}" has no death record ${p.number}`,
    hint: 'run "nsv deaths" to see the records; the last 50 of an app are kept',
  },
  NO_SUCH_QUEUE: {
    exitCode: 3,
    message: (p: { queue: string }) => `no running process has the queue "${p.queue}"`,
    hint: 'run "nsv queue" to see the queues; nsv knows of one when a process that it has started calls createQueue()',
  },
  SEVERAL_QUEUES: {
    exitCode: 2,
    message: (p: { queue: string; which: string[] }) =>
      `there are ${p.which.length} queues "${p.queue}": ${p.which.join('; ')}`,
    hint: 'name an app whose queue you mean: --app <app>',
  },
  QUEUE_SILENT: {
    exitCode: 7,
    message: (p: { queue: string; reason: string }) => `no process tells about the queue "${p.queue}": ${p.reason}`,
    hint: 'check the store of the queue, and with "nsv list" whether its processes are busy',
  },
  QUEUE_PAUSED: {
    exitCode: 7,
    message: (p: { queue: string; pending: number }) =>
      `the queue "${p.queue}" is paused, so its pending tasks (${p.pending}) do not begin`,
    hint: 'run "nsv queue resume <queue>" first',
  },
  NO_SUCH_TASK: {
    exitCode: 3,
    message: (p: { queue: string; task: string; what: string }) =>
      `the queue "${p.queue}" has no ${p.what} "${p.task}"`,
    hint: 'run "nsv queue <queue>" to see its tasks',
  },
  NO_TERMINAL: {
    exitCode: 7,
    message: (p: { stream: string }) => `the dashboard needs a terminal, and ${p.stream} is not one`,
    hint: 'in scripts, use "nsv list --json", "nsv logs --json" and "nsv events --json"',
  },
  BAD_SETTINGS: {
    exitCode: 2,
    message: (p: { problem: string }) => `invalid runtime settings: ${p.problem}`,
    hint: 'run "nsv config set --help" to see what is allowed; nothing was changed',
  },
  SETTINGS_REJECTED: {
    exitCode: 6,
    message: (p: { name: string; reasons: string[] }) =>
      `the runtime settings of "${p.name}" were not changed: ${p.reasons.join('; ')}`,
    hint: 'every process keeps the settings that it has; the reason comes from a check in the app',
  },
  SETTINGS_FROM_FILE: {
    exitCode: 7,
    message: (p: { name: string; file: string }) => `the runtime settings of "${p.name}" come from ${p.file}`,
    hint: 'change that file, or run "nsv config <app> --no-file" first, which keeps the values and watches the file no longer',
  },
  CANNOT_USE_SETTINGS: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `failed to use the settings in ${p.file}: ${p.detail}`,
    hint: 'nothing was changed; fix the file, which must hold one object, in JSON or YAML',
  },
} satisfies ErrorRows;
