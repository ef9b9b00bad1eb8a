// The commands that are used most, and what they may need: the launch of a daemon, options, help and errors.
// A part of its own: lazy-commands.ts says why.
export { launchDaemon } from '../client/daemon-launch.ts';
export { parseInput, renderCommandHelp, renderHelp } from './args/options.ts';
export { deleteApps } from './commands/delete.ts';
export { reload } from './commands/reload.ts';
export { restart } from './commands/restart.ts';
export { save } from './commands/save.ts';
export { scale } from './commands/scale.ts';
export { start } from './commands/start.ts';
export { stop } from './commands/stop.ts';
export { renderFailure, renderFailureJson } from './render/failure.ts';
