import { performStartup, performUnstartup } from '../boot/perform.ts';
import { bootOptions } from '../boot/plan.ts';
import { type Command, jsonOption } from '../command.ts';

export const startup: Command = {
  summary: 'starts nsv at boot: prints or installs a service file',
  notes: `Prints the service file on standard output, and where to put it on standard error. The init system is detected; name another one
to get its file.

At boot, nsv starts the apps saved by "nsv save". With "nsv save --auto" these are the apps that were last running. Apps that are
running now are not affected.`,
  arguments: [['[init-system]', 'systemd, systemd-user, launchd or openrc']],
  options: [
    ['--install', 'write the file and enable the service; needs root, except for systemd-user'],
    ...bootOptions,
    jsonOption,
  ],
  examples: [
    ['nsv startup', 'print the file'],
    ['nsv startup systemd-user --install', 'for your own user, without root'],
    ['sudo nsv startup --user web --install', 'for the apps of user "web"'],
  ],
  run: async (context, input) => performStartup(context, input),
};

export const unstartup: Command = {
  summary: 'removes the service installed by "nsv startup --install"',
  notes: 'Removes only a file that nsv wrote. Running apps are not affected.',
  arguments: [['[init-system]', 'as for "nsv startup"']],
  options: [...bootOptions, jsonOption],
  examples: [['nsv unstartup', 'no longer start nsv at boot']],
  run: async (context, input) => performUnstartup(context, input),
};
