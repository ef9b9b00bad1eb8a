// All that `nsv list` does without, as one file in dist/ that is loaded when it is needed: Node took 1.5 ms to read it when
// it was 70 KB, and the whole command 27. A file for each command was tried too; finding ten files takes longer than that.

export { apply } from './commands/apply.ts';
export { attach } from './commands/attach.ts';
export { complete } from './commands/complete.ts';
export { completion } from './commands/completion.ts';
export { deleteApps } from './commands/delete.ts';
export { env } from './commands/env.ts';
export { events } from './commands/events.ts';
export { flush } from './commands/flush.ts';
export { id } from './commands/id.ts';
export { importPm2 } from './commands/import-pm2.ts';
export { jlist, prettylist } from './commands/jlist.ts';
export { kill } from './commands/kill.ts';
export { logs } from './commands/logs.ts';
export { pid } from './commands/pid.ts';
export { ping } from './commands/ping.ts';
export { pm2 } from './commands/pm2.ts';
export { reload } from './commands/reload.ts';
export { reopenLogs } from './commands/reopen-logs.ts';
export { reset } from './commands/reset.ts';
export { restart } from './commands/restart.ts';
export { resurrect } from './commands/resurrect.ts';
export { rotateLogs } from './commands/rotate-logs.ts';
export { run } from './commands/run.ts';
export { save } from './commands/save.ts';
export { scale } from './commands/scale.ts';
export { send } from './commands/send.ts';
export { show } from './commands/show.ts';
export { sendSignal } from './commands/signal.ts';
export { start } from './commands/start.ts';
export { startOrReload, startOrRestart } from './commands/start-or.ts';
export { stop } from './commands/stop.ts';
export { trigger } from './commands/trigger.ts';
export { launchDaemon } from './daemon-launch.ts';
export { parseInput, renderCommandHelp, renderHelp } from './options.ts';
