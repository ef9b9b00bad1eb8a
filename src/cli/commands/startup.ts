import { bootOptions } from '../boot/options.ts';
import { performStartup } from '../boot/perform.ts';
import { type Command, jsonOption } from '../command.ts';

export const startup: Command = {
  summary: 'has nsv started at boot: prints the file for the init system, or installs it',
  notes: `The init systems: systemd, systemd-user, launchd, openrc; by default the one that runs here. Standard output is the
file; where it belongs and what to do with it is said on standard error.

At boot what "nsv save" has saved starts ("nsv save --auto": the apps of the last moment). What runs now is left alone.
More in docs/startup.md.`,
  arguments: [['[init-system]', 'systemd, systemd-user, launchd or openrc']],
  options: [['--install', 'write the file and enable it; most need root'], ...bootOptions, jsonOption],
  examples: [
    ['nsv startup', 'look first'],
    ['nsv startup systemd-user --install', 'without root, for your own systemd'],
    ['sudo nsv startup --user web --install', 'for the apps of the user "web"'],
  ],
  async run(context, input) {
    performStartup(context, input);
  },
};
