// The common options of `nsv startup` and `nsv unstartup`.
import type { HelpRow } from '../command.ts';

export const bootOptions: readonly HelpRow[] = [
  ['-u, --user <name>', 'user whose apps are started (default: you)'],
  ['--home <directory>', 'nsv home (default: $NSV_HOME, or .nsv in the home directory of the user)'],
  ['--name <name>', 'name of the service (default: nsv-<user>; for systemd-user: nsv)'],
  ['--root <directory>', 'root of a system that is not running, such as an image: only write its files'],
];
