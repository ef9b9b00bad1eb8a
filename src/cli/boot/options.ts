// The options that `nsv startup` and `nsv unstartup` have in common.
import type { HelpRow } from '../command.ts';

export const bootOptions: readonly HelpRow[] = [
  ['-u, --user <name>', 'whose apps (default: yours)'],
  ['--home <directory>', 'the nsv home (default: NSV_HOME, or .nsv in the home directory of the user)'],
  ['--name <name>', 'of the service (default: nsv-<user>; for systemd-user nsv)'],
  ['--root <directory>', 'of a system that does not run, such as an image: only its files are touched'],
];
