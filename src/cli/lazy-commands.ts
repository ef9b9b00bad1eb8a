// The command line is loaded in parts, as compiling all of it takes longer than `nsv list`: what every command and `list` need,
// listing-commands.ts, frequent-commands.ts, `run` with the daemon, and here the rest. One part per command is slower, because opening
// ten files takes longer.

export { mappedFailure } from '../client/stacks/mapped.ts';
export { apply } from './commands/apply.ts';
export { attach } from './commands/attach.ts';
export { complete } from './commands/complete.ts';
export { completion } from './commands/completion.ts';
export { config, setConfig, unsetConfig } from './commands/config.ts';
export { daemon } from './commands/daemon.ts';
export { deaths } from './commands/deaths.ts';
export { doctor } from './commands/doctor.ts';
export { env } from './commands/env.ts';
export { events } from './commands/events.ts';
export { flush } from './commands/flush.ts';
export { gc } from './commands/gc.ts';
export { health } from './commands/health.ts';
export { heap } from './commands/heap.ts';
export { id } from './commands/id.ts';
export { importPm2 } from './commands/import-pm2.ts';
export { init } from './commands/init.ts';
export { kill } from './commands/kill.ts';
export { logs } from './commands/logs.ts';
export { monit } from './commands/monit.ts';
export { pid } from './commands/pid.ts';
export { ping } from './commands/ping.ts';
export { pm2, pm2Runtime } from './commands/pm2.ts';
export { profile } from './commands/profile.ts';
export { drainQueue, pauseQueue, queue, removeTask, resumeQueue, retryTasks } from './commands/queue.ts';
export { repl } from './commands/repl.ts';
export { reset } from './commands/reset.ts';
export { resurrect } from './commands/resurrect.ts';
export { reopenLogs, rotateLogs } from './commands/rotate-logs.ts';
export { send } from './commands/send.ts';
export { serve } from './commands/serve.ts';
export { show } from './commands/show.ts';
export { signal } from './commands/signal.ts';
export { stack } from './commands/stack.ts';
export { startOrReload, startOrRestart } from './commands/start-or.ts';
export { startup, unstartup } from './commands/startup.ts';
export { trigger } from './commands/trigger.ts';
export { update } from './commands/update.ts';
export { insteadOf } from './pm2/commands.ts';
